//! Certificates: proofs of the values of games that the rules alone can check.
//!
//! A certificate has *claims*. A claim names some roles, and says which moves they choose in all states
//! that may come then, whatever the others do; and which goals there are at the end. From claims follow the
//! *values*: what a role can force, if it is alone in the claim, and what the others can hold it to, if all
//! of them are in it. For a game of one role, the whole set of states is a claim with no role.
//!
//! [`check`](check::check) plays with the [prover](propjit_gdl::prover) against everything that the others
//! may do. It shares only this page, the format, with the code that makes certificates.
//!
//! - `check`: checks certificates.
//! - `refusal`: reasons for refusing a certificate.

mod check;
mod refusal;

use serde::{Deserialize, Serialize};

pub(crate) use check::goals_in_rules;
pub use check::{CheckProgress, Checked, check};
pub use refusal::Refusal;

/// The version of the format.
pub const FORMAT: u32 = 1;

/// Claims about a game, and what follows from them.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Certificate {
    /// The [version of the format](FORMAT).
    #[serde(rename = "propjit certificate")]
    pub format: u32,
    /// The name of the game, for people.
    pub game: String,
    /// The values of the roles that follow from the claims and from the goals that the rules give.
    pub values: Vec<GoalRange>,
    /// The propositions that positions consist of.
    pub fluents: Vec<String>,
    /// The moves that claims speak of.
    pub moves: Vec<String>,
    /// The claims.
    pub claims: Vec<Claim>,
}

/// The least and the greatest goal of a role.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GoalRange {
    /// The name of the role.
    pub role: String,
    /// The least.
    pub least: i32,
    /// The greatest.
    pub most: i32,
}

/// A claim: what some roles can bring about, whatever the others do.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Claim {
    /// The names of these roles, in the order of the rulesheet.
    pub by: Vec<String>,
    /// Whether the match comes to an end. If not, it may go on for ever.
    pub ends: bool,
    /// The goals at the end, if there is one, of those roles about which something is claimed. One that is undefined
    /// may be any that the rules give.
    pub goals: Vec<GoalRange>,
    /// The choices in the states in which the roles have a choice.
    pub positions: Vec<Position>,
}

/// The choices of some roles in a state.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Position(
    /// Which of the [propositions](Certificate::fluents) hold: a hexadecimal digit for every four of
    /// them, the first of which is the digit's lowest bit. Zeros at the end are left out.
    pub String,
    /// The moves of the roles that choose, in their order: places among [all](Certificate::moves).
    pub Vec<u32>,
);
