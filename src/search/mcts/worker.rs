//! A thread of the search.

use std::sync::atomic::Ordering;

use super::arena::{Block, Piece};
use super::best_line::BestLine;
use super::descent::{Guide, Leaf, Path};
use super::node::{NodeId, Stage};
use super::tree::Tree;
use super::{Config, Shared};
use crate::machine::{MachineError, Move, State};
use crate::playout::{RunLimits, Tally};
use crate::rng::GameRng;
use crate::search::evaluator::Evaluator;
use crate::search::successor::{Expansion, Successor, Transition};
use crate::statistics::Moments;
use propjit_stop::Stop;

/// How many known values are brought up in a row before anything else is looked at.
const MOST_KNOWN: usize = 256;

/// What the playouts of a leaf may cost, in gates evaluated for all lanes: a small part of
/// what it takes to choose a leaf and to make its node. With that, breakthrough and reversi get 1
/// and connect four 4.
///
/// Between 1 and 4, it matters little. Scores at equal time with decisive moves, in 40 to 50
/// matches (their standard error is 7 to 8 points): breakthrough with 2 against 1 44%, with 4
/// against 1 38%; reversi 47% and 64%, and with 16 against 4 34%; connect four with 16 against 4
/// 58%, and against 1 at equal nodes 85%.
const LEAF_COST: f64 = 1000.0;

/// How many playouts a leaf gets at most.
const MOST_PLAYOUTS: u64 = 4;

/// How many it gets before it is known what they cost.
const FIRST_PLAYOUTS: u64 = 2;

pub(super) struct Worker<'a> {
    shared: &'a Shared,
    tree: &'a Tree,
    config: &'a Config,
    evaluator: &'a mut Evaluator,
    guide: Guide,
    /// The paths to the leaves in which playouts have started, by the number of the start.
    playing: Vec<Option<(Path, NodeId)>>,
    /// How many these are.
    leaves: usize,
    /// Paths that are not in use.
    paths: Vec<Path>,
    /// How many playouts each leaf gets.
    playouts: u64,
    /// The values that evaluations had behind each edge of the root, for each role.
    spread: Vec<Moments<f64>>,
}

/// What has to be found out before a path can go on.
struct Question {
    path: Path,
    node: NodeId,
    state: State,
    depth: u32,
    /// The joint move whose successor is wanted; or else all that there are.
    joint: Option<Vec<Move>>,
}

