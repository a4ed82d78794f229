//! Players on threads of their own, so that a wait for them can always end.
//!
//! The worker is given a turn and returns a [`Background`] answer. Whatever the player does (take
//! too long, panic), a wait for its answer ends at the deadline. A new turn stops the player's
//! current work.

use std::thread;
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, Sender, unbounded};
use propjit_stop::Stop;

use super::observed::Observed;
use super::player::{Choice, Ending, Player};
use super::player_error::PlayerError;
use super::shared_position::SharedPosition;
use crate::support::background::{Background, Promise};
use crate::support::crash::caught;

/// The result of preparing: how long it took.
pub(crate) type Prepared = Result<Duration, PlayerError>;

/// The result of a turn.
pub(crate) type Chosen = Result<TimedChoice, PlayerError>;

/// A choice, and the time that it took since it was requested.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct TimedChoice {
    /// The choice.
    pub choice: Choice,
    /// The time.
    pub time: Duration,
}

enum Task {
    Play {
        observed: Option<Observed>,
        next: Option<SharedPosition>,
        asked: Instant,
        deadline: Instant,
        stop: Stop,
        answer: Promise<Chosen>,
    },
    End {
        ending: Ending,
        asked: Instant,
        heard: Promise<Option<Duration>>,
    },
}

/// A player at work. Dropping it stops the player and lets its thread end.
///
/// If the thread has ended or cannot be started, tasks are dropped, and with them their promises:
/// the answers are then their fallbacks.
pub(crate) struct Worker {
    tasks: Sender<Task>,
    /// Stops the player's current work.
    stop: Stop,
}

impl Worker {
    /// Makes a player on a new thread and lets it prepare until `deadline`.
    pub(crate) fn start(
        make: impl FnOnce() -> Result<Box<dyn Player>, PlayerError> + Send + 'static,
        deadline: Instant,
    ) -> (Worker, Background<Prepared>) {
        let (tasks, inbox) = unbounded();
        let stop = Stop::new();
        let (promise, prepared) = Background::promised(no_thread);
        let spawned = thread::Builder::new().name("player".to_string()).spawn({
            let stop = stop.clone();
            move || run(make, &inbox, deadline, &stop, promise)
        });
        if let Err(error) = spawned {
            tracing::warn!(%error, "cannot start the thread of a player");
        }
        (Worker { tasks, stop }, prepared)
    }

    /// Stops the player's current work, passes to it what it observed of the last joint move, if any, with the position
    /// `next` if that is shared, and requests its next move.
    pub(crate) fn play(
        &mut self,
        observed: Option<Observed>,
        next: Option<SharedPosition>,
        deadline: Instant,
    ) -> Background<Chosen> {
        self.stop.set();
        self.stop = Stop::new();
        let (answer, chosen) = Background::promised(no_thread);
        let _ = self.tasks.send(Task::Play {
            observed,
            next,
            asked: Instant::now(),
            deadline,
            stop: self.stop.clone(),
            answer,
        });
        chosen
    }

    /// Stops the player's current work. It still answers.
    pub(crate) fn stop(&self) {
        self.stop.set();
    }

    /// Stops the player and notifies it that the match is over. Its thread ends then. The answer,
    /// how long it took, comes when the player has been informed; none from one without a thread.
    pub(crate) fn end(&mut self, ending: Ending) -> Background<Option<Duration>> {
        self.stop.set();
        let (promise, answer) = Background::promised(|| None);
        let _ = self.tasks.send(Task::End {
            ending,
            asked: Instant::now(),
            heard: promise,
        });
        answer
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.stop.set();
    }
}

/// The answer of a player without a thread.
fn no_thread<T>() -> Result<T, PlayerError> {
    Err(PlayerError::Crashed(
        "its thread ended or could not be started".to_string(),
    ))
}

/// The thread of a player.
fn run(
    make: impl FnOnce() -> Result<Box<dyn Player>, PlayerError>,
    inbox: &Receiver<Task>,
    deadline: Instant,
    stop: &Stop,
    prepared: Promise<Prepared>,
) {
    let start = Instant::now();
    let mut player = guarded(make);
    let result = with(&mut player, |player| player.prepare(deadline, stop));
    prepared.keep(result.map(|()| start.elapsed()));
    ponder(&mut player, stop);
    for task in inbox {
        match task {
            Task::Play {
                observed,
                next,
                asked,
                deadline,
                stop,
                answer,
            } => {
                let chosen = with(&mut player, |player| {
                    observed.map_or(Ok(()), |observed| player.advance(&observed, next.as_ref()))?;
                    match stop.is_set() {
                        // The result of this turn is not needed any more.
                        true => Err(PlayerError::Stopped),
                        false => player.choose(deadline, &stop),
                    }
                });
                let time = asked.elapsed();
                answer.keep(chosen.map(|choice| TimedChoice { choice, time }));
                ponder(&mut player, &stop);
            }
            Task::End {
                ending,
                asked,
                heard,
            } => {
                let told = with(&mut player, |player| player.end(&ending));
                heard.keep(told.ok().map(|()| asked.elapsed()));
                return;
            }
        }
    }
}

fn ponder(player: &mut Result<Box<dyn Player>, PlayerError>, stop: &Stop) {
    // A crash shows in the next turn.
    let _ = with(player, |player| {
        player.ponder(stop);
        Ok(())
    });
}

/// Runs a task of the player; after a panic the player is dropped.
fn with<T>(
    player: &mut Result<Box<dyn Player>, PlayerError>,
    work: impl FnOnce(&mut dyn Player) -> Result<T, PlayerError>,
) -> Result<T, PlayerError> {
    let present = player.as_mut().map_err(|error| error.clone())?;
    let result = guarded(|| work(&mut **present));
    if let Err(PlayerError::Crashed(message)) = &result {
        *player = Err(PlayerError::Crashed(message.clone()));
    }
    result
}

/// Turns a panic into an error. The half-finished state of a player is never used again.
fn guarded<T>(work: impl FnOnce() -> Result<T, PlayerError>) -> Result<T, PlayerError> {
    caught(work).unwrap_or_else(|message| Err(PlayerError::Crashed(message)))
}
