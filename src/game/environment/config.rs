//! Configuration of batched environments.

use propjit_stop::Stop;
use rayon::ThreadPoolBuildError;

use super::autoreset::Autoreset;
use super::observed::Observed;
use super::rewards::Rewards;
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
    /// The number of joint moves after which a match is truncated, at least 1. Those in which no player has a choice
    /// count as well.
    pub max_steps: u32,
    /// The contents of observations.
    pub observed: Observed,
    /// The number, among the players, of the one who observes, if it is always the same one.
    pub observer: Option<usize>,
    /// What players are rewarded with. By default, rewards are zero-sum for two players whose goals are seen to have
    /// the same sum at the end of all matches, or of which no end is seen, and goals for others.
    pub rewards: Option<Rewards>,
    /// What happens when a match has ended.
    pub autoreset: Autoreset,
    /// Whether the last states of matches are kept, for [`Finals`](super::Finals), if other matches follow
    /// [in the same step](Autoreset::SameStep).
    pub finals: bool,
    /// Stops the random matches by which defaults are found, which can take long in huge games.
    pub stop: Stop,
}

impl Default for EnvironmentConfig {
    fn default() -> EnvironmentConfig {
        EnvironmentConfig {
            environments: 1,
            threads: 1,
            joint: None,
            max_steps: 10_000,
            observed: Observed::State,
            observer: None,
            rewards: None,
            autoreset: Autoreset::default(),
            finals: false,
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
        with_observed(observed: Observed);
        with_observer(observer: Option<usize>);
        with_rewards(rewards: Option<Rewards>);
        with_autoreset(autoreset: Autoreset);
        with_finals(finals: bool);
        with_stop(stop: Stop);
    }

    /// Checks whether this is possible for a game, however much memory there is.
    ///
    /// # Errors
    /// When there are no environments or too many, matches have no steps, there is no such observer, or rewards are
    /// to be zero-sum for other than two players.
    pub fn check(&self, game: &GroundGame) -> Result<(), EnvironmentError> {
        let joint = self.joint.unwrap_or(true);
        let shape = Shape::new(game, self.environments, joint, self.observed.clone());
        let shape = shape.with_observer(self.observer);
        match (self.environments, shape.players.len()) {
            (0, _) => Err(EnvironmentError::None),
            _ if self.max_steps == 0 => Err(EnvironmentError::NoSteps),
            (_, players) if self.rewards == Some(Rewards::ZeroSum) && players != 2 => {
                Err(EnvironmentError::NotForTwo { players })
            }
            (_, players) if self.observer.is_some_and(|observer| observer >= players) => {
                Err(EnvironmentError::NoObserver { players })
            }
            (count, _) if !shape.is_addressable() => Err(EnvironmentError::TooMany(count)),
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
    /// A match may not have a single step.
    #[error(
        "`max_steps` must be at least 1: it is the number of joint moves after which a match is truncated"
    )]
    NoSteps,
    /// Zero-sum rewards are for two players.
    #[error(
        "zero-sum rewards are for two players, and this game has {players}: use goals as rewards"
    )]
    NotForTwo {
        /// The number of players.
        players: usize,
    },
    /// There is no player with the number of the observer.
    #[error(
        "there is no such observer: this game has {players} players, which are numbered from 0"
    )]
    NoObserver {
        /// The number of players.
        players: usize,
    },
    /// No player has a choice before matches end.
    #[error(
        "no player has a choice in the first {max_steps} joint moves of this game, before its matches end: there are no steps to take"
    )]
    NoChoice {
        /// The number of joint moves after which matches are truncated.
        max_steps: u32,
    },
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
