//! Matches in progress, and what is learned from them.

use super::samples::{Samples, ToMove};
use super::schedule::Traces;
use super::weights::{Roles, Shares};
use crate::game::machine::expansion::successor::{NodeInfo, Turn};
use crate::game::machine::{RoleId, State};

/// How many joint moves a match may have.
pub(in crate::search) const MAX_STEPS: u32 = 1000;

/// A match.
pub(super) struct Match {
    pub number: u64,
    pub roles: Roles,
    pub state: State,
    pub info: NodeInfo,
    /// How many decisions are still made at random.
    pub opening: u32,
    /// The states after these, packed, the roles to move, and the decisions.
    pub states: Vec<u64>,
    pub to_move: Vec<ToMove>,
    pub decisions: Vec<Decision>,
}

/// A decision in a match.
#[derive(Clone, Copy, Debug)]
pub(super) struct Decision {
    /// What the roles can expect if the best is done, if that is known.
    pub expected: Option<Shares>,
    /// Whether it was made at random.
    pub is_random: bool,
}

/// The lessons from matches.
pub(super) struct Lessons<'a> {
    /// The states after the opening.
    pub samples: &'a mut Samples,
    /// The states of one in this many matches, which are not among the samples.
    pub held_out: (&'a mut Samples, usize),
    /// How far results count for the samples.
    pub traces: Traces,
}

impl Lessons<'_> {
    /// Adds what can be learned from a match with these results.
    pub(super) fn add(&mut self, one: &Match, results: Shares) {
        let (held_out, part) = &mut self.held_out;
        if one.number.is_multiple_of(*part as u64) {
            let results = std::iter::repeat_n(results, one.to_move.len());
            held_out.add_match(&one.states, &one.to_move, results);
        } else {
            let targets = one.targets(results, self.traces).into_iter();
            self.samples.add_match(&one.states, &one.to_move, targets);
        }
    }
}

impl Match {
    /// Returns the number of the judge that decides for a role, of `judges`.
    pub(super) fn judge_of(&self, role: RoleId, judges: usize) -> usize {
        self.roles.side(self.number, role, judges)
    }

    /// Returns whether a judge, of `judges`, decides; none does where only chance plays.
    pub(super) fn asks(&self, judge: usize, judges: usize) -> bool {
        match self.info.turn {
            Turn::One(role) if self.roles.is_random(role) => false,
            Turn::One(role) => self.judge_of(role, judges) == judge,
            _ => true,
        }
    }

    /// Keeps what can be learned from a decision.
    pub(super) fn note(&mut self, role: RoleId, decision: Decision, words: usize) {
        let state = self.state.words().iter().copied();
        let padded = state.chain(std::iter::repeat(0));
        self.states.extend(padded.take(words));
        self.to_move.push(ToMove {
            role,
            are_several: self.info.turn == Turn::Several,
        });
        self.decisions.push(decision);
    }

    /// Returns the learning targets of each state if the match brought these results.
    fn targets(&self, results: Shares, traces: Traces) -> Vec<Shares> {
        let mut target = results;
        let targets = self.decisions.iter().rev().map(|decision| {
            if let Some(expected) = decision.expected {
                let trace = match decision.is_random {
                    true => traces.random,
                    false => traces.best,
                };
                for (target, expected) in target.iter_mut().zip(expected) {
                    *target = expected + trace * (*target - expected);
                }
            }
            target
        });
        let mut targets: Vec<Shares> = targets.collect();
        targets.reverse();
        targets
    }
}
