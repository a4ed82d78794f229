//! The match that a session plays, with fallbacks for late or wrong moves.
//!
//! `PLAY` is answered with, in this order: the player's move, if it is legal and in time; the first legal
//! move that the [`Clerk`] has found; the first legal move of the last turn in which one was found; `nil`.
//! A `PLAY` that is repeated while the player thinks about it waits for the same answer. So does one after
//! its answer was lost, if that can be detected: its moves cannot be made a second time. Any other is the
//! next turn, and the answer to the last one is not needed any more.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::Mutex;

use super::clerk::{Clerk, Legal};
use super::log::Log;
use super::message::{LastTurn, Reply, Request, Start};
use crate::game::machine::RoleId;
use crate::game::position::find_text;
use crate::play::matches::worker::{Chosen, Prepared, TimedChoice, Worker};
use crate::play::matches::{Choice, Ending, Observed, PlayerError, PlayerFactory, Rulesheet, Seat};
use crate::support::background::Background;
use crate::support::error_text::with_causes;

/// The times at which an answer is due.
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
    /// Computes the times for a request that came at `received` and has a clock.
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

/// The interval of checks whether a manager still waits for the match to start.
const LOOK_TIME: Duration = Duration::from_millis(50);

/// How long a move of the player waits to be checked.
const CHECK_TIME: Duration = Duration::from_millis(50);

/// A match that is being played.
pub(super) struct LiveMatch {
    id: String,
    play_clock: Duration,
    log: Log,
    rulesheet: Arc<Rulesheet>,
    role: RoleId,
    prepared: Background<Prepared>,
    /// The number of requests that wait for the player to be prepared, and whether any was answered
    /// that it is.
    starting: Mutex<(usize, bool)>,
    current: Mutex<Current>,
}

/// The state that changes from turn to turn.
struct Current {
    worker: Worker,
    clerk: Clerk,
    turn: Turn,
    /// The legal moves that were last found in an earlier turn.
    before: Option<Legal>,
    /// The clock of the last request ends here.
    last_deadline: Instant,
}

/// A turn of the player.
#[derive(Clone)]
struct Turn {
    number: u64,
    /// What the manager said of the turn before.
    last: LastTurn,
    /// None before the first PLAY.
    chosen: Option<Background<Chosen>>,
    legal: Background<Legal>,
    /// The move that was answered.
    answer: Option<String>,
}

