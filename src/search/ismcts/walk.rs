//! Iterations of a search, many at a time, one per lane.

use propjit_stop::Stop;
use rand::RngExt;
use rand::distr::Distribution;
use rand::distr::weighted::WeightedIndex;

use super::InformationSetSearch;
use super::report::ROOT;
use super::tree::NodeId;
use crate::game::machine::{MachineError, Move, RoleId, State};
use crate::game::playout::{PlayoutRunner, RunLimits};
use crate::search::beliefs::{Knowledge, Population, knowledge_after};
use crate::search::minimax::share_of_range;

/// The number of iterations at a time: more of them would choose by older statistics.
const MAX_AT_A_TIME: usize = 64;

/// How many hypotheses about what another role knows there are at most where its tree begins with a node for each. Where there
/// are more, each of these would be visited too seldom to say anything.
const MAX_BEGINNINGS: usize = 1024;

/// An iteration.
struct Iteration {
    /// What each role knows, and where it is in its tree, unless it has left that.
    roles: Vec<(Knowledge, Option<NodeId>)>,
    /// The choices: of which role, in which node, which move.
    path: Vec<(RoleId, NodeId, Move)>,
}

impl InformationSetSearch {
    /// Makes some iterations, `most` at most, from hypotheses with these probabilities. Returns whether they were completed
    /// before a stop.
    pub(super) fn iterate(
        &mut self,
        belief: &Population,
        probabilities: &WeightedIndex<f64>,
        most: u64,
        stop: &Stop,
    ) -> Result<bool, MachineError> {
        let lanes = self.expander.poll().lanes();
        let count = lanes
            .min(MAX_AT_A_TIME)
            .min(usize::try_from(most).unwrap_or(usize::MAX));
        let mut states = Vec::new();
        let mut iterations: Vec<Iteration> = (0..count)
            .map(|_| {
                let number = probabilities.sample(&mut self.rng);
                states.extend_from_slice(belief.state(number));
                self.begin(belief, number)
            })
            .collect();
        // Those that go on at random, with their states.
        let mut leaving: Vec<(Iteration, State)> = Vec::new();
        while !iterations.is_empty() {
            if stop.is_set() {
                let left = leaving.into_iter().map(|(iteration, _)| iteration);
                left.chain(iterations)
                    .for_each(|left| self.finish(left, None));
                return Ok(false);
            }
            self.step(&mut iterations, &mut states, &mut leaving);
        }
        self.play_out(leaving, stop)
    }

    /// An iteration from a hypothesis.
    fn begin(&mut self, belief: &Population, number: usize) -> Iteration {
        let is_few = belief.len() <= MAX_BEGINNINGS;
        let known = belief.knowledge(number).iter().enumerate();
        let roles = known.map(|(role, &known)| {
            let knowledge = match is_few && role != self.role.index() {
                true => known,
                false => ROOT,
            };
            (knowledge, Some(self.trees[role].add(knowledge)))
        });
        Iteration {
            roles: roles.collect(),
            path: Vec::new(),
        }
    }

