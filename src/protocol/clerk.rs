//! The clerk, which keeps a legal move of a match ready, whatever the player is doing.
//!
//! The clerk follows the match on the prover, which needs no preparation, on a thread
//! of its own, and on the ground game from when there is one. While a player still grounds the
//! game, has crashed or takes too long, there is a legal move to answer with; and a player's move
//! can be checked. Where it takes long to find all legal moves, one has to do.

use std::sync::Arc;
use std::thread;
use std::time::Duration;

use crossbeam_channel::{Receiver, Sender, unbounded};

use crate::background::{Background, Promise};
use crate::machine::{MachineError, RoleId};
use crate::matches::{Board, Rulesheet, Seat};

/// What the clerk knows of the legal moves of its role in a turn.
#[derive(Clone, Default, Debug)]
pub(super) struct Legal {
    /// As text; none if they cannot be found.
    pub moves: Arc<[String]>,
    /// Whether these are all.
    pub are_all: bool,
}

/// A turn: the joint move before it, if any, and where its legal moves go.
type Turn = (Option<Vec<String>>, Promise<Legal>);

/// Follows one match for one role. Its thread ends when it is dropped.
pub(super) struct Clerk {
    turns: Sender<Turn>,
}

impl Clerk {
    /// A clerk for a match from its initial state.
    pub(super) fn start(seat: &Seat) -> Clerk {
        let (turns, inbox) = unbounded();
        let thread = thread::Builder::new().name("clerk".to_string());
        let seat = seat.clone();
        if let Err(error) = thread.spawn(move || follow(&seat, &inbox)) {
            tracing::error!(%error, "there is no thread to keep legal moves ready");
        }
        Clerk { turns }
    }

    /// The legal moves after `joint`, or in the same state as before without one.
    /// None are known where there is no thread to find them.
    pub(super) fn turn(&self, joint: Option<Vec<String>>) -> Background<Legal> {
        let (promise, legal) = Background::promised(Legal::default);
        let _ = self.turns.send((joint, promise));
        legal
    }
}

/// The part of a play clock in which all legal moves should be found.
const PATIENCE: u32 = 4;

/// How long that is at most.
const MOST_PATIENCE: Duration = Duration::from_secs(2);

/// A match as the clerk follows it.
struct Followed<'a> {
    rulesheet: &'a Rulesheet,
    role: RoleId,
    patience: Duration,
    /// None where the rules cannot be evaluated.
    board: Option<Board>,
    /// Whether the board is that of the ground game.
    is_ground: bool,
    /// The joint moves so far.
    joints: Vec<Vec<String>>,
}

fn follow(seat: &Seat, inbox: &Receiver<Turn>) {
    let prover = seat.rulesheet.prover();
    let board = prover.and_then(|prover| Board::new(Box::new(prover)));
    let mut followed = Followed {
        rulesheet: &seat.rulesheet,
        role: seat.role,
        patience: (seat.play_clock / PATIENCE).min(MOST_PATIENCE),
        board: board.ok(),
        is_ground: false,
        joints: Vec::new(),
    };
    for (joint, promise) in inbox {
        promise.keep(followed.turn(joint).unwrap_or_else(|error| {
            tracing::error!(%error, "no legal moves can be kept ready");
            Legal::default()
        }));
    }
}

impl Followed<'_> {
    /// The legal moves after a joint move.
    fn turn(&mut self, joint: Option<Vec<String>>) -> Result<Legal, MachineError> {
        self.go_over_to_ground_game()?;
        let Some(board) = &mut self.board else {
            return Ok(Legal::default());
        };
        if let Some(joint) = joint {
            match board.advance(&joint) {
                Ok(()) => self.joints.push(joint),
                // A move that is legal in the old state is a better guess than none.
                Err(error) => tracing::error!(%error, "the manager's moves cannot be followed"),
            }
        }
        board.set_stop(&self.rulesheet.stop_token().within(self.patience));
        let all = board.legal_texts(self.role);
        board.set_stop(self.rulesheet.stop_token());
        if let Ok(moves) = all {
            let (moves, are_all) = (moves.into(), true);
            return Ok(Legal { moves, are_all });
        }
        let any = board.any_legal_text(self.role)?;
        Ok(Legal {
            moves: any.into_iter().collect(),
            are_all: false,
        })
    }

    /// Follows the match on the ground game, as soon as there is one.
    fn go_over_to_ground_game(&mut self) -> Result<(), MachineError> {
        if self.is_ground {
            return Ok(());
        }
        let game = self.rulesheet.ready_game();
        let Some(game) = game.filter(|game| game.ground_game().is_some()) else {
            return Ok(());
        };
        let mut board = Board::new(game.follower()?)?;
        for joint in &self.joints {
            board.advance(joint)?;
        }
        self.board = Some(board);
        self.is_ground = true;
        Ok(())
    }
}
