//! Shares of the states of matches.
//!
//! The states of a match are more alike than those of different ones: many matches with few states each
//! say more than few with many. So the variance of a share is that of a ratio of sums over matches (Cochran,
//! "Sampling Techniques", 1977, on proportions in cluster sampling), and its interval is that of as many
//! independent states as would have this variance (Korn and Graubard, "Confidence intervals for
//! proportions with small expected number of positive counts estimated from survey data", 1998).

use super::figures::Share;
use crate::support::statistics::wilson;

/// Counts of states, with the sums from which their variance from match to match is computed.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct StateShare {
    matches: u64,
    /// The states that are counted, and all of them.
    counted: u64,
    all: u64,
    /// Sums over matches of the squares of both, and of their products.
    counted_squares: f64,
    all_squares: f64,
    products: f64,
}

impl StateShare {
    /// Adds a match with `all` states, of which `counted` are counted. A match without states adds no
    /// information.
    pub(super) fn add(&mut self, counted: u64, all: u64) {
        self.matches += u64::from(all > 0);
        self.counted += counted;
        self.all += all;
        let (counted, all) = (counted as f64, all as f64);
        self.counted_squares += counted * counted;
        self.all_squares += all * all;
        self.products += counted * all;
    }

    /// Returns the share of the counted states, unless there are no states.
    pub(super) fn share(&self) -> Option<Share> {
        if self.all == 0 {
            return None;
        }
        let (counted, all) = (self.counted as f64, self.all as f64);
        let share = counted / all;
        let matches = self.matches as f64;
        // The squared deviations of matches from this share.
        let squares =
            self.counted_squares - 2.0 * share * self.products + share * share * self.all_squares;
        let variance = squares.max(0.0) / (all * all) * matches / (matches - 1.0);
        let independent = share * (1.0 - share) / variance;
        // If all states are the same, or of one match, the correlation of states within a match is unknown.
        let size = match self.matches < 2 || independent.is_nan() {
            true => matches,
            false => independent,
        };
        Some(Share {
            count: counted,
            of: self.all,
            share,
            interval: wilson(share, size),
        })
    }
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};

    use super::*;
    use crate::support::rng::GameRng;

    /// In a quarter of the matches, nine of ten states are counted, and in the others one of ten. Of 2000
    /// intervals that hold for 94 of 100 at least, fewer than 91% hold with a probability below 10^-7.
    #[test]
    fn intervals_hold_where_states_of_a_match_are_alike() {
        let mut rng = GameRng::seed_from_u64(1);
        let mut held = 0;
        for _ in 0..2000 {
            let mut states = StateShare::default();
            for _ in 0..100 {
                let part = if rng.random_range(0..4) == 0 {
                    0.9
                } else {
                    0.1
                };
                let all = rng.random_range(1..=40);
                let counted = (0..all).filter(|_| rng.random::<f64>() < part).count();
                states.add(counted as u64, all);
            }
            let (low, high) = states.share().unwrap().interval;
            held += u64::from((low..=high).contains(&0.3));
        }
        assert!((1820..=1960).contains(&held), "{held} of 2000");
    }

    /// Then, a match has no more information than one state.
    #[test]
    fn all_and_none_have_intervals() {
        let of = |counted: u64, all: u64| {
            let mut states = StateShare::default();
            (0..20).for_each(|_| states.add(counted, all));
            states.share().unwrap().interval
        };
        assert_eq!(of(7, 7), wilson(1.0, 20.0));
        assert_eq!(of(0, 7), wilson(0.0, 20.0));
        let mut few = StateShare::default();
        (0..20).for_each(|number| few.add(0, number % 2));
        assert_eq!(few.share().unwrap().interval, wilson(0.0, 10.0));
        let mut one = StateShare::default();
        assert!(one.share().is_none());
        one.add(3, 10);
        assert_eq!(one.share().unwrap().interval, wilson(0.3, 1.0));
    }
}
