//! Estimates of how far states are from a goal, in lanes.
//!
//! The goal is taken apart into conditions that have to hold together. In the relaxed game, in which
//! everything that was once possible remains so, each condition has a first step at which it may hold; the
//! sum of these is the estimate ("additive heuristic": Bonet and Geffner, "Planning as heuristic search",
//! 2001, there over propositions; here over the [bounds](crate::game::circuits::darkening::ternary) of a
//! circuit). If the goal can never hold in the relaxed game, it never can.

use std::sync::Arc;

use propjit_jit::circuit::{Builder, Circuit, Edge, Node};
use propjit_jit::lanes::Width;

use crate::game::circuits::darkening::ternary::{Fixpoint, TernaryCircuit};
use crate::game::ground::GroundGame;
use crate::game::vocabulary::lane_mask::LaneMask;

use super::ROLE;

/// The most conditions that a goal is taken apart into.
const MAX_CONDITIONS: usize = 256;

/// The most gates of a circuit for which estimates are not too slow.
const MAX_GATES: usize = 50_000;

/// The cost of a condition that cannot hold any more.
const OUT_OF_REACH: u32 = 1000;

/// Estimates how far states are from a goal value.
pub(super) struct Estimator {
    game: Arc<GroundGame>,
    fixpoint: Fixpoint,
    /// The goal value.
    value: i32,
    /// For each condition, the lanes in which it may have held so far.
    held: Vec<LaneMask>,
    estimates: Vec<Estimate>,
}

/// How promising a state is; the less, the better.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Debug)]
pub(super) struct Estimate {
    /// The sum of the steps after which the goal's conditions may hold.
    pub(super) distance: u32,
    /// The number of moves that are legal there, and the number that may be legal later in the relaxed
    /// game, together: where conditions give no information, states in which much can still be done are
    /// promising.
    pub(super) freedom: u32,
}

impl Estimator {
    /// For a goal value of the role; `None` where estimates would take too long.
    pub(super) fn new(game: &Arc<GroundGame>, value: i32) -> Option<Estimator> {
        let circuit = game.lowered();
        if circuit.gates() > MAX_GATES {
            return None;
        }
        let goals = &game.propnet().roles[ROLE.index()].goals;
        let goal = goals.iter().position(|goal| goal.value == value)?;
        let layout = game.layout();
        let goal = circuit.outputs()[layout.goals[ROLE.index()].start + goal];
        let terminal = circuit.outputs()[layout.terminal];
        let conditions = conditions(circuit, [terminal, goal]);
        let outputs = [circuit.outputs(), &conditions].concat();
        let circuit = Builder::extend(circuit).finish(outputs);
        let bounds = TernaryCircuit::new(game, &circuit);
        Some(Estimator {
            fixpoint: Fixpoint::new(game.clone(), &bounds, Width::X512),
            value,
            held: vec![LaneMask::default(); conditions.len()],
            estimates: Vec::new(),
            game: game.clone(),
        })
    }

    /// The goal value.
    pub(super) fn value(&self) -> i32 {
        self.value
    }

    /// How many states may be estimated in one call.
    pub(super) fn lanes(&self) -> usize {
        self.fixpoint.lanes()
    }

    /// The distance of each of these packed states; `None` where no goal of more than `low` can be
    /// got any more.
    pub(super) fn estimate(
        &mut self,
        states: &[u64],
        low: i32,
    ) -> impl Iterator<Item = Option<Estimate>> {
        let Estimator {
            game,
            fixpoint,
            held,
            estimates,
            ..
        } = self;
        let first = game.layout().outputs;
        held.fill(LaneMask::default());
        estimates.clear();
        estimates.resize(fixpoint.lanes(), Estimate::default());
        let mut is_first = true;
        fixpoint.explore_packed(states, |bounds| {
            if std::mem::take(&mut is_first) {
                add_freedom(bounds, estimates);
            }
            for (held, output) in held.iter_mut().zip(first..) {
                *held = held.or(bounds.output(output).may);
                for lane in bounds.filled().and_not(*held).lanes() {
                    estimates[lane].distance += 1;
                }
            }
        });
        add_freedom(fixpoint, estimates);
        for held in held {
            for lane in fixpoint.filled().and_not(*held).lanes() {
                estimates[lane].distance += OUT_OF_REACH;
            }
        }
        let goals = &game.propnet().roles[ROLE.index()].goals;
        let better = goals.iter().zip(fixpoint.goals(ROLE));
        let better = better.filter(|(goal, _)| goal.value > low);
        let possible = better.fold(LaneMask::default(), |possible, (_, bounds)| {
            possible.or(bounds.may)
        });
        let possible = possible.and(fixpoint.terminal().may);
        let lanes = fixpoint.filled().count() as usize;
        (0..lanes).map(move |lane| possible.contains(lane).then(|| estimates[lane]))
    }
}

