//! The players that do not search: `random` and `legal`.

use std::time::Instant;

use rand::seq::IndexedRandom;

use crate::game::machine::RoleId;
use crate::game::position::Position;
use crate::play::matches::follower::Follower;
use crate::play::matches::{Choice, Observed, Player, PlayerError, Seat, SharedPosition};
use crate::support::rng::GameRng;
use propjit_stop::Stop;

/// Plays the first legal move, or a random one. It evaluates the game with the
/// prover, so that it is ready at once; unless the game has `sees` rules.
#[derive(Debug)]
pub struct SimplePlayer {
    followed: Followed,
    role: RoleId,
    /// None for the first move.
    rng: Option<GameRng>,
}

/// A match as the player follows it.
#[derive(Debug)]
enum Followed {
    /// By the moves of all roles.
    Moves(Position),
    /// By percepts, on the ground game.
    Percepts(Box<Follower>),
}

impl SimplePlayer {
    /// Always plays the first legal move.
    ///
    /// # Errors
    /// When the game cannot be evaluated.
    pub fn legal(seat: &Seat) -> Result<SimplePlayer, PlayerError> {
        SimplePlayer::new(seat, None)
    }

    /// Plays each legal move with the same probability.
    ///
    /// # Errors
    /// When the game cannot be evaluated.
    pub fn random(seat: &Seat, rng: GameRng) -> Result<SimplePlayer, PlayerError> {
        SimplePlayer::new(seat, Some(rng))
    }

    fn new(seat: &Seat, rng: Option<GameRng>) -> Result<SimplePlayer, PlayerError> {
        let followed = match seat.rulesheet.rules().has_percepts() {
            true => Followed::Percepts(Box::new(Follower::new(seat))),
            false => {
                let mut position = seat.rulesheet.prover_position()?;
                for observed in seat.opening.iter() {
                    position.play_texts(observed.moves()?)?;
                }
                Followed::Moves(position)
            }
        };
        Ok(SimplePlayer {
            followed,
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
        let stop = stop.by(deadline);
        let legal: Vec<String> = match &mut self.followed {
            Followed::Moves(position) => {
                // The position itself keeps the token of the set-up.
                let mut asked = position.clone();
                asked.set_stop(&stop);
                let legal = asked.legal_moves(self.role)?.into_iter();
                legal
                    .map(|played| asked.move_text(self.role, played))
                    .collect()
            }
            Followed::Percepts(follower) => follower.legal(&stop)?,
        };
        let choice = match &mut self.rng {
            Some(rng) => legal.choose(rng),
            None => legal.first(),
        };
        choice.map(Choice::new).ok_or(PlayerError::NoMove)
    }

    fn advance(
        &mut self,
        observed: &Observed,
        next: Option<&SharedPosition>,
    ) -> Result<(), PlayerError> {
        match &mut self.followed {
            Followed::Moves(position) => Ok(position.play_texts(observed.moves()?)?),
            Followed::Percepts(follower) => follower.advance(observed, next),
        }
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
        match player.advance(&[choice.text].into_iter().collect(), None) {
            Err(PlayerError::Machine(error)) => assert!(error.is_stopped(), "{error}"),
            other => panic!("{other:?}"),
        }
    }
}
