//! Searches of many games at once.

use std::sync::{Mutex, MutexGuard, TryLockError};

use numpy::ndarray::IxDyn;
use numpy::{Element, PyArray1, PyArrayDyn, PyArrayMethods};
use propjit::search::batched::{BatchSearch as Core, BatchSearchConfig, Noise};
use propjit::support::rng::random_seed;
use pyo3::exceptions::{PyIndexError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

use crate::arrays::{Flags, ObservationType, elements, integers, mask, writable};
use crate::errors::{in_use, search_error};
use crate::evaluation::{Functions, PythonEvaluator};
use crate::game::Game;
use crate::interrupt::interruptible;
use crate::numbers::Number;
use crate::observations::{ObservationName, Observations};
use crate::outputs::Format;
use crate::state::State;
use crate::vector::{parse_rewards, rewards_name};

/// Tree search of many games at once, for self-play: one call of a function evaluates the leaves of all of them.
///
/// >>> import numpy as np
/// >>> from propjit import BatchSearch, Game
/// >>> game = Game.named("ticTacToe")
/// >>> def evaluation(observation, legal_action_mask, current_player):
/// ...     return np.zeros((len(observation), 2)), np.zeros(legal_action_mask.shape)
/// >>> search = BatchSearch([game.initial] * 16, evaluation, 100, noise=(0.5, 0.25), seed=1)
/// >>> search.run()
/// >>> search.visits.shape, search.visits[0].sum(), search.values.shape
/// ((16, 10), np.int64(100), (16, 2))
/// >>> search.policy().sum(1).round(3).tolist() == [1.0] * 16
/// True
/// >>> search.advance(search.best_actions)
/// >>> search.current_player.tolist() == [1] * 16
/// True
///
/// Searches these states of a game, each with a tree of its own. Forced moves are played in them first, and those of
/// a role called `random`, until a player has a choice.
///
/// - `evaluation` is a function as `Search` takes it: of `observation`, `legal_action_mask` and `current_player`, about
///   at most a position per state; it returns the rewards that players can expect, `(n, players)`, or a tuple of these
///   and logits of the actions, `(n, num_actions)`.
/// - `simulations` is their number in a `run`.
/// - `noise=(alpha, fraction)` mixes prior probabilities at the roots with Dirichlet noise, in PUCT.
/// - `gumbel=True` searches by Gumbel noise and sequential halving of at most `considered` actions at the roots, and by
///   completed values below them.
/// - `exploration` is the constant of PUCT, for values from -1 to 1.
/// - `observation`, `dtype` and `rewards` are as for a `VectorEnv`; a match of `max_steps` joint moves is truncated.
/// - `seed` is that of noise, of chance, and of choices between equals.
#[pyclass(frozen, module = "propjit")]
pub(crate) struct BatchSearch {
    game: Py<Game>,
    search: Mutex<Core>,
    evaluator: PythonEvaluator,
    format: Format,
    observations: Observations,
    simulations: u32,
    /// What it was made with: the evaluation and the keyword arguments.
    evaluation: Py<PyAny>,
    options: Py<PyDict>,
}

/// The parts of a pickled search: its states, the evaluation, the number of simulations and keyword arguments.
type Restored<'py> = (Vec<State>, Py<PyAny>, u32, Py<PyDict>);

impl BatchSearch {
    /// The search, if no other thread is using it.
    fn lock(&self) -> PyResult<MutexGuard<'_, Core>> {
        self.search.try_lock().or_else(|error| match error {
            TryLockError::Poisoned(poisoned) => Ok(poisoned.into_inner()),
            TryLockError::WouldBlock => Err(in_use("search")),
        })
    }

    /// An array with equally many numbers for each game.
    fn rows<'py, T: Element>(
        &self,
        py: Python<'py>,
        numbers: Vec<T>,
        width: usize,
    ) -> PyResult<Bound<'py, PyArrayDyn<T>>> {
        let shape = [self.format.shape.environments, width];
        PyArray1::from_vec(py, numbers).reshape(IxDyn(&shape))
    }

    fn flags<'py>(
        &self,
        py: Python<'py>,
        of: impl Fn(bool) -> bool,
    ) -> PyResult<Bound<'py, PyAny>> {
        let flags = Flags::new(py, &[self.format.shape.environments])?;
        {
            let mut bytes = writable(py, &flags.bytes)?;
            let search = self.lock()?;
            let ends = search.ends().zip(elements(&mut bytes)?);
            ends.for_each(|(end, byte)| *byte = u8::from(end.is_some_and(|end| of(end.truncated))));
        }
        Ok(flags.view.bind(py).clone())
    }
}

