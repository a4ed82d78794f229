//! The match that a session plays, with fallbacks for late or wrong moves.
//!
//! What is answered to `PLAY`, in this order: the player's move, if it is legal and in
//! time; the first legal move that the [`Clerk`] has found; the first legal
//! move of the turn before; `nil`. A `PLAY` that comes again while it is thought about
//! waits for the same answer; one with other moves is the next turn, and the
//! answer to the last one is not needed any more.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::Mutex;

use super::clerk::{Clerk, Legal};
use super::log::Log;
use super::message::{Reply, Request};
use crate::background::Background;
use crate::matches::worker::{Chosen, Prepared, TimedChoice, Worker};
use crate::matches::{Choice, Ending, PlayerError, PlayerFactory, Rulesheet, Seat, find_text};

/// When an answer is due.
pub(super) struct Due {
    /// When the request came.
    received: Instant,
    /// When the player is to be done.
    think: Instant,
    /// When the answer is sent, wherever it comes from.
    answer: Instant,
    /// When an answer is sent even if no legal move is known by then.
    last: Instant,
    /// When the clock ends.
    end: Instant,
}

impl Due {
    /// For a request that came at `received` and has a clock.
    pub(super) fn new(received: Instant, clock: Duration, margin: Duration) -> Due {
        let margin = margin.min(clock / 2);
        let end = received + clock;
        Due {
            received,
            think: end - margin,
            answer: end - margin / 2,
            last: end - margin / 8,
            end,
        }
    }
}

/// How long a move of the player waits to be checked.
const CHECK_TIME: Duration = Duration::from_millis(50);

/// A match that is being played.
pub(super) struct LiveMatch {
    id: String,
    play_clock: Duration,
    log: Log,
    rulesheet: Arc<Rulesheet>,
    prepared: Background<Prepared>,
    current: Mutex<Current>,
}

/// The state that changes from turn to turn.
struct Current {
    worker: Worker,
    clerk: Clerk,
    turn: Turn,
    /// The clock of the last request ends here.
    last_deadline: Instant,
}

/// A turn of the player.
#[derive(Clone)]
struct Turn {
    number: u64,
    /// The joint move before.
    joint: Option<Vec<String>>,
    /// None before the first PLAY.
    chosen: Option<Background<Chosen>>,
    legal: Background<Legal>,
    answered: bool,
}

impl LiveMatch {
    /// Sets a player to work, with a log in the folder `logs` if there is one.
    pub(super) fn start(
        player: PlayerFactory,
        seat: Seat,
        logs: Option<&Path>,
        due: &Due,
    ) -> LiveMatch {
        let id = seat.match_id.clone();
        let log = Log::create(logs, &id, due.received);
        let log = log.unwrap_or_else(|error| {
            tracing::error!(%error, "the match is not logged");
            Log::nowhere(due.received)
        });
        let clerk = Clerk::start(seat.rulesheet.clone(), seat.role);
        let turn = Turn {
            number: 0,
            joint: None,
            chosen: None,
            legal: clerk.turn(None),
            answered: true,
        };
        let play_clock = seat.play_clock;
        let rulesheet = seat.rulesheet.clone();
        let (worker, prepared) = Worker::start(move || player.make(&seat), due.think);
        let current = Mutex::new(Current {
            worker,
            clerk,
            turn,
            last_deadline: due.end,
        });
        LiveMatch {
            id,
            play_clock,
            log,
            rulesheet,
            prepared,
            current,
        }
    }

    /// The match's name.
    pub(super) fn id(&self) -> &str {
        &self.id
    }

    /// Time for each move.
    pub(super) fn play_clock(&self) -> Duration {
        self.play_clock
    }

    /// When the clock of the last request ends.
    pub(super) fn last_deadline(&self) -> Instant {
        self.current.lock().last_deadline
    }

    /// Waits until the player is prepared, or `START` must be answered.
    pub(super) fn prepare(&self, request: &Request, due: &Due) {
        let error = match self.prepared.wait_until(due.answer) {
            Some(Ok(_)) => None,
            Some(Err(error)) => Some(error.clone()),
            None => Some(PlayerError::TimedOut),
        };
        if let Some(error) = &error {
            tracing::warn!(id = self.id, %error, "the player is not prepared");
        }
        self.write(due.received, request, &Reply::Ready, error, None);
    }

