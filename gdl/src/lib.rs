//! The Game Description Language (GDL): from text to rules to a propositional network.
//!
//! A game is a *rulesheet*: a logic program whose atoms say what holds in a state
//! (`true`), which moves a role has (`legal`), what follows from them (`next`) and what a
//! state is worth (`goal`); see Love et al., *General Game Playing: Game Description Language
//! Specification*, Stanford 2008. This crate reads a rulesheet, grounds it, or evaluates it as
//! it is:
//!
//! ```
//! use propjit_gdl::{GroundLimits, Prover, ProverLimits, Rules, ground};
//!
//! let parsed = Rules::parse("coin.kif", "
//!     (role player) (init (coin up))
//!     (<= (legal player flip) (true (coin up)))
//!     (<= (next (coin down)) (does player flip))
//!     (<= terminal (true (coin down)))
//!     (<= (goal player 100) terminal)
//! ")?;
//! // A Boolean network, which fast players evaluate.
//! let (propnet, _) = ground(&parsed.rules, &GroundLimits::default())?;
//! assert_eq!((propnet.bases.len(), propnet.roles[0].moves.len()), (2, 1));
//! // The rules themselves, for games that are too large to be grounded.
//! let mut prover = Prover::new(&parsed.rules, ProverLimits::default())?;
//! let state = prover.initial_state()?;
//! prover.set_state(&state);
//! let moves = prover.legal_moves(0)?;
//! assert_eq!(prover.terms().text(moves[0]), "flip");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Parts
//!
//! ```text
//! text --syntax--> forms --reading: normalize, check--> Rules --ground--> Propnet
//!                                                         |
//!                                                         +--prover--> answers about one state
//! ```
//!
//! - [`Rules::parse`] reads a rulesheet; all errors and warnings come back as
//!   [`Diagnostics`], with positions.
//! - [`ground()`] instantiates the rules and builds the [`Propnet`]: named ports on a pure
//!   Boolean network.
//! - [`Prover`] answers the same questions from the rules themselves. It is
//!   the reference, and plays the games that are too large to be grounded.
//!
//! Ground terms are numbers in a table of [`Terms`], so that nothing recurses over their
//! depth; nothing here knows of circuits, processors or search.

pub mod diagnostic;
pub mod games;
pub mod ground;
pub mod propnet;
pub mod prover;
pub mod rules;
pub mod source;
pub mod syntax;
pub mod term;

mod check;
mod declarations;
mod file;
mod normalize;
mod parse;
mod reading;
mod scc;

pub use diagnostic::{Diagnostic, Diagnostics};
pub use file::{MAX_BYTES, ReadError};
pub use ground::{GroundError, GroundLimitKind, GroundLimits, GroundStatistics, ground};
pub use parse::{Parsed, ReadOptions};
pub use propnet::Propnet;
pub use prover::{Prover, ProverError, ProverLimitKind, ProverLimits};
pub use rules::Rules;
pub use term::{TermId, Terms};

// The example of the README is tested.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
