//! The search tree: all nodes of a search, found by their state, bounded in memory, used by all threads at
//! once.
//!
//! States that are reached in several ways share a node if they have the same depth too. So
//! there are no cycles.
//!
//! - `arena`: the memory of the tree.
//! - `node`, `decision`, `joint`: what is in it; `slots`, `words`: how that is laid out.
//! - `dominance`: moves that are as good as others, or worse.
//! - `retention`: what is kept when there is another root, or no memory left.
//! - `recycling`: what is forgotten when memory is full.
//! - `valuation`: what a learned evaluation says about nodes.
//! - `model`: all orders of accesses by several threads.

pub(super) mod arena;
pub(super) mod decision;
pub(super) mod dominance;
pub(super) mod joint;
#[cfg(all(test, propjit_loom))]
mod model;
pub(super) mod node;
mod recycling;
mod retention;
pub(super) mod slots;
pub(super) mod valuation;
pub(super) mod words;

use std::cell::Cell;
use std::hash::BuildHasher;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use hashbrown::HashTable;
use parking_lot::{Mutex, MutexGuard, RwLock};
use rustc_hash::{FxBuildHasher, FxHashMap};

use crate::game::facts::GoalBounds;
use crate::game::machine::expansion::successor::{Expansion, NodeInfo, Successor, Turn};
use crate::game::machine::{RoleId, State};
use crate::proof::forced::{KnownWins, ProofWins, Target};
use crate::proof::solve::StateValues;
use arena::{AllocationBuffer, Arena, Block};
use decision::Decision;
use joint::JointDecision;
use node::{Bounds, Decider, Meta, Node, NodeId, Stage};
use slots::SlotPlan;
use valuation::Valuation;

/// How many parts the table of states has, each of which one thread may use at a time.
const SHARDS: usize = 64;

/// How many lines of a decision are prefetched before it is read.
const DECISION_LINES: usize = 5;

/// The nodes of a search.
#[derive(Debug)]
pub(in crate::search::mcts) struct Tree {
    arena: Arena,
    /// The nodes by the hash of their state and depth.
    shards: Box<[Shard]>,
    /// The decisions of nodes in which several roles decide.
    joints: RwLock<FxHashMap<NodeId, Arc<Mutex<JointDecision>>>>,
    /// How much memory these take, about.
    joint_bytes: AtomicUsize,
    /// The goals that each role can have.
    ranges: Box<[Bounds]>,
    /// The goals of these that latches leave, once they are known.
    left: Option<GoalBounds>,
    /// The values of all states, if they are known.
    values: Option<Arc<StateValues>>,
    /// The evaluation of states, if there is one.
    valuation: Option<Valuation>,
    /// The role that decides by chance.
    random: Option<RoleId>,
    /// How much memory there may be.
    limit: usize,
    /// Whether memory has run out.
    is_full: AtomicBool,
    /// How many nodes were forgotten.
    forgotten: u64,
    root: NodeId,
    /// The wins known by provers, if there are any.
    wins: Option<KnownWins>,
    /// Whether what provers find out counts.
    uses_proofs: AtomicBool,
    /// Whether RAVE pays off, once that is decided.
    first_moves: OnceLock<bool>,
    /// Whether moves have prior probabilities.
    has_priors: bool,
    open_ends: OpenEnds,
}

/// The kinds of ends that were met and prove nothing.
#[derive(Default, Debug)]
pub(in crate::search::mcts) struct OpenEnds {
    /// For each role, whether it had not exactly one goal in some end.
    pub goals: Box<[AtomicBool]>,
    /// Whether some role had no legal move, though the match was not over.
    pub stuck: AtomicBool,
    /// Whether matches were not followed to their ends.
    pub cut: AtomicBool,
}

/// A part of the table. It has lines of memory of its own, so that threads do not wait for those that look into its
/// neighbours.
#[repr(align(64))]
#[derive(Default, Debug)]
struct Shard(Mutex<HashTable<Entry>>);

/// The statistics of an edge beside the values of the evaluations behind it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::search::mcts) enum EdgeKnowledge {
    /// RAVE statistics.
    AllAsFirst,
    /// The values that the roles can expect.
    Expected,
    /// The prior probability of the move.
    Probability,
}

/// A node, and a part of its hash.
#[derive(Clone, Copy, Debug)]
struct Entry {
    hash: u32,
    id: NodeId,
}

