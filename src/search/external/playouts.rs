//! Policy playouts, with moves drawn from the softmax of logits.

use propjit_stop::Stop;
use rand::RngExt;

use super::{Judgement, LeafEvaluation, Positions};
use crate::game::machine::expansion::successor::Turn;
use crate::game::machine::{MachineError, Move, RoleId, State};
use crate::search::expansion::Evaluator;
use crate::support::rng::GameRng;

/// Playouts by what an evaluation of positions says about moves.
pub(crate) struct PolicyPlayouts<'a> {
    pub evaluation: &'a LeafEvaluation,
    pub evaluator: &'a mut dyn Evaluator,
    /// The role with moves that are all equally likely, if there is one.
    pub random: Option<RoleId>,
    pub rng: &'a mut GameRng,
    /// How many joint moves a match may have.
    pub max_steps: u32,
}

/// A match under way.
struct Match {
    /// The position in which it started.
    start: usize,
    depth: u32,
}

impl PolicyPlayouts<'_> {
    /// Plays a match from each of the positions, with these judgements and depths. Returns the goals of
    /// each role in each match, or nothing if a stop comes. The goals of a match that is too long are 0.
    /// `joint_moves` is raised by the number of joint moves that were made where some role had a choice.
    pub(crate) fn play(
        mut self,
        mut positions: Positions,
        mut judged: Judgement,
        depths: impl Iterator<Item = u32>,
        joint_moves: &mut u64,
        stop: &Stop,
    ) -> Result<Option<Vec<f32>>, MachineError> {
        let roles = positions.roles();
        // A match that takes too long counts as the middle of the range of goals.
        let ranges = self.evaluator.goal_ranges();
        let middle = |&(low, high): &(i32, i32)| f32::midpoint(low as f32, high as f32);
        let middle: Vec<f32> = ranges.iter().map(middle).collect();
        let mut goals = middle.repeat(positions.len());
        let matches = depths.enumerate();
        let mut matches: Vec<Match> = matches
            .map(|(start, depth)| Match { start, depth })
            .collect();
        loop {
            let joints = self.draw(&positions, &judged);
            let parents = positions.each().zip(&matches);
            let parents = parents.map(|(position, played)| (position.state, played.depth));
            let parents: Vec<_> = parents.collect();
            let found = self.evaluator.follow_all(&parents, &joints, stop)?;
            if found.all().infos.len() < matches.len() {
                return Ok(None);
            }
            *joint_moves += matches.len() as u64;
            let mut states = Vec::new();
            let mut running = Vec::new();
            for (next, Match { start, .. }) in found.all().each().zip(matches) {
                let depth = next.info.depth;
                match &next.info.turn {
                    turn @ (Turn::Over(_) | Turn::Stuck) => {
                        let goals = &mut goals[start * roles..][..roles];
                        let roles = RoleId::first(roles);
                        let reached = roles.map(|role| turn.counted_goal(role));
                        goals
                            .iter_mut()
                            .zip(reached)
                            .for_each(|(goal, reached)| *goal = reached);
                    }
                    Turn::Cut => {}
                    Turn::One(_) | Turn::Several if depth >= self.max_steps => {}
                    Turn::One(_) | Turn::Several => {
                        states.push((next.state, depth));
                        running.push(Match { start, depth });
                    }
                }
            }
            if running.is_empty() {
                return Ok(Some(goals));
            }
            matches = running;
            positions = positions_of(self.evaluator, &states, roles)?;
            judged = self.evaluation.judge(&positions)?;
        }
    }

    /// A move of each role in each position.
    fn draw(&mut self, positions: &Positions, judged: &Judgement) -> Vec<Move> {
        let mut joints = Vec::with_capacity(positions.len() * positions.roles());
        for (at, position) in positions.each().enumerate() {
            for role in RoleId::first(positions.roles()) {
                let moves = position.legal.role(role);
                let logits = &judged.logits[positions.places(at, role)];
                let place = match moves.len() {
                    1 => 0,
                    count if self.random == Some(role) => self.rng.random_range(0..count),
                    _ => drawn(&softmax(logits), self.rng.random()),
                };
                joints.push(moves[place]);
            }
        }
        joints
    }
}

/// Returns states, at these depths in joint moves, with their legal moves.
pub(crate) fn positions_of(
    evaluator: &mut dyn Evaluator,
    states: &[(State, u32)],
    roles: usize,
) -> Result<Positions, MachineError> {
    let mut positions = Positions::new(roles);
    while positions.len() < states.len() {
        let rest = states[positions.len()..].iter();
        let rest: Vec<_> = rest.map(|(state, depth)| (state, *depth)).collect();
        // If there are very many moves, they come for the first few states only.
        let legal = evaluator.legal_moves_of(&rest)?;
        for (at, (state, _)) in rest[..legal.len()].iter().enumerate() {
            positions.push((*state).clone(), legal.get(at));
        }
    }
    Ok(positions)
}

/// The probabilities with these logits, of which one is finite at least.
pub(crate) fn softmax(logits: &[f32]) -> Vec<f32> {
    let greatest = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let weights = logits.iter().map(|logit| (logit - greatest).exp());
    let weights: Vec<f32> = weights.collect();
    let total: f32 = weights.iter().sum();
    weights.into_iter().map(|weight| weight / total).collect()
}

/// The place at which the sum of probabilities passes a number from 0 to 1.
fn drawn(probabilities: &[f32], number: f32) -> usize {
    let mut left = number;
    let place = probabilities.iter().position(|probability| {
        left -= probability;
        left < 0.0
    });
    let possible = || {
        probabilities
            .iter()
            .rposition(|&probability| probability > 0.0)
    };
    place.or_else(possible).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_impossible_is_never_drawn() {
        let probabilities = softmax(&[f32::NEG_INFINITY, 1000.0, 1000.0, f32::NEG_INFINITY]);
        assert_eq!(probabilities, [0.0, 0.5, 0.5, 0.0]);
        let draw = |number| drawn(&probabilities, number);
        assert_eq!([0.0, 0.49, 0.51, 1.0].map(draw), [1, 1, 2, 2]);
    }
}
