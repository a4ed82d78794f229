//! Ratings in Elo points, with intervals.
//!
//! The model of Bradley and Terry ("Rank analysis of incomplete block designs", 1952): a player of a
//! rating `r` gets the score 1 / (1 + 10^((s - r) / 400)) against one of rating `s`. The ratings
//! are the most likely ones, with a drawn match added for each two players that met, so that
//! they are finite; their mean is 0. A draw is half a win: intervals are wider than they need be where
//! there are many.

use serde::Serialize;

/// A rating.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Rating {
    /// Elo points above the mean of all players.
    pub elo: f64,
    /// The half of a 95% confidence interval, in Elo points.
    pub margin: f64,
}

/// What two players scored against each other.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Meeting {
    /// The number of the first player.
    pub first: usize,
    /// The number of the second one.
    pub second: usize,
    /// What the first one scored: 1, a half or 0.
    pub score: f64,
}

/// Elo points per unit of the logarithm of odds.
const SCALE: f64 = 400.0 / std::f64::consts::LN_10;

/// Drawn matches that are added for each two players that met.
const PRIOR: f64 = 1.0;

/// The ratings of `players` players after these meetings; none if some of them are not linked to
/// others by any.
pub fn ratings(players: usize, meetings: &[Meeting]) -> Option<Vec<Rating>> {
    // For each two players, the matches and what the first one scored.
    let mut matches = vec![vec![0.0; players]; players];
    let mut scores = vec![vec![0.0; players]; players];
    for meeting in meetings {
        let Meeting {
            first,
            second,
            score,
        } = *meeting;
        if first == second {
            continue;
        }
        for (a, b, score) in [(first, second, score), (second, first, 1.0 - score)] {
            if matches[a][b] == 0.0 {
                matches[a][b] = PRIOR;
                scores[a][b] = PRIOR / 2.0;
            }
            matches[a][b] += 1.0;
            scores[a][b] += score;
        }
    }
    if players < 2 || !is_linked(&matches) {
        return None;
    }
    let mut odds = vec![0.0; players];
    let mut spread = Vec::new();
    for _ in 0..100 {
        let mut gradient = vec![0.0; players];
        // The second derivatives, with a constant added that fixes the mean.
        let mut curvature = vec![vec![1.0 / players as f64; players]; players];
        for a in 0..players {
            for b in (0..players).filter(|&b| b != a) {
                let p = 1.0 / (1.0 + f64::exp(odds[b] - odds[a]));
                gradient[a] += scores[a][b] - matches[a][b] * p;
                let weight = matches[a][b] * p * (1.0 - p);
                curvature[a][a] += weight;
                curvature[a][b] -= weight;
            }
        }
        spread = inverse(curvature)?;
        let step = spread.iter().map(|row| {
            let products = row.iter().zip(&gradient);
            products.map(|(a, b)| a * b).sum::<f64>()
        });
        let step: Vec<f64> = step.collect();
        let largest = step
            .iter()
            .fold(0.0, |most: f64, step| most.max(step.abs()));
        // Far from the maximum, Newton's steps may be too long.
        let shorter = (1.0 / largest).min(1.0);
        for (odds, step) in odds.iter_mut().zip(&step) {
            *odds += step * shorter;
        }
        if largest < 1e-10 {
            break;
        }
    }
    let rated = odds.iter().zip(&spread).enumerate();
    Some(
        rated
            .map(|(player, (odds, row))| {
                let variance = (row[player] - 1.0 / players as f64).max(0.0);
                Rating {
                    elo: odds * SCALE,
                    margin: 1.96 * variance.sqrt() * SCALE,
                }
            })
            .collect(),
    )
}

/// Whether all players are linked by matches.
fn is_linked(matches: &[Vec<f64>]) -> bool {
    let mut reached = vec![false; matches.len()];
    let mut open = vec![0];
    reached[0] = true;
    while let Some(player) = open.pop() {
        for (other, &count) in matches[player].iter().enumerate() {
            if count > 0.0 && !std::mem::replace(&mut reached[other], true) {
                open.push(other);
            }
        }
    }
    reached.into_iter().all(|reached| reached)
}

