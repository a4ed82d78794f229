//! Batched environments with NumPy arrays.

use std::process;
use std::sync::{Mutex, MutexGuard, TryLockError};
use std::time::{Duration, Instant};

use numpy::ndarray::IxDyn;
use numpy::{PyArray1, PyArrayDyn, PyArrayMethods};
use propjit::RoleId;
use propjit::game::environment::{
    EnvironmentConfig, Observation, Outputs, Shape, VectorEnvironment,
};
use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::arrays::{
    Flags, ObservationArray, ObservationForm, elements, integers, require, vector, writable, zeros,
};
use crate::errors::{action_error, check_threads, environment_error, in_use, not_ground};
use crate::game::Game;
use crate::interrupt::interruptible;
use crate::records::record;
use crate::state::State;

/// Many matches of a game, played step by step.
///
/// The arrays are written in place by `reset`, `step` and `step_random`, and are the same objects
/// for good: copy what has to stay. A match that ends is followed by another one in the same place
/// at once: `rewards`, `terminated` and `truncated` are those of the old match, everything else is
/// about the new one.
///
/// An action is an index into `game.actions`, where the order is described: the same move has the
/// same number for all players, and `noop` and the like come last. In games in which players take turns, a
/// step takes an action of the current player in each environment; if no player has a choice, that
/// is the only move of the first player. In games in which several players choose at the same time
/// (`joint`), it takes an action of each player. A role called `random` is part of the environment.
///
/// >>> import numpy as np
/// >>> from propjit import Game, VectorEnv
/// >>> env = VectorEnv(Game.named("ticTacToe"), 4)
/// >>> env.reset(seed=1).shape
/// (4, 20)
/// >>> env.legal_action_mask[0].nonzero()[0]
/// array([0, 1, 2, 3, 4, 5, 6, 7, 8])
/// >>> observation, rewards, terminated, truncated = env.step([0, 1, 2, 3])
/// >>> env.current_player
/// array([1, 1, 1, 1], dtype=int32)
/// >>> env.legal_action_counts
/// array([8, 8, 8, 8], dtype=int32)
/// >>> ranks = np.random.default_rng(1).integers(env.legal_action_counts)
/// >>> _ = env.step(env.nth_legal_action(ranks))
/// >>> steps = env.step_random(1000)
/// >>> 4 * 1000 // 9 <= steps.terminated <= 4 * 1000 // 5
/// True
#[pyclass(frozen, module = "propjit")]
pub(crate) struct VectorEnv {
    game: Py<Game>,
    environments: Mutex<Environments>,
    shape: Shape,
    observation: ObservationArray,
    legal: Flags,
    legal_counts: Py<PyArrayDyn<i32>>,
    current: Py<PyArrayDyn<i32>>,
    rewards: Py<PyArrayDyn<f32>>,
    terminated: Flags,
    truncated: Flags,
}

/// The environments, and the process that has their threads.
struct Environments {
    core: VectorEnvironment,
    process: u32,
}

