//! The results of searches of many games.

use super::BatchSearch;
use super::game::Game;
use super::tree::ROOT;
use crate::game::machine::State;

/// The end of a match.
#[derive(Clone, Copy, Debug)]
pub struct MatchEnd<'a> {
    /// The reward of each player: zero if the match was truncated, not a number if a goal is undefined.
    pub rewards: &'a [f32],
    /// Whether the match was given up, since it was too long or a role had no legal move.
    pub truncated: bool,
}

impl BatchSearch {
    /// Returns the state where the search of a game begins.
    ///
    /// # Panics
    /// If there is no such game.
    pub fn state(&self, game: usize) -> State {
        State::from_words(self.games[game].tree.state(ROOT))
    }

    /// Returns how each match ended, if it is over.
    pub fn ends(&self) -> impl Iterator<Item = Option<MatchEnd<'_>>> {
        self.games.iter().map(|game| {
            game.end.as_ref().map(|end| MatchEnd {
                rewards: &end.rewards,
                truncated: end.truncated,
            })
        })
    }

    /// Returns the number of visits of each action in each game: `n * a` with `n` games and `a`
    /// [actions](crate::game::environment::Shape::actions). Visits that were made before the last
    /// [`advance`](BatchSearch::advance) count as well.
    pub fn visits(&self) -> Vec<i32> {
        let mut visits = vec![0; self.len() * self.shape.actions];
        self.each_action(&mut visits, |game, place| {
            game.tree.edges(ROOT)[place].visits as i32
        });
        visits
    }

    /// Returns the mean reward that each player can expect in each game, the rewards where the match is over, and not a
    /// number before the first search: `n * p`.
    pub fn values(&self) -> Vec<f32> {
        let (least, greatest) = self.rewards.range();
        let half = (greatest - least) / 2.0;
        let mut values = Vec::with_capacity(self.len() * self.shape.players.len());
        for game in &self.games {
            let visits = game.tree.root().visits as f32;
            let means = game.tree.totals(ROOT).iter().map(|total| total / visits);
            match &game.end {
                Some(end) => values.extend_from_slice(&end.rewards),
                None => values.extend(means.map(|mean| least + half * (mean + 1.0))),
            }
        }
        values
    }

    /// Returns the probability with which each action is to be chosen in each game: `n * a`.
    ///
    /// With PUCT, these are the numbers of visits to the power of one over the temperature, normalised. With Gumbel
    /// noise, they are the improved policy, the softmax of logits and completed values, divided by the temperature. At
    /// the temperature 0, it is 1 for the [best action](BatchSearch::best_actions). Where a match is over, all are 0.
    pub fn policy(&self, temperature: f32) -> Vec<f32> {
        let mut policy = vec![0.0; self.len() * self.shape.actions];
        let policies = self.games.iter();
        let policies = policies.map(|game| game.policy(temperature, &self.config));
        let policies: Vec<Vec<f32>> = policies.collect();
        let rows = policy.chunks_exact_mut(self.shape.actions.max(1));
        for ((game, policy), row) in self.games.iter().zip(policies).zip(rows) {
            for (action, probability) in game.tree.actions(ROOT).iter().zip(policy) {
                row[*action as usize] = probability;
            }
        }
        policy
    }

    /// Returns the action to play in each game: the most visited one, or with Gumbel noise the one that sequential
    /// halving leaves; -1 where a match is over.
    pub fn best_actions(&self) -> Vec<i32> {
        let best = self.games.iter().map(|game| {
            let place = game.best(&self.config).filter(|_| game.end.is_none());
            place.map_or(-1, |place| game.tree.actions(ROOT)[place] as i32)
        });
        best.collect()
    }

    fn each_action<T>(&self, rows: &mut [T], of: impl Fn(&Game, usize) -> T) {
        let rows = rows.chunks_exact_mut(self.shape.actions.max(1));
        for (game, row) in self.games.iter().zip(rows) {
            for (place, action) in game.tree.actions(ROOT).iter().enumerate() {
                row[*action as usize] = of(game, place);
            }
        }
    }
}