/// Adds the numbers of moves that may be legal.
fn add_freedom(bounds: &Fixpoint, estimates: &mut [Estimate]) {
    let mut counts = LaneCounts::default();
    for legal in bounds.legal(ROLE) {
        counts.add(legal.may.and(bounds.filled()));
    }
    for lane in bounds.filled().lanes() {
        estimates[lane].freedom += counts.get(lane);
    }
}

/// A number for each lane, bit-sliced: so a row is added in few operations for all lanes.
#[derive(Default)]
struct LaneCounts(Vec<LaneMask>);

impl LaneCounts {
    /// Adds one in these lanes.
    fn add(&mut self, lanes: LaneMask) {
        let mut carry = lanes;
        for bit in &mut self.0 {
            if carry.is_empty() {
                return;
            }
            (*bit, carry) = (bit.xor(carry), bit.and(carry));
        }
        if !carry.is_empty() {
            self.0.push(carry);
        }
    }

    fn get(&self, lane: usize) -> u32 {
        let bits = self.0.iter().zip(0..);
        bits.map(|(bit, at)| u32::from(bit.contains(lane)) << at)
            .sum()
    }
}

/// Returns the conditions that hold if all of these edges do, taking conjunctions apart.
fn conditions(circuit: &Circuit, edges: [Edge; 2]) -> Vec<Edge> {
    let mut found = Vec::new();
    let mut open = edges.to_vec();
    while let Some(edge) = open.pop() {
        match circuit.node(edge.node()) {
            Node::And(a, b)
                if !edge.inverted() && found.len() + open.len() + 2 <= MAX_CONDITIONS =>
            {
                open.extend([a, b]);
            }
            _ => found.push(edge),
        }
    }
    found.sort_unstable();
    found.dedup();
    found.retain(|&edge| edge != Edge::TRUE);
    found
}

#[cfg(test)]
mod tests {
    use super::super::tests::task;
    use super::*;

    #[test]
    fn distances_grow_with_what_is_left_to_do_and_dead_ends_have_none() {
        let rules = "(role r) (succ 0 1) (succ 1 2) (succ 2 3) (init (a 0)) (init (b 0))
            (legal r a) (legal r b) (<= (legal r ruin) (true (a 0)))
            (<= (next (a ?m)) (true (a ?n)) (does r a) (succ ?n ?m))
            (<= (next (b ?m)) (true (b ?n)) (does r b) (succ ?n ?m))
            (<= (next (a ?n)) (true (a ?n)) (does r b))
            (<= (next (b ?n)) (true (b ?n)) (does r a))
            (<= terminal (true (a 3)) (true (b 3)))
            (<= (goal r 100) (true (a 3)) (true (b 3)))";
        let task = task(rules);
        let game = task.engines.game();
        let mut estimator = Estimator::new(game, 100).unwrap();
        let states = [
            ["(a 0)", "(b 0)"].as_slice(),
            &["(a 2)", "(b 1)"],
            &["(a 3)", "(b 2)"],
            &["(a 3)"],
        ];
        let word = |fluents: &&[&str]| game.parse_state(fluents).unwrap().words()[0];
        let words: Vec<u64> = states.iter().map(word).collect();
        let found: Vec<Option<Estimate>> = estimator.estimate(&words, 0).collect();
        let distances: Vec<_> = found
            .iter()
            .map(|found| found.map(|f| f.distance))
            .collect();
        assert_eq!(distances, [Some(6), Some(3), Some(1), None]);
        assert!(found[0].unwrap().freedom > found[1].unwrap().freedom);
        assert!(estimator.estimate(&words, 100).all(|found| found.is_none()));
    }
}
