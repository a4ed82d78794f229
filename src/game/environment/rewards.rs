//! Rewards, by the goals of players.

use crate::game::ground::GroundGame;
use crate::game::machine::RoleId;

/// What players are rewarded with when a match ends in a terminal state. All other rewards are zero.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rewards {
    /// Each player gets its goal: 0 to 100 in most games.
    Goals,
    /// For two players: each gets its goal less that of the other one, divided by the greatest difference that goals
    /// allow, so that rewards are from -1 to 1 and add up to zero. That is the same game only if the sum of both goals
    /// is always the same.
    ZeroSum,
}

/// Rewards of a game, and the goals that they stand for.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct RewardRule {
    kind: Rewards,
    /// The least and the greatest goal that a player may have.
    least: f32,
    greatest: f32,
    /// The sum of the goals of two players.
    sum: f32,
}

impl RewardRule {
    /// Creates the rule for a game in which each player is rewarded with its goal.
    pub(super) fn goals(game: &GroundGame, players: &[RoleId]) -> RewardRule {
        let of = |role: &RoleId| game.propnet().roles[role.index()].goals.iter();
        let goals = players.iter().flat_map(of).map(|goal| goal.value as f32);
        let least = goals.clone().reduce(f32::min).unwrap_or(0.0);
        let greatest = goals.reduce(f32::max).unwrap_or(0.0);
        RewardRule {
            kind: Rewards::Goals,
            least,
            greatest,
            sum: least + greatest,
        }
    }

    /// Returns the rule with other rewards. The goals of two players have this sum, if some is known.
    #[must_use]
    pub(super) fn with(self, kind: Rewards, sum: Option<f32>) -> RewardRule {
        let sum = sum.unwrap_or(self.sum);
        RewardRule { kind, sum, ..self }
    }

    /// Returns what players are rewarded with.
    pub fn kind(&self) -> Rewards {
        self.kind
    }

    /// Returns the least and the greatest reward at the end of a match.
    pub fn range(&self) -> (f32, f32) {
        match self.kind {
            Rewards::Goals => (self.least, self.greatest),
            Rewards::ZeroSum if self.least == self.greatest => (0.0, 0.0),
            Rewards::ZeroSum => (-1.0, 1.0),
        }
    }

    /// Turns the goals of the players in a terminal state into rewards. Where a goal is not a number, a zero-sum reward
    /// is none either.
    pub fn to_rewards(&self, goals: &mut [f32]) {
        if let (Rewards::ZeroSum, [first, second]) = (self.kind, goals) {
            let lead = (*first - *second) / self.difference();
            (*first, *second) = (lead, 0.0 - lead);
        }
    }

    /// Turns rewards that players expect into goals.
    pub fn to_goals(&self, rewards: &mut [f32]) {
        if self.kind == Rewards::ZeroSum {
            for reward in rewards {
                *reward = (self.sum + *reward * self.difference()) / 2.0;
            }
        }
    }

    /// Returns the greatest difference of goals, and 1 if there is none.
    fn difference(&self) -> f32 {
        (self.greatest - self.least).max(1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rewards_stand_for_goals() {
        let rule = RewardRule {
            kind: Rewards::ZeroSum,
            least: 10.0,
            greatest: 90.0,
            sum: 100.0,
        };
        for (goals, rewards) in [
            ([90.0, 10.0], [1.0, -1.0]),
            ([50.0, 50.0], [0.0, 0.0]),
            ([30.0, 70.0], [-0.5, 0.5]),
        ] {
            let mut found: [f32; 2] = goals;
            rule.to_rewards(&mut found);
            assert_eq!(found, rewards);
            rule.to_goals(&mut found);
            assert_eq!(found, goals);
        }
    }
}
