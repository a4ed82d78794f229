//! Reports of local search, for people and programs.

use std::fmt;

use serde::Serialize;

use crate::game::machine::Move;
use crate::proof::forced::Target;

/// The results of local search.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[non_exhaustive]
pub struct LocalReport {
    /// The number of positions about which something was proved since the root was set.
    pub proofs: usize,
    /// The number of provers that are ready.
    pub ready: usize,
    /// The number of provers that were wanted.
    pub workers: usize,
    /// The results of the search by target.
    pub targets: Vec<LocalTarget>,
}

/// The results of the search for proofs about a target.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[non_exhaustive]
pub struct LocalTarget {
    /// The role.
    pub role: String,
    /// The goal that it is to have at least.
    pub goal: i32,
    /// Whether all moves are still searched, and not only threats: no more where too few replies
    /// are spared.
    pub on: bool,
    /// The number of nodes that were searched with all moves.
    pub nodes: u64,
    /// The share of replies that need not be searched, because their outcome is known.
    pub spared: Option<f64>,
    /// The number of nodes that were searched for wins by threats.
    pub threat_nodes: u64,
    /// The number of positions in which wins were found: with all moves, and by threats.
    pub proofs: [u64; 2],
}

/// The goal that a role is proved to be able to force once a move is played.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Forced {
    /// The role, and the goal that it gets at least.
    pub target: Target,
    /// The number of joint moves, counted from the state that the report is about.
    pub depth: u32,
    /// The move of the role by which it is forced.
    pub by: Move,
}

impl fmt::Display for LocalReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let LocalReport {
            proofs,
            ready,
            workers,
            ..
        } = self;
        writeln!(
            f,
            "local search: {proofs} positions proved; {ready} of {workers} provers ready"
        )?;
        for target in &self.targets {
            write!(f, "    {} {}: ", target.role, target.goal)?;
            match target.on {
                true => write!(f, "{} nodes", target.nodes)?,
                false => write!(f, "off after {} nodes", target.nodes)?,
            }
            if let Some(spared) = target.spared {
                write!(f, ", {:.0}% of replies spared", 100.0 * spared)?;
            }
            let [all, threats] = target.proofs;
            let nodes = target.threat_nodes;
            writeln!(f, ", {all} wins; {nodes} nodes for threats, {threats} wins")?;
        }
        Ok(())
    }
}
