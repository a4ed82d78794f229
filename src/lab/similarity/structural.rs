//! Structural similarity: how alike two positions are in the similarity to their children.

use super::assignment::{Assignment, assign};

/// Returns the structural similarity of two positions, given the similarity of each child to its
/// parent, and the assignment between the children on which it is based (section 3, Algorithm 1).
/// None if neither has children.
///
/// Each child without a partner adds one to the sum of distances, as the formula and the text have
/// it; the algorithm as printed would add one less its similarity.
pub fn structural(a: &[f64], b: &[f64]) -> Option<(f64, Assignment)> {
    let most = a.len().max(b.len());
    let assignment = assign(a, b);
    let sum = assignment.total + a.len().abs_diff(b.len()) as f64;
    (most > 0).then(|| (1.0 - sum / most as f64, assignment))
}