impl Tree {
    /// A tree of one node, of at most `limit` bytes.
    pub(in crate::search::mcts) fn new(
        root: &Successor,
        ranges: Box<[Bounds]>,
        random: Option<RoleId>,
        limit: usize,
    ) -> Tree {
        let mut tree = Tree {
            open_ends: OpenEnds {
                goals: ranges.iter().map(|_| AtomicBool::new(false)).collect(),
                ..OpenEnds::default()
            },
            // The rest is for the table, and for choices that several roles make at once.
            arena: Arena::new(limit / 4 * 3),
            shards: (0..SHARDS).map(|_| Shard::default()).collect(),
            joints: RwLock::default(),
            joint_bytes: AtomicUsize::new(0),
            ranges,
            left: None,
            values: None,
            valuation: None,
            random,
            limit,
            is_full: AtomicBool::new(false),
            forgotten: 0,
            root: Block(0),
            wins: None,
            uses_proofs: AtomicBool::new(true),
            first_moves: OnceLock::new(),
            has_priors: false,
        };
        tree.make_root(root);
        tree
    }

    /// The node in which the search starts.
    pub(in crate::search::mcts) fn root(&self) -> NodeId {
        self.root
    }

    pub(in crate::search::mcts) fn node(&self, id: NodeId) -> Node<'_> {
        Node::new(self.arena.from(id), &self.ranges)
    }

    /// The decision of one role, which is in this block.
    pub(in crate::search::mcts) fn decision(&self, inside: Block) -> Decision<'_> {
        Decision::new(self.arena.from(inside))
    }

    /// Prefetches the memory of a node.
    pub(in crate::search::mcts) fn prefetch_node(&self, id: NodeId) {
        self.arena.prefetch(id, 1);
    }

    /// Prefetches the memory of a decision, for a choice: as much as small ones have, and in large ones the
    /// first of the edges that are worth most.
    pub(in crate::search::mcts) fn prefetch_decision(&self, inside: Block) {
        self.arena.prefetch(inside, DECISION_LINES);
    }

    /// The role that decides alone in a node, and its decision, if the node is expanded.
    pub(in crate::search::mcts) fn decision_of_one(
        &self,
        id: NodeId,
    ) -> Option<(RoleId, Decision<'_>)> {
        let node = self.node(id);
        match (node.meta().decider(), node.inside()) {
            (Decider::One(role), (Stage::Expanded, inside)) => Some((role, self.decision(inside))),
            _ => None,
        }
    }

    /// The decision of several roles in an expanded node.
    pub(in crate::search::mcts) fn joint(&self, id: NodeId) -> Arc<Mutex<JointDecision>> {
        let joints = self.joints.read();
        joints[&id].clone()
    }

    /// How many nodes there are.
    pub(in crate::search::mcts) fn len(&self) -> usize {
        self.shards.iter().map(|shard| shard.0.lock().len()).sum()
    }

    /// How many nodes were ever made.
    pub(in crate::search::mcts) fn made(&self) -> u64 {
        self.forgotten + self.len() as u64
    }

    /// Whether there is no memory for more nodes.
    pub(in crate::search::mcts) fn is_full(&self) -> bool {
        self.is_full.load(Ordering::Relaxed)
    }

    /// The role that decides by chance.
    pub(in crate::search::mcts) fn random(&self) -> Option<RoleId> {
        self.random
    }

    /// The goals that each role can have.
    pub(in crate::search::mcts) fn ranges(&self) -> &[Bounds] {
        &self.ranges
    }

    pub(in crate::search::mcts) fn roles(&self) -> impl Iterator<Item = RoleId> + use<> {
        RoleId::first(self.ranges.len())
    }

    /// The node of a state, which is made if there is none and there is memory. Each role has
    /// one of these goals if the match is over there, if it is known; otherwise there are none.
    fn intern(
        &self,
        meta: Meta,
        state: &State,
        goals: &[Option<i32>],
        buffer: &mut AllocationBuffer,
    ) -> Option<NodeId> {
        let words = state.words();
        let hash = hash(words, meta.depth());
        let mut shard = self.shard(hash);
        if let Some(known) = self.find(&shard, hash, meta, words) {
            return Some(known);
        }
        let length = Node::words(self.ranges.len(), words.len());
        if shard.try_reserve(1, |entry| place(entry.hash)).is_err() {
            self.is_full.store(true, Ordering::Relaxed);
            return None;
        }
        let id = self.allocate(buffer, length)?;
        self.node(id).init(meta, words, |role| {
            let known = goals.get(role.index()).copied().flatten();
            known
                .map(|goal| Bounds::exact(goal as f32))
                .unwrap_or_else(|| self.goal_bounds(state, role))
        });
        let entry = Entry { hash, id };
        shard.insert_unique(place(hash), entry, |entry| place(entry.hash));
        Some(id)
    }

    /// The node of a state that was found, where the match may be over; it is made if there
    /// is none and there is memory.
    pub(in crate::search::mcts) fn intern_successor(
        &self,
        found: &Successor,
        buffer: &mut AllocationBuffer,
    ) -> Option<NodeId> {
        self.note_end(&found.info.turn);
        let goals = match &found.info.turn {
            Turn::Over(goals) => &goals[..],
            _ => &[],
        };
        self.intern(Meta::new(&found.info), &found.state, goals, buffer)
    }

    /// The node of a state that was found, if there is one.
    pub(in crate::search::mcts) fn find_successor(&self, found: &Successor) -> Option<NodeId> {
        let (meta, words) = (Meta::new(&found.info), found.state.words());
        let hash = hash(words, meta.depth());
        self.find(&self.shard(hash), hash, meta, words)
    }

    fn find(
        &self,
        shard: &HashTable<Entry>,
        hash: u32,
        meta: Meta,
        words: &[u64],
    ) -> Option<NodeId> {
        let is_it = |entry: &Entry| {
            let node = self.node(entry.id);
            entry.hash == hash && node.meta().depth() == meta.depth() && node.is_state(words)
        };
        shard.find(place(hash), is_it).map(|entry| entry.id)
    }

    fn shard(&self, hash: u32) -> MutexGuard<'_, HashTable<Entry>> {
        self.shards[hash as usize % SHARDS].0.lock()
    }

    fn allocate(&self, buffer: &mut AllocationBuffer, words: usize) -> Option<Block> {
        let block = self.arena.allocate(buffer, words);
        if block.is_none() {
            self.is_full.store(true, Ordering::Relaxed);
        }
        block
    }

    /// Takes back what a thread has not used.
    pub(in crate::search::mcts) fn give_back(&self, buffer: AllocationBuffer) {
        self.arena.give_back(buffer);
    }

    /// The node that a move of a decision leads to, if the match is not over there; it is
    /// made if there is none and there is memory.
    pub(in crate::search::mcts) fn follow(
        &self,
        decision: Decision<'_>,
        place: usize,
        state: &mut State,
        buffer: &mut AllocationBuffer,
    ) -> Option<NodeId> {
        let edge = decision.edge(place);
        if let Some(id) = edge.node() {
            return Some(id);
        }
        let meta = decision.state(place, state);
        let id = self.intern(meta, state, &[], buffer)?;
        self.take_along(edge, self.node(id));
        edge.lead_to(id);
        Some(id)
    }

    /// Sets what may be played in a node that this thread has claimed. Returns whether that
    /// changes what is known of the node.
    pub(in crate::search::mcts) fn expand(
        &self,
        id: NodeId,
        found: Expansion<'_>,
        buffer: &mut AllocationBuffer,
    ) -> bool {
        let node = self.node(id);
        let is_known = self.look_up(id);
        let Decider::One(role) = node.meta().decider() else {
            let joint = JointDecision::new(found.legal);
            self.count_joint(joint.bytes());
            let mut joints = self.joints.write();
            joints.insert(id, Arc::new(Mutex::new(joint)));
            node.set_inside(Stage::Expanded, Block(0));
            return is_known;
        };
        let moves = found.legal.role(role);
        let slots = SlotPlan::new(found.successors, self.ranges.len());
        let length = decision::words(moves.len(), &slots);
        let Some(block) = self.allocate(buffer, length) else {
            node.set_inside(Stage::Unexpanded, Block(0));
            return is_known;
        };
        // Whether what is known without a search excludes goals of some role after some of the moves, and
        // whether these are more than are excluded here.
        let (excludes, excludes_more) = (Cell::new(false), Cell::new(false));
        let most = |place: usize| {
            let words = found.successors.state(place);
            let is_open = |left: &GoalBounds| left.exclude_nothing(words);
            if self.values.is_none() && self.left.as_ref().is_none_or(is_open) {
                return 1.0;
            }
            let state = found.successors.to_state(place);
            let mut most = 1.0;
            for (other, range) in self.roles().zip(&self.ranges) {
                let left = self.goal_bounds(&state, other);
                let here = node.bounds(other);
                let is_more = left.low > here.low || left.high < here.high;
                excludes.set(excludes.get() || left != *range);
                excludes_more.set(excludes_more.get() || is_more);
                if other == role {
                    most = range.to_unit(left.high);
                }
            }
            most
        };
        let words = self.arena.from(block);
        let knowledge = self.edge_knowledge();
        Decision::init(words, moves, found.successors, &slots, most, knowledge);
        Decision::new(words).set_open_goals(self.knows_states() && !excludes.get());
        node.set_inside(Stage::Expanded, block);
        let mut infos = found.successors.infos.iter();
        infos.clone().for_each(|info| self.note_end(&info.turn));
        let is_over = |info: &NodeInfo| info.turn.is_end();
        let is_news = (excludes_more.get() || infos.any(is_over)) && self.refresh(id);
        is_known || is_news
    }

    /// Takes over what provers know of a node, if anything. Returns whether they do. Of the root
    /// it has to be known by which move.
    fn look_up(&self, id: NodeId) -> bool {
        let wins = self.wins.as_ref();
        let Some(wins) = wins.filter(|_| self.uses_proofs() && id != self.root) else {
            return false;
        };
        let mut state = State::new();
        state.assign_from(self.node(id).state());
        let found = wins.look_up(&state);
        if let Some((target, ceilings)) = &found {
            self.take_over(id, *target, ceilings);
        }
        found.is_some()
    }

    /// From now on, latches leave no more than these goals.
    pub(in crate::search::mcts) fn set_goal_bounds(&mut self, left: GoalBounds) {
        self.left = Some(left);
        self.narrow_all();
    }

    /// From now on, it is known what states are worth.
    pub(in crate::search::mcts) fn set_values(&mut self, values: Arc<StateValues>) {
        self.values = Some(values);
        self.narrow_all();
    }

    /// Whether it is known what states are worth.
    pub(in crate::search::mcts) fn has_values(&self) -> bool {
        self.values.is_some()
    }

    /// Narrows what roles can get in all nodes by what is known without a search.
    fn narrow_all(&mut self) {
        let mut state = State::new();
        self.mark(self.root, &mut self.arena.marks(), |id| {
            let node = self.node(id);
            if let Some((_, decision)) = self.decision_of_one(id) {
                decision.set_open_goals(false);
            }
            state.assign_from(node.state());
            for role in self.roles() {
                node.narrow(role, self.goal_bounds(&state, role));
            }
        });
    }

    /// The evaluation of states, if there is one.
    pub(in crate::search::mcts) fn valuation(&self) -> Option<&Valuation> {
        self.valuation.as_ref()
    }

    /// Whether moves have prior probabilities.
    pub(in crate::search::mcts) fn has_priors(&self) -> bool {
        self.has_priors
    }

    /// From now on, moves have prior probabilities.
    pub(in crate::search::mcts) fn set_priors(&mut self) {
        self.has_priors = true;
    }

    fn edge_knowledge(&self) -> EdgeKnowledge {
        match &self.valuation {
            _ if self.has_priors => EdgeKnowledge::Probability,
            Some(_) => EdgeKnowledge::Expected,
            None => EdgeKnowledge::AllAsFirst,
        }
    }

    /// From now on, states are evaluated. All nodes are forgotten, as they have values of another
    /// kind.
    pub(in crate::search::mcts) fn set_valuation(
        &mut self,
        valuation: Valuation,
        root: &Successor,
    ) {
        self.valuation = Some(valuation);
        self.begin(root, true);
    }

    /// Whether something is known of states without a search.
    fn knows_states(&self) -> bool {
        self.left.is_some() || self.values.is_some()
    }

    /// The bounds of what a role can get in a state, as known without a search.
    fn goal_bounds(&self, state: &State, role: RoleId) -> Bounds {
        let left = self.left.as_ref().and_then(|left| left.of(state, role));
        let values = self.values.as_ref();
        let value = values.and_then(|values| values.range(state, role));
        let left = left.map(|(least, most)| (f64::from(least), f64::from(most)));
        let known = left.into_iter().chain(value);
        known.fold(self.ranges[role.index()], |bounds, (least, most)| {
            let low = bounds.low.max(least as f32);
            let high = bounds.high.min(most as f32).max(low);
            Bounds { low, high }
        })
    }

    /// Counts memory of choices that several roles make at once.
    pub(in crate::search::mcts) fn count_joint(&self, bytes: usize) {
        let before = self.joint_bytes.fetch_add(bytes, Ordering::Relaxed);
        if before + bytes > self.joint_limit() {
            self.is_full.store(true, Ordering::Relaxed);
        }
    }

    /// How much memory choices that several roles make at once may take.
    fn joint_limit(&self) -> usize {
        self.limit / 8
    }

    /// The bounds of what a role can still get behind an edge.
    pub(in crate::search::mcts) fn bounds(
        &self,
        decision: Decision<'_>,
        place: usize,
        role: RoleId,
    ) -> Bounds {
        let edge = decision.edge(place);
        match edge.node() {
            Some(id) => self.node(id).bounds(role),
            None if edge.is_over() => match decision.meta(place).is_open(role) {
                true => self.ranges[role.index()],
                false => Bounds::exact(decision.goal(place, role.index())),
            },
            None if !self.knows_states() || decision.has_open_goals() => self.ranges[role.index()],
            None => {
                let mut state = State::new();
                decision.state(place, &mut state);
                self.goal_bounds(&state, role)
            }
        }
    }

    /// With what an end counts for a role that has these bounds there: the middle where the match was not followed to
    /// its end, and 0 where the goal is not known otherwise.
    pub(in crate::search::mcts) fn counted(&self, bounds: Bounds, end: Meta) -> f32 {
        let Bounds { low, high } = bounds;
        match (bounds.are_exact(), end.is_cut()) {
            (true, _) => low,
            (false, true) => f32::midpoint(low, high),
            (false, false) => 0f32.clamp(low, high),
        }
    }

    /// Takes note of how a match ends that proves nothing.
    fn note_end(&self, turn: &Turn) {
        match turn {
            Turn::Over(goals) => {
                for (role, goal) in self.roles().zip(goals) {
                    if goal.is_none() && !self.ranges[role.index()].are_exact() {
                        self.open_ends.goals[role.index()].store(true, Ordering::Relaxed);
                    }
                }
            }
            Turn::Stuck => self.open_ends.stuck.store(true, Ordering::Relaxed),
            Turn::Cut => self.note_cut(),
            Turn::One(_) | Turn::Several => {}
        }
    }

    /// Takes note that some match was not followed to its end.
    pub(in crate::search::mcts) fn note_cut(&self) {
        self.open_ends.cut.store(true, Ordering::Relaxed);
    }

    /// Returns the ends seen that prove nothing.
    pub(in crate::search::mcts) fn open_ends(&self) -> &OpenEnds {
        &self.open_ends
    }

    /// From now on, nodes are looked up among the wins that provers know.
    pub(in crate::search::mcts) fn set_wins(&mut self, wins: KnownWins) {
        self.wins = Some(wins);
    }

    /// Takes note of wins that provers have found, for nodes to come.
    pub(in crate::search::mcts) fn learn(&self, wins: &ProofWins) {
        if let Some(known) = &self.wins {
            known.add(wins);
        }
    }

    /// Whether what provers find out counts.
    pub(in crate::search::mcts) fn uses_proofs(&self) -> bool {
        self.uses_proofs.load(Ordering::Relaxed)
    }

    /// Returns whether RAVE pays off, if that is decided.
    pub(in crate::search::mcts) fn rave_enabled(&self) -> Option<bool> {
        self.first_moves.get().copied()
    }

    /// Decides for the rest of the match whether RAVE pays off, unless that was decided before.
    pub(in crate::search::mcts) fn decide_on_first_moves(&self, are_of_use: bool) {
        let _ = self.first_moves.set(are_of_use);
    }

    /// Ignores the findings of provers, until there is another root: the role that decides there is lost,
    /// if no other role errs, and then the question is which move makes that likely.
    pub(in crate::search::mcts) fn ignore_proofs(&self) {
        self.uses_proofs.store(false, Ordering::Relaxed);
    }

    /// Whether the role that decides in the root gets the least that it can get in any match.
    pub(in crate::search::mcts) fn is_lost(&self) -> bool {
        let root = self.node(self.root);
        match root.meta().decider() {
            Decider::One(role) => root.bounds(role).high <= self.ranges[role.index()].low,
            _ => false,
        }
    }

    /// Takes over that a role can force a goal in a node, and the most that others get then.
    pub(in crate::search::mcts) fn take_over(
        &self,
        id: NodeId,
        target: Target,
        ceilings: &[(RoleId, i32)],
    ) {
        let (node, range) = (self.node(id), |role: RoleId| self.ranges[role.index()]);
        let (low, high) = (target.value as f32, range(target.role).high);
        node.narrow(target.role, Bounds { low, high });
        for &(other, most) in ceilings {
            let (low, high) = (range(other).low, most as f32);
            node.narrow(other, Bounds { low, high });
        }
    }
}

fn hash(words: &[u64], depth: u32) -> u32 {
    (FxBuildHasher.hash_one((words, depth)) >> 32) as u32
}

/// The hash for a table, which uses the lowest and the highest bits.
/// The very lowest are the same in all of a shard.
fn place(hash: u32) -> u64 {
    u64::from(hash) << 32 | u64::from(hash / SHARDS as u32)
}
