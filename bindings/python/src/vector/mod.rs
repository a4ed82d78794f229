//! Batched environments with NumPy arrays.
//!
//! - `arguments`: how they are made, by arguments. `states`: states of the caller.

mod arguments;
mod states;

use std::process;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::{Duration, Instant};

use numpy::ndarray::IxDyn;
use numpy::{PyArray1, PyArrayDyn, PyArrayMethods};
use propjit::game::environment::{
    ActionError, Autoreset, Outputs, Rewards, Shape, VectorEnvironment,
};
use propjit::game::ground::GroundGame;
use pyo3::exceptions::{PyIndexError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyTuple};

use crate::arrays::{ObservationType, integers, mask, vector};
use crate::errors::{action_error, environment_error, in_use, not_ground};
use crate::game::Game;
use crate::numbers::Number;
use crate::observations::{ObservationName, Observations};
use crate::outputs::{Arrays, Format};
use crate::records::record;
use crate::state::State;
use arguments::{Arguments, autoreset_name};
pub(crate) use arguments::{parse_rewards, rewards_name};

/// Many matches of a game, played step by step.
///
/// In each environment the current player has a choice, or several players have: where none has one, moves are made
/// without asking, and so are those of a role called `random`. An action is an index into `action_names`, the same for
/// all players. In games in which several players choose at the same time (`joint`), a step takes an action of each.
///
/// `rewards` are zero until a match ends. Then, in games of two players whose goals always have the same sum, they are
/// from -1 to 1 and add up to zero; in other games they are goals, 0 to 100 in most games. `reward_range` says which.
///
/// The arrays are written in place by `reset`, `step` and `step_random`: copy what has to stay, or pass others as
/// `out`.
///
/// >>> import numpy as np
/// >>> from propjit import Game, VectorEnv
/// >>> env = VectorEnv(Game.named("ticTacToe"), 4, seed=1)
/// >>> env.observation.shape, env.reward_range
/// ((4, 20), (-1.0, 1.0))
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
///
/// `n` environments on `threads` threads.
///
/// - `observation` says what is observed: `fluents` (the state; the default), `planes` (as `game.planes()` arranges
///   them, or planes of your own choice), or `percepts`, the only way in which games that hide information are
///   observed; and `dtype` the type: `bool`, `uint8`, `float32` or `bits`, as `numpy.unpackbits(...,
///   bitorder="little")` takes them.
/// - `observer` is the number of the player who observes; by default, it is the one that has a choice.
/// - `rewards` is `zero-sum` or `goals`; by default, that is found out.
/// - `autoreset` is `SameStep`, `NextStep` or `Disabled`, as in Gymnasium.
/// - `joint` says whether a step takes an action of each player; by default, that is found out.
/// - A match of `max_steps` joint moves is truncated.
///
/// There is a `MemoryError` if there is no memory for this many environments, and a
/// `RuntimeError` if the threads, of which there are 1024 at most, cannot be started.
#[pyclass(frozen, module = "propjit")]
pub(crate) struct VectorEnv {
    game: Py<Game>,
    environments: Mutex<Environments>,
    arrays: Mutex<Arrays>,
    format: Format,
    observations: Observations,
    autoreset: Autoreset,
    /// What the environments were made with: the keyword arguments.
    options: Py<PyDict>,
}

