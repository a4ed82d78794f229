//! Verdicts on an evaluation, by all that is known of it.

use super::trust::Trust;

/// Whether an evaluation helps, and if not, why.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum HeuristicVerdict {
    /// It predicts how matches end, and wins; or searches win with it.
    Admitted,
    /// It predicts how matches end, but less than playouts do; or searches win with it as a hint.
    Hint,
    /// The game is of one role that does not play at random, or of more than four.
    OtherRoles,
    /// Matches are over before any role has a choice.
    NoDecisions,
    /// It does not predict how matches end.
    NoGain,
    /// It does not predict much that playouts do not.
    WorseThanPlayouts,
    /// It does not win against random decisions.
    NoWins,
    /// Searches do not win with it.
    NoUse,
    /// It might help as a hint, but there was no time to try that in searches.
    Untried,
    /// There was not even time for the first matches, or for those that show its worth.
    TooSlow,
    /// A stop came before anything was learned.
    Stopped,
}

impl HeuristicVerdict {
    /// How far an evaluation is trusted then, if it is.
    pub(super) fn trust(self) -> Option<Trust> {
        match self {
            HeuristicVerdict::Admitted => Some(Trust::Full),
            HeuristicVerdict::Hint => Some(Trust::Hint),
            _ => None,
        }
    }

    /// The verdict in words.
    pub fn text(self) -> &'static str {
        match self {
            HeuristicVerdict::Admitted => "admitted",
            HeuristicVerdict::Hint => "admitted as a hint",
            HeuristicVerdict::OtherRoles => {
                "not a game of two to four roles, of which two do not play at random"
            }
            HeuristicVerdict::NoDecisions => "no role has a choice",
            HeuristicVerdict::NoGain => "does not predict results",
            HeuristicVerdict::WorseThanPlayouts => "adds too little to playouts",
            HeuristicVerdict::NoWins => "too weak against random decisions",
            HeuristicVerdict::NoUse => "does not make searches stronger",
            HeuristicVerdict::Untried => "not tested in searches, where it might be a hint",
            HeuristicVerdict::TooSlow => "playing takes too long",
            HeuristicVerdict::Stopped => "stopped",
        }
    }
}
