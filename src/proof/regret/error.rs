//! Reasons why regret minimisation has no result.

use crate::game::machine::MachineError;

/// Why regret minimisation has no result.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RegretError {
    /// It is for one or two roles.
    #[error("regret minimisation is for one or two roles beside `random`, and here are {0}")]
    Roles(usize),
    /// The goals at the ends do not have the same sum.
    #[error(
        "regret minimisation is for two roles with opposed goals, and the sum of the goals is {} at one end and {} at another", .sums[0], .sums[1]
    )]
    NotOpposed {
        /// Two of the sums.
        sums: [i64; 2],
    },
    /// There is a terminal state in which a role has not exactly one goal.
    #[error("in a terminal state after {steps} joint moves, {role} does not have exactly one goal")]
    UndefinedGoal {
        /// The role.
        role: String,
        /// The number of joint moves before.
        steps: usize,
    },
    /// There is a state that is not terminal, in which a role has no legal move.
    #[error("in a state after {steps} joint moves, {role} has no legal move")]
    Stuck {
        /// The role.
        role: String,
        /// The number of joint moves before.
        steps: usize,
    },
    /// A role does not know its legal moves.
    #[error("{role} cannot know its legal moves after: {known}")]
    UnknownMoves {
        /// The role.
        role: String,
        /// Its own moves and percepts.
        known: String,
    },
    /// There are too many histories for the memory.
    #[error(
        "too large for regret minimisation in {} MiB: {histories} different histories after {steps} joint moves, and more to come; allow more memory", .memory >> 20
    )]
    TooLarge {
        /// The number of joint moves of the longest histories so far.
        steps: usize,
        /// The number of different histories so far.
        histories: u64,
        /// The limit of the memory, in bytes.
        memory: usize,
    },
    /// There are too many histories for the memory, which was known before.
    #[error(
        "too large for regret minimisation in {} MiB: the game has {histories:.3e} histories", .memory >> 20
    )]
    TooMany {
        /// The number of histories that do not end the match.
        histories: f64,
        /// The limit of the memory, in bytes.
        memory: usize,
    },
    /// There are histories with too many joint moves.
    #[error("too long for regret minimisation: some matches have more than {steps} joint moves")]
    TooLong {
        /// The most joint moves that a history may have.
        steps: usize,
    },
    /// A stop came before all histories were enumerated.
    #[error("interrupted, or out of time, after {histories} different histories of the game")]
    Stopped {
        /// The number of different histories so far.
        histories: u64,
    },
    /// The game cannot be played by its circuit.
    #[error(transparent)]
    Machine(#[from] MachineError),
}
