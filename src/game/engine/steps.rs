//! Engines for random steps.

use std::sync::Arc;
use std::time::Instant;

use propjit_jit::circuit::Circuit;
use propjit_jit::code::{CodeConfig, CompileError};
use propjit_jit::evaluator::Engine;
use propjit_jit::lanes::{LaneProgram, Width};
use propjit_stop::Stop;

use super::compile::{Purpose, for_steps, obtain};
use super::programs::Programs;
use super::tiers::Tiers;
use crate::game::circuits::reasons::PhaseCircuit;
use crate::game::circuits::stepping::{StepLayout, step_circuit};
use crate::game::ground::GroundGame;
use crate::support::background::Background;

/// The minimum fraction of the cost of a step that the choice of moves must have for an engine for
/// random steps. Below that, there is little to gain, unless few gates are left in each phase: a part
/// for each phase makes code larger. Reversi, where it is 16%, plays 1.4 times as fast.
const MIN_CHOICE: f64 = 0.05;

/// The maximum fraction of a game's gates that is left in its phases, on average, which alone
/// justifies such an engine. In hex, where the choice of moves is 1% of the cost, it is two fifths,
/// and steps are four times as fast.
const MAX_IN_PHASE: f64 = 0.45;

/// An engine that evaluates a game's [random steps](crate::game::circuits::stepping).
#[derive(Clone, Debug)]
pub struct StepEngine {
    pub(crate) engine: Engine,
    pub(crate) layout: StepLayout,
}

impl StepEngine {
    /// Returns the number of lanes in a row.
    pub fn width(&self) -> Width {
        self.engine.width()
    }

    /// Creates an interpreter of rows of this width.
    pub fn interpreted(game: &GroundGame, width: Width) -> StepEngine {
        StepEngine::interpreted_of(game, &game.min_gates().circuit, width)
    }

    /// Creates the same for steps of a circuit with the game's inputs and outputs, which may have other legal
    /// moves.
    pub fn interpreted_of(game: &GroundGame, circuit: &Circuit, width: Width) -> StepEngine {
        let layout = StepLayout::new(game);
        let circuit = step_circuit(game, circuit, &layout);
        let program = LaneProgram::new(&circuit, &layout.sections());
        StepEngine {
            engine: Engine::Interpreter(Arc::new(program), width),
            layout,
        }
    }

    /// Returns machine code, from the cache or compiled.
    ///
    /// # Errors
    /// As for [`Code::compile`](propjit_jit::code::Code::compile).
    pub fn compiled(programs: &Programs) -> Result<StepEngine, CompileError> {
        let game = programs.game();
        let circuit = || Ok(&game.min_gates().circuit);
        StepEngine::obtain(programs, Purpose::steps, circuit)
    }

    /// Returns machine code for a purpose, for steps of a circuit with the game's inputs and
    /// outputs.
    pub(super) fn obtain<'a, E: From<CompileError>>(
        programs: &Programs,
        purpose: impl FnOnce(&StepLayout) -> Purpose,
        circuit: impl FnOnce() -> Result<&'a Circuit, E>,
    ) -> Result<StepEngine, E> {
        let game = programs.game();
        let layout = StepLayout::new(game);
        let circuit = || Ok::<_, E>(step_circuit(game, circuit()?, &layout));
        let code = obtain(game, programs.options(), &purpose(&layout), circuit)?;
        Ok(StepEngine {
            engine: Engine::Code(Arc::new(code)),
            layout,
        })
    }
}

/// The circuit of a game's [random steps](crate::game::circuits::stepping), from which engines are made with any
/// configuration.
#[derive(Clone, Debug)]
pub struct StepCircuit {
    circuit: Arc<Circuit>,
    layout: StepLayout,
}

impl StepCircuit {
    /// Returns the circuit, in games that benefit from it; `None` in others.
    pub fn of(game: &GroundGame) -> Option<StepCircuit> {
        pays(game).then(|| StepCircuit::new(game, &game.min_gates().circuit))
    }

    /// Returns the circuit for steps of a circuit with the game's inputs and outputs.
    pub(super) fn new(game: &GroundGame, circuit: &Circuit) -> StepCircuit {
        let layout = StepLayout::new(game);
        let circuit = Arc::new(step_circuit(game, circuit, &layout));
        StepCircuit { circuit, layout }
    }

    /// Compiles machine code with this configuration.
    ///
    /// # Errors
    /// As for [`Code::compile`](propjit_jit::code::Code::compile).
    pub fn compile(&self, config: &CodeConfig) -> Result<StepEngine, CompileError> {
        let code = for_steps(&self.circuit, &self.layout, config)?;
        Ok(StepEngine {
            engine: Engine::Code(Arc::new(code)),
            layout: self.layout.clone(),
        })
    }
}

/// Returns whether an engine for random steps is beneficial.
fn pays(game: &GroundGame) -> bool {
    let cost = game.cost();
    cost.choice >= MIN_CHOICE * cost.step || part_in_phases(game) <= MAX_IN_PHASE
}

/// Returns the fraction of a game's gates that is left in its phases, on average.
fn part_in_phases(game: &GroundGame) -> f64 {
    let (circuit, layout, period) = (game.lowered(), game.layout(), game.phases().period());
    let gates = (0..period).map(|phase| {
        let constants = game.phase_constants().of(phase);
        let of_phase = PhaseCircuit::of(circuit, layout, phase, constants);
        of_phase.circuit().gates()
    });
    let part = gates.sum::<usize>() as f64 / (period * circuit.gates().max(1)) as f64;
    tracing::debug!(part, "gates remaining per phase");
    part
}

/// A [`StepEngine`] of a game, which is made in the background after the best engine for the
/// whole circuit, if it pays off. Clones share it.
#[derive(Clone, Debug)]
pub(crate) struct Steps(Background<Option<Arc<StepEngine>>>);

impl Steps {
    /// Starts to make it, once the engines for the whole circuit are made.
    pub(super) fn start(programs: &Arc<Programs>, tiers: &Tiers) -> Steps {
        let (programs, tiers) = (programs.clone(), tiers.clone());
        Steps::start_making(programs.game().clone(), move || {
            tiers.wait();
            let made = StepEngine::compiled(&programs);
            if let Err(error) = &made {
                tracing::debug!(%error, "moves are selected outside the circuit");
            }
            made.ok()
        })
    }

    /// Starts to make it in this way, if it pays off.
    pub(super) fn start_making(
        game: Arc<GroundGame>,
        make: impl FnOnce() -> Option<StepEngine> + Send + 'static,
    ) -> Steps {
        let make = move || {
            if !pays(&game) {
                return None;
            }
            let start = Instant::now();
            let made = make();
            tracing::debug!(time = ?start.elapsed(), found = made.is_some(), "the engine for steps");
            made.map(Arc::new)
        };
        Steps(Background::start("steps", || None, make))
    }

    /// Returns the engine, if there is one and it is ready.
    pub(crate) fn get(&self) -> Option<&Arc<StepEngine>> {
        self.0.get()?.as_ref()
    }

    /// Waits until it is known whether there is such an engine.
    pub(super) fn wait(&self) {
        self.0.wait();
    }

    /// Does the same, or until stopped. Returns whether it is known.
    pub(super) fn wait_or_stop(&self, stop: &Stop) -> bool {
        self.0.wait_or_stop(stop).is_some()
    }
}
