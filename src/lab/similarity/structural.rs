//! Structural similarity: how alike two positions are in how their children resemble them.

use super::assignment::{Assignment, assign};

/// The structural similarity of two positions, of which the similarity of each child to its parent
/// is given, and the assignment between the children on which it rests: section 3 with Algorithm 1.
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
