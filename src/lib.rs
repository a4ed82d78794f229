//! propjit plays any game whose rules are written in the Game Description Language: a rulesheet
//! becomes a propositional network, that a Boolean circuit, and the circuit plays many matches
//! at a time, one per bit.
//!
//! ```
//! use std::time::Duration;
//! use propjit::{Backend, Game, Mcts, MctsConfig, RoleId, SearchBudget, Setup, Stop};
//!
//! let rules = propjit::gdl::games::text("ticTacToe").unwrap();
//! let game = Game::from_text("ticTacToe.kif", rules, &Setup::default())?;
//! let mut search = Mcts::new(&game, Backend::Compiled, MctsConfig::default())?;
//! search.run(&SearchBudget::default().with_stop(Stop::new().within(Duration::from_secs(1))))?;
//! let report = search.report(RoleId(0));
//! assert_eq!(report.value, Some(50.0));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Where to start
//!
//! | to do | start with |
//! |---|---|
//! | load a rulesheet | [`Game::load`], [`Setup`] |
//! | ask what follows from a state | [`Game::machine`], a [`StateMachine`] |
//! | evaluate many states in a call | [`Batch`](machine::batch::Batch) |
//! | let a learner play many matches step by step | [`VectorEnvironment`](environment::VectorEnvironment) |
//! | play random matches in bulk | [`playout::run`], [`Playouts`] |
//! | find a good move | [`Mcts`] |
//! | let players play, be a player | [`matches`](mod@matches), [`player`], [`protocol`] |
//! | prove what holds in all states | [`analysis`] |
//! | prove what a game is worth to each role | [`solve`] |
//! | compare positions by their game trees | [`similarity`] |
//! | check rules by playing, see what a game is like | [`inspection`] |
//!
//! The folder `examples` has programs for some of these.
//!
//! # Modules
//!
//! Each depends only on those above it.
//!
//! - [`gdl`] and [`jit`] are the packages below this one: rules and networks; circuits and code.
//! - [`ground`] is a game as a circuit, with the names of what its wires mean; [`darkening`],
//!   [`decisive`] and [`reasons`] derive other circuits from it.
//! - [`stepping`] puts the choice of moves into the circuit.
//! - [`influence`] tells how soon moves have an influence on each other and on goals.
//! - [`factors`] are parts of a game that change independently of each other.
//! - [`engine`] is the life of code: the best engine for a state, now.
//! - [`machine`] is one state at a time, with a backend per file, or a batch of them.
//! - [`analysis`] proves what holds in all states, or from a state on.
//! - [`game`] loads games, and makes machines for them.
//! - [`playout`] plays random matches, [`perft`] counts all of them; [`environment`] plays as those
//!   who learn from it say.
//! - [`grid`] infers the boards of a game; [`input`] reads texts that users name.
//! - [`inspection`] tells from random matches what is wrong with a game, and what it is like.
//! - [`similarity`] compares positions by what can be played from them on.
//! - [`plan`] looks for the best match of a game of one role.
//! - [`proof`] proves what a role can force.
//! - [`solve`] proves values of games, and [`certificate`] checks such proofs by the rules alone.
//! - [`search`] finds good moves.
//! - [`matches`](mod@matches) is a match and all about it; [`protocol`] lets players and game
//!   managers elsewhere take part; [`player`] has the players, and reads their names; [`view`] shows
//!   a match in the browser.
//! - [`verify`] compares machines with recorded traces and with each other; [`profile`] keeps what
//!   suits the user's CPU best; `tools`, a feature, measures.

pub mod analysis;
mod background;
pub mod certificate;
mod crash;
pub mod darkening;
pub mod decisive;
mod directory;
pub mod engine;
pub mod environment;
pub mod error_text;
pub mod factors;
mod fnv;
pub mod game;
pub mod grid;
pub mod ground;
pub mod influence;
pub mod input;
pub mod inspection;
mod lane_mask;
mod line_io;
pub mod machine;
pub mod matches;
mod moves;
mod pause;
pub mod perft;
pub mod plan;
pub mod player;
pub mod playout;
pub mod profile;
pub mod program;
pub mod proof;
pub mod protocol;
pub mod reasons;
pub mod rng;
pub mod search;
mod setters;
mod shape;
pub mod similarity;
pub mod solve;
mod state;
mod state_set;
mod statistics;
pub mod stepping;
mod terms;
mod threads;
#[cfg(feature = "tools")]
pub mod tools;
pub mod verify;
pub mod view;

pub use propjit_gdl as gdl;
pub use propjit_jit as jit;

pub use directory::DirectoryError;
pub use game::{Game, LoadError, Setup};
pub use lane_mask::LaneMask;
pub use machine::{Backend, MachineError, Move, RoleId, State, StateMachine};
pub use playout::{PlayoutConfig, PlayoutRunner, Playouts};
pub use propjit_stop::Stop;
pub use search::SearchBudget;
pub use search::mcts::{Mcts, MctsConfig, SearchReport};
pub use statistics::{Moments, wilson};
pub use threads::ThreadError;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct ReadmeDoctests;
