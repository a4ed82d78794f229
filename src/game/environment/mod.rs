//! Batched environments for reinforcement learning: many matches that are played step by step.
//!
//! A [`VectorEnvironment`] takes an action per match and writes the results into arrays of the
//! caller: observations, legal actions, rewards, ends. A match that ends is followed by another one
//! in the same place at once.
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
//! let mut observation = vec![0; 2 * shape.propositions];
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
//! };
//! environment.reset(1, outputs.reborrow());
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
//! - `outputs`, `unpack`: the arrays of callers, and the formats of bits in them. `packed`: bits as
//!   sets of actions.
//! - `memory`: fallible allocation.

mod action_error;
mod block;
mod common;
mod config;
mod memory;
mod outputs;
mod packed;
mod random_steps;
mod shape;
mod unpack;
mod vector;
mod worker;

pub use action_error::ActionError;
pub use config::{EnvironmentConfig, EnvironmentError};
pub use outputs::{Observation, Outputs};
pub use random_steps::RandomSteps;
pub use shape::Shape;
pub use vector::VectorEnvironment;
