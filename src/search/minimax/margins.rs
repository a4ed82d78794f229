//! Margins, learned during the search: how far estimates are from what a search of one ply finds.
//!
//! No game has the same ones, and no evaluation, so that there is no constant that fits all.

use super::value::Value;

/// By how much a quantile moves with each observation, as a part of its size.
const RATE: f32 = 0.002;

/// The least margin.
const MIN: f32 = 10.0;

/// Quantiles of the differences between estimates and the values after another ply.
#[derive(Clone, Debug)]
pub(super) struct Margins {
    /// In 95% of all nodes, the value is not below the estimate by more than this.
    lost: f32,
    /// In 90% of all nodes, the best child is not above the estimate by more than this.
    gained: f32,
}

impl Default for Margins {
    fn default() -> Margins {
        Margins {
            lost: 100.0,
            gained: 200.0,
        }
    }
}

impl Margins {
    /// The children of a node with this estimate are estimated.
    pub(super) fn note_gain(&mut self, gain: Value) {
        follow(&mut self.gained, gain as f32, 0.9);
    }

    /// A node with an estimate has been searched one ply deep.
    pub(super) fn note_loss(&mut self, loss: Value) {
        follow(&mut self.lost, loss as f32, 0.95);
    }

    /// This part of what values lose in a ply at most, in nearly all cases.
    pub(super) fn loss(&self, part: f32) -> Value {
        (self.lost.max(MIN) * part) as Value
    }

    /// This part of what the best child gains at most, in most cases.
    pub(super) fn gain(&self, part: f32) -> Value {
        (self.gained.max(MIN) * part) as Value
    }

    /// What gains more than this is noisy.
    pub(super) fn noise(&self) -> Value {
        self.gain(1.0)
    }
}

/// Moves an estimate of a quantile by one more observation.
fn follow(quantile: &mut f32, seen: f32, part: f32) {
    let step = if seen > *quantile { part } else { part - 1.0 };
    *quantile += step * RATE * quantile.abs().max(MIN);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn margins_are_quantiles() {
        let mut margins = Margins::default();
        // Losses are from 0 to 999, and gains from 0 to -999, each about as often.
        for number in 0..100_000 {
            let seen = number * 7919 % 1000;
            margins.note_loss(seen);
            margins.note_gain(-seen);
        }
        let loss = margins.loss(1.0);
        assert!((930..970).contains(&loss), "{loss}");
        assert_eq!(margins.noise(), MIN as Value);
    }
}
