//! Playouts in lanes: as many at a time as there are lanes.
//!
//! All lanes take a step together: the states are evaluated, a move is chosen per role and lane,
//! and the next states are evaluated. A lane in which the match has ended starts another one with
//! the next step, so a match costs one step more than it has joint moves.
//!
//! Matches start in step with each other: in games with [phases](crate::game::ground::Phases), a match
//! starts only where that brings it into the phase of the others. So the same role is
//! to move in all lanes, and the moves and the circuit of the others are left out. A lane idles
//! until then: breakthrough loses half a step in 65 and becomes a third faster. (Matches from
//! states without a phase are played correctly, but then lanes differ.)
//!
//! Eventually, moves are chosen [in the circuit](crate::game::circuits::stepping), which plays the same matches
//! faster. It is for lanes in step, and does not report moves: while matches start from states without
//! a phase, or that may be terminal, or moves are tracked that leave no [marks](crate::game::ground::MoveMarks)
//! in states, they are chosen among rows of legal ones.
//!
//! Goals are evaluated for all lanes when matches end in some. Matches that start together often
//! end together; so lanes idle until that has cost as much as an evaluation of the goals, which
//! is at most twice the cost of the best choice. Reversi, where goals are a third of the work and
//! matches last about sixty moves, becomes 1.7 times as fast; where goals cost next to nothing,
//! lanes do not wait.
//!
//! Matches that end in a step are counted together, by vectors, if all running matches are for one
//! job, and otherwise lane by lane: searches have many jobs of a few matches each.
//!
//! Which matches count is decided when they start, and depends on nothing but the number of
//! others that have ended: lanes start the match that is next in the queue, and every match that
//! starts is played to its end. So there is no bias towards short matches.

mod follow;
mod form;
mod step;

use std::fmt;
use std::sync::Arc;

use propjit_jit::evaluator::LaneEvaluator;
use propjit_jit::lanes::random::LaneRandom;
use propjit_jit::lanes::select::Selector;

use self::form::Form;
use super::lanes::Lanes;
use super::lines::Lines;
use super::move_numbers::MoveNumbers;
use super::played_moves::LaneMoves;
use super::queue::PlayoutQueue;
use super::runner::{PlayoutRunner, RunLimits};
use super::trial::Trial;
use crate::game::engine::{EngineSubscription, PlayoutPolicy, StepEngine, Steps, ValidEngine};
use crate::game::ground::GroundGame;
use crate::game::machine::{MachineError, State};
use crate::game::vocabulary::lane_mask::LaneMask;

/// The number of steps after which ended matches are reported to the progress. All threads change the
/// same number, which each of them has to wait for.
const STEPS_PER_REPORT: u64 = 64;

/// Plays matches in lanes, on one engine or always on the best one.
pub struct Playouts {
    game: Arc<GroundGame>,
    form: Form,
    /// The other form, if there are two.
    other: Option<Form>,
    /// The source of the engine for random steps, while it is awaited.
    steps: Option<Steps>,
    /// Whether the form that chooses moves in the circuit came together with the engine, and is valid for no more states.
    has_own_steps: bool,
    /// The policy for the choice of moves, in both forms.
    policy: PlayoutPolicy,
    /// The source of better engines, if there is one.
    subscription: Option<EngineSubscription>,
    /// The trial of decisive moves, while it lasts.
    trial: Option<Trial>,
    /// The evaluator to switch to when all matches have ended.
    successor: Option<Form>,
    random: LaneRandom,
    max_steps: u32,
    /// See [`PlayoutRunner::refill`].
    refill: u32,
    /// The number of steps for which lanes have idled since matches were last started, while some
    /// were waiting.
    idled: u64,
    queue: PlayoutQueue,
    lanes: Lanes,
    /// The number of steps that were made, or passed over while no match was running.
    now: u64,
    /// The number of checks since play began whether it is late, and the result: see
    /// [`Playouts::is_late`].
    looks: u64,
    is_late: bool,
    /// The number of matches that have ended and have not been reported to the progress.
    unreported: u64,
    /// The next step at which a match may reach the limit of steps.
    limit_check: u64,
    /// For each role, the number of times that it had each goal; all zero between uses.
    goal_counts: Vec<Vec<u64>>,
    /// The moves of the matches, if the best line is tracked.
    lines: Option<Lines>,
    /// The same in any order, if they are tracked.
    moves: Option<LaneMoves>,
}

