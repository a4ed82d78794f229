//! The graph of the states of a game and their successors, within limits of time and memory.

use propjit_stop::Stop;
use rustc_hash::FxHashMap;

use crate::game::engine::Engines;
use crate::game::machine::expansion::team::ExpanderTeam;
use crate::game::machine::{RoleId, State};
use crate::game::vocabulary::state_set::StateSet;

use super::progress::SolveProgress;

/// The bit of an edge that leads to the end of the match.
const END: u32 = 1 << 31;

/// States are numbered in the order of a breadth-first search. Of the first ones, all joint moves
/// are known; the others are the *frontier*.
pub(super) struct Graph {
    states: StateSet,
    /// The start of the edges of each state.
    starts: Vec<usize>,
    /// The shape of each state.
    shapes: Vec<u32>,
    edges: Vec<u32>,
    /// Different numbers of legal moves of each role.
    kinds: Interned<usize>,
    /// Different goals at the end, a value for each role that has exactly one.
    ends: Interned<Option<i32>>,
    /// The shape of states that have no joint move.
    stuck: u32,
    roles: usize,
    depth: u32,
}

/// The target of a joint move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Edge {
    /// To this state.
    State(usize),
    /// To the end of the match with these [goals](Graph::ends).
    End(usize),
}

/// How matches end without a goal that counts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Undefined {
    /// In a terminal state in which this role has not exactly one.
    Goal(RoleId),
    /// In a state in which a role has no legal move.
    Stuck,
}

/// Why a graph does not grow any more.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Growth {
    /// There are no other states.
    Complete,
    /// There is no room for more.
    Full,
    /// It was stopped.
    Stopped,
}

impl Graph {
    /// A state alone, which is not terminal.
    pub(super) fn new(engines: &Engines, words: usize, root: &State) -> Graph {
        let root = root.packed(words);
        let mut states = StateSet::new(words);
        states.insert(&root);
        let roles = engines.game().roles().len();
        let mut kinds = Interned::default();
        Graph {
            states,
            starts: Vec::new(),
            shapes: Vec::new(),
            edges: Vec::new(),
            stuck: kinds.number(&vec![0; roles]),
            kinds,
            ends: Interned::default(),
            roles,
            depth: 0,
        }
    }

    /// Adds the successors of the frontier, a layer after the other, until there are about this many bytes
    /// or this number of states.
    pub(super) fn grow(
        &mut self,
        expanders: &mut ExpanderTeam,
        (memory, most): (usize, usize),
        stop: &Stop,
        progress: &SolveProgress,
    ) -> Growth {
        while !self.is_complete() {
            if let Err(reason) = self.grow_layer(expanders, (memory, most), stop, |graph| {
                progress.note_states(graph.len(), graph.depth);
            }) {
                return reason;
            }
        }
        Growth::Complete
    }

    /// Adds the successors of the states that there are: the next layer, as long as there are not more
    /// bytes or states than these. `grown` is called from time to time.
    ///
    /// # Errors
    /// If it was interrupted, the reason.
    pub(super) fn grow_layer(
        &mut self,
        expanders: &mut ExpanderTeam,
        (memory, most): (usize, usize),
        stop: &Stop,
        mut grown: impl FnMut(&Graph),
    ) -> Result<(), Growth> {
        let most = most.min(END as usize);
        let layer = self.states.len();
        let mut ticker = stop.ticker();
        while self.expanded() < layer {
            let from = self.expanded();
            let to = layer.min(from + expanders.lanes());
            let parents = self.states.states(from, to).to_vec();
            let mut reason = Growth::Stopped;
            let is_done = expanders.expand_while(&parents, |child| {
                if !self.make_room() {
                    reason = Growth::Full;
                    return false;
                }
                let parent = from + child.parent;
                if self.starts.len() <= parent {
                    self.start_to(parent);
                    self.starts.push(self.edges.len());
                    self.shapes.push(self.kinds.number(child.counts));
                }
                let edge = match child.goals {
                    Some(goals) => self.ends.number(goals) | END,
                    None => self.states.insert(child.state).0,
                };
                self.edges.push(edge);
                if self.bytes() > memory || self.states.len() >= most {
                    reason = Growth::Full;
                    return false;
                }
                !ticker.is_set()
            });
            if !is_done {
                self.shrink_to(from);
                return Err(reason);
            }
            self.start_to(to);
            grown(self);
        }
        if self.expanded() < self.len() {
            self.depth += 1;
        }
        Ok(())
    }

    /// Makes sure that there is memory for one state and one edge more. Returns whether there is.
    fn make_room(&mut self) -> bool {
        let lists = [&mut self.shapes, &mut self.edges];
        let mut reserved = lists.into_iter().map(|list| list.try_reserve(1));
        reserved.all(|reserved| reserved.is_ok())
            && self.starts.try_reserve(1).is_ok()
            && self.states.make_room()
    }

