//! Fluents arranged as channels of a board.

use std::sync::Arc;

use numpy::ndarray::IxDyn;
use numpy::{PyArray1, PyArrayDyn, PyArrayMethods};
use propjit::game::boards::Planes as Core;
use propjit::game::environment::{Features, Source};
use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::game::Game;

/// The fluents of a game, arranged in channels of height times width: see `Game.planes`.
///
/// >>> from propjit import Game
/// >>> planes = Game.named("ticTacToe").planes()
/// >>> planes.shape
/// (6, 3, 3)
/// >>> planes.names[1]
/// 'cell x | cell o'
/// >>> planes.places(3)
/// [[(0, 2, 1)]]
#[pyclass(frozen, module = "propjit")]
pub(crate) struct Planes {
    pub(crate) core: Core,
    pub(crate) relative: bool,
    pub(crate) game: Py<Game>,
}

impl Planes {
    pub(crate) fn features(&self) -> &Arc<Features> {
        self.core.features()
    }
}

#[pymethods]
impl Planes {
    /// The number of channels, the height and the width.
    #[getter]
    fn shape<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.core.shape())
    }

    /// A name for each channel: its contents, or its fluent. Where these depend on the player, they are named for the
    /// players in their order.
    #[getter]
    fn names<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.core.names())
    }

    /// Whether they depend on the player who observes.
    #[getter]
    fn relative(&self) -> bool {
        self.relative
    }

    /// For each player and each element, the number of its fluent in `Game.fluents`; -1 where there is always 0, and -2
    /// where there is always 1: `(players, channels, height, width)`.
    #[getter]
    fn index<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArrayDyn<i32>>> {
        let features = self.features();
        let players = 0..features.players();
        let elements = players.flat_map(|player| {
            (0..features.len()).map(move |element| match features.source(player, element) {
                Source::Base(base) => base as i32,
                Source::Zero => -1,
                Source::One => -2,
            })
        });
        let index = PyArray1::from_iter(py, elements);
        let [channels, height, width] = self.core.shape();
        index.reshape(IxDyn(&[features.players(), channels, height, width]))
    }

    /// The places that an action mentions, in the order in which it does, each as the number of the board, the row and
    /// the column: several at once, if it names only a row or a column.
    fn places(&self, action: usize) -> PyResult<Vec<Vec<(usize, usize, usize)>>> {
        let actions = self.core.actions();
        if action >= actions {
            return Err(PyIndexError::new_err(format!(
                "players have no action {action}, but {actions} from 0 on"
            )));
        }
        let mentioned = self.core.places(action).iter();
        let places = mentioned.map(|places| {
            let places = places.iter();
            places
                .map(|cell| (cell.board, cell.row, cell.column))
                .collect()
        });
        Ok(places.collect())
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (bool,))> {
        Ok((self.game.bind(py).getattr("planes")?, (self.relative,)))
    }

    fn __repr__(&self) -> String {
        let [channels, height, width] = self.core.shape();
        format!("<Planes {channels} x {height} x {width}>")
    }
}
