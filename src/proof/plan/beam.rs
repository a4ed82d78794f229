//! Beam search through states, layer by layer, keeping the most promising ones.
//!
//! A pass goes on from the root to its successors, and from those to theirs, without states that were seen
//! before. Of a layer with more states than the *width*, those are kept that an [`Estimator`] says are
//! nearest to the goal. If nothing is found, the next pass is wider. A pass that never had to leave
//! anything out has seen all states, so that the best match it found is the best there is: it was
//! breadth-first search. (Beam search with growing width: Zhou and Hansen, "Beam-stack search", 2005, have
//! a variant that is complete.)

use std::sync::Arc;

use propjit_stop::Stop;
use rand::RngExt;

use crate::game::engine::Engines;
use crate::game::ground::GroundGame;
use crate::game::machine::expansion::team::ExpanderTeam;
use crate::proof::unproved::Unproved;
use crate::support::rng::{GameRng, streams};

use super::estimator::{Estimate, Estimator};
use super::findings::{Findings, Plan, PlanMethod};
use super::gate::Gate;
use super::table::StateTable;
use super::{ROLE, Root};

/// The width of the first pass, and how it grows.
const FIRST_WIDTH: usize = 128;
const GROWTH: usize = 8;

/// A layer may have this many states for each that is kept, before the others are dropped.
const SLACK: usize = 4;

/// Searches through states.
pub(super) struct Beam<'a> {
    game: Arc<GroundGame>,
    root: &'a Root,
    findings: &'a Findings,
    gate: &'a Gate,
    expanders: ExpanderTeam,
    estimator: Option<Estimator>,
    rng: GameRng,
    ties: Ties,
    /// Whether all ends that were met had exactly one goal, and all other states a move.
    are_defined: bool,
    /// Whether states were left out in this pass from which no greater goal can be got.
    has_dropped: bool,
}

/// Which states are kept of those that are as far from the goal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Ties {
    /// Those with most freedom.
    Free,
    /// Any.
    Random,
}

/// How a pass has ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Pass {
    /// All states were seen that matter.
    Complete,
    /// Some were left out.
    Cut,
    /// It was stopped, or there is nothing more to find out.
    Over,
}

