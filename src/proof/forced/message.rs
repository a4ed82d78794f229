//! Messages between a search and its proof workers, as plain data.

use crate::game::circuits::reasons::Target;
use crate::game::ground::Literal;
use crate::game::machine::State;
use crate::game::vocabulary::moves::{Move, RoleId};

/// A position about which proofs are wanted.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ProofPosition {
    /// The state.
    pub state: State,
    /// The role that wins are searched for; or all roles.
    pub role: Option<RoleId>,
}

/// Positions about which proofs are wanted from now on, and about no others.
#[derive(Clone, PartialEq, Debug)]
pub struct ProofRequest {
    /// The number of the request: more than that of earlier ones.
    pub number: u64,
    /// The share of the time that the worker may work, more than 0 and at most 1.
    pub share: f64,
    /// The positions, with the most important one first. If there are none, the worker rests.
    pub positions: Vec<ProofPosition>,
}

/// An event of a worker.
#[derive(Clone, PartialEq, Debug)]
pub enum WorkerEvent {
    /// The worker reports something.
    Message(ProofMessage),
    /// It has ended, and is started again.
    Lost,
    /// The worker will report nothing more.
    Gone,
}

/// A message of a worker.
#[derive(Clone, PartialEq, Debug)]
pub enum ProofMessage {
    /// Something that was proved about a position.
    Proof(ProofAnswer),
    /// Wins in other states, proved on the way.
    Wins(ProofWins),
    /// The worker is ready for requests, or has ended its work on one.
    Status(ProofStatus),
}

/// Something that was proved.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub struct ProofAnswer {
    /// The number of the request.
    pub request: u64,
    /// The number of the position in the request, from 0.
    pub position: usize,
    /// The target that the role can force there.
    pub target: Target,
    /// Within this number of joint moves.
    pub depth: u32,
    /// The first joint move. Only that of the target's role is part of the proof.
    pub joint: Vec<Move>,
    /// The proved upper bounds of the others then.
    pub ceilings: Vec<(RoleId, i32)>,
    /// The same is proved for all states in the phase of the position that agree on these.
    pub cube: Vec<Literal>,
    /// The number of nodes that the search for this proof took.
    pub nodes: u64,
}

/// Sets of states from which a role can force a goal, which were found in the search for proofs
/// about positions.
#[derive(Clone, PartialEq, Debug)]
pub struct ProofWins {
    /// The target that the role can force there.
    pub target: Target,
    /// The proved upper bounds of the others then.
    pub ceilings: Vec<(RoleId, i32)>,
    /// The sets.
    pub cubes: Vec<WinCube>,
}

/// The states of a phase that agree on some propositions, and from which a role can force a goal.
#[derive(Clone, PartialEq, Debug)]
pub struct WinCube {
    /// The number of the [phase](crate::game::ground::Phases).
    pub phase: usize,
    /// Within this number of joint moves.
    pub depth: u32,
    /// The literals that the states agree on.
    pub literals: Vec<Literal>,
}

/// How far a worker is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ProofStatus {
    /// The number of the request that the work has ended on; 0 when the worker is ready.
    pub request: u64,
    /// The targets of the search.
    pub targets: Vec<TargetStatus>,
}

/// The progress of the search for proofs about a target.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct TargetStatus {
    /// The target.
    pub target: Target,
    /// Whether all moves are still searched, and not only threats: no more where cubes spare too few
    /// of the joint moves.
    pub is_on: bool,
    /// The nodes that were searched with all moves.
    pub nodes: u64,
    /// The joint moves that were searched.
    pub searched: u64,
    /// The number of joint moves that need not be searched, because a cube gave their outcome.
    pub discharged: u64,
    /// The nodes that were searched for wins by threats.
    pub threat_nodes: u64,
    /// The wins that were found in requested positions: with all moves, and by threats.
    pub proofs: [u64; 2],
}

impl TargetStatus {
    /// The share of joint moves that need not be searched; `None` where there were no joint moves.
    pub fn spared(&self) -> Option<f64> {
        let all = self.searched + self.discharged;
        (all > 0).then(|| self.discharged as f64 / all as f64)
    }
}
