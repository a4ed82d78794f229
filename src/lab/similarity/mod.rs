//! The similarity of positions, based on the moves that can be played from them on.
//!
//! Positions are compared by their local game trees, without any knowledge of the game. Three
//! measures compare moves; a fourth one, based on any of them, compares how much moves change, so
//! that positions that have no moves in common, or are of different games ([`Comparison::between`]), can be compared as well.
//! All are from 0 to 1.
//!
//! | measure | what it compares | source |
//! |---|---|---|
//! | [`Measure::Continuations`] | the set of moves in the trees | equation 1, section 2.1 |
//! | [`Measure::Sequences`] | their lines, with moves in any order; moves that cannot be undone are other ones than those that can | equation 2, sections 2.2 and 4 |
//! | [`Measure::TreeEdit`] | the trees of such lines, by the edits that make one the other | section 2.3 |
//! | [`Comparison::structural`] | the similarities of the positions to their children | section 3, Algorithm 1 |
//!
//! [`Comparison::matched_moves`] determines which moves of two positions correspond, and
//! [`dynamics`] how dynamic a game is: how much, and how unevenly, its moves change the playable
//! moves. The page `docs/similarity.md` documents the interpretation of ambiguous parts of the
//! source.
//!
//! ```
//! # use propjit::game::load::{Game, Setup};
//! # use propjit::Stop;
//! use propjit::lab::similarity::{Comparison, Measure, SimilarityConfig};
//! let rules = propjit::gdl::games::text("ticTacToe").unwrap();
//! let game = Game::from_text("ticTacToe.kif", rules, &Setup::default())?;
//! let config = SimilarityConfig::default().with_measure(Measure::Sequences).with_depth(2);
//! let mut comparison = Comparison::new(&game, config, &Stop::new())?;
//! let ground = game.ground_game().unwrap();
//! let marked = ground.parse_state(&["(cell 1 1 x)", "(control o)"])?;
//! let other = ground.parse_state(&["(cell 3 3 x)", "(control o)"])?;
//! // Of the 56 lines of two moves from each position, 42 are without the squares marked.
//! assert_eq!(comparison.similarity(&marked, &other)?, 0.75);
//! assert_eq!(comparison.structural(&marked, &other)?, 1.0);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Source: S. Evans and P. Turrini, "Improving Strategic Decisions in Sequential Games by
//! Exploiting Positional Similarity", Games 14 (2023), 36. Sections and equations are its own.

mod assignment;
mod comparison;
mod config;
mod dynamics;
mod edit;
mod error;
mod irreversible;
mod labels;
mod matching;
mod move_sets;
mod ordered_tree;
mod sequences;
mod side;
mod structural;
mod terminal;
mod tree;

pub use assignment::{Assignment, assign};
pub use comparison::Comparison;
pub use config::{Measure, SimilarityConfig, UnknownMeasure};
pub use dynamics::{Dynamics, DynamicsConfig, dynamics};
pub use edit::{MAX_NODES, tree_edit};
pub use error::SimilarityError;
pub use matching::{FrequentPair, MatchedMoves, MovePair};
pub use move_sets::{MoveSets, continuations};
pub use sequences::Sequences;
pub use structural::structural;
pub use terminal::{rewards, rewards_between};
pub use tree::{Branch, GameTree};
