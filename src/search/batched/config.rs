//! Configuration of batched searches.

use propjit_stop::Stop;

use crate::game::environment::{Observed, Rewards};
use crate::support::setters::setters;

/// How the trees of a batched search grow.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct BatchSearchConfig {
    /// The PUCT exploration constant, for values scaled to -1 to 1.
    pub exploration: f32,
    /// The noise at roots, for PUCT.
    pub noise: Option<Noise>,
    /// The number of actions that a root considers at first with Gumbel noise, sequential halving and completed values;
    /// with none, moves are selected by PUCT everywhere.
    pub gumbel: Option<u32>,
    /// The number of joint moves after which a match is truncated, counted from the states that were given.
    pub max_steps: u32,
    /// The [seed](crate::support::rng) of noise, of chance, and of choices between equals.
    pub seed: u64,
    /// The contents of observations: not percepts.
    pub observed: Observed,
    /// What players are rewarded with; by default, that is found as for
    /// [environments](crate::game::environment::EnvironmentConfig::rewards).
    pub rewards: Option<Rewards>,
    /// Stops the random matches by which defaults are found.
    pub stop: Stop,
}

/// Noise at a root: its prior probabilities are mixed with probabilities from a symmetric Dirichlet distribution
/// (Silver et al., "A general reinforcement learning algorithm that masters chess, shogi, and Go through self-play",
/// 2018).
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Noise {
    /// The concentration: small for noise that prefers few actions.
    pub alpha: f32,
    /// The share of noise in the mixture.
    pub fraction: f32,
}

/// A setting that is out of range.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{0}")]
pub struct SettingError(&'static str);

impl Default for BatchSearchConfig {
    fn default() -> BatchSearchConfig {
        BatchSearchConfig {
            exploration: 1.25,
            noise: None,
            gumbel: None,
            max_steps: 10_000,
            seed: 0,
            observed: Observed::State,
            rewards: None,
            stop: Stop::new(),
        }
    }
}

impl BatchSearchConfig {
    setters! {
        with_exploration(exploration: f32);
        with_noise(noise: Option<Noise>);
        with_gumbel(gumbel: Option<u32>);
        with_max_steps(max_steps: u32);
        with_seed(seed: u64);
        with_observed(observed: Observed);
        with_rewards(rewards: Option<Rewards>);
        with_stop(stop: Stop);
    }

    /// Checks the settings.
    ///
    /// # Errors
    /// When one is out of range, or two exclude each other.
    pub fn check(&self) -> Result<(), SettingError> {
        let is_size = |number: f32| number.is_finite() && number > 0.0;
        let error = match self.noise {
            _ if !(self.exploration.is_finite() && self.exploration >= 0.0) => {
                "`exploration` must be a number, at least 0"
            }
            Some(noise) if !is_size(noise.alpha) => {
                "the concentration of the noise, its first number, must be greater than 0"
            }
            Some(noise) if !(0.0..=1.0).contains(&noise.fraction) => {
                "the share of the noise, its second number, must be from 0 to 1"
            }
            Some(_) if self.gumbel.is_some() => {
                "a Gumbel search has noise of its own: leave out `noise`"
            }
            _ if self.gumbel == Some(0) => "`considered` must be at least 1",
            _ if self.max_steps == 0 => "`max_steps` must be at least 1",
            _ => return Ok(()),
        };
        Err(SettingError(error))
    }
}
