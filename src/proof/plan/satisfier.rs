//! Planning with a SAT solver, over matches of many lengths at a time.
//!
//! The necessary length of a match is not known, nor are the lengths that are hard to exclude. So all
//! lengths up to some bound are queried in turns, with a number of conflicts each that grows from round to
//! round (algorithm B of Rintanen, "Evaluation strategies for planning as satisfiability", 2004, with equal
//! shares).

use std::sync::Arc;

use propjit_stop::Stop;

use crate::game::engine::Engines;
use crate::game::ground::invariants::net::Net;
use crate::game::machine::Move;
use crate::game::machine::batch::Batch;
use crate::proof::unproved::Unproved;

use super::clock::Clock;
use super::effects::Effects;
use super::findings::{Findings, Plan, PlanMethod};
use super::gate::Gate;
use super::unrolled::Unrolled;
use super::{ROLE, Root};

/// About how much memory there must be for each variable of the solver, in bytes.
const BYTES_PER_VARIABLE: usize = 200;

/// The numbers of steps in the first round: of one move, and of several. And the conflicts that a length
/// may take then: more if there are few lengths, and few clauses.
const FIRST_STEPS: [usize; 2] = [16, 2];
const FIRST_CONFLICTS: [u64; 2] = [100, 3000];

/// Queries a SAT solver about matches of any length.
pub(super) struct Satisfier<'a> {
    engines: &'a Arc<Engines>,
    root: &'a Root,
    findings: &'a Findings,
    gate: &'a Gate,
    /// Set when the gate is closed.
    stop: Stop,
}

/// Questions about matches of all lengths, and how far they have come.
struct Course<'a> {
    unrolled: Unrolled<'a>,
    /// Whether what is not found does not exist.
    is_complete: bool,
    /// For each number of steps, the least goal that is known to be out of reach then.
    excluded: Vec<Option<i32>>,
    /// All matches of fewer steps have exactly one goal if they end, and can go on if they do not.
    defined: usize,
    /// How many steps are considered, and how many conflicts each query may take.
    steps: usize,
    conflicts: u64,
}

/// There is nothing more to find out, or the gate is closed for ever.
struct Over;

