//! What there is to gain from a root.

use std::time::{Duration, Instant};

use propjit_jit::assumptions::Assumptions;
use propjit_jit::circuit::Circuit;
use propjit_jit::code::{Code, CompileError};
use propjit_jit::evaluator::Engine;
use propjit_jit::lanes::LaneProgram;
use propjit_jit::passes::{PassConfig, fold, optimize};

use super::Darkened;
use crate::analysis::ternary::Fixpoint;
use crate::machine::compiled::{guards, playout_sections};
use crate::machine::step_cost::choice_gates;
use crate::machine::{GroundGame, State, ValidEngine, Validity};

/// How long passes may take for each gate: they cost several times what machine code does, and
/// after folding a smallest circuit, they find less than a tenth.
const PASSES: Duration = Duration::from_micros(5);

/// A root, what is dark from there on, and the circuit that is left.
pub struct Specialisation {
    root: State,
    /// The circuit's inputs, as far as they are always the same.
    inputs: Vec<Option<bool>>,
    circuit: Circuit,
    time: Duration,
}

impl Specialisation {
    /// What is dark from a root on, for a game whose bounds the fixpoint has. The root is
    /// explored in the first lane.
    pub fn new(game: &GroundGame, fixpoint: &mut Fixpoint, root: &State) -> Specialisation {
        let start = Instant::now();
        fixpoint.explore([root]);
        let inputs = fixpoint.inputs(0);
        let circuit = fold(&game.min_gates().circuit, &inputs);
        Specialisation {
            root: root.clone(),
            inputs,
            circuit,
            time: start.elapsed(),
        }
    }

    /// How many base propositions are dark.
    pub fn dark_bases(&self, game: &GroundGame) -> usize {
        let bases = game.layout().bases.clone();
        self.inputs[bases].iter().flatten().count()
    }

    /// How many moves are dark: never legal again, or the only ones that are.
    pub fn dark_moves(&self, game: &GroundGame) -> usize {
        let moves = game.layout().bases.end..;
        self.inputs[moves].iter().flatten().count()
    }

    /// How many gates are left, before they are made fewer.
    pub fn gates(&self) -> usize {
        self.circuit.gates()
    }

    /// About what a step of a playout costs, in gates.
    pub fn work(&self, game: &GroundGame) -> f64 {
        let moves = self.inputs.len() - game.layout().bases.len() - self.dark_moves(game);
        work(game, self.gates(), moves)
    }

    /// How long it took to find out.
    pub fn time(&self) -> Duration {
        self.time
    }

    /// The engine for what is left, in machine code. Passes take at most `passes`, and less
    /// for small circuits.
    ///
    /// # Errors
    /// As for [`Code::compile`].
    pub fn compile(self, game: &GroundGame, passes: Duration) -> Result<Darkened, CompileError> {
        self.build(game, passes, |circuit, assumptions| {
            let guards = guards(game, assumptions);
            let sections = playout_sections(game.layout());
            let code = Code::compile(circuit, &sections, &guards, &game.code_options().config)?;
            Ok(Engine::Code(code.into()))
        })
    }

    /// The engine for what is left, interpreted, as wide as machine code; otherwise as
    /// [`compile`](Specialisation::compile).
    pub fn interpret(self, game: &GroundGame, passes: Duration) -> Darkened {
        let width = game.code_options().config.width;
        let built = self.build::<std::convert::Infallible>(game, passes, |circuit, _| {
            let program = LaneProgram::new(circuit, &playout_sections(game.layout()));
            Ok(Engine::Interpreter(program.into(), width))
        });
        match built {
            Ok(darkened) => darkened,
        }
    }

    fn build<E>(
        self,
        game: &GroundGame,
        passes: Duration,
        engine: impl FnOnce(&Circuit, &Assumptions) -> Result<Engine, E>,
    ) -> Result<Darkened, E> {
        let start = Instant::now();
        let assumptions = self.assumptions(game);
        let config = PassConfig::default()
            .with_rounds(1)
            .with_budget(passes.min(PASSES * self.gates() as u32));
        let (circuit, _) = optimize(&self.circuit, &assumptions, &config);
        let engine = engine(&circuit, &assumptions)?;
        let validity = Validity::new(&self.inputs[game.layout().bases.clone()]);
        Ok(Darkened {
            work: self.work(game),
            engine: ValidEngine::new(engine, validity),
            gates: circuit.gates(),
            analysis: self.time,
            making: start.elapsed(),
            root: self.root,
        })
    }

    /// What rulesheets promise about the moves that are left.
    fn assumptions(&self, game: &GroundGame) -> Assumptions {
        let mut assumptions = game.layout().assumptions();
        for group in &mut assumptions.exactly_one {
            group.retain(|input| self.inputs[input.index()].is_none());
        }
        assumptions.exactly_one.retain(|group| !group.is_empty());
        assumptions
            .implies
            .retain(|(input, _)| self.inputs[input.index()].is_none());
        assumptions
    }
}

/// About what a step costs with the whole circuit, in gates.
pub(super) fn whole_work(game: &GroundGame) -> f64 {
    let layout = game.layout();
    let moves = layout.inputs() - layout.bases.len();
    work(game, game.min_gates().circuit.gates(), moves)
}

fn work(game: &GroundGame, gates: usize, moves: usize) -> f64 {
    (gates + choice_gates(moves, game.roles().len())).max(1) as f64
}
