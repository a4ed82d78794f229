//! Python functions that evaluate the leaves of a search.

use std::error::Error;
use std::sync::Arc;

use numpy::{PyArrayDyn, PyReadonlyArrayDyn, PyUntypedArrayMethods};
use propjit::game::engine::Engines;
use propjit::game::environment::{EnvironmentConfig, RewardRule, VectorEnvironment};
use propjit::search::external::{
    LeafEvaluation, ObservedEvaluator, ObservedLeaves, ObservedPositions,
};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

use crate::arrays::{ObservationType, readable, tuple};
use crate::errors::environment_error;
use crate::interrupt::interruptible;
use crate::observations::Observations;
use crate::outputs::Format;

/// Functions that are to evaluate leaves, at least one.
pub(crate) struct Functions {
    evaluation: Option<Py<PyAny>>,
    policy: Option<Py<PyAny>>,
}

/// Functions that evaluate positions, with arrays of a format.
#[derive(Debug)]
pub(crate) struct PythonEvaluator {
    evaluation: Option<Py<PyAny>>,
    policy: Option<Py<PyAny>>,
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
        let format = Format {
            observation: observations.shape(&shape),
            finals: false,
            shape: shape.clone(),
            kind,
        };
        let leaves = ObservedLeaves {
            game: engines.game().clone(),
            shape: Arc::new(shape),
            rewards,
            evaluator: Arc::new(self.evaluator(rewards, format)),
        };
        let evaluation = LeafEvaluation::new(Arc::new(leaves));
        Ok(evaluation.with_batch(batch).with_playouts(playouts))
    }

    /// An evaluator that calls the functions with arrays of this format.
    pub(crate) fn evaluator(self, rewards: RewardRule, format: Format) -> PythonEvaluator {
        PythonEvaluator {
            evaluation: self.evaluation,
            policy: self.policy,
            rewards,
            format,
        }
    }
}

impl ObservedEvaluator for PythonEvaluator {
    fn evaluate(
        &self,
        positions: &ObservedPositions,
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
        positions: &ObservedPositions,
        values: &mut [f32],
        logits: &mut [f32],
    ) -> PyResult<()> {
        py.check_signals()?;
        let arguments = self.arguments(py, positions)?;
        let count = positions.len();
        if let Some(evaluation) = &self.evaluation {
            let found = evaluation.bind(py).call1(&arguments)?;
            let pair = found.cast::<PyTuple>().ok();
            match pair.filter(|pair| pair.len() == 2) {
                Some(pair) => {
                    self.take_values(&pair.get_item(0)?, values)?;
                    self.take_logits("evaluation", &pair.get_item(1)?, count, logits)?;
                }
                None => self.take_values(&found, values)?,
            }
        }
        if let Some(policy) = &self.policy {
            let found = policy.bind(py).call1(&arguments)?;
            self.take_logits("policy", &found, count, logits)?;
        }
        Ok(())
    }

    /// Observations, legal actions and current players, in new arrays.
    fn arguments<'py>(
        &self,
        py: Python<'py>,
        positions: &ObservedPositions,
    ) -> PyResult<Bound<'py, PyTuple>> {
        let (observation, legal, current) = self.format.show(py, positions)?;
        PyTuple::new(py, [observation, legal, current.into_any()])
    }

    fn take_values(&self, found: &Bound<'_, PyAny>, values: &mut [f32]) -> PyResult<()> {
        let players = self.format.shape.players.len();
        let shape = [values.len() / players.max(1), players];
        let found = floats("evaluation", "values", found, &shape)?;
        let found = found.as_slice()?;
        // Goals for rewards are not to be taken for sure wins; networks may go a little too far.
        let (least, greatest) = self.rewards.range();
        let slack = greatest - least;
        let is_far = |value: &&f32| **value < least - slack || **value > greatest + slack;
        if let Some(far) = found.iter().find(is_far) {
            return Err(PyValueError::new_err(format!(
                "the evaluation returned {far}, but rewards are from {least} to {greatest} here: pass `rewards=\"goals\"` or `rewards=\"zero-sum\"` for others"
            )));
        }
        values.copy_from_slice(found);
        Ok(())
    }

    fn take_logits(
        &self,
        function: &str,
        found: &Bound<'_, PyAny>,
        count: usize,
        logits: &mut [f32],
    ) -> PyResult<()> {
        let found = floats(function, "logits", found, &self.format.actions(count))?;
        logits.copy_from_slice(found.as_slice()?);
        Ok(())
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
