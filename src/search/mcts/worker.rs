//! Search threads.

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use super::config::MctsConfig;
use super::shared::{FIRST_PLAYOUTS, Shared, Wanted};
use super::tree::Tree;
use crate::game::machine::expansion::successor::{Expansion, Successor, Transition};
use crate::game::machine::{MachineError, Move, State};
use crate::game::playout::{RunLimits, Tally};
use crate::search::expansion::Evaluator;
use crate::search::learned::Scorer;
use crate::search::mcts::tree::arena::{AllocationBuffer, Block};
use crate::search::mcts::tree::node::{Bounds, NodeId, Stage};
use crate::search::mcts::walk::best_line::BestLine;
use crate::search::mcts::walk::descent::{Descent, DescentContext, Leaf};
use crate::search::mcts::walk::first_moves::FirstMoves;
use crate::search::mcts::walk::path::Path;
use crate::search::mcts::walk::selection::Selection;
use crate::support::rng::GameRng;
use crate::support::statistics::Moments;
use propjit_stop::Stop;

/// The number of paths that set out from the root before any other work.
const MAX_DESCENTS: usize = 256;

/// How many playouts a leaf gets at most while the root has so few visits that lanes are empty. A playout takes as
/// long as playouts in all lanes, 40 ms in hex, so that a short search would have few of them.
const MAX_IN_FREE_LANES: u64 = 32;

/// The visits of the root up to which playouts are made one after the other where that brings the first of them
/// sooner, unless they are counted. With more, lanes are full.
const FIRST_VISITS: u64 = 64;

pub(super) struct Worker<'a> {
    pub(super) shared: &'a Shared,
    pub(super) tree: &'a Tree,
    pub(super) config: &'a MctsConfig,
    pub(super) evaluator: &'a mut dyn Evaluator,
    pub(super) context: DescentContext,
    /// The scorer of states, if there is one.
    scorer: Option<Scorer>,
    /// The paths to the leaves in which playouts have started, by the number of the start.
    playing: Vec<Option<(Path, NodeId)>>,
    /// How many these are.
    leaves: usize,
    /// The paths to the leaves that are to be evaluated from outside.
    pub(super) waiting: Vec<(Path, NodeId)>,
    /// The paths with ended evaluations that the tree has not received yet, with the nodes in which
    /// playouts started, if they did; and the values of each role, those of one path after the other.
    evaluated: Vec<(Path, Option<NodeId>)>,
    values: Vec<f32>,
    /// The time for playouts.
    playing_time: Duration,
    /// The number of playouts spared since the last report to the other threads.
    spared: u64,
    /// Paths that are not in use.
    paths: Vec<Path>,
    /// How many playouts each leaf gets.
    playouts: u64,
    /// The values that evaluations had behind each edge of the root, for each role.
    root_statistics: Vec<Moments<f64>>,
    /// Whether there is nothing more to do when the tree's memory is full.
    ends_when_full: bool,
    /// Whether playouts are made one after the other.
    hurries: bool,
}

/// A question that has to be answered before a path can go on.
struct Question {
    path: Path,
    node: NodeId,
    state: State,
    depth: u32,
    /// The joint move with the wanted successor; or else all joint moves.
    joint: Option<Vec<Move>>,
}

