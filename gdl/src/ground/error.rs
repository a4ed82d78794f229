//! The reasons why a game cannot be grounded.

use thiserror::Error;

use crate::ground::limits::GroundLimitKind;

/// The reason why a game cannot be grounded.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[non_exhaustive]
pub enum GroundError {
    /// A limit was hit.
    #[error(
        "grounding reached the {kind} after {atoms} atoms and {ground_rules} ground rules, \
         most of them for the rule at {source_name}:{line}: {rule}"
    )]
    Limit {
        /// The limit.
        kind: GroundLimitKind,
        /// The rulesheet's name.
        source_name: String,
        /// The line of the rule that took the most work.
        line: usize,
        /// The beginning of that rule.
        rule: String,
        /// The number of atoms when the limit was hit.
        atoms: u64,
        /// The number of ground rules when the limit was hit.
        ground_rules: u64,
    },
    /// Terms grow without end: one is nested deeper than
    /// [`GroundLimits::nesting`](super::GroundLimits::nesting) allows.
    #[error(
        "terms grow without end by the rule at {source_name}:{line}: {rule}: \
         after {atoms} atoms, one was nested {depth} deep; the game can be grounded if a condition of that rule \
         limits how deep it nests, or if a counter ends the match: a fluent that one rule, such as \
         (<= (next (step ?n)) (true (step ?m)) (succ ?m ?n)), moves along facts to a number for which it is terminal"
    )]
    Growth {
        /// The rulesheet's name.
        source_name: String,
        /// The line of the rule that nests them.
        line: usize,
        /// The beginning of that rule.
        rule: String,
        /// The nesting depth of the deepest term.
        depth: u32,
        /// The number of atoms when that showed.
        atoms: u64,
    },
    /// [`GroundLimits::stop`](super::GroundLimits::stop) was set.
    #[error("grounding was stopped")]
    Stopped,
    /// A goal value is not a whole number.
    #[error(
        "the goal {value} of role {role}, by the rule at {source_name}:{line}, is not a whole number; \
         goals are whole numbers from 0 to 100"
    )]
    GoalValue {
        /// The rulesheet's name.
        source_name: String,
        /// The line of the first rule that can give it.
        line: usize,
        /// The role.
        role: String,
        /// The value as the rulesheet spells it.
        value: String,
    },
    /// The game needs more gates or wires than can be numbered.
    #[error("the game has more than 2^31 ground conditions")]
    TooLarge,
}
