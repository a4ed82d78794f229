//! Joint decisions of several roles at once, each at random with a strategy of its own that does not depend
//! on what the others choose now, but on what would have been better against what they chose before: regret
//! matching (Hart and Mas-Colell, 2000; for tree search Tak, Lanctot and Winands, "Monte Carlo Tree Search
//! Variants for Simultaneous Move Games", 2014).

use rand::RngExt;
use rustc_hash::FxHashMap;

use super::dominance::Dominance;
use super::node::{Bounds, NodeId};
use crate::game::machine::expansion::legal::Legal;
use crate::game::machine::{Move, RoleId};
use crate::support::rng::GameRng;
use crate::support::statistics::Moments;

/// How often a role chooses without regard to its strategy, so that nothing stays untried.
const AT_RANDOM: f64 = 0.1;

/// The number of joint moves that a decision may have so that proofs about it are tried, which take the
/// longer the more there are.
const MAX_JOINT_MOVES: usize = 400;

/// A decision of several roles at once in a node.
#[derive(Debug)]
pub(in crate::search::mcts) struct JointDecision {
    /// For each role, its moves.
    pub arms: Box<[Box<[Arm]>]>,
    /// The joint moves that were chosen.
    pub edges: FxHashMap<JointId, JointEdge>,
}

/// A joint move that was chosen.
#[derive(Clone, Copy, Default, Debug)]
pub(in crate::search::mcts) struct JointEdge {
    /// The node that it leads to; none while a thread finds out.
    pub to: Option<NodeId>,
    /// How often the bounds of that node had changed when they were last read.
    changes: Option<u8>,
}

impl JointEdge {
    /// Leads to a node.
    pub(in crate::search::mcts) fn new(to: NodeId) -> JointEdge {
        JointEdge {
            to: Some(to),
            changes: None,
        }
    }
}

/// A joint move, as a number of digits that are the places of the roles' moves.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(in crate::search::mcts) struct JointId(u64);

/// A move of a role that decides together with others.
#[derive(Clone, Debug)]
pub(in crate::search::mcts) struct Arm {
    pub played: Move,
    pub values: Moments<f64>,
    /// By how much it would have been better to play this every time: at least 0, as the
    /// past is forgotten in which it would have been worse ("regret matching plus": Tammelin,
    /// 2014).
    regret: f64,
    /// Whether it is proved to be useless to visit it.
    pub is_closed: bool,
}

impl JointDecision {
    /// A choice among the legal moves of each role.
    pub(in crate::search::mcts) fn new(legal: Legal<'_>) -> JointDecision {
        let arm = |&played: &Move| Arm {
            played,
            values: Moments::default(),
            regret: 0.0,
            is_closed: false,
        };
        let arms = legal.each().map(|moves| moves.iter().map(arm).collect());
        JointDecision {
            arms: arms.collect(),
            edges: FxHashMap::default(),
        }
    }

    /// The number of a joint move, given by the places of the moves.
    ///
    /// Numbers of more than 64 bits wrap around; joint moves that then have the same
    /// number, among more than 2<sup>64</sup>, are taken for each other.
    pub(in crate::search::mcts) fn id(&self, places: &[usize]) -> JointId {
        number(self.arms.iter().map(|arms| arms.len()), places)
    }

    /// The joint move at these places.
    pub(in crate::search::mcts) fn moves(&self, places: &[usize]) -> Vec<Move> {
        let arms = self.arms.iter().zip(places);
        arms.map(|(arms, &place)| arms[place].played).collect()
    }

    /// Returns, for each role, the place of a move, by its strategy: the probabilities are proportional to
    /// the regrets. One role may be the one that plays at random.
    pub(in crate::search::mcts) fn choose(
        &self,
        random: Option<RoleId>,
        rng: &mut GameRng,
    ) -> Box<[usize]> {
        let mut place = |role: RoleId, arms: &[Arm]| {
            let open = || arms.iter().enumerate().filter(|(_, arm)| !arm.is_closed);
            let total: f64 = open().map(|(_, arm)| arm.regret).sum();
            let is_random = random == Some(role) || total <= 0.0;
            if is_random || rng.random_bool(AT_RANDOM) {
                let chosen = rng.random_range(0..open().count());
                return open().nth(chosen).map_or(0, |(place, _)| place);
            }
            let mut left = rng.random_range(0.0..total);
            let chosen = open().find(|(_, arm)| {
                left -= arm.regret;
                left < 0.0
            });
            chosen.or(open().next_back()).map_or(0, |(place, _)| place)
        };
        let roles = RoleId::first(self.arms.len());
        let roles = roles.zip(&self.arms);
        roles.map(|(role, arms)| place(role, arms)).collect()
    }

