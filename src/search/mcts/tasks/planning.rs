//! Planning beside the search, in a game of one role: the findings of a [planner](crate::proof::plan) about
//! the root.

use std::sync::Arc;
use std::time::Duration;

use propjit_stop::Stop;

use crate::game::engine::Engines;
use crate::game::machine::{RoleId, State};
use crate::proof::plan::{PlanLimits, PlanMethod, Planner};
use crate::proof::unproved::Unproved;
use crate::search::mcts::config::MctsConfig;
use crate::search::mcts::report::PlanReport;
use crate::search::mcts::report::{ProvedBy, SearchReport};
use crate::search::mcts::shared::Shared;
use crate::search::mcts::tree::Tree;
use crate::search::mcts::tree::node::Bounds;
use crate::search::mcts::walk::best_line::BestLine;

/// The reciprocal of the part of the search's memory that the planner has.
const MEMORY_PART: usize = 4;

/// A planner, and where its plans start.
#[derive(Debug)]
pub(in crate::search::mcts) struct Planning {
    engines: Arc<Engines>,
    planner: Planner,
    /// The number of joint moves before the state from which it plans.
    depth: u32,
    /// From the start of a match.
    limits: PlanLimits,
}

impl Planning {
    /// Gets ready to plan from a state. Also gives the memory that is left for the search.
    pub(in crate::search::mcts) fn new(
        engines: &Arc<Engines>,
        config: &MctsConfig,
        state: &State,
    ) -> (Planning, usize) {
        let memory = config.memory / MEMORY_PART;
        let limits = PlanLimits::default()
            .with_memory(memory)
            .with_steps(config.max_steps as usize);
        let planning = Planning {
            engines: engines.clone(),
            planner: Planner::start(engines, state, limits.clone()),
            depth: 0,
            limits,
        };
        (planning, config.memory - memory)
    }

    /// Lets the planner work.
    pub(in crate::search::mcts) fn resume(&self) {
        self.planner.resume();
    }

    /// Stops the planner for now.
    pub(in crate::search::mcts) fn pause(&self) {
        self.planner.pause();
    }

    /// Plans from another state, which comes after `depth` joint moves. If it is on the best line,
    /// what is known still holds; `goal` is the goal to which that leads.
    pub(in crate::search::mcts) fn set_root(
        &mut self,
        state: &State,
        depth: u32,
        goal: Option<f32>,
    ) {
        let known = self.planner.known();
        if goal.is_some() && known.is_solved() {
            // The line is played to its end.
            return;
        }
        let left = self.limits.steps.saturating_sub(depth as usize);
        let limits = self.limits.clone().with_steps(left);
        self.planner = Planner::start(&self.engines, state, limits);
        self.depth = depth;
        if let Some(goal) = goal {
            self.planner.limit(goal as i32, known.high);
        }
    }

    /// Publishes findings to the tree, until a stop comes.
    pub(in crate::search::mcts) fn run(&self, tree: &Tree, shared: &Shared, stop: &Stop) {
        while !stop.is_set() {
            self.take_over(tree, shared);
            if self.planner.known().is_solved() {
                return;
            }
            // Not longer than a stop may wait.
            self.planner.wait(Duration::from_millis(5));
        }
        self.take_over(tree, shared);
    }

    /// Takes over what is known.
    fn take_over(&self, tree: &Tree, shared: &Shared) {
        let known = self.planner.known();
        let root = tree.root();
        if let Some((plan, _)) = &known.plan {
            let line = BestLine::planned(plan, self.depth);
            if let Some(goal) = shared.improve(line) {
                tree.raise_lower_bound(root, goal);
            }
        }
        let Bounds { low, .. } = tree.ranges()[0];
        let high = known.high as f32;
        tree.node(root).narrow(RoleId(0), Bounds { low, high });
        let best = shared.best_line.lock().as_ref().map(|line| line.goal);
        if let Some(goal) = best.filter(|&goal| goal > known.low as f32) {
            // A playout was better.
            self.planner.limit(goal as i32, known.high);
        }
    }

    /// Adds to the report what is known of the root.
    pub(in crate::search::mcts) fn explain(&self, report: &mut SearchReport) {
        let known = self.planner.known();
        for played in &mut report.moves {
            let (low, high) = &mut played.bounds;
            *high = high.min(f64::from(known.high)).max(*low);
        }
        let found = known.plan.as_ref().map(|(_, method)| *method);
        // The harder part is that there is nothing better, unless that is clear from the start.
        if let Some(method) = known.proof.or(found)
            && known.is_solved()
            && report.solved
        {
            report.proved_by = Some(match method {
                PlanMethod::Search => ProvedBy::Plan,
                PlanMethod::Satisfiability => ProvedBy::Satisfiability,
                PlanMethod::Parts => ProvedBy::Parts,
            });
        }
        let unproved = known.unproved.into_iter().map(|why| match why {
            // The rest of the limit depends on the state that it plans from.
            Unproved::StepLimit { .. } => Unproved::StepLimit {
                steps: self.limits.steps as u64,
            },
            why => why,
        });
        report.unproved.extend(unproved);
        report.plan = Some(PlanReport {
            range: (known.low, known.high),
            found: known.plan.map(|(plan, method)| (plan.moves.len(), method)),
            proof: known.proof,
            progress: known.progress,
        });
    }
}
