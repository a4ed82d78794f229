//! A player at the other end of a connection, which speaks the GGP protocol.

use std::time::{Duration, Instant};

use propjit_stop::Stop;

use super::address::Address;
use super::client;
use super::message::{Request, Start};
use crate::matches::{Choice, Ending, Player, PlayerError, Seat};

/// How long a player may take to notice that a match is over.
const FAREWELL: Duration = Duration::from_secs(1);

/// How long to wait for an answer after its deadline, unless the wait is stopped: whoever judges
/// time-outs has a clock of their own.
const PATIENCE: Duration = Duration::from_secs(5);

/// A player at an [`Address`].
#[derive(Debug)]
pub struct RemotePlayer {
    address: Address,
    seat: Seat,
    /// The joint move that the player has not been told of.
    last: Option<Vec<String>>,
}

impl RemotePlayer {
    /// A player that will be told of the match when it is to prepare.
    pub fn new(address: Address, seat: &Seat) -> RemotePlayer {
        let (seat, last) = (seat.clone(), None);
        RemotePlayer {
            address,
            seat,
            last,
        }
    }

    fn ask(
        &self,
        request: &Request,
        deadline: Instant,
        stop: &Stop,
    ) -> Result<String, PlayerError> {
        client::ask(&self.address, &request.to_string(), deadline, stop)
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
            rules: rulesheet.rules().source.text().to_string(),
            start_clock: self.seat.start_clock,
            play_clock: self.seat.play_clock,
        });
        let reply = self.ask(&start, deadline + PATIENCE, stop)?;
        match reply.trim().to_ascii_lowercase().as_str() {
            "ready" => Ok(()),
            _ => Err(PlayerError::Answer(reply)),
        }
    }

    fn choose(&mut self, deadline: Instant, stop: &Stop) -> Result<Choice, PlayerError> {
        let play = Request::Play {
            match_id: self.match_id(),
            moves: self.last.clone(),
        };
        // Whether the answer is a legal move, the referee decides.
        self.ask(&play, deadline + PATIENCE, stop).map(Choice::new)
    }

    fn advance(&mut self, joint: &[String]) -> Result<(), PlayerError> {
        self.last = Some(joint.to_vec());
        Ok(())
    }

    fn end(&mut self, ending: &Ending) {
        let match_id = self.match_id();
        let request = match ending {
            Ending::Complete(moves) => Request::Stop {
                match_id,
                moves: moves.clone(),
            },
            Ending::Aborted => Request::Abort { match_id },
        };
        if let Err(error) = self.ask(&request, Instant::now() + FAREWELL, &Stop::new()) {
            tracing::info!(%error, player = %self.address, "the end of the match was not heard of");
        }
    }
}
