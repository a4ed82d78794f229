//! Influence distances: how many joint moves it takes for an influence to arrive.

use super::RoleMove;
use super::phase::PhaseStep;
use crate::game::vocabulary::moves::{Move, RoleId};
use crate::game::vocabulary::state::ones;

/// The distance of what there is no influence on.
pub(super) const FAR: u32 = u32::MAX;

/// The steps from each phase to the next.
#[derive(Debug)]
pub(super) struct Steps {
    each: Vec<PhaseStep>,
    /// The numbers of propositions and of moves.
    pub(super) propositions: usize,
    pub(super) moves: usize,
}

impl Steps {
    pub(super) fn new(each: Vec<PhaseStep>, propositions: usize) -> Steps {
        let moves = each.first().map_or(0, |step| step.touched.len());
        Steps {
            each,
            propositions,
            moves,
        }
    }

    /// Whether a move may be legal in some phase.
    pub(super) fn is_live(&self, number: usize) -> bool {
        self.each.iter().any(|step| step.live[number])
    }

    /// The propositions that a move touches in some phase, ascending.
    pub(super) fn touched_by(&self, number: usize) -> Vec<usize> {
        let each = self.each.iter().flat_map(|step| &step.touched[number]);
        let mut touched: Vec<usize> = each.map(|&base| base as usize).collect();
        touched.sort_unstable();
        touched.dedup();
        touched
    }

    /// By proposition, whether some move touches it.
    pub(super) fn touched(&self) -> Vec<bool> {
        let mut touched = vec![false; self.propositions];
        let each = self.each.iter().flat_map(|step| &step.touched);
        each.flatten()
            .for_each(|&base| touched[base as usize] = true);
        touched
    }

    /// The distances from a move to all moves: breadth first, through states of each phase.
    pub(super) fn distances(&self, number: usize) -> Vec<u32> {
        let mut distances = vec![FAR; self.moves];
        for (phase, step) in self.each.iter().enumerate() {
            self.spread(
                (phase + 1) % self.each.len(),
                &step.touched[number],
                &mut distances,
            );
        }
        distances
    }

    /// Lowers the distances of moves to those from propositions that were changed by the joint move
    /// before this phase.
    fn spread(&self, mut phase: usize, changed: &[u32], distances: &mut [u32]) {
        let words = self.propositions.div_ceil(64);
        // By phase: the propositions and moves that were seen.
        let mut seen = vec![vec![0u64; words]; self.each.len()];
        let mut seen_moves = vec![vec![0u64; self.moves.div_ceil(64)]; self.each.len()];
        let mut frontier = vec![0u64; words];
        for &base in changed {
            frontier[base as usize / 64] |= 1 << (base % 64);
        }
        for distance in 1.. {
            let mut new = 0;
            for (seen, frontier) in seen[phase].iter_mut().zip(&mut frontier) {
                *frontier &= !*seen;
                *seen |= *frontier;
                new |= *frontier;
            }
            if new == 0 {
                return;
            }
            let step = &self.each[phase];
            let mut moves = vec![0; seen_moves[phase].len()];
            let mut after = vec![0; words];
            for base in ones(frontier.iter().copied()) {
                step.moves.add_to(base, &mut moves);
                step.next.add_to(base, &mut after);
            }
            for (seen, moves) in seen_moves[phase].iter_mut().zip(&mut moves) {
                *moves &= !*seen;
                *seen |= *moves;
            }
            for number in ones(moves.iter().copied()) {
                distances[number] = distances[number].min(distance);
                for &base in &step.touched[number] {
                    after[base as usize / 64] |= 1 << (base % 64);
                }
            }
            frontier = after;
            phase = (phase + 1) % self.each.len();
        }
    }

