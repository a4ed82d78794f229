//! Linear dependence of columns of numbers, by elimination modulo a prime.

/// The modulus: a prime below 2^31, so that products fit.
const PRIME: u64 = (1 << 31) - 1;

/// The greatest factor, by absolute value, that is reported.
const MOST: u64 = 1 << 12;

/// Columns that are linearly independent.
#[derive(Default)]
pub(super) struct Independent {
    rows: Vec<Reduced>,
}

/// A combination of the columns, in which the entry at `pivot` is one and that of all later ones
/// is zero.
struct Reduced {
    pivot: usize,
    entries: Vec<u64>,
    /// The factors of the columns.
    factors: Vec<u64>,
}

impl Independent {
    /// Returns the factors with which the added columns sum to this one, if there are any and all
    /// of them are small integers.
    pub(super) fn combination(&self, column: &[i64]) -> Option<Vec<i64>> {
        let (entries, factors) = self.reduce(column);
        let is_zero = entries.iter().all(|&entry| entry == 0);
        let signed = |factor: u64| match factor {
            0..=MOST => Some(factor as i64),
            _ if PRIME - factor <= MOST => Some(-((PRIME - factor) as i64)),
            _ => None,
        };
        is_zero.then(|| factors.into_iter().map(signed).collect())?
    }

    /// Adds a column, unless it depends on those before it. Returns whether it was added.
    pub(super) fn add(&mut self, column: &[i64]) -> bool {
        let (mut entries, mut factors) = self.reduce(column);
        let Some(pivot) = entries.iter().position(|&entry| entry != 0) else {
            return false;
        };
        factors
            .iter_mut()
            .for_each(|factor| *factor = (PRIME - *factor) % PRIME);
        factors.push(1);
        let scale = inverse(entries[pivot]);
        let numbers = entries.iter_mut().chain(&mut factors);
        numbers.for_each(|number| *number = *number * scale % PRIME);
        self.rows.push(Reduced {
            pivot,
            entries,
            factors,
        });
        true
    }

    /// Returns the remainder of a column, and the factors of the columns that were subtracted.
    fn reduce(&self, column: &[i64]) -> (Vec<u64>, Vec<u64>) {
        let modulus = PRIME as i64;
        let mut entries: Vec<u64> = (column.iter())
            .map(|entry| entry.rem_euclid(modulus) as u64)
            .collect();
        let mut factors = vec![0; self.rows.len()];
        for row in &self.rows {
            let factor = entries[row.pivot];
            if factor == 0 {
                continue;
            }
            for (entry, by) in entries.iter_mut().zip(&row.entries) {
                *entry = (*entry + (PRIME - factor) * by) % PRIME;
            }
            for (sum, by) in factors.iter_mut().zip(&row.factors) {
                *sum = (*sum + factor * by) % PRIME;
            }
        }
        (entries, factors)
    }
}

/// Returns the multiplicative inverse of a number.
fn inverse(number: u64) -> u64 {
    let (mut power, mut result, mut exponent) = (number, 1, PRIME - 2);
    while exponent > 0 {
        if exponent & 1 == 1 {
            result = result * power % PRIME;
        }
        power = power * power % PRIME;
        exponent >>= 1;
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dependent_column_has_its_factors() {
        let mut independent = Independent::default();
        assert!(independent.add(&[1, 1, 1, 1]));
        assert!(independent.add(&[0, 1, 0, 2]));
        assert!(!independent.add(&[3, 1, 3, -1]));
        assert!(independent.add(&[1, 0, 0, 5]));
        let combined = independent.combination(&[7 - 2, 7 - 3, 7, 7 - 6 - 10]);
        assert_eq!(combined, Some(vec![7, -3, -2]));
        assert_eq!(independent.combination(&[0, 0, 0, 1]), None);
    }
}
