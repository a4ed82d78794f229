//! Depth-first proof search, up to a number of joint moves.

use std::cmp::Reverse;
use std::sync::Arc;

use rand::RngExt;
use rustc_hash::FxHashMap;

use super::announcer::Announcer;
use super::conclusion::conclude;
use super::config::{ProofConfig, ProofPart};
use super::cube::Cube;
use super::exchange::Exchange;
use super::node::Node;
use super::numbers::Numbered;
use super::order::ORDER_BITS;
use super::pace::Pace;
use super::steps::{Expansion, Steps, flag};
use super::store::{Depths, Store};
use super::threats::Threats;
use crate::game::vocabulary::moves::Move;
use crate::support::rng::GameRng;

/// The number of states for which it is known which joint move decided, before they are forgotten.
const MAX_DECIDED: usize = 1 << 18;

/// The number below which is what chance says of a joint move that has not decided anything.
const MAX_CHANCE: u64 = 16;

/// The counts of a proof search.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct ProofCounts {
    /// The number of states at which joint moves were tried.
    pub nodes: u64,
    /// The lanes that held legal joint moves, and all lanes that there were.
    pub lanes: [u64; 2],
    /// The legal joint moves after which the match or the depth ends.
    pub leaves: u64,
    /// The legal joint moves after which it is not known what the match is worth: it is over, and the role has not exactly
    /// one goal; or it is not, and some role has no legal move.
    pub undefined: [u64; 2],
    /// The legal joint moves after which the search went on.
    pub searched: u64,
    /// The legal joint moves that were not searched, because the state after them is in a cube.
    pub discharged: u64,
    /// The cubes that were proved: those that fail, and those that win.
    pub cubes: [u64; 2],
    /// The number of literals of all of them.
    pub literals: [u64; 2],
}

impl ProofCounts {
    /// Returns the counts of two searches together.
    #[must_use]
    pub fn and(self, other: ProofCounts) -> ProofCounts {
        let both = |[a, b]: [u64; 2], [c, d]: [u64; 2]| [a + c, b + d];
        ProofCounts {
            nodes: self.nodes + other.nodes,
            lanes: both(self.lanes, other.lanes),
            leaves: self.leaves + other.leaves,
            undefined: both(self.undefined, other.undefined),
            searched: self.searched + other.searched,
            discharged: self.discharged + other.discharged,
            cubes: both(self.cubes, other.cubes),
            literals: both(self.literals, other.literals),
        }
    }
}

/// The search was stopped.
#[derive(Debug)]
pub(super) struct Stopped;

/// A search for proofs about one target.
#[derive(Debug)]
pub(super) struct Search {
    pub(super) steps: Steps,
    /// By phase, the fail cubes and the win cubes.
    stores: Vec<[Store; 2]>,
    pub(super) counts: ProofCounts,
    /// By phase and joint move, how often and how early it decided, and in the lowest bits its
    /// [first order](super::order).
    pub(super) history: Vec<Vec<u64>>,
    /// By phase and state, the joint move that decided when it was searched last.
    decisive: FxHashMap<(usize, Box<[u64]>), u32>,
    /// The state of searches by proof numbers.
    pub(super) numbered: Numbered,
    /// Nodes that are not in use.
    spare: Vec<Node>,
    /// Whether fail cubes and win cubes are used.
    uses: [bool; 2],
    /// Whether what is known of legal replies is made use of for those that are not.
    supposes: bool,
    /// Other searches for the same target, if there are any.
    exchange: Option<Exchange>,
    /// The state of searches for wins by threats.
    pub(super) threats: Threats,
    /// The announcer of wins, if they are wanted.
    pub(super) announcer: Option<Announcer>,
}

impl Search {
    /// A search with nothing proved yet, with a [first order](super::order) of joint moves. If it
    /// is not to use cubes, states in them are searched all the same.
    pub(super) fn new(steps: Steps, history: Vec<Vec<u64>>, config: &ProofConfig) -> Search {
        let wins = config.has(ProofPart::Cubes);
        let phases = 0..steps.phases();
        let stores = phases.map(|_| [Store::new(), Store::new()]);
        Search {
            stores: stores.collect(),
            threats: Threats::new(history.clone()),
            history,
            steps,
            counts: ProofCounts::default(),
            decisive: FxHashMap::default(),
            numbered: Numbered::default(),
            spare: Vec::new(),
            uses: [wins && config.has(ProofPart::FailCubes), wins],
            supposes: config.has(ProofPart::IllegalReplies),
            exchange: None,
            announcer: None,
        }
    }

    /// Exchanges cubes with other searches from now on. With random numbers, moves are tried in
    /// another order, as long as nothing is known of them.
    pub(super) fn join(&mut self, exchange: Exchange, rng: Option<GameRng>) {
        self.exchange = Some(exchange);
        if let Some(mut rng) = rng {
            for decided in self.history.iter_mut().flatten() {
                *decided = rng.random_range(0..MAX_CHANCE);
            }
        }
    }

