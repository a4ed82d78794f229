//! Background tasks of a search beside its playouts (bounds of goals, an evaluation, the values of all
//! states), and their findings.
//!
//! - `local`: the findings of provers beside the search.
//! - `planning`: the findings of a planner beside the search, in a game of one role.
//! - `solving`: the values of all states, in a game that has few.

pub(super) mod local;
pub(super) mod planning;
pub(super) mod solving;

use std::sync::Arc;

use propjit_stop::Stop;

use super::config::MctsConfig;
use super::engines::match_engines;
use super::report::SearchReport;
use super::tree::Tree;
use super::trial_match::play_search_match;
use crate::game::facts::GoalBoundsTask;
use crate::game::load::Game;
use crate::game::machine::{Backend, Move, State};
use crate::search::learned::{
    Evaluation, HeuristicConfig, HeuristicTask, Roles, TrustedEvaluation,
};
use crate::search::mcts::tree::valuation::Valuation;
use solving::Solving;

/// How many gates a circuit has if it takes seconds to find out what bounds goals.
const MANY_GATES: usize = 10_000;

/// Background tasks, each until its result is taken up.
pub(in crate::search::mcts) struct Tasks {
    /// The task that finds goal bounds.
    goal_bounds: Option<GoalBoundsTask>,
    /// The task that learns an evaluation, or goes on with that.
    heuristic: Option<HeuristicTask>,
    /// The evaluation that was learned last, whether it helps playouts or not.
    learned: Option<Arc<Evaluation>>,
    /// The enumeration of all states, if it is wanted.
    solving: Option<Solving>,
}

impl Tasks {
    /// Starts what a search is to have. All states are looked for when the search [begins](Tasks::begin).
    pub(in crate::search::mcts) fn start(
        game: &Game,
        backend: Backend,
        config: &MctsConfig,
    ) -> Tasks {
        // Learning begins before anything else that takes time.
        let heuristic = match backend {
            Backend::Compiled => start_learning(game, config),
            _ => None,
        };
        let has_several_roles = |game: &&Game| {
            let ground = game.ground_game();
            let is_in_the_open = !game.hides_information();
            is_in_the_open && ground.is_some_and(|ground| ground.roles().len() > 1)
        };
        let solvable = Some(game)
            .filter(|_| config.helpers.solve && backend != Backend::Prover)
            .filter(has_several_roles)
            .and_then(Game::engines);
        Tasks {
            goal_bounds: game.goal_bounds().cloned(),
            heuristic,
            learned: None,
            solving: solvable.map(|engines| Solving::new(engines, config.memory)),
        }
    }

    /// A search from a state begins, which goes on until a stop comes.
    pub(in crate::search::mcts) fn begin(&mut self, state: &State, stop: &Stop) {
        if let Some(solving) = &mut self.solving {
            solving.begin(state, stop);
        }
    }

    /// Whether something is still to come that changes what a search with this tree does.
    pub(in crate::search::mcts) fn are_pending(&self, tree: &Tree) -> bool {
        self.goal_bounds.is_some()
            || (self.heuristic.is_some() && tree.valuation().is_none())
            || self.solving.as_ref().is_some_and(Solving::is_pending)
    }

    /// Publishes to the tree what has been found of goals and of states since.
    pub(in crate::search::mcts) fn publish(&mut self, tree: &mut Tree) {
        if let Some(found) = self.goal_bounds.as_ref().and_then(GoalBoundsTask::found) {
            if let Some(bounds) = found {
                tree.set_goal_bounds(bounds.clone());
            }
            self.goal_bounds = None;
        }
        if let Some(values) = self.solving.as_mut().and_then(Solving::news) {
            tree.set_values(values);
        }
    }

    /// An evaluation that has been learned since, if there is one besides that of the tree. Learning goes on then, if it
    /// is to.
    pub(in crate::search::mcts) fn take_evaluation(
        &mut self,
        tree: &Tree,
        config: &MctsConfig,
    ) -> Option<Valuation> {
        let found = self.heuristic.as_ref()?.found()?;
        self.learned = self.evaluation();
        let task = self.heuristic.take();
        self.heuristic = task.and_then(|task| task.resume(config.learning.learn_on));
        let (found, used) = (found?, config.learning.evaluation?);
        let is_known = |of_tree: &Valuation| Arc::ptr_eq(&of_tree.evaluation, &found.evaluation);
        (!tree.valuation().is_some_and(is_known)).then(|| Valuation::new(found, used))
    }

    /// The evaluation that was learned last, if there is one, whether it helps playouts or not.
    pub(in crate::search::mcts) fn evaluation(&self) -> Option<Arc<Evaluation>> {
        let task = self.heuristic.as_ref();
        let found = task.and_then(HeuristicTask::evaluation);
        found.or_else(|| self.learned.clone())
    }

    /// The evaluation that helps a search with this tree, if there is one.
    pub(in crate::search::mcts) fn trusted_evaluation(
        &self,
        tree: &Tree,
    ) -> Option<TrustedEvaluation> {
        let found = self.heuristic.as_ref().and_then(HeuristicTask::found);
        found.flatten().or_else(|| {
            let of_tree = tree.valuation()?;
            Some(TrustedEvaluation {
                evaluation: of_tree.evaluation.clone(),
                trust: of_tree.trust,
            })
        })
    }

    /// Waits until an evaluation is loaded or learned, if there is to be one.
    pub(in crate::search::mcts) fn wait_for_evaluation(&self) {
        if let Some(task) = &self.heuristic {
            task.wait();
        }
    }

    /// As [`wait_for_evaluation`](Tasks::wait_for_evaluation), but not longer than until a stop comes.
    pub(in crate::search::mcts) fn wait_for_evaluation_until(&self, stop: &Stop) {
        if let Some(task) = &self.heuristic {
            task.wait_or_stop(stop);
        }
    }

    /// Learns on until a stop comes, if there is more to be learned.
    pub(in crate::search::mcts) fn learn_until(&self, stop: &Stop) {
        if let Some(task) = &self.heuristic {
            task.learn_until(stop);
        }
    }

    /// Adds to the report about a state what is known of all states; these moves are legal.
    pub(in crate::search::mcts) fn explain(
        &self,
        state: &State,
        legal: &[Move],
        report: &mut SearchReport,
    ) {
        if let Some(solving) = &self.solving {
            solving.explain(state, legal, report);
        }
    }
}

/// Starts to learn an evaluation, if there is to be one.
fn start_learning(game: &Game, config: &MctsConfig) -> Option<HeuristicTask> {
    let ground = game.ground_game()?;
    if config.learning.evaluation.is_none() || config.leaves.is_some() {
        return None;
    }
    if config.learning.learn_first
        && Roles::of(ground).is_some()
        && ground.lowered().gates() >= MANY_GATES
    {
        game.engines()?.analysis_pause().begin();
    }
    // Learning has nothing to do with the state of a match.
    let engines = match_engines(game, &config.clone().with_darkening(false));
    let learning = HeuristicConfig::default()
        .with_time(config.learning.time)
        .with_threads(config.learning.threads)
        .with_keeps(config.learning.keep)
        .with_search_matches(Some(play_search_match));
    Some(HeuristicTask::start(game, &engines?, &learning))
}
