//! Verdicts of a proof search.

use std::sync::Arc;
use std::time::Duration;

use super::config::ProofWay;
use super::cube::Cube;
use crate::game::vocabulary::moves::Move;

/// Whether the role of a target can force it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// The role can force it, within this number of joint moves. That may not be the smallest, not even if
    /// it was found with all moves by iterative deepening: numbers of joint moves with a last one that is
    /// not the role's choice are left out.
    Won(u32),
    /// It cannot, in any number of joint moves, if the others know its moves beforehand.
    Lost,
    /// It cannot in this number of joint moves. With 0, nothing was found out. An end in which it has not exactly one goal,
    /// and a state in which some role has no legal move, are [not known](crate::proof::unproved) to be lost.
    NotWithin(u32),
}

/// The findings of a proof search about a state.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Proof {
    /// Whether the role can force the target.
    pub verdict: Verdict,
    /// The other states that the verdict holds for, unless it is that the state is terminal, or nothing was
    /// found out.
    pub cube: Option<Arc<Cube>>,
    /// If the target can be forced, joint moves by which it is: the role's winning moves, with
    /// replies that make it long.
    pub line: Vec<Vec<Move>>,
    /// How long it took until each number of joint moves was searched completely, or the target was
    /// found to be forced, from 1 on.
    pub times: Vec<Duration>,
    /// How the verdict was found.
    pub way: ProofWay,
}

impl Proof {
    /// Nothing was found out.
    pub(super) fn nothing() -> Proof {
        Proof {
            verdict: Verdict::NotWithin(0),
            cube: None,
            line: Vec::new(),
            times: Vec::new(),
            way: ProofWay::Full,
        }
    }
}
