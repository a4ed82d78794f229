//! What a player observes of a joint move.

use super::player_error::PlayerError;

/// What a player observes of a joint move. Moves and percepts are KIF.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Observed {
    /// The moves of all roles, in role order: in games without `sees` rules.
    Moves(Vec<String>),
    /// The player's own move and its percepts: in games with `sees` rules.
    Percepts {
        /// The move that was made for it: another one than it chose if that was illegal or late.
        own: String,
        /// What its role sees by the rules, in no particular order.
        percepts: Vec<String>,
        /// The moves of all roles, in role order, if the game hides nothing and they are known.
        moves: Option<Vec<String>>,
    },
}

impl Observed {
    /// The moves of all roles.
    ///
    /// # Errors
    /// [`PlayerError::Hidden`] if they are not told.
    pub fn moves(&self) -> Result<&[String], PlayerError> {
        match self {
            Observed::Moves(moves) => Ok(moves),
            Observed::Percepts { moves, .. } => moves.as_deref().ok_or(PlayerError::Hidden),
        }
    }
}

impl<T: Into<String>> FromIterator<T> for Observed {
    /// The moves of all roles.
    fn from_iter<I: IntoIterator<Item = T>>(moves: I) -> Observed {
        Observed::Moves(moves.into_iter().map(Into::into).collect())
    }
}
