//! A program that speaks the line protocol, as a player.

use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

use propjit_stop::Stop;

use super::message::{Apply, Go, LineReply, LineRequest, Load, Position, VERSION};
use super::process::LineProcess;
use crate::game::position::Board;
use crate::play::matches::printable::excerpt;
use crate::play::matches::{Choice, Ending, Player, PlayerError, Seat};
use crate::support::program::ProgramCommand;

/// How long before the end of a clock the program is to answer.
const RESERVE: Duration = Duration::from_millis(50);

/// A program that is started for a match and ends with it.
#[derive(Debug)]
pub struct LinePlayer {
    command: ProgramCommand,
    seat: Seat,
    process: Option<LineProcess>,
    /// What tells the program its legal moves.
    board: Option<Board>,
    /// All joint moves so far, those of the opening included.
    history: Vec<Vec<String>>,
    /// How many of them the program knows; none if that is not known, as when it did not answer.
    told: Option<usize>,
}

impl LinePlayer {
    /// A player whose program is started when it is to prepare.
    pub fn new(command: ProgramCommand, seat: &Seat) -> LinePlayer {
        LinePlayer {
            command,
            seat: seat.clone(),
            process: None,
            board: None,
            history: seat.opening.to_vec(),
            told: None,
        }
    }

    fn ask(&mut self, request: LineRequest, stop: &Stop) -> Result<LineReply, PlayerError> {
        let ended = || PlayerError::Crashed("the program does not run".to_string());
        let asked = self.process.as_mut().ok_or_else(ended)?.ask(request, stop);
        if let Err(PlayerError::Connection(_)) = asked {
            // It has ended, or cannot be understood.
            self.process = None;
        }
        asked
    }

    /// Tells the program of joint moves that it does not know.
    fn tell(&mut self, stop: &Stop) -> Result<(), PlayerError> {
        let request = match (self.told.take(), &self.history[..]) {
            (Some(told), all) if told == all.len() => {
                self.told = Some(told);
                return Ok(());
            }
            (Some(told), [before @ .., last]) if told == before.len() => {
                let moves = last.clone();
                LineRequest::Apply(Apply { moves })
            }
            (_, all) => {
                let moves = all.to_vec();
                LineRequest::Position(Position { moves })
            }
        };
        match self.ask(request, stop)? {
            LineReply::State(_) => {
                self.told = Some(self.history.len());
                Ok(())
            }
            other => Err(unexpected(&other)),
        }
    }

    fn board(&mut self) -> Result<&mut Board, PlayerError> {
        if self.board.is_none() {
            let game = self.seat.rulesheet.game()?;
            let mut board = Board::new(game.follower()?)?;
            for joint in self.seat.opening.iter() {
                board.advance(joint)?;
            }
            self.board = Some(board);
        }
        Ok(self.board.as_mut().expect("it was just made"))
    }
}

/// The error of a reply to something else.
fn unexpected(reply: &LineReply) -> PlayerError {
    let reply = serde_json::to_string(reply).unwrap_or_default();
    PlayerError::Failed(format!("`{}` is no reply to the request", excerpt(&reply)))
}

impl Player for LinePlayer {
    fn prepare(&mut self, _: Instant, stop: &Stop) -> Result<(), PlayerError> {
        let not_started = |error: io::Error| {
            let text = format!("`{}` cannot be started: {error}", self.command);
            PlayerError::Connection(Arc::new(io::Error::new(error.kind(), text)))
        };
        self.process = Some(LineProcess::start(&self.command).map_err(not_started)?);
        let source = &self.seat.rulesheet.rules().source;
        let load = LineRequest::Load(Load {
            version: VERSION,
            name: source.name().to_string(),
            rules: source.text().to_string(),
        });
        match self.ask(load, stop)? {
            LineReply::Loaded(_) => self.told = Some(0),
            other => return Err(unexpected(&other)),
        }
        self.tell(stop)?;
        self.board().map(drop)
    }

    fn choose(&mut self, deadline: Instant, stop: &Stop) -> Result<Choice, PlayerError> {
        self.tell(stop)?;
        let role = self.seat.role;
        let legal = self.board()?.legal_texts(role)?;
        let time = deadline.saturating_duration_since(Instant::now());
        let go = LineRequest::Go(Go {
            role: self.seat.rulesheet.roles()[role.index()].clone(),
            seconds: Some(time.saturating_sub(RESERVE.min(time / 4)).as_secs_f64()),
            seed: Some(self.seat.seed),
            legal: Some(legal),
            ..Go::default()
        });
        match self.ask(go, stop)? {
            // Whether the move is legal, the referee decides.
            LineReply::Move(said) => Ok(Choice {
                text: said.text,
                statistics: said.statistics,
            }),
            other => Err(unexpected(&other)),
        }
    }

    fn advance(&mut self, joint: &[String]) -> Result<(), PlayerError> {
        self.board()?.advance(joint)?;
        self.history.push(joint.to_vec());
        Ok(())
    }

    fn end(&mut self, _: &Ending) -> Result<(), PlayerError> {
        self.process = None;
        Ok(())
    }
}
