//! Configuration of the comparison of positions.

use std::fmt;
use std::str::FromStr;

use crate::support::setters::setters;

/// A measure that compares the moves of two game trees.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Measure {
    /// The similarity of continuations: the fraction of all moves that are in both trees (equation
    /// 1).
    Continuations,
    /// The similarity of sequences: the fraction of all lines that are in both trees, whatever the
    /// order of their moves (equation 2).
    Sequences,
    /// The tree-edit similarity: how few edits turn one tree into the other (section 2.3).
    TreeEdit,
}

impl Measure {
    /// All measures.
    pub const ALL: [Measure; 3] = [
        Measure::Continuations,
        Measure::Sequences,
        Measure::TreeEdit,
    ];

    /// The measure's name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Measure::Continuations => "continuations",
            Measure::Sequences => "sequences",
            Measure::TreeEdit => "tree-edit",
        }
    }
}

impl fmt::Display for Measure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// There is no measure of this name.
#[derive(Clone, Debug, thiserror::Error)]
#[error("there is no measure `{0}`; there are continuations, sequences and tree-edit")]
pub struct UnknownMeasure(String);

impl FromStr for Measure {
    type Err = UnknownMeasure;
    fn from_str(name: &str) -> Result<Measure, UnknownMeasure> {
        let found = Measure::ALL
            .into_iter()
            .find(|measure| measure.name() == name);
        found.ok_or_else(|| UnknownMeasure(name.to_string()))
    }
}

/// The parameters and limits of a comparison.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct SimilarityConfig {
    /// The measure, on which structural similarity is based, too.
    pub measure: Measure,
    /// The depth of the game trees that are compared, in joint moves: 1 at least.
    pub depth: usize,
    /// The places of arguments of moves, counted from 1, that make no difference: without the first
    /// two, `(move e 2 e 4)` is any move to that square.
    pub ignored_arguments: Vec<usize>,
    /// The most nodes of all game trees that are compared in one call.
    pub nodes: usize,
}

impl Default for SimilarityConfig {
    /// Continuations at depth 1, by all arguments, with a million nodes.
    fn default() -> SimilarityConfig {
        SimilarityConfig {
            measure: Measure::Continuations,
            depth: 1,
            ignored_arguments: Vec::new(),
            nodes: 1_000_000,
        }
    }
}

impl SimilarityConfig {
    setters! {
        with_measure(measure: Measure);
        with_depth(depth: usize);
        with_ignored_arguments(ignored_arguments: Vec<usize>);
        with_nodes(nodes: usize);
    }
}
