//! The sequential probability ratio test (Wald, "Sequential Tests of Statistical Hypotheses", 1945),
//! which decides whether the first of two players is stronger than the second by `elo1`, or only by
//! `elo0`. Matches are played until one of both is sure enough.
//!
//! The test is about the mean score of a pair of matches, in which both play each side of the same
//! opening: so openings that favour a side add no noise. The logarithm of the likelihood ratio is the
//! generalised one, for any distribution of the scores of pairs (Van den Bergh, "A practical introduction
//! to the GSPRT", 2018; as in Fishtest).

use std::str::FromStr;

use serde::Serialize;

/// A test.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Sprt {
    /// The difference in Elo points under the hypothesis H0.
    pub elo0: f64,
    /// The greater difference in Elo points under the hypothesis H1.
    pub elo1: f64,
    /// The probability that H1 is accepted where H0 holds.
    pub alpha: f64,
    /// The probability that H0 is accepted where H1 holds.
    pub beta: f64,
}

/// A text is no test.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error(
    "a test is elo0,elo1,alpha,beta, as in 0,20,0.05,0.05: two rating differences, the first one smaller, and two error probabilities below 0.5"
)]
pub struct NoTest;

impl FromStr for Sprt {
    type Err = NoTest;

    fn from_str(text: &str) -> Result<Sprt, NoTest> {
        let numbers = text.split(',').map(|number| number.trim().parse::<f64>());
        let numbers: Vec<f64> = numbers.collect::<Result<_, _>>().map_err(|_| NoTest)?;
        let &[elo0, elo1, alpha, beta] = &numbers[..] else {
            return Err(NoTest);
        };
        let is_error = |p: f64| p > 0.0 && p < 0.5;
        let is_elo = |elo: f64| elo.abs() <= 1000.0;
        let is_test =
            is_elo(elo0) && is_elo(elo1) && elo0 < elo1 && is_error(alpha) && is_error(beta);
        is_test
            .then_some(Sprt {
                elo0,
                elo1,
                alpha,
                beta,
            })
            .ok_or(NoTest)
    }
}

/// The hypothesis that is accepted.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub enum Accepted {
    /// The first player is not stronger than by `elo0`.
    H0,
    /// The first player is stronger by `elo1` at least.
    H1,
}

/// The state of a test.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct SprtStatus {
    /// The number of pairs of matches.
    pub pairs: u64,
    /// The logarithm of the likelihood ratio.
    pub llr: f64,
    /// At this or less, H0 is accepted.
    pub lower: f64,
    /// At this or more, H1 is accepted.
    pub upper: f64,
    /// The accepted hypothesis, if any.
    pub accepted: Option<Accepted>,
}

/// How many pairs had each score of the first player: 0, a half, 1, 1½, 2 points.
pub type PairScores = [u64; 5];

/// Returns the expected score of a difference in Elo points.
pub fn expected_score(elo: f64) -> f64 {
    1.0 / (1.0 + 10f64.powf(-elo / 400.0))
}

impl Sprt {
    /// Returns the state of the test after these pairs. Once a hypothesis is accepted, no more are
    /// to be played.
    pub fn status(&self, scores: &PairScores) -> SprtStatus {
        let lower = (self.beta / (1.0 - self.alpha)).ln();
        let upper = ((1.0 - self.beta) / self.alpha).ln();
        let pairs = scores.iter().sum();
        let llr = match pairs {
            0 => 0.0,
            _ => log_likelihood_ratio(scores, expected_score(self.elo0), expected_score(self.elo1)),
        };
        SprtStatus {
            pairs,
            llr,
            lower,
            upper,
            accepted: match () {
                () if llr <= lower => Some(Accepted::H0),
                () if llr >= upper => Some(Accepted::H1),
                () => None,
            },
        }
    }
}

/// A constant added to each count, so that no score is considered impossible just because it has
/// not occurred yet.
const PRIOR: f64 = 1e-3;

fn log_likelihood_ratio(scores: &PairScores, mean0: f64, mean1: f64) -> f64 {
    let counts = scores.map(|count| count as f64 + PRIOR);
    let total: f64 = counts.iter().sum();
    let parts = counts.map(|count| count / total);
    let [tilt0, tilt1] = [mean0, mean1].map(|mean| tilt(&parts, mean));
    let terms = parts.iter().zip(VALUES).map(|(part, value)| {
        part * ((1.0 + tilt0 * (value - mean0)) / (1.0 + tilt1 * (value - mean1))).ln()
    });
    total * terms.sum::<f64>()
}

/// The scores of a pair, as parts of the most.
const VALUES: [f64; 5] = [0.0, 0.25, 0.5, 0.75, 1.0];

