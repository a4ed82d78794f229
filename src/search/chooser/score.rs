//! The score of minimax in trial matches against tree search.

use std::fmt;

use serde::{Deserialize, Serialize};

/// By how many standard errors a score has to be above a half so that minimax is preferred to tree search, which also
/// plays what minimax cannot; and by how many above or below, so that no more matches are needed.
const PREFERRED: f64 = 0.6;
const SHOWN: f64 = 1.5;

/// The least number of matches that show anything, and the number after which a score is accepted as it is.
const MIN_MATCHES: f64 = 4.0;
const MAX_MATCHES: f64 = 40.0;

/// Matches of minimax against tree search. Earlier ones may count as less than a match.
#[derive(Clone, Copy, PartialEq, Default, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TrialScore {
    matches: f64,
    points: f64,
}

impl fmt::Display for TrialScore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Matches that count as less are shown by tenths.
        let rounded = |number: f64| (10.0 * number).round() / 10.0;
        write!(f, "{} of {}", rounded(self.points), rounded(self.matches))
    }
}

impl TrialScore {
    /// The number of matches.
    pub fn matches(self) -> f64 {
        self.matches
    }

    /// The points of minimax: one for a win, a half for a draw.
    pub fn points(self) -> f64 {
        self.points
    }

    /// Adds a match.
    pub(super) fn add(&mut self, points: f64) {
        self.matches += 1.0;
        self.points += points;
    }

    /// Adds other matches. If there are many, the earlier ones count less.
    pub(super) fn merge(&mut self, later: TrialScore) {
        self.matches += later.matches;
        self.points += later.points;
        if self.matches > 2.0 * MAX_MATCHES {
            *self = self.faded();
        }
    }

    /// The same with half the weight, as of matches on another evaluation.
    pub(super) fn faded(self) -> TrialScore {
        TrialScore {
            matches: self.matches / 2.0,
            points: self.points / 2.0,
        }
    }

    /// Returns whether it is the score of some matches.
    pub(super) fn is_valid(self) -> bool {
        self.matches >= 0.0 && (0.0..=self.matches).contains(&self.points)
    }

    /// Returns whether more matches are needed to see which search is better.
    pub(super) fn is_open(self) -> bool {
        self.matches < MIN_MATCHES || (self.matches < MAX_MATCHES && self.lead().abs() < SHOWN)
    }

    /// Returns whether minimax is to play.
    pub(super) fn favours_minimax(self) -> bool {
        self.matches >= MIN_MATCHES && self.lead() >= PREFERRED
    }

    /// By how many standard errors of equal players the points are above a half.
    fn lead(self) -> f64 {
        (self.points - self.matches / 2.0) / (self.matches.sqrt() / 2.0).max(f64::MIN_POSITIVE)
    }
}

#[cfg(test)]
mod tests {
    use rand::RngExt;

    use super::*;
    use crate::support::rng;

    /// The part of a thousand trials in which minimax is chosen, if it wins matches with this probability.
    fn chosen(wins: f64) -> f64 {
        let trials = rng::streams(3).take(1000).filter_map(|mut rng| {
            let mut score = TrialScore::default();
            while score.is_open() {
                score.add(f64::from(u8::from(rng.random_bool(wins))));
            }
            score.favours_minimax().then_some(())
        });
        trials.count() as f64 / 1000.0
    }

    /// A thousand trials are off by 0.05 with a probability of 0.2% at most.
    #[test]
    fn what_is_better_is_chosen() {
        let chosen = [0.9, 0.7, 0.4, 0.3, 0.1].map(chosen);
        let [most, more, fewer, few, none] = chosen;
        assert!(most > 0.97 && more > 0.75, "{chosen:?}");
        assert!(fewer < 0.3 && few < 0.15 && none < 0.03, "{chosen:?}");
    }

    #[test]
    fn many_matches_and_old_ones_count_less() {
        let mut score = TrialScore::default();
        assert!(score.is_open() && !score.favours_minimax());
        (0..4).for_each(|_| score.add(1.0));
        assert!(score.favours_minimax() && !score.is_open());
        assert_eq!(score.to_string(), "4 of 4");
        let faded = score.faded();
        assert!(faded.is_open() && !faded.favours_minimax());
        for _ in 0..100 {
            score.merge(faded);
            assert!(score.is_valid() && score.matches() <= 80.0);
        }
        assert!(score.points() == score.matches());
        let impossible = TrialScore {
            matches: 1.0,
            points: f64::NAN,
        };
        assert!(!impossible.is_valid());
    }
}
