//! Playout runners, which play random matches on one thread within limits.

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
    /// Returns the number of playouts that have ended so far.
    pub fn rollouts(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }

    pub(crate) fn add(&self, rollouts: u64) {
        self.0.fetch_add(rollouts, Ordering::Relaxed);
    }
}

/// The limits of [`PlayoutRunner::play`], and the progress that it updates.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct RunLimits {
    /// The time until which matches are started. Those that are running then are played to their
    /// end.
    pub deadline: Option<Instant>,
    /// The number of jobs that must be finished for play to be interrupted. Running matches then
    /// continue with the next call. By default, all jobs must be.
    pub enough: usize,
    /// Ends play at once when it is set. Running matches are not counted.
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

    /// Returns whether no matches are to be started any more.
    pub(super) fn are_up(&self) -> bool {
        self.deadline
            .is_some_and(|deadline| Instant::now() >= deadline)
    }
}

/// Plays random matches from the states of its [queue](PlayoutQueue). It is made once per thread
/// and reused: after the first time, it allocates only for more jobs than it ever had.
pub trait PlayoutRunner: Send {
    /// Returns the jobs.
    fn queue(&self) -> &PlayoutQueue;

    /// Returns the jobs, to add some or to take those that are finished.
    fn queue_mut(&mut self) -> &mut PlayoutQueue;

    /// Returns the state in which every match of the game starts.
    ///
    /// # Errors
    /// When the machine cannot continue, as when the prover hits a limit.
    fn initial_state(&mut self) -> Result<State, MachineError>;

    /// Returns the number of matches that are played at a time.
    fn lanes(&self) -> usize;

    /// Matches are started in idle lanes when idling has cost as much as this number of
    /// evaluations of the goals, which are evaluated less often if matches start and end
    /// together. With 0, matches are started at once; at first, it is 1. A runner that plays match
    /// after match ignores it.
    fn refill(&mut self, _goals: u32) {}

    /// Keeps, from now on, for each job the best of its playouts, if its goal is greater than
    /// `above`: see [`Tally::best`](super::Tally::best). With `None`, which is the default, and in
    /// games of several roles, none is kept. Matches that are already running may be skipped.
    fn track_best_line(&mut self, above: Option<i32>);

    /// Starts or stops recording the moves of the playouts of each job: see
    /// [`Tally::played_moves`](super::Tally::played_moves). For matches that are already running, only a part of the
    /// moves may be recorded. Where moves leave [marks](crate::game::ground::MoveMarks), those that were made before
    /// the match are included, and those that leave none are not. Returns the numbers of the moves; `None` if this
    /// runner records none.
    fn track_moves(&mut self, _are_wanted: bool) -> Option<MoveNumbers> {
        None
    }

    /// Removes all jobs and drops the running matches.
    fn clear(&mut self);

    /// Plays until all jobs are finished or a limit is reached.
    ///
    /// # Errors
    /// When the machine cannot continue, as when the prover hits a limit.
    fn play(&mut self, limits: &RunLimits) -> Result<(), MachineError>;
}
