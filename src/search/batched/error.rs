//! Errors of batched searches.

use std::error::Error;

use super::config::SettingError;
use crate::game::environment::EnvironmentError;

/// The reason why a batched search is not possible, or did not go on.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SearchError {
    /// The game could not be grounded.
    #[error("batched searches need a ground game, and this one could not be grounded")]
    NotGround,
    /// Players do not see the whole state.
    #[error(
        "this game hides information: a search of states would know what players do not; `ismcts`, the player `mcts`, searches what they may think"
    )]
    Hidden,
    /// Several players choose at the same time.
    #[error(
        "several players have a choice at the same time in this game, and a batched search is for games in which one has: use `Search`, which finds mixed strategies"
    )]
    Several,
    /// A setting is out of range.
    #[error(transparent)]
    Setting(#[from] SettingError),
    /// No environments of the game can be made.
    #[error(transparent)]
    Environment(#[from] EnvironmentError),
    /// There are not as many actions as games.
    #[error("{given} actions were given, but {expected} are needed: one for each game")]
    Count {
        /// The number that is needed.
        expected: usize,
        /// The number that was given.
        given: usize,
    },
    /// The action is not legal.
    #[error(
        "action {action} of {player} is not legal in game {game}: the mask of legal actions has the legal ones"
    )]
    Illegal {
        /// The number of the game.
        game: usize,
        /// The name of the player.
        player: String,
        /// The action.
        action: i32,
    },
    /// The evaluator failed.
    #[error("the evaluation failed: {0}")]
    Evaluation(Box<dyn Error + Send + Sync>),
    /// A value has to be finite.
    #[error("the evaluation returned the value {0}, which is not a finite number")]
    Value(f32),
    /// A logit has to be less than infinity, and one of them finite.
    #[error(
        "the logits of the legal actions in a position are {0:?}: they must be less than infinity, and at least one must be finite"
    )]
    Logits(Vec<f32>),
}
