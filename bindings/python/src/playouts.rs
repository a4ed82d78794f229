//! Random matches, and their results.

use std::time::Instant;

use propjit::game::playout::{PlayoutProgress, RunLimits, Tally, run, runner};
use propjit::support::rng;
use propjit::{Moments, PlayoutConfig, State};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::errors::machine_error;
use crate::game::Game;
use crate::interrupt::interruptible;
use crate::records::record;

/// Plays from the initial state.
pub(crate) fn from_start<'py>(
    py: Python<'py>,
    game: &Game,
    config: &PlayoutConfig,
) -> PyResult<Bound<'py, PyAny>> {
    let (core, stop) = (game.here(py)?, game.stop());
    let progress = PlayoutProgress::default();
    let outcome = interruptible(py, &stop, || {
        run(&core, core.bulk_backend(), config, &stop, &progress)
    })?;
    let outcome = outcome.map_err(machine_error)?;
    result(py, game, &outcome.tally, outcome.time.as_secs_f64())
}

/// Plays from a state, on one thread.
pub(crate) fn from_state<'py>(
    py: Python<'py>,
    game: &Game,
    state: &State,
    count: u64,
    seed: u64,
    max_steps: u32,
) -> PyResult<Bound<'py, PyAny>> {
    game.ground("playouts from a state")?;
    let (core, stop) = (game.here(py)?, game.stop());
    let start = Instant::now();
    let tally = interruptible(py, &stop, || {
        let rng = rng::streams(seed).next().expect("streams do not end");
        let mut runner = runner(&core, core.bulk_backend(), max_steps, rng)?;
        let id = runner.queue_mut().add(state, Some(count));
        runner.play(&RunLimits::default().with_stop(stop.clone()))?;
        Ok(runner.queue().tally(id).clone())
    })?;
    let tally = tally.map_err(machine_error)?;
    result(py, game, &tally, start.elapsed().as_secs_f64())
}

fn result<'py>(
    py: Python<'py>,
    game: &Game,
    tally: &Tally,
    seconds: f64,
) -> PyResult<Bound<'py, PyAny>> {
    let goals = PyDict::new(py);
    for (name, goal) in game.role_names().into_iter().zip(&tally.goals) {
        goals.set_item(name, statistics(py, &goal.values)?)?;
    }
    record(py, "Playouts", |fields| {
        fields.set_item("count", tally.rollouts())?;
        fields.set_item("state_changes", tally.state_changes)?;
        fields.set_item("seconds", seconds)?;
        fields.set_item("lengths", statistics(py, &tally.lengths)?)?;
        fields.set_item("goals", goals)?;
        fields.set_item("truncated", tally.truncated)?;
        fields.set_item("stuck", tally.stuck)
    })
}

fn statistics<'py>(py: Python<'py>, values: &Moments) -> PyResult<Bound<'py, PyAny>> {
    record(py, "Statistics", |fields| {
        fields.set_item("count", values.count)?;
        fields.set_item("mean", values.mean())?;
        fields.set_item("standard_error", values.standard_error())
    })
}
