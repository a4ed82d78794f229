//! The arrays that environments write to.

use numpy::{Element, PyArrayDyn};
use propjit::game::environment::{Finals, Outputs, Shape};
use propjit::search::external::ObservedPositions;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::arrays::{Flags, ObservationArray, ObservationType, elements, given, writable, zeros};

/// The shapes and types of the arrays of environments.
#[derive(Clone, Debug)]
pub(crate) struct Format {
    pub(crate) shape: Shape,
    pub(crate) kind: ObservationType,
    /// The shape of an observation.
    pub(crate) observation: Vec<usize>,
    /// Whether the last states of matches are kept.
    pub(crate) finals: bool,
}

/// The arrays of environments.
pub(crate) struct Arrays {
    pub(crate) observation: ObservationArray,
    pub(crate) legal: Flags,
    pub(crate) legal_counts: Py<PyArrayDyn<i32>>,
    pub(crate) current: Py<PyArrayDyn<i32>>,
    pub(crate) rewards: Py<PyArrayDyn<f32>>,
    pub(crate) terminated: Flags,
    pub(crate) truncated: Flags,
    pub(crate) finals: Option<FinalArrays>,
}

/// The arrays about the last states of matches.
pub(crate) struct FinalArrays {
    pub(crate) observation: ObservationArray,
    pub(crate) legal: Flags,
    pub(crate) current: Py<PyArrayDyn<i32>>,
}

/// Observations, legal actions and current players.
pub(crate) type Shown<'py> = (
    Bound<'py, PyAny>,
    Bound<'py, PyAny>,
    Bound<'py, PyArrayDyn<i32>>,
);

/// The names of arrays that callers may replace.
const NAMES: [&str; 7] = [
    "observation",
    "legal_action_mask",
    "legal_action_counts",
    "current_player",
    "rewards",
    "terminated",
    "truncated",
];

impl Format {
    /// The shape of actions and of their counts.
    pub(crate) fn actors(&self) -> Vec<usize> {
        match self.shape.joint {
            true => vec![self.shape.environments, self.shape.players.len()],
            false => vec![self.shape.environments],
        }
    }

    /// The shape of observations of `count` states by this number of observers.
    pub(crate) fn observations(&self, count: usize, observers: usize) -> Vec<usize> {
        let observers = match observers {
            1 => vec![count],
            observers => vec![count, observers],
        };
        self.kind.shape(&observers, &self.observation)
    }

    /// The shape of arrays about the actions in `count` positions.
    pub(crate) fn actions(&self, count: usize) -> Vec<usize> {
        match self.shape.joint {
            true => vec![count, self.shape.players.len(), self.shape.actions],
            false => vec![count, self.shape.actions],
        }
    }

    /// The shape of the mask of legal actions.
    fn mask(&self) -> Vec<usize> {
        self.actions(self.shape.environments)
    }

    /// What is observed in positions, the legal actions and the current players, in new arrays.
    pub(crate) fn show<'py>(
        &self,
        py: Python<'py>,
        positions: &ObservedPositions,
    ) -> PyResult<Shown<'py>> {
        let count = positions.len();
        let shape = self.observations(count, self.shape.observers());
        let observation = self.kind.zeros(py, &shape)?;
        positions.observe(observation.writable(py)?.of_type(self.kind)?);
        let legal = Flags::new(py, &self.actions(count))?;
        positions.write_legal(elements(&mut writable(py, &legal.bytes)?)?);
        let current = zeros::<i32>(py, &[count])?;
        elements(&mut writable(py, &current)?)?.copy_from_slice(positions.current());
        let legal = legal.view.bind(py).clone();
        Ok((observation.view(py), legal, current.bind(py).clone()))
    }

    /// How many bytes the arrays have for each environment.
    pub(crate) fn bytes(&self) -> usize {
        let shape = &self.shape;
        let observation = shape.observers() * self.kind.bytes(shape.elements);
        let legal = shape.actors() * shape.actions;
        let each = observation + legal + size_of::<i32>();
        let counts = shape.actors() * size_of::<i32>();
        let rewards = shape.players.len() * size_of::<f32>();
        let finals = if self.finals { each } else { 0 };
        each + finals + counts + rewards + 2
    }
}

impl Arrays {
    /// Arrays of zeros.
    pub(crate) fn new(py: Python<'_>, format: &Format) -> PyResult<Arrays> {
        let n = format.shape.environments;
        let observations = format.observations(n, format.shape.observers());
        let observation = || format.kind.zeros(py, &observations);
        let finals = || {
            Ok::<_, PyErr>(FinalArrays {
                observation: observation()?,
                legal: Flags::new(py, &format.mask())?,
                current: zeros(py, &[n])?,
            })
        };
        Ok(Arrays {
            observation: observation()?,
            legal: Flags::new(py, &format.mask())?,
            legal_counts: zeros(py, &format.actors())?,
            current: zeros(py, &[n])?,
            rewards: zeros(py, &[n, format.shape.players.len()])?,
            terminated: Flags::new(py, &[n])?,
            truncated: Flags::new(py, &[n])?,
            finals: format.finals.then(finals).transpose()?,
        })
    }