    /// The distances to what depends, in a state of each phase, on these propositions.
    pub(super) fn to_wires(&self, wires: &[Vec<u32>]) -> ToWires {
        let words = self.propositions.div_ceil(64);
        // By phase.
        let mut seen = vec![vec![0u64; words]; self.each.len()];
        let mut seen_moves = vec![vec![false; self.moves]; self.each.len()];
        let mut propositions = vec![FAR; self.propositions];
        let mut moves = vec![FAR; self.moves];
        let set = |bases: &Vec<u32>| {
            let mut set = vec![0u64; words];
            for &base in bases {
                set[base as usize / 64] |= 1 << (base % 64);
            }
            set
        };
        let mut frontiers: Vec<Vec<u64>> = wires.iter().map(set).collect();
        for distance in 0.. {
            let mut new = 0;
            for (seen, frontier) in seen.iter_mut().zip(&mut frontiers) {
                for (seen, frontier) in seen.iter_mut().zip(frontier) {
                    *frontier &= !*seen;
                    *seen |= *frontier;
                    new |= *frontier;
                }
            }
            if new == 0 {
                break;
            }
            for base in frontiers
                .iter()
                .flat_map(|frontier| ones(frontier.iter().copied()))
            {
                propositions[base] = propositions[base].min(distance);
            }
            let before = (0..self.each.len()).map(|phase| {
                let (step, after) = (&self.each[phase], &frontiers[(phase + 1) % self.each.len()]);
                let mut through = vec![0u64; self.moves.div_ceil(64)];
                let is_there = |base: &u32| after[*base as usize / 64] >> (base % 64) & 1 == 1;
                for (number, touched) in step.touched.iter().enumerate() {
                    if !seen_moves[phase][number] && touched.iter().any(is_there) {
                        seen_moves[phase][number] = true;
                        moves[number] = moves[number].min(distance + 1);
                        through[number / 64] |= 1 << (number % 64);
                    }
                }
                let mut before = vec![0u64; words];
                for base in 0..self.propositions {
                    if step.next.meets(base, after) || step.moves.meets(base, &through) {
                        before[base / 64] |= 1 << (base % 64);
                    }
                }
                before
            });
            frontiers = before.collect();
        }
        ToWires {
            propositions,
            moves,
        }
    }
}

/// The distances to something that depends on the state: of several phases, the least.
#[derive(Debug)]
pub(super) struct ToWires {
    /// Of each proposition: 0 if it depends on it at once.
    pub(super) propositions: Vec<u32>,
    /// Of each move: 1 if it touches such a proposition.
    pub(super) moves: Vec<u32>,
}

/// The distances from one move to all moves of the game.
#[derive(Clone, Debug)]
pub struct Distances {
    /// The number of the first move of each role, and that of all moves.
    pub(super) starts: Vec<usize>,
    pub(super) each: Vec<u32>,
}

impl Distances {
    /// The number of joint moves after which the move from which the distance is counted, which
    /// is the first of them, may have an influence on this one; `None` if it never has.
    pub fn to(&self, (role, played): RoleMove) -> Option<u32> {
        let distance = self.each[self.starts[role.index()] + played.index()];
        (distance != FAR).then_some(distance)
    }

    /// Returns the influenced moves with their distances, the nearest first.
    pub fn nearest(&self) -> Vec<(RoleMove, u32)> {
        let roles = self.starts.windows(2).zip(0..);
        let moves = roles.flat_map(|(ends, role)| {
            let moves = self.each[ends[0]..ends[1]].iter().zip(0..);
            moves.map(move |(&distance, number)| ((RoleId(role), Move(number)), distance))
        });
        let mut nearest: Vec<_> = moves.filter(|&(_, distance)| distance != FAR).collect();
        nearest.sort_by_key(|&(_, distance)| distance);
        nearest
    }
}

/// How often each distance occurs.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Distribution {
    /// How often there is each distance, from 0 on.
    pub counts: Vec<u64>,
    /// How often there is none.
    pub never: u64,
}

impl FromIterator<Option<u32>> for Distribution {
    fn from_iter<I: IntoIterator<Item = Option<u32>>>(distances: I) -> Distribution {
        let mut found = Distribution::default();
        let distances = distances.into_iter();
        distances.for_each(|distance| found.add(distance.unwrap_or(FAR)));
        found
    }
}

impl Distribution {
    pub(super) fn add(&mut self, distance: u32) {
        let at = distance as usize;
        match distance {
            FAR => self.never += 1,
            _ if at < self.counts.len() => self.counts[at] += 1,
            _ => {
                self.counts.resize(at, 0);
                self.counts.push(1);
            }
        }
    }

    /// The number of distances.
    pub fn finite(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// The average distance, if there is any.
    pub fn mean(&self) -> Option<f64> {
        let sum: f64 = (self.counts.iter().zip(0u32..))
            .map(|(&count, distance)| count as f64 * f64::from(distance))
            .sum();
        (self.finite() > 0).then(|| sum / self.finite() as f64)
    }
}
