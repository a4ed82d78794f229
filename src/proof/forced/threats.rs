//! The search for wins by threats: the role plays only moves that the others have to answer.
//!
//! A win of order 0 is one by the role's next choice. A move is a *threat of order n* if the others
//! have a reply after which the role wins by threats of a lower order: then it would win if they
//! looked away. In a win of order n the role plays threats of order n and lower ones only. Few
//! replies are left to a threat, so that wins are found that are many joint moves long; and most of
//! the others are discharged by the cube of the win that the threat announces.
//!
//! Restricting the role's moves restricts no proof, for all replies to them are answered. But finding
//! nothing says nothing about the state.
//!
//! The idea of orders is that of T. Thomsen, "Lambda-search in game trees, with application to Go"
//! (ICGA Journal 23, 2000); threat sequences: L. V. Allis, "Searching for solutions in games and
//! artificial intelligence" (1994).

use std::cmp::Reverse;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::cube::Cube;
use super::node::{Known, Node};
use super::order::ORDER_BITS;
use super::pace::Pace;
use super::search::{ProofCounts, Search, Stopped};

/// The number of replies to a move that are tried to see whether it is a threat.
const TRIALS: usize = 2;

/// The number of states without a win found that are remembered, before they are forgotten.
const MAX_TRIED: usize = 1 << 18;

/// The depth of a search that no bound has cut off.
const ANY: u32 = u32::MAX;

/// The state of searches for wins by threats.
#[derive(Debug)]
pub(super) struct Threats {
    /// By order, phase and state, the depth up to which there is no win by threats.
    tried: FxHashMap<(u32, usize, Box<[u64]>), u32>,
    /// By phase and joint move, how often it decided: as in [`Search`].
    history: Vec<Vec<u64>>,
    /// The counts of these searches alone.
    pub(super) counts: ProofCounts,
}

impl Threats {
    /// Nothing is known yet.
    pub(super) fn new(history: Vec<Vec<u64>>) -> Threats {
        Threats {
            tried: FxHashMap::default(),
            history,
            counts: ProofCounts::default(),
        }
    }
}

/// No win by threats was found.
#[derive(Clone, Copy, Debug)]
pub(super) struct InVain {
    /// Whether there might be one with more joint moves.
    pub(super) is_cut: bool,
}

/// The outcome of a search for a win by threats.
pub(super) type Forced<T> = Result<T, InVain>;

/// How a win is to be.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bounds {
    /// The order of the threats.
    pub(super) order: u32,
    /// The number of joint moves.
    pub(super) depth: u32,
}

impl Search {
    /// Looks for a win by threats from a state that is not terminal, in which every role has a
    /// legal move. The depth is positive.
    pub(super) fn force(
        &mut self,
        phase: usize,
        state: &[u64],
        bounds: Bounds,
        pace: &mut Pace,
    ) -> Result<Forced<Arc<Cube>>, Stopped> {
        std::mem::swap(&mut self.counts, &mut self.threats.counts);
        let forced = self.force_from(phase, state, bounds, pace);
        std::mem::swap(&mut self.counts, &mut self.threats.counts);
        forced
    }

    /// As [`force`](Search::force), within such a search.
    fn force_from(
        &mut self,
        phase: usize,
        state: &[u64],
        bounds: Bounds,
        pace: &mut Pace,
    ) -> Result<Forced<Arc<Cube>>, Stopped> {
        if pace.is_over() {
            return Err(Stopped);
        }
        if let Some(cube) = self.adopt(phase, state, bounds.depth) {
            let is_cut = cube.depth() != Cube::ANY;
            return Ok(match cube.won() {
                true => Ok(cube),
                false => Err(InVain { is_cut }),
            });
        }
        let key = (bounds.order, phase, Box::from(state));
        match self.threats.tried.get(&key) {
            Some(&tried) if tried >= bounds.depth => {
                let is_cut = tried != ANY;
                return Ok(Err(InVain { is_cut }));
            }
            _ => {}
        }
        let mut node = self.take_node(phase, state, bounds.depth);
        let played = self.force_node(&mut node, bounds.order, pace);
        let forced = played.map(|played| match played {
            Ok(played) => {
                // As it is found with a bound that is not the least, it may be shorter.
                node.depth = 1 + length(&node, played);
                Ok(self.conclude(&node, true, played))
            }
            Err(InVain { is_cut }) => {
                if self.threats.tried.len() >= MAX_TRIED {
                    self.threats.tried.clear();
                }
                let depth = if is_cut { bounds.depth } else { ANY };
                self.threats.tried.insert(key, depth);
                Err(InVain { is_cut })
            }
        });
        self.give_back(node);
        forced
    }

