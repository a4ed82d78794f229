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
//! | evaluate many states in a call | [`Batch`](game::machine::batch::Batch) |
//! | let a learner play many matches step by step | [`VectorEnvironment`](game::environment::VectorEnvironment) |
//! | play random matches in bulk | [`game::playout::run`], [`Playouts`] |
//! | find a good move | [`Mcts`] |
//! | let players play, be a player | [`play`] |
//! | prove what holds in all states | [`game::facts`] |
//! | prove what a game is worth to each role | [`proof::solve`] |
//! | compare positions by their game trees | [`lab::similarity`] |
//! | check rules by playing, see what a game is like | [`lab::inspection`] |
//!
//! The folder `examples` has programs for some of these.
//!
//! # Modules
//!
//! Each uses only those above it.
//!
//! - [`gdl`] and [`jit`] are the packages below this one: rules and networks; circuits and code.
//! - [`support`] are utilities that know no games.
//! - [`game`] is a compiled game: circuits, engines, machines, facts, playouts.
//! - [`proof`] has exact answers.
//! - [`search`] finds good moves.
//! - [`play`] has matches, players and protocols.
//! - [`lab`] has studies and measurements that no player needs.

pub mod game;
pub mod lab;
pub mod play;
pub mod proof;
pub mod search;
pub mod support;

pub use propjit_gdl as gdl;
pub use propjit_jit as jit;

pub use game::load::{Game, LoadError, Setup};
pub use game::machine::{Backend, MachineError, Move, RoleId, State, StateMachine};
pub use game::playout::{PlayoutConfig, PlayoutRunner, Playouts};
pub use game::vocabulary::lane_mask::LaneMask;
pub use propjit_stop::Stop;
pub use search::SearchBudget;
pub use search::mcts::{Mcts, MctsConfig, SearchReport};
pub use support::directory::DirectoryError;
pub use support::statistics::{Moments, wilson};
pub use support::threads::ThreadError;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct ReadmeDoctests;
