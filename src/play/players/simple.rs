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
        // The position itself keeps the token of the set-up.
        let mut asked = self.position.clone();
        asked.set_stop(&stop.by(deadline));
        let legal = asked.legal_moves(self.role)?;
        let choice = match &mut self.rng {
            Some(rng) => legal.choose(rng),
            None => legal.first(),
        };
        let played = choice.ok_or(PlayerError::NoMove)?;
        Ok(Choice::new(self.position.move_text(self.role, *played)))
    }

    fn advance(&mut self, joint: &[String], _: Option<&SharedPosition>) -> Result<(), PlayerError> {
        Ok(self.position.play_texts(joint)?)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::Duration;

    use super::*;
    use crate::game::load::Setup;
    use crate::play::matches::Rulesheet;

    /// A choice has a token of its own, but only that.
    #[test]
    fn the_token_of_the_set_up_still_counts_after_a_choice() {
        let rules = "(role r) (init (at 0)) (succ 0 1) (legal r go)
            (<= (next (at ?y)) (true (at ?x)) (succ ?x ?y))
            (<= terminal (true (at 1))) (goal r 100)";
        let rulesheet = Rulesheet::parse("steps.kif", rules, Setup::default());
        let rulesheet = Arc::new(rulesheet.unwrap());
        let mut player = SimplePlayer::legal(&Seat::first(&rulesheet)).unwrap();
        let deadline = Instant::now() + Duration::from_secs(1000);
        let choice = player.choose(deadline, &Stop::new()).unwrap();
        assert_eq!(choice.text, "go");
        rulesheet.stop();
        match player.advance(&[choice.text], None) {
            Err(PlayerError::Machine(error)) => assert!(error.is_stopped(), "{error}"),
            other => panic!("{other:?}"),
        }
    }
}
