//! Machine code for a game's circuits: loaded from the cache, or compiled and kept there.
//!
//! Every kind of code has a *purpose*, by which the cache distinguishes it from other code of the
//! same game. A new kind of code is a new purpose, with a circuit of its own.

use std::borrow::Borrow;

use propjit_jit::assumptions::Assumptions;
use propjit_jit::circuit::{Circuit, InputId};
use propjit_jit::code::cache::CacheKey;
use propjit_jit::code::{Code, CodeConfig, CompileError, Guards};
use propjit_jit::passes::PassConfig;
use propjit_jit::section::Section;

use super::options::CodeOptions;
use crate::game::circuits::reasons::{PhaseLayout, Target};
use crate::game::circuits::stepping::StepLayout;
use crate::game::ground::sections::{decisive_sections, playout_sections, state_sections};
use crate::game::ground::{GoalBounds, GroundGame, Layout, encoded};

/// A hash of the sources of this package that decide which circuits are compiled.
const SOURCES: &str = env!("PROPJIT_SOURCES");

/// The purpose of code of a game.
#[derive(Clone, Debug)]
pub(super) struct Purpose {
    /// Its name in the cache's list.
    name: &'static str,
    /// The outputs that are evaluated together.
    sections: Vec<Section>,
    /// The inputs of its circuit besides the game, in a stable encoding.
    depends_on: Vec<u8>,
    /// Whether the circuit has the inputs and outputs of the game's, so that parts of it can be
    /// left out in some phases and where moves are not legal.
    is_guarded: bool,
}

impl Purpose {
    /// Returns the purpose of playouts and batches.
    pub(super) fn playouts(layout: &Layout) -> Purpose {
        Purpose {
            name: "playouts",
            sections: playout_sections(layout).to_vec(),
            depends_on: Vec::new(),
            is_guarded: true,
        }
    }

    /// Returns the purpose of single queries about single states.
    pub(super) fn states(layout: &Layout) -> Purpose {
        Purpose {
            name: "states",
            sections: state_sections(layout).to_vec(),
            depends_on: Vec::new(),
            is_guarded: true,
        }
    }

    /// Returns the purpose of playouts with decisive moves, some of which are found by goal
    /// latches.
    pub(super) fn decisive(layout: &Layout, latches: Option<&GoalBounds>) -> Purpose {
        Purpose {
            name: "decisive",
            sections: decisive_sections(layout).to_vec(),
            depends_on: encoded(&latches.map(GoalBounds::sources)),
            is_guarded: true,
        }
    }

    /// Returns the purpose of random steps.
    pub(super) fn steps(layout: &StepLayout) -> Purpose {
        Purpose {
            name: "steps",
            sections: layout.sections(),
            depends_on: Vec::new(),
            is_guarded: false,
        }
    }

    /// Returns the purpose of random steps with decisive moves, some of which are found by goal
    /// latches.
    pub(super) fn decisive_steps(layout: &StepLayout, latches: Option<&GoalBounds>) -> Purpose {
        Purpose {
            name: "decisive steps",
            depends_on: encoded(&latches.map(GoalBounds::sources)),
            ..Purpose::steps(layout)
        }
    }

    /// Returns the purpose of steps in one phase, with the reasons for them.
    pub(super) fn reasons(layout: &Layout, phase: usize, target: Target) -> Purpose {
        Purpose {
            name: "reasons",
            sections: PhaseLayout::new(layout).sections(),
            depends_on: encoded(&(phase, target)),
            is_guarded: false,
        }
    }

    /// Returns the hash of everything that the code depends on. It uses the game's circuit before
    /// any pass instead of the compiled circuit, which would have to be built first.
    fn key(&self, game: &GroundGame, config: &CodeConfig) -> Result<CacheKey, CompileError> {
        let passes = PassConfig::default().cache_text();
        let (name, interface) = (self.name, game.interface_bytes());
        let salt = encoded(&(SOURCES, name, passes, interface, &self.depends_on));
        Code::key(game.lowered(), &self.sections, &salt, config)
    }
}

