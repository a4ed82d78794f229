//! Proof-number search: without a horizon, and always where the fewest states seem to be left to a proof.
//!
//! The *proof number* of a state is the least number of states that would have to be won so that it is
//! proved to be won; the *disproof number*, the least number that would have to be lost so that it is
//! proved to be lost. The search goes depth first, into the state that the fewest states are left for from
//! both points of view, for as long as its numbers are below bounds up to which no other state is better.
//!
//! L. V. Allis et al., "Proof-number search" (1994); A. Nagai, "Df-pn algorithm for searching AND/OR
//! trees and its applications" (2002); the bounds are some more than necessary, so that there are
//! fewer changes from one state to another: J. Pawlewicz and Ł. Lew, "Improving depth-first
//! PN-search: 1+ε trick" (2006).

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::config::MAX_DEPTH;
use super::cube::Cube;
use super::node::{Known, Node};
use super::pace::Pace;
use super::search::{ProofCounts, Search, Stopped};
use super::threats::{Forced, InVain, length};

/// The number of a state that cannot be won, or cannot be lost, for all that is known.
const NEVER: u32 = u32::MAX / 4;

/// The number of states with known numbers before they are forgotten.
const MAX_NUMBERED: usize = 1 << 20;

/// A phase and a packed state.
type Key = (usize, Box<[u64]>);

/// A proof number and a disproof number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Numbers {
    proof: u32,
    disproof: u32,
}

/// The numbers of states that are neither proved to be won nor to be lost.
#[derive(Default, Debug)]
pub(super) struct Numbered {
    numbers: FxHashMap<Key, Numbers>,
    /// The states that the search is in.
    path: Vec<Key>,
    /// The counts of these searches alone.
    pub(super) counts: ProofCounts,
}

/// The state after an open joint move.
struct Child {
    joint: usize,
    key: Key,
    numbers: Numbers,
}

/// The next state to search, and how far.
struct Next {
    at: usize,
    bounds: Numbers,
}

impl Numbered {
    /// Returns the numbers of a state; those of one state, if nothing is known. A repetition is useless.
    fn of(&self, key: &Key) -> Numbers {
        if self.path.len() >= MAX_DEPTH as usize || self.path.contains(key) {
            return Numbers {
                proof: NEVER,
                disproof: 0,
            };
        }
        let known = self.numbers.get(key).copied();
        known.unwrap_or(Numbers {
            proof: 1,
            disproof: 1,
        })
    }
}

impl Search {
    /// Looks for a win, or a proof that there is none, from a state that is not terminal, in which every
    /// role has a legal move. The search fails if all remaining ways repeat states, or if all remaining
    /// ways failed before from the states in which they were tried first: numbers are kept without the way
    /// to their states. Other searches find such wins.
    pub(super) fn decide(
        &mut self,
        phase: usize,
        state: &[u64],
        pace: &mut Pace,
    ) -> Result<Forced<Arc<Cube>>, Stopped> {
        let bounds = Numbers {
            proof: NEVER,
            disproof: NEVER,
        };
        self.numbered.path.clear();
        std::mem::swap(&mut self.counts, &mut self.numbered.counts);
        let found = self.decide_from((phase, state.into()), bounds, pace);
        std::mem::swap(&mut self.counts, &mut self.numbered.counts);
        found.map(|found| found.ok_or(InVain { is_cut: false }))
    }

    /// Searches a state as long as its numbers are below the bounds.
    fn decide_from(
        &mut self,
        key: Key,
        bounds: Numbers,
        pace: &mut Pace,
    ) -> Result<Option<Arc<Cube>>, Stopped> {
        if pace.is_over() {
            return Err(Stopped);
        }
        let (phase, state) = (key.0, &key.1[..]);
        let adopted = self.adopt(phase, state, Cube::ANY);
        // It may be in a cube that was proved since it was met first.
        let known = || self.known_in_use(phase, state, Cube::ANY);
        if let Some(cube) = adopted.or_else(known) {
            return Ok(Some(cube));
        }
        let mut node = self.take_node(phase, state, Cube::ANY);
        self.expand(&mut node);
        self.numbered.path.push(key);
        let found = self.decide_joints(&mut node, bounds, pace);
        let key = self.numbered.path.pop().expect("it was pushed");
        let found = found.map(|found| match found {
            Ok((won, played)) => {
                if won {
                    node.depth = 1 + length(&node, played);
                }
                Some(self.conclude(&node, won, played))
            }
            Err(numbers) => {
                let known = &mut self.numbered.numbers;
                if known.len() >= MAX_NUMBERED {
                    known.clear();
                }
                known.insert(key, numbers);
                None
            }
        });
        self.give_back(node);
        found
    }