impl Turn {
    /// Returns whether a request is about this turn, rather than the next one.
    fn is_asked_again(&self, last: &LastTurn, rulesheet: &Rulesheet, role: RoleId) -> bool {
        if self.chosen.is_none() || self.last != *last {
            return false;
        }
        let joint = match (&self.answer, last) {
            // Turns with a number are different ones, and so are those of which nothing more is said in a game with percepts.
            (None, _) | (_, LastTurn::Percepts { .. }) => return true,
            (Some(_), _) if rulesheet.rules().has_percepts() => return false,
            // Only one turn has no moves before it.
            (Some(_), LastTurn::None) => return true,
            (Some(_), LastTurn::List(joint)) => joint,
        };
        let legal = self.legal.get().filter(|legal| legal.are_all);
        let own = joint.get(role.index());
        legal
            .zip(own)
            .is_some_and(|(legal, own)| find_text(&legal.moves, own).is_none())
    }
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
        let clerk = Clerk::start(&seat);
        let turn = Turn {
            number: 0,
            last: LastTurn::None,
            chosen: None,
            legal: clerk.turn(None),
            answer: None,
        };
        let (play_clock, role) = (seat.play_clock, seat.role);
        let rulesheet = seat.rulesheet.clone();
        let (worker, prepared) = Worker::start(move || player.make(&seat), due.think);
        let current = Mutex::new(Current {
            worker,
            clerk,
            turn,
            before: None,
            last_deadline: due.end,
        });
        LiveMatch {
            id,
            play_clock,
            log,
            rulesheet,
            role,
            prepared,
            starting: Mutex::default(),
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

    /// Whether this is the match that a request starts.
    pub(super) fn is_started_by(&self, start: &Start) -> bool {
        let is_role = || self.rulesheet.role(&start.role) == Some(self.role);
        let rules = self.rulesheet.rules().source.text();
        start.match_id == self.id && start.rules == rules && is_role()
    }

    /// Waits until the player is prepared, or `START` must be answered. Returns whether the match
    /// goes on: not if all requesters are gone.
    pub(super) fn prepare(&self, request: &Request, due: &Due, is_gone: &dyn Fn() -> bool) -> bool {
        self.starting.lock().0 += 1;
        let error = loop {
            let look = due.answer.min(Instant::now() + LOOK_TIME);
            match self.prepared.wait_until(look) {
                Some(Ok(_)) => break None,
                Some(Err(error)) => break Some(error.clone()),
                None if is_gone() => {
                    let mut starting = self.starting.lock();
                    starting.0 -= 1;
                    return *starting != (0, false);
                }
                None if Instant::now() >= due.answer => break Some(PlayerError::TimedOut),
                None => {}
            }
        };
        let mut starting = self.starting.lock();
        *starting = (starting.0 - 1, true);
        drop(starting);
        if let Some(error) = &error {
            tracing::warn!(id = self.id, %error, "preparing the player failed");
        }
        self.write(due.received, request, &Reply::Ready, error, None);
        true
    }

    /// The answer to `PLAY`.
    pub(super) fn play(&self, last: &LastTurn, request: &Request, due: &Due) -> Reply {
        let (turn, before) = self.turn(last, due);
        if let Some(answer) = turn.answer {
            let reply = Reply::Move(answer);
            self.write(due.received, request, &reply, None, None);
            return reply;
        }
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
        let (choice, error) = choose(chosen, legal, before.as_ref());
        self.answered(turn.number, &choice.text);
        match &error {
            None => {}
            // The match is over, or goes on already.
            Some(PlayerError::Stopped) => tracing::debug!(id = self.id, "the turn was interrupted"),
            Some(error) => {
                let played = &choice.text;
                tracing::error!(id = self.id, %error, played, "the player returned no move");
            }
        }
        let reply = Reply::Move(choice.text);
        self.write(due.received, request, &reply, error, choice.statistics);
        reply
    }

    /// Returns the turn that follows the last one, with the legal moves that were last found before. Starts the turn
    /// unless it has started already.
    fn turn(&self, last: &LastTurn, due: &Due) -> (Turn, Option<Legal>) {
        let mut current = self.current.lock();
        let known = current.turn.legal.get();
        if let Some(known) = known.filter(|known| !known.moves.is_empty()).cloned() {
            current.before = Some(known);
        }
        let before = current.before.clone();
        current.last_deadline = due.end;
        if !current
            .turn
            .is_asked_again(last, &self.rulesheet, self.role)
        {
            let observed = self.observed(last, current.turn.answer.as_deref());
            current.turn = Turn {
                number: current.turn.number + 1,
                chosen: Some(current.worker.play(observed.clone(), None, due.think)),
                legal: current.clerk.turn(observed),
                last: last.clone(),
                answer: None,
            };
        }
        (current.turn.clone(), before)
    }

    /// What the player observed of the last turn, in which it answered with this move.
    fn observed(&self, last: &LastTurn, answer: Option<&str>) -> Option<Observed> {
        let of_moves = |moves: &[String]| Some(moves.iter().cloned().collect());
        if !self.rulesheet.rules().has_percepts() {
            return match last {
                LastTurn::List(moves) => of_moves(moves),
                _ => None,
            };
        }
        let (own, percepts) = match last {
            LastTurn::Percepts { own, percepts, .. } => (own.as_deref()?, &percepts[..]),
            LastTurn::None => (answer?, &[][..]),
            LastTurn::List(list) => {
                // Managers that know nothing of percepts send the moves of all roles, and so the player's one in its place.
                let place = list.get(self.role.index());
                let own = answer.map(str::to_string);
                let has_own =
                    place.is_some_and(|listed| find_text(own.as_slice(), listed).is_some());
                if has_own && list.len() == self.rulesheet.roles().len() {
                    return of_moves(list);
                }
                (answer?, &list[..])
            }
        };
        Some(Observed::Percepts {
            own: own.to_string(),
            percepts: percepts.to_vec(),
            moves: None,
        })
    }

    /// Ends the turn, and the player's thinking about it if it still goes on.
    fn answered(&self, turn: u64, answer: &str) {
        let mut current = self.current.lock();
        if current.turn.number == turn {
            current.turn.answer = Some(answer.to_string());
            if let Some(chosen) = &current.turn.chosen
                && chosen.get().is_none()
            {
                current.worker.stop();
            }
        }
    }

    /// Ends the match, after this last turn or without one if it is given up.
    pub(super) fn end(
        &self,
        last: Option<&LastTurn>,
        request: &Request,
        received: Instant,
        reply: &Reply,
    ) {
        let answer = self.current.lock().turn.answer.clone();
        let ending = last.map(|last| Ending::Complete(self.observed(last, answer.as_deref())));
        self.finish(ending.unwrap_or(Ending::Aborted));
        self.write(received, request, reply, None, None);
    }

    /// Gives up the match without a request to do so. The answer comes when the player has been
    /// informed.
    pub(super) fn abandon(&self) -> Background<Option<Duration>> {
        self.finish(Ending::Aborted)
    }

    /// Ends all work for the match. The answer comes when the player has been informed.
    fn finish(&self, ending: Ending) -> Background<Option<Duration>> {
        let heard = self.current.lock().worker.end(ending);
        self.rulesheet.stop();
        heard
    }

    fn write(
        &self,
        received: Instant,
        request: &Request,
        reply: &Reply,
        error: Option<PlayerError>,
        statistics: Option<serde_json::Value>,
    ) {
        let error = error.map(|error| with_causes(&error));
        let (request, reply) = (request.to_string(), reply.to_string());
        self.log.write(received, request, reply, error, statistics);
    }
}

/// Returns the answer to `PLAY`, and the reason if it is not the player's move.
fn choose(
    chosen: Chosen,
    legal: Option<&Legal>,
    before: Option<&Legal>,
) -> (Choice, Option<PlayerError>) {
    let known = legal.filter(|legal| !legal.moves.is_empty());
    let error = match (chosen, known) {
        (Ok(TimedChoice { choice, .. }), Some(legal)) => {
            match find_text(&legal.moves, &choice.text) {
                Some(at) => {
                    let text = legal.moves[at].clone();
                    return (Choice { text, ..choice }, None);
                }
                // It may be one of the others.
                None if !legal.are_all => return (choice, None),
                None => PlayerError::Answer(choice.text),
            }
        }
        (Ok(TimedChoice { choice, .. }), None) => return (choice, None),
        (Err(error), _) => error,
    };
    let fallback = known.or(before).and_then(|legal| legal.moves.first());
    let text = fallback.map_or("nil", |text| text.as_str());
    (Choice::new(text), Some(error))
}
