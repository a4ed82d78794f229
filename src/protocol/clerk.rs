//! The clerk, which keeps the legal moves of a match ready, whatever the player is doing.
//!
//! The clerk follows the match on the prover, which needs no preparation, on a thread
//! of its own. While a player still grounds the game, has crashed or takes too
//! long, there is a legal move to answer with; and a player's move can be checked.

use std::sync::Arc;
use std::thread;

use crossbeam_channel::{Receiver, Sender, unbounded};

use crate::background::{Background, Promise};
use crate::machine::{MachineError, RoleId};
use crate::matches::{Board, Rulesheet};

/// The legal moves of the clerk's role in a turn, as text; none if they cannot be found.
pub(super) type Legal = Arc<[String]>;

/// A turn: the joint move before it, if any, and where its legal moves go.
type Turn = (Option<Vec<String>>, Promise<Legal>);

/// Follows one match for one role. Its thread ends when it is dropped.
pub(super) struct Clerk {
    turns: Sender<Turn>,
}

impl Clerk {
    /// A clerk for a match from its initial state.
    pub(super) fn start(rulesheet: Arc<Rulesheet>, role: RoleId) -> Clerk {
        let (turns, inbox) = unbounded();
        let thread = thread::Builder::new().name("clerk".to_string());
        if let Err(error) = thread.spawn(move || follow(&rulesheet, role, &inbox)) {
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

fn follow(rulesheet: &Rulesheet, role: RoleId, inbox: &Receiver<Turn>) {
    let prover = rulesheet.prover();
    let mut board = prover.and_then(|prover| Board::new(Box::new(prover)));
    for (joint, promise) in inbox {
        let legal = match &mut board {
            Ok(board) => legal_after(board, joint, role),
            Err(_) => Ok(Vec::new()),
        };
        promise.keep(legal.map(Legal::from).unwrap_or_else(|error| {
            tracing::error!(%error, "no legal moves can be kept ready");
            Legal::default()
        }));
    }
}

fn legal_after(
    board: &mut Board,
    joint: Option<Vec<String>>,
    role: RoleId,
) -> Result<Vec<String>, MachineError> {
    if let Some(joint) = joint
        && let Err(error) = board.advance(&joint)
    {
        // A move that is legal in the old state is a better guess than none.
        tracing::error!(%error, "the manager's moves cannot be followed");
    }
    board.legal_texts(role)
}
