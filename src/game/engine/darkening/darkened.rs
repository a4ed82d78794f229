//! Engines for the states that follow from a root.

use std::time::{Duration, Instant};

use propjit_jit::code::{Code, CompileError};
use propjit_jit::evaluator::Engine;

use crate::game::circuits::darkening::Specialisation;
use crate::game::engine::compile::guards;
use crate::game::engine::programs::Programs;
use crate::game::engine::valid_engine::ValidEngine;
use crate::game::engine::validity::Validity;
use crate::game::ground::sections::playout_sections;
use crate::game::vocabulary::state::State;

/// An engine that evaluates a [`Specialisation`].
#[derive(Clone, Debug)]
pub struct Darkened {
    /// The root.
    pub root: State,
    /// The engine. It is valid for all states that agree with the root in all dark propositions.
    pub engine: ValidEngine,
    /// The number of its gates.
    pub gates: usize,
    /// The time that the darkness analysis took.
    pub analysis: Duration,
    /// The time that passes and code generation took together.
    pub making: Duration,
    /// The approximate cost of a step of a playout, in gates.
    pub(super) work: f64,
}

impl Darkened {
    /// Compiles machine code for the circuit that is left. Passes take at most `passes`, and less
    /// for small circuits.
    ///
    /// # Errors
    /// As for [`Code::compile`].
    pub fn compile(
        specialisation: &Specialisation,
        programs: &Programs,
        passes: Duration,
    ) -> Result<Darkened, CompileError> {
        let start = Instant::now();
        let game = programs.game();
        let config = programs.options().config_for("darkened");
        let assumptions = specialisation.assumptions(game);
        let circuit = specialisation.optimise(&assumptions, passes);
        let guards = guards(game, &assumptions);
        let sections = playout_sections(game.layout());
        let code = Code::compile(&circuit, &sections, &guards, &config)?;
        let validity = Validity::new(specialisation.bases(game));
        Ok(Darkened {
            root: specialisation.root().clone(),
            engine: ValidEngine::new(Engine::Code(code.into()), validity),
            gates: circuit.gates(),
            analysis: specialisation.time(),
            making: start.elapsed(),
            work: specialisation.work(game),
        })
    }
}