    /// The answer to `PLAY`.
    pub(super) fn play(&self, joint: Option<&Vec<String>>, request: &Request, due: &Due) -> Reply {
        let (turn, before) = self.turn(joint, due);
        let chosen = turn.chosen.as_ref();
        let chosen = chosen.and_then(|chosen| chosen.wait_until(due.answer));
        let chosen = chosen.cloned().unwrap_or(Err(PlayerError::TimedOut));
        // A move of the player is not held up for long by the check.
        let patience = match chosen {
            Ok(_) => due.answer.min(Instant::now() + CHECK_TIME),
            Err(_) => due.answer,
        };
        let legal = turn.legal.wait_until(patience).or_else(|| match chosen {
            Ok(_) => None,
            Err(_) => turn.legal.wait_until(due.last),
        });
        let (choice, error) = choose(chosen, legal.map(|legal| &**legal), before.as_deref());
        self.answered(turn.number);
        match &error {
            None => {}
            // The match is over, or goes on already.
            Some(PlayerError::Stopped) => tracing::debug!(id = self.id, "the turn was stopped"),
            Some(error) => {
                let played = &choice.text;
                tracing::error!(id = self.id, %error, played, "the player has no move");
            }
        }
        let reply = Reply::Move(choice.text);
        self.write(due.received, request, &reply, error, choice.statistics);
        reply
    }

    /// The turn that follows `joint`, with the legal moves of the turn before if they are
    /// known by now. It starts unless it is being thought about already.
    fn turn(&self, joint: Option<&Vec<String>>, due: &Due) -> (Turn, Option<Legal>) {
        let mut current = self.current.lock();
        let before = current.turn.legal.get().cloned();
        let is_repeated = !current.turn.answered && current.turn.joint.as_ref() == joint;
        if !is_repeated {
            let joint = joint.cloned();
            current.last_deadline = due.end;
            current.turn = Turn {
                number: current.turn.number + 1,
                chosen: Some(current.worker.play(joint.clone(), due.think)),
                legal: current.clerk.turn(joint.clone()),
                joint,
                answered: false,
            };
        }
        (current.turn.clone(), before)
    }

    /// The turn is over, and so is thinking about it if it still goes on.
    fn answered(&self, turn: u64) {
        let mut current = self.current.lock();
        if current.turn.number == turn {
            current.turn.answered = true;
            if let Some(chosen) = &current.turn.chosen
                && chosen.get().is_none()
            {
                current.worker.stop();
            }
        }
    }

    /// The match is over.
    pub(super) fn end(&self, ending: Ending, request: &Request, received: Instant, reply: &Reply) {
        self.finish(ending);
        self.write(received, request, reply, None, None);
    }

    /// The match is given up though no request says so.
    pub(super) fn abandon(&self) {
        self.finish(Ending::Aborted);
    }

    /// Ends all work for the match.
    fn finish(&self, ending: Ending) {
        self.current.lock().worker.end(ending);
        self.rulesheet.stop();
    }

    fn write(
        &self,
        received: Instant,
        request: &Request,
        reply: &Reply,
        error: Option<PlayerError>,
        statistics: Option<serde_json::Value>,
    ) {
        let error = error.map(|error| error.to_string());
        let (request, reply) = (request.to_string(), reply.to_string());
        self.log.write(received, request, reply, error, statistics);
    }
}

/// The answer to `PLAY`, and why it is not the player's if it is not.
fn choose(
    chosen: Chosen,
    legal: Option<&[String]>,
    before: Option<&[String]>,
) -> (Choice, Option<PlayerError>) {
    let known = legal.filter(|legal| !legal.is_empty());
    let error = match (chosen, known) {
        (Ok(TimedChoice { choice, .. }), Some(legal)) => match find_text(legal, &choice.text) {
            Some(at) => {
                let text = legal[at].clone();
                return (Choice { text, ..choice }, None);
            }
            None => PlayerError::Answer(choice.text),
        },
        (Ok(TimedChoice { choice, .. }), None) => return (choice, None),
        (Err(error), _) => error,
    };
    let fallback = known.or(before).and_then(|legal| legal.first());
    let text = fallback.map_or("nil", |text| text.as_str());
    (Choice::new(text), Some(error))
}