impl VectorEnv {
    /// The environments, if no other thread is using them. It is not waited for: it may need the
    /// interpreter, which this one has.
    fn lock(&self) -> PyResult<MutexGuard<'_, Environments>> {
        self.environments.try_lock().or_else(|error| match error {
            TryLockError::Poisoned(poisoned) => Ok(poisoned.into_inner()),
            TryLockError::WouldBlock => Err(in_use("environment")),
        })
    }

    /// The shape of the arrays of actions.
    fn actors(&self, py: Python<'_>) -> PyResult<Vec<usize>> {
        self.legal_counts.bind(py).getattr("shape")?.extract()
    }

    /// Works on the environments and the arrays, while other Python threads run.
    fn run<T: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&mut VectorEnvironment, Outputs<'_>) -> T + Send,
    ) -> PyResult<T> {
        let mut environments = self.lock()?;
        if environments.process != process::id() {
            self.renew(py, &mut environments)?;
        }
        let environment = &mut environments.core;
        let mut legal = writable(py, &self.legal.bytes)?;
        let mut legal_counts = writable(py, &self.legal_counts)?;
        let mut current = writable(py, &self.current)?;
        let mut rewards = writable(py, &self.rewards)?;
        let mut terminated = writable(py, &self.terminated.bytes)?;
        let mut truncated = writable(py, &self.truncated.bytes)?;
        let (mut bytes, mut floats);
        let observation = match &self.observation {
            ObservationArray::Bits(bits) => {
                bytes = writable(py, bits)?;
                Observation::Bits(elements(&mut bytes)?)
            }
            ObservationArray::Bytes(flags) => {
                bytes = writable(py, &flags.bytes)?;
                Observation::Bytes(elements(&mut bytes)?)
            }
            ObservationArray::Floats(array) => {
                floats = writable(py, array)?;
                Observation::Floats(elements(&mut floats)?)
            }
        };
        let outputs = Outputs {
            observation,
            legal: elements(&mut legal)?,
            legal_counts: elements(&mut legal_counts)?,
            current: elements(&mut current)?,
            rewards: elements(&mut rewards)?,
            terminated: elements(&mut terminated)?,
            truncated: elements(&mut truncated)?,
        };
        Ok(py.detach(|| work(environment, outputs)))
    }

    /// Renews the environments in a process that was forked, without threads, from the one that has
    /// them.
    fn renew(&self, py: Python<'_>, environments: &mut Environments) -> PyResult<()> {
        let core = self.game.get().here(py)?;
        let engines = core.engines().ok_or_else(|| not_ground("environments"))?;
        let renewed = environments.core.renew(engines);
        renewed.map_err(environment_error)?;
        environments.process = process::id();
        Ok(())
    }
}

/// How many bytes the arrays have for each environment.
fn bytes(shape: &Shape, form: ObservationForm) -> usize {
    let legal = shape.actors() * (shape.actions + size_of::<i32>());
    let rewards = shape.players.len() * size_of::<f32>();
    let (current, ends) = (size_of::<i32>(), 2);
    form.bytes(shape.propositions) + legal + rewards + current + ends
}

/// About how long random steps are taken between two checks for signals.
const GO: Duration = Duration::from_millis(20);

