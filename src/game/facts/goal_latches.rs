//! Goal latches: the goals that are out of reach once a proposition is latched.
//!
//! "If the latch constrains the achievable goals then it can be used to optimize search":
//! Sancho's blog, "Goal Latches", 17 August 2014. There the goal must be a conjunction
//! with the latched proposition; here it is anything that was proved.

use std::collections::BTreeMap;

use super::fact::ProofMethod;
use crate::game::ground::{GoalMask, Literal};
use crate::game::machine::{RoleId, State};

/// A latched literal and the goal values of one role that no match with it ends with.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GoalLatch {
    /// The literal that never changes again once it holds.
    pub literal: Literal,
    /// The role.
    pub role: RoleId,
    /// The goal values that are excluded, as indices into the role's
    /// [`goals`](propjit_gdl::propnet::Role::goals), ascending.
    pub excluded: Vec<usize>,
    /// The method of the hardest proof among them.
    pub method: ProofMethod,
}

/// A latched literal and a goal value that every match with it ends with. Other values may
/// hold beside it, if the rules allow for that.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ForcedGoal {
    /// The literal that never changes again once it holds.
    pub literal: Literal,
    /// The role.
    pub role: RoleId,
    /// The goal value, as an index into the role's goals.
    pub goal: usize,
    /// How it was proved.
    pub method: ProofMethod,
}

/// All goal latches of a game.
///
/// ```
/// # use propjit::game::facts::{GoalLatch, GoalLatches, Literal, ProofMethod};
/// # use propjit::game::machine::{RoleId, State};
/// let entry = |proposition, value, excluded| GoalLatch {
///     literal: Literal::new(proposition, value),
///     role: RoleId(0),
///     excluded,
///     method: ProofMethod::Structural,
/// };
/// let latches = GoalLatches::new(vec![entry(0, true, vec![1]), entry(2, false, vec![0, 1])]);
/// let state: State = [0, 2].into_iter().collect();
/// let excluded: Vec<_> = latches.excluded(&state).collect();
/// assert_eq!(excluded, [(RoleId(0), 1)]);
/// ```
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct GoalLatches {
    entries: Vec<GoalLatch>,
    masks: Vec<GoalMask>,
}

impl GoalLatches {
    /// Combines the latches of a game, to be tested together.
    pub fn new(entries: Vec<GoalLatch>) -> GoalLatches {
        // First for each role and goal the literals that exclude it; then for each role and set of
        // literals the goals.
        let mut literals: BTreeMap<(RoleId, usize), Vec<Literal>> = BTreeMap::new();
        for entry in &entries {
            for &goal in &entry.excluded {
                let of_goal = literals.entry((entry.role, goal)).or_default();
                of_goal.push(entry.literal);
            }
        }
        let mut goals: BTreeMap<(RoleId, Vec<Literal>), Vec<usize>> = BTreeMap::new();
        for ((role, goal), mut literals) in literals {
            literals.sort_unstable();
            goals.entry((role, literals)).or_default().push(goal);
        }
        let masks = goals.into_iter();
        let masks = masks.map(|((role, literals), goals)| GoalMask::new(role, goals, &literals));
        GoalLatches {
            masks: masks.collect(),
            entries,
        }
    }

    /// Returns one entry for each latched literal and role, in the given order.
    pub fn entries(&self) -> &[GoalLatch] {
        &self.entries
    }

    /// Returns the same facts grouped by excluded goals: each role and goal occurs in at most one
    /// mask.
    pub fn masks(&self) -> &[GoalMask] {
        &self.masks
    }

    /// Returns the goals that no match through the state ends with, as indices into
    /// the goals of their role.
    pub fn excluded(&self, state: &State) -> impl Iterator<Item = (RoleId, usize)> {
        let hit = self.masks.iter().filter(|mask| mask.excludes(state));
        hit.flat_map(|mask| mask.goals.iter().map(|&goal| (mask.role, goal)))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn masks_say_what_the_entries_say(
            entries in prop::collection::vec(
                (0usize..150, any::<bool>(), 0u32..3, prop::collection::btree_set(0usize..5, 1..4)),
                0..12,
            ),
            state in prop::collection::btree_set(0usize..150, 0..150),
        ) {
            let entries = entries.into_iter().map(|(base, value, role, goals)| GoalLatch {
                literal: Literal::new(base, value),
                role: RoleId(role),
                excluded: goals.into_iter().collect(),
                method: ProofMethod::Structural,
            });
            let latches = GoalLatches::new(entries.collect());
            let state: State = state.into_iter().collect();
            let mut expected: Vec<(RoleId, usize)> = Vec::new();
            for entry in latches.entries().iter().filter(|entry| entry.literal.holds(&state)) {
                expected.extend(entry.excluded.iter().map(|&goal| (entry.role, goal)));
            }
            expected.sort_unstable();
            expected.dedup();
            let mut excluded: Vec<_> = latches.excluded(&state).collect();
            excluded.sort_unstable();
            prop_assert_eq!(excluded, expected);
            for mask in latches.masks() {
                let any = mask.literals().any(|literal| literal.holds(&state));
                prop_assert_eq!(any, mask.excludes(&state));
            }
        }
    }
}
