//! Reasons why a value is not proved, though a search has come to its end.
//!
//! The following values are only counted, and no proof rests on them:
//!
//! | how a match ends | counts for a role as |
//! |---|---|
//! | in a terminal state in which the role has no goal, or several | 0 |
//! | in a state that is not terminal, in which some role has no legal move | 0 |
//! | not within the limit of steps | the middle of what the role can still get |

use std::fmt;

use serde::Serialize;

/// A reason that keeps a value from being proved.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize)]
#[serde(tag = "why", rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Unproved {
    /// Roles do not see the whole state, and what they can force without that is not known.
    HiddenInformation,
    /// There is a terminal state in which a role has not exactly one goal.
    UndefinedGoal {
        /// The role.
        role: String,
    },
    /// There is a state that is not terminal, in which a role has no legal move.
    Stuck,
    /// There are matches that are longer than the limit.
    StepLimit {
        /// The most joint moves that a match may have.
        steps: u64,
    },
}

impl fmt::Display for Unproved {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unproved::HiddenInformation => f.write_str(
                "nothing is proved: the rules have `sees`, so roles do not see the whole state",
            ),
            Unproved::UndefinedGoal { role } => write!(
                f,
                "not proved: in some terminal states {role} does not have exactly one goal; these count as 0"
            ),
            Unproved::Stuck => f.write_str(
                "not proved: in some non-terminal states a role has no legal move; these count as 0",
            ),
            Unproved::StepLimit { steps } => write!(
                f,
                "not proved: some matches have more than {steps} joint moves and were cut off"
            ),
        }
    }
}