#[pymethods]
impl VectorEnv {
    /// `n` environments on `threads` threads. `observation` is the form of observations: `bool`,
    /// `float32`, or `bits` (as `numpy.unpackbits(..., bitorder="little")` takes them). `joint`
    /// says whether a step takes an action of each player; by default, this is determined from the
    /// game. A match of `max_steps` joint moves is truncated.
    ///
    /// There is a `MemoryError` if there is no memory for this many environments, and a
    /// `RuntimeError` if the threads, of which there are 1024 at most, cannot be started.
    #[new]
    #[pyo3(signature = (
        game, n, *, threads=1, observation="bool", joint=None, max_steps=10_000, seed=0
    ))]
    #[expect(clippy::too_many_arguments, reason = "keyword arguments")]
    fn new(
        py: Python<'_>,
        game: Py<Game>,
        n: usize,
        threads: usize,
        observation: &str,
        joint: Option<bool>,
        max_steps: u32,
        seed: u64,
    ) -> PyResult<VectorEnv> {
        // If NumPy is missing, or Ctrl-C comes while it is loaded, this is an exception here.
        py.import("numpy")?;
        let core = game.get().here(py)?;
        let engines = core.engines();
        let engines = engines.ok_or_else(|| not_ground("environments"))?;
        let config = EnvironmentConfig::default()
            .with_environments(n)
            .with_threads(check_threads(threads)?)
            .with_joint(joint)
            .with_max_steps(max_steps);
        config.check(engines.game()).map_err(environment_error)?;
        let form = ObservationForm::parse(observation)?;
        // Requests that are refused here need not be tried.
        let propositions = engines.game().layout().bases.len();
        require(n.saturating_mul(form.bytes(propositions)))?;
        let stop = game.get().stop();
        let config = config.with_stop(stop.clone());
        let environment = interruptible(py, &stop, || VectorEnvironment::new(engines, &config))?;
        let environment = environment.map_err(environment_error)?;
        let shape = environment.shape().clone();
        require(n * bytes(&shape, form))?;
        let actors: &[usize] = if shape.joint {
            &[n, shape.players.len()]
        } else {
            &[n]
        };
        let environment = VectorEnv {
            environments: Mutex::new(Environments {
                core: environment,
                process: process::id(),
            }),
            observation: form.zeros(py, n, shape.propositions)?,
            legal: Flags::new(py, &[actors, &[shape.actions]].concat())?,
            legal_counts: zeros(py, actors)?,
            current: zeros(py, &[n])?,
            rewards: zeros(py, &[n, shape.players.len()])?,
            terminated: Flags::new(py, &[n])?,
            truncated: Flags::new(py, &[n])?,
            shape,
            game,
        };
        environment.reset(py, seed)?;
        Ok(environment)
    }

    /// Starts a match in each environment, and returns the observations. The seed is that of all
    /// random choices from now on, on any number of threads.
    #[pyo3(signature = (seed=0))]
    fn reset<'py>(&self, py: Python<'py>, seed: u64) -> PyResult<Bound<'py, PyAny>> {
        self.run(py, |environment, outputs| environment.reset(seed, outputs))?;
        Ok(self.observation.view(py))
    }

    /// Takes an action in each environment, or one of each player if the environment is `joint`:
    /// an array of integers of the shape `(n,)` or `(n, players)`. Returns the arrays
    /// `(observation, rewards, terminated, truncated)`.
    ///
    /// If an action is not legal, there is an `IllegalMoveError`, and nothing has happened in any
    /// environment.
    fn step<'py>(
        &self,
        py: Python<'py>,
        actions: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyTuple>> {
        let actions = integers(actions, &self.actors(py)?)?;
        let actions = actions.as_slice()?;
        self.run(py, |environment, outputs| {
            environment.step(actions, outputs)
        })?
        .map_err(action_error)?;
        let arrays = [
            self.observation.view(py),
            self.rewards.bind(py).clone().into_any(),
            self.terminated.view.bind(py).clone(),
            self.truncated.view.bind(py).clone(),
        ];
        PyTuple::new(py, arrays)
    }

    /// Takes `k` actions in each environment, chosen at random with equal chances. Returns the
    /// totals of the matches that ended; the arrays describe the last step.
    #[pyo3(signature = (k=1))]
    fn step_random<'py>(&self, py: Python<'py>, k: u32) -> PyResult<Bound<'py, PyAny>> {
        let mut go = 1_u32;
        let (mut terminated, mut truncated) = (0, 0);
        let mut rewards = vec![0.0; self.shape.players.len()];
        let mut left = k;
        while left > 0 {
            let steps = left.min(go);
            left -= steps;
            let start = Instant::now();
            let sums = self.run(py, |environment, outputs| {
                environment.step_random(steps, outputs)
            })?;
            go = match start.elapsed() < GO {
                true => go.saturating_mul(2),
                false => (go / 2).max(1),
            };
            terminated += sums.terminated;
            truncated += sums.truncated;
            rewards
                .iter_mut()
                .zip(sums.rewards)
                .for_each(|(all, sum)| *all += sum);
            py.check_signals()?;
        }
        record(py, "RandomSteps", |fields| {
            fields.set_item("terminated", terminated)?;
            fields.set_item("truncated", truncated)?;
            fields.set_item("rewards", PyTuple::new(py, rewards)?)
        })
    }

    /// The actions that have these ranks among the legal ones: of a player with `m` legal actions,
    /// from 0 to `m - 1`. Both are arrays as `step` takes them.
    fn nth_legal_action<'py>(
        &self,
        py: Python<'py>,
        ranks: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyArrayDyn<i32>>> {
        let shape = self.actors(py)?;
        let ranks = integers(ranks, &shape)?;
        let ranks = ranks.as_slice()?;
        let environments = self.lock()?;
        let mut actions = vector(ranks.len())?;
        environments
            .core
            .nth_legal(ranks, &mut actions)
            .map_err(action_error)?;
        let actions = PyArray1::from_vec(py, actions);
        actions.reshape(IxDyn(&shape))
    }

    /// The state of an environment.
    fn state(&self, py: Python<'_>, environment: usize) -> PyResult<State> {
        if environment >= self.shape.environments {
            return Err(PyIndexError::new_err(format!(
                "there is no environment {environment} of {}",
                self.shape.environments
            )));
        }
        let environments = self.lock()?;
        let position = self
            .game
            .get()
            .position(environments.core.state(environment));
        Ok(State::new(self.game.clone_ref(py), position))
    }

    /// The move that an action is: `game.actions[action]`.
    fn action_text(&self, action: usize) -> PyResult<String> {
        let ground = self.game.get().ground("actions")?;
        let actions = ground.actions().len();
        if action >= actions {
            return Err(PyIndexError::new_err(format!(
                "there is no action {action} of {actions}"
            )));
        }
        Ok(ground.action_text(action))
    }

    /// The game.
    #[getter]
    fn game(&self, py: Python<'_>) -> Py<Game> {
        self.game.clone_ref(py)
    }

    /// The names of the players: all roles but the one that plays at random.
    #[getter]
    fn players<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let names = self.game.get().role_names();
        let players = self
            .shape
            .players
            .iter()
            .map(|role: &RoleId| &names[role.index()]);
        PyTuple::new(py, players.collect::<Vec<_>>())
    }

    /// The number of environments.
    #[getter]
    fn num_envs(&self) -> usize {
        self.shape.environments
    }

    /// The number of actions that players have.
    #[getter]
    fn num_actions(&self) -> usize {
        self.shape.actions
    }

    /// The number of actions that may be a choice of a player, which come first.
    #[getter]
    fn num_choices(&self) -> usize {
        self.shape.choices
    }

    /// Whether a step takes an action of each player.
    #[getter]
    fn joint(&self) -> bool {
        self.shape.joint
    }

    /// The propositions that hold in each environment: `(n, len(game.fluents))`.
    #[getter(observation)]
    fn observation_array<'py>(&self, py: Python<'py>) -> Bound<'py, PyAny> {
        self.observation.view(py)
    }

    /// Whether each action is legal: `(n, num_actions)` for the current player, or
    /// `(n, players, num_actions)`.
    #[getter]
    fn legal_action_mask(&self, py: Python<'_>) -> Py<PyAny> {
        self.legal.view.clone_ref(py)
    }

    /// The number of legal actions: `(n,)` or `(n, players)`.
    #[getter]
    fn legal_action_counts(&self, py: Python<'_>) -> Py<PyArrayDyn<i32>> {
        self.legal_counts.clone_ref(py)
    }

    /// The number of the player that has a choice, 0 if none has one, and -1 if several have:
    /// `(n,)`.
    #[getter]
    fn current_player(&self, py: Python<'_>) -> Py<PyArrayDyn<i32>> {
        self.current.clone_ref(py)
    }

    /// The goals of the players where a match ended in a terminal state, not a number where a goal
    /// is undefined, and zero elsewhere: `(n, players)`.
    #[getter]
    fn rewards(&self, py: Python<'_>) -> Py<PyArrayDyn<f32>> {
        self.rewards.clone_ref(py)
    }

    /// Whether a match ended in a terminal state: `(n,)`.
    #[getter]
    fn terminated(&self, py: Python<'_>) -> Py<PyAny> {
        self.terminated.view.clone_ref(py)
    }

    /// Whether a match was given up, since it was too long or a role had no legal move: `(n,)`.
    #[getter]
    fn truncated(&self, py: Python<'_>) -> Py<PyAny> {
        self.truncated.view.clone_ref(py)
    }

    fn __len__(&self) -> usize {
        self.shape.environments
    }

    fn __repr__(&self) -> String {
        format!(
            "<VectorEnv of {} x {}>",
            self.shape.environments,
            self.game.get().core.rules().source.name()
        )
    }
}
