//! A thread of the search.

use std::sync::atomic::{AtomicU64, Ordering};

use rustc_hash::FxHashMap;

use super::descent::{Leaf, Path};
use super::node::{Decision, Inside, Joint, NodeId};
use super::tree::Tree;
use super::{Config, Shared};
use crate::machine::{MachineError, Move, State};
use crate::playout::{Limits, Progress, StartId, Tally};
use crate::rng::GameRng;
use crate::search::successor::{Evaluator, Expansion, Leap, Successor, Turn};
use crate::stop::Stop;

/// How many known values are brought up in a row before anything else is looked at.
const MOST_KNOWN: usize = 256;

/// What the playouts of a leaf may cost, in gates evaluated for all lanes: about a fifth of
/// what it takes to choose a leaf and to make its node. With that, connect four gets 16 and
/// breakthrough 3. Of 8 and 2, in matches at equal time, 8 won in connect four (64% of 40
/// matches) and 2 in breakthrough (60% of 40).
const LEAF_COST: f64 = 4000.0;

/// How many playouts a leaf gets at most.
const MOST_PLAYOUTS: u64 = 16;

/// How many it gets before it is known what they cost.
const FIRST_PLAYOUTS: u64 = 4;

pub(super) struct Worker<'a> {
    shared: &'a Shared,
    config: &'a Config,
    evaluator: &'a mut Evaluator,
    rng: GameRng,
    /// The leaves in which playouts have started.
    playing: FxHashMap<StartId, (Path, NodeId)>,
    /// How many playouts each leaf gets.
    playouts: u64,
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
        config: &'a Config,
        evaluator: &'a mut Evaluator,
        rng: GameRng,
    ) -> Worker<'a> {
        Worker {
            playouts: FIRST_PLAYOUTS,
            shared,
            config,
            evaluator,
            rng,
            playing: FxHashMap::default(),
        }
    }

    /// Searches until a stop comes, the root is solved, or there were so many playouts.
    pub fn run(mut self, stop: &Stop, wanted: Option<u64>) -> Result<(), MachineError> {
        let result = self.search(stop, wanted);
        self.evaluator.player().clear();
        let mut tree = self.shared.tree();
        for (path, leaf) in self.playing.values() {
            tree.cancel(path, Some(*leaf));
        }
        result
    }

    fn search(&mut self, stop: &Stop, wanted: Option<u64>) -> Result<(), MachineError> {
        let progress = Progress::default();
        while !stop.is_set() {
            let mut questions = self.descend();
            while !questions.is_empty() && !stop.is_set() {
                questions = self.answer(questions)?;
            }
            self.give_up(questions);
            if self.shared.is_done(wanted) {
                break;
            }
            let limits = Limits {
                deadline: None,
                enough: self.playing.len().div_ceil(4),
                stop,
                progress: &progress,
            };
            self.evaluator.player().play(&limits)?;
            self.back_up();
        }
        Ok(())
    }

    /// Starts playouts in as many leaves as there is room for.
    fn descend(&mut self) -> Vec<Question> {
        let mut questions = Vec::new();
        let shared = self.shared;
        self.playouts = match self.config.playouts {
            Some(playouts) => playouts.max(1),
            None => shared.fitting_playouts(self.evaluator.step_cost()),
        };
        let lanes = self.evaluator.player().lanes() as u64;
        let most = lanes.div_ceil(self.playouts) as usize;
        let mut tree = shared.tree();
        for _ in 0..MOST_KNOWN {
            if self.playing.len() + questions.len() >= most {
                break;
            }
            let root = tree.root();
            let leaf = self.go_on(&mut tree, root, Path::default(), &mut questions);
            if !leaf || tree.node(root).is_solved() {
                break;
            }
        }
        questions
    }

    /// Goes on with a path, which ends at the node. Returns whether it came to something.
    fn go_on(
        &mut self,
        tree: &mut Tree,
        node: NodeId,
        mut path: Path,
        questions: &mut Vec<Question>,
    ) -> bool {
        let question = |tree: &Tree, path, node: NodeId, joint| Question {
            path,
            state: tree.node(node).state.clone(),
            depth: tree.node(node).depth,
            node,
            joint,
        };
        match tree.descend(node, &mut path, self.config.exploration, &mut self.rng) {
            Leaf::Play(node) => {
                let starts = self.evaluator.player().starts_mut();
                let id = starts.add(&tree.node(node).state, Some(self.playouts));
                self.playing.insert(id, (path, node));
            }
            Leaf::Known(values) => {
                tree.back_up(&path, None, &values);
                let spared = &self.shared.spared;
                spared.fetch_add(self.playouts, Ordering::Relaxed);
            }
            Leaf::Expand(node) => questions.push(question(tree, path, node, None)),
            Leaf::Follow(node, joint) => questions.push(question(tree, path, node, Some(joint))),
            Leaf::Busy => {
                tree.cancel(&path, None);
                return false;
            }
        }
        true
    }

    /// Finds out what is asked, and goes on with it. Returns the questions that come next.
    fn answer(&mut self, questions: Vec<Question>) -> Result<Vec<Question>, MachineError> {
        let answers = match self.find_out(&questions) {
            Ok(answers) => answers,
            Err(error) => {
                self.give_up(questions);
                return Err(error);
            }
        };
        let shared = self.shared;
        let mut tree = shared.tree();
        let mut next = Vec::new();
        for (question, answer) in questions.into_iter().zip(answers) {
            let Question { path, node, .. } = question;
            let node = tell(&mut tree, &path, node, answer);
            self.go_on(&mut tree, node, path, &mut next);
        }
        Ok(next)
    }

    /// One answer for each question.
    fn find_out(&mut self, questions: &[Question]) -> Result<Vec<Answer>, MachineError> {
        let (all, one): (Vec<&Question>, Vec<&Question>) = questions
            .iter()
            .partition(|question| question.joint.is_none());
        let states = all.iter().map(|question| (&question.state, question.depth));
        let states: Vec<_> = states.collect();
        let leaps = one.iter().map(|question| Leap {
            state: &question.state,
            depth: question.depth,
            joint: question.joint.as_deref().unwrap_or_default(),
        });
        let leaps: Vec<_> = leaps.collect();
        let mut all = self.evaluator.expand(&states)?.into_iter();
        let mut one = self.evaluator.follow(&leaps)?.into_each();
        let answers = questions
            .iter()
            .filter_map(|question| match question.joint {
                None => all.next().map(Answer::Expansion),
                Some(_) => one.next().map(Answer::Successor),
            });
        Ok(answers.collect())
    }

    /// Leaves questions unanswered.
    fn give_up(&mut self, questions: Vec<Question>) {
        if questions.is_empty() {
            return;
        }
        let mut tree = self.shared.tree();
        for question in questions {
            tree.cancel(&question.path, None);
            match question.joint {
                None => tree.open(question.node, Inside::Unexpanded),
                Some(_) => tree.forget(&question.path),
            }
        }
    }

    /// Adds the results of playouts that have ended to the tree.
    fn back_up(&mut self) {
        let starts = self.evaluator.player().starts_mut();
        let mut tree = self.shared.tree();
        let (mut playouts, mut steps) = (0, 0);
        while let Some((id, tally)) = starts.take_finished() {
            let Some((path, leaf)) = self.playing.remove(&id) else {
                continue;
            };
            playouts += tally.rollouts();
            steps += tally.state_changes;
            tree.back_up(&path, Some(leaf), &means(tally));
        }
        let shared = self.shared;
        shared.playouts.fetch_add(playouts, Ordering::Relaxed);
        shared.steps.fetch_add(steps, Ordering::Relaxed);
    }
}

