//! Decisions that several roles make at once, each at random with a strategy of its own that
//! does not depend on what the others choose now, but on what would have been better against
//! what they chose before: regret matching (Hart and Mas-Colell, 2000; for tree search Tak,
//! Lanctot and Winands, "Monte Carlo Tree Search Variants for Simultaneous Move Games", 2014).

use rand::RngExt;
use rustc_hash::FxHashMap;

use super::node::NodeId;
use crate::machine::{Move, RoleId};
use crate::rng::GameRng;
use crate::search::legal::Legal;
use crate::statistics::Moments;

/// How often a role chooses without regard to its strategy, so that nothing stays untried.
const AT_RANDOM: f64 = 0.1;

/// A decision of several roles at once in a node.
#[derive(Debug)]
pub(super) struct JointDecision {
    /// For each role, its moves.
    pub arms: Box<[Box<[Arm]>]>,
    /// The nodes that joint moves lead to, of those that were chosen; none while a thread finds
    /// out.
    pub edges: FxHashMap<JointId, Option<NodeId>>,
}

/// A joint move, as a number of digits that are the places of the roles' moves.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct JointId(u64);

/// A move of a role that decides together with others.
#[derive(Clone, Debug)]
pub(super) struct Arm {
    pub played: Move,
    pub values: Moments<f64>,
    /// By how much it would have been better to play this every time: at least 0, as the
    /// past is forgotten in which it would have been worse ("regret matching plus": Tammelin,
    /// 2014).
    regret: f64,
}

impl JointDecision {
    /// A choice among the legal moves of each role.
    pub(super) fn new(legal: Legal<'_>) -> JointDecision {
        let arm = |&played: &Move| Arm {
            played,
            values: Moments::default(),
            regret: 0.0,
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
    pub(super) fn id(&self, places: &[usize]) -> JointId {
        number(self.arms.iter().map(|arms| arms.len()), places)
    }

    /// The joint move at these places.
    pub(super) fn moves(&self, places: &[usize]) -> Vec<Move> {
        let arms = self.arms.iter().zip(places);
        arms.map(|(arms, &place)| arms[place].played).collect()
    }

    /// For each role the place of a move, by its strategy: each as likely as it is regretted
    /// that it was not played. One role may be the one that plays at random.
    pub(super) fn choose(&self, random: Option<RoleId>, rng: &mut GameRng) -> Box<[usize]> {
        let mut place = |role: RoleId, arms: &[Arm]| {
            let total: f64 = arms.iter().map(|arm| arm.regret).sum();
            let is_random = random == Some(role) || total <= 0.0;
            if is_random || rng.random_bool(AT_RANDOM) {
                return rng.random_range(0..arms.len());
            }
            let mut left = rng.random_range(0.0..total);
            let chosen = arms.iter().position(|arm| {
                left -= arm.regret;
                left < 0.0
            });
            chosen.unwrap_or(arms.len() - 1)
        };
        let roles = RoleId::first(self.arms.len());
        let roles = roles.zip(&self.arms);
        roles.map(|(role, arms)| place(role, arms)).collect()
    }

    /// Updates the regrets: the moves at these places brought the roles these values. What would
    /// other moves have brought them against the same moves of the others?
    ///
    /// `mean` is the mean value of a role in the node that a joint move leads to, or in the node
    /// of this decision where there is none. The role `random` has no strategy.
    pub(super) fn update_regrets(
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
                    .copied()
                    .flatten();
                let met = met.and_then(|child| mean(Some(child), role));
                // What was never tried against these moves is as good as against others.
                let others = || arm.values.mean().map(|mean| mean as f32);
                let value = met.or_else(others).or(mean(None, role)).unwrap_or(0.0);
                let regret = value - values[role.index()];
                arm.regret = (arm.regret + f64::from(regret)).max(0.0);
            }
            places[role.index()] = chosen;
        }
    }

    /// Bytes of memory, about.
    pub(super) fn bytes(&self) -> usize {
        let arms = self.arms.iter().map(|arms| size_of_val(&**arms));
        size_of::<JointDecision>() + arms.sum::<usize>()
    }

    /// Bytes of memory, about, for each joint move that was chosen.
    pub(super) const EDGE_BYTES: usize = 2 * size_of::<(JointId, Option<NodeId>)>();
}

/// The number of the joint move at these places; `counts` are the numbers of moves of the roles.
fn number(counts: impl Iterator<Item = usize>, places: &[usize]) -> JointId {
    JointId(counts.zip(places).fold(0u64, |id, (count, &place)| {
        id.wrapping_mul(count as u64).wrapping_add(place as u64)
    }))
}
