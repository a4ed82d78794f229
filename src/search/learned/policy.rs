//! Policies: ways to decide in matches.

use std::sync::Arc;

use rand::RngExt;

use super::evaluation::{Evaluation, Scorer};
use super::weights::Shares;
use crate::game::machine::State;
use crate::game::machine::expansion::successor::Siblings;
use crate::support::rng::GameRng;

/// A policy for decisions in matches: the state of the greatest value is chosen, and the ends of matches
/// count with their goals.
#[derive(Clone, Copy, Debug)]
pub(super) enum Policy<'a> {
    /// All states have the same value.
    Random,
    /// The value is that of an evaluation.
    Evaluation(&'a Arc<Evaluation>),
    /// The value is the mean of this many playouts. If several roles decide at once, the joint moves with
    /// which a move of a role is evaluated share them.
    Playouts(u64),
}

/// A [`Policy`] at work.
pub(super) enum Judge {
    Random,
    Evaluation(Box<Scorer>),
    Playouts(Playouts),
}

/// Playouts that value the successors of all states in which they decide.
pub(super) struct Playouts {
    pub matches: u64,
    /// The states, and how many playouts there are to be from each.
    pub states: Vec<(State, u64)>,
    /// The results of the roles from each.
    pub values: std::vec::IntoIter<Shares>,
}

impl Judge {
    pub(super) fn new(policy: Policy<'_>) -> Judge {
        match policy {
            Policy::Random => Judge::Random,
            Policy::Evaluation(evaluation) => {
                Judge::Evaluation(Box::new(Scorer::new(evaluation.clone())))
            }
            Policy::Playouts(matches) => Judge::Playouts(Playouts {
                matches,
                states: Vec::new(),
                values: Vec::new().into_iter(),
            }),
        }
    }
}

impl Playouts {
    /// Queues the states that are not ends for valuation, by `matches` playouts each.
    pub(super) fn queue(&mut self, next: Siblings<'_>, matches: u64) {
        for (place, info) in next.infos.iter().enumerate() {
            if !info.turn.is_end() {
                let state = State::from_words(next.state(place));
                self.states.push((state, matches));
            }
        }
    }
}

/// The place of the greatest of some values, or by chance of one of the greatest; 0 if there are none.
pub(super) fn greatest(values: impl Iterator<Item = f32>, rng: &mut GameRng) -> usize {
    let (mut best, mut greatest, mut equal) = (0, None, 0);
    for (place, value) in values.enumerate() {
        if greatest.is_none_or(|greatest| value > greatest) {
            (best, greatest, equal) = (place, Some(value), 1);
        } else if greatest == Some(value) {
            equal += 1;
            if rng.random_range(0..equal) == 0 {
                best = place;
            }
        }
    }
    best
}
