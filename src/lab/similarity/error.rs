//! Reasons why positions cannot be compared.

use super::edit::MAX_NODES;
use crate::game::machine::MachineError;

/// Why positions cannot be compared.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SimilarityError {
    /// The game cannot be evaluated in lanes.
    #[error(transparent)]
    Machine(#[from] MachineError),
    /// The game trees are too large.
    #[error("the game trees have more than {0} nodes; raise `--nodes` or lower `--depth`")]
    Nodes(usize),
    /// The game trees are too large for their edit distance.
    #[error(
        "a game tree has more than {MAX_NODES} nodes, too many for an edit distance; lower `--depth`"
    )]
    Edits,
    /// A stop came.
    #[error("interrupted before the positions were compared")]
    Stopped,
}
