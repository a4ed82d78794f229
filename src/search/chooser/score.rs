//! The score of minimax in trial matches against tree search.

use std::fmt;

/// The part of the points that a search gets against its equal, and that of one that is clearly better.
const EQUAL: f64 = 0.5;
const BETTER: f64 = 0.8;

/// The odds at which it counts as shown which of both it is.
const ODDS: f64 = 6.0;

/// The greatest number of matches: after more, it is in between.
const MAX_MATCHES: u64 = 40;

/// Matches, and the points of minimax in them: one for a win, and a half for a draw.
#[derive(Clone, Copy, PartialEq, Default, Debug)]
pub(super) struct Score {
    matches: u64,
    points: f64,
}

impl fmt::Display for Score {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of {}", self.points, self.matches)
    }
}

impl Score {
    /// Returns the number of matches.
    pub(super) fn matches(self) -> u64 {
        self.matches
    }

    /// Adds a match.
    pub(super) fn add(&mut self, points: f64) {
        self.matches += 1;
        self.points += points;
    }

    /// Returns whether more matches are needed.
    pub(super) fn is_open(self) -> bool {
        self.evidence().abs() < ODDS.ln() && self.matches < MAX_MATCHES
    }

    /// Returns whether minimax is clearly better.
    pub(super) fn favours_minimax(self) -> bool {
        self.evidence() >= ODDS.ln()
    }

    /// The logarithm of the odds for its being better: a sequential probability ratio test (Wald, "Sequential Tests of
    /// Statistical Hypotheses", 1945), in which a draw is half a match that was won and half a match that was lost.
    fn evidence(self) -> f64 {
        let lost = self.matches as f64 - self.points;
        self.points * (BETTER / EQUAL).ln() + lost * ((1.0 - BETTER) / (1.0 - EQUAL)).ln()
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
            let mut score = Score::default();
            while score.is_open() {
                score.add(f64::from(u8::from(rng.random_bool(wins))));
            }
            score.favours_minimax().then_some(())
        });
        trials.count() as f64 / 1000.0
    }

    /// A test at odds of 6 is wrong in at most about one of six cases; a thousand trials are off by 0.04 with a
    /// probability of 0.1%.
    #[test]
    fn what_is_clearly_better_is_chosen() {
        assert!(chosen(0.9) > 0.95);
        assert!(chosen(0.8) > 0.8);
        assert!(chosen(0.5) < 0.21);
        assert!(chosen(0.3) < 0.03);
        let mut score = Score::default();
        assert!(score.is_open() && !score.favours_minimax());
        (0..4).for_each(|_| score.add(1.0));
        assert!(score.favours_minimax());
        assert_eq!(score.to_string(), "4 of 4");
    }
}
