//! Worker of one thread, which evaluates one block of environments after the other.

use std::ops::Range;
use std::sync::Arc;

use propjit_jit::evaluator::LaneEvaluator;
use propjit_jit::lanes::Width;
use propjit_jit::lanes::advance::{Start, enter};
use propjit_jit::lanes::random::LaneRandom;
use propjit_jit::lanes::select::Selector;
use propjit_jit::lanes::transpose::{column_words, to_columns};

use crate::game::engine::{EngineSubscription, Engines, MatchEngines, PlayoutPolicy, ValidEngine};
use crate::game::ground::{GroundGame, section};
use crate::game::machine::RoleId;
use crate::game::playout::selectors;
use crate::game::vocabulary::lane_mask::LaneMask;

/// The evaluator of one thread.
///
/// Blocks take turns in one evaluator, although the values of a block's states are then evaluated
/// again: the rows of many large circuits would not fit into a cache.
pub(super) struct Worker {
    game: Arc<GroundGame>,
    subscription: EngineSubscription,
    evaluator: LaneEvaluator,
    /// One for each role.
    selectors: Vec<Selector>,
    /// The block with the states that were evaluated last.
    evaluated: Option<usize>,
}

impl Worker {
    pub(super) fn new(engines: &Arc<Engines>) -> Worker {
        let engines = MatchEngines::new(engines.clone());
        let mut subscription = engines.subscribe(PlayoutPolicy::Uniform);
        let evaluator = evaluator(subscription.current());
        let game = subscription.game().clone();
        Worker {
            selectors: selectors(&game, &evaluator),
            game,
            subscription,
            evaluator,
            evaluated: None,
        }
    }

    pub(super) fn width(&self) -> Width {
        self.evaluator.width()
    }

    pub(super) fn game(&self) -> &GroundGame {
        &self.game
    }

    /// Returns how many bytes the rows take.
    pub(super) fn bytes(&self) -> usize {
        self.evaluator.engine().rows() * self.width().words() * size_of::<u64>()
    }

    /// Switches to a better engine, if there is one, which has as many lanes: all engines for a
    /// whole circuit have equal width.
    fn follow(&mut self) {
        if let Some(engine) = self.subscription.poll() {
            self.evaluator = evaluator(engine);
            self.selectors = selectors(&self.game, &self.evaluator);
            self.evaluated = None;
        }
    }

    /// Evaluates the outputs that depend on the states of a block alone, unless that has just been
    /// done.
    pub(super) fn observe(&mut self, block: usize, bases: &[u64]) {
        self.follow();
        if self.evaluated != Some(block) {
            let inputs = self.game.layout().bases.clone();
            self.evaluator.inputs_mut(inputs).copy_from_slice(bases);
            self.evaluator.evaluate(section::STATE);
            self.evaluated = Some(block);
        }
    }

    /// Discards the evaluated values, so that the next [look](Worker::look) evaluates them again.
    pub(super) fn forget(&mut self) {
        self.evaluated = None;
    }

    /// Returns whether the states are terminal, after a [look](Worker::look).
    pub(super) fn terminal(&self) -> LaneMask {
        LaneMask::from_words(self.evaluator.output(self.game.layout().terminal))
    }

    /// Returns the rows of a role's legal moves, after a [look](Worker::look).
    pub(super) fn legal(&self, role: RoleId) -> &[u64] {
        let legal = &self.game.layout().legal[role.index()];
        self.evaluator.outputs(legal.clone())
    }

    /// Returns the lanes among the first `lanes` in which a role has a legal move, and those in
    /// which it has several.
    pub(super) fn choices(&self, role: RoleId, lanes: usize) -> (LaneMask, LaneMask) {
        LaneMask::some_and_several(self.width(), lanes, self.legal(role))
    }

    /// Returns the legal moves of a role in the first lane, packed.
    pub(super) fn first_legal(&self, role: RoleId) -> Vec<u64> {
        let legal = self.legal(role);
        let moves = legal.len() / self.width().words();
        let mut column = vec![0; column_words(moves).max(1)];
        to_columns(self.width(), legal, &mut column);
        column
    }

    /// Clears all moves in all lanes.
    pub(super) fn forget_moves(&mut self) {
        let moves = self.moves();
        self.evaluator.inputs_mut(moves).fill(0);
    }

