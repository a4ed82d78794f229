//! The circuit specialised for a root.

use std::time::{Duration, Instant};

use propjit_jit::assumptions::Assumptions;
use propjit_jit::circuit::Circuit;
use propjit_jit::passes::{PassConfig, fold, optimize};

use super::ternary::Fixpoint;
use crate::game::ground::GroundGame;
use crate::game::ground::step_cost::choice_gates;
use crate::game::vocabulary::state::State;

/// How long passes may take for each gate: they cost several times what machine code does, and
/// find less than a tenth after folding a circuit that was optimised before.
const PASSES: Duration = Duration::from_micros(5);

/// A root, what is dark from there on, and the circuit that is left.
#[derive(Debug)]
pub struct Specialisation {
    root: State,
    /// The circuit's inputs, as far as they are always the same.
    inputs: Vec<Option<bool>>,
    circuit: Circuit,
    time: Duration,
}

impl Specialisation {
    /// Finds what is dark from a root on, by a fixpoint with the bounds of the game. The root
    /// is explored in the first lane.
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

    /// The root.
    pub fn root(&self) -> &State {
        &self.root
    }

    /// What base propositions are in all states from the root on, as far as they are always
    /// the same.
    pub fn bases(&self, game: &GroundGame) -> &[Option<bool>] {
        &self.inputs[game.layout().bases.clone()]
    }

    /// The number of base propositions that are dark.
    pub fn dark_bases(&self, game: &GroundGame) -> usize {
        self.bases(game).iter().flatten().count()
    }

    /// The number of moves that are dark: never legal again, or the only ones that are.
    pub fn dark_moves(&self, game: &GroundGame) -> usize {
        let moves = game.layout().bases.end..;
        self.inputs[moves].iter().flatten().count()
    }

    /// The number of gates that are left, before they are made fewer.
    pub fn gates(&self) -> usize {
        self.circuit.gates()
    }

    /// About what a step of a playout costs, in gates.
    pub fn work(&self, game: &GroundGame) -> f64 {
        let moves = self.inputs.len() - game.layout().bases.len() - self.dark_moves(game);
        work(game, self.gates(), moves)
    }

    /// How long it took to find what is dark.
    pub fn time(&self) -> Duration {
        self.time
    }

    /// What rulesheets promise about the moves that are left.
    pub(crate) fn assumptions(&self, game: &GroundGame) -> Assumptions {
        game.layout().assumptions_about_unknown(&self.inputs)
    }

    /// The circuit that is left, optimised. Passes take at most `passes`, and less for small
    /// circuits.
    pub(crate) fn optimise(&self, assumptions: &Assumptions, passes: Duration) -> Circuit {
        let config = PassConfig::default()
            .with_rounds(1)
            .with_budget(passes.min(PASSES * self.gates() as u32));
        optimize(&self.circuit, assumptions, &config).0
    }
}

/// About what a step costs with the whole circuit, in gates.
pub(crate) fn whole_work(game: &GroundGame) -> f64 {
    let layout = game.layout();
    let moves = layout.inputs() - layout.bases.len();
    work(game, game.min_gates().circuit.gates(), moves)
}

fn work(game: &GroundGame, gates: usize, moves: usize) -> f64 {
    (gates + choice_gates(moves, game.roles().len())).max(1) as f64
}