    /// Updates the regrets: the moves at these places brought the roles these values. Compares them with
    /// the values that other moves would have brought against the same moves of the others.
    ///
    /// `mean` is the mean value of a role in the node that a joint move leads to, or in the node
    /// of this decision where there is none. The role `random` has no strategy.
    pub(in crate::search::mcts) fn update_regrets(
        &mut self,
        places: &[usize],
        values: &[f32],
        random: Option<RoleId>,
        mean: impl Fn(Option<NodeId>, RoleId) -> Option<f32>,
    ) {
        let JointDecision { arms, edges } = self;
        for ((arms, &place), &value) in arms.iter_mut().zip(places).zip(values) {
            arms[place].values.add(value, 1);
        }
        let counts: Vec<usize> = arms.iter().map(|arms| arms.len()).collect();
        let mut places = places.to_vec();
        for (role, arms) in RoleId::first(counts.len()).zip(arms) {
            if arms.len() == 1 || random == Some(role) {
                continue;
            }
            let chosen = places[role.index()];
            for (place, arm) in arms.iter_mut().enumerate() {
                places[role.index()] = place;
                let met = edges
                    .get(&number(counts.iter().copied(), &places))
                    .and_then(|edge| edge.to);
                let met = met.and_then(|child| mean(Some(child), role));
                // A move that was never tried against these moves is as good as against others.
                let others = || arm.values.mean().map(|mean| mean as f32);
                let value = met.or_else(others).or(mean(None, role)).unwrap_or(0.0);
                let regret = value - values[role.index()];
                arm.regret = (arm.regret + f64::from(regret)).max(0.0);
            }
            places[role.index()] = chosen;
        }
    }

    /// Notes how often the bounds have changed of the node that a joint move leads to. Returns whether they
    /// have since, or were not read before.
    pub(in crate::search::mcts) fn note_changes(&mut self, id: JointId, changes: u8) -> bool {
        let edge = self.edges.get_mut(&id);
        edge.is_some_and(|edge| edge.changes.replace(changes) != Some(changes))
    }

    /// Proves what it can of the decision, if there are not too many joint moves; `bounds` is what a role
    /// gets in a node, or at all if there is none. Then closes moves that are useless.
    pub(in crate::search::mcts) fn prove(
        &mut self,
        random: Option<RoleId>,
        bounds: impl Fn(Option<NodeId>, RoleId) -> Bounds,
    ) -> Option<Dominance> {
        let counts: Vec<usize> = self.arms.iter().map(|arms| arms.len()).collect();
        let product = counts.iter().try_fold(1usize, |product, &count| {
            let product = product.checked_mul(count)?;
            (product <= MAX_JOINT_MOVES).then_some(product)
        });
        product?;
        let found = Dominance::new(&counts, random, |joint, role| {
            let edge = self.edges.get(&JointId(joint as u64));
            bounds(edge.and_then(|edge| edge.to), role)
        });
        let roles = RoleId::first(counts.len()).filter(|&role| random != Some(role));
        for role in roles {
            let arms = self.arms[role.index()].iter_mut();
            for (arm, is_useless) in arms.zip(found.useless(role)) {
                arm.is_closed = is_useless;
            }
        }
        Some(found)
    }

    /// Bytes of memory, about.
    pub(in crate::search::mcts) fn bytes(&self) -> usize {
        let arms = self.arms.iter().map(|arms| size_of_val(&**arms));
        let edges = self.edges.len() * JointDecision::EDGE_BYTES;
        size_of::<JointDecision>() + arms.sum::<usize>() + edges
    }

    /// Bytes of memory, about, for each joint move that was chosen.
    pub(in crate::search::mcts) const EDGE_BYTES: usize = 2 * size_of::<(JointId, JointEdge)>();
}

/// The number of the joint move at these places; `counts` are the numbers of moves of the roles.
fn number(counts: impl Iterator<Item = usize>, places: &[usize]) -> JointId {
    JointId(counts.zip(places).fold(0u64, |id, (count, &place)| {
        id.wrapping_mul(count as u64).wrapping_add(place as u64)
    }))
}
