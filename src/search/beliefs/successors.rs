//! Successors of a population that explain an observation, in lanes.

use propjit_stop::Stop;
use rand::RngExt;

use super::observation::Observation;
use super::population::{Knowledge, Population, knowledge_after};
use crate::game::machine::batch::Batch;
use crate::game::machine::expansion::Expander;
use crate::game::machine::{Move, RoleId};
use crate::game::vocabulary::lane_mask::LaneMask;
use crate::support::rng::GameRng;

/// The number of joint moves of a state that are all tried; of more, as many are drawn.
const MAX_JOINTS: usize = 512;

/// Joint moves that wait for free lanes.
#[derive(Default)]
struct Waiting {
    /// The packed states in which they are made, what the roles know there, and the moves, one after the other.
    states: Vec<u64>,
    knowledge: Vec<Knowledge>,
    joints: Vec<Move>,
    /// The weight of each, and the number of histories.
    weights: Vec<(f64, f64)>,
}

/// A joint move of which a role knows its own move, and perhaps what it observed.
pub(super) struct Step<'a> {
    pub(super) role: RoleId,
    pub(super) own: Move,
    pub(super) observation: Option<&'a Observation>,
}

impl Step<'_> {
    /// Returns the states to which the moves of all roles may lead from those of a population, if these explain what the role
    /// observed; and whether these are all. Moves of other roles are equally probable. If a stop comes, there are fewer.
    pub(super) fn successors(
        &self,
        expander: &mut Expander,
        population: &Population,
        rng: &mut GameRng,
        stop: &Stop,
    ) -> (Population, bool) {
        let words = expander.words();
        let mut found = Population::emptied(population);
        let mut waiting = Waiting::default();
        let mut are_all = true;
        let lanes = expander.poll().lanes();
        let numbers: Vec<usize> = (0..population.len()).collect();
        for numbers in numbers.chunks(lanes) {
            if stop.is_set() {
                return (found, false);
            }
            let mut states = Vec::with_capacity(numbers.len() * words);
            for &number in numbers {
                states.extend_from_slice(population.state(number));
            }
            let legal = expander.legal(&states).clone();
            let batch = expander.batch_mut();
            let over = batch.terminal();
            for (at, &number) in numbers.iter().enumerate() {
                let of_state = legal.get(at);
                if over.contains(at) || !of_state.role(self.role).contains(&self.own) {
                    continue;
                }
                let moves: Vec<&[Move]> = (of_state.each().enumerate())
                    .map(|(other, moves)| match other == self.role.index() {
                        true => std::slice::from_ref(&self.own),
                        false => moves,
                    })
                    .collect();
                let count = moves
                    .iter()
                    .fold(1usize, |count, moves| count.saturating_mul(moves.len()));
                let (tried, is_all) = match count {
                    0 => continue,
                    1..=MAX_JOINTS => (count, true),
                    _ => (MAX_JOINTS, false),
                };
                are_all &= is_all;
                let weight = population.weight(number) / tried as f64;
                let histories = population.histories_of(number) * (count as f64 / tried as f64);
                for joint in 0..tried {
                    let mut rest = joint;
                    waiting.joints.extend(moves.iter().map(|moves| {
                        let place = match is_all {
                            true => rest % moves.len(),
                            false => rng.random_range(0..moves.len()),
                        };
                        rest /= moves.len();
                        moves[place]
                    }));
                    waiting.states.extend_from_slice(population.state(number));
                    let knowledge = population.knowledge(number);
                    waiting.knowledge.extend_from_slice(knowledge);
                    waiting.weights.push((weight, histories));
                    if waiting.weights.len() == lanes {
                        waiting.flush(batch, self, &mut found);
                    }
                }
            }
            waiting.flush(batch, self, &mut found);
        }
        (found, are_all)
    }
}

impl Step<'_> {
    /// Returns the state to which a joint move leads from the one state of a population, if that explains what the role
    /// observed. Its weight is that of the state, by the number of moves that the other roles could have made.
    pub(super) fn made(
        &self,
        expander: &mut Expander,
        population: &Population,
        joint: &[Move],
    ) -> Population {
        let state = population.state(0);
        let legal = expander.legal(state).clone();
        let moves = legal.get(0).each().enumerate();
        let others = moves.filter(|(role, _)| *role != self.role.index());
        let count: f64 = others.map(|(_, moves)| moves.len() as f64).product();
        let weight = (population.weight(0) / count, population.histories_of(0));
        let mut waiting = Waiting {
            states: state.to_vec(),
            knowledge: population.knowledge(0).to_vec(),
            joints: joint.to_vec(),
            weights: vec![weight],
        };
        let mut found = Population::emptied(population);
        waiting.flush(expander.batch_mut(), self, &mut found);
        found
    }
}

impl Waiting {
    /// Makes the moves, and adds the states that follow and explain the observation.
    fn flush(&mut self, batch: &mut Batch, step: &Step<'_>, found: &mut Population) {
        if self.weights.is_empty() {
            return;
        }
        batch.enter_packed(&self.states);
        batch.play(&self.joints);
        batch.evaluate_percepts();
        let mut explain = batch.filled();
        if let Some(observation) = step.observation {
            let width = batch.width();
            let rows = batch.percept_rows(step.role).chunks_exact(width.words());
            for (percept, row) in rows.enumerate() {
                let row = LaneMask::from_words(row);
                explain = match observation.has(percept) {
                    true => explain.and(row),
                    false => explain.and_not(row),
                };
            }
        }
        if !explain.is_empty() {
            self.learn(batch, step.role);
            batch.advance(batch.filled());
            if let Some(observation) = step.observation {
                let over = batch.terminal();
                explain = match observation.is_over {
                    true => explain.and(over),
                    false => explain.and_not(over),
                };
            }
            let words = batch.state_words();
            let states = batch.states();
            let roles = self.knowledge.len() / self.weights.len();
            let mut hypothesis = Vec::with_capacity(words + roles);
            for lane in explain.lanes() {
                let (weight, histories) = self.weights[lane];
                hypothesis.clear();
                hypothesis.extend_from_slice(&states[lane * words..][..words]);
                hypothesis.extend_from_slice(&self.knowledge[lane * roles..][..roles]);
                found.add(&hypothesis, weight, histories);
            }
        }
        self.states.clear();
        self.knowledge.clear();
        self.joints.clear();
        self.weights.clear();
    }

    /// Brings up to date what the other roles know.
    fn learn(&mut self, batch: &Batch, own: RoleId) {
        let roles = self.knowledge.len() / self.weights.len();
        let mut percepts = Vec::new();
        for role in RoleId::first(roles).filter(|&role| role != own) {
            percepts.clear();
            let words = batch.add_percepts(role, &mut percepts);
            for lane in 0..self.weights.len() {
                let place = lane * roles + role.index();
                let percepts = &percepts[lane * words..][..words];
                let known = &mut self.knowledge[place];
                *known = knowledge_after(*known, self.joints[place], percepts);
            }
        }
    }
}
