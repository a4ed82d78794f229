//! Symmetries of a game, as permutations of what learners number.

use numpy::ndarray::Array2;
use numpy::{IntoPyArray, PyArray1};
use propjit::RoleId;
use propjit::game::ground::GroundGame;
use propjit::game::symmetry::{self, Symmetry};
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::game::Game;
use crate::interrupt::interruptible;
use crate::records::record;

/// Finds the symmetries of a game.
///
/// # Errors
/// If the game is not grounded, or a signal came.
pub(crate) fn find<'py>(py: Python<'py>, game: &Bound<'py, Game>) -> PyResult<Bound<'py, PyTuple>> {
    let ground = game.get().ground("symmetries")?;
    let stop = game.get().stop();
    let found = interruptible(py, &stop, || symmetry::find(ground, &stop))?;
    let found = found.iter().map(|one| permutations(game, ground, one));
    PyTuple::new(py, found.collect::<PyResult<Vec<_>>>()?)
}

/// A symmetry as `propjit.records.Symmetry`.
fn permutations<'py>(
    game: &Bound<'py, Game>,
    ground: &GroundGame,
    symmetry: &Symmetry,
) -> PyResult<Bound<'py, PyAny>> {
    let py = game.py();
    let (renaming, actions) = (symmetry.renaming(), ground.actions());
    let of_players = actions.of_players();
    let players: Vec<RoleId> = ground.players().collect();
    let number = |role: RoleId| players.iter().position(|&player| player == role);
    let images = players
        .iter()
        .filter_map(|&player| number(renaming.role(player)));
    let images = images.map(|player| player as i32);
    let played = |role: RoleId| symmetry.actions(actions, role);
    let mut by_player = Array2::zeros((players.len(), of_players));
    for (mut row, &player) in by_player.rows_mut().into_iter().zip(&players) {
        for (image, action) in row.iter_mut().zip(played(player)) {
            *image = action as i32;
        }
    }
    let outcomes = ground.random_role().map(|role| signed(py, &played(role)));
    let percepts = players
        .iter()
        .map(|&player| signed(py, symmetry.percepts(player)));
    let fluents = (0..renaming.bases()).map(|base| renaming.base(base) as i32);
    record(py, "Symmetry", |fields| {
        fields.set_item("game", game)?;
        fields.set_item("players", PyArray1::from_iter(py, images))?;
        fields.set_item("fluents", PyArray1::from_iter(py, fluents))?;
        fields.set_item("actions", by_player.into_pyarray(py))?;
        fields.set_item("outcomes", outcomes)?;
        fields.set_item("percepts", PyTuple::new(py, percepts.collect::<Vec<_>>())?)?;
        fields.set_item("keeps_initial", symmetry.keeps_initial())
    })
}

fn signed<'py>(py: Python<'py>, numbers: &[u32]) -> Bound<'py, PyArray1<i32>> {
    PyArray1::from_iter(py, numbers.iter().map(|&number| number as i32))
}
