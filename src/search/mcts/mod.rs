//! Monte Carlo tree search with batched playouts.
//!
//! A node is a state in which some role decides; forced moves and noops make no nodes. Each thread has an
//! [`Evaluator`], with which it gets all successors of a node in one call and starts playouts in many
//! leaves, a few each, which share the lanes. While they are played, the leaves count as visited but have
//! no value.
//!
//! All threads share one tree, in memory that all may change at any time, word by word. No thread waits for
//! another one, except for a moment at state lookups or when several roles decide at once.
//!
//! - `tree`: its memory, nodes and edges, and what is kept or forgotten.
//! - `walk`: descents to the next leaf, and backups of results; proofs of bounds on the way.
//! - `tasks`: background tasks beside the search.
//! - `engines`: the engines of a search, and waiting for them.
//! - `leaves`: leaves that are evaluated from outside.
//! - `trial_match`: a match between a search with an evaluation and one without.
//! - `worker`: a thread; `shared`: what the threads have in common, beside the tree.
//! - `report`, `local_report`: the result.
//! - `stress`: a test with many threads.

mod config;
mod engines;
mod leaves;
mod local_report;
mod report;
mod shared;
#[cfg(test)]
mod stress;
mod tasks;
mod tree;
mod trial_match;
mod walk;
mod worker;

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::game::engine::MatchEngines;
use crate::game::load::Game;
use crate::game::machine::{Backend, MachineError, Move, RoleId, State, check_memory};
use crate::game::playout::PlayoutProgress;
use crate::game::position::Position;
use crate::proof::unproved::Unproved;
use crate::support::rng;
use crate::support::threads::{self, ThreadError};
use propjit_stop::Stop;

use super::SearchBudget;
use crate::game::machine::expansion::successor::Successor;
use crate::search::expansion::{Evaluator, evaluator};
use crate::search::learned::{Evaluation, LearnOn, Roles, TrustedEvaluation};
pub use config::{EvaluationUse, MctsConfig};
use engines::match_engines;
pub use engines::wait_for_engines;
pub use local_report::{Forced, LocalReport, LocalTarget};
pub use report::{MinimaxPart, MoveReport, PlanReport, ProvedBy, SearchReport, StatesReport};
use shared::{Shared, Wanted};
use tasks::Tasks;
use tasks::local::LocalSearch;
use tasks::planning::Planning;
use tree::Tree;
use tree::node::Bounds;
use tree::valuation::Valuation;
pub use trial_match::play_search_match;
use worker::Worker;

/// The time between looks whether background tasks have found something.
const TASKS_INTERVAL: Duration = Duration::from_millis(50);

/// The greatest depth that a root has, so that those below it can be counted.
const MAX_DEPTH: u32 = u32::MAX / 2;

/// A search, with what it found out so far.
///
/// ```
/// # use propjit::game::load::{Game, Setup};
/// use propjit::game::machine::{Backend, RoleId};
/// use propjit::search::SearchBudget;
/// use propjit::search::mcts::{MctsConfig, Mcts};
///
/// # let rules = "(role player) (init (step 0)) (succ 0 1) (succ 1 2)
/// #     (legal player wait) (legal player go)
/// #     (<= (next (step ?m)) (true (step ?n)) (succ ?n ?m))
/// #     (<= (next gone) (does player go)) (<= (next gone) (true gone))
/// #     (<= terminal (true (step 2)))
/// #     (<= (goal player 100) (true gone)) (<= (goal player 0) (not (true gone)))";
/// # let game = Game::from_text("steps.kif", rules, &Setup::default())?;
/// let mut search = Mcts::new(&game, Backend::Scalar, MctsConfig::default())?;
/// search.run(&SearchBudget::default().with_playouts(Some(1000)))?;
/// let report = search.report(RoleId(0));
/// assert!(report.solved);
/// assert_eq!(report.value, Some(100.0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Mcts {
    config: MctsConfig,
    evaluators: Vec<Box<dyn Evaluator>>,
    tree: Tree,
    shared: Shared,
    tasks: Tasks,
    /// Whether states have the numbers of the ground game.
    is_ground: bool,
    /// The engines of the evaluators, if they are compiled.
    engines: Option<MatchEngines>,
    /// The provers beside the search, if there are any.
    local: Option<LocalSearch>,
    /// The planner beside the search, if there is one.
    planning: Option<Planning>,
    /// The state to which reports refer, and how many joint moves come before it.
    state: State,
    depth: u32,
    /// The legal moves of each role there.
    legal: Vec<Vec<Move>>,
    /// How many playouts had ended when this state became the root.
    playouts_before: u64,
    /// How long it was searched from this state.
    time: Duration,
    /// How often the threads have run.
    runs: u64,
    /// Whether room can be made in the tree when it is full.
    recycles: bool,
    /// The names of the roles.
    roles: Vec<String>,
    /// Whether roles do not see the whole state.
    hides_information: bool,
}

