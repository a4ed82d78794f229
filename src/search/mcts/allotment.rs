//! How many playouts a leaf gets each time that it is visited.
//!
//! One more playout costs less than the way to another leaf, where many are played at a time.
//! But more nodes make a search stronger than more playouts, so only a part of the time is for
//! them. What things cost is measured as the search goes on: it depends on the circuit, which
//! may change, on the length of matches and on the tree.
//!
//! Scores of searches with so many playouts a leaf against others, at equal time, with decisive
//! moves (40 to 50 matches each; their standard error is 7 to 8 points), and what the way to a
//! leaf costs, in playouts:
//!
//! | game | way | 2 : 1 | 4 : 1 | 16 : 4 |
//! |---|---|---|---|---|
//! | breakthrough | 5 | 44% | 38% | |
//! | reversi | 4 | 47% | 64% | 34% |
//! | connect four | 12 | | | 58% |

use std::time::Duration;

/// What playouts may cost, as a part of the way to their leaf.
const PART: f64 = 0.25;

/// How many playouts a leaf gets at most.
const MOST: u64 = 4;

/// After so many leaves, what was measured before counts half.
const RECENT: u64 = 1 << 14;

/// What was measured.
#[derive(Default, Debug)]
pub struct Allotment {
    playing: Duration,
    playouts: u64,
    /// All the rest of the time.
    finding: Duration,
    leaves: u64,
}

impl Allotment {
    /// Counts what it took to find some leaves, and to play in them.
    pub fn spend(&mut self, finding: Duration, leaves: u64, playing: Duration, playouts: u64) {
        if self.leaves > RECENT {
            self.finding /= 2;
            self.leaves /= 2;
            self.playing /= 2;
            self.playouts /= 2;
        }
        self.finding += finding;
        self.leaves += leaves;
        self.playing += playing;
        self.playouts += playouts;
    }

    /// How many playouts a leaf should get now.
    pub fn playouts(&self) -> u64 {
        let leaf = self.finding.as_secs_f64() / self.leaves as f64;
        let playout = self.playing.as_secs_f64() / self.playouts as f64;
        // Not a number, as long as nothing was measured.
        ((PART * leaf / playout).round() as u64).clamp(1, MOST)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_costs_little_is_done_often() {
        let micros = Duration::from_micros;
        let mut allotment = Allotment::default();
        assert_eq!(allotment.playouts(), 1);
        for (playing, expected) in [(900, 1), (125, 2), (80, 3), (1, MOST), (5000, 1)] {
            for _ in 0..100 {
                allotment.spend(micros(1000), 1000, micros(playing), 1000);
            }
            assert_eq!(allotment.playouts(), expected, "{playing}");
        }
    }
}
