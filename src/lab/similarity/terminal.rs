//! The similarity of terminal states, based on their rewards.

/// Returns the similarity of two terminal states by the goals of each role, given the lowest and
/// the highest goals: one less the difference of the goals as a part of the greatest possible
/// difference (section 2.4), on average over the roles.
///
/// In a zero-sum game of two roles, that is the same for either role.
pub fn rewards(a: &[i32], b: &[i32], ranges: &[(i32, i32)]) -> f64 {
    let near = a.iter().zip(b).zip(ranges).map(|((&a, &b), &(low, high))| {
        let range = f64::from(high) - f64::from(low);
        match range > 0.0 {
            true => 1.0 - (f64::from(a) - f64::from(b)).abs() / range,
            false => 1.0,
        }
    });
    near.sum::<f64>() / ranges.len().max(1) as f64
}
