//! Players that are programs speaking the line protocol.

use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

use propjit_stop::Stop;

use super::message::{Apply, Go, JointMoves, LineReply, LineRequest, Load, Observe, VERSION};
use super::process::LineProcess;
use crate::play::matches::follower::Follower;
use crate::play::matches::printable::excerpt;
use crate::play::matches::{Choice, Ending, Observed, Player, PlayerError, Seat, SharedPosition};
use crate::support::program::ProgramCommand;

/// How long before the end of a clock the program is to answer.
const RESERVE: Duration = Duration::from_millis(50);

/// A program that is started for a match and ends with it.
#[derive(Debug)]
pub struct LinePlayer {
    command: ProgramCommand,
    seat: Seat,
    process: Option<LineProcess>,
    /// The source of the legal moves that the program is given.
    follower: Follower,
    /// What was observed of all joint moves so far, those of the opening included.
    history: Vec<Observed>,
    /// The number of them that the program knows; none if that is unknown, as when it did not
    /// answer.
    told: Option<usize>,
}

impl LinePlayer {
    /// Makes a player that starts its program when it is to prepare.
    pub fn new(command: ProgramCommand, seat: &Seat) -> LinePlayer {
        LinePlayer {
            command,
            seat: seat.clone(),
            process: None,
            follower: Follower::new(seat),
            history: seat.opening.to_vec(),
            told: None,
        }
    }

    fn query(&mut self, request: LineRequest, stop: &Stop) -> Result<LineReply, PlayerError> {
        let ended = || PlayerError::Crashed("the program is not running".to_string());
        let asked = self
            .process
            .as_mut()
            .ok_or_else(ended)?
            .query(request, stop);
        if let Err(PlayerError::Connection(_)) = asked {
            // It has ended, or its output cannot be parsed.
            self.process = None;
        }
        asked
    }

    /// Sends the program what it does not know of the match.
    fn send_position(&mut self, stop: &Stop) -> Result<(), PlayerError> {
        let is_new = |told: &usize| *told < self.history.len();
        let first = match self.told.take() {
            Some(told) if told == self.history.len() => {
                self.told = Some(told);
                return Ok(());
            }
            told => told.filter(is_new),
        };
        let mut requests = Vec::new();
        let first = first.unwrap_or_else(|| {
            // All moves at once, if they are known.
            let moves = self.history.iter().map_while(|of| of.moves().ok());
            let moves: Vec<Vec<String>> = moves.map(<[String]>::to_vec).collect();
            let known = moves.len();
            requests.push(LineRequest::Position(JointMoves { moves }));
            known
        });
        let role = &self.seat.rulesheet.roles()[self.seat.role.index()];
        requests.extend(self.history[first..].iter().map(|of| match of.clone() {
            Observed::Moves(moves)
            | Observed::Percepts {
                moves: Some(moves), ..
            } => LineRequest::Apply(Apply { moves }),
            Observed::Percepts { own, percepts, .. } => LineRequest::Observe(Observe {
                role: role.clone(),
                own,
                percepts,
            }),
        }));
        for request in requests {
            match self.query(request, stop)? {
                LineReply::State(_) | LineReply::Belief(_) => {}
                other => return Err(unexpected(&other)),
            }
        }
        self.told = Some(self.history.len());
        Ok(())
    }
}

/// The error of a reply to something else.
fn unexpected(reply: &LineReply) -> PlayerError {
    let reply = serde_json::to_string(reply).unwrap_or_default();
    PlayerError::Failed(format!(
        "`{}` is not a reply to the request",
        excerpt(&reply)
    ))
}

impl Player for LinePlayer {
    fn prepare(&mut self, _: Instant, stop: &Stop) -> Result<(), PlayerError> {
        let not_started = |error: io::Error| {
            let text = format!("cannot start `{}`: {error}", self.command);
            PlayerError::Connection(Arc::new(io::Error::new(error.kind(), text)))
        };
        self.process = Some(LineProcess::start(&self.command).map_err(not_started)?);
        let rules = self.seat.rulesheet.rules();
        let load = LineRequest::Load(Load {
            version: VERSION,
            name: rules.source.name().to_string(),
            rules: rules.prefix_text().to_string(),
        });
        match self.query(load, stop)? {
            LineReply::Loaded(_) => self.told = Some(0),
            other => return Err(unexpected(&other)),
        }
        self.send_position(stop)?;
        self.follower.known(stop).map(drop)
    }

    fn choose(&mut self, deadline: Instant, stop: &Stop) -> Result<Choice, PlayerError> {
        self.send_position(stop)?;
        let role = self.seat.role;
        let legal = self.follower.legal(self.seat.rulesheet.stop_token())?;
        let time = deadline.saturating_duration_since(Instant::now());
        let go = LineRequest::Go(Go {
            role: self.seat.rulesheet.roles()[role.index()].clone(),
            seconds: Some(time.saturating_sub(RESERVE.min(time / 4)).as_secs_f64()),
            seed: Some(self.seat.seed),
            legal: Some(legal),
            ..Go::default()
        });
        match self.query(go, stop)? {
            // The referee decides whether the move is legal.
            LineReply::Move(said) => Ok(Choice {
                text: said.text,
                statistics: said.statistics,
            }),
            other => Err(unexpected(&other)),
        }
    }

    fn advance(
        &mut self,
        observed: &Observed,
        next: Option<&SharedPosition>,
    ) -> Result<(), PlayerError> {
        // The history has only moves that are legal.
        self.follower.known(self.seat.rulesheet.stop_token())?;
        self.follower.advance(observed, next)?;
        self.history.push(observed.clone());
        Ok(())
    }

    fn end(&mut self, _: &Ending) -> Result<(), PlayerError> {
        self.process = None;
        Ok(())
    }
}