impl Playouts {
    /// Creates a runner without jobs, on this engine until it is [switched](Playouts::switch).
    ///
    /// The engine evaluates the [sections](crate::game::ground::section) of playouts. A playout has at
    /// most `max_steps` joint moves. The same seed gives the same matches at equal width.
    pub fn new(
        game: Arc<GroundGame>,
        engine: impl Into<ValidEngine>,
        max_steps: u32,
        seed: u64,
    ) -> Playouts {
        let engine = engine.into();
        let (steps, policy) = (engine.steps().cloned(), engine.policy());
        let (engine, validity) = engine.into_parts();
        let form = Form::select(&game, engine);
        let roles = &game.propnet().roles;
        let (phases, initial) = (game.phases().clone(), game.initial().clone());
        let mut queue = PlayoutQueue::new(roles.len(), phases, initial);
        queue.set_validity(validity);
        let mut playouts = Playouts {
            subscription: None,
            trial: None,
            successor: None,
            other: None,
            steps: None,
            has_own_steps: steps.is_some(),
            policy,
            random: LaneRandom::new(seed),
            max_steps,
            refill: 1,
            idled: 0,
            queue,
            lanes: Lanes::new(form.evaluator.width(), game.layout().bases.len()),
            now: 0,
            looks: 0,
            is_late: false,
            unreported: 0,
            limit_check: 0,
            goal_counts: roles.iter().map(|role| vec![0; role.goals.len()]).collect(),
            lines: None,
            moves: None,
            form,
            game,
        };
        if let Some(steps) = steps {
            playouts.add_steps(&steps);
        }
        playouts
    }

    /// Chooses moves in the circuit of these random steps of the game, if they have as many lanes
    /// as the engine. Both must have the same legal moves.
    #[must_use]
    pub fn with_steps(mut self, steps: &StepEngine) -> Playouts {
        self.add_steps(steps);
        self
    }

    /// Creates a runner without jobs, always on the best engine that the subscription offers.
    ///
    /// If that is one for playouts with decisive moves, these are abandoned if they turn out to be
    /// rare.
    pub fn subscribed(mut subscription: EngineSubscription, max_steps: u32, seed: u64) -> Playouts {
        let engine = subscription.current();
        let game = subscription.game().clone();
        Playouts {
            subscription: Some(subscription),
            trial: Trial::of(&engine),
            ..Playouts::new(game, engine, max_steps, seed)
        }
    }

    /// Reports the matches that have ended to the progress.
    fn report(&mut self, limits: &RunLimits) {
        limits.progress.add(std::mem::take(&mut self.unreported));
    }

    /// Starts matches in idle lanes with step `now`.
    fn start_matches(&mut self, limits: &RunLimits) {
        let wanted = self.queue.are_waiting() && self.successor.is_none();
        let mut idle = if wanted {
            self.lanes.idle()
        } else {
            LaneMask::default()
        };
        self.idled += idle.count();
        if self.may_idle() && !self.lanes.running.is_empty() {
            idle = LaneMask::default();
        }
        if !idle.is_empty() && self.is_late(limits) {
            idle = LaneMask::default();
        }
        let code = self.form.code();
        if self.lanes.start(idle, &mut self.queue, self.now, code) {
            self.idled = 0;
        }
    }

    /// Returns whether no matches are to be started any more. The clock is read the first time, and
    /// then every 16th time: it takes as long as a large part of a step of a small game.
    fn is_late(&mut self, limits: &RunLimits) -> bool {
        if !self.is_late && self.looks.is_multiple_of(16) {
            self.is_late = limits.are_up();
        }
        self.looks += 1;
        self.is_late
    }

    /// Returns whether idle lanes have cost so little that matches are not started yet.
    fn may_idle(&self) -> bool {
        let cost = self.game.cost();
        let goals = cost.goals / cost.step * self.lanes.width.lanes() as f64;
        self.idled as f64 <= f64::from(self.refill) * goals
    }

