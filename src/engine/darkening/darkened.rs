//! An engine for the states that follow from a root.

use std::convert::Infallible;
use std::time::{Duration, Instant};

use propjit_jit::assumptions::Assumptions;
use propjit_jit::circuit::Circuit;
use propjit_jit::code::{Code, CompileError};
use propjit_jit::evaluator::Engine;
use propjit_jit::lanes::LaneProgram;

use crate::darkening::Specialisation;
use crate::engine::compile::guards;
use crate::engine::programs::Programs;
use crate::engine::valid_engine::ValidEngine;
use crate::engine::validity::Validity;
use crate::ground::sections::playout_sections;
use crate::state::State;

/// An engine that evaluates a [`Specialisation`].
#[derive(Clone, Debug)]
pub struct Darkened {
    /// The root.
    pub root: State,
    /// The engine. It is valid for all states that agree with the root in what is dark.
    pub engine: ValidEngine,
    /// The number of its gates.
    pub gates: usize,
    /// How long it took to find what is dark.
    pub analysis: Duration,
    /// How long passes and code took together.
    pub making: Duration,
    /// About what a step of a playout costs, in gates.
    pub(super) work: f64,
}

impl Darkened {
    /// Machine code for what is left. Passes take at most `passes`, and less for small
    /// circuits.
    ///
    /// # Errors
    /// As for [`Code::compile`].
    pub fn compile(
        specialisation: &Specialisation,
        programs: &Programs,
        passes: Duration,
    ) -> Result<Darkened, CompileError> {
        let (game, config) = (programs.game(), &programs.options().config);
        Darkened::build(specialisation, programs, passes, |circuit, assumptions| {
            let guards = guards(game, assumptions);
            let sections = playout_sections(game.layout());
            let code = Code::compile(circuit, &sections, &guards, config)?;
            Ok(Engine::Code(code.into()))
        })
    }

    /// An interpreter for what is left, as wide as machine code; otherwise as
    /// [`compile`](Darkened::compile).
    pub fn interpret(
        specialisation: &Specialisation,
        programs: &Programs,
        passes: Duration,
    ) -> Darkened {
        let (game, width) = (programs.game(), programs.options().config.width);
        let engine = |circuit: &Circuit, _: &Assumptions| {
            let program = LaneProgram::new(circuit, &playout_sections(game.layout()));
            Ok::<_, Infallible>(Engine::Interpreter(program.into(), width))
        };
        match Darkened::build(specialisation, programs, passes, engine) {
            Ok(darkened) => darkened,
        }
    }

    fn build<E>(
        specialisation: &Specialisation,
        programs: &Programs,
        passes: Duration,
        engine: impl FnOnce(&Circuit, &Assumptions) -> Result<Engine, E>,
    ) -> Result<Darkened, E> {
        let start = Instant::now();
        let game = programs.game();
        let assumptions = specialisation.assumptions(game);
        let circuit = specialisation.optimise(&assumptions, passes);
        let engine = engine(&circuit, &assumptions)?;
        let validity = Validity::new(specialisation.bases(game));
        Ok(Darkened {
            root: specialisation.root().clone(),
            engine: ValidEngine::new(engine, validity),
            gates: circuit.gates(),
            analysis: specialisation.time(),
            making: start.elapsed(),
            work: specialisation.work(game),
        })
    }
}