    /// Returns a known cube that contains a state and determines whether the target can be forced from
    /// there in at most `depth` joint moves, if there is one.
    pub(super) fn known(&self, phase: usize, state: &[u64], depth: u32) -> Option<Arc<Cube>> {
        let wins = || self.stored(phase, true, state, Depths::AtMost(depth));
        let fails = || self.stored(phase, false, state, Depths::AtLeast(depth));
        wins().or_else(fails)
    }

    /// As [`known`](Search::known), if such cubes are used.
    pub(super) fn known_in_use(
        &self,
        phase: usize,
        state: &[u64],
        depth: u32,
    ) -> Option<Arc<Cube>> {
        let cube = self.known(phase, state, depth);
        cube.filter(|cube| self.uses[usize::from(cube.won())])
    }

    /// A win or fail cube of these depths that contains a state.
    fn stored(&self, phase: usize, won: bool, state: &[u64], depths: Depths) -> Option<Arc<Cube>> {
        let store = &self.stores[phase][usize::from(won)];
        store.cube_of(depths, state).cloned()
    }

    /// A cube that contains a state for which it is known whether the target can be forced from
    /// it in at most `depth` joint moves. The state is not terminal, every role has a legal move
    /// in it, and the depth is positive.
    pub(super) fn solve(
        &mut self,
        phase: usize,
        state: &[u64],
        depth: u32,
        pace: &mut Pace,
    ) -> Result<Arc<Cube>, Stopped> {
        if pace.is_over() {
            return Err(Stopped);
        }
        if let Some(cube) = self.adopt(phase, state, depth) {
            return Ok(cube);
        }
        let mut node = self.take_node(phase, state, depth);
        let solved = self.solve_node(&mut node, pace);
        let solved = solved.map(|(won, played)| self.conclude(&node, won, played));
        self.give_back(node);
        solved
    }

    /// A node for a state.
    pub(super) fn take_node(&mut self, phase: usize, state: &[u64], depth: u32) -> Node {
        let mut node = self.spare.pop().unwrap_or_default();
        node.phase = phase;
        node.state.clear();
        node.state.extend_from_slice(state);
        node.depth = depth;
        node.replies = self.steps.joints(phase).replies();
        node
    }

    /// Takes back a node that is not in use any more.
    pub(super) fn give_back(&mut self, node: Node) {
        self.spare.push(node);
    }

    /// Makes the cube of a node with this verdict, keeps it, and announces it. If the node is won, it is by
    /// the move of the role in the joint move `played`.
    pub(super) fn conclude(&mut self, node: &Node, won: bool, played: usize) -> Arc<Cube> {
        let cube = Arc::new(conclude(
            &mut self.steps,
            node,
            (won, played),
            self.supposes,
        ));
        self.counts.cubes[usize::from(won)] += 1;
        self.counts.literals[usize::from(won)] += cube.literals() as u64;
        if let Some(exchange) = &self.exchange {
            exchange.offer(node.phase, &cube);
        }
        if let Some(announcer) = &mut self.announcer {
            announcer.add(node.phase, &cube);
        }
        self.keep(node.phase, cube.clone());
        cube
    }

    /// Puts a cube into its store.
    fn keep(&mut self, phase: usize, cube: Arc<Cube>) {
        let store = &mut self.stores[phase][usize::from(cube.won())];
        if store.len() >= Store::most_cubes(self.steps.words()) {
            *store = Store::new();
        }
        store.insert(cube);
    }

    /// The cubes that are known, with the phases of their states.
    pub(super) fn cubes(&self) -> impl Iterator<Item = (usize, &Arc<Cube>)> {
        let stores = self.stores.iter().enumerate();
        stores.flat_map(|(phase, stores)| {
            let cubes = stores.iter().flat_map(Store::cubes);
            cubes.map(move |cube| (phase, cube))
        })
    }

    /// Takes over what other searches have proved; a cube that contains a state, as
    /// [`known`](Search::known), if there are others.
    pub(super) fn adopt(&mut self, phase: usize, state: &[u64], depth: u32) -> Option<Arc<Cube>> {
        for (phase, cube) in self.exchange.as_ref()?.take() {
            self.keep(phase, cube);
        }
        self.known_in_use(phase, state, depth)
    }

    /// Returns joint moves by which the target is achieved from a state from which it can be forced in
    /// `depth` of them, with replies that make it long, up to where cubes know them.
    pub(super) fn line(&mut self, mut phase: usize, state: &[u64], depth: u32) -> Vec<Vec<Move>> {
        let mut line = Vec::new();
        let mut state = state.to_vec();
        let mut expansion = Expansion::default();
        for depth in (1..=depth).rev() {
            let Some(cube) = self.win(phase, &state, depth) else {
                break;
            };
            self.steps.expand(phase, &state, &mut expansion);
            let joints = self.steps.joints(phase);
            let played = cube.played() as usize;
            let first = played / joints.replies() * joints.replies();
            let replies = first..first + joints.replies();
            let legal = replies.filter(|&joint| expansion.moves[joint] & flag::OTHERS != 0);
            let after = (phase + 1) % self.stores.len();
            let words = state.len();
            // A state that achieves the target is in no cube.
            let length = |joint: &usize| {
                let state = expansion.states.state(*joint, words);
                self.win(after, &state, depth - 1).map(|cube| cube.depth())
            };
            let Some(joint) = legal.max_by_key(length) else {
                break;
            };
            line.push(joints.joint(joint));
            if expansion.after[joint] & flag::ACHIEVED != 0 {
                break;
            }
            state = expansion.states.state(joint, words);
            phase = after;
        }
        line
    }

