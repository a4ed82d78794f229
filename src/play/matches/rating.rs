//! Ratings in Elo points, with intervals.
//!
//! The model of Bradley and Terry ("Rank analysis of incomplete block designs", 1952): a player of
//! rating `r` gets the score 1 / (1 + 10^((s - r) / 400)) against one of rating `s`. The ratings are
//! the most likely ones, with a drawn match added for each two players that met, so that they are
//! finite; their mean is 0. A draw is half a win: intervals are wider than necessary if there are
//! many.
//!
//! A match of `n` players is a meeting of each two of them, but these depend on each other: a player that
//! has beaten one opponent has most likely beaten another, too. Among equals the number of opponents that a
//! player has beaten is a rank less one, with a variance of (n² - 1) / 12 (Kendall, "Rank Correlation
//! Methods", 1948); of n - 1 independent meetings it would be (n - 1) / 4. The weight of a meeting is
//! therefore 3 / (n + 1).

use std::cmp::Ordering;

use serde::Serialize;

use crate::support::statistics::NORMAL_95;

/// A rating.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Rating {
    /// Elo points above the mean of all players.
    pub elo: f64,
    /// The half of a 95% confidence interval, in Elo points.
    pub margin: f64,
}

/// The score of two players against each other in a match.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Meeting {
    /// The number of the first player.
    pub first: usize,
    /// The number of the second one.
    pub second: usize,
    /// The score of the first one: 1, a half or 0.
    pub score: f64,
    /// The fraction of a match of two players that it counts for.
    pub weight: f64,
}

/// The meetings of a match, from the number and the goal of each player.
pub fn meetings<G: Ord>(goals: &[(usize, G)]) -> Vec<Meeting> {
    let weight = 3.0 / (goals.len() as f64 + 1.0);
    let pairs = goals.iter().enumerate();
    let pairs = pairs.flat_map(|(at, one)| goals[..at].iter().map(move |other| (one, other)));
    pairs
        .map(|((first, goal), (second, other))| Meeting {
            first: *first,
            second: *second,
            score: match goal.cmp(other) {
                Ordering::Greater => 1.0,
                Ordering::Equal => 0.5,
                Ordering::Less => 0.0,
            },
            weight,
        })
        .collect()
}

/// Elo points per unit of the logarithm of odds.
const SCALE: f64 = 400.0 / std::f64::consts::LN_10;

/// Drawn matches that are added for each two players that met.
const PRIOR: f64 = 1.0;

/// Returns the ratings of `players` players after these meetings; none if some of them are not
/// linked to others by any.
pub fn ratings(players: usize, meetings: &[Meeting]) -> Option<Vec<Rating>> {
    // For each two players, the matches and the score of the first one.
    let mut matches = vec![vec![0.0; players]; players];
    let mut scores = vec![vec![0.0; players]; players];
    for meeting in meetings {
        let Meeting {
            first,
            second,
            score,
            weight,
        } = *meeting;
        if first == second {
            continue;
        }
        for (a, b, score) in [(first, second, score), (second, first, 1.0 - score)] {
            if matches[a][b] == 0.0 {
                matches[a][b] = PRIOR;
                scores[a][b] = PRIOR / 2.0;
            }
            matches[a][b] += weight;
            scores[a][b] += weight * score;
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
                    margin: NORMAL_95 * variance.sqrt() * SCALE,
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
    use crate::support::rng::GameRng;

    /// The meetings of two players with these numbers of wins, draws and losses.
    fn results(first: usize, second: usize, counts: [usize; 3]) -> Vec<Meeting> {
        let each = counts.into_iter().zip([1, 0, -1]);
        let each = each.flat_map(|(count, goal)| std::iter::repeat_n(goal, count));
        each.flat_map(|goal| meetings(&[(first, goal), (second, 0)]))
            .collect()
    }

    #[test]
    fn two_players() {
        let rated = ratings(2, &results(0, 1, [749, 0, 249])).unwrap();
        // 749.5 of 999 is the expected score of a difference of 191.1 points.
        assert!(
            (rated[0].elo - rated[1].elo - 191.1).abs() < 0.1,
            "{rated:?}"
        );
        assert!((rated[0].elo + rated[1].elo).abs() < 1e-9);
        // The variance of the logarithm of odds is 1 / (n p q), half of the difference is each one's.
        let margin = NORMAL_95 / (999.0 * 0.75 * 0.25f64).sqrt() / 2.0 * SCALE;
        assert!((rated[0].margin - margin).abs() < 0.1, "{rated:?} {margin}");
        let even = ratings(2, &results(0, 1, [3, 4, 3])).unwrap();
        assert!(even[0].elo.abs() < 1e-9);
    }

    #[test]
    fn odd_results_have_ratings() {
        // A player that never loses is not infinitely good.
        let rated = ratings(2, &results(0, 1, [10, 0, 0])).unwrap();
        assert!(rated[0].elo > 100.0 && rated[0].elo < 1000.0);
        assert!(rated[0].margin > 100.0);
        assert_eq!(ratings(1, &[]), None);
        assert_eq!(ratings(2, &[]), None);
        assert_eq!(ratings(3, &results(0, 1, [1, 1, 1])), None);
    }

    /// Ratings are found again, in matches of two, three and four players, within intervals that hold for
    /// 95 of 100. Of 4 times 1000 intervals, fewer than 92% or more than 98.5% hold with a probability below
    /// 10^-5, though those of one table depend on each other: that triples the variance at most.
    #[test]
    fn intervals_hold() {
        let truth = [120.0, 30.0, -20.0, -130.0];
        let mut rng = GameRng::seed_from_u64(1);
        for roles in 2..=4 {
            let groups = (0..1u32 << truth.len()).filter(|group| group.count_ones() == roles);
            let groups: Vec<u32> = groups.collect();
            let mut held = 0;
            for _ in 0..1000 {
                let mut all = Vec::new();
                for group in groups.iter().flat_map(|&group| [group; 40]) {
                    // The first player to arrive wins, and so on. With exponential times, the faster of each two is
                    // as in the model (Luce, "Individual Choice Behavior", 1959).
                    let seated = (0..truth.len()).filter(|player| (group >> player) & 1 == 1);
                    let goals = seated.map(|player| {
                        let rate = 10f64.powf(truth[player] / 400.0);
                        let time = -rng.random::<f64>().ln() / rate;
                        (player, (-1e9 * time) as i64)
                    });
                    all.extend(meetings(&goals.collect::<Vec<_>>()));
                }
                let rated = ratings(truth.len(), &all).unwrap();
                let inside = rated.iter().zip(truth);
                held += inside
                    .filter(|(r, t)| (r.elo - t).abs() <= r.margin)
                    .count();
            }
            assert!((3680..=3940).contains(&held), "{roles}: {held} of 4000");
        }
    }
}
