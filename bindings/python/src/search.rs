//! Monte Carlo tree search.

use std::process;
use std::sync::{Mutex, MutexGuard, TryLockError};

use propjit::search::mcts::{EvaluationUse, MoveReport};
use propjit::{Mcts, MctsConfig, RoleId, SearchBudget};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::arrays::ObservationForm;
use crate::errors::{check_threads, in_use, left_behind, machine_error, not_ground};
use crate::evaluation::Functions;
use crate::game::{Game, RoleName, duration};
use crate::interrupt::interruptible;
use crate::records::record;
use crate::state::State;

/// A Monte Carlo tree search, with its results so far.
///
/// It starts at the initial state of a game or at any other state; each `run` adds to the results.
///
/// >>> from propjit import Game, Search
/// >>> search = Search(Game.named("ticTacToe"))
/// >>> search.run(playouts=2_000_000)
/// >>> report = search.report("x")
/// >>> report.solved, report.value
/// (True, 50.0)
#[pyclass(frozen, module = "propjit")]
pub(crate) struct Search {
    game: Py<Game>,
    search: Mutex<Mcts>,
    /// The process in which it was made.
    process: u32,
}

/// The start of a search.
#[derive(FromPyObject)]
enum Start<'py> {
    Game(Bound<'py, Game>),
    State(Bound<'py, State>),
}

/// The evaluation of states.
#[derive(FromPyObject)]
enum Evaluation {
    /// Whether it is one that is learned here.
    Learned(bool),
    Function(Py<PyAny>),
}

impl Search {
    /// The search, if no other thread is using it.
    ///
    /// # Errors
    /// If one is; or in a process that was forked since, which does not have the search's threads.
    fn lock(&self) -> PyResult<MutexGuard<'_, Mcts>> {
        if self.process != process::id() {
            return Err(left_behind(self.process));
        }
        self.search.try_lock().or_else(|error| match error {
            TryLockError::Poisoned(poisoned) => Ok(poisoned.into_inner()),
            TryLockError::WouldBlock => Err(in_use("search")),
        })
    }
}