impl<'a> Worker<'a> {
    pub(super) fn new(
        shared: &'a Shared,
        tree: &'a Tree,
        config: &'a MctsConfig,
        evaluator: &'a mut dyn Evaluator,
        rng: GameRng,
        ends_when_full: bool,
    ) -> Worker<'a> {
        let trust = tree.valuation().map(|valuation| valuation.trust);
        let first_moves = first_moves(config, tree, evaluator);
        Worker {
            playouts: FIRST_PLAYOUTS,
            context: DescentContext {
                exploration: config.exploration_weight(trust, first_moves.is_some()),
                first_moves,
                rng,
                buffer: AllocationBuffer::default(),
                state: State::new(),
                selection: Selection::default(),
            },
            scorer: tree.valuation().map(|v| Scorer::new(v.evaluation.clone())),
            playing: Vec::new(),
            leaves: 0,
            waiting: Vec::new(),
            evaluated: Vec::new(),
            values: Vec::new(),
            playing_time: Duration::ZERO,
            spared: 0,
            paths: Vec::new(),
            root_statistics: Vec::new(),
            ends_when_full,
            hurries: false,
            shared,
            tree,
            config,
            evaluator,
        }
    }

    /// Searches until a stop comes, the root is solved, or there is as much as is `wanted`. When `slice` is set, ends
    /// with the playouts that are under way.
    pub(super) fn run(
        mut self,
        stop: &Stop,
        slice: &Stop,
        wanted: Wanted,
    ) -> Result<(), MachineError> {
        let result = match self.search(stop, slice, wanted) {
            // Earlier results count.
            Err(error) if error.is_stopped() && stop.is_set() => Ok(()),
            result => result,
        };
        self.shared.note_playing(self.playing_time);
        self.evaluator.runner().clear();
        self.evaluator.hurry(false);
        for (path, leaf) in self.playing.iter().flatten().chain(&self.waiting) {
            self.tree.cancel(path, Some(*leaf));
        }
        self.tree
            .give_back(std::mem::take(&mut self.context.buffer));
        let mut root_statistics = self.shared.root_statistics.lock();
        let length = root_statistics.len().max(self.root_statistics.len());
        root_statistics.resize(length, Moments::default());
        for (sum, own) in root_statistics.iter_mut().zip(&self.root_statistics) {
            sum.merge(own);
        }
        result
    }

    fn search(&mut self, stop: &Stop, slice: &Stop, wanted: Wanted) -> Result<(), MachineError> {
        self.track_best_line();
        let mut limits = RunLimits::default()
            .with_stop(stop.clone())
            .with_progress(self.shared.playouts.clone());
        while !stop.is_set() {
            self.evaluator.set_stop(stop);
            if let Some(evaluation) = &self.config.leaves {
                self.evaluate_leaves(evaluation, wanted, stop)?;
                if self.is_done(wanted) || slice.is_set() {
                    break;
                }
                continue;
            }
            self.adapt_pace(wanted);
            self.reach_leaves(wanted, stop)?;
            if self.is_done(wanted) {
                break;
            }
            limits.enough = self.leaves.div_ceil(4);
            let start = Instant::now();
            self.evaluator.runner().play(&limits)?;
            self.playing_time += start.elapsed();
            self.back_up();
            self.judge_first_moves();
            if slice.is_set() {
                break;
            }
        }
        Ok(())
    }

    /// In a game of one role, keeps the moves of playouts that are better than what is known.
    fn track_best_line(&mut self) {
        if let [range] = self.tree.ranges() {
            let best = self.shared.best_line.lock();
            let goal = best.as_ref().map_or(range.low, |best| best.goal);
            self.evaluator.runner().track_best_line(Some(goal as i32));
        }
    }

    /// Makes the first playouts one after the other where they are over sooner so, and later ones in lanes.
    fn adapt_pace(&mut self, wanted: Wanted) {
        let visits = || self.tree.node(self.tree.root()).visits();
        let hurries = wanted.is_timed() && visits() < FIRST_VISITS;
        // It is for playouts that begin.
        if self.leaves > 0 || !(hurries || self.hurries) {
            return;
        }
        let before = self.hurries;
        self.hurries = self.evaluator.hurry(hurries);
        if self.hurries != before {
            self.track_best_line();
        }
    }

    /// Goes down to leaves once, and finds out all that it takes.
    pub(super) fn reach_leaves(&mut self, wanted: Wanted, stop: &Stop) -> Result<(), MachineError> {
        let mut questions = self.descend(wanted);
        while !questions.is_empty() && !stop.is_set() {
            questions = self.answer(questions, stop)?;
        }
        self.give_up(questions);
        Ok(())
    }

    /// Stops using RAVE if it turns out, here or elsewhere, not to pay off.
    fn judge_first_moves(&mut self) {
        let Some(first_moves) = &mut self.context.first_moves else {
            return;
        };
        if let Some(are_of_use) = first_moves.verdict(self.tree) {
            self.tree.decide_on_first_moves(are_of_use);
        }
        if self.tree.rave_enabled() == Some(false) {
            self.evaluator.runner().track_moves(false);
            self.context.first_moves = None;
            self.context.exploration = self.config.exploration_weight(None, false);
        }
    }

    /// Starts playouts in as many leaves as there is room for.
    fn descend(&mut self, wanted: Wanted) -> Vec<Question> {
        let mut questions = Vec::new();
        let root = self.tree.root();
        let lanes = self.evaluator.runner().lanes() as u64;
        self.playouts = match (&self.config.leaves, self.config.tree.leaf_playouts) {
            (Some(_), _) => 1,
            (None, Some(playouts)) => playouts.max(1),
            (None, None) if self.hurries => 1,
            (None, None) => {
                let playouts = self.shared.playouts_per_leaf(self.evaluator.step_cost());
                // Lanes that would be empty cost nothing, unless playouts are counted.
                let free = lanes / (1 + self.tree.node(root).visits());
                match wanted.playouts {
                    None => playouts.max(free.min(MAX_IN_FREE_LANES)),
                    Some(_) => playouts,
                }
            }
        };
        let most = match &self.config.leaves {
            Some(evaluation) => self.most_waiting(evaluation),
            None => {
                let most = self.most_leaves(1, lanes.div_ceil(self.playouts));
                most.min(self.config.tree.batch.unwrap_or(usize::MAX))
            }
        };
        let mut left = MAX_DESCENTS;
        loop {
            let taken = self.leaves + self.waiting.len() + questions.len();
            let starting = left.min(most.saturating_sub(taken));
            if starting == 0 {
                break;
            }
            left -= starting;
            let paths = std::iter::repeat_with(|| self.paths.pop().unwrap_or_default());
            let descents = paths.map(|path| Descent::new(path, root));
            let descents: Vec<Descent> = descents.take(starting).collect();
            let progressed = self.advance(descents, &mut questions);
            if !progressed || self.tree.node(root).is_solved() {
                break;
            }
        }
        questions
    }

    /// Returns how many leaves may be under way, the first one and another for each `visits_per_leaf`
    /// visits of the root: those that are chosen without knowing of each other should be only a part of
    /// what is known.
    pub(super) fn most_leaves(&self, visits_per_leaf: u64, most: u64) -> usize {
        let visits = self.tree.node(self.tree.root()).visits();
        most.min(1 + visits / visits_per_leaf) as usize
    }

    /// Advances descents to their ends, a step of each in turn. Returns whether that brought progress.
    fn advance(&mut self, mut descents: Vec<Descent>, questions: &mut Vec<Question>) -> bool {
        let mut progressed = true;
        while !descents.is_empty() {
            for (path, leaf) in self.tree.step(&mut descents, &mut self.context) {
                progressed &= self.arrive(path, leaf, questions);
            }
        }
        self.publish();
        progressed
    }

    /// Does what is to be done at the end of a path, if that is possible at once. Returns whether that
    /// brought progress.
    fn arrive(&mut self, path: Path, leaf: Leaf, questions: &mut Vec<Question>) -> bool {
        let tree = self.tree;
        let question = |path, node: NodeId, joint| {
            let known = tree.node(node);
            let mut state = State::new();
            state.assign_from(known.state());
            Question {
                depth: known.meta().depth(),
                path,
                node,
                state,
                joint,
            }
        };
        match leaf {
            Leaf::Play(node) if tree.expands_at_once() => self.take_value(path, node),
            Leaf::Play(node) => {
                self.context.state.assign_from(tree.node(node).state());
                let queue = self.evaluator.runner().queue_mut();
                // Some role decides in it, so it is not terminal.
                let id = queue.add_going(&self.context.state, Some(self.playouts));
                let id = id.index();
                if self.playing.len() <= id {
                    self.playing.resize_with(id + 1, || None);
                }
                self.playing[id] = Some((path, node));
                self.leaves += 1;
            }
            Leaf::Known(known) => {
                let values = self.tree.values(known);
                self.record(path, None, values);
                self.spared += self.playouts;
            }
            Leaf::Expand(node) => questions.push(question(path, node, None)),
            Leaf::Follow(node, joint) => questions.push(question(path, node, Some(joint))),
            Leaf::Busy => {
                tree.cancel(&path, None);
                self.recycle(path);
                return false;
            }
        }
        true
    }

    /// Takes the value of a leaf for what would come of playouts, now or when there are enough leaves
    /// to be evaluated together.
    fn take_value(&mut self, path: Path, node: NodeId) {
        if self.tree.has_priors() {
            self.waiting.push((path, node));
            return;
        }
        if let Some(scorer) = &mut self.scorer {
            let values = self.tree.expected_goals(node, scorer);
            self.record(path, Some(node), values);
        }
        self.spared += 1;
    }

    /// Records what the evaluation at the end of the path brought for each role, until the tree is
    /// [updated](Worker::tell).
    pub(super) fn record(
        &mut self,
        path: Path,
        leaf: Option<NodeId>,
        values: impl IntoIterator<Item = f32>,
    ) {
        let before = self.values.len();
        self.values.extend(values);
        let values = &self.values[before..];
        let start = path.first_edge().unwrap_or(0) * values.len();
        if self.root_statistics.len() < start + values.len() {
            let length = start + values.len();
            self.root_statistics.resize(length, Moments::default());
        }
        for (sample, &value) in self.root_statistics[start..].iter_mut().zip(values) {
            sample.add(value, 1);
        }
        self.evaluated.push((path, leaf));
    }

    /// Passes what was recorded to the tree.
    pub(super) fn publish(&mut self) {
        self.tree.back_up(&self.evaluated, &self.values);
        while let Some((path, _)) = self.evaluated.pop() {
            self.recycle(path);
        }
        self.values.clear();
        let spared = std::mem::take(&mut self.spared);
        self.shared.spared.fetch_add(spared, Ordering::Relaxed);
    }

    fn recycle(&mut self, mut path: Path) {
        path.clear();
        self.paths.push(path);
    }

    /// Answers the questions that can be answered at once, and goes on from there. Returns the questions
    /// that come next.
    fn answer(
        &mut self,
        questions: Vec<Question>,
        stop: &Stop,
    ) -> Result<Vec<Question>, MachineError> {
        let (mut all, mut one): (Vec<Question>, Vec<Question>) = questions
            .into_iter()
            .partition(|question| question.joint.is_none());
        let states = all.iter().map(|question| (&question.state, question.depth));
        let states: Vec<_> = states.collect();
        let transitions = one.iter().map(|question| Transition {
            state: &question.state,
            depth: question.depth,
            joint: question.joint.as_deref().unwrap_or_default(),
        });
        let transitions: Vec<_> = transitions.collect();
        let expanded = self.evaluator.expand(&states, stop);
        let found = expanded.and_then(|expanded| {
            let followed = self.evaluator.follow(&transitions, stop)?;
            Ok((expanded, followed))
        });
        let (expanded, followed) = match found {
            Ok(found) => found,
            Err(error) => {
                self.give_up(all);
                self.give_up(one);
                return Err(error);
            }
        };
        self.give_up(all.split_off(expanded.len()));
        self.give_up(one.split_off(followed.all().infos.len()));
        let mut next = Vec::new();
        let mut descents = Vec::with_capacity(all.len() + one.len());
        for (at, Question { path, node, .. }) in all.into_iter().enumerate() {
            self.expand(&path, node, expanded.get(at));
            // Chance moves are not evaluated from outside, but their successors are.
            let is_chance = (self.tree.node(node).meta().role())
                .is_some_and(|role| self.tree.random() == Some(role));
            if self.tree.expands_at_once() && !(self.tree.has_priors() && is_chance) {
                self.tree.node(node).begin();
                self.take_value(path, node);
            } else {
                descents.push(Descent::new(path, node));
            }
        }
        for (Question { path, .. }, found) in one.into_iter().zip(followed.all().each()) {
            descents.extend(self.complete(path, &found));
        }
        self.advance(descents, &mut next);
        Ok(next)
    }

    /// Sets what may be played in the node at the end of the path.
    fn expand(&mut self, path: &Path, node: NodeId, found: Expansion<'_>) {
        if self.tree.expand(node, found, &mut self.context.buffer) {
            self.tree.refresh_path(path);
        }
        if let Some(scorer) = &mut self.scorer {
            self.tree.value_edges(node, found, scorer);
        }
    }

    /// Says where the joint move at the end of the path leads to. Returns the path to there, if there is
    /// memory to go on.
    fn complete(&mut self, path: Path, found: &Successor) -> Option<Descent> {
        let next = self.tree.complete(&path, found, &mut self.context.buffer);
        let Some(next) = next else {
            self.tree.cancel(&path, None);
            self.recycle(path);
            return None;
        };
        Some(Descent::new(path, next))
    }

    /// Leaves questions unanswered.
    fn give_up(&mut self, questions: Vec<Question>) {
        for question in questions {
            self.tree.cancel(&question.path, None);
            match question.joint {
                None => {
                    let node = self.tree.node(question.node);
                    node.set_inside(Stage::Unexpanded, Block(0));
                }
                Some(_) => self.tree.forget(&question.path),
            }
        }
    }

    /// Adds the results of playouts that have ended to the tree.
    fn back_up(&mut self) {
        let mut values = Vec::new();
        let mut steps = 0;
        loop {
            let queue = self.evaluator.runner().queue_mut();
            let Some((id, tally)) = queue.take_finished() else {
                break;
            };
            steps += tally.state_changes;
            let leaf = self.playing[id.index()].as_ref().map(|(_, leaf)| *leaf);
            means(tally, self.tree, leaf, &mut values);
            let Some((path, leaf)) = self.playing[id.index()].take() else {
                continue;
            };
            if let Some(first_moves) = &mut self.context.first_moves {
                for (goals, moves) in tally.played_moves.each() {
                    self.tree.back_up_moves(&path, goals, moves, first_moves);
                }
            }
            self.leaves -= 1;
            let better = tally.best.as_ref().and_then(|line| {
                let decisions = self.tree.decisions(&path);
                self.shared
                    .improve(BestLine::new(decisions, self.tree, leaf, line))
            });
            if let Some(goal) = better {
                self.evaluator.runner().track_best_line(Some(goal as i32));
                self.tree.raise_lower_bound(leaf, goal);
                self.tree.refresh_path(&path);
            }
            if let (Some(scorer), Some(valuation)) = (&mut self.scorer, self.tree.valuation()) {
                let weight = valuation.weights.leaf;
                let expected = self.tree.expected_goals(leaf, scorer);
                for (value, expected) in values.iter_mut().zip(expected) {
                    *value += weight * (expected - *value);
                }
            }
            self.record(path, Some(leaf), values.iter().copied());
        }
        self.publish();
        self.shared.steps.fetch_add(steps, Ordering::Relaxed);
    }

    /// Whether there is nothing more to do.
    pub(super) fn is_done(&self, wanted: Wanted) -> bool {
        let recycles = self.ends_when_full;
        self.shared.is_done(wanted, self.tree, recycles) || recycles && self.tree.is_full()
    }
}

