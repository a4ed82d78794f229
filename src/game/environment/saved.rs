//! Environments to be stored.

use serde::{Deserialize, Serialize};

/// What environments need to go on elsewhere, whatever number of lanes the CPU has.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub(super) struct Saved {
    /// The state of each environment, packed.
    pub(super) states: Vec<u64>,
    /// The number of joint moves of each match.
    pub(super) ages: Vec<u32>,
    /// Whether the match is over and the next one has not been started.
    pub(super) over: Vec<bool>,
    /// For each player, what it has perceived in each environment, packed; nothing where that does not count.
    pub(super) perceived: Vec<Vec<u64>>,
    /// The seed of random choices from now on.
    pub(super) seed: u64,
}