impl fmt::Debug for Mcts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Mcts")
            .field("config", &self.config)
            .field("depth", &self.depth)
            .finish_non_exhaustive()
    }
}

fn role_names(game: &Game) -> Vec<String> {
    let roles = game.rules().roles.iter();
    roles.map(|&role| game.rules().terms.text(role)).collect()
}

impl Mcts {
    /// A search from the initial state.
    ///
    /// # Errors
    /// When there is no such machine, or it cannot go on, as when the prover hits a limit; when
    /// the prover is to play, and leaves are to be evaluated from outside; or when the system does not give the
    /// memory.
    pub fn new(game: &Game, backend: Backend, config: MctsConfig) -> Result<Mcts, MachineError> {
        if backend == Backend::Prover && config.leaves.is_some() {
            return Err(MachineError::NotGround { backend });
        }
        check_memory("the search tree", config.memory)?;
        // A prover has its own numbers for its states and moves.
        let threads = match backend {
            Backend::Prover => 1,
            _ => config.thread_count(),
        };
        let rows = match (backend, game.engines()) {
            (Backend::Compiled, Some(engines)) => engines.row_bytes(),
            _ => 0,
        };
        check_memory(
            "all threads",
            (rows + threads::BYTES).saturating_mul(threads),
        )?;
        let streams = rng::streams(config.seed).take(threads);
        let tasks = Tasks::start(game, backend, &config);
        let engines = match backend {
            Backend::Compiled => match_engines(game, &config),
            _ => None,
        };
        let steps = config.max_steps;
        let evaluator = |rng| evaluator(game, backend, engines.as_ref(), steps, rng);
        let mut evaluators: Vec<_> = streams.map(evaluator).collect::<Result<_, _>>()?;
        let first = &mut evaluators[0];
        let state = first.initial_state()?;
        let root = first.skip_forced_moves(&state, 0)?;
        let ranges = Bounds::of_goals(first.goal_ranges());
        let random = game.random_role();
        let hides_information = game.hides_information();
        // If roles do not see the whole state, nothing follows from what could be forced in it.
        let local = engines
            .as_ref()
            .filter(|_| ranges.len() > 1 && !hides_information);
        let local =
            local.and_then(|engines| LocalSearch::start(game, engines.engines(), &config, threads));
        let plannable = game.engines().filter(|_| {
            !hides_information
                && config.helpers.plan
                && ranges.len() == 1
                && random.is_none()
                && backend != Backend::Prover
        });
        let (planning, memory) = match plannable {
            Some(engines) => {
                let (planning, left) = Planning::new(engines, &config, &state);
                (Some(planning), left)
            }
            None => (None, config.memory),
        };
        let mut tree = Tree::new(&root, ranges, random, memory);
        if let Some(local) = &local {
            tree.set_wins(local.no_wins());
        }
        if config.leaves.is_some() {
            tree.set_priors();
        }
        Ok(Mcts {
            legal: first.legal_moves(&state)?,
            tree,
            shared: Shared::default(),
            tasks,
            is_ground: backend != Backend::Prover,
            engines,
            local,
            planning,
            state,
            depth: 0,
            playouts_before: 0,
            time: Duration::ZERO,
            runs: 0,
            recycles: config.tree.recycle,
            evaluators,
            config,
            roles: role_names(game),
            hides_information,
        })
    }

