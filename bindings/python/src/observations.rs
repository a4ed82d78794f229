//! What environments and searches observe.

use propjit::game::environment::{Observed, Shape};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::game::Game;
use crate::planes::Planes;

/// What is to be observed, by name, or the planes.
#[derive(FromPyObject)]
pub(crate) enum ObservationName {
    Planes(Py<Planes>),
    Name(String),
}

/// What is observed.
pub(crate) struct Observations {
    pub(crate) observed: Observed,
    pub(crate) planes: Option<Py<Planes>>,
}

impl Observations {
    /// Finds what is observed in a game: by default the fluents, or percepts if it hides information.
    ///
    /// # Errors
    /// If that is not possible: players do not see the state of a game that hides information.
    pub(crate) fn find(
        py: Python<'_>,
        game: &Py<Game>,
        name: Option<ObservationName>,
    ) -> PyResult<Observations> {
        let core = &game.get().core;
        let hides = py.detach(|| core.hides_information());
        let percepts = Observations {
            observed: Observed::Percepts,
            planes: None,
        };
        let fluents = Observations {
            observed: Observed::State,
            planes: None,
        };
        match name {
            None if hides => Ok(percepts),
            None => Ok(fluents),
            Some(ObservationName::Name(name)) => match (&*name, hides) {
                ("percepts", true) => Ok(percepts),
                ("fluents", false) => Ok(fluents),
                ("planes", false) => {
                    let planes = Py::new(py, Game::planes(game.bind(py).clone(), true)?)?;
                    Ok(Observations::of_planes(planes))
                }
                ("percepts", false) => Err(PyValueError::new_err(
                    "`observation=\"percepts\"` is for games that hide information: players of this one know the state, and observe `fluents` or `planes`",
                )),
                ("fluents" | "planes", true) => Err(hidden()),
                _ => Err(PyValueError::new_err(format!(
                    "`observation` is one of `fluents`, `planes` and `percepts`, or planes of the game, not `{name}`"
                ))),
            },
            Some(ObservationName::Planes(_)) if hides => Err(hidden()),
            Some(ObservationName::Planes(planes)) => {
                if !planes.get().game.bind(py).eq(game)? {
                    return Err(PyValueError::new_err("these planes are of another game"));
                }
                Ok(Observations::of_planes(planes))
            }
        }
    }

    fn of_planes(planes: Py<Planes>) -> Observations {
        Observations {
            observed: Observed::Features(planes.get().features().clone()),
            planes: Some(planes),
        }
    }

    /// How they are asked for.
    pub(crate) fn name<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        Ok(match (&self.planes, &self.observed) {
            (Some(planes), _) => planes.bind(py).clone().into_any(),
            (None, Observed::Percepts) => "percepts".into_pyobject(py)?.into_any(),
            (None, _) => "fluents".into_pyobject(py)?.into_any(),
        })
    }

    /// The shape of an observation.
    pub(crate) fn shape(&self, shape: &Shape) -> Vec<usize> {
        match &self.planes {
            Some(planes) => planes.get().core.shape().to_vec(),
            None => vec![shape.elements],
        }
    }
}

fn hidden() -> PyErr {
    PyValueError::new_err(
        "this game hides information, and fluents would give it away: players observe `percepts`",
    )
}
