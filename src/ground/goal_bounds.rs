//! The goals that latches leave to the roles of a game: plain data, for all who ask about
//! many states.

use super::game::GroundGame;
use super::literal::Literal;
use crate::moves::RoleId;
use crate::state::{State, ones};

/// The propositions that exclude certain goals of a role. As a rule, many latches exclude the
/// same goals.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GoalMask {
    /// The role.
    pub role: RoleId,
    /// The goals that are excluded, ascending.
    pub goals: Vec<usize>,
    /// The propositions any of which excludes them if it is true: packed like a
    /// [`State`], without zero words at the end.
    pub if_true: Vec<u64>,
    /// The propositions any of which excludes them if it is false.
    pub if_false: Vec<u64>,
}

impl GoalMask {
    /// The mask of the goals that any of these literals excludes.
    pub fn new(role: RoleId, goals: Vec<usize>, literals: &[Literal]) -> GoalMask {
        GoalMask {
            role,
            goals,
            if_true: pack(literals, true),
            if_false: pack(literals, false),
        }
    }

    /// Whether the goals are excluded from this state on.
    pub fn excludes(&self, state: &State) -> bool {
        let words = state.words();
        let word = |at: usize| words.get(at).copied().unwrap_or(0);
        let mut if_true = self.if_true.iter().zip(words);
        let mut if_false = self.if_false.iter().enumerate();
        if_true.any(|(mask, word)| mask & word != 0)
            || if_false.any(|(at, mask)| mask & !word(at) != 0)
    }

    /// The literals any of which excludes the goals.
    pub fn literals(&self) -> impl Iterator<Item = Literal> {
        unpack(&self.if_true, true).chain(unpack(&self.if_false, false))
    }
}

/// The propositions of those literals that have this value.
fn pack(literals: &[Literal], value: bool) -> Vec<u64> {
    let wanted = literals.iter().filter(|literal| literal.value == value);
    let state: State = wanted.map(|literal| literal.proposition).collect();
    state.words().to_vec()
}

fn unpack(propositions: &[u64], value: bool) -> impl Iterator<Item = Literal> {
    let propositions = ones(propositions.iter().copied());
    propositions.map(move |proposition| Literal::new(proposition, value))
}

/// The goals that the [latches](crate::analysis::GoalLatches) of a game leave to its roles.
///
/// A match that ends without a goal for a role counts as 0 in a search. The rules of GDL
/// exclude such ends (Love et al. 2008, section 9), and that is relied on here: once
/// latches have excluded a value, the rest is taken for all there is.
#[derive(Clone, Debug)]
pub struct GoalBounds {
    masks: Vec<GoalMask>,
    /// For each role, its goals, and which mask excludes each of them.
    roles: Vec<Vec<(i32, Option<usize>)>>,
    fixed_sum: bool,
}

impl GoalBounds {
    /// What these masks leave of the goals of a game. `None` if there are no masks.
    ///
    /// `fixed_sum` says whether all roles together had the same sum of goals in all matches
    /// that were seen.
    pub fn new(game: &GroundGame, masks: Vec<GoalMask>, fixed_sum: bool) -> Option<GoalBounds> {
        let roles = game.propnet().roles.iter();
        let roles = roles.zip(game.layout().roles()).map(|(role, id)| {
            let goals = role.goals.iter().enumerate().map(|(at, goal)| {
                let excludes = |mask: &GoalMask| mask.role == id && mask.goals.contains(&at);
                (goal.value, masks.iter().position(excludes))
            });
            goals.collect()
        });
        let roles = roles.collect();
        (!masks.is_empty()).then_some(GoalBounds {
            masks,
            roles,
            fixed_sum,
        })
    }

    /// The mask that excludes a goal of a role, which is given by its index.
    pub fn excluding(&self, role: RoleId, goal: usize) -> Option<&GoalMask> {
        let (_, mask) = self.roles[role.index()][goal];
        mask.map(|mask| &self.masks[mask])
    }

    /// Whether all roles together had the same sum of goals in all matches that were seen. That
    /// is not a proof.
    pub fn has_fixed_sum(&self) -> bool {
        self.fixed_sum
    }

    /// The least and the greatest goal that a role can still get. `None` if no latch holds that
    /// excludes any, or if all are excluded, which the rules of GDL forbid.
    pub fn of(&self, state: &State, role: RoleId) -> Option<(i32, i32)> {
        let is_hit = |mask: &GoalMask| mask.role == role && mask.excludes(state);
        let hit: Vec<usize> = (0..self.masks.len())
            .filter(|&mask| is_hit(&self.masks[mask]))
            .collect();
        if hit.is_empty() {
            return None;
        }
        let goals = self.roles[role.index()].iter();
        let left = goals.filter(|(_, mask)| mask.is_none_or(|mask| !hit.contains(&mask)));
        left.fold(None, |range, &(value, _)| {
            let (least, greatest) = range.unwrap_or((value, value));
            Some((value.min(least), value.max(greatest)))
        })
    }
}