/// The number `t` for which the most likely distribution with this mean has the probabilities `part /
/// (1 + t (value - mean))`.
fn tilt(parts: &[f64; 5], mean: f64) -> f64 {
    let slope = |t: f64| -> f64 {
        let terms = parts.iter().zip(VALUES);
        terms
            .map(|(part, value)| part * (value - mean) / (1.0 + t * (value - mean)))
            .sum()
    };
    // It falls between its poles.
    let (mut low, mut high) = (-1.0 / (1.0 - mean), 1.0 / mean);
    for _ in 0..80 {
        let middle = (low + high) / 2.0;
        match slope(middle) > 0.0 {
            true => low = middle,
            false => high = middle,
        }
    }
    (low + high) / 2.0
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};

    use super::*;
    use crate::support::rng::GameRng;

    #[test]
    fn tests_are_read() {
        let sprt: Sprt = "0, 20,0.05,0.1".parse().unwrap();
        assert_eq!(
            (sprt.elo0, sprt.elo1, sprt.alpha, sprt.beta),
            (0.0, 20.0, 0.05, 0.1)
        );
        for text in [
            "",
            "0,20",
            "20,0,0.05,0.05",
            "0,20,0,0.05",
            "0,20,0.5,0.05",
            "0,x,0.1,0.1",
            "0,nan,0.1,0.1",
        ] {
            assert_eq!(text.parse::<Sprt>(), Err(NoTest), "{text}");
        }
    }

    /// With two outcomes, it is Wald's test: the ratio of two binomial likelihoods.
    #[test]
    fn the_ratio_is_walds_where_there_are_two_outcomes() {
        let sprt: Sprt = "0,50,0.05,0.05".parse().unwrap();
        let (p0, p1) = (expected_score(0.0), expected_score(50.0));
        let status = sprt.status(&[40, 0, 0, 0, 60]);
        let wald = 60.0 * (p1 / p0).ln() + 40.0 * ((1.0 - p1) / (1.0 - p0)).ln();
        assert!((status.llr - wald).abs() < 0.01, "{status:?} {wald}");
        assert!((status.upper - 19f64.ln()).abs() < 1e-12 && status.lower == -status.upper);
        assert_eq!(status.accepted, None);
        assert_eq!(sprt.status(&[0; 5]).llr, 0.0);
        assert_eq!(sprt.status(&[10, 0, 0, 0, 60]).accepted, Some(Accepted::H1));
        assert_eq!(sprt.status(&[60, 0, 0, 0, 60]).accepted, None);
        assert_eq!(sprt.status(&[90, 0, 0, 0, 60]).accepted, Some(Accepted::H0));
    }

    /// Plays pairs at random: each opening helps one side by up to `bias` Elo points, and a part of
    /// the matches is drawn. The hypothesis that is accepted, and after how many pairs.
    fn simulate(
        sprt: &Sprt,
        elo: f64,
        draws: f64,
        bias: f64,
        rng: &mut GameRng,
    ) -> (Accepted, u64) {
        let mut scores = [0; 5];
        loop {
            let shift = bias * (2.0 * rng.random::<f64>() - 1.0);
            let mut points = 0;
            for side in [shift, -shift] {
                // Draws take as much from wins as from losses.
                let score = expected_score(elo + side);
                let draw = draws * 2.0 * score.min(1.0 - score);
                let drawn: f64 = rng.random();
                points += match drawn {
                    drawn if drawn < score - draw / 2.0 => 2,
                    drawn if drawn < score + draw / 2.0 => 1,
                    _ => 0,
                };
            }
            scores[points] += 1;
            let status = sprt.status(&scores);
            if let Some(accepted) = status.accepted {
                return (accepted, status.pairs);
            }
        }
    }

    /// Errors are as rare as they should be. Each of six counts of 1000 tests with a probability of
    /// error of at most 5% is above 5% by five standard errors with a probability below 10^-6.
    /// Openings that favour a side make the mean of a pair's score differ a little from what Elo points say;
    /// the bias here is small enough for that not to matter.
    #[test]
    fn error_rates_hold() {
        const TESTS: usize = 1000;
        let sprt: Sprt = "0,80,0.05,0.05".parse().unwrap();
        let allowed = 0.05 + 5.0 * (0.05f64 * 0.95 / TESTS as f64).sqrt();
        let mut rng = GameRng::seed_from_u64(1);
        for (draws, bias) in [(0.0, 0.0), (0.6, 0.0), (0.3, 60.0)] {
            for (elo, wrong) in [(0.0, Accepted::H1), (80.0, Accepted::H0)] {
                let mut errors = 0;
                for _ in 0..TESTS {
                    let (accepted, _) = simulate(&sprt, elo, draws, bias, &mut rng);
                    errors += usize::from(accepted == wrong);
                }
                let rate = errors as f64 / TESTS as f64;
                assert!(rate <= allowed, "{elo} Elo, {draws} draws, {bias}: {rate}");
                // And not for being too careful.
                assert!(rate > 0.005, "{elo} Elo, {draws} draws, {bias}: {rate}");
            }
        }
    }
}