impl Shared {
    /// By how many playouts the work is measured.
    pub fn playouts_and_spared(&self) -> u64 {
        let count = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        count(&self.playouts) + count(&self.spared)
    }

    /// How many playouts a leaf should get if a step of one costs so much.
    ///
    /// More nodes make a search stronger than more playouts, so playouts should cost less than
    /// the rest does; but it is no use that they cost nothing.
    fn fitting_playouts(&self, step: f64) -> u64 {
        let count = |counter: &AtomicU64| counter.load(Ordering::Relaxed) as f64;
        let playouts = count(&self.playouts);
        if playouts == 0.0 {
            return FIRST_PLAYOUTS;
        }
        let playout = count(&self.steps) / playouts * step;
        (LEAF_COST / playout).clamp(1.0, MOST_PLAYOUTS as f64) as u64
    }

    /// Whether there is nothing more to do.
    fn is_done(&self, wanted: Option<u64>) -> bool {
        let tree = self.tree();
        wanted.is_some_and(|wanted| self.playouts_and_spared() >= wanted)
            || tree.node(tree.root()).is_solved()
    }
}

/// What was found out.
enum Answer {
    Expansion(Expansion),
    Successor(Successor),
}

/// Adds an answer to the tree. Returns the node from which the path goes on.
fn tell(tree: &mut Tree, path: &Path, node: NodeId, answer: Answer) -> NodeId {
    let Expansion { legal, successors } = match answer {
        Answer::Expansion(expansion) => expansion,
        Answer::Successor(successor) => return tree.complete(path, successor),
    };
    match tree.node(node).turn {
        Turn::One(role) => {
            let range = tree.ranges()[role.index()];
            let decision = Decision::new(&legal[role.index()], successors, role, range);
            tree.open(node, Inside::Decision(decision));
            if tree.refresh(node) {
                tree.refresh_path(path);
            }
        }
        _ => tree.open(node, Inside::Joint(Box::new(Joint::new(&legal)))),
    }
    node
}

/// The mean goal of each role. Playouts without a goal count as 0.
fn means(tally: &Tally) -> Vec<f64> {
    let count = tally.rollouts().max(1) as f64;
    let goals = tally.goals.iter();
    goals.map(|goals| goals.values.sum as f64 / count).collect()
}
