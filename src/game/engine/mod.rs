//! Code lifecycle: the engines of a game, and the states for which each is valid.
//!
//! An *engine* evaluates a circuit in lanes, many states at a time: an interpreter, or machine
//! code. A game has several, which come one after the other:
//!
//! | engine | made | valid for |
//! |---|---|---|
//! | the circuit as it was lowered, interpreted | at once | all states |
//! | the optimised circuit, as machine code | once per game, in the background (`tiers`), or loaded from the [cache] | all states |
//! | the circuit with the [choice of moves](crate::game::circuits::stepping), as machine code | once per game, in the background (`steps`) | random playouts from all states with a phase |
//! | the circuit with [decisive moves](crate::game::circuits::decisive) | once per game, in the background (`decisive`) | playouts from all states |
//! | the same with the choice of moves | once per game, in the background (`steps`) | such playouts from all states with a phase |
//! | the circuit [specialised for a root](crate::game::circuits::darkening) | whenever the root advances, in the background ([`darkening`]) | the states that follow from the root |
//!
//! Players and searches do not depend on any of that. They only query which engine is the best one
//! that is valid for these states now, and when there is a better one.
//!
//! - [`Engines`] belong to a game, and all its threads share them. [`MatchEngines`] are those of
//!   one search with an advancing root.
//! - An [`EngineSubscription`] belongs to a thread, and passes it a better engine when it
//!   [polls](EngineSubscription::poll).
//! - A [`ValidEngine`] is an engine with its [`Validity`], the set of states that it is valid for,
//!   and its [`PlayoutPolicy`].
//!
//! ```
//! # use propjit::game::load::{Game, Setup};
//! use propjit::game::engine::{MatchEngines, PlayoutPolicy};
//! use propjit::game::machine::batch::Batch;
//!
//! # let rules = "(role player) (init (step 0)) (legal player wait)
//! #     (<= (next (step 1)) (true (step 0)))
//! #     (<= terminal (true (step 1))) (<= (goal player 100) (true (step 1)))";
//! # let game = Game::from_text("steps.kif", rules, &Setup::default())?;
//! let engines = MatchEngines::new(game.engines().unwrap().clone());
//! let mut subscription = engines.subscribe(PlayoutPolicy::Uniform);
//! let mut batch = Batch::new(game.ground_game().unwrap().clone(), subscription.current());
//! // From time to time:
//! if let Some(better) = subscription.poll() {
//!     batch.switch(better);
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Sources of code
//!
//! - [`CodeOptions`] say how code is made and kept.
//! - [`compile`]: every kind of code has a purpose, with sections and a circuit of its own. It is
//!   loaded from the cache or compiled.
//! - [`Programs`] are those for the whole circuit.
//!
//! A further kind of engine is a file here: a purpose, and a place in the order in which a subscription
//! offers engines. Its circuit is built elsewhere, as in [`decisive`](crate::game::circuits::decisive).

pub mod cache;
pub mod compile;
pub mod darkening;
mod decisive;
mod engines;
mod match_engines;
mod options;
mod programs;
mod sources;
mod steps;
mod subscription;
mod tiers;
mod valid_engine;
mod validity;

pub use decisive::DecisiveEngine;
pub use engines::Engines;
pub use match_engines::MatchEngines;
pub use options::CodeOptions;
pub use programs::Programs;
pub(crate) use steps::Steps;
pub use steps::{StepCircuit, StepEngine};
pub use subscription::EngineSubscription;
pub use valid_engine::{PlayoutPolicy, ValidEngine};
pub use validity::Validity;
