//! Nodes of a proof search: a state, the outcomes of its joint moves, and what is known of them.

use std::sync::Arc;

use super::cube::Cube;
use super::joint_rows::joints;
use super::steps::{Expansion, flag};
use super::store::{Depths, Store};

/// The knowledge about the state after a joint move.
#[derive(Clone, Debug)]
pub(super) enum Known {
    /// Nothing, or the move is not legal.
    Nothing,
    /// It achieves the target.
    Achieved,
    /// It does not: these [`flag`]s show that, and that there are no moves after it.
    Failed(u8),
    /// It is in this cube.
    Cube(Arc<Cube>),
}

impl Known {
    /// Whether the target can be forced.
    pub(super) fn verdict(&self) -> Option<bool> {
        match self {
            Known::Nothing => None,
            Known::Achieved => Some(true),
            Known::Failed(_) => Some(false),
            Known::Cube(cube) => Some(cube.won()),
        }
    }

    /// Returns whether it says that the target cannot be forced by any number of moves. The worth of an end
    /// without exactly one goal, or of a state in which a role has no legal move, is not known.
    pub(super) fn is_final(&self) -> bool {
        match self {
            Known::Nothing | Known::Achieved => false,
            Known::Failed(flags) => *flags == flag::MISSED,
            Known::Cube(cube) => cube.depth() == Cube::ANY,
        }
    }
}

/// A node.
#[derive(Default, Debug)]
pub(super) struct Node {
    pub(super) phase: usize,
    /// The state, packed.
    pub(super) state: Vec<u64>,
    /// The number of joint moves within which the target is to be achieved.
    pub(super) depth: u32,
    /// The number of replies to each move of the target's role.
    pub(super) replies: usize,
    pub(super) expansion: Expansion,
    /// For each joint move, what is known of the state after it.
    pub(super) known: Vec<Known>,
    /// The legal joint moves, in the order in which they are tried.
    pub(super) legal: Vec<usize>,
    /// The set of the joint moves of which nothing is known.
    open: Vec<u64>,
}

impl Node {
    /// Finds the legal joint moves of the expansion, and what is known of the states after them
    /// without a search. Returns after how many it is not known what the match is worth: see
    /// [`ProofCounts::undefined`](super::ProofCounts::undefined).
    pub(super) fn classify_moves(&mut self) -> [u64; 2] {
        let mut undefined = [0; 2];
        let mut fail = |kind: usize, flag: u8| {
            undefined[kind] += 1;
            Known::Failed(flag::ACHIEVED | flag)
        };
        let legal = |moves: u8| moves == flag::OWN | flag::OTHERS;
        let joints = self.expansion.after.iter().zip(&self.expansion.moves);
        let known = joints.map(|(&after, &moves)| match after {
            _ if !legal(moves) => Known::Nothing,
            _ if after & flag::ACHIEVED != 0 => Known::Achieved,
            _ if after & flag::MISSED != 0 => Known::Failed(flag::MISSED),
            _ if after & flag::TERMINAL != 0 => fail(0, flag::TERMINAL),
            _ if after & flag::ABLE == 0 => fail(1, flag::ABLE),
            _ if self.depth == 1 => Known::Failed(flag::ACHIEVED),
            _ => Known::Nothing,
        });
        self.known.clear();
        self.known.extend(known);
        let moves = self.expansion.moves.iter().enumerate();
        self.legal.clear();
        self.legal.extend(
            moves
                .filter(|(_, moves)| legal(**moves))
                .map(|(joint, _)| joint),
        );
        self.open.clear();
        self.open.resize(self.expansion.states.words(), 0);
        for &joint in &self.legal {
            if matches!(self.known[joint], Known::Nothing) {
                self.open[joint / 64] |= 1 << (joint % 64);
            }
        }
        undefined
    }

    /// The state after a joint move, packed.
    pub(super) fn after(&self, joint: usize) -> Vec<u64> {
        self.expansion.states.state(joint, self.state.len())
    }

    /// The number of legal joint moves of which nothing is known.
    pub(super) fn open(&self) -> usize {
        joints(&self.open).count()
    }

    /// Looks for states after joint moves that nothing is known of in the cubes of a store; the
    /// number of those that are there.
    pub(super) fn look_up(&mut self, store: &Store, depths: Depths) -> u64 {
        let Node {
            expansion,
            known,
            open,
            ..
        } = self;
        let mut found = 0;
        store.find(depths, &expansion.states, open, |cube, joint| {
            known[joint] = Known::Cube(cube.clone());
            found += 1;
        });
        found
    }

    /// Takes note that the state after a joint move is in a cube, and so all those that nothing
    /// is known of and that are in it as well; their number.
    pub(super) fn discharge(&mut self, joint: usize, cube: &Arc<Cube>) -> u64 {
        self.note(joint, cube);
        let set = self.expansion.states.within(cube, &self.open);
        joints(&set).for_each(|joint| self.note(joint, cube));
        joints(&set).count() as u64
    }

    /// Takes note that the state after a joint move is in a cube.
    pub(super) fn note(&mut self, joint: usize, cube: &Arc<Cube>) {
        self.known[joint] = Known::Cube(cube.clone());
        self.open[joint / 64] &= !(1 << (joint % 64));
    }

    /// Whether a legal reply is known by which the move in a joint move does not force the target.
    pub(super) fn is_refuted(&self, joint: usize) -> bool {
        let first = joint / self.replies * self.replies;
        let known = &self.known[first..first + self.replies];
        known.iter().any(|known| known.verdict() == Some(false))
    }

    /// A reply to the moves in a joint move, legal or not, by which it is known that these do not force the target: by
    /// any number of moves, if one is known.
    pub(super) fn refutation(&self, joint: usize) -> Option<usize> {
        let first = joint / self.replies * self.replies;
        let refutes = |joint: &usize| self.known[*joint].verdict() == Some(false);
        let mut replies = (first..first + self.replies).filter(refutes);
        let any = replies.clone().next();
        replies.find(|&joint| self.known[joint].is_final()).or(any)
    }

    /// Whether it is known of each legal move of the role that it does not force the target by any number of moves.
    pub(super) fn is_lost(&self) -> bool {
        let mut refutations = self.legal.iter().map(|&joint| self.refutation(joint));
        refutations.all(|joint| joint.is_some_and(|joint| self.known[joint].is_final()))
    }

    /// Whether the target can be forced, if what is known is enough for that, and the first
    /// of the joint moves with the move by which it can be.
    pub(super) fn verdict(&self) -> Option<(bool, usize)> {
        let mut may_win = false;
        for joints in self
            .legal
            .chunk_by(|a, b| a / self.replies == b / self.replies)
        {
            let mut verdict = Some(true);
            for joint in joints {
                match self.known[*joint].verdict() {
                    Some(true) => {}
                    Some(false) => {
                        verdict = Some(false);
                        break;
                    }
                    None => verdict = None,
                }
            }
            match verdict {
                Some(true) => return Some((true, joints[0])),
                Some(false) => {}
                None => may_win = true,
            }
        }
        (!may_win).then_some((false, 0))
    }
}
