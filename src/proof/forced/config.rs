//! The configuration of proof search, and reasons why it is unavailable.

use crate::support::setters::setters;

/// How a proof is searched for.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum ProofMode {
    /// All moves of the role of the target, by iterative deepening.
    Full,
    /// Threats only. A win that is not found by threats may be possible all the same.
    Threats,
    /// Both, in turns.
    Both,
    /// All moves, without a horizon: nothing is found out if the number of joint moves is bounded.
    Numbers,
    /// All of these, in turns.
    #[default]
    All,
}

/// How a proof was searched for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ProofWay {
    /// With all moves of the role of the target.
    Full,
    /// With threats of this order, and lower ones.
    Threats(u32),
    /// With all moves, without a horizon, by proof numbers.
    Numbers,
}

/// The greatest number of joint moves that are searched. The search is recursive.
pub const MAX_DEPTH: u32 = 500;

/// The number of joint moves that may be tried in a state.
pub(super) const MAX_JOINTS: usize = 1 << 12;

/// How proofs are searched for.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ProofConfig {
    /// Which moves of the role are searched, and how far.
    pub mode: ProofMode,
    /// The disabled parts of the search, to measure what they contribute.
    pub without: Vec<ProofPart>,
}

/// A part that a search can do without.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum ProofPart {
    /// That states are recognised that are in a cube.
    Cubes,
    /// That states are recognised that are in a fail cube.
    FailCubes,
    /// That it is no part of a proof that a reply is not legal, if the state after it would be in a
    /// cube as well.
    IllegalReplies,
    /// That moves that are nearer to a goal are tried earlier, as long as nothing else is known of
    /// them.
    Order,
}

impl Default for ProofConfig {
    /// In all ways in turns, with all parts.
    fn default() -> ProofConfig {
        ProofConfig {
            mode: ProofMode::default(),
            without: Vec::new(),
        }
    }
}

impl ProofConfig {
    setters! {
        with_mode(mode: ProofMode);
        with_without(without: Vec<ProofPart>);
    }

    /// Whether the search has a part.
    pub(super) fn has(&self, part: ProofPart) -> bool {
        !self.without.contains(&part)
    }
}

/// Why a game or a state has no proofs.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ProofError {
    /// There are too many joint moves.
    #[error("proof search does not support states with more than {most} joint moves", most = MAX_JOINTS)]
    JointMoves,
    /// No match comes to the state.
    #[error("the state is unreachable: it is in none of the game's phases")]
    Unreachable,
    /// The stop came before the prover was ready.
    #[error("interrupted before the prover was ready")]
    Stopped,
}
