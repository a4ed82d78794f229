//! A match as a player of this process follows it.

use std::collections::VecDeque;
use std::sync::Arc;

use propjit_stop::Stop;

use super::observed::Observed;
use super::player::Seat;
use super::player_error::PlayerError;
use super::rulesheet::Rulesheet;
use super::shared_position::SharedPosition;
use crate::game::load::Game;
use crate::game::machine::{MachineError, RoleId, State};
use crate::search::beliefs::{Belief, BeliefConfig, Observation};

/// Follows a match: on the positions that the referee shares, or else on its own ones, by moves as text or by percepts. Where
/// information is hidden, it has a belief instead of a position.
#[derive(Debug)]
pub(crate) struct Follower {
    rulesheet: Arc<Rulesheet>,
    role: RoleId,
    seed: u64,
    /// None before it is wanted, and where it is not known.
    position: Option<SharedPosition>,
    /// Only in games with `sees` rules, and only if the referee does not share its positions.
    belief: Option<Belief>,
    /// What was observed after that, or else from the start.
    missed: VecDeque<Observed>,
}

/// What a player knows of the state of a match.
pub(crate) enum Known<'a> {
    /// The state.
    Position(&'a SharedPosition),
    /// States that are possible.
    Belief(&'a mut Belief),
}

impl Follower {
    /// Follows a match from the position in which the players of this seat begin.
    pub(crate) fn new(seat: &Seat) -> Follower {
        let missed = match seat.position {
            Some(_) => VecDeque::new(),
            None => seat.opening.to_vec().into(),
        };
        Follower {
            rulesheet: seat.rulesheet.clone(),
            role: seat.role,
            seed: seat.seed,
            position: seat.position.clone(),
            belief: None,
            missed,
        }
    }

    /// Returns whether the game hides information. The first call may have to wait until it is loaded.
    ///
    /// # Errors
    /// When there is no game.
    pub(crate) fn is_hidden(&self) -> Result<bool, PlayerError> {
        Ok(self.rulesheet.rules().has_percepts() && self.rulesheet.game()?.hides_information())
    }

    /// Returns the current position. The first call may have to wait until the game is loaded.
    ///
    /// # Errors
    /// When there is no game, it hides information, it cannot be evaluated, or a joint move is not legal in it. That
    /// joint move is then left out.
    pub(crate) fn position(&mut self) -> Result<&SharedPosition, PlayerError> {
        match self.known(&Stop::new())? {
            Known::Position(position) => Ok(position),
            Known::Belief(_) => Err(PlayerError::Hidden),
        }
    }

    /// Returns what is known of the current state. The first call may have to wait until the game is loaded. If a stop
    /// comes, fewer states are found.
    ///
    /// # Errors
    /// When there is no game, it cannot be evaluated, or what was observed is not possible in it. That is then left out.
    pub(crate) fn known(&mut self, stop: &Stop) -> Result<Known<'_>, PlayerError> {
        if self.position.is_none() && self.belief.is_none() {
            let game = self.rulesheet.game()?;
            self.position = Some(SharedPosition::new(game.follow()?, 0));
            if self.rulesheet.rules().has_percepts() {
                let config = BeliefConfig::default().with_seed(self.seed);
                let engines = game.engines().ok_or(PlayerError::NotGround)?;
                self.belief = Some(Belief::new(engines, self.role, config));
            }
        }
        while let Some(observed) = self.missed.pop_front() {
            match &observed {
                Observed::Moves(joint)
                | Observed::Percepts {
                    moves: Some(joint), ..
                } => self.follow_moves(joint, stop)?,
                Observed::Percepts { own, percepts, .. } => self.perceive(own, percepts, stop)?,
            }
        }
        // Who told all moves has given away what is hidden; it is not used.
        let is_hidden = self.is_hidden()?;
        match (&self.position, &mut self.belief) {
            (_, Some(belief)) if is_hidden => Ok(Known::Belief(belief)),
            (Some(position), _) => Ok(Known::Position(position)),
            (None, _) => Err(PlayerError::Hidden),
        }
    }

    /// Returns the legal moves of the role as text.
    ///
    /// # Errors
    /// As for [`known`](Follower::known), or when the moves cannot be found before the stop.
    pub(crate) fn legal(&mut self, stop: &Stop) -> Result<Vec<String>, PlayerError> {
        let (role, rulesheet) = (self.role, self.rulesheet.clone());
        Ok(match self.known(stop)? {
            Known::Position(position) => position.legal(role, stop)?.texts().to_vec(),
            Known::Belief(belief) => {
                let game = rulesheet.game()?;
                let ground = game.ground_game().ok_or(PlayerError::NotGround)?;
                let legal = belief.legal_moves().into_iter();
                legal.map(|played| ground.move_text(role, played)).collect()
            }
        })
    }

    /// Makes the moves of all roles.
    fn follow_moves(&mut self, joint: &[String], stop: &Stop) -> Result<(), PlayerError> {
        let position = self.position.as_ref().ok_or(PlayerError::Hidden)?;
        let next = position.after(joint)?;
        if self.belief.is_some() {
            // The belief has what the role perceives, and no more.
            let moves = position.position().find_joint_move(joint)?;
            let percepts = position.position().percepts(&moves, self.role)?;
            self.perceive(&joint[self.role.index()], &percepts, stop)?;
        }
        self.position = Some(next);
        Ok(())
    }

    /// Takes up what the role perceives of a joint move, in which it made its `own` move.
    fn perceive(&mut self, own: &str, percepts: &[String], stop: &Stop) -> Result<(), PlayerError> {
        let game: Arc<Game> = self.rulesheet.game()?;
        let belief = self.belief.as_mut().ok_or(PlayerError::NotGround)?;
        let ground = game.ground_game().ok_or(PlayerError::NotGround)?;
        let unknown = |error| PlayerError::from(MachineError::UnknownName(error));
        let (known, others): (Vec<&String>, Vec<&String>) =
            (percepts.iter()).partition(|percept| ground.find_percept(self.role, percept).is_ok());
        if let Some(other) = others.first() {
            tracing::warn!(percept = other, "by the rules, this cannot be perceived");
        }
        let observation = Observation::parse(ground, self.role, own, &known).map_err(unknown)?;
        if let Err(error) = belief.observe(&observation, stop) {
            tracing::warn!(%error, "the belief goes on with all states that may follow");
        }
        self.position = match game.hides_information() {
            true => None,
            false => {
                let state = State::from_words(belief.population().state(0));
                let position = game.follow()?.with_state(state);
                Some(SharedPosition::new(position, belief.observed() as u32))
            }
        };
        Ok(())
    }

    /// Goes on after a joint move: to the position `next`, if the referee shares it.
    ///
    /// # Errors
    /// As for [`position`](Follower::position), if the match is followed by moves and the game is loaded.
    pub(crate) fn advance(
        &mut self,
        observed: &Observed,
        next: Option<&SharedPosition>,
    ) -> Result<(), PlayerError> {
        if next.is_some() {
            self.missed.clear();
            self.position = next.cloned();
            return Ok(());
        }
        self.missed.push_back(observed.clone());
        match (&self.position, &self.belief) {
            (Some(_), None) => self.position().map(drop),
            // A belief takes time, which a move has.
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::load::Setup;

    const RULES: &str = "(role r) (init (at 0)) (succ 0 1) (succ 1 2) (succ 2 3) (legal r go)
        (<= (next (at ?y)) (true (at ?x)) (succ ?x ?y)) (<= terminal (true (at 3))) (goal r 100)";

    fn seat() -> Seat {
        let rulesheet = Rulesheet::parse("steps.kif", RULES, Setup::default());
        let opening = vec![joint("go")];
        Seat {
            opening: opening.into(),
            ..Seat::first(&Arc::new(rulesheet.unwrap()))
        }
    }

    fn joint(text: &str) -> Observed {
        [text].into_iter().collect()
    }

    /// Returns the depth of the current position and the propositions in it.
    fn current(follower: &mut Follower) -> (u32, Vec<String>) {
        let position = follower.position().unwrap();
        (position.depth(), position.position().fluents())
    }

    /// Joint moves wait for the game; a wrong one is reported once, and left out.
    #[test]
    fn a_match_is_followed_by_text() {
        let mut follower = Follower::new(&seat());
        follower.advance(&joint("stay"), None).unwrap();
        follower.advance(&joint("( GO )"), None).unwrap();
        let error = follower.position().unwrap_err();
        assert_eq!(error.to_string(), "r may not play stay here");
        assert_eq!(current(&mut follower), (2, vec!["(at 2)".to_string()]));
        let error = follower.advance(&joint("stay"), None).unwrap_err();
        assert_eq!(error.to_string(), "r may not play stay here");
        follower.advance(&joint("go"), None).unwrap();
        assert_eq!(current(&mut follower), (3, vec!["(at 3)".to_string()]));
    }

    /// Positions of the referee are taken as they are, also after some without.
    #[test]
    fn a_match_is_followed_on_shared_positions() {
        let mut seat = seat();
        let start = seat.rulesheet.game().unwrap().follow().unwrap();
        let opened = SharedPosition::new(start, 0)
            .after(&["go".to_string()])
            .unwrap();
        let next = opened.after(&["go".to_string()]).unwrap();
        let mut late = Follower::new(&seat);
        late.advance(&joint("go"), Some(&next)).unwrap();
        seat.position = Some(opened);
        let mut follower = Follower::new(&seat);
        assert_eq!(current(&mut follower), (1, vec!["(at 1)".to_string()]));
        follower.advance(&joint("go"), Some(&next)).unwrap();
        for follower in [&mut follower, &mut late] {
            assert_eq!(follower.position().unwrap().position(), next.position());
            follower.advance(&joint("go"), None).unwrap();
            assert_eq!(current(follower), (3, vec!["(at 3)".to_string()]));
        }
    }
}
