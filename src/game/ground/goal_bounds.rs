//! Goals that latches and counters leave to the roles of a game: plain data, for callers that query
//! many states.

use serde::Serialize;

use super::count_bounds::{CountBounds, ExclusionTable, GoalSet, goal_set};
use super::literal::Literal;
use super::lowered_game::LoweredGame;
use crate::game::vocabulary::moves::RoleId;
use crate::game::vocabulary::state::{State, ones};

/// The propositions that exclude certain goals of a role. Usually, many latches exclude the same
/// goals.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
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
    /// Creates the mask of the goals that any of these literals excludes.
    pub fn new(role: RoleId, goals: Vec<usize>, literals: &[Literal]) -> GoalMask {
        GoalMask {
            role,
            goals,
            if_true: pack(literals, true),
            if_false: pack(literals, false),
        }
    }

    /// Returns whether the goals are excluded from this state on.
    pub fn excludes(&self, state: &State) -> bool {
        self.are_excluded(state.words())
    }

    /// Does the same as [`excludes`](GoalMask::excludes) for the words of a state.
    fn are_excluded(&self, words: &[u64]) -> bool {
        let word = |at: usize| words.get(at).copied().unwrap_or(0);
        let mut if_true = self.if_true.iter().zip(words);
        let mut if_false = self.if_false.iter().enumerate();
        if_true.any(|(mask, word)| mask & word != 0)
            || if_false.any(|(at, mask)| mask & !word(at) != 0)
    }

    /// Returns the literals any of which excludes the goals.
    pub fn literals(&self) -> impl Iterator<Item = Literal> {
        unpack(&self.if_true, true).chain(unpack(&self.if_false, false))
    }
}

/// Returns the propositions of those literals that have this value.
fn pack(literals: &[Literal], value: bool) -> Vec<u64> {
    let wanted = literals.iter().filter(|literal| literal.value == value);
    let state: State = wanted.map(|literal| literal.proposition).collect();
    state.words().to_vec()
}

fn unpack(propositions: &[u64], value: bool) -> impl Iterator<Item = Literal> {
    let propositions = ones(propositions.iter().copied());
    propositions.map(move |proposition| Literal::new(proposition, value))
}

/// The goals that the [latches](crate::game::facts::GoalLatches) and [counters](CountBounds) of a
/// game leave to its roles.
///
/// Once latches have excluded a value, only the rest is possible if each match ends with exactly one goal for the role.
/// GDL requires that (Love et al. 2008, section 9), but some rulesheets violate it: where it is not proved, [only
/// counters count](GoalBounds::with_latches_for). Counters exclude nothing if they can reach an end without exactly one
/// goal.
#[derive(Clone, Debug)]
pub struct GoalBounds {
    masks: Vec<GoalMask>,
    counts: Option<CountBounds>,
    table: Option<ExclusionTable>,
    /// For each role, its goals, ascending.
    goals: Vec<Vec<i32>>,
    /// For each role, the numbers of the masks that exclude some goals, with these goals.
    by_masks: Vec<Vec<(usize, GoalSet)>>,
    /// For each role, whether it has exactly one goal in every end.
    is_defined: Vec<bool>,
    fixed_sum: bool,
}

impl GoalBounds {
    /// Creates the bounds that these masks and counters give for the goals of a game. `None` if
    /// there are none. `fixed_sum` says whether the sum of all roles' goals was the same in all
    /// sampled matches.
    pub fn new(
        game: &LoweredGame,
        masks: Vec<GoalMask>,
        counts: Option<CountBounds>,
        fixed_sum: bool,
    ) -> Option<GoalBounds> {
        let roles = game.propnet().roles.iter();
        let goals = roles.map(|role| role.goals.iter().map(|goal| goal.value).collect());
        let goals: Vec<Vec<i32>> = goals.collect();
        let by_masks = game.layout().roles().map(|role| {
            let masks = masks.iter().enumerate();
            let masks = masks.filter(|(_, mask)| mask.role == role);
            masks
                .map(|(at, mask)| (at, goal_set(&mask.goals)))
                .collect()
        });
        (!masks.is_empty() || counts.is_some()).then_some(GoalBounds {
            by_masks: by_masks.collect(),
            masks,
            table: counts
                .as_ref()
                .map(|counts| ExclusionTable::new(counts, goals.len())),
            counts,
            is_defined: vec![true; goals.len()],
            goals,
            fixed_sum,
        })
    }