    /// Searches from another state from now on, which comes after `depth` joint moves. The knowledge of it
    /// and of its successors is kept. Depths of 2^31 - 1 and more are taken for that one.
    ///
    /// # Errors
    /// When the machine cannot go on.
    pub fn set_root(&mut self, state: &State, depth: u32) -> Result<(), MachineError> {
        let depth = depth.min(MAX_DEPTH);
        let first = &mut self.evaluators[0];
        let mut best_line = self.shared.best_line.lock();
        let way = ((&self.state, self.depth), (state, depth));
        let leads = match &*best_line {
            Some(line) => line.leads(&mut **first, way.0, way.1)?,
            None => true,
        };
        if let Some(engines) = &self.engines {
            engines.enter(state);
        }
        let root = first.skip_forced_moves(state, depth)?;
        self.legal = first.legal_moves(state)?;
        if let Some(line) = best_line.take_if(|_| !leads)
            && self
                .tree
                .proven_lower_bound(&root)
                .is_none_or(|proven| proven <= line.goal)
        {
            // The tree's knowledge by the line is useless without it.
            self.tree.clear();
        }
        self.tree.set_root(&root);
        self.recycles = self.config.tree.recycle;
        if let Some(local) = &mut self.local {
            local.forget();
        }
        if let Some(line) = &*best_line {
            self.tree.raise_lower_bound(self.tree.root(), line.goal);
        }
        let is_other = (&self.state, self.depth) != (state, depth);
        if let Some(planning) = self.planning.as_mut().filter(|_| is_other) {
            planning.set_root(state, depth, best_line.as_ref().map(|line| line.goal));
        }
        drop(best_line);
        self.shared.root_statistics.lock().clear();
        (self.state, self.depth) = (state.clone(), depth);
        self.playouts_before = self.shared.playouts.rollouts();
        self.time = Duration::ZERO;
        Ok(())
    }

    /// The evaluation that was learned last, if there is one, whether it helps this search or not.
    pub(in crate::search) fn evaluation(&self) -> Option<Arc<Evaluation>> {
        self.tasks.evaluation()
    }

    /// The evaluation that helps this search, if there is one.
    pub(in crate::search) fn trusted_evaluation(&self) -> Option<TrustedEvaluation> {
        self.tasks.trusted_evaluation(&self.tree)
    }

    /// Values nodes by an evaluation from now on. The tree is rebuilt.
    ///
    /// # Errors
    /// When the machine cannot go on.
    pub(in crate::search) fn set_evaluation(
        &mut self,
        evaluation: TrustedEvaluation,
        used: EvaluationUse,
    ) -> Result<(), MachineError> {
        self.set_valuation(Valuation::new(evaluation, used))
    }

    fn set_valuation(&mut self, valuation: Valuation) -> Result<(), MachineError> {
        let root = self.root()?;
        self.tree.set_valuation(valuation, &root);
        self.shared.root_statistics.lock().clear();
        Ok(())
    }

    /// Takes up what background tasks have found, as a run does. Enumeration begins, in a part of the time until a stop
    /// comes.
    ///
    /// # Errors
    /// When the machine cannot go on.
    pub(in crate::search) fn take_findings(&mut self, stop: &Stop) -> Result<(), MachineError> {
        self.tasks.begin(&self.state, stop);
        self.tasks.publish(&mut self.tree);
        self.adopt_evaluation(true)
    }

    /// The state from which it searches, by the numbers of its backend.
    pub(in crate::search) fn state(&self) -> &State {
        &self.state
    }

    /// How long it was searched from the current state.
    pub(in crate::search) fn time(&self) -> Duration {
        self.time
    }

    /// Whether the values of all states that follow are known.
    pub(in crate::search) fn has_values(&self) -> bool {
        self.tree.has_values()
    }

    /// Waits until an evaluation is loaded or learned, if there is to be one. Searches take it up
    /// when they go on.
    pub fn wait_for_evaluation(&self) {
        self.tasks.wait_for_evaluation();
    }

    /// As [`wait_for_evaluation`](Mcts::wait_for_evaluation), but not longer than until a stop comes, and
    /// not in games with a number of roles for which there is none.
    pub fn wait_for_evaluation_until(&self, stop: &Stop) {
        if Roles::new(self.tree.ranges().len(), self.tree.random()).is_some() {
            self.tasks.wait_for_evaluation_until(stop);
        }
    }

    /// Learns on until a stop comes, if that is to be done [between searches](LearnOn::Between) and there is more to be
    /// learned.
    pub fn learn_until(&self, stop: &Stop) {
        if self.config.learning.learn_on == LearnOn::Between {
            self.tasks.learn_until(stop);
        }
    }

    /// Takes up an evaluation, if one has been learned since. The tree is rebuilt, as its values are of
    /// another kind. One that takes the place of another has to wait until a run begins.
    fn adopt_evaluation(&mut self, begins: bool) -> Result<(), MachineError> {
        if !begins && self.tree.valuation().is_some() {
            return Ok(());
        }
        let Some(valuation) = self.tasks.take_evaluation(&self.tree, &self.config) else {
            return Ok(());
        };
        self.set_valuation(valuation)?;
        if let Some(local) = &mut self.local {
            local.forget();
            local.set_share(self.config.prover_share(self.evaluators.len(), true));
        }
        Ok(())
    }

