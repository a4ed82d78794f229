//! Outcomes of random steps.

/// The outcome of random steps.
#[derive(Clone, Default, PartialEq, Debug)]
pub struct RandomSteps {
    /// How many matches ended in a terminal state.
    pub terminated: u64,
    /// How many were truncated.
    pub truncated: u64,
    /// For each player, the sum of its goals at the end of matches, where these are defined.
    pub rewards: Vec<f64>,
}

impl RandomSteps {
    pub(super) fn add(&mut self, other: &RandomSteps) {
        self.terminated += other.terminated;
        self.truncated += other.truncated;
        self.rewards.resize(other.rewards.len(), 0.0);
        for (sum, reward) in self.rewards.iter_mut().zip(&other.rewards) {
            *sum += reward;
        }
    }
}
