//! A player on a thread of its own, so that whoever waits for it can stop waiting.
//!
//! The worker is told of a turn and gives back an [`Answer`] that fills in later.
//! Whatever the player does (take too long, panic), the one who waits is back at his
//! deadline. A new turn stops whatever the player is still doing.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex};

use super::{Choice, Ending, Player, PlayerError};
use propjit_stop::Stop;

/// A value that another thread fills in once. Clones share it.
#[derive(Debug)]
pub struct Answer<T>(Arc<(Mutex<Option<T>>, Condvar)>);

impl<T> Clone for Answer<T> {
    fn clone(&self) -> Answer<T> {
        Answer(self.0.clone())
    }
}

impl<T> Default for Answer<T> {
    fn default() -> Answer<T> {
        Answer(Arc::new((Mutex::new(None), Condvar::new())))
    }
}

impl<T: Clone> Answer<T> {
    /// Fills it in, unless that has been done.
    pub fn set(&self, value: T) {
        self.0.0.lock().get_or_insert(value);
        self.0.1.notify_all();
    }

    /// The value, as soon as it is there; `None` if it is not there at `deadline`.
    pub fn wait(&self, deadline: Instant) -> Option<T> {
        let mut value = self.0.0.lock();
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            if value.is_some() || left.is_zero() {
                return value.clone();
            }
            self.0.1.wait_for(&mut value, left);
        }
    }
}

/// The result of preparing.
pub type Prepared = Result<(), PlayerError>;

/// The result of a turn.
pub type Chosen = Result<Timed, PlayerError>;

/// A choice, and how long it took from the moment when it was asked for.
#[derive(Clone, PartialEq, Debug)]
pub struct Timed {
    /// The choice.
    pub choice: Choice,
    /// The time.
    pub time: Duration,
}

enum Task {
    Play {
        joint: Option<Vec<String>>,
        asked: Instant,
        deadline: Instant,
        stop: Stop,
        answer: Answer<Chosen>,
    },
    End(Ending, Answer<()>),
}

/// A player at work. Dropping it stops the player and lets its thread end.
pub struct Worker {
    tasks: Sender<Task>,
    /// Stops what the player is doing.
    stop: Stop,
}

impl Worker {
    /// Makes a player on a new thread and lets it prepare until `deadline`.
    pub fn start(
        make: impl FnOnce() -> Result<Box<dyn Player>, PlayerError> + Send + 'static,
        deadline: Instant,
    ) -> (Worker, Answer<Prepared>) {
        let (tasks, inbox) = channel();
        let stop = Stop::new();
        let prepared = Answer::default();
        let spawned = thread::Builder::new().name("player".to_string()).spawn({
            let (stop, prepared) = (stop.clone(), prepared.clone());
            move || run(make, &inbox, deadline, &stop, &prepared)
        });
        if let Err(error) = spawned {
            let text = format!("there is no thread for it: {error}");
            prepared.set(Err(PlayerError::Crashed(text)));
        }
        (Worker { tasks, stop }, prepared)
    }

    /// Stops what the player is doing, tells it the joint move that was made, if any,
    /// and asks for its next move.
    pub fn play(&mut self, joint: Option<Vec<String>>, deadline: Instant) -> Answer<Chosen> {
        self.stop.set();
        self.stop = Stop::new();
        let answer = Answer::default();
        let task = Task::Play {
            joint,
            asked: Instant::now(),
            deadline,
            stop: self.stop.clone(),
            answer: answer.clone(),
        };
        if self.tasks.send(task).is_err() {
            let gone = "its thread has ended".to_string();
            answer.set(Err(PlayerError::Crashed(gone)));
        }
        answer
    }

    /// Stops what the player is doing. It still answers.
    pub fn stop(&self) {
        self.stop.set();
    }

    /// Stops the player and tells it that the match is over. Its thread ends then. The
    /// answer comes when the player has heard it.
    pub fn end(&mut self, ending: Ending) -> Answer<()> {
        self.stop.set();
        let heard = Answer::default();
        if self.tasks.send(Task::End(ending, heard.clone())).is_err() {
            heard.set(());
        }
        heard
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.stop.set();
    }
}

/// The thread of a player.
fn run(
    make: impl FnOnce() -> Result<Box<dyn Player>, PlayerError>,
    inbox: &Receiver<Task>,
    deadline: Instant,
    stop: &Stop,
    prepared: &Answer<Prepared>,
) {
    let mut player = guarded(make);
    prepared.set(with(&mut player, |player| player.prepare(deadline, stop)));
    ponder(&mut player, stop);
    for task in inbox {
        match task {
            Task::Play {
                joint,
                asked,
                deadline,
                stop,
                answer,
            } => {
                let chosen = with(&mut player, |player| {
                    joint.map_or(Ok(()), |joint| player.advance(&joint))?;
                    match stop.is_set() {
                        // Nobody waits for this turn any more.
                        true => Err(PlayerError::Stopped),
                        false => player.choose(deadline, &stop),
                    }
                });
                let time = asked.elapsed();
                answer.set(chosen.map(|choice| Timed { choice, time }));
                ponder(&mut player, &stop);
            }
            Task::End(ending, heard) => {
                let _ = with(&mut player, |player| {
                    player.end(&ending);
                    Ok(())
                });
                heard.set(());
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

/// Lets the player do something; one that crashes is no player any more.
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

/// Turns a panic into an error. What a player has left half-done is never used again.
fn guarded<T>(work: impl FnOnce() -> Result<T, PlayerError>) -> Result<T, PlayerError> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<&str>().map(|text| text.to_string());
        let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
        let text = text.unwrap_or_else(|| "a panic without a message".to_string());
        Err(PlayerError::Crashed(text))
    })
}
