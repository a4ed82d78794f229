//! Ternary analysis: the wires that can never change again, whatever is played from a state on.
//!
//! A state is bounded by the possible values of each base proposition. From a root, which bounds
//! itself exactly, the bounds of all states that may follow are found by a fixpoint iteration,
//! until they do not widen any more: every move that may be legal may be played, the circuit's
//! [bounds](propjit_jit::ternary) give the possible next states, and these widen the bounds. A
//! proposition with bounds that still agree then keeps its value permanently. So do all wires that
//! depend only on such propositions: they are *dark*.
//!
//! Besides, a role makes exactly one move: the only one that it may ever have is made; and
//! nothing follows from a state that must be terminal, or in which a role must be stuck.
//!
//! Bounds are the same for all states within them, not only for those that can be reached:
//! the results hold in every state that agrees with the root in the dark propositions.
//!
//! All of this is computed in lanes, with a root in each.

use std::fmt;
use std::sync::Arc;

use propjit_jit::circuit::{Circuit, OutputId};
use propjit_jit::evaluator::{Engine, LaneEvaluator};
use propjit_jit::lanes::transpose::{column_words, to_rows};
use propjit_jit::lanes::{LaneProgram, Width};
use propjit_jit::ternary::dual_rail;

use crate::game::ground::GroundGame;
use crate::game::ground::sections::playout_sections;
use crate::game::ground::sections::section;
use crate::game::vocabulary::lane_mask::LaneMask;
use crate::game::vocabulary::moves::RoleId;
use crate::game::vocabulary::state::State;

/// The circuit of a game's bounds, for any number of [`Fixpoint`]s.
#[derive(Clone, Debug)]
pub struct TernaryCircuit(Arc<LaneProgram>);

impl TernaryCircuit {
    /// Creates the bounds of a game with this circuit, which has the game's layout. It may have
    /// further outputs, which depend on the state alone.
    pub fn new(game: &GroundGame, circuit: &Circuit) -> TernaryCircuit {
        let outputs = circuit.outputs().len() as u32;
        let mut sections = playout_sections(game.layout());
        let further = (game.layout().outputs as u32..outputs).map(OutputId);
        sections[section::STATE].outputs.extend(further);
        for section in &mut sections {
            let must = section.outputs.clone().into_iter();
            (section.outputs).extend(must.map(|output| OutputId(output.0 + outputs)));
        }
        TernaryCircuit(Arc::new(LaneProgram::new(&dual_rail(circuit), &sections)))
    }
}

/// Finds what can never change again from states on, as many at a time as there are lanes.
pub struct Fixpoint {
    game: Arc<GroundGame>,
    evaluator: LaneEvaluator,
    /// The number of lanes that are filled.
    filled: usize,
    /// The number of the circuit's outputs: those for "must" come after those for "may".
    outputs: usize,
    /// The lanes in which a state follows.
    alive: LaneMask,
    /// Packed states, one after the other.
    columns: Vec<u64>,
}

/// The values that a wire may have, in all lanes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct WireBounds {
    /// The lanes in which it may be true.
    pub may: LaneMask,
    /// The lanes in which it is true for ever.
    pub must: LaneMask,
}

impl fmt::Debug for Fixpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Fixpoint")
            .field("filled", &self.filled)
            .finish_non_exhaustive()
    }
}

impl Fixpoint {
    /// Creates a fixpoint without states. The circuit is that of the game.
    pub fn new(game: Arc<GroundGame>, bounds: &TernaryCircuit, width: Width) -> Fixpoint {
        let engine = Engine::Interpreter(bounds.0.clone(), width);
        Fixpoint {
            evaluator: LaneEvaluator::new(engine),
            filled: 0,
            outputs: bounds.0.outputs() / 2,
            alive: LaneMask::default(),
            columns: Vec::new(),
            game,
        }
    }

    /// Returns the maximum number of states.
    pub fn lanes(&self) -> usize {
        self.evaluator.width().lanes()
    }

