//! The players that do not search: `random` and `legal`.

use std::time::Instant;

use rand::seq::IndexedRandom;

use crate::game::machine::{MachineError, RoleId};
use crate::game::position::Position;
use crate::play::matches::{Choice, Player, PlayerError, Seat, SharedPosition};
use crate::support::rng::GameRng;
use propjit_stop::Stop;

/// Plays the first legal move, or a random one. It evaluates the game with the
/// prover, so that it is ready at once.
#[derive(Debug)]
pub struct SimplePlayer {
    position: Position,
    role: RoleId,
    /// None for the first move.
    rng: Option<GameRng>,
}

impl SimplePlayer {
    /// Always plays the first legal move.
    ///
    /// # Errors
    /// When the game cannot be evaluated.
    pub fn legal(seat: &Seat) -> Result<SimplePlayer, MachineError> {
        SimplePlayer::new(seat, None)
    }

    /// Plays each legal move with the same probability.
    ///
    /// # Errors
    /// When the game cannot be evaluated.
    pub fn random(seat: &Seat, rng: GameRng) -> Result<SimplePlayer, MachineError> {
        SimplePlayer::new(seat, Some(rng))
    }

    fn new(seat: &Seat, rng: Option<GameRng>) -> Result<SimplePlayer, MachineError> {
        let mut position = seat.rulesheet.prover_position()?;
        for joint in seat.opening.iter() {
            position.play_texts(joint)?;
        }
        Ok(SimplePlayer {
            position,
            role: seat.role,
            rng,
        })
    }
}

impl Player for SimplePlayer {
    fn prepare(&mut self, _: Instant, _: &Stop) -> Result<(), PlayerError> {
        Ok(())
    }

    fn choose(&mut self, deadline: Instant, stop: &Stop) -> Result<Choice, PlayerError> {
        self.position.set_stop(&stop.by(deadline));
        let legal = self.position.legal_moves(self.role)?;
        let choice = match &mut self.rng {
            Some(rng) => legal.choose(rng),
            None => legal.first(),
        };
        self.position.set_stop(&Stop::new());
        let played = choice.ok_or(PlayerError::NoMove)?;
        Ok(Choice::new(self.position.move_text(self.role, *played)))
    }

    fn advance(&mut self, joint: &[String], _: Option<&SharedPosition>) -> Result<(), PlayerError> {
        Ok(self.position.play_texts(joint)?)
    }
}