    /// Makes a joint move in each of the states. Iterations that are over have their results; those in which all roles have
    /// left their trees are taken out.
    fn step(
        &mut self,
        iterations: &mut Vec<Iteration>,
        states: &mut Vec<u64>,
        leaving: &mut Vec<(Iteration, State)>,
    ) {
        let words = self.expander.words();
        let legal = self.expander.legal(states).clone();
        let batch = self.expander.batch_mut();
        let over = batch.terminal();
        let mut results: Vec<Option<Vec<f32>>> = Vec::with_capacity(iterations.len());
        for lane in 0..iterations.len() {
            let is_stuck = || legal.get(lane).each().any(<[Move]>::is_empty);
            results.push(if over.contains(lane) {
                let goals = batch.goals(lane).map(Option::unwrap_or_default);
                let shares = goals.zip(&self.ranges);
                Some(shares.map(|(goal, &of)| share_of_range(of, goal)).collect())
            } else if is_stuck() {
                // The match cannot go on: the least for all.
                Some(vec![0.0; self.ranges.len()])
            } else {
                None
            });
        }
        // Only those that are not over go on.
        let mut kept = Vec::with_capacity(states.len());
        let mut joints = Vec::new();
        let mut going = Vec::new();
        for (lane, mut iteration) in iterations.drain(..).enumerate() {
            if results[lane].is_some() {
                self.finish(iteration, results[lane].as_deref());
                continue;
            }
            let state = &states[lane * words..][..words];
            if iteration.roles.iter().all(|(_, node)| node.is_none()) {
                leaving.push((iteration, State::from_words(state)));
                continue;
            }
            for (role, legal) in (0..).map(RoleId).zip(legal.get(lane).each()) {
                let (_, node) = iteration.roles[role.index()];
                joints.push(match (legal, node) {
                    ([only], _) => *only,
                    (_, Some(node)) if self.random != Some(role) => {
                        let tree = &mut self.trees[role.index()];
                        let played = tree.choose(node, legal, &mut self.rng);
                        iteration.path.push((role, node, played));
                        played
                    }
                    _ => legal[self.rng.random_range(0..legal.len())],
                });
            }
            kept.extend_from_slice(state);
            going.push(iteration);
        }
        *iterations = going;
        let are_all = kept.len() == states.len();
        states.clear();
        if iterations.is_empty() {
            return;
        }
        let batch = self.expander.batch_mut();
        if !are_all {
            batch.enter_packed(&kept);
        }
        batch.play(&joints);
        batch.evaluate_percepts();
        let roles = self.trees.len();
        let mut percepts = Vec::new();
        for role in RoleId::first(roles) {
            percepts.clear();
            let words = batch.add_percepts(role, &mut percepts);
            let tree = &mut self.trees[role.index()];
            for (lane, iteration) in iterations.iter_mut().enumerate() {
                let own = joints[lane * roles + role.index()];
                let percepts = &percepts[lane * words..][..words];
                let (knowledge, node) = &mut iteration.roles[role.index()];
                *knowledge = knowledge_after(*knowledge, own, percepts);
                // A node is added for the first step outside the tree; from there on, moves are random.
                *node = node.and_then(|_| match tree.find(*knowledge) {
                    Some(next) => Some(next),
                    None => {
                        tree.add(*knowledge);
                        None
                    }
                });
            }
        }
        batch.advance(batch.filled());
        states.extend_from_slice(batch.states());
    }

    /// Plays random matches from the states where iterations left the trees, and adds their results. Returns whether they
    /// were completed before a stop.
    fn play_out(
        &mut self,
        leaving: Vec<(Iteration, State)>,
        stop: &Stop,
    ) -> Result<bool, MachineError> {
        if leaving.is_empty() {
            return Ok(true);
        }
        let queue = self.playouts.queue_mut();
        let ids = leaving.iter().map(|(_, state)| queue.add(state, Some(1)));
        let ids: Vec<_> = ids.collect();
        let limits = RunLimits::default()
            .with_enough(ids.len())
            .with_stop(stop.clone());
        self.playouts.play(&limits)?;
        let is_done = self.playouts.queue().finished() == ids.len();
        for ((iteration, _), id) in leaving.into_iter().zip(ids) {
            let tally = self.playouts.queue().tally(id);
            let goals = tally.goals.iter().zip(&self.ranges);
            let shares = goals.map(|(of, &range)| share_of_range(range, of.values.sum as i32));
            let shares: Vec<f32> = shares.collect();
            self.finish(iteration, is_done.then_some(&shares));
        }
        self.playouts.clear();
        Ok(is_done)
    }

    /// Adds the results of an iteration, as shares of the range of goals of each role, or takes back its choices.
    fn finish(&mut self, iteration: Iteration, results: Option<&[f32]>) {
        for (role, node, played) in iteration.path {
            let result = results.map(|results| results[role.index()]);
            self.trees[role.index()].add_result(node, played, result);
        }
        self.iterations += u64::from(results.is_some());
    }
}
