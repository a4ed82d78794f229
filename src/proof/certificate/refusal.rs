//! Reasons for refusing a certificate.

use propjit_gdl::prover::ProverError;

/// Why a certificate is refused.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Refusal {
    /// It is of another version.
    #[error(
        "the certificate has format {found}, and this version of propjit reads {}",
        super::FORMAT
    )]
    Format {
        /// The version that it has.
        found: u32,
    },
    /// It names a role that the game does not have.
    #[error("the game does not have a role {0}: is the certificate about another one?")]
    Role(String),
    /// It names something that cannot be read.
    #[error("the certificate cannot be read: `{0}` is not {1}")]
    Malformed(String, &'static str),
    /// A role is to choose in a state, and nothing is said about it.
    #[error("claim {claim}: it has no move for a state with {}", state_text(.state))]
    Missing {
        /// The number of the claim, from 1.
        claim: usize,
        /// The propositions that hold in the state.
        state: Vec<String>,
    },
    /// A move is not legal.
    #[error("claim {claim}: {role} may not play {played} in a state with {}", state_text(.state))]
    Illegal {
        /// The number of the claim, from 1.
        claim: usize,
        /// The role of the move.
        role: String,
        /// The move.
        played: String,
        /// The propositions that hold in the state.
        state: Vec<String>,
    },
    /// A match ends otherwise than is claimed.
    #[error("claim {claim}: a match can end with {goal} for {role}, in a state with {}", state_text(.state))]
    Goal {
        /// The number of the claim, from 1.
        claim: usize,
        /// The role of the goal.
        role: String,
        /// The goal.
        goal: i32,
        /// The propositions that hold in the state.
        state: Vec<String>,
    },
    /// A match ends with no goal for a role, or several, which proves nothing.
    #[error("claim {claim}: a match can end without exactly one goal for {role}, in a state with {}", state_text(.state))]
    Undefined {
        /// The number of the claim, from 1.
        claim: usize,
        /// The role of the goal.
        role: String,
        /// The propositions that hold in the state.
        state: Vec<String>,
    },
    /// A match comes to a state in which it cannot go on, which proves nothing.
    #[error("claim {claim}: a match can reach a state in which a role has no legal move, with {}", state_text(.state))]
    Stuck {
        /// The number of the claim, from 1.
        claim: usize,
        /// The propositions that hold in the state.
        state: Vec<String>,
    },
    /// Roles do not see the whole state, so that what they can force does not follow from it.
    #[error(
        "nothing can be proved about this game: its rules have `sees`, so roles do not see the whole state"
    )]
    HiddenInformation,
    /// A match need not come to an end.
    #[error("claim {claim}: a match may never end after a state with {}", state_text(.state))]
    Endless {
        /// The number of the claim, from 1.
        claim: usize,
        /// The propositions that hold in a state that comes again.
        state: Vec<String>,
    },
    /// The claims are right, but the value does not follow.
    #[error("{role}: the claims prove {least} to {most}, which differs from the certificate")]
    Value {
        /// The role of the value.
        role: String,
        /// The least that the role can force.
        least: i32,
        /// The most that the others can hold the role to.
        most: i32,
    },
    /// The check was stopped.
    #[error("the check was interrupted")]
    Stopped,
    /// The prover gave up.
    #[error(transparent)]
    Prover(#[from] ProverError),
}

/// The first propositions that hold.
fn state_text(fluents: &[String]) -> String {
    const SHOWN: usize = 8;
    match fluents.len() {
        0 => "no true propositions".to_string(),
        1..=SHOWN => fluents.join(" "),
        _ => format!("{} ...", fluents[..SHOWN].join(" ")),
    }
}