impl<'a> Worker<'a> {
    pub fn new(
        shared: &'a Shared,
        tree: &'a Tree,
        config: &'a Config,
        evaluator: &'a mut Evaluator,
        rng: GameRng,
    ) -> Worker<'a> {
        Worker {
            playouts: FIRST_PLAYOUTS,
            guide: Guide {
                exploration: config.exploration,
                rng,
                piece: Piece::default(),
                values: Vec::new(),
                state: State::new(),
            },
            playing: Vec::new(),
            leaves: 0,
            paths: Vec::new(),
            spread: Vec::new(),
            shared,
            tree,
            config,
            evaluator,
        }
    }

    /// Searches until a stop comes, the root is solved, or there were so many playouts.
    pub fn run(mut self, stop: &Stop, wanted: Option<u64>) -> Result<(), MachineError> {
        let result = self.search(stop, wanted);
        self.evaluator.runner().clear();
        for (path, leaf) in self.playing.iter().flatten() {
            self.tree.cancel(path, Some(*leaf));
        }
        self.tree.give_back(std::mem::take(&mut self.guide.piece));
        let mut spread = self.shared.spread.lock();
        let length = spread.len().max(self.spread.len());
        spread.resize(length, Moments::default());
        for (sum, own) in spread.iter_mut().zip(&self.spread) {
            sum.merge(own);
        }
        result
    }

    fn search(&mut self, stop: &Stop, wanted: Option<u64>) -> Result<(), MachineError> {
        if let [range] = self.tree.ranges() {
            let best = self.shared.best_line.lock();
            let goal = best.as_ref().map_or(range.low, |best| best.goal);
            self.evaluator.runner().track_best_line(Some(goal as i32));
        }
        while !stop.is_set() {
            let mut questions = self.descend();
            while !questions.is_empty() && !stop.is_set() {
                questions = self.answer(questions, stop)?;
            }
            self.give_up(questions);
            if self.is_done(wanted) {
                break;
            }
            let limits = RunLimits {
                deadline: None,
                enough: self.leaves.div_ceil(4),
                stop,
                progress: &self.shared.playouts,
            };
            self.evaluator.runner().play(&limits)?;
            self.back_up();
        }
        Ok(())
    }

    /// Starts playouts in as many leaves as there is room for.
    fn descend(&mut self) -> Vec<Question> {
        let mut questions = Vec::new();
        self.playouts = match self.config.playouts {
            Some(playouts) => playouts.max(1),
            None => self.shared.fitting_playouts(self.evaluator.step_cost()),
        };
        let lanes = self.evaluator.runner().lanes() as u64;
        let most = lanes.div_ceil(self.playouts) as usize;
        let root = self.tree.root();
        for _ in 0..MOST_KNOWN {
            if self.leaves + questions.len() >= most {
                break;
            }
            let path = self.paths.pop().unwrap_or_default();
            let came_to_something = self.go_on(root, path, &mut questions);
            if !came_to_something || self.tree.node(root).is_solved() {
                break;
            }
        }
        questions
    }

    /// Goes on with a path, which ends at the node. Returns whether it came to something.
    fn go_on(&mut self, node: NodeId, mut path: Path, questions: &mut Vec<Question>) -> bool {
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
        match tree.descend(node, &mut path, &mut self.guide) {
            Leaf::Play(node) => {
                self.guide.state.assign_from(tree.node(node).state());
                let queue = self.evaluator.runner().queue_mut();
                let id = queue.add(&self.guide.state, Some(self.playouts)).index();
                if self.playing.len() <= id {
                    self.playing.resize_with(id + 1, || None);
                }
                self.playing[id] = Some((path, node));
                self.leaves += 1;
            }
            Leaf::Known => {
                let values = std::mem::take(&mut self.guide.values);
                self.tell(path, None, &values);
                self.guide.values = values;
                let spared = &self.shared.spared;
                spared.fetch_add(self.playouts, Ordering::Relaxed);
            }
            Leaf::Expand(node) => questions.push(question(path, node, None)),
            Leaf::Follow(node, joint) => questions.push(question(path, node, Some(joint))),
            Leaf::Busy => {
                tree.cancel(&path, None);
                self.put_away(path);
                return false;
            }
        }
        true
    }

    /// Tells the tree what the evaluation at the end of the path brought for each role.
    fn tell(&mut self, path: Path, leaf: Option<NodeId>, values: &[f32]) {
        self.tree.back_up(&path, leaf, values);
        let start = path.first_edge().unwrap_or(0) * values.len();
        if self.spread.len() < start + values.len() {
            let length = start + values.len();
            self.spread.resize(length, Moments::default());
        }
        for (sample, &value) in self.spread[start..].iter_mut().zip(values) {
            sample.add(value, 1);
        }
        self.put_away(path);
    }

    fn put_away(&mut self, mut path: Path) {
        path.clear();
        self.paths.push(path);
    }

    /// Finds out what is asked, as far as it can be done at once, and goes on with it. Returns
    /// the questions that come next.
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
        for (at, Question { path, node, .. }) in all.into_iter().enumerate() {
            self.open(&path, node, expanded.get(at));
            self.go_on(node, path, &mut next);
        }
        for (Question { path, .. }, found) in one.into_iter().zip(followed.all().each()) {
            self.complete(path, &found, &mut next);
        }
        Ok(next)
    }

    /// Sets what may be played in the node at the end of the path.
    fn open(&mut self, path: &Path, node: NodeId, found: Expansion<'_>) {
        if self.tree.open(node, found, &mut self.guide.piece) {
            self.tree.refresh_path(path);
        }
    }

    /// Says where the joint move at the end of the path leads to, and goes on.
    fn complete(&mut self, path: Path, found: &Successor, questions: &mut Vec<Question>) {
        match self.tree.complete(&path, found, &mut self.guide.piece) {
            Some(next) => {
                self.go_on(next, path, questions);
            }
            // There is no memory to go on.
            None => {
                self.tree.cancel(&path, None);
                self.put_away(path);
            }
        }
    }

    /// Leaves questions unanswered.
    fn give_up(&mut self, questions: Vec<Question>) {
        for question in questions {
            self.tree.cancel(&question.path, None);
            match question.joint {
                None => {
                    let node = self.tree.node(question.node);
                    node.settle(Stage::Unexpanded, Block(0));
                }
                Some(_) => self.tree.forget(&question.path),
            }
        }
    }

    /// Adds the results of playouts that have ended to the tree.
    fn back_up(&mut self) {
        let mut values = std::mem::take(&mut self.guide.values);
        let mut steps = 0;
        loop {
            let queue = self.evaluator.runner().queue_mut();
            let Some((id, tally)) = queue.take_finished() else {
                break;
            };
            steps += tally.state_changes;
            means(tally, &mut values);
            let Some((path, leaf)) = self.playing[id.index()].take() else {
                continue;
            };
            self.leaves -= 1;
            let better = tally.best.as_ref().and_then(|line| {
                let decisions = self.tree.decisions(&path);
                self.shared
                    .improve(BestLine::new(decisions, self.tree, leaf, line))
            });
            if let Some(goal) = better {
                self.evaluator.runner().track_best_line(Some(goal as i32));
                self.tree.assure(leaf, goal);
                self.tree.refresh_path(&path);
            }
            self.tell(path, Some(leaf), &values);
        }
        self.guide.values = values;
        self.shared.steps.fetch_add(steps, Ordering::Relaxed);
    }

    /// Whether there is nothing more to do.
    fn is_done(&self, wanted: Option<u64>) -> bool {
        self.shared.is_enough(wanted) || self.tree.node(self.tree.root()).is_solved()
    }
}

