//! A match as a player of this process follows it.

use std::collections::VecDeque;
use std::sync::Arc;

use super::player::{PlayerError, Seat};
use super::rulesheet::Rulesheet;
use super::shared_position::SharedPosition;

/// Follows a match on the positions that the referee shares, or else on its own ones, by text.
#[derive(Debug)]
pub(crate) struct Follower {
    rulesheet: Arc<Rulesheet>,
    /// None before it is wanted.
    position: Option<SharedPosition>,
    /// The joint moves after it, or else from the start.
    missed: VecDeque<Vec<String>>,
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
            position: seat.position.clone(),
            missed,
        }
    }

    /// Returns the current position. The first call may have to wait until the game is loaded.
    ///
    /// # Errors
    /// When there is no game, it cannot be evaluated, or a joint move is not legal in it. That
    /// joint move is then left out.
    pub(crate) fn position(&mut self) -> Result<&SharedPosition, PlayerError> {
        let mut position = match self.position.take() {
            Some(position) => position,
            None => SharedPosition::new(self.rulesheet.game()?.follow()?, 0),
        };
        let mut followed = Ok(());
        while followed.is_ok()
            && let Some(joint) = self.missed.pop_front()
        {
            followed = position.after(&joint).map(|next| position = next);
        }
        let position = self.position.insert(position);
        Ok(followed.map(|()| &*position)?)
    }

    /// Goes on after a joint move: to the position `next`, if the referee shares it.
    ///
    /// # Errors
    /// As for [`position`](Follower::position), unless the game is not loaded yet.
    pub(crate) fn advance(
        &mut self,
        joint: &[String],
        next: Option<&SharedPosition>,
    ) -> Result<(), PlayerError> {
        if next.is_some() {
            self.missed.clear();
            self.position = next.cloned();
            return Ok(());
        }
        self.missed.push_back(joint.to_vec());
        match self.position {
            Some(_) => self.position().map(drop),
            None => Ok(()),
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
        let opening = vec![vec!["go".to_string()]];
        Seat {
            opening: opening.into(),
            ..Seat::first(&Arc::new(rulesheet.unwrap()))
        }
    }

    fn joint(text: &str) -> [String; 1] {
        [text.to_string()]
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
        let opened = SharedPosition::new(start, 0).after(&joint("go")).unwrap();
        let next = opened.after(&joint("go")).unwrap();
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
