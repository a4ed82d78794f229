//! Configuration of batched environments.

use propjit_stop::Stop;
use rayon::ThreadPoolBuildError;

use super::shape::Shape;
use crate::game::ground::GroundGame;
use crate::support::setters::setters;

/// The number of environments, and the way in which they are played.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct EnvironmentConfig {
    /// The number of environments, at least 1.
    pub environments: usize,
    /// The number of threads, at least 1.
    pub threads: usize,
    /// Whether a step takes an action of each player, rather than of the player with a choice. By
    /// default this holds for games in which several players are seen to have a choice at the same
    /// time.
    pub joint: Option<bool>,
    /// The number of joint moves after which a match is truncated.
    pub max_steps: u32,
    /// Stops the check for players that choose at the same time, which can take long in huge games.
    pub stop: Stop,
}

impl Default for EnvironmentConfig {
    fn default() -> EnvironmentConfig {
        EnvironmentConfig {
            environments: 1,
            threads: 1,
            joint: None,
            max_steps: 10_000,
            stop: Stop::new(),
        }
    }
}

impl EnvironmentConfig {
    setters! {
        with_environments(environments: usize);
        with_threads(threads: usize);
        with_joint(joint: Option<bool>);
        with_max_steps(max_steps: u32);
        with_stop(stop: Stop);
    }

    /// Checks whether this number of environments of a game is possible, however much memory there
    /// is.
    ///
    /// # Errors
    /// When there are none, or too many.
    pub fn check(&self, game: &GroundGame) -> Result<(), EnvironmentError> {
        let joint = self.joint.unwrap_or(true);
        let shape = Shape::new(game, self.environments, joint);
        match self.environments {
            0 => Err(EnvironmentError::None),
            count if !shape.is_addressable() => Err(EnvironmentError::TooMany(count)),
            _ => Ok(()),
        }
    }
}

/// The reason why environments cannot be created.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EnvironmentError {
    /// There are none.
    #[error("at least one environment is needed")]
    None,
    /// Their arrays cannot be addressed.
    #[error("{0} environments are too many")]
    TooMany(usize),
    /// The initial state is terminal.
    #[error("the start position is terminal: there are no steps to take")]
    Over,
    /// There is no memory for their states.
    #[error(
        "not enough memory for {environments} environments on {threads} threads, which need {bytes} bytes in addition to their arrays: use fewer"
    )]
    Memory {
        /// The number of environments.
        environments: usize,
        /// The number of threads.
        threads: usize,
        /// The approximate number of bytes that they take.
        bytes: usize,
    },
    /// The threads cannot be started.
    #[error("cannot start {threads} threads: use fewer")]
    Threads {
        /// The number of threads.
        threads: usize,
        /// The cause.
        source: ThreadPoolBuildError,
    },
}
