//! The findings of planners so far, shared by all of them.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use parking_lot::{Condvar, Mutex};
use propjit_stop::Stop;
use serde::Serialize;

use crate::game::engine::Engines;
use crate::game::facts::find_defined_ends;
use crate::game::machine::Move;
use crate::proof::unproved::Unproved;

use super::{PARTS, ROLE};

/// A match from the root to its end.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Plan {
    /// The goal of the role.
    pub goal: i32,
    /// The moves, from the root on.
    pub moves: Vec<Move>,
}

/// By what something was found out.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum PlanMethod {
    /// Search through states, a layer after the other.
    Search,
    /// A SAT solver, for this number of steps.
    Satisfiability,
    /// Search through the states of each [factor](crate::proof::factors), and their combinations.
    Parts,
}

/// The known goals that the role can get from the root on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Known {
    /// The role can get at least this.
    pub low: i32,
    /// A match in which the role gets that, and the method that found it. There may be none for the least
    /// goal, and if the value is known from another source.
    pub plan: Option<(Plan, PlanMethod)>,
    /// It cannot get more than this.
    pub high: i32,
    /// The method that proved it, if it is less than the greatest goal of the game.
    pub proof: Option<PlanMethod>,
    /// The reasons seen that keep more from being proved.
    pub unproved: Vec<Unproved>,
    /// How far planners have come.
    pub progress: PlanProgress,
}

/// How far planners have come.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize)]
pub struct PlanProgress {
    /// The number of states that the search has visited.
    pub states: u64,
    /// How many states of a layer the search keeps, in its current pass.
    pub width: usize,
    /// The most steps that the SAT solver is queried about.
    pub steps: usize,
}

/// The findings of planners, and news of them.
#[derive(Debug)]
pub(super) struct Findings {
    engines: Arc<Engines>,
    /// Whether it is proved that all matches that end have exactly one goal, and others can go on, once
    /// this was queried.
    are_defined: Mutex<Option<bool>>,
    /// How many parts of the planner still work.
    working: AtomicUsize,
    /// The values that the role's goal may have, ascending.
    values: Vec<i32>,
    known: Mutex<Known>,
    news: Condvar,
}

impl Known {
    /// Returns the least goal of a match that would be useful.
    fn wanted(&self) -> i64 {
        i64::from(self.low) + i64::from(self.plan.is_some())
    }

    /// Whether the best goal is proved.
    pub fn is_solved(&self) -> bool {
        self.low == self.high
    }
}

impl Findings {
    /// Starts with nothing but the goals of the game, and 0.
    pub(super) fn new(engines: &Arc<Engines>) -> Findings {
        let goals = engines.game().propnet().roles[ROLE.index()].goals.iter();
        let mut values: Vec<i32> = goals.map(|goal| goal.value).chain([0]).collect();
        values.sort_unstable();
        values.dedup();
        let known = Known {
            low: values[0],
            plan: None,
            high: values[values.len() - 1],
            proof: None,
            unproved: Vec::new(),
            progress: PlanProgress::default(),
        };
        Findings {
            engines: engines.clone(),
            are_defined: Mutex::default(),
            working: AtomicUsize::new(PARTS),
            values,
            known: Mutex::new(known),
            news: Condvar::new(),
        }
    }

    /// All that is known.
    pub(super) fn known(&self) -> Known {
        self.known.lock().clone()
    }

    /// The least and the greatest goal that the role may get with best play.
    pub(super) fn range(&self) -> (i32, i32) {
        let known = self.known.lock();
        (known.low, known.high)
    }

    /// Returns the least goal of a match that would be useful.
    pub(super) fn wanted(&self) -> i64 {
        self.known.lock().wanted()
    }

    /// Whether there is nothing more to find out.
    pub(super) fn is_solved(&self) -> bool {
        let (low, high) = self.range();
        low == high
    }

    /// The least value that is better than `value`.
    pub(super) fn next_better(&self, value: i32) -> Option<i32> {
        self.values.iter().copied().find(|&other| other > value)
    }

    /// A match was found.
    pub(super) fn improve(&self, plan: Plan, method: PlanMethod) {
        let mut known = self.known.lock();
        if i64::from(plan.goal) >= known.wanted() {
            tracing::debug!(goal = plan.goal, steps = plan.moves.len(), ?method, "plan");
            known.low = plan.goal;
            known.plan = Some((plan, method));
            self.news.notify_all();
        }
    }

    /// The role gets `most` at most.
    pub(super) fn cap(&self, most: i32, method: PlanMethod) {
        let mut known = self.known.lock();
        let most = most.max(known.low);
        if most < known.high {
            tracing::debug!(most, ?method, "bound");
            known.high = most;
            known.proof = Some(method);
            self.news.notify_all();
        }
    }

    /// Records from another source that the role gets at least `least` and at most `most`.
    pub(super) fn limit(&self, least: i32, most: i32) {
        let mut known = self.known.lock();
        if least > known.low {
            (known.low, known.plan) = (least, None);
        }
        known.high = known.high.min(most).max(known.low);
        self.news.notify_all();
    }

    /// The role gets less than `value`.
    pub(super) fn cap_below(&self, value: i32, method: PlanMethod) {
        let mut less = self.values.iter().rev().filter(|&&other| other < value);
        if let Some(&most) = less.next() {
            self.cap(most, method);
        }
    }

    /// Whether it is proved that each match has exactly one goal if it ends, and can go on if it does not.
    pub(super) fn are_ends_defined(&self, stop: &Stop) -> bool {
        let mut are_defined = self.are_defined.lock();
        if let Some(known) = *are_defined {
            return known;
        }
        let found = find_defined_ends(&self.engines, stop).are_all();
        // If it was stopped, it is to be asked again.
        *are_defined = Some(found).filter(|_| found || !stop.is_set());
        found
    }

    /// The role has not exactly one goal in some end.
    pub(super) fn note_undefined(&self) {
        let role = self.engines.game().roles()[ROLE.index()].clone();
        self.note_unproved(Unproved::UndefinedGoal { role });
    }

    /// Something keeps more from being proved.
    pub(super) fn note_unproved(&self, why: Unproved) {
        let mut known = self.known.lock();
        if !known.unproved.contains(&why) {
            known.unproved.push(why);
        }
    }

    /// A part of the planner has come to its end.
    pub(super) fn end_part(&self) {
        self.working.fetch_sub(1, Ordering::Release);
        let _known = self.known.lock();
        self.news.notify_all();
    }

    /// Whether all parts have come to their ends.
    pub(super) fn is_done(&self) -> bool {
        self.working.load(Ordering::Acquire) == 0
    }

    /// Notes how far planners have come.
    pub(super) fn note(&self, note: impl FnOnce(&mut PlanProgress)) {
        note(&mut self.known.lock().progress);
    }

    /// Waits for news, for a time at most: of goals other than these.
    pub(super) fn wait(&self, seen: (i32, i32), time: Duration) -> (i32, i32) {
        let mut known = self.known.lock();
        if (known.low, known.high) == seen {
            self.news.wait_for(&mut known, time);
        }
        (known.low, known.high)
    }
}

impl fmt::Display for PlanMethod {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            PlanMethod::Search => "search",
            PlanMethod::Satisfiability => "SAT",
            PlanMethod::Parts => "parts",
        })
    }
}
