//! Specialisation: the circuit for the states that follow from a root.

use std::time::{Duration, Instant};

use propjit_jit::assumptions::Assumptions;
use propjit_jit::circuit::Circuit;
use propjit_jit::passes::{PassConfig, fold, optimize};

use super::ternary::Fixpoint;
use crate::game::ground::GroundGame;
use crate::game::ground::step_cost::choice_gates;
use crate::game::vocabulary::state::State;

/// The time that passes may take for each gate: they cost several times as much as machine code,
/// and find less than a tenth after folding a circuit that was optimised before.
const PASSES: Duration = Duration::from_micros(5);

/// A root, the parts that are dark from there on, and the circuit that is left.
#[derive(Debug)]
pub struct Specialisation {
    root: State,
    /// The values of the circuit's inputs that are always the same.
    inputs: Vec<Option<bool>>,
    circuit: Circuit,
    time: Duration,
}

impl Specialisation {
    /// Finds the parts of a circuit with the game's inputs and outputs that are dark from a root on, by a fixpoint with the
    /// bounds of the game. The root is explored in the first lane.
    pub fn new(circuit: &Circuit, fixpoint: &mut Fixpoint, root: &State) -> Specialisation {
        let start = Instant::now();
        fixpoint.explore([root]);
        let inputs = fixpoint.inputs(0);
        let circuit = fold(circuit, &inputs);
        Specialisation {
            root: root.clone(),
            inputs,
            circuit,
            time: start.elapsed(),
        }
    }

    /// Returns the root.
    pub fn root(&self) -> &State {
        &self.root
    }

    /// Returns the values of the base propositions that are the same in all states from the root
    /// on.
    pub fn bases(&self, game: &GroundGame) -> &[Option<bool>] {
        &self.inputs[game.layout().bases.clone()]
    }

    /// Returns the number of base propositions that are dark.
    pub fn dark_bases(&self, game: &GroundGame) -> usize {
        self.bases(game).iter().flatten().count()
    }

    /// Returns the number of moves that are dark: never legal again, or the only ones that are.
    pub fn dark_moves(&self, game: &GroundGame) -> usize {
        let moves = game.layout().bases.end..;
        self.inputs[moves].iter().flatten().count()
    }

    /// Returns the number of gates that are left, before optimisation.
    pub fn gates(&self) -> usize {
        self.circuit.gates()
    }

    /// Returns the approximate cost of a step of a playout, in gates.
    pub fn work(&self, game: &GroundGame) -> f64 {
        let moves = self.inputs.len() - game.layout().bases.len() - self.dark_moves(game);
        work(game, self.gates(), moves)
    }

    /// Returns the time that the darkness analysis took.
    pub fn time(&self) -> Duration {
        self.time
    }

    /// Returns the assumptions about the moves that are left.
    pub(crate) fn assumptions(&self, game: &GroundGame) -> Assumptions {
        game.layout().assumptions_about_unknown(&self.inputs)
    }

    /// Returns the circuit that is left, optimised. Passes take at most `passes`, and less for
    /// small circuits.
    pub(crate) fn optimise(&self, assumptions: &Assumptions, passes: Duration) -> Circuit {
        let config = PassConfig::default()
            .with_rounds(1)
            .with_budget(passes.min(PASSES * self.gates() as u32));
        optimize(&self.circuit, assumptions, &config).0
    }
}

/// Returns the approximate cost of a step with a whole circuit of the game, in gates.
pub(crate) fn whole_work(game: &GroundGame, circuit: &Circuit) -> f64 {
    let layout = game.layout();
    let moves = layout.inputs() - layout.bases.len();
    work(game, circuit.gates(), moves)
}

fn work(game: &GroundGame, gates: usize, moves: usize) -> f64 {
    (gates + choice_gates(moves, game.roles().len())).max(1) as f64
}
