//! Matches between a search with an evaluation and one without, the best indication of whether it helps.
//!
//! An evaluation may predict well how matches end, win against playouts, and still mislead a search, which
//! sees the tactics of a few moves by itself and is slower with it. This module does not depend on how
//! searches are made.

use propjit_stop::Stop;

use super::trust::{Trust, TrustedEvaluation};
use crate::game::engine::MatchEngines;
use crate::game::machine::MachineError;
use crate::support::statistics::Moments;

/// The score of a search against itself, and the least score of one with an evaluation that helps. At equal
/// nodes, a thousand for each move, evaluations with which the search wins at equal clocks get 0.85 to 1
/// (breakthrough, checkers, reversi, speedChess), and those with which it loses 0.25 to 0.65 (quad,
/// cubicup, cittaceot, connectFourLarge).
const EQUAL: f64 = 0.5;
const USEFUL: f64 = 0.85;

/// The odds at which it is sure which of both it is, so that no more matches are played: a verdict is wrong
/// in one of twenty cases. And those at which matches outweigh all other evidence if there is no time for
/// more.
const SURE: f64 = 19.0;
const LIKELY: f64 = 6.0;

/// How many matches there are at most: for more, it is in between.
const MAX_MATCHES: u64 = 60;

/// A match between a search with an evaluation and one without.
#[derive(Clone, Copy, Debug)]
pub struct SearchMatch<'a> {
    /// The engines of the game.
    pub engines: &'a MatchEngines,
    /// The evaluation of one of the two searches.
    pub evaluation: &'a TrustedEvaluation,
    /// How many there were before. Roles change from one to the next, and two in a row have the same opening.
    pub number: u64,
    /// The [seed](crate::support::rng) of the random numbers.
    pub seed: u64,
}

/// Plays such a match, unless a stop comes. Returns the share of the pairs of a role with the evaluation
/// and one without, of which one got more, in which that was the one with it; a half if there are none.
///
/// # Errors
/// When the machine cannot go on.
pub type PlaySearchMatch = fn(&SearchMatch<'_>, &Stop) -> Result<Option<f32>, MachineError>;

/// The scores of searches with an evaluation against those without, by how far they trust it.
#[derive(Clone, Copy, Default, Debug)]
pub struct BetweenSearches {
    /// The score with full trust.
    pub full: Moments<f64>,
    /// The score as a hint.
    pub hint: Moments<f64>,
}

impl BetweenSearches {
    /// Plays matches until these are conclusive: `next` plays one or a few more from this number on, or
    /// none if there is no time. It is tried as a hint if it does not deserve full trust.
    pub(super) fn play<E>(
        mut next: impl FnMut(Trust, u64) -> Result<Vec<f32>, E>,
    ) -> Result<BetweenSearches, E> {
        let mut between = BetweenSearches::default();
        for trust in [Trust::Full, Trust::Hint] {
            let score = match trust {
                Trust::Full => &mut between.full,
                Trust::Hint => &mut between.hint,
            };
            while is_useful(score, SURE).is_none() && score.count < MAX_MATCHES {
                let played = next(trust, score.count)?;
                if played.is_empty() {
                    return Ok(between);
                }
                played.into_iter().for_each(|points| score.add(points, 1));
            }
            if is_useful(score, SURE) != Some(false) {
                break;
            }
        }
        Ok(between)
    }

    /// Returns how far it is to be trusted by these matches, if it is; `otherwise` if they are not
    /// conclusive.
    ///
    /// An evaluation that is no more than a hint without such matches, or lost as fully trusted, is not
    /// trusted if there was no time to try that: in most games such evaluations do harm. In
    /// connectFourLarger the search scored 25% of 20 with one against an early version, and 57% of 40
    /// without.
    pub(super) fn trust(&self, otherwise: Option<Trust>) -> Option<Trust> {
        let as_a_hint = |tried: &Moments<f64>| {
            let trust = otherwise.map(|trust| trust.min(Trust::Hint));
            trust.filter(|_| tried.count > 0)
        };
        match (is_useful(&self.full, LIKELY), is_useful(&self.hint, LIKELY)) {
            (Some(true), _) => Some(Trust::Full),
            (None, _) if otherwise == Some(Trust::Full) => otherwise,
            (None, _) => as_a_hint(&self.full),
            (Some(false), Some(true)) => Some(Trust::Hint),
            (Some(false), None) => as_a_hint(&self.hint),
            (Some(false), Some(false)) => None,
        }
    }

    /// Returns whether matches show that it does not help, however far it is trusted.
    pub(super) fn is_decided(&self) -> bool {
        [self.full, self.hint]
            .iter()
            .all(|score| is_useful(score, LIKELY) == Some(false))
    }
}

/// Returns whether an evaluation with this score helps: a sequential probability ratio test (Wald,
/// "Sequential Tests of Statistical Hypotheses", 1945), in which a draw is half a match that was won and
/// half a match that was lost. Nothing if the odds for either are less.
fn is_useful(score: &Moments<f64>, odds: f64) -> Option<bool> {
    let matches = score.count as f64;
    let won = matches * score.mean()?;
    let evidence =
        won * (USEFUL / EQUAL).ln() + (matches - won) * ((1.0 - USEFUL) / (1.0 - EQUAL)).ln();
    (evidence.abs() >= odds.ln()).then_some(evidence > 0.0)
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use rand::RngExt;

    use super::*;
    use crate::support::rng;

    /// Returns the trust after matches that are won with these probabilities, in the order in which they
    /// are played.
    fn trusts(full: f64, hint: f64, otherwise: Option<Trust>) -> Vec<Option<Trust>> {
        let trials = rng::streams(1).take(1000).map(|mut rng| {
            let between = BetweenSearches::play(|trust, _| {
                let wins = rng.random_bool(if trust == Trust::Full { full } else { hint });
                Ok::<_, Infallible>(vec![if wins { 1.0 } else { 0.0 }])
            });
            between.unwrap().trust(otherwise)
        });
        trials.collect()
    }

    fn share(trusts: &[Option<Trust>], of: Option<Trust>) -> f64 {
        trusts.iter().filter(|&&trust| trust == of).count() as f64 / trusts.len() as f64
    }

    /// A test is wrong in at most about one of twenty cases; a thousand trials are off by 0.02 with a probability of 0.5%.
    #[test]
    fn what_wins_is_trusted_and_what_does_not_is_not() {
        for otherwise in [None, Some(Trust::Hint), Some(Trust::Full)] {
            assert!(share(&trusts(0.85, 0.5, otherwise), Some(Trust::Full)) > 0.93);
            assert!(share(&trusts(0.5, 0.9, otherwise), Some(Trust::Hint)) > 0.86);
            assert!(share(&trusts(0.3, 0.5, otherwise), None) > 0.93);
        }
    }

    /// Without time for matches, nothing is known by them, and a hint is not trusted.
    #[test]
    fn what_was_not_played_tells_nothing() {
        let of = |most: u64| {
            let between = BetweenSearches::play(|trust, count| {
                let has_time = trust == Trust::Full && count < most;
                Ok::<_, Infallible>(Vec::from_iter(has_time.then_some(0.0)))
            });
            between.unwrap()
        };
        for otherwise in [None, Some(Trust::Hint), Some(Trust::Full)] {
            assert_eq!(of(1).trust(otherwise), otherwise);
            for most in [2, 100] {
                assert_eq!(of(most).trust(otherwise), None);
            }
            let full = otherwise.filter(|trust| *trust == Trust::Full);
            assert_eq!(of(0).trust(otherwise), full);
        }
    }
}
