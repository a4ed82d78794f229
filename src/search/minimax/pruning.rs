//! What is pruned and reduced, and by how much: by margins that are learned, and by the order of moves.

use super::margins::Margins;
use super::value::Value;

/// The depths at which an estimate far above the window is enough, and the margin for each ply, as a part of what is
/// lost in a ply at most.
const STATIC_DEPTH: i32 = 5;
const STATIC_MARGIN: f32 = 1.0;

/// The margin by which an estimate is so far below the window that the last ply is not searched, as a part of what the
/// best child gains at most.
const LAST_MARGIN: f32 = 1.5;

/// The depths at which moves with an estimate far below the window are left out, and the margin for each ply.
const FUTILE_DEPTH: i32 = 4;
const FUTILE_MARGIN: f32 = 1.5;

/// The depths at which late moves are left out: those after this many and the square of the depth.
const LATE_DEPTH: i32 = 4;
const LATE_MOVES: i32 = 4;

/// The depth and the number of moves from which on moves are reduced.
const REDUCED_DEPTH: i32 = 3;
const REDUCED_MOVES: usize = 2;

/// The product of the logarithms of depth and number is divided by this. A move is reduced by one ply more for each
/// margin that its estimate is below the best one.
const REDUCTION: f32 = 1.8;
const WORSE_MARGIN: f32 = 3.0;

/// The depth from which on a shallower search may show that a node is outside the window, by how many plies that is
/// shallower, and the margin by which it has to be outside.
const PROBE_DEPTH: i32 = 6;
const PROBE_LESS: i32 = 4;
const PROBE_MARGIN: f32 = 1.0;

/// The margin for each ply by which an outcome of chance may differ from its estimate.
const OUTCOME_MARGIN: f32 = 2.0;

/// Returns the depth and the margin of a search that may show that a node is outside the window, nearly for certain
/// (Buro, "ProbCut: an effective selective extension of the alpha-beta algorithm", 1995).
pub(super) fn probe(margins: &Margins, depth: i32) -> Option<(i32, Value)> {
    (depth >= PROBE_DEPTH).then(|| (depth - PROBE_LESS, margins.loss(PROBE_MARGIN)))
}

/// Returns the value that a node with an estimate has nearly for certain at least, where that may count (reverse
/// futility pruning).
pub(super) fn sure_value(margins: &Margins, estimate: Value, depth: i32) -> Option<Value> {
    (depth <= STATIC_DEPTH).then(|| estimate - margins.loss(STATIC_MARGIN) * depth)
}

/// Returns the value that a node with an estimate has nearly for certain at most, where that may count (razoring: Birmingham
/// and Kent, "Tree-searching and tree-pruning techniques", 1977).
pub(super) fn greatest_value(margins: &Margins, estimate: Value, depth: i32) -> Option<Value> {
    (depth <= 1).then(|| estimate + margins.gain(LAST_MARGIN))
}

/// Returns how much a move can gain at most, nearly for certain, against its estimate, where that may count (futility
/// pruning: Heinz, "Extended futility pruning", 1998).
pub(super) fn greatest_gain(margins: &Margins, depth: i32) -> Option<Value> {
    (depth <= FUTILE_DEPTH).then(|| margins.loss(FUTILE_MARGIN) * (depth - 1))
}

/// Returns whether the move with this number in the order comes so late that it may be left out.
pub(super) fn is_late(number: usize, depth: i32) -> bool {
    depth <= LATE_DEPTH && number as i32 >= LATE_MOVES + depth * depth
}

/// Returns by how much an outcome of chance differs from its estimate at most, nearly for certain.
pub(super) fn outcome(margins: &Margins, depth: i32) -> Value {
    margins.loss(OUTCOME_MARGIN) * depth.max(1)
}

/// Reductions of late moves.
#[derive(Debug)]
pub(super) struct Reductions([f32; 256]);

impl Default for Reductions {
    fn default() -> Reductions {
        Reductions(std::array::from_fn(|number| (number.max(1) as f32).ln()))
    }
}

impl Reductions {
    /// Returns by how many plies a move is searched less deep: that with this number in the order, at a node of a
    /// depth, with an estimate `worse` below the best one. Those that `matter` are reduced less.
    pub(super) fn of(
        &self,
        margins: &Margins,
        depth: i32,
        number: usize,
        worse: Value,
        matter: i32,
    ) -> i32 {
        if depth < REDUCED_DEPTH || number < REDUCED_MOVES {
            return 0;
        }
        let logarithm = |number: usize| self.0[number.min(self.0.len() - 1)];
        let late = logarithm(depth as usize) * logarithm(number + 1) / REDUCTION;
        let worse = worse as f32 / margins.loss(WORSE_MARGIN).max(1) as f32;
        // A part is left, so that with the depth all is searched in the end.
        ((late + worse) as i32 - matter).clamp(0, (depth - 2).min(2 * depth / 3))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn late_and_bad_moves_are_searched_less() {
        let (margins, reductions) = (Margins::default(), Reductions::default());
        let of =
            |depth, number, worse, matter| reductions.of(&margins, depth, number, worse, matter);
        assert_eq!([of(2, 30, 5000, 0), of(12, 1, 5000, 0)], [0, 0]);
        assert!(of(12, 30, 0, 0) > of(12, 3, 0, 0));
        assert!(of(12, 30, 2000, 0) > of(12, 30, 0, 0));
        assert_eq!(of(12, 30, 0, 2), of(12, 30, 0, 0) - 2);
        // A search of one ply is left, or of a third.
        assert_eq!([4, 30].map(|depth| of(depth, 200, 1_000_000, 0)), [2, 20]);
        assert!(is_late(13, 3) && !is_late(12, 3) && !is_late(200, 5));
        assert!(sure_value(&margins, 1000, 2).unwrap() < 1000);
        assert_eq!(greatest_gain(&margins, 1), Some(0));
        assert_eq!(
            (sure_value(&margins, 0, 6), greatest_gain(&margins, 5)),
            (None, None)
        );
        assert!(greatest_value(&margins, 1000, 1).unwrap() > 1000);
        assert_eq!(greatest_value(&margins, 1000, 2), None);
        assert_eq!(probe(&margins, 5), None);
        assert_eq!(probe(&margins, 9), Some((5, margins.loss(1.0))));
    }
}