    /// The same arrays, but with those that the caller gives by name.
    ///
    /// # Errors
    /// If there is no array of a name, or the one given is of another type or shape.
    pub(crate) fn with(
        &self,
        py: Python<'_>,
        format: &Format,
        out: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Arrays> {
        let Some(out) = out else {
            return Ok(self.clone_ref(py));
        };
        for name in out.keys() {
            let name: String = name.extract()?;
            if !NAMES.contains(&&*name) {
                return Err(PyValueError::new_err(format!(
                    "`{name}` is not an array that can be given; those are {}",
                    NAMES.join(", ")
                )));
            }
        }
        let n = format.shape.environments;
        let observations = format.observations(n, format.shape.observers());
        let [
            observation,
            legal,
            legal_counts,
            current,
            rewards,
            terminated,
            truncated,
        ] = NAMES;
        let ends = |name: &str, old: &Flags| match out.get_item(name)? {
            Some(array) => Flags::given(name, &array, &[n]),
            None => Ok(old.clone_ref(py)),
        };
        Ok(Arrays {
            observation: match out.get_item(observation)? {
                Some(array) => format.kind.given(observation, &array, &observations)?,
                None => self.observation.clone_ref(py),
            },
            legal: match out.get_item(legal)? {
                Some(array) => Flags::given(legal, &array, &format.mask())?,
                None => self.legal.clone_ref(py),
            },
            legal_counts: numbers(
                out,
                legal_counts,
                "int32",
                &format.actors(),
                &self.legal_counts,
            )?,
            current: numbers(out, current, "int32", &[n], &self.current)?,
            rewards: {
                let shape = [n, format.shape.players.len()];
                numbers(out, rewards, "float32", &shape, &self.rewards)?
            },
            terminated: ends(terminated, &self.terminated)?,
            truncated: ends(truncated, &self.truncated)?,
            finals: self.finals.as_ref().map(|finals| finals.clone_ref(py)),
        })
    }

    /// All of them.
    pub(crate) fn all<'py>(&self, py: Python<'py>) -> Vec<Bound<'py, PyAny>> {
        let mut all = vec![
            self.observation.view(py),
            self.legal.view.bind(py).clone(),
            self.legal_counts.bind(py).clone().into_any(),
            self.current.bind(py).clone().into_any(),
            self.rewards.bind(py).clone().into_any(),
            self.terminated.view.bind(py).clone(),
            self.truncated.view.bind(py).clone(),
        ];
        if let Some(finals) = &self.finals {
            all.push(finals.observation.view(py));
            all.push(finals.legal.view.bind(py).clone());
            all.push(finals.current.bind(py).clone().into_any());
        }
        all
    }

    pub(crate) fn clone_ref(&self, py: Python<'_>) -> Arrays {
        Arrays {
            observation: self.observation.clone_ref(py),
            legal: self.legal.clone_ref(py),
            legal_counts: self.legal_counts.clone_ref(py),
            current: self.current.clone_ref(py),
            rewards: self.rewards.clone_ref(py),
            terminated: self.terminated.clone_ref(py),
            truncated: self.truncated.clone_ref(py),
            finals: self.finals.as_ref().map(|finals| finals.clone_ref(py)),
        }
    }

    /// Calls `work` with the arrays, while other Python threads run.
    ///
    /// # Errors
    /// When one is being used meanwhile.
    pub(crate) fn write<T: Send>(
        &self,
        py: Python<'_>,
        kind: ObservationType,
        work: impl FnOnce(Outputs<'_>) -> T + Send,
    ) -> PyResult<T> {
        let mut observation = self.observation.writable(py)?;
        let mut legal = writable(py, &self.legal.bytes)?;
        let mut legal_counts = writable(py, &self.legal_counts)?;
        let mut current = writable(py, &self.current)?;
        let mut rewards = writable(py, &self.rewards)?;
        let mut terminated = writable(py, &self.terminated.bytes)?;
        let mut truncated = writable(py, &self.truncated.bytes)?;
        let mut finals = (self.finals.as_ref())
            .map(|finals| {
                Ok::<_, PyErr>((
                    finals.observation.writable(py)?,
                    writable(py, &finals.legal.bytes)?,
                    writable(py, &finals.current)?,
                ))
            })
            .transpose()?;
        let finals = (finals.as_mut())
            .map(|(observation, legal, current)| {
                Ok::<_, PyErr>(Finals {
                    observation: observation.of_type(kind)?,
                    legal: elements(legal)?,
                    current: elements(current)?,
                })
            })
            .transpose()?;
        let outputs = Outputs {
            observation: observation.of_type(kind)?,
            legal: elements(&mut legal)?,
            legal_counts: elements(&mut legal_counts)?,
            current: elements(&mut current)?,
            rewards: elements(&mut rewards)?,
            terminated: elements(&mut terminated)?,
            truncated: elements(&mut truncated)?,
            finals,
        };
        Ok(py.detach(|| work(outputs)))
    }
}

impl FinalArrays {
    fn clone_ref(&self, py: Python<'_>) -> FinalArrays {
        FinalArrays {
            observation: self.observation.clone_ref(py),
            legal: self.legal.clone_ref(py),
            current: self.current.clone_ref(py),
        }
    }
}

/// The array of numbers that the caller gives, or else the old one.
fn numbers<T: Element>(
    out: &Bound<'_, PyDict>,
    name: &str,
    dtype: &str,
    shape: &[usize],
    old: &Py<PyArrayDyn<T>>,
) -> PyResult<Py<PyArrayDyn<T>>> {
    match out.get_item(name)? {
        Some(array) => given(name, dtype, &array, shape),
        None => Ok(old.clone_ref(out.py())),
    }
}