#[pymethods]
impl BatchSearch {
    #[new]
    #[pyo3(signature = (
        states, evaluation, simulations, *, noise=None, gumbel=false, considered=Number(Some(16)), exploration=1.25,
        observation=None, dtype=ObservationType::Bool, rewards=None, max_steps=Number(Some(10_000)), seed=None
    ))]
    #[pyo3(
        text_signature = "(states, evaluation, simulations, *, noise=None, gumbel=False, considered=16, \
        exploration=1.25, observation=None, dtype=\"bool\", rewards=None, max_steps=10_000, seed=None)"
    )]
    #[expect(clippy::too_many_arguments, reason = "keyword arguments")]
    fn new(
        py: Python<'_>,
        states: Vec<Py<State>>,
        evaluation: Py<PyAny>,
        simulations: Number,
        noise: Option<(f32, f32)>,
        gumbel: bool,
        considered: Number,
        exploration: f32,
        observation: Option<Bound<'_, PyAny>>,
        dtype: ObservationType,
        rewards: Option<&str>,
        max_steps: Number,
        seed: Option<Number>,
    ) -> PyResult<BatchSearch> {
        py.import("numpy")?;
        let simulations: u32 = simulations.at_least("simulations", 0)?;
        let considered: u32 = considered.at_least("considered", 1)?;
        let max_steps: u32 = max_steps.at_least("max_steps", 1)?;
        let seed: Option<u64> = seed.map(|seed| seed.at_least("seed", 0)).transpose()?;
        let Some(first) = states.first() else {
            let message = "`states` is empty: a search needs at least one state";
            return Err(PyValueError::new_err(message));
        };
        let game = first.get().game_of().clone_ref(py);
        let cores = states
            .iter()
            .map(|state| Ok(state.get().of_game(py, &game)?.clone()));
        let cores = cores.collect::<PyResult<Vec<_>>>()?;
        let functions = Functions::new(Some(evaluation.clone_ref(py)), None, false)?;
        let functions =
            functions.ok_or_else(|| PyTypeError::new_err("`evaluation` must be a function"))?;
        let name = observation
            .as_ref()
            .map(|given| given.extract::<ObservationName>())
            .transpose()?;
        let observations = Observations::find(py, &game, name)?;
        let rewards = rewards.map(parse_rewards).transpose()?;
        let stop = game.get().stop();
        let noise = noise.map(|(alpha, fraction)| Noise { alpha, fraction });
        let config = BatchSearchConfig::default()
            .with_exploration(exploration)
            .with_noise(noise)
            .with_gumbel(gumbel.then_some(considered))
            .with_max_steps(max_steps)
            .with_seed(seed.unwrap_or_else(random_seed))
            .with_observed(observations.observed.clone())
            .with_rewards(rewards)
            .with_stop(stop.clone());
        let core = game.get().here(py)?;
        let search = interruptible(py, &stop, || Core::new(&core, &cores, config))?;
        let search = search.map_err(search_error)?;
        let mut shape = search.shape().clone();
        shape.environments = states.len();
        let format = Format {
            observation: observations.shape(&shape),
            finals: false,
            shape,
            kind: dtype,
        };
        let options = PyDict::new(py);
        options.set_item("noise", noise.map(|noise| (noise.alpha, noise.fraction)))?;
        options.set_item("gumbel", gumbel)?;
        options.set_item("considered", considered)?;
        options.set_item("exploration", exploration)?;
        options.set_item("observation", observation)?;
        options.set_item("dtype", dtype.name())?;
        options.set_item("rewards", rewards.map(rewards_name))?;
        options.set_item("max_steps", max_steps)?;
        options.set_item("seed", seed)?;
        Ok(BatchSearch {
            evaluator: functions.evaluator(*search.rewards(), format.clone()),
            search: Mutex::new(search),
            game,
            format,
            observations,
            simulations,
            evaluation,
            options: options.unbind(),
        })
    }

    /// Searches until each game that is not over has had `simulations` simulations more; by default as many as the search
    /// was made with. The evaluation is called in this thread; other Python threads run between its calls.
    #[pyo3(signature = (simulations=None))]
    fn run(&self, py: Python<'_>, simulations: Option<Number>) -> PyResult<()> {
        let simulations = match simulations {
            Some(simulations) => simulations.at_least("simulations", 0)?,
            None => self.simulations,
        };
        let mut search = self.lock()?;
        let (search, evaluator) = (&mut *search, &self.evaluator);
        let stop = self.game.get().stop();
        let searched = py.detach(|| search.run(simulations, evaluator, &stop));
        searched.map_err(search_error)
    }

    /// Takes an action in each game: `(n,)`, of which those of games that are over are ignored. What is known of the states
    /// that follow is kept. Forced moves are made, and those of a role called `random`, until a player has a choice.
    ///
    /// If an action is not legal, there is an `IllegalMoveError`, and nothing has happened in any game.
    fn advance(&self, py: Python<'_>, actions: &Bound<'_, PyAny>) -> PyResult<()> {
        let actions = integers(actions, &[self.format.shape.environments])?;
        let actions = actions.as_slice()?;
        let mut search = self.lock()?;
        let search = &mut *search;
        py.detach(|| search.advance(actions)).map_err(search_error)
    }

    /// Goes on from these states, about which nothing is known: one for each game, or for each of those where `mask` is
    /// true.
    #[pyo3(signature = (states, mask=None))]
    fn set_states(
        &self,
        py: Python<'_>,
        states: Vec<Py<State>>,
        mask: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        let n = self.format.shape.environments;
        let mask = match mask {
            None => vec![true; n],
            Some(given) => self::mask(given, n)?,
        };
        let numbers = (0..n).filter(|&number| mask[number]);
        let numbers: Vec<usize> = numbers.collect();
        if states.len() != numbers.len() {
            return Err(PyValueError::new_err(format!(
                "{} states were given for {} games: one is needed for each",
                states.len(),
                numbers.len()
            )));
        }
        let states = states.iter();
        let states = states.map(|state| Ok(state.get().of_game(py, &self.game)?.clone()));
        let states = states.collect::<PyResult<Vec<_>>>()?;
        let mut search = self.lock()?;
        let search = &mut *search;
        py.detach(|| search.set_states(numbers.into_iter().zip(&states)))
            .map_err(search_error)
    }

    /// Begins a match in each game, or in those where `mask` is true.
    #[pyo3(signature = (mask=None))]
    fn reset(&self, py: Python<'_>, mask: Option<&Bound<'_, PyAny>>) -> PyResult<()> {
        let n = self.format.shape.environments;
        let count = match mask {
            None => n,
            Some(given) => self::mask(given, n)?.iter().filter(|given| **given).count(),
        };
        let initial = Py::new(py, Game::initial(self.game.bind(py).clone()))?;
        let states = (0..count).map(|_| initial.clone_ref(py)).collect();
        self.set_states(py, states, mask)
    }

    /// The number of visits of each action: `(n, num_actions)`. Those before the last `advance` count as well.
    #[getter]
    fn visits<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArrayDyn<i32>>> {
        let visits = self.lock()?.visits();
        self.rows(py, visits, self.format.shape.actions)
    }

    /// The mean reward that each player can expect, and its rewards where the match is over: `(n, players)`. Not a number
    /// before the first search.
    #[getter]
    fn values<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArrayDyn<f32>>> {
        let values = self.lock()?.values();
        self.rows(py, values, self.format.shape.players.len())
    }

    /// The probability with which each action is to be chosen: `(n, num_actions)`. These are the visits to the power of
    /// `1 / temperature`, normalised; or in a Gumbel search the improved policy, which networks learn from. At the
    /// temperature 0, it is 1 for the best action; where a match is over, all are 0; and before the first search, they are
    /// the prior probabilities.
    #[pyo3(signature = (temperature=1.0))]
    fn policy<'py>(
        &self,
        py: Python<'py>,
        temperature: f32,
    ) -> PyResult<Bound<'py, PyArrayDyn<f32>>> {
        if !(temperature.is_finite() && temperature >= 0.0) {
            let message = "`temperature` must be a number, at least 0";
            return Err(PyValueError::new_err(message));
        }
        let policy = self.lock()?.policy(temperature);
        self.rows(py, policy, self.format.shape.actions)
    }

    /// The action to play in each game: the most visited one, or that which is left of a Gumbel search; -1 where a match is
    /// over.
    #[getter]
    fn best_actions<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<i32>>> {
        Ok(PyArray1::from_vec(py, self.lock()?.best_actions()))
    }

    /// What is observed in the states where the searches begin, in a new array, as `VectorEnv.observation`.
    #[getter]
    fn observation<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let positions = self.lock()?.positions();
        Ok(self.format.show(py, &positions)?.0)
    }

    /// Whether each action is legal there: `(n, num_actions)`.
    #[getter]
    fn legal_action_mask<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let positions = self.lock()?.positions();
        Ok(self.format.show(py, &positions)?.1)
    }

    /// The number of the player that has a choice there, and -2 where the match is over: `(n,)`.
    #[getter]
    fn current_player<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArrayDyn<i32>>> {
        let positions = self.lock()?.positions();
        Ok(self.format.show(py, &positions)?.2)
    }

    /// The rewards of the players where a match is over, as those of `VectorEnv`, and zero elsewhere: `(n, players)`.
    #[getter]
    fn rewards<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArrayDyn<f32>>> {
        let players = self.format.shape.players.len();
        let mut rewards = Vec::new();
        for end in self.lock()?.ends() {
            match end {
                Some(end) => rewards.extend_from_slice(end.rewards),
                None => rewards.extend(std::iter::repeat_n(0.0, players)),
            }
        }
        self.rows(py, rewards, players)
    }

    /// Whether a match is over in a terminal state: `(n,)`.
    #[getter]
    fn terminated<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.flags(py, |truncated| !truncated)
    }

    /// Whether a match was given up, since it was too long or a role had no legal move: `(n,)`.
    #[getter]
    fn truncated<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.flags(py, |truncated| truncated)
    }

    /// The state where the search of a game begins.
    fn state(&self, py: Python<'_>, game: Number) -> PyResult<State> {
        let n = self.format.shape.environments;
        let number = game.0.and_then(|number| usize::try_from(number).ok());
        let Some(number) = number.filter(|&number| number < n) else {
            let message = format!("games are numbered from 0 to {}", n - 1);
            return Err(PyIndexError::new_err(message));
        };
        let state = self.lock()?.state(number);
        let position = self.game.get().position(state);
        Ok(State::new(self.game.clone_ref(py), position))
    }

    /// The game that is played.
    #[getter]
    fn game(&self, py: Python<'_>) -> Py<Game> {
        self.game.clone_ref(py)
    }

    /// The names of the players: all roles but the one that plays at random.
    #[getter]
    fn players<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        self.game.get().names_of(py, &self.format.shape.players)
    }

    /// The least and the greatest reward, as of `VectorEnv`.
    #[getter]
    fn reward_range(&self) -> PyResult<(f32, f32)> {
        Ok(self.lock()?.rewards().range())
    }

    /// The planes that are observed, if these are.
    #[getter]
    fn planes(&self, py: Python<'_>) -> Option<Py<crate::planes::Planes>> {
        let planes = self.observations.planes.as_ref();
        planes.map(|planes| planes.clone_ref(py))
    }

    /// A copy has the same states and settings, and begins its search there: what was found out is not copied.
    fn __reduce__<'py>(this: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, Restored<'py>)> {
        let (py, search) = (this.py(), this.get());
        let n = search.format.shape.environments as u64;
        let states = (0..n).map(|number| search.state(py, Number(Some(number))));
        let restored = (
            states.collect::<PyResult<Vec<_>>>()?,
            search.evaluation.clone_ref(py),
            search.simulations,
            search.options.clone_ref(py),
        );
        Ok((this.get_type().getattr("_restore")?, restored))
    }

    #[staticmethod]
    fn _restore(
        py: Python<'_>,
        states: Vec<Py<State>>,
        evaluation: Py<PyAny>,
        simulations: u32,
        options: &Bound<'_, PyDict>,
    ) -> PyResult<Py<BatchSearch>> {
        let class = py.get_type::<BatchSearch>();
        let search = class.call((states, evaluation, simulations), Some(options))?;
        Ok(search.cast_into::<BatchSearch>()?.unbind())
    }

    fn __len__(&self) -> usize {
        self.format.shape.environments
    }

    fn __repr__(&self) -> String {
        format!(
            "<BatchSearch of {} x {}>",
            self.format.shape.environments,
            self.game.get().core.rules().source.name()
        )
    }
}
