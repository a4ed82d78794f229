//! The arguments with which environments are made.

use std::process;
use std::sync::Mutex;

use propjit::game::environment::{Autoreset, EnvironmentConfig, Rewards, Shape, VectorEnvironment};
use propjit::support::rng::random_seed;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::{Environments, VectorEnv};
use crate::arrays::{ObservationType, require};
use crate::errors::{check_threads, environment_error, not_ground};
use crate::game::Game;
use crate::interrupt::interruptible;
use crate::numbers::Number;
use crate::observations::{ObservationName, Observations};
use crate::outputs::{Arrays, Format};

/// The arguments of a caller, as they are.
pub(super) struct Arguments<'a> {
    pub(super) n: Number,
    pub(super) threads: Number,
    pub(super) observation: Option<ObservationName>,
    pub(super) dtype: ObservationType,
    pub(super) observer: Option<Number>,
    pub(super) rewards: Option<&'a str>,
    pub(super) autoreset: &'a str,
    pub(super) joint: Option<bool>,
    pub(super) max_steps: Number,
    pub(super) seed: Option<Number>,
}

impl Arguments<'_> {
    /// Makes environments of a game.
    pub(super) fn make(self, py: Python<'_>, game: Py<Game>) -> PyResult<VectorEnv> {
        let Arguments {
            n,
            threads,
            observation,
            dtype,
            observer,
            rewards,
            autoreset,
            joint,
            max_steps,
            seed,
        } = self;
        // If NumPy is missing, or Ctrl-C comes while it is loaded, this is an exception here.
        py.import("numpy")?;
        let autoreset = parse_autoreset(autoreset)?;
        let seed = seed.map(|seed| seed.at_least("seed", 0)).transpose()?;
        let observer = observer
            .map(|one| one.at_least("observer", 0))
            .transpose()?;
        let (n, max_steps) = (n.at_least("n", 1)?, max_steps.at_least("max_steps", 1)?);
        let threads = check_threads(threads.at_least("threads", 1)?)?;
        let core = game.get().here(py)?;
        let engines = core.engines();
        let engines = engines.ok_or_else(|| not_ground("environments"))?;
        let observations = Observations::find(py, &game, observation)?;
        let config = EnvironmentConfig::default()
            .with_environments(n)
            .with_threads(threads)
            .with_observed(observations.observed.clone())
            .with_observer(observer)
            .with_rewards(rewards.map(parse_rewards).transpose()?)
            .with_autoreset(autoreset)
            .with_finals(autoreset == Autoreset::SameStep)
            .with_joint(joint)
            .with_max_steps(max_steps);
        config.check(engines.game()).map_err(environment_error)?;
        let format = |shape: Shape| Format {
            observation: observations.shape(&shape),
            finals: autoreset == Autoreset::SameStep,
            shape,
            kind: dtype,
        };
        // Requests that are refused here need not be tried.
        let shape = Shape::new(engines.game(), n, false, observations.observed.clone());
        let shape = shape.with_observer(observer);
        require(n.saturating_mul(format(shape).bytes()))?;
        let stop = game.get().stop();
        let config = config.with_stop(stop.clone());
        let core = interruptible(py, &stop, || VectorEnvironment::new(engines, &config))?;
        let core = core.map_err(environment_error)?;
        let format = format(core.shape().clone());
        require(n.saturating_mul(format.bytes()))?;
        let options = PyDict::new(py);
        options.set_item("threads", threads)?;
        options.set_item("observation", observations.name(py)?)?;
        options.set_item("dtype", dtype.name())?;
        options.set_item("observer", observer)?;
        options.set_item("rewards", rewards_name(core.rewards().kind()))?;
        options.set_item("autoreset", autoreset_name(autoreset))?;
        options.set_item("joint", format.shape.joint)?;
        options.set_item("max_steps", max_steps)?;
        let environment = VectorEnv {
            environments: Mutex::new(Environments {
                core,
                process: process::id(),
            }),
            arrays: Mutex::new(Arrays::new(py, &format)?),
            format,
            observations,
            autoreset,
            options: options.unbind(),
            game,
        };
        let seed = seed.unwrap_or_else(random_seed);
        environment.run(py, None, |core, outputs| {
            core.reset(Some(seed), None, outputs);
            Ok(())
        })?;
        Ok(environment)
    }
}

fn parse_autoreset(name: &str) -> PyResult<Autoreset> {
    match name {
        "NextStep" => Ok(Autoreset::NextStep),
        "SameStep" => Ok(Autoreset::SameStep),
        "Disabled" => Ok(Autoreset::Disabled),
        other => Err(PyValueError::new_err(format!(
            "`autoreset` is one of `NextStep`, `SameStep` and `Disabled`, not `{other}`"
        ))),
    }
}

pub(super) fn autoreset_name(autoreset: Autoreset) -> &'static str {
    match autoreset {
        Autoreset::SameStep => "SameStep",
        Autoreset::NextStep => "NextStep",
        Autoreset::Disabled => "Disabled",
    }
}

pub(crate) fn rewards_name(rewards: Rewards) -> &'static str {
    match rewards {
        Rewards::Goals => "goals",
        Rewards::ZeroSum => "zero-sum",
    }
}

pub(crate) fn parse_rewards(name: &str) -> PyResult<Rewards> {
    match name {
        "goals" => Ok(Rewards::Goals),
        "zero-sum" => Ok(Rewards::ZeroSum),
        other => Err(PyValueError::new_err(format!(
            "`rewards` is one of `goals` and `zero-sum`, not `{other}`"
        ))),
    }
}
