//! Batched environments for reinforcement learning: many matches that are played step by step.
//!
//! A [`VectorEnvironment`] takes an action per match and writes the results into arrays of the
//! caller: observations, legal actions, rewards, ends. In each of them a player has a choice, or several have: where
//! none has one, forced moves are played without asking. What follows the end of a match is a matter of [`Autoreset`].
//!
//! ```
//! # use propjit::game::load::{Game, Setup};
//! use propjit::game::environment::{EnvironmentConfig, Observation, Outputs, VectorEnvironment};
//!
//! # let rules = propjit::gdl::games::text("ticTacToe").unwrap();
//! # let game = Game::from_text("ticTacToe.kif", rules, &Setup::default())?;
//! let config = EnvironmentConfig::default().with_environments(2);
//! let mut environment = VectorEnvironment::new(game.engines().unwrap(), &config)?;
//! let shape = environment.shape().clone();
//! assert_eq!((shape.players.len(), shape.actions, shape.joint), (2, 10, false));
//!
//! let mut observation = vec![0; 2 * shape.elements];
//! let mut legal = vec![0; 2 * shape.actions];
//! let (mut legal_counts, mut current) = ([0; 2], [0; 2]);
//! let (mut rewards, mut terminated, mut truncated) = ([0.0; 4], [0; 2], [0; 2]);
//! let mut outputs = Outputs {
//!     observation: Observation::Bytes(&mut observation),
//!     legal: &mut legal,
//!     legal_counts: &mut legal_counts,
//!     current: &mut current,
//!     rewards: &mut rewards,
//!     terminated: &mut terminated,
//!     truncated: &mut truncated,
//!     finals: None,
//! };
//! environment.reset(Some(1), None, outputs.reborrow());
//! let mut actions = [0; 2];
//! environment.nth_legal(&[0, 8], &mut actions)?;
//! environment.step(&actions, outputs)?;
//! assert_eq!((legal_counts, current), ([8, 8], [1, 1]));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Moves are [`Actions`](crate::game::ground::Actions), which have the same number for all players.
//!
//! States stay in lanes: a block of environments is as many as an engine has lanes, and its base
//! propositions are rows. The outputs are transposed and unpacked from rows, which takes some tens
//! of nanoseconds per match.
//!
//! - [`VectorEnvironment`]: all blocks, on several threads.
//! - `block`: the environments of one block. `worker`: the batch in which one thread evaluates
//!   them.
//! - `autoreset`, `ends`, `start`: the end of matches, and their beginning up to the first choice. `rewards`: what
//!   players
//!   get. `probe`: defaults that are found by random matches.
//! - `observed`, `features`, `perceived`: the contents of observations. `knowledge`: those of a single match.
//! - `outputs`: the arrays of callers. `packed`: bits as sets of actions.
//! - `saved`: environments to be stored. `memory`: fallible allocation.

mod action_error;
mod autoreset;
mod block;
mod common;
mod config;
mod ends;
mod features;
mod knowledge;
mod memory;
mod observed;
mod outputs;
mod packed;
mod perceived;
mod probe;
mod random_steps;
mod rewards;
mod saved;
mod shape;
mod start;
mod vector;
mod worker;

pub use action_error::ActionError;
pub use autoreset::Autoreset;
pub use config::{EnvironmentConfig, EnvironmentError};
pub use features::{Features, Source};
pub use knowledge::Knowledge;
pub use observed::Observed;
pub use outputs::{Finals, OVER, Observation, Outputs, SEVERAL};
pub use random_steps::RandomSteps;
pub use rewards::{RewardRule, Rewards};
pub use shape::Shape;
pub use vector::VectorEnvironment;
