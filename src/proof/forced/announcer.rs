//! The announcer of wins: what a search tells of them while it goes on.

use std::fmt;
use std::sync::Arc;

use super::cube::Cube;

/// The number of cubes that are told together.
const TOGETHER: usize = 32;

/// The least depth of a win that is worth telling: what is won by the next joint move is seen by
/// whoever tries it.
const LEAST_DEPTH: u32 = 2;

/// Cubes with the phases whose states are in them.
pub(super) type Wins = Vec<(usize, Arc<Cube>)>;

/// Win cubes that were not told yet, and who wants to know of them.
pub(super) struct Announcer {
    waiting: Wins,
    tell: Box<dyn FnMut(Wins) + Send>,
}

impl Announcer {
    /// Tells of wins by this function.
    pub(super) fn new(tell: Box<dyn FnMut(Wins) + Send>) -> Announcer {
        Announcer {
            waiting: Vec::new(),
            tell,
        }
    }

    /// Takes note of a cube for states of a phase.
    pub(super) fn add(&mut self, phase: usize, cube: &Arc<Cube>) {
        if cube.won() && cube.depth() >= LEAST_DEPTH {
            self.waiting.push((phase, cube.clone()));
            if self.waiting.len() >= TOGETHER {
                self.flush();
            }
        }
    }

    /// Tells what was not told yet.
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
