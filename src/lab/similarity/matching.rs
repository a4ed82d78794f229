//! Pairs of moves with a similar effect in two positions.

use serde::Serialize;

/// The moves that structural similarity pairs.
///
/// Children of the positions are assigned to each other, and then the children of each pair of
/// children: a pair of moves that is assigned to each other below many pairs of children is likely
/// to have a similar effect. If one is a killer move, the other one may be one as well.
#[derive(Clone, PartialEq, Debug)]
pub struct MatchedMoves {
    /// The structural similarity of the positions.
    pub similarity: f64,
    /// The moves of the positions, those that differ least in their similarity first.
    pub pairs: Vec<MovePair>,
    /// The moves of the second ply, those that are assigned to each other most often first, and in
    /// the order of their texts where that is equally often.
    pub frequent: Vec<FrequentPair>,
}

/// A joint move of each of two positions: the text of the only move that has an effect, or those of
/// the moves of all roles, in their order, if several have one.
#[derive(Clone, PartialEq, Debug)]
pub struct MovePair {
    /// The move in the first position.
    pub a: String,
    /// The move in the second position.
    pub b: String,
    /// The similarity of each position to its successor by the move.
    pub similarities: (f64, f64),
}

/// Two moves of the second ply, as in [`MovePair`], and how often they were paired.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct FrequentPair {
    /// The move below the first position.
    pub a: String,
    /// The move below the second position.
    pub b: String,
    /// How often.
    pub count: u32,
}

impl MovePair {
    /// Returns the cost of pairing the moves.
    pub fn distance(&self) -> f64 {
        (self.similarities.0 - self.similarities.1).abs()
    }
}