/// Returns RAVE statistics, if they are wanted.
fn first_moves(
    config: &MctsConfig,
    tree: &Tree,
    evaluator: &mut dyn Evaluator,
) -> Option<FirstMoves> {
    let visits = match tree.rave_enabled() {
        Some(false) => 0.0,
        _ => config.rave_visits(tree.valuation().is_some()),
    };
    let numbers = evaluator.runner().track_moves(visits > 0.0)?;
    Some(FirstMoves::new(visits, numbers, config.tree.rave.is_none()))
}

/// The mean goal of each role in playouts from a leaf. Those that came to the limit of steps count as the middle of what
/// it can still get, and others without a goal as 0.
fn means(tally: &Tally, tree: &Tree, leaf: Option<NodeId>, values: &mut Vec<f32>) {
    let count = tally.rollouts().max(1) as f32;
    let sums = tally.goals.iter().map(|goals| goals.values.sum as f32);
    values.clear();
    values.extend(sums);
    if let Some(leaf) = leaf.filter(|_| tally.truncated > 0) {
        tree.note_cut();
        for (role, sum) in tree.roles().zip(values.iter_mut()) {
            let Bounds { low, high } = tree.node(leaf).bounds(role);
            *sum += tally.truncated as f32 * f32::midpoint(low, high);
        }
    }
    values.iter_mut().for_each(|value| *value /= count);
}
