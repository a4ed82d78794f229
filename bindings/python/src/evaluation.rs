//! Python functions that evaluate the leaves of a search.

use std::error::Error;
use std::sync::Arc;

use numpy::{PyArrayDyn, PyReadonlyArrayDyn, PyUntypedArrayMethods};
use propjit::RoleId;
use propjit::game::engine::Engines;
use propjit::game::environment::{EnvironmentConfig, Observed, RewardRule, VectorEnvironment};
use propjit::game::ground::GroundGame;
use propjit::search::external::{LeafEvaluation, LeafEvaluator, Position, Positions};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

use crate::arrays::{Flags, ObservationType, elements, readable, tuple, writable, zeros};
use crate::errors::environment_error;
use crate::interrupt::interruptible;
use crate::observations::Observations;
use crate::outputs::Format;

/// Functions that are to evaluate leaves, at least one.
pub(crate) struct Functions {
    evaluation: Option<Py<PyAny>>,
    policy: Option<Py<PyAny>>,
}

/// Functions that evaluate the leaves of a game.
#[derive(Debug)]
struct PythonEvaluator {
    evaluation: Option<Py<PyAny>>,
    policy: Option<Py<PyAny>>,
    game: Arc<GroundGame>,
    rewards: RewardRule,
    format: Format,
}

impl Functions {
    /// The functions, if there are any. An evaluation may be learned instead.
    ///
    /// # Errors
    /// If one cannot be called, or there is a policy beside an evaluation that is learned.
    pub(crate) fn new(
        evaluation: Option<Py<PyAny>>,
        policy: Option<Py<PyAny>>,
        is_learned: bool,
    ) -> PyResult<Option<Functions>> {
        for (name, function) in [("evaluation", &evaluation), ("policy", &policy)] {
            let is_wrong =
                |function: &Py<PyAny>| Python::attach(|py| !function.bind(py).is_callable());
            if function.as_ref().is_some_and(is_wrong) {
                let message = format!("`{name}` must be a function of three arrays");
                return Err(PyTypeError::new_err(message));
            }
        }
        if is_learned && policy.is_some() {
            let message = "a policy cannot be combined with a learned evaluation: pass a function as `evaluation`, or omit it for playouts by the policy";
            return Err(PyTypeError::new_err(message));
        }
        let functions = Functions { evaluation, policy };
        let is_some = functions.evaluation.is_some() || functions.policy.is_some();
        Ok(is_some.then_some(functions))
    }

    /// Evaluations of a game by the functions. The configuration says whether logits are those of each player, and which
    /// rewards are expected; by default, that is found out.
    ///
    /// # Errors
    /// If NumPy is missing, or a signal came; then the stop of the configuration is set.
    pub(crate) fn leaf_evaluation(
        self,
        py: Python<'_>,
        engines: &Arc<Engines>,
        kind: ObservationType,
        observations: &Observations,
        config: EnvironmentConfig,
        batch: usize,
    ) -> PyResult<LeafEvaluation> {
        py.import("numpy")?;
        let config = config.with_observed(observations.observed.clone());
        let make = || VectorEnvironment::new(engines, &config);
        let environment = interruptible(py, &config.stop, make)?;
        let environment = environment.map_err(environment_error)?;
        let (shape, rewards) = (environment.shape().clone(), *environment.rewards());
        let playouts = self.evaluation.is_none();
        let evaluator = PythonEvaluator {
            evaluation: self.evaluation,
            policy: self.policy,
            game: engines.game().clone(),
            rewards,
            format: Format {
                observation: observations.shape(&shape),
                finals: false,
                shape,
                kind,
            },
        };
        let evaluation = LeafEvaluation::new(Arc::new(evaluator));
        Ok(evaluation.with_batch(batch).with_playouts(playouts))
    }
}

impl LeafEvaluator for PythonEvaluator {
    fn evaluate(
        &self,
        positions: &Positions,
        values: &mut [f32],
        logits: &mut [f32],
    ) -> Result<(), Box<dyn Error + Send + Sync>> {
        let evaluated = Python::attach(|py| self.call(py, positions, values, logits));
        Ok(evaluated?)
    }
}

impl PythonEvaluator {
    fn call(
        &self,
        py: Python<'_>,
        positions: &Positions,
        values: &mut [f32],
        logits: &mut [f32],
    ) -> PyResult<()> {
        let arguments = self.arguments(py, positions)?;
        if let Some(evaluation) = &self.evaluation {
            let found = evaluation.bind(py).call1(&arguments)?;
            let pair = found.cast::<PyTuple>().ok();
            match pair.filter(|pair| pair.len() == 2) {
                Some(pair) => {
                    self.take_values(&pair.get_item(0)?, positions, values)?;
                    self.take_logits("evaluation", &pair.get_item(1)?, positions, logits)?;
                }
                None => self.take_values(&found, positions, values)?,
            }
        }
        if let Some(policy) = &self.policy {
            let found = policy.bind(py).call1(&arguments)?;
            self.take_logits("policy", &found, positions, logits)?;
        }
        Ok(())
    }