    /// Searches from the state in which exactly these propositions hold, as
    /// [`set_root`](Mcts::set_root) does. This is how a state comes from another machine,
    /// of any backend.
    ///
    /// # Errors
    /// [`MachineError::UnknownName`] if one is not a proposition of the game, or when the
    /// machine cannot go on.
    pub fn set_root_fluents(
        &mut self,
        fluents: &[impl AsRef<str>],
        depth: u32,
    ) -> Result<(), MachineError> {
        let fluents: Vec<&str> = fluents.iter().map(AsRef::as_ref).collect();
        let state = self.evaluators[0].parse_state(&fluents)?;
        self.set_root(&state, depth)
    }

    /// Searches from a position of the game, as [`set_root`](Mcts::set_root) does.
    ///
    /// # Errors
    /// When the machine cannot go on.
    pub fn set_position(&mut self, position: &Position, depth: u32) -> Result<(), MachineError> {
        match position.ground_state().filter(|_| self.is_ground) {
            Some(state) => self.set_root(state, depth),
            None => self.set_root_fluents(&position.fluents(), depth),
        }
    }

    /// The canonical text of a move in a report.
    pub fn move_text(&mut self, role: RoleId, played: Move) -> String {
        // If evaluators differ in the numbers of moves, there is only one.
        self.evaluators[0].move_text(role, played)
    }

    /// Sets what ends questions to the prover, if it evaluates the game, until the next
    /// [`run`](Mcts::run) is over.
    pub fn set_stop(&mut self, stop: &Stop) {
        for evaluator in &mut self.evaluators {
            evaluator.set_stop(stop);
        }
    }

    /// Searches until the budget is spent, or the root is solved .
    ///
    /// # Errors
    /// When a machine cannot go on, or a thread cannot be started.
    pub fn run(&mut self, budget: &SearchBudget) -> Result<(), MachineError> {
        let start = Instant::now();
        let more = |count: Option<u64>, now: u64| count.map(|count| now.saturating_add(count));
        let wanted = Wanted {
            playouts: more(budget.playouts, self.shared.playouts_and_spared()),
            nodes: more(budget.nodes, self.tree.made()),
        };
        if let Some(engines) = &self.engines {
            engines.advance(&self.state, budget.stop.deadline());
        }
        if let Some(planning) = &self.planning {
            planning.resume();
        }
        self.tasks.begin(&self.state, &budget.stop);
        let mut begins = true;
        let mut interval = TASKS_INTERVAL;
        let result = loop {
            self.tasks.publish(&mut self.tree);
            if let Err(error) = self.adopt_evaluation(std::mem::take(&mut begins)) {
                break Err(error);
            }
            let left = budget.stop.remaining().unwrap_or(Duration::MAX);
            let is_waiting = self.tasks.are_pending(&self.tree);
            let is_last = !is_waiting || left <= interval;
            let slice = if is_last { left } else { interval };
            let begin = Instant::now();
            let result = self.run_for(slice, wanted, &budget.stop);
            // If a batch of playouts takes longer, threads should not wait for each other after each.
            interval = interval.max(begin.elapsed() / 2);
            let goes_on = result.is_ok() && !budget.stop.is_set() && !self.is_done(wanted);
            if goes_on && self.tree.is_full() && self.recycles {
                // If no room can be made, playouts go on in the tree as it is.
                self.recycle(&budget.stop);
                continue;
            }
            let resists = match result.is_ok() && !budget.stop.is_set() {
                true => self.restart_without_proofs(),
                false => Ok(false),
            };
            let result = match resists {
                Ok(true) => continue,
                Ok(false) => result,
                Err(error) => Err(error),
            };
            if result.is_err() || is_last || budget.stop.is_set() || self.is_done(wanted) {
                break result;
            }
        };
        if let Some(engines) = &self.engines {
            engines.note_playouts(self.shared.take_playing());
        }
        if let Some(planning) = &self.planning {
            planning.pause();
        }
        self.set_stop(&Stop::new());
        self.time += start.elapsed();
        result
    }

    /// If all is lost by the findings of provers, which opponents may not know, restarts without them: the
    /// search is for the move after which opponents are likeliest to err. Returns whether it does.
    ///
    /// # Errors
    /// When the machine cannot go on.
    fn restart_without_proofs(&mut self) -> Result<bool, MachineError> {
        let tree = &self.tree;
        // If all states are known, the longest resistance is known, too.
        let is_lost = tree.is_lost() && tree.uses_proofs() && !tree.has_values();
        if self.local.is_none() || !is_lost {
            return Ok(false);
        }
        let (root, before) = (self.root()?, self.tree.root());
        self.tree.begin_without_proofs(&root);
        if let Some(local) = &mut self.local {
            local.renew(before, self.tree.root());
        }
        self.shared.root_statistics.lock().clear();
        Ok(true)
    }

