//! Decisive moves: moves that win at once, and moves after which no other role can win at once.
//!
//! Random playouts overlook both. A playout in which a role wins where it can, and otherwise does
//! not let another role win with its next move where it can prevent that, is worth more than one
//! in which moves are uniformly random (Teytaud and Teytaud, "On the huge benefit of decisive
//! moves in Monte-Carlo tree search algorithms", 2010). It costs little: a lookahead finds these
//! moves with a few more gates, most of which are idle half the time, since only one role has a
//! choice at a time. The result is a circuit like the game's, but with fewer legal moves. Nothing
//! else about a playout is different.
//!
//! Winning means that the match is over and the role has the greatest of its goals. Nearly as good
//! is a move after which the greatest goal that the only rival can still have is out of reach,
//! which goal [latches](crate::game::facts) determine. A role does not take a move after which its
//! own greatest goal is out of reach, if it has others. All of this applies where phases determine
//! which role has the choice; a role that moves at random does not take part.
//!
//! A [`DecisiveCircuit`] is the circuit; its [engine](crate::game::engine::DecisiveEngine) is made in
//! [`engine`](crate::game::engine).
//!
//! # Measured benefit
//!
//! Scores at equal time of a search with decisive moves against one without, in 30 to 60
//! matches each (their standard error is 6 to 8 points):
//!
//! | game | wins only | all |
//! |---|---|---|
//! | small breakthrough | 68% | 92% |
//! | connect four | 57% | 92% |
//! | breakthrough | 50% | 83% |
//! | nine board tic-tac-toe | 67% | 80% |
//! | knight through | | 80% |
//! | escort latch breakthrough | | 51% |
//! | check lines | | 50% |
//! | pentago | 54% | |
//! | speed chess | 83% | too much |
//!
//! In escort latch breakthrough, a search that knows of goal latches, here and in its tree, scores
//! 95% against one that does not.

mod circuit;
mod lookahead;
mod losses;

pub use circuit::DecisiveCircuit;