#[pymethods]
impl Search {
    /// With `evaluation=True`, the game first learns an evaluation of states by itself, if it is one of two
    /// to four roles; with `local`, a prover looks for forced wins on another thread, in games of two roles in turn.
    /// `memory` is in bytes.
    ///
    /// `evaluation` may also be a function, and `policy`, too: they get arrays about up to `batch`
    /// positions in which a player has a choice, as `VectorEnv` has them: `observation` (in the form
    /// of that name), `legal_action_mask` and `current_player`. An evaluation returns the goals that
    /// players can expect, `(n, players)`, or a tuple of these and logits of the actions. A policy
    /// returns logits of the actions, in the shape of the mask. Their softmax is the prior
    /// probability of moves in the tree; and without an evaluation, moves of playouts are drawn from
    /// it. Proved values take precedence over those of functions.
    ///
    /// >>> import numpy as np
    /// >>> from propjit import Game, Search
    /// >>> def evaluation(observation, legal_action_mask, current_player):
    /// ...     return np.full((len(observation), 2), 50.0)
    /// >>> search = Search(Game.named("ticTacToe"), evaluation=evaluation, batch=64)
    /// >>> search.run(playouts=1000)
    /// >>> search.report("x").value
    /// 50.0
    #[new]
    #[pyo3(signature = (
        start, *, threads=1, seed=0, memory=1 << 30, exploration=None, evaluation=None,
        policy=None, batch=256, observation="bool", joint=None, local=false, max_steps=10_000,
    ))]
    #[expect(clippy::too_many_arguments, reason = "keyword arguments")]
    fn new(
        py: Python<'_>,
        start: Start<'_>,
        threads: usize,
        seed: u64,
        memory: usize,
        exploration: Option<f32>,
        evaluation: Option<Evaluation>,
        policy: Option<Py<PyAny>>,
        batch: usize,
        observation: &str,
        joint: Option<bool>,
        local: bool,
        max_steps: u32,
    ) -> PyResult<Search> {
        let (game, state) = match start {
            Start::Game(game) => (game.unbind(), None),
            Start::State(state) => (state.get().game_of().clone_ref(py), Some(state)),
        };
        let config = MctsConfig::default()
            .with_threads(check_threads(threads)?)
            .with_seed(seed)
            .with_memory(memory)
            .with_exploration(exploration)
            .with_local(local)
            .with_max_steps(max_steps);
        let core = game.get().here(py)?;
        let (learned, evaluation) = match evaluation {
            Some(Evaluation::Learned(learned)) => (learned, None),
            Some(Evaluation::Function(evaluation)) => (false, Some(evaluation)),
            None => (false, None),
        };
        let form = ObservationForm::parse(observation)?;
        let functions = Functions::new(evaluation, policy, learned)?;
        let leaves = functions.map(|functions| {
            let engines = core.engines();
            let engines = engines.ok_or_else(|| not_ground("evaluations by functions"))?;
            let stop = game.get().stop();
            functions.leaf_evaluation(py, engines, form, joint, batch, &stop)
        });
        let config = config
            .with_evaluation(learned.then(EvaluationUse::default))
            .with_leaves(leaves.transpose()?);
        let search = py.detach(|| Mcts::new(&core, core.bulk_backend(), config));
        let search = Search {
            search: Mutex::new(search.map_err(machine_error)?),
            process: process::id(),
            game,
        };
        if let Some(state) = state {
            search.set_root(py, &state, 0)?;
        }
        Ok(search)
    }

    /// Searches until a part of the budget is spent or the value of the root is proved: `seconds`,
    /// the given number of further `playouts`, or of further `nodes`.
    #[pyo3(signature = (seconds=None, *, playouts=None, nodes=None))]
    fn run(
        &self,
        py: Python<'_>,
        seconds: Option<f64>,
        playouts: Option<u64>,
        nodes: Option<u64>,
    ) -> PyResult<()> {
        if seconds.is_none() && playouts.is_none() && nodes.is_none() {
            let message = "one of `seconds`, `playouts` and `nodes` is needed";
            return Err(PyTypeError::new_err(message));
        }
        let time = seconds.map(duration).transpose()?;
        let stop = self.game.get().stop();
        let part = match time {
            Some(time) => stop.within(time),
            None => stop.clone(),
        };
        let budget = SearchBudget::default()
            .with_playouts(playouts)
            .with_nodes(nodes)
            .with_stop(part);
        let mut search = self.lock()?;
        let search = &mut *search;
        interruptible(py, &stop, || {
            search.set_stop(&stop);
            search.run(&budget)
        })?
        .map_err(machine_error)
    }

    /// Searches from another state from now on, which comes after `depth` joint moves. Results
    /// about it and its successors are kept.
    #[pyo3(signature = (state, depth=0))]
    fn set_root(&self, py: Python<'_>, state: &Bound<'_, State>, depth: u32) -> PyResult<()> {
        let fluents: Vec<String> = state.getattr("fluents")?.extract()?;
        let mut search = self.lock()?;
        let search = &mut *search;
        let set = py.detach(|| search.set_root_fluents(&fluents, depth));
        set.map_err(machine_error)
    }

    /// The results so far, for one role.
    fn report<'py>(&self, py: Python<'py>, role: RoleName) -> PyResult<Bound<'py, PyAny>> {
        let game = self.game.get();
        let role = game.role(&role)?;
        let names = game.role_names();
        let mut search = self.lock()?;
        let report = search.report(role);
        let moves = report.moves.iter();
        let moves = moves.map(|played| move_report(py, &mut search, &names, role, played));
        let moves = PyTuple::new(py, moves.collect::<PyResult<Vec<_>>>()?)?;
        let best = report.best.map(|best| search.move_text(role, best));
        record(py, "SearchReport", |fields| {
            fields.set_item("role", &names[role.index()])?;
            fields.set_item("best", best)?;
            fields.set_item("value", report.value)?;
            fields.set_item("range", report.range)?;
            fields.set_item("solved", report.solved)?;
            let unproved = report.unproved.iter().map(ToString::to_string);
            fields.set_item("unproved", PyTuple::new(py, unproved)?)?;
            fields.set_item("nodes", report.nodes)?;
            fields.set_item("playouts", report.playouts)?;
            fields.set_item("seconds", report.time.as_secs_f64())?;
            fields.set_item("moves", moves)
        })
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let game = self.game.bind(py).repr()?;
        Ok(format!("<Search of {game}>"))
    }
}

fn move_report<'py>(
    py: Python<'py>,
    search: &mut Mcts,
    names: &[String],
    role: RoleId,
    report: &MoveReport,
) -> PyResult<Bound<'py, PyAny>> {
    let line = report.line.iter().map(|&(role, played)| {
        let text = search.move_text(role, played);
        (names[role.index()].clone(), text)
    });
    let line = PyTuple::new(py, line.collect::<Vec<_>>())?;
    record(py, "MoveReport", |fields| {
        fields.set_item("move", search.move_text(role, report.played))?;
        fields.set_item("visits", report.visits)?;
        fields.set_item("value", report.value)?;
        fields.set_item("standard_error", report.error)?;
        fields.set_item("bounds", report.bounds)?;
        fields.set_item("line", line)
    })
}