    /// Makes room in the tree, if it can.
    fn recycle(&mut self, stop: &Stop) {
        self.recycles = self.tree.recycle(stop);
        if let Some(local) = self.local.as_mut().filter(|_| self.recycles) {
            local.renew(self.tree.root(), self.tree.root());
        }
    }

    /// Returns the root of the tree: the first state from the current one on in which some role decides.
    fn root(&mut self) -> Result<Successor, MachineError> {
        self.evaluators[0].skip_forced_moves(&self.state, self.depth)
    }

    /// Searches for a time with all threads. Evaluations under way then come to their ends, unless a stop
    /// comes.
    fn run_for(&mut self, time: Duration, wanted: Wanted, stop: &Stop) -> Result<(), MachineError> {
        let (shared, tree, config) = (&self.shared, &self.tree, &self.config);
        let (local, planning) = (&mut self.local, &self.planning);
        let recycles = self.recycles;
        self.runs += 1;
        // The evaluators have the first streams of the seed itself.
        let streams = rng::streams(!config.seed.wrapping_add(self.runs));
        let streams = streams.zip(&mut self.evaluators);
        let stop = &stop.by(None);
        let slice = &stop.within(time);
        let is_done = &stop.by(None);
        std::thread::scope(|scope| {
            if let Some(local) = local {
                let run = || local.run(tree, is_done);
                threads::or_without(threads::start_scoped(scope, "local", run));
            }
            if let Some(planning) = planning {
                let run = || planning.run(tree, shared, is_done);
                threads::or_without(threads::start_scoped(scope, "planning", run));
            }
            let workers: Vec<_> = streams
                .map(|(rng, evaluator)| {
                    let worker = Worker::new(shared, tree, config, &mut **evaluator, rng, recycles);
                    let run = move || worker.run(stop, slice, wanted).inspect_err(|_| stop.set());
                    let started = threads::start_scoped(scope, "search", run);
                    started.inspect_err(|_| stop.set())
                })
                .collect();
            let joined = workers.into_iter().map(|thread| Ok(thread?.join()));
            let joined: Vec<Result<_, ThreadError>> = joined.collect();
            is_done.set();
            joined.into_iter().try_for_each(|joined| {
                joined?.unwrap_or_else(|panic| std::panic::resume_unwind(panic))
            })
        })
    }

    /// Whether there is nothing more to do.
    fn is_done(&self, wanted: Wanted) -> bool {
        self.shared.is_done(wanted, &self.tree, self.recycles)
    }

    /// The result so far, for one of the roles.
    pub fn report(&self, role: RoleId) -> SearchReport {
        let playouts = self.shared.playouts.rollouts() - self.playouts_before;
        let (tree, legal) = (&self.tree, &self.legal[role.index()]);
        let root_statistics = self.shared.root_statistics.lock();
        let best_line = self.shared.best_line.lock();
        let mut report =
            SearchReport::new(tree, &root_statistics, role, legal, playouts, self.time);
        if let Some(line) = &*best_line {
            report.prefer(line, tree.node(tree.root()).meta().depth());
        }
        if let Some(local) = &self.local {
            local.explain(tree, self.depth, &mut report);
        }
        if let Some(planning) = &self.planning {
            planning.explain(&mut report);
        }
        self.tasks.explain(&self.state, legal, &mut report);
        report.add_unproved(self.unproved());
        report
    }

    /// Returns what keeps values from being proved, if that was seen.
    fn unproved(&self) -> Vec<Unproved> {
        let ends = self.tree.open_ends();
        let is_set = |flag: &AtomicBool| flag.load(Ordering::Relaxed);
        let undefined = self.roles.iter().zip(&ends.goals);
        let undefined = undefined.filter(|(_, is_undefined)| is_set(is_undefined));
        let undefined = undefined.map(|(role, _)| Unproved::UndefinedGoal { role: role.clone() });
        let steps = u64::from(self.config.max_steps);
        let others = [
            (self.hides_information, Unproved::HiddenInformation),
            (is_set(&ends.stuck), Unproved::Stuck),
            (is_set(&ends.cut), Unproved::StepLimit { steps }),
        ];
        let others = others.into_iter().filter(|(is_so, _)| *is_so);
        undefined.chain(others.map(|(_, why)| why)).collect()
    }

    /// How many playouts have ended, as the search goes on; those from earlier roots count
    /// too.
    pub fn progress(&self) -> PlayoutProgress {
        self.shared.playouts.clone()
    }
}
