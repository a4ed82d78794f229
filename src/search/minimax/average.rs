//! The value of chance: the mean of what equally likely outcomes are worth.
//!
//! Outcomes are searched with windows outside which the mean is outside, too, whatever those that are left bring
//! (Ballard, "The *-minimax search procedure for trees containing chance nodes", 1983: Star1).

use super::value::{INFINITE, Value, WIN, is_decided, of_share, share};

/// Differences of shares that are less are not relied on: numbers are rounded.
const SURE: f64 = 1e-9;

/// Shares between which an outcome is, or nearly certainly is.
pub(super) type Limits = [f64; 2];

/// All shares that there are.
pub(super) const ALL: Limits = [0.0, 1.0];

/// The mean of outcomes, of which some are known.
///
/// Means are of shares, as a value is a logarithm of odds. Only if all outcomes are won is the mean a win, which is as
/// far as the farthest one; and likewise for losses. All other means are within the estimates.
#[derive(Clone, Copy, Debug)]
pub(super) struct Average {
    count: f64,
    /// The sum of the shares that are known.
    sum: f64,
    /// The sums of the limits of the others.
    rest: Limits,
    /// The least and the greatest value that is known.
    least: Value,
    greatest: Value,
}

impl Average {
    /// Nothing is known of this number of outcomes, but the sums of their limits.
    pub(super) fn new(count: usize, rest: Limits) -> Average {
        Average {
            count: count as f64,
            sum: 0.0,
            rest,
            least: INFINITE,
            greatest: -INFINITE,
        }
    }

    /// The mean of these values.
    pub(super) fn of(values: &[Value]) -> Value {
        let mut all = Average::new(values.len(), [0.0; 2]);
        values.iter().for_each(|&value| all.add(value, 1, [0.0; 2]));
        all.value()
    }

    /// Returns a window for outcomes that are alike: this number of them, with these limits for each. If their value is
    /// outside, the mean is outside a window.
    pub(super) fn window(
        &self,
        number: usize,
        limits: Limits,
        low: Value,
        high: Value,
    ) -> (Value, Value) {
        let number = number as f64;
        let others = [0, 1].map(|at| self.sum + self.rest[at] - number * limits[at]);
        let needed = |value: Value, others: f64| (self.count * share(value) - others) / number;
        let above = match needed(high, others[0]) {
            _ if is_decided(high) => high,
            needed if needed >= 1.0 - SURE => INFINITE,
            needed => of_share(needed.max(SURE)) + 1,
        };
        let below = match needed(low, others[1]) {
            _ if is_decided(low) => low,
            needed if needed <= SURE => -INFINITE,
            needed => of_share(needed.min(1.0 - SURE)) - 1,
        };
        (below, above)
    }

    /// Adds outcomes that are alike: this number of them, with this value and these limits for each.
    pub(super) fn add(&mut self, value: Value, number: usize, limits: Limits) {
        let number = number as f64;
        self.sum += number * share(value);
        for (rest, limit) in self.rest.iter_mut().zip(limits) {
            *rest -= number * limit;
        }
        self.least = self.least.min(value);
        self.greatest = self.greatest.max(value);
    }

    /// Returns a bound of the mean that is outside a window, if the mean is, whatever the outcomes that are left bring.
    pub(super) fn outside(&self, low: Value, high: Value) -> Option<Value> {
        let [least, most] = self
            .rest
            .map(|rest| (self.sum + rest.max(0.0)) / self.count);
        // If all so far are won or lost, the others may be, too.
        let most = match self.least > WIN / 2 {
            true => self.least,
            false => of_share(most),
        };
        let least = match self.greatest < -WIN / 2 {
            true => self.greatest,
            false => of_share(least),
        };
        if most <= low {
            Some(most)
        } else if least >= high {
            Some(least)
        } else {
            None
        }
    }

