//! The announcer of wins: reports the wins that a search finds on the way.

use std::fmt;
use std::sync::Arc;

use super::cube::Cube;

/// The number of cubes that are reported together.
const TOGETHER: usize = 32;

/// The least depth of a win that is worth reporting: a search that tries moves sees by itself what is won
/// by the next joint move.
const MIN_DEPTH: u32 = 2;

/// Cubes, each with its phase.
pub(super) type Wins = Vec<(usize, Arc<Cube>)>;

/// Win cubes that were not reported yet, and the receiver of the reports.
pub(super) struct Announcer {
    waiting: Wins,
    tell: Box<dyn FnMut(Wins) + Send>,
}

impl Announcer {
    /// Reports wins by calling this function.
    pub(super) fn new(tell: Box<dyn FnMut(Wins) + Send>) -> Announcer {
        Announcer {
            waiting: Vec::new(),
            tell,
        }
    }

    /// Takes note of a cube for states of a phase.
    pub(super) fn add(&mut self, phase: usize, cube: &Arc<Cube>) {
        if cube.won() && cube.depth() >= MIN_DEPTH {
            self.waiting.push((phase, cube.clone()));
            if self.waiting.len() >= TOGETHER {
                self.flush();
            }
        }
    }

    /// Reports what was not reported yet.
    pub(super) fn flush(&mut self) {
        if !self.waiting.is_empty() {
            (self.tell)(std::mem::take(&mut self.waiting));
        }
    }
}

impl fmt::Debug for Announcer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Announcer")
            .field("waiting", &self.waiting.len())
            .finish_non_exhaustive()
    }
}
