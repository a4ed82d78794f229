//! Means and how sure they are.

/// Values of evaluations.
#[derive(Clone, Copy, Default, PartialEq, Debug)]
pub struct Sample {
    /// How many.
    pub count: u64,
    sum: f64,
    squares: f64,
}

impl Sample {
    pub fn add(&mut self, value: f64) {
        self.count += 1;
        self.sum += value;
        self.squares += value * value;
    }

    pub fn merge(&mut self, other: &Sample) {
        self.count += other.count;
        self.sum += other.sum;
        self.squares += other.squares;
    }

    /// The mean, unless there are no values.
    pub fn mean(&self) -> Option<f64> {
        (self.count > 0).then(|| self.sum / self.count as f64)
    }

    /// The standard error of the mean of so many values that are like these; none if these
    /// are fewer than two.
    pub fn standard_error(&self, count: u64) -> Option<f64> {
        let n = self.count as f64;
        let mean = self.mean()?;
        let variance = (self.squares - n * mean * mean).max(0.0) / (n - 1.0);
        (self.count > 1 && count > 0).then(|| (variance / count as f64).sqrt())
    }
}
