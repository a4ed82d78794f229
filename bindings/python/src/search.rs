//! Searches for the best move.

use std::process;
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};

use propjit::game::environment::{EnvironmentConfig, Observed};
use propjit::search::chooser::{Search as Core, SearchConfig, SearchKind, learning_time};
use propjit::search::mcts::{EvaluationUse, MoveReport};
use propjit::support::rng::random_seed;
use propjit::{RoleId, SearchBudget};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

use crate::arrays::ObservationType;
use crate::errors::{check_threads, in_use, left_behind, machine_error, not_ground, wrong_type};
use crate::evaluation::Functions;
use crate::game::{Game, RoleName, duration};
use crate::interrupt::interruptible;
use crate::numbers::Number;
use crate::observations::{ObservationName, Observations};
use crate::records::record;
use crate::state::State;
use crate::vector::parse_rewards;

/// A search for the best move, with its results so far.
///
/// It starts at the initial state of a game or at any other state; each `run` adds to the results.
///
/// >>> from propjit import Game, Search
/// >>> search = Search(Game.named("ticTacToe"))
/// >>> search.run(playouts=2_000_000)
/// >>> report = search.report("x")
/// >>> report.solved, report.value
/// (True, 50.0)
///
/// Without a seed, all that helps is used: `search="auto"` chooses between tree search and minimax by earlier trial
/// matches of the game; with `evaluation`, the game first learns an evaluation of states by itself, if it is one of two
/// to four roles, which is kept for later searches; with `local`, a prover looks for forced wins beside the search, in
/// games of two roles in turn. With a seed, there is tree search by playouts alone, so that the same budget of
/// playouts gives the same results, unless more is asked for: by `evaluation`, `local`, or `search="minimax"`, which
/// searches on a learned evaluation in games of two roles in turn. `memory` is in bytes.
///
/// `evaluation` may also be a function, and `policy`, too: they get arrays about up to `batch`
/// positions in which a player has a choice, as `VectorEnv` has them: `observation` (according to `observation` and
/// `dtype`), `legal_action_mask` and `current_player`. An evaluation returns the rewards that
/// players can expect, `(n, players)`, of the kind that `VectorEnv` has (from -1 to 1 in games of two players whose
/// goals always have the same sum, and goals in others, or what `rewards` says), or a tuple of these and logits of the actions. A policy
/// returns logits of the actions, in the shape of the mask. Their softmax is the prior
/// probability of moves in the tree; and without an evaluation, moves of playouts are drawn from
/// it. Proved values take precedence over those of functions.
///
/// >>> import numpy as np
/// >>> from propjit import Game, Search
/// >>> def evaluation(observation, legal_action_mask, current_player):
/// ...     return np.zeros((len(observation), 2))
/// >>> search = Search(Game.named("ticTacToe"), evaluation=evaluation, batch=64)
/// >>> search.run(playouts=1000)
/// >>> 40 < search.report("x").value < 60
/// True
#[pyclass(frozen, module = "propjit")]
pub(crate) struct Search {
    game: Py<Game>,
    search: Mutex<Core>,
    /// The process in which it was made.
    process: u32,
    /// What it was made with: the keyword arguments.
    options: Py<PyDict>,
    /// The root, and the number of joint moves before it.
    root: Mutex<(Py<State>, u32)>,
}

/// The parts of a pickled search: its root, the number of joint moves before it, and keyword arguments.
type Restored = (Py<State>, u32, Py<PyDict>);

