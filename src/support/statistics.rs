//! Statistics of samples: running moments, from which the mean and the variance of many values are
//! computed, and confidence intervals.

use std::ops::{AddAssign, Mul, Sub};

/// The number of standard errors that a 95% confidence interval reaches to each side, if errors are
/// normally distributed.
pub(crate) const NORMAL_95: f64 = 1.96;

/// A type that moments are summed in: `i128`, which is exact for integers, or `f64`.
pub trait Number: Copy + Default + AddAssign + Mul<Output = Self> + Sub<Output = Self> {
    /// Converts a number of occurrences.
    fn from_count(count: u64) -> Self;

    /// The mean of `count` values with this sum, or for integers, one that is less than 1 off.
    fn mean_of(self, count: u64) -> Self;

    /// The nearest floating-point number.
    fn to_f64(self) -> f64;
}

impl Number for i128 {
    fn from_count(count: u64) -> i128 {
        i128::from(count)
    }

    fn mean_of(self, count: u64) -> i128 {
        self / i128::from(count)
    }

    fn to_f64(self) -> f64 {
        self as f64
    }
}

impl Number for f64 {
    fn from_count(count: u64) -> f64 {
        count as f64
    }

    fn mean_of(self, count: u64) -> f64 {
        self / count as f64
    }

    fn to_f64(self) -> f64 {
        self
    }
}

/// The number of values, their sum and the sum of their squares.
///
/// Sums of integers are exact, so that the order of addition does not matter.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Moments<N = i128> {
    /// The number of values.
    pub count: u64,
    /// Their sum.
    pub sum: N,
    /// The sum of their squares.
    pub squares: N,
}

impl<N: Number> Moments<N> {
    /// Adds a value that occurred `times` times.
    pub fn add(&mut self, value: impl Into<N>, times: u64) {
        let (value, weight) = (value.into(), N::from_count(times));
        self.count += times;
        self.sum += value * weight;
        self.squares += value * value * weight;
    }

    /// Adds all values of `other`.
    pub fn merge(&mut self, other: &Moments<N>) {
        self.count += other.count;
        self.sum += other.sum;
        self.squares += other.squares;
    }

    /// The mean, or `None` without values.
    pub fn mean(&self) -> Option<f64> {
        (self.count > 0).then(|| self.sum.to_f64() / self.count as f64)
    }

    /// The unbiased variance, or `None` with fewer than two values.
    pub fn variance(&self) -> Option<f64> {
        if self.count < 2 {
            return None;
        }
        // Squares of great values that differ little are about equal, as floating-point numbers. So the deviations
        // from about the mean are summed, exactly where sums are.
        let about = self.sum.mean_of(self.count);
        let rest = self.sum - about * N::from_count(self.count);
        let squares = self.squares - about * self.sum - about * rest;
        let n = self.count as f64;
        let rest = rest.to_f64();
        Some((squares.to_f64() - rest * rest / n).max(0.0) / (n - 1.0))
    }

    /// The standard error of the mean, or `None` with fewer than two values.
    pub fn standard_error(&self) -> Option<f64> {
        self.standard_error_of(self.count)
    }

    /// The standard error of the mean of `count` values that vary as these do, or `None` if
    /// `count` is zero or there are fewer than two values here.
    pub fn standard_error_of(&self, count: u64) -> Option<f64> {
        let variance = self.variance()?;
        (count > 0).then(|| (variance / count as f64).sqrt())
    }
}

/// Returns the 95% confidence interval of Wilson ("Probable inference, the law of succession, and
/// statistical inference", 1927) for a probability, after `count` trials of which the part `p` were
/// successes. If draws count as half a success, there is less variance than it assumes, and it is
/// wider than necessary.
pub fn wilson(p: f64, count: f64) -> (f64, f64) {
    let z = NORMAL_95;
    let centre = p + z * z / (2.0 * count);
    let width = z * (p * (1.0 - p) / count + z * z / (4.0 * count * count)).sqrt();
    let scale = 1.0 + z * z / count;
    // But for rounding, the ends of 0 and 1 are these.
    let low = if p <= 0.0 {
        0.0
    } else {
        (centre - width) / scale
    };
    let high = if p >= 1.0 {
        1.0
    } else {
        (centre + width) / scale
    };
    (low, high)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_give_mean_and_error() {
        let mut exact: Moments = Moments::default();
        let mut rounded: Moments<f64> = Moments::default();
        assert_eq!(exact.mean(), None);
        exact.add(100, 3);
        rounded.add(100, 3);
        assert_eq!(exact.standard_error(), Some(0.0));
        exact.add(0, 1);
        rounded.add(0, 1);
        assert_eq!(exact.mean(), Some(75.0));
        assert_eq!(exact.standard_error(), Some(25.0));
        assert_eq!(exact.standard_error_of(16), Some(12.5));
        assert_eq!(exact.standard_error_of(0), None);
        assert_eq!(rounded.mean(), exact.mean());
        assert_eq!(rounded.standard_error(), exact.standard_error());
    }

    #[test]
    fn great_values_that_differ_little_vary() {
        for great in [100, 1_000_000_000, i32::MAX - 1, i32::MIN] {
            let mut moments: Moments = Moments::default();
            moments.add(great, 500_000);
            moments.add(great + 1, 500_000);
            let variance = moments.variance().unwrap();
            assert!((variance - 0.25).abs() < 1e-6, "{great}: {variance}");
        }
    }

    #[test]
    fn intervals_are_wilsons() {
        // 81 of 263: an example of Newcombe, Statistics in Medicine 17 (1998).
        let (low, high) = wilson(81.0 / 263.0, 263.0);
        assert!((low - 0.2553).abs() < 1e-4 && (high - 0.3662).abs() < 1e-4);
        let (low, high) = wilson(0.0, 20.0);
        assert!(low == 0.0 && (high - 0.1611).abs() < 1e-4);
        for count in 1..1000 {
            assert_eq!(wilson(0.0, f64::from(count)).0, 0.0);
            assert_eq!(wilson(1.0, f64::from(count)).1, 1.0);
        }
    }
}
