//! What plays random matches on one thread, and the limits that it heeds.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use propjit_stop::Stop;

use super::move_numbers::MoveNumbers;
use super::queue::PlayoutQueue;
use crate::game::machine::{MachineError, State};
use crate::support::setters::setters;

/// The number of playouts that have ended, for other threads to read. Clones share it.
#[derive(Clone, Default, Debug)]
pub struct PlayoutProgress(Arc<AtomicU64>);

impl PlayoutProgress {
    /// The number of playouts that have ended so far.
    pub fn rollouts(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }

    pub(crate) fn add(&self, rollouts: u64) {
        self.0.fetch_add(rollouts, Ordering::Relaxed);
    }
}

/// When [`PlayoutRunner::play`] is to return, and what it is to keep up to date.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct RunLimits {
    /// The time until which matches are started. Those that run then are played to their end.
    pub deadline: Option<Instant>,
    /// The number of jobs that must be finished for play to be interrupted. Matches that run
    /// then go on when play does. By default, all jobs must be.
    pub enough: usize,
    /// Ends play at once when it is set. The matches that run are not counted.
    pub stop: Stop,
    /// The number of playouts that have ended.
    pub progress: PlayoutProgress,
}

impl Default for RunLimits {
    fn default() -> RunLimits {
        RunLimits {
            deadline: None,
            enough: usize::MAX,
            stop: Stop::new(),
            progress: PlayoutProgress::default(),
        }
    }
}

impl RunLimits {
    setters! {
        with_deadline(deadline: Option<Instant>);
        with_enough(enough: usize);
        with_stop(stop: Stop);
        with_progress(progress: PlayoutProgress);
    }

    /// Whether no matches are to be started any more.
    pub(super) fn are_up(&self) -> bool {
        self.deadline
            .is_some_and(|deadline| Instant::now() >= deadline)
    }
}

/// Plays random matches from the states of its [queue](PlayoutQueue). It is made once per
/// thread and used again and again: after the first time, it allocates only for more jobs than
/// it ever had.
pub trait PlayoutRunner: Send {
    /// The jobs.
    fn queue(&self) -> &PlayoutQueue;

    /// The jobs, to add some or to take those that are finished.
    fn queue_mut(&mut self) -> &mut PlayoutQueue;

    /// The state in which every match of the game starts.
    ///
    /// # Errors
    /// When the machine cannot go on, as when the prover hits a limit.
    fn initial_state(&mut self) -> Result<State, MachineError>;

    /// The number of matches that are played at a time.
    fn lanes(&self) -> usize;

    /// Matches are started in idle lanes when idling has cost as much as this number of
    /// evaluations of the goals, which are evaluated less often if matches start and end
    /// together. With 0, matches are started at once; at first, it is 1. A runner that plays
    /// match after match has no use for it.
    fn refill(&mut self, _goals: u32) {}

    /// From now on, keeps for each job the best of its playouts, if its goal is greater than
    /// `above`: see [`Tally::best`](super::Tally::best). With `None`, which is so at first, and
    /// in games of several roles, none is kept. Of matches that run already, none may be.
    fn track_best_line(&mut self, above: Option<i32>);

    /// From now on, keeps for each job of what moves its playouts were made, or not any more: see
    /// [`Tally::played_moves`](super::Tally::played_moves). Of matches that run already, it may be a part of
    /// the moves. Where moves leave [marks](crate::game::ground::MoveMarks), those that were made before the match are
    /// among them, and those that leave none are not. Returns the numbers of the moves; nothing if this runner
    /// keeps none.
    fn track_moves(&mut self, _are_wanted: bool) -> Option<MoveNumbers> {
        None
    }

    /// Removes all jobs and drops the matches that run.
    fn clear(&mut self);

    /// Plays until all jobs are finished or a limit is reached.
    ///
    /// # Errors
    /// When the machine cannot go on, as when the prover hits a limit.
    fn play(&mut self, limits: &RunLimits) -> Result<(), MachineError>;
}