    /// The mean, when all outcomes are known.
    pub(super) fn value(&self) -> Value {
        if self.least > WIN / 2 {
            self.least
        } else if self.greatest < -WIN / 2 {
            self.greatest
        } else {
            of_share(self.sum / self.count)
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::search::minimax::value::MAX_ESTIMATE;

    /// A tree in which sides and chance alternate.
    #[derive(Clone, Debug)]
    enum Tree {
        End(Value),
        Chance(Vec<Tree>),
        Choice(Vec<Tree>),
    }

    fn trees() -> impl Strategy<Value = Tree> {
        let ends = prop_oneof![
            4 => -3000..3000,
            1 => (1..20).prop_map(|plies| WIN - plies),
            1 => (1..20).prop_map(|plies| plies - WIN),
        ];
        ends.prop_map(Tree::End).prop_recursive(5, 200, 4, |inner| {
            let children = prop::collection::vec(inner, 1..5);
            let choice = children.clone().prop_map(Tree::Choice);
            prop_oneof![choice, children.prop_map(Tree::Chance)]
        })
    }

    /// The value for the side that decides, which changes with each choice; without windows.
    fn full(tree: &Tree) -> Value {
        match tree {
            Tree::End(value) => *value,
            Tree::Chance(all) => Average::of(&all.iter().map(full).collect::<Vec<_>>()),
            Tree::Choice(all) => all.iter().map(|tree| -full(tree)).max().unwrap(),
        }
    }

    /// The same with a window.
    fn search(tree: &Tree, mut low: Value, high: Value) -> Value {
        match tree {
            Tree::End(value) => *value,
            Tree::Chance(all) => {
                let mut average = Average::new(all.len(), ALL.map(|of| all.len() as f64 * of));
                for tree in all {
                    let (least, most) = average.window(1, ALL, low, high);
                    average.add(search(tree, least, most), 1, ALL);
                    if let Some(value) = average.outside(low, high) {
                        return value;
                    }
                }
                average.value()
            }
            Tree::Choice(all) => {
                let mut best = -INFINITE;
                for tree in all {
                    best = best.max(-search(tree, -high, -low));
                    low = low.max(best);
                    if low >= high {
                        break;
                    }
                }
                best
            }
        }
    }

    proptest! {
        /// Windows change no value inside them, but for rounding, and wins and losses are exactly those without
        /// windows.
        #[test]
        fn windows_change_nothing_inside(tree in trees(), low in -2000..2000, width in 1..2000) {
            let value = full(&tree);
            let near = |found: Value| (found - value).abs() <= 8;
            let found = search(&tree, -INFINITE, INFINITE);
            prop_assert!(near(found) && is_decided(found) == is_decided(value));
            let high = low + width;
            let found = search(&tree, low, high);
            match found {
                _ if found <= low => prop_assert!(value <= low + 8, "{found} for {value}"),
                _ if found >= high => prop_assert!(value >= high - 8, "{found} for {value}"),
                _ => prop_assert!(near(found), "{found} for {value}"),
            }
            if is_decided(found) {
                prop_assert!(is_decided(value) && (found > 0) == (value > 0));
            }
        }
    }

    #[test]
    fn a_mean_is_won_only_if_all_outcomes_are() {
        assert_eq!(Average::of(&[WIN - 3, WIN - 9]), WIN - 9);
        assert_eq!(Average::of(&[3 - WIN, 9 - WIN]), 9 - WIN);
        assert_eq!(Average::of(&[WIN - 3, 3 - WIN]), 0);
        let mixed = Average::of(&[WIN - 3, MAX_ESTIMATE]);
        assert!(mixed > 20_000 && !is_decided(mixed));
        // A third of what is won, and two of nothing.
        let third = Average::of(&[WIN - 3, 3 - WIN, 5 - WIN]);
        assert!((share(third) - 1.0 / 3.0).abs() < 1e-3);
    }

    #[test]
    fn what_is_left_may_be_limited() {
        let limits = [0.4, 0.6];
        let mut average = Average::new(4, limits.map(|of| 4.0 * of));
        assert_eq!(average.outside(-1, 1), None);
        average.add(of_share(0.2), 1, limits);
        // At most 0.2 + 3 * 0.6 of four.
        assert!(average.outside(-1, 1).is_none_or(|value| value <= 0));
        average.add(of_share(0.2), 1, limits);
        assert!(average.outside(-1, 1).unwrap() < -300);
    }
}