impl Shared {
    /// Keeps a match of the only role if it is better than those before; returns its goal
    /// then.
    fn improve(&self, line: BestLine) -> Option<f32> {
        let mut best = self.best_line.lock();
        let is_better = best.as_ref().is_none_or(|best| line.goal > best.goal);
        is_better.then(|| best.insert(line).goal)
    }

    /// Whether there were as many playouts as are wanted.
    pub fn is_enough(&self, wanted: Option<u64>) -> bool {
        wanted.is_some_and(|wanted| self.playouts_and_spared() >= wanted)
    }

    /// By how many playouts the work is measured.
    pub fn playouts_and_spared(&self) -> u64 {
        self.playouts.rollouts() + self.spared.load(Ordering::Relaxed)
    }

    /// How many playouts a leaf should get if a step of one costs so much.
    ///
    /// More nodes make a search stronger than more playouts, so playouts should cost less than
    /// the rest does; but it is no use that they cost nothing.
    fn fitting_playouts(&self, step: f64) -> u64 {
        let playouts = self.playouts.rollouts();
        if playouts == 0 {
            return FIRST_PLAYOUTS;
        }
        let steps = self.steps.load(Ordering::Relaxed);
        let playout = steps as f64 / playouts as f64 * step;
        // Not a number, if all playouts were over at once.
        ((LEAF_COST / playout) as u64).clamp(1, MOST_PLAYOUTS)
    }
}

/// The mean goal of each role. Playouts without a goal count as 0.
fn means(tally: &Tally, values: &mut Vec<f32>) {
    let count = tally.rollouts().max(1) as f32;
    let goals = tally.goals.iter();
    values.clear();
    values.extend(goals.map(|goals| goals.values.sum as f32 / count));
}
