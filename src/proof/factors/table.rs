//! Part tables: the states of one part, enumerated in lanes, and the effects of moves on them.

use std::collections::hash_map::Entry;
use std::sync::Arc;

use propjit_jit::circuit::{Builder, Edge, OutputId};
use propjit_jit::evaluator::{Engine, LaneEvaluator};
use propjit_jit::lanes::{LaneProgram, Width};
use propjit_jit::section::Section;
use propjit_stop::Stop;
use rustc_hash::FxHashMap;

use super::joint::Joint;
use super::{Factors, Phase};
use crate::game::ground::GroundGame;
use crate::game::vocabulary::moves::RoleId;
use crate::game::vocabulary::state::State;
use crate::game::vocabulary::state_set::StateSet;

/// The states that are evaluated in one call.
const WIDTH: Width = Width::X256;

/// The most wires of a part and all classes of moves.
const MAX_WIRES: usize = 200_000;

/// The phases from a state on, which make *places*: the last ones repeat.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Places {
    pub(crate) phases: Vec<usize>,
    pub(crate) cycle: usize,
}

impl Places {
    fn after(&self, place: usize) -> usize {
        match place + 1 < self.phases.len() {
            true => place + 1,
            false => self.phases.len() - self.cycle,
        }
    }
}

/// A state of a part, at a place.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub(crate) place: usize,
    /// The number of the state of the part, whatever the place.
    pub(crate) state: u32,
    /// The number of what is read of it: a place in [`values`](PartTable::values).
    pub(crate) value: u32,
    /// The classes of moves that can be made, and the nodes to which these lead.
    pub(crate) edges: Vec<(u32, u32)>,
}

/// All reachable states of a part, the first one first.
pub(crate) struct PartTable {
    pub(crate) nodes: Vec<Node>,
    /// By place, the role that has several classes of moves in the part.
    pub(crate) movers: Vec<Option<RoleId>>,
    /// The possible values of the observables of the part.
    pub(crate) values: Vec<Vec<bool>>,
    /// By value, whether the match is over with it, whatever the other parts are. Nothing follows then.
    pub(crate) ends: Vec<bool>,
}

impl PartTable {
    /// Whether the match is over at a node, whatever the other parts are.
    pub(crate) fn is_end(&self, node: &Node) -> bool {
        self.ends[node.value as usize]
    }
}

/// The evaluation of a part in a phase.
struct Kernel {
    evaluator: LaneEvaluator,
    mover: Option<RoleId>,
    classes: usize,
}

impl PartTable {
    /// The states of a part that follow from a state of the game, by all legal moves, with all that
    /// the other parts could be. `None` if two roles decide at the same time, if there are more than
    /// `most`, or if a stop comes.
    pub(crate) fn new(
        game: &GroundGame,
        factors: &Factors,
        part: usize,
        (root, places): (&State, &Places),
        joint: &mut Joint,
        most: usize,
        stop: &Stop,
    ) -> Option<PartTable> {
        let bases = &factors.parts[part].propositions;
        let observables = &factors.parts[part].observables;
        let mut kernels: FxHashMap<usize, Kernel> = FxHashMap::default();
        for &phase in &places.phases {
            if let Entry::Vacant(entry) = kernels.entry(phase) {
                entry.insert(Kernel::new(game, factors, part, phase)?);
            }
        }
        let words = bases.len().div_ceil(64).max(1);
        let mut states = StateSet::new(words);
        let mut nodes: Vec<Node> = Vec::new();
        let mut numbers: FxHashMap<(usize, u32), u32> = FxHashMap::default();
        let open_end = joint.open();
        let mut ends: Vec<bool> = Vec::new();
        let mut values: Vec<Vec<bool>> = Vec::new();
        let mut value_numbers: FxHashMap<Vec<bool>, u32> = FxHashMap::default();
        let mut open: Vec<Vec<u32>> = vec![Vec::new(); places.phases.len()];
        let mut add =
            |nodes: &mut Vec<Node>, open: &mut Vec<Vec<u32>>, place: usize, state: u32| {
                *numbers.entry((place, state)).or_insert_with(|| {
                    let number = nodes.len() as u32;
                    nodes.push(Node {
                        place,
                        state,
                        value: 0,
                        edges: Vec::new(),
                    });
                    open[place].push(number);
                    number
                })
            };
        let mut packed = vec![0; words];
        for (at, &base) in bases.iter().enumerate() {
            packed[at / 64] |= u64::from(root.contains(base)) << (at % 64);
        }
        let (first, _) = states.insert(&packed);
        add(&mut nodes, &mut open, 0, first);
        while let Some(place) = (0..open.len()).max_by_key(|&place| open[place].len()) {
            if open[place].is_empty() {
                break;
            }
            if nodes.len() > most || stop.is_set() {
                return None;
            }
            let from = open[place].len().saturating_sub(WIDTH.lanes());
            let chunk = open[place].split_off(from);
            let kernel = kernels.get_mut(&places.phases[place])?;
            let after = places.after(place);
            let rows: Vec<Vec<u64>> = (chunk.iter())
                .map(|&node| {
                    let state = nodes[node as usize].state as usize;
                    states.states(state, state + 1).to_vec()
                })
                .collect();
            kernel.evaluate(bases, &rows);
            for (lane, &node) in chunk.iter().enumerate() {
                let start = kernel.classes * (1 + bases.len());
                let read = (0..observables.len()).map(|at| kernel.bit(start + at, lane));
                let read: Vec<bool> = read.collect();
                let new = values.len() as u32;
                let value = *value_numbers.entry(read).or_insert_with_key(|read| {
                    values.push(read.clone());
                    let outcome = joint.with_part(&open_end, part, read);
                    ends.push(joint.is_over(&outcome) == Some(true));
                    new
                });
                let mut edges = Vec::new();
                let classes = if ends[value as usize] {
                    0
                } else {
                    kernel.classes
                };
                for class in 0..classes {
                    let start = class * (1 + bases.len());
                    if !kernel.bit(start, lane) {
                        continue;
                    }
                    packed.fill(0);
                    for at in 0..bases.len() {
                        let bit = kernel.bit(start + 1 + at, lane);
                        packed[at / 64] |= u64::from(bit) << (at % 64);
                    }
                    let (state, _) = states.insert(&packed);
                    edges.push((class as u32, add(&mut nodes, &mut open, after, state)));
                }
                let node = &mut nodes[node as usize];
                (node.value, node.edges) = (value, edges);
            }
        }
        let movers = places.phases.iter().map(|phase| kernels[phase].mover);
        Some(PartTable {
            movers: movers.collect(),
            nodes,
            values,
            ends,
        })
    }
}