/// Returns the game's code for a purpose: from the cache, or else compiled from the circuit that
/// `circuit` makes, and then stored there.
///
/// If the cache cannot be used, the log says so, and the code is compiled.
pub(super) fn obtain<C: Borrow<Circuit>, E: From<CompileError>>(
    game: &GroundGame,
    options: &CodeOptions,
    purpose: &Purpose,
    circuit: impl FnOnce() -> Result<C, E>,
) -> Result<Code, E> {
    let config = &options.config_for(purpose.name);
    let compile = || {
        if config.stop.is_set() {
            return Err(CompileError::Stopped.into());
        }
        let circuit = circuit()?;
        let guards = match purpose.is_guarded {
            true => guards(game, &game.layout().assumptions()),
            false => Guards::default(),
        };
        Ok(compile(
            circuit.borrow(),
            &purpose.sections,
            &guards,
            config,
        )?)
    };
    let Some(cache) = &options.cache else {
        return compile();
    };
    let key = purpose.key(game, config)?;
    match Code::load(cache, &key, &purpose.sections, config) {
        Ok(Some(code)) => {
            tracing::debug!(bytes = code.bytes(), time = ?code.time(), "loaded machine code");
            return Ok(code);
        }
        Ok(None) => {}
        Err(error) => {
            tracing::warn!(error = &error as &dyn std::error::Error, "recompiling")
        }
    }
    let code = compile()?;
    let lanes = code.width().lanes();
    let label = format!("{}, {}, {lanes} lanes", options.name, purpose.name);
    if let Err(error) = code.store(cache, &key, &label) {
        tracing::warn!(
            error = &error as &dyn std::error::Error,
            "machine code not cached"
        );
    }
    Ok(code)
}

/// Compiles code for playouts, with a configuration other than the game's own.
///
/// # Errors
/// As for [`Code::compile`].
pub fn for_playouts(game: &GroundGame, config: &CodeConfig) -> Result<Code, CompileError> {
    let circuit = &game.min_gates().circuit;
    let guards = guards(game, &game.layout().assumptions());
    compile(circuit, &playout_sections(game.layout()), &guards, config)
}

/// Compiles code for single queries, with a configuration other than the game's own.
///
/// # Errors
/// As for [`Code::compile`].
pub fn for_states(game: &GroundGame, config: &CodeConfig) -> Result<Code, CompileError> {
    let circuit = &game.min_gates().circuit;
    let guards = guards(game, &game.layout().assumptions());
    compile(circuit, &state_sections(game.layout()), &guards, config)
}

/// Compiles code for random steps, with a configuration other than the game's own.
///
/// # Errors
/// As for [`Code::compile`].
pub(super) fn for_steps(
    circuit: &Circuit,
    layout: &StepLayout,
    config: &CodeConfig,
) -> Result<Code, CompileError> {
    compile(circuit, &layout.sections(), &Guards::default(), config)
}

fn compile(
    circuit: &Circuit,
    sections: &[Section],
    guards: &Guards,
    config: &CodeConfig,
) -> Result<Code, CompileError> {
    let code = Code::compile(circuit, sections, guards, config)?;
    tracing::debug!(
        bytes = code.bytes(),
        functions = code.functions(),
        time = ?code.time(),
        "compiled"
    );
    Ok(code)
}

/// Returns the guards of parts of the code, under the assumptions that its circuit was made with.
pub(crate) fn guards(game: &GroundGame, assumptions: &Assumptions) -> Guards {
    let periodic = game.phases().bases().iter();
    Guards {
        inputs: periodic.map(|&base| InputId(base as u32)).collect(),
        implies: assumptions.implies.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::load::Game;
    use crate::game::vocabulary::moves::RoleId;

    /// Creates a game of one move, which gives `some` or 100 to a role.
    fn game(role: &str, some: i32) -> Game {
        let rules = format!(
            "(role {role}) (init (at start)) (legal {role} stay) (legal {role} go)
             (<= (next (at end)) (true (at start)))
             (<= (next (at goal)) (true (at start)) (does {role} go))
             (<= terminal (true (at end)))
             (<= (goal {role} 100) (true (at goal)))
             (<= (goal {role} {some}) (not (true (at goal))))"
        );
        Game::from_text("test.kif", &rules, &Default::default()).unwrap()
    }

    /// Returns the keys of all purposes that depend on more than the circuit.
    fn keys(game: &Game) -> Vec<CacheKey> {
        let ground = game.ground_game().unwrap();
        let target = Target {
            role: RoleId(0),
            value: 50,
        };
        let purposes = [
            Purpose::decisive(ground.layout(), None),
            Purpose::reasons(ground.layout(), 0, target),
        ];
        let key = |purpose: Purpose| purpose.key(ground, &CodeConfig::best()).unwrap();
        purposes.map(key).to_vec()
    }

    /// Games with different goal values or a role that plays at random may have equal circuits, but
    /// differ in targets and decisive moves.
    #[test]
    fn keys_depend_on_goal_values_and_chance() {
        let usual = keys(&game("r", 0));
        assert_eq!(keys(&game("q", 0)), usual);
        for other in [game("r", 50), game("random", 0)] {
            let ground = other.ground_game().unwrap();
            let circuit = game("r", 0).ground_game().unwrap().lowered().fingerprint();
            assert_eq!(ground.lowered().fingerprint(), circuit);
            let keys = keys(&other);
            assert!(keys.iter().zip(&usual).all(|(a, b)| a != b));
        }
    }
}
