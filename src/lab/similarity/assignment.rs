//! The cheapest assignment between two lists of numbers.
//!
//! The cost of assigning one number to another is their distance. The assignment that the Hungarian
//! algorithm finds for such costs can be found directly: among those that cost least there is one
//! without crossings, in which greater numbers are assigned to greater ones. So it is enough to
//! decide, in ascending order, which numbers of the longer list remain unassigned. That takes time
//! in proportion to the product of the lengths, not to the cube.

/// An assignment.
#[derive(Clone, PartialEq, Debug)]
pub struct Assignment {
    /// The places in both lists of those that are assigned to each other: one pair for each number
    /// of the shorter list, in the order of the first list.
    pub pairs: Vec<(usize, usize)>,
    /// The sum of their distances.
    pub total: f64,
}

/// Assigns each number of the shorter list to one of the longer list, each to a different one, with
/// the least sum of distances. Among several with the same sum, the choice is always the same.
pub fn assign(a: &[f64], b: &[f64]) -> Assignment {
    if a.len() > b.len() {
        let mut turned = assign(b, a);
        turned
            .pairs
            .iter_mut()
            .for_each(|pair| *pair = (pair.1, pair.0));
        turned.pairs.sort_unstable();
        return turned;
    }
    let (few, many) = (ascending(a), ascending(b));
    // The cost of the first `i` of the few among the first `j` of the many, by `j - i`, for one `i`
    // after the other.
    let slack = many.len() - few.len();
    let mut costs = vec![0.0; slack + 1];
    // Whether number `j` remains unassigned in the best assignment of the first `i` of the few.
    let mut alone = vec![vec![false; slack + 1]; few.len()];
    for (i, &one) in few.iter().enumerate() {
        for free in 0..=slack {
            let paired = costs[free] + (a[one] - b[many[i + free]]).abs();
            let skipped = if free > 0 {
                costs[free - 1]
            } else {
                f64::INFINITY
            };
            alone[i][free] = skipped < paired;
            costs[free] = paired.min(skipped);
        }
    }
    let mut free = slack;
    let mut pairs = Vec::with_capacity(few.len());
    for i in (0..few.len()).rev() {
        while alone[i][free] {
            free -= 1;
        }
        pairs.push((few[i], many[i + free]));
    }
    pairs.sort_unstable();
    Assignment {
        pairs,
        total: costs[slack],
    }
}

/// The places of the numbers, those of lesser ones first.
fn ascending(numbers: &[f64]) -> Vec<usize> {
    let mut places: Vec<usize> = (0..numbers.len()).collect();
    places.sort_by(|&a, &b| numbers[a].total_cmp(&numbers[b]));
    places
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The least sum of distances over all assignments.
    fn least(few: &[f64], many: &mut Vec<f64>) -> f64 {
        let Some((&one, rest)) = few.split_first() else {
            return 0.0;
        };
        let mut best = f64::INFINITY;
        for at in 0..many.len() {
            let other = many.remove(at);
            best = best.min((one - other).abs() + least(rest, many));
            many.insert(at, other);
        }
        best
    }

    proptest! {
        #[test]
        fn no_assignment_is_cheaper(
            a in prop::collection::vec(0u8..12, 0..6),
            b in prop::collection::vec(0u8..12, 0..6),
        ) {
            let [a, b]: [Vec<f64>; 2] = [a, b].map(|list| list.into_iter().map(f64::from).collect());
            let found = assign(&a, &b);
            let (few, mut many) = if a.len() <= b.len() { (a.clone(), b.clone()) } else { (b.clone(), a.clone()) };
            prop_assert_eq!(found.total, least(&few, &mut many));
            prop_assert_eq!(found.pairs.len(), few.len());
            let paid: f64 = found.pairs.iter().map(|&(i, j)| (a[i] - b[j]).abs()).sum();
            prop_assert_eq!(paid, found.total);
            let mut seen: Vec<usize> = found.pairs.iter().map(|pair| pair.1).collect();
            seen.sort_unstable();
            seen.dedup();
            prop_assert_eq!(seen.len(), few.len());
        }
    }
}