/// The parts of pickled environments: the game, their number, keyword arguments, the state, and the arrays.
type Restored<'py> = (
    Py<Game>,
    usize,
    Py<PyDict>,
    Bound<'py, PyBytes>,
    Vec<Bound<'py, PyAny>>,
);

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

    /// The arrays, which no thread keeps locked while it works.
    fn arrays(&self) -> MutexGuard<'_, Arrays> {
        self.arrays.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn shape(&self) -> &Shape {
        &self.format.shape
    }

    fn ground(&self) -> PyResult<&Arc<GroundGame>> {
        self.game.get().ground("environments")
    }

    /// Works on the environments and the arrays, while other Python threads run. The arrays that the caller gives take
    /// the place of others if that succeeds.
    fn run<T: Send>(
        &self,
        py: Python<'_>,
        out: Option<&Bound<'_, PyDict>>,
        work: impl FnOnce(&mut VectorEnvironment, Outputs<'_>) -> Result<T, ActionError> + Send,
    ) -> PyResult<T> {
        let mut environments = self.lock()?;
        if environments.process != process::id() {
            self.renew(py, &mut environments)?;
        }
        let core = &mut environments.core;
        let arrays = self.arrays().with(py, &self.format, out)?;
        let done = arrays.write(py, self.format.kind, |outputs| work(core, outputs))?;
        let done = done.map_err(action_error)?;
        if out.is_some() {
            *self.arrays() = arrays;
        }
        Ok(done)
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

/// About how long random steps are taken between two checks for signals.
const GO: Duration = Duration::from_millis(20);

#[pymethods]
impl VectorEnv {
    #[new]
    #[pyo3(signature = (
        game, n, *, threads=Number(Some(1)), observation=None, dtype=ObservationType::Bool, observer=None, rewards=None,
        autoreset="SameStep",
        joint=None, max_steps=Number(Some(10_000)), seed=None
    ))]
    #[pyo3(
        text_signature = "(game, n, *, threads=1, observation=None, dtype=\"bool\", observer=None, rewards=None, \
        autoreset=\"SameStep\", joint=None, max_steps=10_000, seed=None)"
    )]
    #[expect(clippy::too_many_arguments, reason = "keyword arguments")]
    fn new(
        py: Python<'_>,
        game: Py<Game>,
        n: Number,
        threads: Number,
        observation: Option<ObservationName>,
        dtype: ObservationType,
        observer: Option<Number>,
        rewards: Option<&str>,
        autoreset: &str,
        joint: Option<bool>,
        max_steps: Number,
        seed: Option<Number>,
    ) -> PyResult<VectorEnv> {
        let arguments = Arguments {
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
        };
        arguments.make(py, game)
    }

    /// Starts a match in each environment, or in those where `mask` is true, and returns the observations. The seed
    /// is that of all random choices from now on, on any number of threads; without one, they go on, so that matches
    /// differ. The arrays in `out` are written to from now on, as by `step`.
    #[pyo3(signature = (seed=None, mask=None, *, out=None))]
    fn reset<'py>(
        &self,
        py: Python<'py>,
        seed: Option<Number>,
        mask: Option<&Bound<'py, PyAny>>,
        out: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let seed = seed.map(|seed| seed.at_least("seed", 0)).transpose()?;
        let n = self.shape().environments;
        let mask = mask.map(|given| self::mask(given, n)).transpose()?;
        self.run(py, out, |environment, outputs| {
            environment.reset(seed, mask.as_deref(), outputs);
            Ok(())
        })?;
        Ok(self.arrays().observation.view(py))
    }

    /// Takes an action in each environment, or one of each player if the environment is `joint`:
    /// an array of integers of the shape `(n,)` or `(n, players)`. Returns the arrays
    /// `(observation, rewards, terminated, truncated)`.
    ///
    /// With a `mask`, steps are taken where it is true. Nothing happens in the other environments, whose actions are
    /// ignored: they have no rewards and no ends.
    ///
    /// `out` may have arrays by name that take the place of those of the environment: `observation`,
    /// `legal_action_mask`, `legal_action_counts`, `current_player`, `rewards`, `terminated`, `truncated`. They are
    /// written to from this step on, and are the attributes of that name.
    ///
    /// If an action is not legal, there is an `IllegalMoveError`, and nothing has happened in any
    /// environment.
    #[pyo3(signature = (actions, *, mask=None, out=None))]
    fn step<'py>(
        &self,
        py: Python<'py>,
        actions: &Bound<'py, PyAny>,
        mask: Option<&Bound<'py, PyAny>>,
        out: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyTuple>> {
        let actions = integers(actions, &self.format.actors())?;
        let actions = actions.as_slice()?;
        let n = self.shape().environments;
        let mask = mask.map(|given| self::mask(given, n)).transpose()?;
        self.run(py, out, |environment, outputs| {
            environment.step_some(actions, mask.as_deref(), outputs)
        })?;
        let arrays = self.arrays();
        let results = [
            arrays.observation.view(py),
            arrays.rewards.bind(py).clone().into_any(),
            arrays.terminated.view.bind(py).clone(),
            arrays.truncated.view.bind(py).clone(),
        ];
        PyTuple::new(py, results)
    }

    /// Makes `k` joint moves in each environment, chosen at random with equal chances, and goes on to the next choice
    /// of a player. Those in which nobody has a choice count as well here, other than in `step`. Returns the totals
    /// of the matches that ended; the arrays describe the last step.
    #[pyo3(signature = (k=Number(Some(1))))]
    #[pyo3(text_signature = "($self, k=1)")]
    fn step_random<'py>(&self, py: Python<'py>, k: Number) -> PyResult<Bound<'py, PyAny>> {
        let mut go = 1_u32;
        let (mut terminated, mut truncated) = (0, 0);
        let mut rewards = vec![0.0; self.shape().players.len()];
        let mut left: u32 = k.at_least("k", 0)?;
        while left > 0 {
            let steps = left.min(go);
            left -= steps;
            let start = Instant::now();
            let sums = self.run(py, None, |environment, outputs| {
                Ok(environment.step_random(steps, outputs))
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
        let shape = self.format.actors();
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
    fn state(&self, py: Python<'_>, environment: Number) -> PyResult<State> {
        let n = self.shape().environments;
        let Some(environment) = environment.less_than(n) else {
            let message = format!("environments are numbered from 0 to {}", n - 1);
            return Err(PyIndexError::new_err(message));
        };
        let environments = self.lock()?;
        let position = self
            .game
            .get()
            .position(environments.core.state(environment));
        Ok(State::new(self.game.clone_ref(py), position))
    }

    /// Continues from these states: one for each environment, or for each of those where `mask` is true. Matches count
    /// as new there: their joint moves are counted from here on, and nothing has been perceived. Where no player has a
    /// choice, moves are made until one has. Returns the observations.
    #[pyo3(signature = (states, mask=None))]
    fn set_states<'py>(
        &self,
        py: Python<'py>,
        states: Vec<Py<State>>,
        mask: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let n = self.shape().environments;
        let environments: Vec<usize> = match mask {
            None => (0..n).collect(),
            Some(given) => {
                let mask = self::mask(given, n)?.into_iter().enumerate();
                mask.filter(|(_, is_set)| *is_set)
                    .map(|(at, _)| at)
                    .collect()
            }
        };
        let states = self.states_for(py, &environments, &states)?;
        self.run(py, None, |environment, outputs| {
            environment.set_states(&states, outputs)
        })?;
        Ok(self.arrays().observation.view(py))
    }

    /// What is observed in these states, as `observation` has it: a new array. Where observations depend on the
    /// player, it is the one with the number `player`, and by default the one that observes here: the one that has a
    /// choice, the first one if several have or none has, or all if there is an observation for each.
    #[pyo3(signature = (states, player=None))]
    fn observe<'py>(
        &self,
        py: Python<'py>,
        states: Vec<Py<State>>,
        player: Option<Number>,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.observe_states(py, &states, player)
    }

    /// The game.
    #[getter]
    fn game(&self, py: Python<'_>) -> Py<Game> {
        self.game.clone_ref(py)
    }

    /// The names of the players: all roles but the one that plays at random.
    #[getter]
    fn players<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        self.game.get().names_of(py, &self.shape().players)
    }

    /// The moves that players have: the action `a` is `action_names[a]`, whatever player takes it.
    #[getter]
    fn action_names<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let ground = self.ground()?;
        let names = (0..self.shape().actions).map(|action| ground.action_text(action));
        PyTuple::new(py, names.collect::<Vec<_>>())
    }

    /// The number of environments.
    #[getter]
    fn num_envs(&self) -> usize {
        self.shape().environments
    }

    /// The number of actions that players have.
    #[getter]
    fn num_actions(&self) -> usize {
        self.shape().actions
    }

    /// The number of actions that may be a choice of a player, which come first.
    #[getter]
    fn num_choices(&self) -> usize {
        self.shape().choices
    }

    /// Whether a step takes an action of each player.
    #[getter]
    fn joint(&self) -> bool {
        self.shape().joint
    }

    /// The least and the greatest reward: -1 and 1 if they are zero-sum, and else those among the goals.
    #[getter]
    fn reward_range(&self) -> PyResult<(f32, f32)> {
        Ok(self.lock()?.core.rewards().range())
    }

    /// Whether rewards are zero-sum, from -1 to 1, and not goals.
    #[getter]
    fn zero_sum(&self) -> PyResult<bool> {
        Ok(self.lock()?.core.rewards().kind() == Rewards::ZeroSum)
    }

    /// What happens when a match has ended: `SameStep`, `NextStep` or `Disabled`.
    #[getter]
    fn autoreset(&self) -> &'static str {
        autoreset_name(self.autoreset)
    }

    /// The planes that are observed, if these are.
    #[getter]
    fn planes(&self, py: Python<'_>) -> Option<Py<crate::planes::Planes>> {
        self.observations
            .planes
            .as_ref()
            .map(|planes| planes.clone_ref(py))
    }

    /// What is observed: `(n, len(game.fluents))`, or the shape of planes or percepts instead of the last number. If
    /// several players act and it looks different to them, it is `(n, players, ...)`.
    #[getter(observation)]
    fn observation_array<'py>(&self, py: Python<'py>) -> Bound<'py, PyAny> {
        self.arrays().observation.view(py)
    }

    /// Whether each action is legal: `(n, num_actions)` for the current player, or
    /// `(n, players, num_actions)`.
    #[getter]
    fn legal_action_mask(&self, py: Python<'_>) -> Py<PyAny> {
        self.arrays().legal.view.clone_ref(py)
    }

    /// The number of legal actions: `(n,)` or `(n, players)`.
    #[getter]
    fn legal_action_counts(&self, py: Python<'_>) -> Py<PyArrayDyn<i32>> {
        self.arrays().legal_counts.clone_ref(py)
    }

    /// The number of the player that has a choice, -1 if several have, and -2 if the match is over and not yet followed
    /// by another one: `(n,)`.
    #[getter]
    fn current_player(&self, py: Python<'_>) -> Py<PyArrayDyn<i32>> {
        self.arrays().current.clone_ref(py)
    }

    /// The rewards of the players where a match ended in a terminal state, not a number where a goal
    /// is undefined, and zero elsewhere: `(n, players)`.
    #[getter(rewards)]
    fn rewards_array(&self, py: Python<'_>) -> Py<PyArrayDyn<f32>> {
        self.arrays().rewards.clone_ref(py)
    }

    /// Whether a match ended in a terminal state: `(n,)`.
    #[getter]
    fn terminated(&self, py: Python<'_>) -> Py<PyAny> {
        self.arrays().terminated.view.clone_ref(py)
    }

    /// Whether a match was given up, since it was too long or a role had no legal move: `(n,)`.
    #[getter]
    fn truncated(&self, py: Python<'_>) -> Py<PyAny> {
        self.arrays().truncated.view.clone_ref(py)
    }

    /// With `SameStep`, what was observed in the last states of the matches that ended with the last step, in the
    /// shape of `observation`. Where no match ended, it is of an earlier match.
    #[getter]
    fn final_obs<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyAny>> {
        let arrays = self.arrays();
        let finals = arrays.finals.as_ref();
        finals.map(|finals| finals.observation.view(py))
    }

    /// With `SameStep`, `current_player` and `legal_action_mask` in the states of `final_obs`, by name. In a terminal
    /// state, the current player is -2 and no action is legal.
    #[getter]
    fn final_info<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyDict>>> {
        let arrays = self.arrays();
        let Some(finals) = &arrays.finals else {
            return Ok(None);
        };
        let info = PyDict::new(py);
        info.set_item("current_player", &finals.current)?;
        info.set_item("legal_action_mask", &finals.legal.view)?;
        Ok(Some(info))
    }

    fn __reduce__<'py>(this: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, Restored<'py>)> {
        let (py, env) = (this.py(), this.get());
        let saved = env.lock()?.core.save();
        let arrays = env.arrays().all(py);
        let restored = (
            env.game.clone_ref(py),
            env.shape().environments,
            env.options.clone_ref(py),
            PyBytes::new(py, &saved),
            arrays,
        );
        Ok((this.get_type().getattr("_restore")?, restored))
    }

    #[staticmethod]
    fn _restore(
        py: Python<'_>,
        game: Py<Game>,
        n: usize,
        options: &Bound<'_, PyDict>,
        saved: &[u8],
        arrays: Vec<Bound<'_, PyAny>>,
    ) -> PyResult<Py<VectorEnv>> {
        let env = py.get_type::<VectorEnv>().call((game, n), Some(options))?;
        let env = env.cast_into::<VectorEnv>()?.unbind();
        let core = env.get();
        let loaded = core.run(py, None, |core, outputs| Ok(core.load(saved, outputs)))?;
        let own = core.arrays().all(py);
        if loaded.is_none() || own.len() != arrays.len() {
            return Err(PyValueError::new_err(
                "these are not the parts of such environments",
            ));
        }
        let numpy = py.import("numpy")?;
        for (own, stored) in own.iter().zip(&arrays) {
            numpy.call_method1("copyto", (own, stored))?;
        }
        Ok(env)
    }

    fn __len__(&self) -> usize {
        self.shape().environments
    }

    fn __repr__(&self) -> String {
        format!(
            "<VectorEnv of {} x {}>",
            self.shape().environments,
            self.game.get().core.rules().source.name()
        )
    }
}