    /// Returns the data that they were made from, besides the game.
    pub(crate) fn sources(&self) -> impl Serialize + '_ {
        (&self.masks, &self.counts, self.fixed_sum, &self.is_defined)
    }

    /// Returns the same, but latches exclude goals only for the roles marked here: those that have exactly one goal in
    /// every end.
    #[must_use]
    pub fn with_latches_for(self, is_defined: Vec<bool>) -> GoalBounds {
        GoalBounds { is_defined, ..self }
    }

    /// Returns the goals that counters exclude, if there are counters.
    pub fn counts(&self) -> Option<&CountBounds> {
        self.counts.as_ref()
    }

    /// Returns the mask of latches that exclude a goal of a role, which is given by its index.
    pub fn excluding(&self, role: RoleId, goal: usize) -> Option<&GoalMask> {
        let mut masks = self.masks.iter();
        masks.find(|mask| mask.role == role && mask.goals.contains(&goal))
    }

    /// Returns whether the sum of all roles' goals was the same in all sampled matches. This is not
    /// a proof.
    pub fn has_fixed_sum(&self) -> bool {
        self.fixed_sum
    }

    /// Returns whether nothing excludes any goal of any role in the state with these words.
    pub fn exclude_nothing(&self, words: &[u64]) -> bool {
        !self.masks.iter().any(|mask| mask.are_excluded(words))
            && self
                .table
                .as_ref()
                .is_none_or(|table| table.excluded(words).is_none())
    }

    /// Returns the least and the greatest goal that a role can still get. `None` if nothing
    /// excludes any, or if all are excluded, which GDL forbids.
    pub fn of(&self, state: &State, role: RoleId) -> Option<(i32, i32)> {
        let (words, role) = (state.words(), role.index());
        let by_counts = self.table.as_ref().and_then(|table| table.excluded(words));
        let mut excluded = by_counts.map_or(0, |excluded| excluded[role]);
        let masks = self.by_masks[role].iter();
        for &(mask, goals) in masks.filter(|_| self.is_defined[role]) {
            if self.masks[mask].are_excluded(words) {
                excluded |= goals;
            }
        }
        if excluded == 0 {
            return None;
        }
        let is_left = |at: usize| at >= GoalSet::BITS as usize || excluded >> at & 1 == 0;
        let goals = &self.goals[role];
        let least = (0..goals.len()).find(|&at| is_left(at))?;
        let greatest = (0..goals.len()).rev().find(|&at| is_left(at))?;
        Some((goals[least], goals[greatest]))
    }

    /// Returns the goals of all roles with which every match through this state ends, if there is
    /// only one left for each. A role without goals has 0.
    pub fn decided(&self, state: &State) -> Option<Vec<i32>> {
        let roles = RoleId::first(self.goals.len());
        roles
            .map(|role| {
                let left = self.of(state, role);
                let (least, greatest) = left.or_else(|| self.only_goal(role))?;
                (least == greatest).then_some(least)
            })
            .collect()
    }

    /// Returns the range of the goals of a role that has only one goal, which it is known to get, or none, which
    /// counts as 0.
    fn only_goal(&self, role: RoleId) -> Option<(i32, i32)> {
        let goals = &self.goals[role.index()];
        let value = goals.first().copied().unwrap_or(0);
        let is_only = goals.iter().all(|&goal| goal == value);
        let is_sure = goals.is_empty() || self.is_defined[role.index()];
        (is_only && is_sure).then_some((value, value))
    }
}