/// The inverse of a matrix by elimination; none if there is none.
fn inverse(mut matrix: Vec<Vec<f64>>) -> Option<Vec<Vec<f64>>> {
    let size = matrix.len();
    for (at, row) in matrix.iter_mut().enumerate() {
        row.extend((0..size).map(|column| f64::from(u8::from(column == at))));
    }
    for at in 0..size {
        let largest = |row: &usize| matrix[*row][at].abs();
        let pivot = (at..size).max_by(|a, b| largest(a).total_cmp(&largest(b)))?;
        matrix.swap(at, pivot);
        let divisor = matrix[at][at];
        if divisor.abs() < 1e-12 {
            return None;
        }
        matrix[at].iter_mut().for_each(|value| *value /= divisor);
        let pivot = matrix[at].clone();
        for (other, row) in matrix.iter_mut().enumerate() {
            let factor = row[at];
            if other != at && factor != 0.0 {
                let pairs = row.iter_mut().zip(&pivot);
                pairs.for_each(|(value, pivot)| *value -= factor * pivot);
            }
        }
    }
    Some(matrix.into_iter().map(|row| row[size..].to_vec()).collect())
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};

    use super::*;
    use crate::rng::GameRng;

    fn meetings(first: usize, second: usize, scores: [usize; 3]) -> Vec<Meeting> {
        let each = scores.into_iter().zip([1.0, 0.5, 0.0]);
        each.flat_map(|(count, score)| {
            let meeting = Meeting {
                first,
                second,
                score,
            };
            std::iter::repeat_n(meeting, count)
        })
        .collect()
    }

    #[test]
    fn two_players() {
        let rated = ratings(2, &meetings(0, 1, [749, 0, 249])).unwrap();
        // 749.5 of 999 is the score that 191.1 points let expect.
        assert!(
            (rated[0].elo - rated[1].elo - 191.1).abs() < 0.1,
            "{rated:?}"
        );
        assert!((rated[0].elo + rated[1].elo).abs() < 1e-9);
        // The variance of the logarithm of odds is 1 / (n p q), half of the difference is each one's.
        let margin = 1.96 / (999.0 * 0.75 * 0.25f64).sqrt() / 2.0 * SCALE;
        assert!((rated[0].margin - margin).abs() < 0.1, "{rated:?} {margin}");
        let even = ratings(2, &meetings(0, 1, [3, 4, 3])).unwrap();
        assert!(even[0].elo.abs() < 1e-9);
    }

    #[test]
    fn odd_results_have_ratings() {
        // Who never loses is not infinitely good.
        let rated = ratings(2, &meetings(0, 1, [10, 0, 0])).unwrap();
        assert!(rated[0].elo > 100.0 && rated[0].elo < 1000.0);
        assert!(rated[0].margin > 100.0);
        assert_eq!(ratings(1, &[]), None);
        assert_eq!(ratings(2, &[]), None);
        assert_eq!(ratings(3, &meetings(0, 1, [1, 1, 1])), None);
    }

    /// Ratings are found again, within intervals that hold for 95 of 100. Of 4 times 300 intervals,
    /// fewer than 90% hold with a probability below 10^-7, though those of one table depend on each
    /// other: that triples the variance at most.
    #[test]
    fn intervals_hold() {
        let truth = [120.0, 30.0, -20.0, -130.0];
        let mut rng = GameRng::seed_from_u64(1);
        let mut held = 0;
        for _ in 0..300 {
            let mut all = Vec::new();
            for first in 0..4 {
                for second in 0..first {
                    let p = 1.0 / (1.0 + 10f64.powf((truth[second] - truth[first]) / 400.0));
                    for _ in 0..40 {
                        let score = f64::from(u8::from(rng.random::<f64>() < p));
                        all.push(Meeting {
                            first,
                            second,
                            score,
                        });
                    }
                }
            }
            let rated = ratings(4, &all).unwrap();
            let inside = rated.iter().zip(truth);
            held += inside
                .filter(|(r, t)| (r.elo - t).abs() <= r.margin)
                .count();
        }
        assert!((1080..=1185).contains(&held), "{held} of 1200");
    }
}
