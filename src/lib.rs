//! propjit plays any game whose rules are written in the Game Description Language: a rulesheet
//! becomes a propositional network, that a Boolean circuit, and the circuit plays many matches
//! at a time, one per bit.
//!
//! ```
//! use std::time::Duration;
//! use propjit::{Backend, Game, Mcts, MctsConfig, RoleId, SearchBudget, Setup};
//!
//! let rules = propjit::gdl::games::text("ticTacToe").unwrap();
//! let game = Game::from_text("ticTacToe.kif", rules, &Setup::default())?;
//! let mut position = game.start()?;
//! position.play_texts(&["(mark 2 2)", "noop"])?;
//!
//! let mut search = Mcts::new(&game, Backend::Compiled, MctsConfig::default())?;
//! search.set_position(&position, 1)?;
//! search.run(&SearchBudget::for_duration(Duration::from_secs(1)))?;
//! let best = search.report(RoleId(1)).best.unwrap();
//! println!("{}", position.move_text(RoleId(1), best));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Where to start
//!
//! | to do | start with |
//! |---|---|
//! | load a rulesheet | [`Game::load`], [`Setup`] |
//! | play a match move by move | [`Game::start`], [`Position`]; [`History`] to go back |
//! | find a good move | [`Search`], [`SearchBudget`], [`SearchReport`]; [`Mcts`] for tree search alone |
//! | play random matches in bulk | [`game::playout::run`], [`PlayoutConfig`] |
//! | let a learner play many matches step by step | [`VectorEnvironment`] |
//! | let players play, or be one | [`Series`], [`Player`], [`PlayerFactory`] |
//! | prove what holds in all states | [`facts`](game::facts::find) |
//! | prove what a game is worth to each role | [`solve`](mod@proof::solve) |
//! | evaluate many states in a call | [`Batch`](game::machine::batch::Batch) |
//! | add a backend | [`StateMachine`] |
//!
//! The folder `examples` has programs for some of these. What is exported here is the library's promise, as are the methods
//! of these types. The modules are there for those who extend propjit, and may change with any version.
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

pub use game::environment::{EnvironmentConfig, VectorEnvironment};
pub use game::load::{Game, LoadError, Setup};
pub use game::machine::{Backend, MachineError, Move, RoleId, State, StateMachine};
pub use game::playout::{PlayoutConfig, PlayoutRunner, Playouts};
pub use game::position::{History, Position};
pub use game::vocabulary::lane_mask::LaneMask;
pub use play::matches::{MatchConfig, MatchRecord, Player, PlayerFactory, Series};
pub use propjit_stop::Stop;
pub use search::SearchBudget;
pub use search::chooser::{Search, SearchConfig};
pub use search::mcts::{Mcts, MctsConfig, SearchReport};
pub use support::directory::DirectoryError;
pub use support::statistics::{Moments, wilson};
pub use support::threads::ThreadError;
