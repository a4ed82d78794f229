//! What players know of a single match in which information is hidden.

use std::sync::Arc;

use propjit_jit::lanes::transpose::column_words;

use super::observed::{Observed, percepts};
use super::shape::Shape;
use crate::game::ground::GroundGame;
use crate::game::machine::{MachineError, Move, RoleId, State, StateMachine};

/// What each player knows of a match: an observation of each, as [`Observed::Percepts`] describes it.
///
/// A player chooses where it has several legal moves.
#[derive(Clone, Debug)]
pub struct Knowledge {
    game: Arc<GroundGame>,
    shape: Arc<Shape>,
    /// The number of elements of each of the two sets of percepts.
    percepts: usize,
    /// The observations of the players, each in as many words.
    words: Vec<u64>,
}

impl Knowledge {
    /// Returns what is known at the start of a match: nothing.
    pub fn new(game: &Arc<GroundGame>) -> Knowledge {
        let shape = Shape::new(game, 1, false, Observed::Percepts);
        Knowledge {
            percepts: percepts(game, &shape.players),
            words: vec![0; shape.players.len() * words(&shape)],
            game: game.clone(),
            shape: Arc::new(shape),
        }
    }

    /// Returns the [words](Knowledge::words) of the same game put in place of these; none if there are more or fewer.
    #[must_use]
    pub fn with_words(self, words: Vec<u64>) -> Option<Knowledge> {
        (words.len() == self.words.len()).then_some(Knowledge { words, ..self })
    }

    /// Returns the observations of all players, one after the other, each packed from the lowest bit of a word on.
    pub fn words(&self) -> &[u64] {
        &self.words
    }

    /// Returns the number of elements of an observation.
    pub fn elements(&self) -> usize {
        self.shape.elements
    }

    /// Returns the observation of a player, a bit per element, packed from the lowest bit of a word on; none of the
    /// role that plays at random.
    pub fn observation(&self, role: RoleId) -> Option<&[u64]> {
        let player = self
            .shape
            .players
            .iter()
            .position(|&player| player == role)?;
        let words = words(&self.shape);
        self.words.get(player * words..(player + 1) * words)
    }

    /// Adds what players choose and perceive when the roles play these moves in a state of the match.
    ///
    /// # Errors
    /// As for [`StateMachine::next_state`]; nothing is added then.
    pub fn add(
        &mut self,
        machine: &mut dyn StateMachine,
        state: &State,
        joint: &[Move],
    ) -> Result<(), MachineError> {
        machine.check_joint_move(state, joint)?;
        let mut all = self.words.clone();
        let mut legal = Vec::new();
        let of_players = all.chunks_exact_mut(words(&self.shape));
        for (&role, words) in self.shape.players.iter().zip(of_players) {
            let mut set = |element: usize, is_there: bool| {
                let bit = 1 << (element % 64);
                match is_there {
                    true => words[element / 64] |= bit,
                    false => words[element / 64] &= !bit,
                }
            };
            machine.legal_moves(state, role, &mut legal)?;
            if legal.len() > 1 {
                (0..self.percepts).for_each(|recent| set(recent, false));
                let action = self.game.actions().of(role, joint[role.index()]);
                if action < self.shape.choices {
                    set(2 * self.percepts + action, true);
                }
            }
            for text in machine.percepts(state, joint, role)? {
                let percept = self.game.find_percept(role, &text)?;
                set(percept, true);
                set(self.percepts + percept, true);
            }
        }
        self.words = all;
        Ok(())
    }
}

/// Returns the number of words of an observation, at least one.
fn words(shape: &Shape) -> usize {
    column_words(shape.elements).max(1)
}
