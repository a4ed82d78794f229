//! What a player observes of a joint move.

use super::player_error::PlayerError;

/// What a player observes of a joint move. Moves and percepts are KIF.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Observed {
    /// The moves of all roles, in role order: in games without `sees` rules.
    Moves(Vec<String>),
    /// The player's own move and its percepts: in games with `sees` rules, in which nothing else is told.
    Percepts {
        /// The move that was made for it: another one than it chose if that was illegal or late.
        own: String,
        /// What its role sees by the rules, in no particular order.
        percepts: Vec<String>,
    },
}

impl Observed {
    /// The moves of all roles, for players that play only games in which they are told them.
    ///
    /// # Errors
    /// [`PlayerError::Hidden`] in other games.
    pub fn moves(&self) -> Result<&[String], PlayerError> {
        match self {
            Observed::Moves(moves) => Ok(moves),
            Observed::Percepts { .. } => Err(PlayerError::Hidden),
        }
    }
}

impl<T: Into<String>> FromIterator<T> for Observed {
    /// The moves of all roles.
    fn from_iter<I: IntoIterator<Item = T>>(moves: I) -> Observed {
        Observed::Moves(moves.into_iter().map(Into::into).collect())
    }
}