    /// Whether the target can be forced, and the joint move with the move by which it can be; or the
    /// numbers of the node, if it is not to be searched any more.
    fn decide_joints(
        &mut self,
        node: &mut Node,
        bounds: Numbers,
        pace: &mut Pace,
    ) -> Result<Result<(bool, usize), Numbers>, Stopped> {
        let after = (node.phase + 1) % self.steps.phases();
        let groups = Search::groups(node, &self.history[node.phase]);
        let is_open = |node: &Node, joint| matches!(node.known[joint], Known::Nothing);
        let open = groups
            .iter()
            .flatten()
            .filter(|&&joint| is_open(node, joint));
        let children = open.map(|&joint| {
            let key = (after, node.after(joint).into_boxed_slice());
            let numbers = self.numbered.of(&key);
            Child {
                joint,
                key,
                numbers,
            }
        });
        let mut children: Vec<Child> = children.collect();
        loop {
            if let Some(verdict) = node.verdict() {
                // An end of unknown worth is useless, as a repetition is.
                return Ok(match verdict.0 || node.is_lost() {
                    true => Ok(verdict),
                    false => Err(Numbers {
                        proof: NEVER,
                        disproof: 0,
                    }),
                });
            }
            children.retain(|child| is_open(node, child.joint) && !node.is_refuted(child.joint));
            let next = match select(&children, node.replies, bounds) {
                Ok(next) => next,
                Err(numbers) => return Ok(Err(numbers)),
            };
            let child = &children[next.at];
            let (joint, key) = (child.joint, child.key.clone());
            self.counts.searched += 1;
            match self.decide_from(key, next.bounds, pace)? {
                Some(cube) => self.settle(node, joint, &cube),
                None => {
                    let child = &mut children[next.at];
                    child.numbers = self.numbered.of(&child.key);
                }
            }
        }
    }
}

/// A move of the role, and the state after the best reply to it.
struct Candidate {
    /// The sum of the proof numbers after all replies.
    proof: u32,
    /// The least disproof number after a reply, and the next one.
    disproof: [u32; 2],
    /// The child after that reply.
    at: usize,
}

impl Candidate {
    /// The move after which these children are, from this number on.
    fn new(start: usize, children: &[Child]) -> Candidate {
        let mut found = Candidate {
            proof: 0,
            disproof: [NEVER; 2],
            at: start,
        };
        for (at, Child { numbers, .. }) in (start..).zip(children) {
            found.proof = (found.proof + numbers.proof).min(NEVER);
            if numbers.disproof < found.disproof[0] {
                found.disproof = [numbers.disproof, found.disproof[0]];
                found.at = at;
            } else {
                found.disproof[1] = found.disproof[1].min(numbers.disproof);
            }
        }
        found
    }
}

/// The state to search next, unless the numbers have come to the bounds: after the move of the role
/// that has the least proof number, and the reply that has the least disproof number.
fn select(children: &[Child], replies: usize, bounds: Numbers) -> Result<Next, Numbers> {
    let mut candidates = Vec::new();
    let mut start = 0;
    for group in children.chunk_by(|a, b| a.joint / replies == b.joint / replies) {
        candidates.push(Candidate::new(start, group));
        start += group.len();
    }
    let disproof = candidates.iter().map(|candidate| candidate.disproof[0]);
    let disproof = disproof.fold(0, |all, more| (all + more).min(NEVER));
    // The first one among equals.
    candidates.sort_by_key(|candidate| candidate.proof);
    let best = &candidates[0];
    let proof = best.proof;
    if proof >= bounds.proof || disproof >= bounds.disproof {
        return Err(Numbers { proof, disproof });
    }
    let others = candidates.get(1).map_or(NEVER, |other| other.proof);
    let more = |number: u32| (number + 1 + number / 4).min(NEVER);
    let [least, second] = best.disproof;
    Ok(Next {
        at: best.at,
        bounds: Numbers {
            proof: bounds.proof.min(more(others)) - (proof - children[best.at].numbers.proof),
            disproof: (bounds.disproof - (disproof - least)).min(more(second)),
        },
    })
}
