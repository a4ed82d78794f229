//! The contenders of a comparison, and their preparation.

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use propjit_jit::code::{CodeConfig, CompileError, Generator};
use propjit_jit::evaluator::Engine;
use propjit_jit::lanes::Width;

use super::code_figures::{CodeFigures, CodeSize};
use crate::game::engine::compile::{for_playouts, for_states};
use crate::game::engine::{StepCircuit, StepEngine};
use crate::game::ground::GroundGame;
use crate::game::load::Game;
use crate::game::machine::broadcast::BroadcastEvaluator;
use crate::game::machine::circuit::CircuitMachine;
use crate::game::machine::compiled::CompiledMachine;
use crate::game::machine::lanes::LanesMachine;
use crate::game::machine::{Backend, MachineError, StateMachine};

/// A way to evaluate games.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Contender {
    /// A backend without machine code.
    Backend(Backend),
    /// Machine code for rows of this width.
    Code(Generator, Width),
}

impl Contender {
    /// The prover, the interpreters, and the machine code of all generators and widths,
    /// which not every CPU can run.
    pub fn all() -> impl Iterator<Item = Contender> {
        let interpreters = [Backend::Prover, Backend::Scalar, Backend::Lanes];
        let code = Generator::ALL.into_iter().flat_map(|generator| {
            let widths = generator.widths().iter();
            widths.map(move |&width| Contender::Code(generator, width))
        });
        interpreters.map(Contender::Backend).into_iter().chain(code)
    }
}

impl fmt::Display for Contender {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Contender::Backend(backend) => backend.fmt(f),
            Contender::Code(generator, width) => {
                write!(f, "{} {}", generator.name(), width.lanes())
            }
        }
    }
}

/// A contender that can play.
pub(super) struct Ready {
    /// The machine for single questions.
    pub machine: Box<dyn StateMachine>,
    /// The machine with the code for playouts, if that is another.
    pub playing_machine: Option<Box<dyn StateMachine>>,
    /// The engine or backend that plays at random.
    pub playing: Playing,
    /// How long it took to make it ready.
    pub setup: Duration,
    /// Its machine code.
    pub code: Option<CodeFigures>,
}

/// The engine or backend that plays at random.
pub(super) enum Playing {
    Backend(Backend),
    Engine {
        game: Arc<GroundGame>,
        engine: Engine,
        /// The engine for random steps, where these pay.
        steps: Option<StepEngine>,
    },
}

impl Ready {
    pub(super) fn new(game: &Game, contender: &Contender) -> Result<Ready, MachineError> {
        match *contender {
            Contender::Backend(backend) => Ready::backend(game, backend),
            Contender::Code(generator, width) => {
                Ready::compiled(game, &CodeConfig::new(generator, width))
            }
        }
    }

    fn backend(game: &Game, backend: Backend) -> Result<Ready, MachineError> {
        // Backends share circuits, yet each is charged for its own.
        let circuit = game.circuit(backend);
        let passes = circuit.map_or(Duration::ZERO, |circuit| circuit.time);
        let start = Instant::now();
        Ok(Ready {
            machine: game.machine(backend)?,
            playing_machine: None,
            playing: Playing::Backend(backend),
            setup: passes + start.elapsed(),
            code: None,
        })
    }

    fn compiled(game: &Game, config: &CodeConfig) -> Result<Ready, MachineError> {
        let backend = Backend::Compiled;
        let ground = game.ground_game();
        let ground = ground.ok_or(MachineError::NotGround { backend })?;
        let failed = |error: CompileError| MachineError::Compile(Arc::new(error));
        let passes = ground.min_gates().time;
        let start = Instant::now();
        let states = Arc::new(for_states(ground, config).map_err(failed)?);
        let playouts = Arc::new(for_playouts(ground, config).map_err(failed)?);
        // Matches are played while code for random steps is made: that is no part of it.
        let setup = passes + start.elapsed();
        let steps = StepCircuit::of(ground).map(|steps| steps.compile(config));
        let steps = steps.transpose().map_err(failed)?;
        let code = CodeFigures {
            playouts: CodeSize::of(&playouts),
            states: CodeSize::of(&states),
        };
        let states = BroadcastEvaluator::with(ground.clone(), Engine::Code(states));
        let engine = Engine::Code(playouts);
        let playing = BroadcastEvaluator::with(ground.clone(), engine.clone());
        let machine: CompiledMachine = CircuitMachine::with(ground.clone(), states);
        // The lanes interpreter's sections are those of playouts.
        let playing: LanesMachine = CircuitMachine::with(ground.clone(), playing);
        Ok(Ready {
            machine: Box::new(machine),
            playing_machine: Some(Box::new(playing)),
            playing: Playing::Engine {
                game: ground.clone(),
                engine,
                steps,
            },
            setup,
            code: Some(code),
        })
    }
}
