//! Remote players, which speak the GGP protocol.
//!
//! Failed connections, and players that are still busy when a match starts, are retried a few
//! times. Before a match, [`RemotePlayer::wait_until_free`] asks until the player is free.

use std::thread;
use std::time::{Duration, Instant};

use propjit_stop::Stop;

use super::address::Address;
use super::client;
use super::message::{LastTurn, Request, Start};
use crate::play::matches::{Choice, Ending, Observed, Player, PlayerError, Seat, SharedPosition};

/// How long a player may take to acknowledge that a match is given up, and at least that it is
/// over.
const FAREWELL: Duration = Duration::from_secs(1);

/// How long to wait for an answer after its deadline, unless the wait is stopped: the referee,
/// which decides about time-outs, has a clock of its own.
const PATIENCE: Duration = Duration::from_secs(5);

/// How often a request is sent.
const ATTEMPTS: u32 = 3;

/// The time between two attempts.
const PAUSE: Duration = Duration::from_millis(300);

/// How long a player may be out of reach or busy before a match.
const ABSENCE: Duration = Duration::from_secs(10);

/// How long a player may take to say whether it is free. Some never do.
const INFO_TIME: Duration = Duration::from_secs(2);

/// Whether an answer to `INFO` says that the player is busy; its name may say anything.
fn is_busy(answer: &str) -> bool {
    let answer = answer.to_ascii_lowercase();
    answer.contains("busy") && !answer.contains("available")
}

/// Waits a moment; returns whether it was stopped.
fn pause(stop: &Stop) -> bool {
    let stop = stop.within(PAUSE);
    let end = Instant::now() + PAUSE;
    while !stop.is_set() {
        thread::sleep(Duration::from_millis(10));
    }
    Instant::now() < end
}

/// A player at an [`Address`].
#[derive(Debug)]
pub struct RemotePlayer {
    address: Address,
    seat: Seat,
    /// What the player observed of the last joint move; it is sent with the next request.
    last: Option<Observed>,
    /// The number of joint moves so far.
    turn: u64,
}

impl RemotePlayer {
    /// Makes a player that is informed of the match when it is to prepare.
    pub fn new(address: Address, seat: &Seat) -> RemotePlayer {
        RemotePlayer {
            address,
            seat: seat.clone(),
            last: None,
            turn: 0,
        }
    }

    /// Waits until the player at an address is free, or `stop` is set. A player that does not know
    /// the question is assumed to be free.
    ///
    /// # Errors
    /// Why it is not, after some seconds.
    pub fn wait_until_free(address: &Address, stop: &Stop) -> Result<(), PlayerError> {
        let end = Instant::now() + ABSENCE;
        loop {
            let deadline = Instant::now() + INFO_TIME;
            let error = match client::query(address, &Request::Info.to_string(), deadline, stop) {
                Ok(answer) if is_busy(&answer) => PlayerError::Answer(answer),
                Err(error @ PlayerError::Connection(_)) => error,
                _ => return Ok(()),
            };
            if Instant::now() >= end {
                return Err(error);
            }
            if pause(stop) {
                return Ok(());
            }
        }
    }

    /// Sends a request, and repeats it if the connection fails or the answer is that the player is
    /// busy.
    fn query(
        &self,
        request: &Request,
        deadline: Instant,
        stop: &Stop,
    ) -> Result<String, PlayerError> {
        let request = request.to_string();
        let mut attempts = 1..=ATTEMPTS;
        loop {
            let answer = client::query(&self.address, &request, deadline, stop);
            let failed = match &answer {
                Ok(answer) => answer.eq_ignore_ascii_case("busy"),
                Err(error) => matches!(error, PlayerError::Connection(_)),
            };
            attempts.next();
            if !failed || attempts.is_empty() || Instant::now() + PAUSE >= deadline || pause(stop) {
                return answer;
            }
        }
    }

    /// The request for a move.
    fn play(&self) -> Request {
        Request::Play {
            match_id: self.match_id(),
            last: self.last_turn(self.last.as_ref()),
        }
    }

    /// The last turn as the request states it. In games with `sees` rules, there is a form for the first turn, too.
    fn last_turn(&self, observed: Option<&Observed>) -> LastTurn {
        let turn = self.turn;
        match observed {
            Some(Observed::Moves(moves)) => LastTurn::List(moves.clone()),
            Some(Observed::Percepts { own, percepts, .. }) => LastTurn::Percepts {
                turn,
                own: Some(own.clone()),
                percepts: percepts.clone(),
            },
            None if self.seat.rulesheet.rules().has_percepts() => LastTurn::Percepts {
                turn,
                own: None,
                percepts: Vec::new(),
            },
            None => LastTurn::None,
        }
    }

    fn match_id(&self) -> String {
        self.seat.match_id.clone()
    }
}

impl Player for RemotePlayer {
    fn prepare(&mut self, deadline: Instant, stop: &Stop) -> Result<(), PlayerError> {
        let rulesheet = &self.seat.rulesheet;
        let start = Request::Start(Start {
            match_id: self.match_id(),
            role: rulesheet.roles()[self.seat.role.index()].clone(),
            rules: rulesheet.rules().prefix_text().to_string(),
            start_clock: self.seat.start_clock,
            play_clock: self.seat.play_clock,
        });
        let reply = self.query(&start, deadline + PATIENCE, stop)?;
        match reply.trim() {
            ready if ready.eq_ignore_ascii_case("ready") => {}
            busy if busy.eq_ignore_ascii_case("busy") => {
                let message = "the player is busy with another match".to_string();
                return Err(PlayerError::Failed(message));
            }
            _ => return Err(PlayerError::Answer(reply)),
        }
        // Managers cannot start elsewhere than in the initial state: the player is asked on the way
        // there, and its moves are ignored.
        for joint in 0..self.seat.opening.len() {
            let deadline = Instant::now() + self.seat.play_clock + PATIENCE;
            let _ = self.query(&self.play(), deadline, stop)?;
            self.last = Some(self.seat.opening[joint].clone());
            self.turn += 1;
        }
        Ok(())
    }

    fn choose(&mut self, deadline: Instant, stop: &Stop) -> Result<Choice, PlayerError> {
        // The referee decides whether the answer is a legal move.
        self.query(&self.play(), deadline + PATIENCE, stop)
            .map(Choice::new)
    }

    fn advance(
        &mut self,
        observed: &Observed,
        _: Option<&SharedPosition>,
    ) -> Result<(), PlayerError> {
        self.last = Some(observed.clone());
        self.turn += 1;
        Ok(())
    }

    fn end(&mut self, ending: &Ending) -> Result<(), PlayerError> {
        let match_id = self.match_id();
        let (request, time) = match ending {
            Ending::Complete(last) => {
                // It comes after the last turn in which a move was chosen.
                self.turn += 1;
                let last = self.last_turn(last.as_ref());
                let request = Request::Stop { match_id, last };
                (request, FAREWELL.max(self.seat.play_clock))
            }
            Ending::Aborted => (Request::Abort { match_id }, FAREWELL),
        };
        let told = self.query(&request, Instant::now() + time, &Stop::new());
        if let Err(error) = &told {
            tracing::info!(%error, player = %self.address, "the remote player did not acknowledge the end of the match");
        }
        told.map(drop)
    }
}
