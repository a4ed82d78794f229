//! The Game Description Language (GDL): from text to rules to a ground
//! propositional network.
//!
//! A game is a *rulesheet*: a logic program whose atoms say what holds in a state
//! (`true`), who may do what (`legal`), what follows (`next`) and what it is worth
//! (`goal`); see Love et al., *General Game Playing: Game Description Language
//! Specification*, Stanford 2008.
//!
//! ```text
//! text --syntax--> forms --normalize, check--> Rules --ground--> Propnet
//!                                                |
//!                                                +--prover--> answers about one state
//! ```
//!
//! - [`rules::Rules::parse`] reads a rulesheet; what is wrong with it comes back as
//!   [`diagnostic::Diagnostics`], all of it, with positions.
//! - [`ground::ground`] instantiates the rules and builds the [`propnet::Propnet`]:
//!   named ports on a pure Boolean network, which is what fast players evaluate.
//! - [`prover::Prover`] answers the same questions from the rules themselves. It is
//!   the reference, and plays the games that are too large to be grounded.
//!
//! ```
//! use propjit_gdl::ground::{GroundLimits, ground};
//! use propjit_gdl::rules::Rules;
//!
//! let parsed = Rules::parse("coin.kif", "
//!     (role player) (init (coin up))
//!     (<= (legal player flip) (true (coin up)))
//!     (<= (next (coin down)) (does player flip))
//!     (<= terminal (true (coin down)))
//!     (<= (goal player 100) terminal)
//! ")?;
//! let (net, _) = ground(&parsed.rules, &GroundLimits::default())?;
//! assert_eq!(net.bases.len(), 2);
//! assert_eq!(net.roles[0].moves.len(), 1);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Ground terms are numbers ([`term`]), so that nothing recurses over their depth;
//! nothing here knows of circuits, processors or search.

mod check;
pub mod diagnostic;
pub mod games;
pub mod ground;
mod normalize;
mod parse;
pub mod propnet;
pub mod prover;
pub mod rules;
pub mod scc;
pub mod source;
pub mod syntax;
pub mod term;

pub use parse::{MAX_BYTES, Parsed, ReadError};
