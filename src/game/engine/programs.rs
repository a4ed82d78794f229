//! Programs that evaluate the whole circuit of a game: interpreted ones, and machine code.

use std::cell::OnceCell;
use std::fmt;
use std::sync::{Arc, OnceLock};

use propjit_jit::code::{Code, CompileError};
use propjit_jit::evaluator::Engine;
use propjit_jit::lanes::LaneProgram;
use propjit_jit::scalar::ScalarInterpreter;
use propjit_stop::Stop;

use super::compile::{Purpose, obtain};
use super::options::CodeOptions;
use crate::game::circuits::reasons::{PhaseCircuit, PhaseLayout, Target};
use crate::game::ground::GroundGame;
use crate::game::ground::sections::playout_sections;

/// Shared machine code, or the reason why there is none.
type Compiled = Result<Arc<Code>, Arc<CompileError>>;

/// The programs of a game. Each is made when it is first requested, and then kept.
pub struct Programs {
    game: Arc<GroundGame>,
    options: CodeOptions,
    scalar: OnceLock<ScalarInterpreter>,
    unoptimised_scalar: OnceLock<ScalarInterpreter>,
    lanes: OnceLock<Arc<LaneProgram>>,
    playout_code: OnceLock<Compiled>,
    state_code: OnceLock<Compiled>,
}

impl Programs {
    /// Creates it without programs. Machine code will be made as the options say.
    pub(super) fn new(game: Arc<GroundGame>, options: CodeOptions) -> Programs {
        Programs {
            game,
            options,
            scalar: OnceLock::new(),
            unoptimised_scalar: OnceLock::new(),
            lanes: OnceLock::new(),
            playout_code: OnceLock::new(),
            state_code: OnceLock::new(),
        }
    }

    /// Returns the game.
    pub fn game(&self) -> &Arc<GroundGame> {
        &self.game
    }

    /// Returns the options for machine code.
    pub fn options(&self) -> &CodeOptions {
        &self.options
    }

    /// Returns a scalar interpreter of the circuit with [low activity](GroundGame::low_activity).
    pub fn scalar(&self) -> ScalarInterpreter {
        let make = || ScalarInterpreter::new(&self.game.low_activity().circuit);
        self.scalar.get_or_init(make).clone()
    }

    /// Returns a scalar interpreter of the circuit before any pass: slower, but ready sooner.
    pub fn unoptimised_scalar(&self) -> ScalarInterpreter {
        let make = || ScalarInterpreter::new(self.game.lowered());
        self.unoptimised_scalar.get_or_init(make).clone()
    }

    /// Returns the circuit with the [fewest gates](GroundGame::min_gates) as a program for the
    /// lanes interpreter, in the sections of playouts.
    pub fn lane_program(&self) -> Arc<LaneProgram> {
        let make = || {
            let sections = playout_sections(self.game.layout());
            Arc::new(LaneProgram::new(&self.game.min_gates().circuit, &sections))
        };
        self.lanes.get_or_init(make).clone()
    }

    /// Returns the [lane program](Programs::lane_program), interpreted at the width that suits it
    /// best.
    pub fn interpreter(&self) -> Engine {
        let program = self.lane_program();
        let width = program.best_width();
        Engine::Interpreter(program, width)
    }

    /// Returns the lane program, interpreted at the width of machine code.
    pub(super) fn interpreter_as_wide_as_code(&self) -> Engine {
        Engine::Interpreter(self.lane_program(), self.options.config.width)
    }

    /// Returns the circuit before any pass, interpreted at the width of machine code: slower, but
    /// ready sooner. It is created anew on each call.
    pub(super) fn unoptimised_interpreter(&self) -> Engine {
        let made = self.unoptimised_interpreter_until(&Stop::new());
        made.expect("nobody stops it")
    }

    /// Returns the same; none if stopped before it is made.
    pub(super) fn unoptimised_interpreter_until(&self, stop: &Stop) -> Option<Engine> {
        let sections = playout_sections(self.game.layout());
        let program = LaneProgram::unless(self.game.lowered(), &sections, stop)?;
        let width = self.options.config.width;
        Some(Engine::Interpreter(Arc::new(program), width))
    }

    /// Returns the circuit with the fewest gates as machine code, in the sections of playouts.
    ///
    /// # Errors
    /// When it can be neither loaded nor compiled.
    pub fn playout_code(&self) -> Compiled {
        let purpose = || Purpose::playouts(self.game.layout());
        self.get_or_obtain(&self.playout_code, purpose)
    }

    /// Returns the circuit with the fewest gates as machine code, in the sections of
    /// [single queries](crate::game::ground::sections::alone).
    ///
    /// # Errors
    /// When it can be neither loaded nor compiled.
    pub fn state_code(&self) -> Compiled {
        let purpose = || Purpose::states(self.game.layout());
        self.get_or_obtain(&self.state_code, purpose)
    }

    /// Returns why there is no machine code of the whole circuit, if it was requested and could not be made;
    /// cancellation, when no caller waits for it any more, is not reported.
    pub fn not_compiled(&self) -> Option<&CompileError> {
        let made = [&self.state_code, &self.playout_code];
        let mut errors = made
            .into_iter()
            .filter_map(|cell| cell.get()?.as_ref().err());
        let error = errors.find(|error| !matches!(***error, CompileError::Stopped))?;
        Some(error)
    }

    /// Returns a program for the circuit of a phase with the reasons for a target: machine code, or
    /// else interpreted. It is not kept, and takes a while unless it comes from the cache; none if
    /// stopped before, or if the machine code is stopped.
    pub fn reasons(&self, circuit: &PhaseCircuit, target: Target, stop: &Stop) -> Option<Engine> {
        let (game, options) = (&self.game, &self.options);
        let purpose = Purpose::reasons(game.layout(), circuit.phase(), target);
        let with_reasons = OnceCell::new();
        let make = || {
            let circuit = with_reasons.get_or_init(|| circuit.with_reasons(game, target, stop));
            circuit.as_ref().ok_or(CompileError::Stopped)
        };
        match obtain(game, options, &purpose, make) {
            Ok(code) => Some(Engine::Code(Arc::new(code))),
            Err(CompileError::Stopped) => None,
            Err(error) => {
                tracing::debug!(%error, "reasons are interpreted");
                let sections = PhaseLayout::new(game.layout()).sections();
                let program = LaneProgram::new(make().ok()?, &sections);
                let width = options.config.width;
                Some(Engine::Interpreter(Arc::new(program), width))
            }
        }
    }

    fn get_or_obtain(
        &self,
        cell: &OnceLock<Compiled>,
        purpose: impl FnOnce() -> Purpose,
    ) -> Compiled {
        let make = || {
            let circuit = || Ok::<_, CompileError>(&self.game.min_gates().circuit);
            obtain(&self.game, &self.options, &purpose(), circuit)
        };
        let compiled = cell.get_or_init(|| make().map(Arc::new).map_err(Arc::new));
        compiled.clone()
    }
}

impl fmt::Debug for Programs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Programs")
            .field("options", &self.options)
            .finish_non_exhaustive()
    }
}
