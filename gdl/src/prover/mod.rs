//! The prover: an evaluator that answers the queries of a match from the rules themselves,
//! without grounding them.
//!
//! It is the reference that other backends are tested against, and plays
//! the games that cannot be grounded. A state is a set of ground terms, and
//! rules are stratified Datalog with function symbols: recursion means
//! the least fixpoint.
//!
//! The steps from a rulesheet to an answer:
//!
//! - `definitions` sorts the rules by the relation that they define; `materialise` derives
//!   in advance the relations that no state and no move can change.
//! - `shape`: a relation is compiled once for each *call shape*, that is, for each set of
//!   argument parts that a caller knows. `specialise` and `clause` turn a rule
//!   into a clause for one shape, `order` sorts its conditions by `statistics` of
//!   a `sample` of play, and `compile` does so for all calls that a match makes, in one
//!   `context`.
//! - `whole`: a relation of which many goals are asked in a state is derived bottom-up, and its goals are looked up.
//!   `setup` runs these steps, and tries for which relations that is cheaper.
//! - A `program` is the result: calls with their clauses.
//! - `machine` proves goals, each once, in `frame`s, and `run` is the run of a clause; `store` keeps answers in
//!   `table`s as long as they hold: for a joint move, for a state, or for ever.
//!   `extension` indexes what is given: facts, the state, the moves, and relations that are derived whole.
//! - `queries` are the interface, `declared` asks for `base` and `input`; `limits` and `meter` bound the cost of each, so that no
//!   rulesheet makes the prover hang.
//!
//! ```
//! use propjit_gdl::{Prover, ProverLimits, Rules};
//!
//! let parsed = Rules::parse("switch.kif", "
//!     (role player) (init off)
//!     (legal player flip) (legal player wait)
//!     (<= (next on) (true off) (does player flip))
//!     (<= (next ?lamp) (true ?lamp) (does player wait))
//!     (<= terminal (true on))
//!     (<= (goal player 100) (true on)) (<= (goal player 0) (true off))
//! ")?;
//! let mut prover = Prover::new(&parsed.rules, ProverLimits::default())?;
//! let state = prover.initial_state()?;
//! prover.set_state(&state);
//! let moves = prover.legal_moves(0)?;
//! let names: Vec<String> = moves.iter().map(|&m| prover.terms().text(m)).collect();
//! assert_eq!(names, ["flip", "wait"]);
//! let next = prover.next_state(&moves[..1])?;
//! prover.set_state(&next);
//! assert!(prover.is_terminal()?);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod bound;
mod clause;
mod compile;
mod context;
mod declared;
mod definitions;
mod error;
mod extension;
mod frame;
mod limits;
mod machine;
mod materialise;
mod meter;
mod order;
mod program;
mod queries;
mod run;
mod sample;
mod setup;
mod shape;
mod specialise;
mod statistics;
mod store;
mod table;
mod whole;

pub use declared::Declared;
pub use error::{ProverError, RuleSite};
pub use limits::{ProverLimitKind, ProverLimits};
pub use queries::Prover;