impl<'a> Beam<'a> {
    /// A search from the root.
    pub(super) fn new(
        engines: &Arc<Engines>,
        root: &'a Root,
        findings: &'a Findings,
        gate: &'a Gate,
    ) -> Beam<'a> {
        Beam {
            game: engines.game().clone(),
            root,
            findings,
            gate,
            expanders: ExpanderTeam::new(engines, root.limits.threads.saturating_sub(1)),
            estimator: None,
            rng: streams(0).next().expect("streams do not end"),
            ties: Ties::Free,
            are_defined: true,
            has_dropped: false,
        }
    }

    /// Makes passes until all is known or the gate is closed for ever.
    pub(super) fn run(&mut self) {
        let Some(mut stop) = self.gate.pass() else {
            return;
        };
        let root = self.root.state.packed(self.expanders.words());
        if let Some(goals) = self.expanders.goals_at_end(&root) {
            match goals[ROLE.index()] {
                Some(goal) => {
                    let moves = Vec::new();
                    self.findings
                        .improve(Plan { goal, moves }, PlanMethod::Search);
                    self.findings.cap(goal, PlanMethod::Search);
                }
                None => self.findings.note_undefined(),
            }
            return;
        }
        let mut width = FIRST_WIDTH;
        loop {
            let mut table = StateTable::new(&root, self.root.limits.share());
            match self.pass(&mut table, width, &mut stop) {
                Pass::Complete => {
                    let (low, _) = self.findings.range();
                    if self.are_defined {
                        self.findings.cap(low, PlanMethod::Search);
                    }
                    return;
                }
                Pass::Over => return,
                Pass::Cut if self.ties == Ties::Free => {
                    self.ties = Ties::Random;
                    continue;
                }
                // With more, the first layers would leave no room for those to come.
                Pass::Cut if table.is_full() => width = (width / 2).max(FIRST_WIDTH),
                Pass::Cut => width = width.saturating_mul(GROWTH).min(table.room()),
            }
            self.ties = Ties::Free;
        }
    }

    fn pass(&mut self, table: &mut StateTable, width: usize, stop: &mut Stop) -> Pass {
        self.has_dropped = false;
        let mut is_cut = false;
        let mut layer = 0..table.len();
        let mut steps = 0;
        while !layer.is_empty() && steps < self.root.limits.steps {
            let mut states = layer.start..layer.end;
            while !states.is_empty() {
                if stop.is_set() {
                    match self.gate.pass() {
                        Some(next) => *stop = next,
                        None => return Pass::Over,
                    }
                }
                if self.findings.is_solved() {
                    return Pass::Over;
                }
                let part = states.start..states.end.min(states.start + self.expanders.lanes());
                states.start = part.end;
                self.expand(table, part.start, part.end);
                let found = table.len() - layer.end;
                if found > SLACK * width {
                    is_cut |= self.select(table, layer.end, width);
                }
                if table.is_full() {
                    is_cut = true;
                    break;
                }
            }
            if table.len() - layer.end > width {
                is_cut |= self.select(table, layer.end, width);
            }
            self.findings.note(|progress| {
                progress.states += layer.len() as u64;
                progress.width = width;
            });
            layer = layer.end..table.len();
            steps += 1;
        }
        let is_too_long = steps == self.root.limits.steps && !layer.is_empty();
        if is_too_long {
            let steps = self.root.limits.steps as u64;
            self.findings.note_unproved(Unproved::StepLimit { steps });
        }
        is_cut |= is_too_long;
        // From where no greater goal can be got, a match may still end without exactly one.
        match is_cut || self.has_dropped && !self.findings.are_ends_defined(stop) {
            true => Pass::Cut,
            false => Pass::Complete,
        }
    }

    /// Adds what follows from these states to the table.
    fn expand(&mut self, table: &mut StateTable, from: usize, to: usize) {
        let parents = table.states(from, to).to_vec();
        let findings = self.findings;
        let mut wanted = findings.wanted();
        let mut can_move = vec![false; to - from];
        let are_defined = &mut self.are_defined;
        self.expanders.expand_while(&parents, |child| {
            let parent = from + child.parent;
            can_move[child.parent] = true;
            match child.goals.map(|goals| goals[ROLE.index()]) {
                Some(None) => {
                    *are_defined = false;
                    findings.note_undefined();
                }
                Some(Some(goal)) if i64::from(goal) >= wanted => {
                    let mut moves = table.path(parent);
                    moves.push(child.joint[ROLE.index()]);
                    findings.improve(Plan { goal, moves }, PlanMethod::Search);
                    wanted = findings.wanted();
                }
                Some(Some(_)) => {}
                None if table.is_full() => {}
                None => table.insert(child.state, parent, child.joint[ROLE.index()]),
            }
            true
        });
        if can_move.contains(&false) {
            self.are_defined = false;
            findings.note_unproved(Unproved::Stuck);
        }
    }

    /// Keeps the most promising states of those from `first` on. Returns whether others were left
    /// out that might matter.
    fn select(&mut self, table: &mut StateTable, first: usize, width: usize) -> bool {
        let (low, high) = self.findings.range();
        if self
            .estimator
            .as_ref()
            .is_none_or(|estimator| estimator.value() != high)
        {
            self.estimator = Estimator::new(&self.game, high);
        }
        let mut ranked: Vec<(u32, u32, u32, usize)> = Vec::with_capacity(table.len() - first);
        let ties = self.ties;
        let lanes = self.estimator.as_ref().map_or(usize::MAX, Estimator::lanes);
        let mut at = first;
        while at < table.len() {
            let end = table.len().min(at.saturating_add(lanes));
            let mut rank = |at, estimate: Estimate| {
                let freedom = match ties {
                    Ties::Free => !estimate.freedom,
                    Ties::Random => 0,
                };
                ranked.push((estimate.distance, freedom, self.rng.random(), at));
            };
            match &mut self.estimator {
                Some(estimator) => {
                    let estimates = estimator.estimate(table.states(at, end), low);
                    let possible = (at..).zip(estimates);
                    possible.for_each(|(at, estimate)| {
                        if let Some(estimate) = estimate {
                            rank(at, estimate);
                        }
                    });
                }
                None => (at..end).for_each(|at| rank(at, Estimate::default())),
            }
            at = end;
        }
        self.has_dropped |= ranked.len() < table.len() - first;
        let is_cut = ranked.len() > width;
        if is_cut {
            ranked.select_nth_unstable(width);
            ranked.truncate(width);
        }
        let mut kept: Vec<usize> = ranked.into_iter().map(|(.., at)| at).collect();
        kept.sort_unstable();
        table.keep(first, &kept);
        is_cut
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{lock, replayed, task};

    use super::*;

    #[test]
    fn what_was_not_found_when_all_was_seen_is_not_there() {
        for (last, best, proof) in [(2, 100, None), (0, 50, Some(PlanMethod::Search))] {
            let task = task(&lock(last));
            Beam::new(&task.engines, &task.root, &task.findings, &task.gate).run();
            let known = task.findings.known();
            assert_eq!((known.low, known.high, known.proof), (best, best, proof));
            let (plan, method) = known.plan.unwrap();
            assert_eq!(replayed(&task, &plan.moves), Some(best));
            assert_eq!(method, PlanMethod::Search);
        }
    }

    #[test]
    fn layers_are_cut_to_the_most_promising_states() {
        // Digits of a number, of which all have to be 1: too many for the width.
        let succ: String = (0..20).map(|n| format!("(succ {n} {})", n + 1)).collect();
        let rules = format!(
            "(role r) {succ} (init (place 0)) (legal r 0) (legal r 1)
             (<= (next (place ?m)) (true (place ?n)) (succ ?n ?m))
             (<= (next (one ?n)) (true (place ?n)) (does r 1))
             (<= (next (one ?n)) (true (one ?n)))
             (<= missing (succ ?n ?m) (not (true (one ?n))))
             (<= terminal (true (place 20)))
             (<= (goal r 100) (not missing)) (<= (goal r 0) missing)"
        );
        let task = task(&rules);
        Beam::new(&task.engines, &task.root, &task.findings, &task.gate).run();
        let known = task.findings.known();
        assert_eq!(known.low, 100);
        let states = known.progress.states;
        assert!(states <= 20 * FIRST_WIDTH as u64, "{states} states");
    }
}