impl Kernel {
    fn new(game: &GroundGame, factors: &Factors, part: usize, phase: usize) -> Option<Kernel> {
        let Phase { circuit, roles, .. } = &factors.phases[phase];
        let deciding = |&role: &usize| roles[role].kinds[part].len() > 1;
        let mut movers = (0..roles.len()).filter(deciding);
        let mover = movers.next();
        if movers.next().is_some() {
            return None;
        }
        // If no role decides, it makes no difference what is played.
        let playing = mover.or_else(|| (0..roles.len()).find(|&r| !roles[r].moves.is_empty()))?;
        // A role that does not decide always has a move: otherwise matches may be stuck, which is not
        // considered.
        let always_moves = |role: usize| {
            let mut classes = roles[role].kinds[part].iter();
            classes.any(|class| class.legal == Edge::TRUE)
        };
        if !(0..roles.len()).all(|role| role == playing || always_moves(role)) {
            return None;
        }
        let classes = &roles[playing].kinds[part];
        let part = &factors.parts[part];
        if classes.len() * (1 + part.propositions.len()) > MAX_WIRES {
            return None;
        }
        let observables = part.observables.iter().map(|&node| Edge::from(node));
        let wires = classes
            .iter()
            .flat_map(|class| [class.legal].into_iter().chain(class.next.iter().copied()));
        let wires: Vec<Edge> = wires.chain(observables).collect();
        let outputs = (0..wires.len() as u32).map(OutputId).collect();
        let circuit = Builder::extend(circuit).finish(wires);
        let program = LaneProgram::new(&circuit, &[Section::alone(outputs)]);
        let mut evaluator = LaneEvaluator::new(Engine::Interpreter(Arc::new(program), WIDTH));
        for (role, does) in roles.iter().zip(&game.layout().does) {
            if let Some(played) = role.moves.first() {
                evaluator.input_mut(does.start + played.index()).fill(!0);
            }
        }
        Some(Kernel {
            classes: classes.len(),
            mover: mover.map(|role| RoleId(role as u32)),
            evaluator,
        })
    }

    /// Evaluates packed states of a part with these propositions, one per lane.
    fn evaluate(&mut self, bases: &[usize], states: &[Vec<u64>]) {
        for (at, &base) in bases.iter().enumerate() {
            let row = self.evaluator.input_mut(base);
            row.fill(0);
            for (lane, state) in states.iter().enumerate() {
                row[lane / 64] |= (state[at / 64] >> (at % 64) & 1) << (lane % 64);
            }
        }
        self.evaluator.evaluate(0);
    }

    fn bit(&self, output: usize, lane: usize) -> bool {
        self.evaluator.output(output)[lane / 64] >> (lane % 64) & 1 == 1
    }
}