    /// Starts matches in idle lanes, with their states as the current ones.
    fn enter(&mut self, limits: &RunLimits) {
        self.start_matches(limits);
        let (starting, start) = self.lanes.starting(&self.queue);
        self.form.enter(self.now, starting, start);
    }

    /// Ends all matches without counting them.
    fn abandon(&mut self) {
        let running = self.lanes.running;
        if let Some(moves) = &mut self.moves {
            moves.end(running);
        }
        for lane in running.lanes() {
            let length = self.lanes.length(lane, self.now);
            self.queue.abandon(self.lanes.job(lane), u64::from(length));
        }
        self.lanes.end(running);
    }
}

/// Returns a selector for each role, among the moves that are legal in some state.
pub(crate) fn selectors(game: &GroundGame, evaluator: &LaneEvaluator) -> Vec<Selector> {
    let legal = game.layout().legal.iter().cloned();
    legal
        .map(|legal| {
            let guarded = evaluator.guarded_outputs(legal.clone());
            Selector::among(evaluator.live_outputs(legal)).with_guards(guarded)
        })
        .collect()
}

impl PlayoutRunner for Playouts {
    fn queue(&self) -> &PlayoutQueue {
        &self.queue
    }

    fn queue_mut(&mut self) -> &mut PlayoutQueue {
        // The next job may be from a state that the current engine is not valid for.
        self.follow();
        &mut self.queue
    }

    fn initial_state(&mut self) -> Result<State, MachineError> {
        Ok(self.game.initial().clone())
    }

    fn lanes(&self) -> usize {
        self.lanes.width.lanes()
    }

    fn refill(&mut self, goals: u32) {
        self.refill = goals;
    }

    fn track_best_line(&mut self, above: Option<i32>) {
        let above = above.filter(|_| self.game.roles().len() == 1);
        match (&mut self.lines, above) {
            (Some(lines), Some(above)) => lines.above = above,
            (lines, above) => *lines = above.map(Lines::new),
        }
    }

    fn track_moves(&mut self, are_wanted: bool) -> Option<MoveNumbers> {
        let width = self.lanes.width;
        match (&self.moves, are_wanted) {
            (_, false) => self.moves = None,
            (Some(_), true) => {}
            (None, true) => {
                let does = self.game.layout().does.iter();
                let numbers = MoveNumbers::new(does.map(ExactSizeIterator::len));
                let are_noted = self.game.move_marks().is_none();
                self.moves = Some(LaneMoves::new(numbers, width, are_noted));
            }
        }
        self.moves.as_ref().map(|moves| moves.numbers().clone())
    }

    fn clear(&mut self) {
        self.abandon();
        self.queue.clear();
    }

    fn play(&mut self, limits: &RunLimits) -> Result<(), MachineError> {
        self.settle();
        (self.looks, self.is_late) = (0, false);
        self.enter(limits);
        while self.queue.finished() < limits.enough {
            if limits.stop.is_set() {
                self.abandon();
                break;
            }
            self.follow();
            if !self.lanes.running.is_empty() {
                self.step(limits);
                if self.now.is_multiple_of(STEPS_PER_REPORT) {
                    self.report(limits);
                }
            } else if let Some(form) = self.successor.take() {
                let bases = self.game.layout().bases.len();
                let width = form.evaluator.width();
                self.lanes = Lanes::new(width, bases);
                if let Some(moves) = &mut self.moves {
                    moves.renew(width);
                }
                (self.form, self.other) = (form, None);
                self.enter(limits);
            } else if self.queue.are_waiting() && !limits.are_up() {
                // All waiting jobs are in other phases.
                self.now += 1;
                self.enter(limits);
            } else {
                break;
            }
        }
        self.report(limits);
        Ok(())
    }
}

impl fmt::Debug for Playouts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Playouts")
            .field("subscription", &self.subscription)
            .field("trial", &self.trial)
            .field("lanes", &self.lanes.width.lanes())
            .field("running", &self.lanes.running.count())
            .field("now", &self.now)
            .finish_non_exhaustive()
    }
}