    /// Finds the bounds of these states, each in a lane, in their order. Returns the number of
    /// steps until nothing changed.
    ///
    /// # Panics
    /// If there are more states than lanes.
    pub fn explore<'a>(&mut self, roots: impl IntoIterator<Item = &'a State>) -> usize {
        let words = column_words(self.game.layout().bases.len()).max(1);
        self.columns.clear();
        for root in roots {
            let end = self.columns.len() + words;
            self.columns.extend_from_slice(root.words());
            self.columns.resize(end, 0);
        }
        self.enter();
        self.widen_all(|_| {})
    }

    /// Does the same as [`explore`](Fixpoint::explore) for packed states, which are given one after
    /// the other. Calls `seen` after each step, including the first one, which has the states
    /// themselves.
    pub fn explore_packed(&mut self, roots: &[u64], seen: impl FnMut(&Fixpoint)) -> usize {
        self.columns.clear();
        self.columns.extend_from_slice(roots);
        self.enter();
        self.widen_all(seen)
    }

    /// Widens the bounds until nothing changes. Returns the number of steps.
    fn widen_all(&mut self, mut seen: impl FnMut(&Fixpoint)) -> usize {
        let mut steps = 0;
        loop {
            self.evaluator.evaluate(section::STATE);
            seen(self);
            self.move_all();
            self.evaluator.evaluate(section::NEXT);
            if !self.widen() {
                break;
            }
            steps += 1;
        }
        self.evaluator.evaluate(section::GOALS);
        steps
    }

    /// Sets the bounds to the states themselves.
    fn enter(&mut self) {
        let width = self.evaluator.width();
        let bases = self.game.layout().bases.clone();
        let inputs = self.game.layout().inputs();
        let words = column_words(bases.len()).max(1);
        self.filled = self.columns.len() / words;
        for rows in [bases.clone(), bases.start + inputs..bases.end + inputs] {
            to_rows(width, &self.columns, self.evaluator.inputs_mut(rows));
        }
    }

    /// Makes all moves that may be legal, in the lanes where a state follows.
    fn move_all(&mut self) {
        let layout = self.game.layout();
        let (width, inputs) = (self.evaluator.width(), layout.inputs());
        let words = width.words();
        let terminal = self.evaluator.output(self.outputs + layout.terminal);
        self.alive = self.filled().and_not(LaneMask::from_words(terminal));
        let choices: Vec<(LaneMask, LaneMask)> = (layout.legal.iter())
            .map(|legal| {
                let rows = self.evaluator.outputs(legal.clone());
                LaneMask::some_and_several(width, width.lanes(), rows)
            })
            .collect();
        for (some, _) in &choices {
            self.alive = self.alive.and(*some);
        }
        for ((legal, does), (_, several)) in layout.legal.iter().zip(&layout.does).zip(choices) {
            let forced = self.alive.and_not(several);
            for (inputs, lanes) in [
                (does.clone(), self.alive),
                (does.start + inputs..does.end + inputs, forced),
            ] {
                let (legal, does) = self.evaluator.outputs_and_inputs_mut(legal.clone(), inputs);
                for (does, legal) in does.chunks_exact_mut(words).zip(legal.chunks_exact(words)) {
                    let made = does.iter_mut().zip(legal).zip(lanes.words(width));
                    made.for_each(|((does, legal), lanes)| *does = legal & lanes);
                }
            }
        }
    }

    /// Widens the bounds by those of the next states. Returns whether that changes any.
    fn widen(&mut self) -> bool {
        let layout = self.game.layout();
        let (width, inputs) = (self.evaluator.width(), layout.inputs());
        let (bases, next) = (layout.bases.clone(), layout.next.clone());
        let (alive, outputs) = (self.alive.words(width), self.outputs);
        let mut changed = 0;
        let mut widen = |outputs, inputs, wider: fn(u64, u64, u64) -> u64| {
            let (after, before) = self.evaluator.outputs_and_inputs_mut(outputs, inputs);
            let next = after.iter().zip(alive.iter().cycle());
            for (bound, (&next, &alive)) in before.iter_mut().zip(next) {
                let wider = wider(*bound, next, alive);
                changed |= wider ^ *bound;
                *bound = wider;
            }
        };
        widen(next.clone(), bases.clone(), |may, next, alive| {
            may | next & alive
        });
        widen(
            next.start + outputs..next.end + outputs,
            bases.start + inputs..bases.end + inputs,
            |must, next, alive| must & (next | !alive),
        );
        changed != 0
    }

    /// Returns the lanes that are filled.
    pub fn filled(&self) -> LaneMask {
        LaneMask::first(self.filled)
    }

    /// Returns the values of the circuit's inputs, which are the base propositions and the moves,
    /// in all states from the one in this lane on, if they are always the same.
    pub fn inputs(&self, lane: usize) -> Vec<Option<bool>> {
        let inputs = self.game.layout().inputs();
        (0..inputs)
            .map(|input| {
                let bit = |row: &[u64]| row[lane / 64] >> (lane % 64) & 1 == 1;
                let may = bit(self.evaluator.input(input));
                let must = bit(self.evaluator.input(inputs + input));
                (may == must).then_some(may)
            })
            .collect()
    }

    /// Returns the bounds of whether a state is terminal.
    pub fn terminal(&self) -> WireBounds {
        self.output(self.game.layout().terminal)
    }

    /// Returns the bounds of an output.
    pub fn output(&self, output: usize) -> WireBounds {
        WireBounds {
            may: LaneMask::from_words(self.evaluator.output(output)),
            must: LaneMask::from_words(self.evaluator.output(self.outputs + output)),
        }
    }

    /// Returns the bounds of a role's goal values, ascending.
    pub fn goals(&self, role: RoleId) -> impl Iterator<Item = WireBounds> {
        self.outputs(self.game.layout().goals[role.index()].clone())
    }

    /// Returns the bounds of the legality of a role's moves, in their order.
    pub fn legal(&self, role: RoleId) -> impl Iterator<Item = WireBounds> {
        self.outputs(self.game.layout().legal[role.index()].clone())
    }

    fn outputs(&self, range: std::ops::Range<usize>) -> impl Iterator<Item = WireBounds> {
        range.map(|output| self.output(output))
    }
}