    /// Chooses all legal moves of a role in some of the first `lanes` lanes, and none in the others.
    pub(super) fn choose_all(&mut self, role: RoleId, chosen: LaneMask, lanes: usize) {
        let width = self.width();
        let (legal, does) = legal_and_does_mut(&self.game, &mut self.evaluator, role);
        chosen.keep_rows(width, lanes, legal, does);
    }

    /// Chooses one of a role's legal moves at random, in these lanes. Before, either none of its
    /// moves is chosen, or those that were last chosen by this function.
    pub(super) fn choose_random(&mut self, role: RoleId, lanes: LaneMask, random: &mut LaneRandom) {
        let width = self.width();
        let (legal, does) = legal_and_does_mut(&self.game, &mut self.evaluator, role);
        let selector = &mut self.selectors[role.index()];
        selector.select(width, legal, lanes.words(width), random, does);
    }

    /// Chooses moves one by one: each is a lane, a role and the number of a move.
    pub(super) fn choose_each(&mut self, chosen: impl Iterator<Item = (usize, RoleId, usize)>) {
        let moves = self.moves();
        let words = self.width().words();
        let rows = self.evaluator.inputs_mut(moves.clone());
        let does = &self.game.layout().does;
        for (lane, role, played) in chosen {
            let row = does[role.index()].start - moves.start + played;
            rows[row * words + lane / 64] |= 1 << (lane % 64);
        }
    }

    /// Advances the states of the block by the chosen moves, and evaluates them.
    pub(super) fn advance(&mut self) {
        self.evaluator.evaluate(section::NEXT);
        let layout = self.game.layout();
        let (next, bases) = self
            .evaluator
            .outputs_and_inputs_mut(layout.next.clone(), layout.bases.clone());
        bases.copy_from_slice(next);
        self.evaluator.evaluate(section::STATE);
    }

    /// Calls `found` with each of these lanes and the goal of the role there, if it has exactly
    /// one value.
    pub(super) fn for_each_goal(
        &mut self,
        role: RoleId,
        lanes: LaneMask,
        mut found: impl FnMut(usize, i32),
    ) {
        let goals = self.game.layout().goals[role.index()].clone();
        let rows = self.evaluator.outputs(goals);
        let defined = LaneMask::exactly_one(self.width(), rows).and(lanes);
        let rows = rows.chunks_exact(self.width().words());
        let values = &self.game.propnet().roles[role.index()].goals;
        for (row, goal) in rows.zip(values) {
            for lane in LaneMask::from_words(row).and(defined).lanes() {
                found(lane, goal.value);
            }
        }
    }

    /// Evaluates the goals, after a [look](Worker::look).
    pub(super) fn evaluate_goals(&mut self) {
        self.evaluator.evaluate(section::GOALS);
    }

    /// Starts new matches in these lanes, and writes their states. The evaluated values still
    /// belong to the states before.
    pub(super) fn restart(&mut self, lanes: LaneMask, bases: &mut [u64]) {
        let width = self.width();
        let inputs = self.game.layout().bases.clone();
        let rows = self.evaluator.inputs_mut(inputs);
        if !lanes.is_empty() {
            let initial = Start::Same(self.game.initial().words());
            enter(width, rows, lanes.words(width), initial);
            self.evaluated = None;
        }
        bases.copy_from_slice(rows);
    }

    /// Returns the inputs that are moves.
    fn moves(&self) -> Range<usize> {
        let layout = self.game.layout();
        layout.bases.end..layout.inputs()
    }
}

/// Returns, for a role's moves, the rows that say whether they are legal, and whether they are
/// chosen.
fn legal_and_does_mut<'a>(
    game: &GroundGame,
    evaluator: &'a mut LaneEvaluator,
    role: RoleId,
) -> (&'a [u64], &'a mut [u64]) {
    let (legal, does) = (&game.layout().legal, &game.layout().does);
    evaluator.outputs_and_inputs_mut(legal[role.index()].clone(), does[role.index()].clone())
}

/// Creates rows for the engine, which is valid for all states.
fn evaluator(engine: ValidEngine) -> LaneEvaluator {
    let (engine, _) = engine.into_parts();
    LaneEvaluator::new(engine)
}