    /// Observations, legal actions and current players, in new arrays.
    fn arguments<'py>(
        &self,
        py: Python<'py>,
        positions: &Positions,
    ) -> PyResult<Bound<'py, PyTuple>> {
        let (shape, count) = (&self.format.shape, positions.len());
        let words = self.game.layout().bases.len().div_ceil(64);
        let mut packed = Vec::new();
        for position in positions.each() {
            match &shape.observed {
                Observed::Features(features) => {
                    let state = position.state.words();
                    match (features.are_relative(), shape.joint) {
                        (true, true) => (0..shape.players.len())
                            .for_each(|player| features.pack(player, state, &mut packed)),
                        (true, false) => {
                            let current = self.current(position).max(0) as usize;
                            features.pack(current, state, &mut packed);
                        }
                        (false, _) => features.pack(0, state, &mut packed),
                    }
                }
                _ => position.state.pack(words, &mut packed),
            }
        }
        let observation = self
            .format
            .kind
            .zeros(py, &self.format.observations(count, shape.observers()))?;
        {
            let mut to = observation.writable(py)?;
            to.of_type(self.format.kind)?.write(shape.elements, &packed);
        }
        let current = zeros::<i32>(py, &[count])?;
        {
            let mut current = writable(py, &current)?;
            for (position, current) in positions.each().zip(elements(&mut current)?) {
                *current = self.current(position);
            }
        }
        let legal = Flags::new(py, &self.action_shape(count))?;
        {
            let mut legal = writable(py, &legal.bytes)?;
            let legal = elements(&mut legal)?;
            self.each_legal(positions, |action, _| legal[action] = 1)?;
        }
        let (observation, legal) = (observation.view(py), legal.view.bind(py).clone());
        PyTuple::new(
            py,
            [observation, legal, current.bind(py).clone().into_any()],
        )
    }

    /// The number of the player that has a choice, 0 if none has one, and -1 if several have.
    fn current(&self, position: Position<'_>) -> i32 {
        let players = &self.format.shape.players;
        let choosing = |role: &RoleId| position.legal.role(*role).len() > 1;
        let mut choosing = (0..).zip(players).filter(|(_, role)| choosing(role));
        match (choosing.next(), choosing.next()) {
            (None, _) => 0,
            (Some((player, _)), None) => player,
            (Some(_), Some(_)) => -1,
        }
    }

    /// The shape of arrays about actions.
    fn action_shape(&self, count: usize) -> Vec<usize> {
        match self.format.shape.joint {
            true => vec![
                count,
                self.format.shape.players.len(),
                self.format.shape.actions,
            ],
            false => vec![count, self.format.shape.actions],
        }
    }

    /// Calls `found` with each legal move of the acting players: its index in an array about
    /// actions, and among the moves of the positions.
    ///
    /// # Errors
    /// If several players have a choice though only one is to act.
    fn each_legal(
        &self,
        positions: &Positions,
        mut found: impl FnMut(usize, usize),
    ) -> PyResult<()> {
        let (shape, actors) = (&self.format.shape, self.format.shape.actors());
        for (at, position) in positions.each().enumerate() {
            let acting = match (shape.joint, self.current(position)) {
                (true, _) => &shape.players[..],
                (false, -1) => {
                    return Err(PyValueError::new_err(
                        "several players have a choice in a position: searches of this game need `joint=True`, which passes masks of each player to functions",
                    ));
                }
                (false, player) => shape
                    .players
                    .get(player as usize..=player as usize)
                    .unwrap_or(&[]),
            };
            for (actor, &role) in acting.iter().enumerate() {
                let moves = position.legal.role(role).iter();
                for (played, place) in moves.zip(positions.places(at, role)) {
                    let row = (at * actors + actor) * shape.actions;
                    found(row + self.game.actions().of(role, *played), place);
                }
            }
        }
        Ok(())
    }

    fn take_values(
        &self,
        found: &Bound<'_, PyAny>,
        positions: &Positions,
        values: &mut [f32],
    ) -> PyResult<()> {
        let players = &self.format.shape.players;
        let found = floats(
            "evaluation",
            "values",
            found,
            &[positions.len(), players.len()],
        )?;
        let mut found = found.as_slice()?.to_vec();
        // Goals for rewards are not to be taken for sure wins; networks may go a little too far.
        let (least, greatest) = self.rewards.range();
        let slack = greatest - least;
        let is_far = |value: &&f32| **value < least - slack || **value > greatest + slack;
        if let Some(far) = found.iter().find(is_far) {
            return Err(PyValueError::new_err(format!(
                "the evaluation returned {far}, but rewards are from {least} to {greatest} here: pass `rewards=\"goals\"` or `rewards=\"zero-sum\"` for others"
            )));
        }
        let places = values.chunks_exact_mut(positions.roles());
        for (values, found) in places.zip(found.chunks_exact_mut(players.len().max(1))) {
            self.rewards.to_goals(found);
            for (role, value) in players.iter().zip(found) {
                values[role.index()] = *value;
            }
        }
        Ok(())
    }

    fn take_logits(
        &self,
        function: &str,
        found: &Bound<'_, PyAny>,
        positions: &Positions,
        logits: &mut [f32],
    ) -> PyResult<()> {
        let shape = self.action_shape(positions.len());
        let found = floats(function, "logits", found, &shape)?;
        let found = found.as_slice()?;
        self.each_legal(positions, |action, place| logits[place] = found[action])
    }
}

/// Returns the result of a function, as an array of this shape.
///
/// # Errors
/// If it is of another shape, or not of numbers.
fn floats<'py>(
    function: &str,
    what: &str,
    found: &Bound<'py, PyAny>,
    shape: &[usize],
) -> PyResult<PyReadonlyArrayDyn<'py, f32>> {
    let py = found.py();
    let numpy = py.import("numpy")?;
    let how = PyDict::new(py);
    how.set_item("dtype", "float32")?;
    let array = numpy.call_method("asarray", (found,), Some(&how))?;
    let given: Vec<usize> = array.getattr("shape")?.extract()?;
    if given != shape {
        return Err(PyValueError::new_err(format!(
            "the {function} returned {what} of shape {}, not {}",
            tuple(&given),
            tuple(shape),
        )));
    }
    let array = numpy.call_method1("ascontiguousarray", (array,))?;
    let array = array.cast_into::<PyArrayDyn<f32>>()?;
    debug_assert!(array.is_c_contiguous());
    readable(&array)
}
