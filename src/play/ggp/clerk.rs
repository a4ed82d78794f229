//! The clerk, which keeps a legal move of a match ready, independently of the player.
//!
//! The clerk follows the match on the prover, which needs no preparation, on a thread of its own,
//! and on the ground game as soon as there is one. While a player still grounds the game, has
//! crashed or takes too long, there is a legal move to answer with; and a player's move can be
//! checked. If it takes long to find all legal moves, a single one has to suffice.

use std::sync::Arc;
use std::thread;
use std::time::Duration;

use crossbeam_channel::{Receiver, Sender, TryRecvError, bounded, unbounded};

use crate::game::load::Game;
use crate::game::machine::{MachineError, RoleId};
use crate::game::position::Position;
use crate::play::matches::{Observed, Rulesheet, Seat};
use crate::support::background::{Background, Promise};

/// The known legal moves of the clerk's role in a turn.
#[derive(Clone, Default, Debug)]
pub(super) struct Legal {
    /// As text; none if they cannot be found.
    pub moves: Arc<[String]>,
    /// Whether these are all.
    pub are_all: bool,
}

/// A turn: what was observed of the joint move before it, if any, and where its legal moves go.
type Turn = (Option<Observed>, Promise<Legal>);

/// Follows one match for one role. Its thread ends when it is dropped.
pub(super) struct Clerk {
    turns: Sender<Turn>,
}

impl Clerk {
    /// Starts a clerk for a match from its initial state.
    pub(super) fn start(seat: &Seat) -> Clerk {
        let (turns, inbox) = unbounded();
        let thread = thread::Builder::new().name("clerk".to_string());
        let seat = seat.clone();
        if let Err(error) = thread.spawn(move || follow(&seat, &inbox)) {
            tracing::error!(%error, "no thread to keep legal moves ready");
        }
        Clerk { turns }
    }

    /// Finds the legal moves after a joint move, or in the same state as before without one. None are
    /// known if there is no thread to find them, and once moves of others are hidden.
    pub(super) fn turn(&self, observed: Option<Observed>) -> Background<Legal> {
        let (promise, legal) = Background::promised(Legal::default);
        let _ = self.turns.send((observed, promise));
        legal
    }
}

/// The part of a play clock in which all legal moves should be found.
const PATIENCE: u32 = 4;

/// The upper bound of that part.
const MAX_PATIENCE: Duration = Duration::from_secs(2);

/// A match as the clerk follows it.
struct Followed<'a> {
    rulesheet: &'a Rulesheet,
    role: RoleId,
    patience: Duration,
    /// None where the rules cannot be evaluated.
    position: Option<Position>,
    ground: Ground,
    /// The joint moves so far.
    joints: Vec<Vec<String>>,
}

/// The state of the switch to a position of the ground game.
enum Ground {
    /// The game is not there yet.
    Awaited,
    /// A thread makes the position and moves on to the current state of the match, both of which take long in large
    /// games. It sends the position with the number of joint moves that were made on it.
    Made(Receiver<Result<(Position, usize), MachineError>>),
    /// The match is followed on it, or cannot be.
    Settled,
}

fn follow(seat: &Seat, inbox: &Receiver<Turn>) {
    let position = seat.rulesheet.prover_position();
    let mut followed = Followed {
        rulesheet: &seat.rulesheet,
        role: seat.role,
        patience: (seat.play_clock / PATIENCE).min(MAX_PATIENCE),
        position: position.ok(),
        ground: Ground::Awaited,
        joints: Vec::new(),
    };
    for (observed, promise) in inbox {
        promise.keep(followed.turn(observed).unwrap_or_else(|error| {
            tracing::error!(%error, "cannot keep legal moves ready");
            Legal::default()
        }));
    }
}

impl Followed<'_> {
    /// The legal moves after a joint move.
    fn turn(&mut self, observed: Option<Observed>) -> Result<Legal, MachineError> {
        self.go_over_to_ground_game();
        let joint = match observed {
            Some(Observed::Moves(joint)) => Some(joint),
            Some(Observed::Percepts { .. }) => {
                self.position = None;
                self.ground = Ground::Settled;
                None
            }
            None => None,
        };
        let Some(position) = &mut self.position else {
            return Ok(Legal::default());
        };
        if let Some(joint) = joint {
            match position.play_texts(&joint) {
                Ok(()) => self.joints.push(joint),
                // A move that is legal in the old state is a better guess than none.
                Err(error) => tracing::error!(%error, "cannot follow the manager's moves"),
            }
        }
        position.set_stop(&self.rulesheet.stop_token().within(self.patience));
        let all = position.legal_texts(self.role);
        position.set_stop(self.rulesheet.stop_token());
        if let Ok(moves) = all {
            let (moves, are_all) = (moves.into(), true);
            return Ok(Legal { moves, are_all });
        }
        let any = position.any_legal_text(self.role)?;
        Ok(Legal {
            moves: any.into_iter().collect(),
            are_all: false,
        })
    }

    /// Moves on to the ground game, as soon as there is a position of it.
    fn go_over_to_ground_game(&mut self) {
        match &self.ground {
            Ground::Settled => {}
            Ground::Awaited => {
                let game = self.rulesheet.ready_game();
                if let Some(game) = game.filter(|game| game.ground_game().is_some()) {
                    self.ground = make_board(game, self.joints.clone());
                }
            }
            Ground::Made(position) => match position.try_recv() {
                Err(TryRecvError::Empty) => {}
                Err(TryRecvError::Disconnected) => self.ground = Ground::Settled,
                Ok(made) => {
                    self.ground = Ground::Settled;
                    let up_to_date = made.and_then(|(mut position, done)| {
                        let mut rest = self.joints[done..].iter();
                        rest.try_for_each(|joint| position.play_texts(joint))?;
                        Ok(position)
                    });
                    match up_to_date {
                        Ok(position) => self.position = Some(position),
                        Err(error) => tracing::error!(%error, "cannot follow the ground game"),
                    }
                }
            },
        }
    }
}

/// Makes a position of a ground game after these joint moves.
fn make_board(game: Arc<Game>, joints: Vec<Vec<String>>) -> Ground {
    let (tell, made) = bounded(1);
    let make = move || {
        let mut position = game.follow()?;
        joints
            .iter()
            .try_for_each(|joint| position.play_texts(joint))?;
        Ok((position, joints.len()))
    };
    let thread = thread::Builder::new().name("clerk".to_string());
    // The receiver may be gone.
    match thread.spawn(move || drop(tell.send(make()))) {
        Ok(_) => Ground::Made(made),
        Err(error) => {
            tracing::warn!(%error, "the clerk remains on the prover");
            Ground::Settled
        }
    }
}
