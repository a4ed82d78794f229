//! The player that thinks: [tree search](crate::search::mcts).

use std::time::{Duration, Instant};

use serde_json::json;

use super::board::Board;
use super::{Choice, Player, PlayerError, Seat};
use crate::machine::{Backend, MachineError, RoleId};
use crate::search::Budget;
use crate::search::mcts::{Config, Mcts, Report};
use propjit_stop::Stop;

/// How long before the end of a clock it stops to think: a search may take some 10 ms to end,
/// and the answer has to be handed over.
const RESERVE: Duration = Duration::from_millis(20);

/// How a [`Searcher`] thinks.
#[derive(Clone, Debug)]
pub struct Thinking {
    /// How to search. The seed is replaced by that of the seat.
    pub search: Config,
    /// What to evaluate with; without a wish, what the set-up asks for, or the fastest there is.
    pub backend: Option<Backend>,
    /// Whether to think on while others do.
    pub ponder: bool,
}

/// Searches while it has time, also while nobody waits for it.
pub struct Searcher {
    seat: Seat,
    thinking: Thinking,
    /// Made with the start clock running, as it takes the game to be grounded.
    mind: Option<Mind>,
    /// What was played before there was a mind.
    missed: Vec<Vec<String>>,
}

/// What is known once the game is loaded.
struct Mind {
    board: Board,
    search: Mcts,
    /// How many joint moves were made.
    depth: u32,
    /// Whether the search is about the current state.
    is_current: bool,
}

impl Searcher {
    /// A player that has done nothing yet.
    pub fn new(seat: &Seat, thinking: Thinking) -> Searcher {
        Searcher {
            seat: seat.clone(),
            thinking,
            mind: None,
            missed: Vec::new(),
        }
    }

    fn mind(&mut self) -> Result<&mut Mind, PlayerError> {
        if self.mind.is_none() {
            let game = self.seat.rulesheet.game()?;
            let wanted = self.thinking.backend.or(self.seat.rulesheet.backend());
            let backend = wanted.unwrap_or(game.bulk_backend());
            let config = Config {
                seed: self.seat.seed,
                ..self.thinking.search.clone()
            };
            let mut mind = Mind {
                board: Board::new(game.follower()?)?,
                search: Mcts::new(&game, backend, config)?,
                depth: 0,
                is_current: true,
            };
            for joint in std::mem::take(&mut self.missed) {
                mind.advance(&joint)?;
            }
            self.mind = Some(mind);
        }
        Ok(self.mind.as_mut().expect("it was just made"))
    }
}

impl Mind {
    fn advance(&mut self, joint: &[String]) -> Result<(), MachineError> {
        self.board.advance(joint)?;
        self.depth += 1;
        self.is_current = false;
        Ok(())
    }

    /// Searches from the current state; there is nothing to search once the match is over.
    fn think(&mut self, deadline: Option<Instant>, stop: &Stop) -> Result<(), MachineError> {
        if !self.is_current {
            self.search
                .set_root_fluents(&self.board.fluents(), self.depth)?;
            self.is_current = true;
        }
        self.search.run(&Budget {
            deadline: deadline.map(|deadline| deadline.checked_sub(RESERVE).unwrap_or(deadline)),
            playouts: None,
            stop,
        })
    }
}

/// What the search found, as the record of a move.
fn record(report: &Report) -> serde_json::Value {
    let visits = report.moves.first().map(|best| best.visits);
    json!({
        "value": report.value,
        "solved": report.solved,
        "visits": visits,
        "nodes": report.nodes,
        "playouts": report.playouts,
        "seconds": report.time.as_secs_f64(),
    })
}

impl Player for Searcher {
    fn prepare(&mut self, deadline: Instant, stop: &Stop) -> Result<(), PlayerError> {
        Ok(self.mind()?.think(Some(deadline), stop)?)
    }

    fn choose(&mut self, deadline: Instant, stop: &Stop) -> Result<Choice, PlayerError> {
        let role: RoleId = self.seat.role;
        let mind = self.mind()?;
        let legal = mind.board.legal_texts(role)?;
        match &legal[..] {
            [] => return Err(PlayerError::NoMove),
            [only] => return Ok(Choice::new(only.as_str())),
            _ => {}
        }
        if let Err(error) = mind.think(Some(deadline), stop) {
            // There still may be something that was found before.
            tracing::warn!(%error, "the search failed");
        }
        let report = mind.search.report(role);
        let found = report.best.filter(|_| mind.is_current);
        let found = found.map(|best| mind.search.move_text(role, best));
        Ok(Choice {
            text: found.unwrap_or_else(|| legal[0].clone()),
            statistics: Some(record(&report)),
        })
    }

    fn advance(&mut self, joint: &[String]) -> Result<(), PlayerError> {
        match &mut self.mind {
            Some(mind) => Ok(mind.advance(joint)?),
            None => {
                self.missed.push(joint.to_vec());
                Ok(())
            }
        }
    }

    fn ponder(&mut self, stop: &Stop) {
        if let (true, Some(mind)) = (self.thinking.ponder, &mut self.mind)
            && let Err(error) = mind.think(None, stop)
        {
            tracing::warn!(%error, "the search failed");
        }
    }
}