impl<'a> Satisfier<'a> {
    /// For matches from the root on.
    pub(super) fn new(
        engines: &'a Arc<Engines>,
        root: &'a Root,
        findings: &'a Findings,
        gate: &'a Gate,
    ) -> Satisfier<'a> {
        let stop = Stop::new();
        stop.set();
        Satisfier {
            engines,
            root,
            findings,
            gate,
            stop,
        }
    }

    /// Makes queries until all is known, there is no room, or the gate is closed for ever.
    pub(super) fn run(&mut self) {
        // It ends as soon as there is nothing more to do.
        let Err(Over) = self.rounds();
    }

    fn rounds(&mut self) -> Result<std::convert::Infallible, Over> {
        self.pass_gate()?;
        let variables = (self.root.limits.share() / BYTES_PER_VARIABLE).min(u32::MAX as usize);
        let net = Net::new(self.engines.game(), variables as u32);
        // Matches with several moves in a step are found sooner, but they are not all matches.
        let game = self.engines.game();
        let effects = Effects::of(game, Clock::new(game, &self.root.state));
        let effects = effects.map(Some).into_iter().chain([None]);
        let course = |effects: Option<Effects>| {
            let is_parallel = usize::from(effects.is_some());
            Some(Course {
                is_complete: effects.is_none(),
                steps: FIRST_STEPS[is_parallel],
                conflicts: FIRST_CONFLICTS[is_parallel],
                unrolled: Unrolled::new(&net, &self.root.state, effects)?,
                excluded: Vec::new(),
                defined: 0,
            })
        };
        let mut courses: Vec<Course> = effects.filter_map(course).collect();
        while !courses.is_empty() {
            let mut left = Vec::new();
            for mut course in courses {
                if self.round(&mut course)? {
                    left.push(course);
                }
            }
            courses = left;
        }
        Err(Over)
    }

    /// Makes queries about all lengths. Returns whether there are more to make.
    fn round(&mut self, course: &mut Course) -> Result<bool, Over> {
        let mut may_be_longer = self.extend(&mut course.unrolled, course.steps)?;
        let last = course.unrolled.steps();
        course.excluded.resize(last + 1, None);
        let goals: [fn(&Findings) -> i32; 2] = [
            |findings| findings.range().1,
            // Anything better than what there is.
            |findings| {
                let (low, high) = findings.range();
                findings.next_better(low).unwrap_or(high)
            },
        ];
        let mut is_open = false;
        for goal in goals {
            for steps in 0..=last {
                let value = goal(self.findings);
                if course.excluded[steps].is_some_and(|excluded| excluded <= value) {
                    continue;
                }
                match self.query(course, |of| of.can_end(steps, value))? {
                    Some(true) => {
                        let moves = course.unrolled.solution(steps);
                        if !self.take(&moves, value) {
                            let is_undefined = self.is_undefined(&moves);
                            if course.is_complete && !is_undefined {
                                // Then the clauses say something else than the circuit.
                                tracing::warn!(steps, "a plan that cannot be played");
                                return Err(Over);
                            }
                            if !course.is_complete {
                                return Ok(false);
                            }
                            // There may be others of this length, but what is not found is not excluded, either.
                            self.findings.note_undefined();
                            course.excluded[steps] = Some(value);
                        }
                    }
                    Some(false) => course.excluded[steps] = Some(value),
                    None => is_open = true,
                }
            }
        }
        let is_last = course.unrolled.is_surely_over(last)
            || self.query(course, |of| of.can_last(last))? == Some(false);
        may_be_longer &= !is_last;
        let (low, _) = self.findings.range();
        let better = self.findings.next_better(low);
        let is_excluded = |excluded: &Option<i32>| {
            excluded.is_some_and(|value| better.is_none_or(|b| value <= b))
        };
        let mut is_settled = is_last && course.excluded.iter().all(is_excluded);
        if course.is_complete {
            let all: Option<Vec<i32>> = course.excluded.iter().copied().collect();
            let most = all.and_then(|all| all.into_iter().max());
            if let Some(value) = most.filter(|_| is_last) {
                match self.are_ends_defined(course)? {
                    Some(true) => self.findings.cap_below(value, PlanMethod::Satisfiability),
                    Some(false) => {}
                    None => (is_open, is_settled) = (true, false),
                }
            }
            self.findings.note(|progress| progress.steps = last);
            if is_settled {
                // No match is longer, and nothing better is found of any length.
                return Err(Over);
            }
        }
        if is_open {
            course.conflicts *= 2;
        }
        course.steps = (2 * course.steps).min(self.root.limits.steps);
        Ok(is_open || may_be_longer || is_last && !is_settled)
    }

    /// Returns whether all matches that are no longer than the considered lengths have exactly one goal at
    /// their ends, and can go on before; `None` if that was not found out within the limits.
    fn are_ends_defined(&mut self, course: &mut Course) -> Result<Option<bool>, Over> {
        if self.findings.are_ends_defined(&self.stop) {
            return Ok(Some(true));
        }
        while course.defined <= course.unrolled.steps() {
            let steps = course.defined;
            match self.query(course, |of| of.can_be_undefined(steps))? {
                Some(false) => course.defined += 1,
                Some(true) => {
                    let end = self.end(&course.unrolled.solution(steps));
                    match end {
                        Some(_) => self.findings.note_undefined(),
                        None => self.findings.note_unproved(Unproved::Stuck),
                    }
                    return Ok(Some(false));
                }
                None => return Ok(None),
            }
        }
        Ok(Some(true))
    }

    /// Adds steps. Returns whether there may be more.
    fn extend(&mut self, unrolled: &mut Unrolled, steps: usize) -> Result<bool, Over> {
        while unrolled.steps() < steps {
            if unrolled.is_full() || unrolled.is_surely_over(unrolled.steps()) {
                return Ok(false);
            }
            self.pass_gate()?;
            unrolled.extend();
        }
        Ok(steps < self.root.limits.steps)
    }

    /// Makes a query, again if the gate was closed meanwhile.
    fn query(
        &mut self,
        course: &mut Course,
        question: impl Fn(&mut Unrolled) -> Option<bool>,
    ) -> Result<Option<bool>, Over> {
        loop {
            self.pass_gate()?;
            course.unrolled.limit(course.conflicts, &self.stop);
            let answer = question(&mut course.unrolled);
            if answer.is_some() || !self.stop.is_set() {
                return Ok(answer);
            }
        }
    }

    /// Takes over a solution. Returns whether it can be played, and brings at least `value`: if several
    /// moves are made in a step, the match may end between them.
    fn take(&self, moves: &[Move], value: i32) -> bool {
        let goal = self.replay(moves);
        if let Some(goal) = goal {
            let moves = moves.to_vec();
            self.findings
                .improve(Plan { goal, moves }, PlanMethod::Satisfiability);
        }
        goal.is_some_and(|goal| goal >= value)
    }

    /// Whether a match can be played, and ends without exactly one goal.
    fn is_undefined(&self, moves: &[Move]) -> bool {
        self.end(moves)
            .is_some_and(|mut end| end.goal(ROLE, 0).is_none())
    }

    /// The goal at the end of a match, if it can be played, and has exactly one.
    fn replay(&self, moves: &[Move]) -> Option<i32> {
        self.end(moves)?.goal(ROLE, 0)
    }

    /// The end of a match, if it can be played.
    fn end(&self, moves: &[Move]) -> Option<Batch> {
        let game = self.engines.game();
        let mut batch = Batch::new(game.clone(), self.engines.immediate());
        batch.fill(self.root.state.words(), 1);
        for &played in moves {
            let mut is_legal = false;
            batch.for_each_legal(ROLE, |_, legal| is_legal |= legal == played);
            if !is_legal || !batch.terminal().is_empty() {
                return None;
            }
            batch.play(&[played]);
            batch.advance(batch.filled());
        }
        let is_over = !batch.terminal().is_empty();
        is_over.then_some(batch)
    }

    /// Waits while the gate is closed.
    fn pass_gate(&mut self) -> Result<(), Over> {
        if self.stop.is_set() {
            self.stop = self.gate.pass().ok_or(Over)?;
        }
        match self.findings.is_solved() {
            true => Err(Over),
            false => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{lock, replayed, task};

    use super::*;

    #[test]
    fn what_no_length_allows_is_out_of_reach() {
        let method = PlanMethod::Satisfiability;
        for (last, best, proof) in [(2, 100, None), (0, 50, Some(method))] {
            let task = task(&lock(last));
            Satisfier::new(&task.engines, &task.root, &task.findings, &task.gate).run();
            let known = task.findings.known();
            assert_eq!((known.low, known.high, known.proof), (best, best, proof));
            let (plan, by) = known.plan.unwrap();
            assert_eq!((replayed(&task, &plan.moves), by), (Some(best), method));
        }
    }
}