/// The start of a search.
enum Start<'py> {
    Game(Bound<'py, Game>),
    State(Bound<'py, State>),
}

impl<'py> FromPyObject<'_, 'py> for Start<'py> {
    type Error = PyErr;

    fn extract(given: Borrowed<'_, 'py, PyAny>) -> PyResult<Start<'py>> {
        match (given.extract(), given.extract()) {
            (Ok(game), _) => Ok(Start::Game(game)),
            (_, Ok(state)) => Ok(Start::State(state)),
            _ => Err(wrong_type("a game or a state", given)),
        }
    }
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
    fn lock(&self) -> PyResult<MutexGuard<'_, Core>> {
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
    #[new]
    #[pyo3(signature = (
        start, *, search=None, threads=Number(Some(1)), seed=None, memory=Number(Some(1 << 30)), exploration=None,
        evaluation=None, policy=None, batch=Number(Some(256)), observation=None, dtype=ObservationType::Bool, rewards=None, joint=None,
        local=None, max_steps=Number(Some(10_000)),
    ))]
    #[pyo3(
        text_signature = "(start, *, search=None, threads=1, seed=None, memory=1 << 30, exploration=None, \
        evaluation=None, policy=None, batch=256, observation=None, dtype=\"bool\", rewards=None, joint=None, \
        local=None, max_steps=10_000)"
    )]
    #[expect(clippy::too_many_arguments, reason = "keyword arguments")]
    fn new(
        py: Python<'_>,
        start: Start<'_>,
        search: Option<&str>,
        threads: Number,
        seed: Option<Number>,
        memory: Number,
        exploration: Option<f32>,
        evaluation: Option<Bound<'_, PyAny>>,
        policy: Option<Bound<'_, PyAny>>,
        batch: Number,
        observation: Option<Bound<'_, PyAny>>,
        dtype: ObservationType,
        rewards: Option<&str>,
        joint: Option<bool>,
        local: Option<bool>,
        max_steps: Number,
    ) -> PyResult<Search> {
        let threads = check_threads(threads.at_least("threads", 1)?)?;
        let seed: Option<u64> = seed.map(|seed| seed.at_least("seed", 0)).transpose()?;
        let memory: usize = memory.at_least("memory", 1)?;
        let batch: usize = batch.at_least("batch", 1)?;
        let max_steps: u32 = max_steps.at_least("max_steps", 1)?;
        if exploration.is_some_and(|constant| !(constant.is_finite() && constant >= 0.0)) {
            let message = "`exploration` must be a finite number, at least 0";
            return Err(PyValueError::new_err(message));
        }
        let (game, state) = match start {
            Start::Game(game) => (game.unbind(), None),
            Start::State(state) => (state.get().game_of().clone_ref(py), Some(state)),
        };
        let options = PyDict::new(py);
        options.set_item("search", search)?;
        options.set_item("threads", threads)?;
        options.set_item("seed", seed)?;
        options.set_item("memory", memory)?;
        options.set_item("exploration", exploration)?;
        options.set_item("evaluation", &evaluation)?;
        options.set_item("policy", &policy)?;
        options.set_item("batch", batch)?;
        options.set_item("observation", &observation)?;
        options.set_item("dtype", dtype.name())?;
        options.set_item("rewards", rewards)?;
        options.set_item("joint", joint)?;
        options.set_item("local", local)?;
        options.set_item("max_steps", max_steps)?;
        let evaluation = evaluation
            .map(|given| given.extract::<Evaluation>())
            .transpose()?;
        let policy = policy.map(Bound::unbind);
        let observation = observation
            .map(|given| given.extract::<ObservationName>())
            .transpose()?;
        // Nothing beside playouts, unless it is asked for.
        let has_functions = policy.is_some() || matches!(evaluation, Some(Evaluation::Function(_)));
        let base = match seed.is_some() || has_functions {
            true => SearchConfig::plain(),
            false => SearchConfig::default(),
        };
        let kind = match search {
            None => base.kind,
            Some(name) => name.parse().map_err(|()| {
                let message = format!("`search` is one of mcts, minimax and auto, not {name:?}");
                PyValueError::new_err(message)
            })?,
        };
        let uses_proofs = local.unwrap_or(base.mcts.helpers.local);
        let config = (base.mcts)
            .with_threads(threads)
            .with_seed(seed.unwrap_or_else(random_seed))
            .with_keep(seed.is_none())
            .with_memory(memory)
            .with_exploration(exploration)
            .with_local(uses_proofs)
            .with_max_steps(max_steps);
        let core = game.get().here(py)?;
        let (learned, evaluation) = match evaluation {
            Some(Evaluation::Learned(learned)) => (learned, None),
            Some(Evaluation::Function(evaluation)) => (false, Some(evaluation)),
            None => (
                !has_functions && (seed.is_none() || kind != SearchKind::Mcts),
                None,
            ),
        };
        let functions = Functions::new(evaluation, policy, learned)?;
        let leaves = functions.map(|functions| {
            let engines = core.engines();
            let engines = engines.ok_or_else(|| not_ground("evaluations by functions"))?;
            let observations = Observations::find(py, &game, observation)?;
            if observations.observed == Observed::Percepts {
                let message =
                    "this game hides information: its states cannot be evaluated by functions";
                return Err(PyValueError::new_err(message));
            }
            let config = EnvironmentConfig::default()
                .with_joint(joint)
                .with_rewards(rewards.map(parse_rewards).transpose()?)
                .with_stop(game.get().stop());
            functions.leaf_evaluation(py, engines, dtype, &observations, config, batch)
        });
        let config = config
            .with_evaluation(learned.then(EvaluationUse::default))
            .with_leaves(leaves.transpose()?);
        let config = SearchConfig::default().with_kind(kind).with_mcts(config);
        let search = py.detach(|| Core::new(&core, core.bulk_backend(), config));
        let initial = Game::initial(game.bind(py).clone());
        let search = Search {
            search: Mutex::new(search.map_err(machine_error)?),
            process: process::id(),
            options: options.unbind(),
            root: Mutex::new((Py::new(py, initial)?, 0)),
            game,
        };
        if let Some(state) = state {
            search.set_root(py, &state, Number(Some(0)))?;
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
        playouts: Option<Number>,
        nodes: Option<Number>,
    ) -> PyResult<()> {
        if seconds.is_none() && playouts.is_none() && nodes.is_none() {
            let message = "one of `seconds`, `playouts` and `nodes` is needed";
            return Err(PyTypeError::new_err(message));
        }
        let time = seconds.map(duration).transpose()?;
        let count =
            |given: Option<Number>, name| given.map(|one| one.at_least(name, 0)).transpose();
        let (playouts, nodes) = (count(playouts, "playouts")?, count(nodes, "nodes")?);
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
            if let Some(time) = time {
                search.wait_until(&budget.stop.within(learning_time(time)));
            }
            search.set_stop(&stop);
            search.run(&budget)
        })?
        .map_err(machine_error)
    }

    /// Searches from another state from now on, which comes after `depth` joint moves. Results
    /// about it and its successors are kept.
    #[pyo3(signature = (state, depth=Number(Some(0))))]
    #[pyo3(text_signature = "($self, state, depth=0)")]
    fn set_root(&self, py: Python<'_>, state: &Bound<'_, State>, depth: Number) -> PyResult<()> {
        let depth = depth.at_least("depth", 0)?;
        state.get().of_game(py, &self.game)?;
        let fluents: Vec<String> = state.getattr("fluents")?.extract()?;
        let mut search = self.lock()?;
        let search = &mut *search;
        let set = py.detach(|| search.set_root_fluents(&fluents, depth));
        set.map_err(machine_error)?;
        *self.root.lock().unwrap_or_else(PoisonError::into_inner) = (state.clone().unbind(), depth);
        Ok(())
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
            fields.set_item("depth", report.minimax.map(|minimax| minimax.depth))?;
            fields.set_item("seconds", report.time.as_secs_f64())?;
            fields.set_item("moves", moves)
        })
    }

    /// A copy has the same root and settings, and begins its search there: what was found out is not copied.
    fn __reduce__<'py>(this: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, Restored)> {
        let (py, search) = (this.py(), this.get());
        let root = search.root.lock().unwrap_or_else(PoisonError::into_inner);
        let restored = (root.0.clone_ref(py), root.1, search.options.clone_ref(py));
        Ok((this.get_type().getattr("_restore")?, restored))
    }

    #[staticmethod]
    fn _restore(
        py: Python<'_>,
        root: &Bound<'_, State>,
        depth: u32,
        options: &Bound<'_, PyDict>,
    ) -> PyResult<Py<Search>> {
        let search = py.get_type::<Search>().call((root,), Some(options))?;
        let search = search.cast_into::<Search>()?;
        search
            .get()
            .set_root(py, root, Number(Some(depth.into())))?;
        Ok(search.unbind())
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let game = self.game.bind(py).repr()?;
        Ok(format!("<Search of {game}>"))
    }
}

fn move_report<'py>(
    py: Python<'py>,
    search: &mut Core,
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
        fields.set_item("is_upper_bound", report.is_upper_bound)?;
        fields.set_item("standard_error", report.error)?;
        fields.set_item("bounds", report.bounds)?;
        fields.set_item("line", line)
    })
}