    /// A win cube that contains a state, with the least depth up to this one.
    fn win(&self, phase: usize, state: &[u64], depth: u32) -> Option<Arc<Cube>> {
        let mut depths = (0..=depth).map(Depths::AtMost);
        depths.find_map(|depths| self.stored(phase, true, state, depths))
    }

    /// Whether the target can be forced, and the joint move with the move by which it can be.
    fn solve_node(&mut self, node: &mut Node, pace: &mut Pace) -> Result<(bool, usize), Stopped> {
        self.expand(node);
        match node.verdict() {
            Some(verdict) => Ok(verdict),
            None => self.try_joints(node, pace),
        }
    }

    /// Finds the outcomes of the joint moves in a node, and what is known of them.
    pub(super) fn expand(&mut self, node: &mut Node) {
        self.steps
            .expand(node.phase, &node.state, &mut node.expansion);
        let undefined = node.classify_moves();
        for (sum, count) in self.counts.undefined.iter_mut().zip(undefined) {
            *sum += count;
        }
        let there = node.known.len().next_multiple_of(self.steps.lanes());
        self.counts.nodes += 1;
        self.counts.lanes[0] += node.legal.len() as u64;
        self.counts.lanes[1] += there as u64;
        self.counts.leaves += (node.legal.len() - node.open()) as u64;
        self.look_up(node);
    }

    /// Takes note of the cube that contains the state after a joint move, and of which other joint
    /// moves that decides.
    pub(super) fn settle(&mut self, node: &mut Node, joint: usize, cube: &Arc<Cube>) {
        match self.uses[usize::from(cube.won())] {
            true => self.counts.discharged += node.discharge(joint, cube),
            false => node.note(joint, cube),
        }
    }

    /// Looks for cubes that contain states after joint moves.
    fn look_up(&mut self, node: &mut Node) {
        let [fails, wins] = &self.stores[(node.phase + 1) % self.stores.len()];
        let depth = node.depth - 1;
        if self.uses[1] {
            self.counts.discharged += node.look_up(wins, Depths::AtMost(depth));
        }
        if self.uses[0] {
            self.counts.discharged += node.look_up(fails, Depths::AtLeast(depth));
        }
    }

    /// Searches the states after joint moves until there is a verdict.
    fn try_joints(&mut self, node: &mut Node, pace: &mut Pace) -> Result<(bool, usize), Stopped> {
        let replies = node.replies;
        let key = (node.phase, node.state.clone().into_boxed_slice());
        let first = self.decisive.get(&key).map(|&joint| joint as usize);
        let history = &self.history[node.phase];
        let order = |joint: usize| (Some(joint) != first, Reverse(history[joint]));
        // Moves of the role in the order of the best reply to each, and the replies in theirs.
        let mut groups = vec![(true, Reverse(0)); history.len() / replies];
        for &joint in &node.legal {
            let group = &mut groups[joint / replies];
            *group = order(joint).min(*group);
        }
        node.legal
            .sort_by_key(|&joint| (groups[joint / replies], joint / replies, order(joint)));
        let after = (node.phase + 1) % self.stores.len();
        loop {
            // The first open reply to a move that is not refuted.
            let mut joints = node.legal.chunk_by(|a, b| a / replies == b / replies);
            let next = joints.find_map(|group| {
                let verdicts = group
                    .iter()
                    .map(|&joint| (joint, node.known[joint].verdict()));
                let refuted = verdicts.clone().any(|(_, verdict)| verdict == Some(false));
                let mut open = verdicts.filter(|(_, verdict)| verdict.is_none());
                open.next().filter(|_| !refuted).map(|(joint, _)| joint)
            });
            let joint = next.expect("without open moves there is a verdict");
            self.counts.searched += 1;
            let cube = self.solve(after, &node.after(joint), node.depth - 1, pace)?;
            self.settle(node, joint, &cube);
            // The deciding move is a winning move, or else a refutation.
            if cube.won() == (replies == 1) {
                self.history[node.phase][joint] += u64::from(node.depth).pow(2) << ORDER_BITS;
                if self.decisive.len() >= MAX_DECIDED {
                    self.decisive.clear();
                }
                self.decisive.insert(key.clone(), joint as u32);
            }
            if let Some(verdict) = node.verdict() {
                return Ok(verdict);
            }
        }
    }
}