    /// The states up to this one that have no joint move have no edges.
    fn start_to(&mut self, state: usize) {
        self.starts.resize(state, self.edges.len());
        self.shapes.resize(state, self.stuck);
    }

    /// Forgets the edges of the states from this one on.
    fn shrink_to(&mut self, state: usize) {
        let end = self.starts.get(state).copied();
        self.edges.truncate(end.unwrap_or(self.edges.len()));
        self.starts.truncate(state);
        self.shapes.truncate(state);
    }

    /// About how much memory it takes, with what will be found out about its states.
    pub(super) fn bytes(&self) -> usize {
        let words = self.states.states(0, 1).len();
        // The vectors have up to twice the room that they need; there are two evaluations a role.
        let each = StateSet::bytes_a_state(words) + 2 * size_of::<(usize, u32)>() + 12 * self.roles;
        each * self.states.len() + 2 * size_of::<u32>() * self.edges.len()
    }

    /// The number of states.
    pub(super) fn len(&self) -> usize {
        self.states.len()
    }

    /// Returns the number of states with known joint moves.
    pub(super) fn expanded(&self) -> usize {
        self.starts.len()
    }

    /// Whether all states are there, with all joint moves.
    pub(super) fn is_complete(&self) -> bool {
        self.expanded() == self.len()
    }

    /// The number of joint moves, of all states together.
    pub(super) fn joints(&self) -> usize {
        self.edges.len()
    }

    /// The words of a state.
    pub(super) fn state(&self, at: usize) -> &[u64] {
        self.states.states(at, at + 1)
    }

    /// Returns the targets of the joint moves of a state, in the order in which an
    /// [`Expander`](crate::game::machine::expansion::Expander) makes them.
    pub(super) fn edges(&self, at: usize) -> impl ExactSizeIterator<Item = Edge> + Clone {
        let end = self.starts.get(at + 1).copied();
        let edges = &self.edges[self.starts[at]..end.unwrap_or(self.edges.len())];
        edges.iter().map(|&edge| match edge & END {
            0 => Edge::State(edge as usize),
            _ => Edge::End((edge & !END) as usize),
        })
    }

    /// The number of a state, if it is there.
    pub(super) fn find(&self, state: &State) -> Option<usize> {
        self.states.find(state.words())
    }

    /// Returns whether each joint move leads to a state with a greater number, so that no state can come
    /// twice. This holds if all ways to a state are of equal length.
    pub(super) fn is_graded(&self) -> bool {
        (0..self.expanded()).all(|at| {
            let mut edges = self.edges(at);
            edges.all(|edge| !matches!(edge, Edge::State(next) if next <= at))
        })
    }

    /// Whether a state has no joint move, as some role has no legal move there, though it is not terminal.
    pub(super) fn is_stuck(&self, at: usize) -> bool {
        self.shapes[at] == self.stuck
    }

    /// Returns the role that has not exactly one goal in some end, if there is one among these; or else
    /// whether matches come to states in which they cannot go on.
    pub(super) fn undefined(&self, mut roles: impl Iterator<Item = RoleId>) -> Option<Undefined> {
        let has_none = |role: &RoleId| self.ends().iter().any(|end| end[role.index()].is_none());
        let goal = roles.find(has_none).map(Undefined::Goal);
        goal.or_else(|| {
            (0..self.expanded())
                .any(|at| self.is_stuck(at))
                .then_some(Undefined::Stuck)
        })
    }

    /// Returns the number of known joint moves of all states together.
    pub(super) fn edge_count(&self) -> usize {
        self.edges.len()
    }

    /// The number of the state's shape.
    pub(super) fn shape(&self, at: usize) -> usize {
        self.shapes[at] as usize
    }

    /// How many legal moves each role has in states of each shape.
    pub(super) fn shapes(&self) -> &[Box<[usize]>] {
        &self.kinds.values
    }

    /// The goals with which matches end, a value for each role that has exactly one.
    pub(super) fn ends(&self) -> &[Box<[Option<i32>]>] {
        &self.ends.values
    }
}

/// Lists of values, each of which has a number.
struct Interned<T> {
    values: Vec<Box<[T]>>,
    numbers: FxHashMap<Box<[T]>, u32>,
}

impl<T> Default for Interned<T> {
    fn default() -> Interned<T> {
        Interned {
            values: Vec::new(),
            numbers: FxHashMap::default(),
        }
    }
}

impl<T: Copy + Eq + std::hash::Hash> Interned<T> {
    fn number(&mut self, value: &[T]) -> u32 {
        if let Some(&number) = self.numbers.get(value) {
            return number;
        }
        let number = self.values.len() as u32;
        self.values.push(value.into());
        self.numbers.insert(value.into(), number);
        number
    }
}
