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

/// Returns the similarity of terminal states of two games, each given by the goals of the roles, with the lowest and the highest
/// goals: one less the difference of the goals as parts of their ranges, on average over the roles. A role that one of the
/// games does not have is like none.
pub fn rewards_between(a: (&[i32], &[(i32, i32)]), b: (&[i32], &[(i32, i32)])) -> f64 {
    let shares = |(goals, ranges): (&[i32], &[(i32, i32)])| {
        let shares = goals.iter().zip(ranges).map(|(&goal, &(low, high))| {
            let range = f64::from(high) - f64::from(low);
            match range > 0.0 {
                true => (f64::from(goal) - f64::from(low)) / range,
                // With the same goal in any case, the role has neither won nor lost.
                false => 0.5,
            }
        });
        shares.collect::<Vec<f64>>()
    };
    let (a, b) = (shares(a), shares(b));
    let near = a.iter().zip(&b).map(|(a, b)| 1.0 - (a - b).abs());
    near.sum::<f64>() / a.len().max(b.len()).max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn goals_of_two_games_are_compared_by_their_ranges() {
        let ranges: [&[(i32, i32)]; 2] = [&[(0, 100), (0, 100)], &[(10, 20)]];
        let near = |a: &[i32], b: &[i32]| rewards_between((a, ranges[0]), (b, ranges[1]));
        assert_eq!(near(&[100, 0], &[20]), 0.5);
        assert_eq!(near(&[100, 0], &[10]), 0.0);
        assert_eq!(
            rewards_between((&[50, 50], ranges[0]), (&[50, 0], ranges[0])),
            0.75
        );
    }
}