    /// The joint move with the move by which the role wins, or whether the depth has cut the search
    /// off.
    fn force_node(
        &mut self,
        node: &mut Node,
        order: u32,
        pace: &mut Pace,
    ) -> Result<Forced<usize>, Stopped> {
        self.expand(node);
        let is_cut = |node: &Node| {
            let mut known = node.legal.iter().map(|&joint| &node.known[joint]);
            order > 0 && known.any(|known| known.verdict() == Some(false) && !known.is_final())
        };
        if let Some((won, played)) = node.verdict() {
            let is_cut = is_cut(node);
            return Ok(if won {
                Ok(played)
            } else {
                Err(InVain { is_cut })
            });
        }
        let mut is_cut = is_cut(node);
        let mut groups = Search::groups(node, &self.threats.history[node.phase]);
        if order == 1 && node.replies == 1 {
            let open = groups.iter().map(|group| group[0]);
            let open = open.filter(|&joint| matches!(node.known[joint], Known::Nothing));
            let open: Vec<usize> = open.collect();
            if let Some(threats) = self.direct_threats(node, &open) {
                groups.retain(|group| threats.contains(&group[0]));
            }
        }
        for group in groups {
            if group
                .iter()
                .any(|&joint| node.known[joint].verdict() == Some(false))
            {
                continue;
            }
            match self.force_move(node, &group, order, pace)? {
                Ok(()) => {
                    self.credit(node, group[0], |replies| replies == 1);
                    return Ok(Ok(group[0]));
                }
                Err(in_vain) => is_cut |= in_vain.is_cut,
            }
        }
        Ok(Err(InVain { is_cut }))
    }

    /// Whether the role wins by a move, with these legal replies to it.
    fn force_move(
        &mut self,
        node: &mut Node,
        group: &[usize],
        order: u32,
        pace: &mut Pace,
    ) -> Result<Forced<()>, Stopped> {
        let open = |node: &Node, joint: &usize| matches!(node.known[*joint], Known::Nothing);
        if order > 0 && group.len() > 1 {
            // The replies that seldom refute anything come last.
            let trials = group.iter().rev().filter(|joint| open(node, joint));
            let trials: Vec<usize> = trials.copied().take(TRIALS).collect();
            let (mut is_threat, mut is_cut) = (trials.len() < TRIALS, false);
            for joint in trials {
                match self.force_joint(node, joint, order - 1, pace)? {
                    Ok(()) => {
                        is_threat = true;
                        break;
                    }
                    Err(in_vain) => is_cut |= in_vain.is_cut,
                }
            }
            if !is_threat {
                return Ok(Err(InVain { is_cut }));
            }
        }
        for joint in group {
            if open(node, joint)
                && let Err(in_vain) = self.force_joint(node, *joint, order, pace)?
            {
                self.credit(node, *joint, |replies| replies > 1);
                return Ok(Err(in_vain));
            }
        }
        Ok(Ok(()))
    }

    /// Returns whether the role wins after a joint move of which nothing is known.
    fn force_joint(
        &mut self,
        node: &mut Node,
        joint: usize,
        order: u32,
        pace: &mut Pace,
    ) -> Result<Forced<()>, Stopped> {
        let phase = (node.phase + 1) % self.steps.phases();
        let most = match order {
            0 => self.until_choice(phase),
            _ => u32::MAX,
        };
        let bounds = Bounds {
            order,
            depth: (node.depth - 1).min(most),
        };
        self.counts.searched += 1;
        Ok(
            match self.force_from(phase, &node.after(joint), bounds, pace)? {
                Ok(cube) => {
                    self.counts.discharged += node.discharge(joint, &cube);
                    Ok(())
                }
                Err(in_vain) => Err(InVain {
                    is_cut: in_vain.is_cut || (order == 0 && bounds.depth < most),
                }),
            },
        )
    }

    /// The legal joint moves by move of the role, in the order in which they are tried.
    pub(super) fn groups(node: &Node, history: &[u64]) -> Vec<Vec<usize>> {
        let groups = node
            .legal
            .chunk_by(|a, b| a / node.replies == b / node.replies);
        let mut groups: Vec<Vec<usize>> = groups.map(<[usize]>::to_vec).collect();
        for group in &mut groups {
            group.sort_by_key(|&joint| Reverse(history[joint]));
        }
        groups.sort_by_key(|group| Reverse(history[group[0]]));
        groups
    }

    /// Notes that a joint move has decided, if such moves count with this many replies.
    fn credit(&mut self, node: &Node, joint: usize, counts: impl Fn(usize) -> bool) {
        if counts(node.replies) {
            let depth = u64::from(node.depth.min(1 << 10));
            self.threats.history[node.phase][joint] += depth.pow(2) << ORDER_BITS;
        }
    }

    /// The number of joint moves up to the role's next choice.
    pub(super) fn until_choice(&self, phase: usize) -> u32 {
        let phases = self.steps.phases();
        let has_choice = |&ahead: &usize| self.steps.joints((phase + ahead) % phases).moves() > 1;
        (0..phases).find(has_choice).unwrap_or(0) as u32 + 1
    }
}

/// The number of joint moves that a win by a move takes after it.
pub(super) fn length(node: &Node, played: usize) -> u32 {
    let first = played / node.replies * node.replies;
    let known = &node.known[first..first + node.replies];
    let lengths = known.iter().map(|known| match known {
        Known::Cube(cube) => cube.depth(),
        _ => 0,
    });
    lengths.max().unwrap_or(0)
}
