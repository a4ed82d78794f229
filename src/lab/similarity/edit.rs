//! The edit distance of ordered trees.
//!
//! Source: K. Zhang and D. Shasha, "Simple fast algorithms for the editing distance between trees
//! and related problems", SIAM J. Comput. 18 (1989).

use super::ordered_tree::OrderedTree;
use super::sequences::Sequences;
use super::tree::GameTree;

/// The most nodes of a simplified tree for which the distance to another one is computed: time and
/// memory grow with the product of both numbers.
pub const MAX_NODES: usize = 10_000;

/// Returns the least number of insertions, deletions and changes of label that turn one tree into
/// the other.
pub(super) fn distance(a: &OrderedTree, b: &OrderedTree) -> u32 {
    let width = b.labels.len();
    let mut trees = vec![0u32; a.labels.len() * width];
    let mut forests = vec![0u32; (a.labels.len() + 1) * (width + 1)];
    // Most nodes of game trees are leaves: their distances need no table of forests.
    for x in (0..a.labels.len()).filter(|&x| a.is_leaf(x)) {
        let row = &mut trees[x * width..][..width];
        for (distance, found) in row.iter_mut().zip(b.distances_to_leaf(a.labels[x])) {
            *distance = found;
        }
    }
    for y in (0..width).filter(|&y| b.is_leaf(y)) {
        for (row, found) in trees
            .chunks_mut(width)
            .zip(a.distances_to_leaf(b.labels[y]))
        {
            row[y] = found;
        }
    }
    let b_roots = b.key_roots();
    for i in a.key_roots() {
        for &j in &b_roots {
            let (first_i, first_j) = (a.firsts[i] as usize, b.firsts[j] as usize);
            let (rows, columns) = (i - first_i + 2, j - first_j + 2);
            let forests = &mut forests[..rows * columns];
            for (column, cost) in forests[..columns].iter_mut().enumerate() {
                *cost = column as u32;
            }
            for row in 1..rows {
                let x = first_i + row - 1;
                let before_x = a.firsts[x] as usize - first_i;
                let (above, here) = forests.split_at_mut(row * columns);
                let (deleted, before) =
                    (&above[(row - 1) * columns..], &above[before_x * columns..]);
                let known = &mut trees[x * width..][first_j..=j];
                let mut left = row as u32;
                here[0] = left;
                let cells = here[1..columns]
                    .iter_mut()
                    .zip(known)
                    .zip(deleted.windows(2));
                for (y, ((cell, tree), delete)) in (first_j..).zip(cells) {
                    let before_y = b.firsts[y] as usize - first_j;
                    let is_tree = before_x == 0 && before_y == 0;
                    let keep = match is_tree {
                        true => delete[0] + u32::from(a.labels[x] != b.labels[y]),
                        false => before[before_y] + *tree,
                    };
                    left = keep.min(delete[1] + 1).min(left + 1);
                    *cell = left;
                    if is_tree {
                        *tree = left;
                    }
                }
            }
        }
    }
    trees[trees.len() - 1]
}

/// Returns the tree-edit similarity of two game trees (section 2.3), if neither simplified tree has
/// more than [`MAX_NODES`] nodes. Of two trees without moves it is 1.
///
/// The distance is that of the simplified trees, in which the order is just that of the labels; the
/// sizes are those of the game trees, as in the example of Figure 1, or of the simplified ones if
/// these have more nodes, so that similarities are never below 0.
pub fn tree_edit(a: (&GameTree, &Sequences), b: (&GameTree, &Sequences)) -> Option<f64> {
    let [(a, a_size), (b, b_size)] = [a, b].map(|(tree, sequences)| {
        let simplified = sequences.tree();
        let size = tree.size().max(simplified.size());
        (simplified, size)
    });
    if a.size().max(b.size()) > MAX_NODES {
        return None;
    }
    let edits = f64::from(distance(&a, &b));
    let sizes = (a_size + b_size) as f64;
    match sizes > 0.0 {
        true => Some(1.0 - 2.0 * edits / (sizes + edits)),
        false => Some(1.0),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rustc_hash::FxHashMap;

    use super::*;

    /// A tree in which a letter opens a node, and a bracket closes it.
    fn tree(text: &str) -> OrderedTree {
        let mut tree = OrderedTree::new();
        tree.open.clear();
        for letter in text.chars() {
            match letter {
                ')' => tree.close(1),
                label => tree.open(label.into()),
            }
        }
        tree.finish();
        tree
    }

    /// The example of Zhang and Shasha's Figure 4.
    #[test]
    fn the_published_example_takes_two_edits() {
        let (a, b) = (tree("fda)cb)))e))"), tree("fcda)b)))e))"));
        assert_eq!(distance(&a, &b), 2);
    }

    /// Trees beside each other: the label of each root, and what is below it.
    #[derive(Clone, PartialEq, Eq, Hash, Default, Debug)]
    struct Forest(Vec<(u32, Forest)>);

    /// The distance by the definition, over forests.
    fn slow(a: &Forest, b: &Forest, known: &mut FxHashMap<(Forest, Forest), u32>) -> u32 {
        let key = (a.clone(), b.clone());
        if let Some(&cost) = known.get(&key) {
            return cost;
        }
        let without = |forest: &Forest| {
            let ((_, below), rest) = forest.0.split_last().unwrap();
            Forest([rest, &below.0].concat())
        };
        let mut costs = Vec::new();
        if !a.0.is_empty() {
            costs.push(1 + slow(&without(a), b, known));
        }
        if !b.0.is_empty() {
            costs.push(1 + slow(a, &without(b), known));
        }
        if let (Some((x, left_a)), Some((y, left_b))) = (a.0.split_last(), b.0.split_last()) {
            let beside = slow(&Forest(left_a.to_vec()), &Forest(left_b.to_vec()), known);
            costs.push(slow(&x.1, &y.1, known) + beside + u32::from(x.0 != y.0));
        }
        let best = costs.into_iter().min().unwrap_or(0);
        known.insert(key, best);
        best
    }

    fn forest(depth: u32) -> BoxedStrategy<Forest> {
        if depth == 0 {
            return Just(Forest::default()).boxed();
        }
        let child = (0u32..3, forest(depth - 1));
        prop::collection::vec(child, 0..3).prop_map(Forest).boxed()
    }

    fn ordered(forest: &Forest) -> OrderedTree {
        fn add(tree: &mut OrderedTree, forest: &Forest) {
            for (label, below) in &forest.0 {
                tree.open(*label);
                add(tree, below);
                tree.close(1);
            }
        }
        let mut tree = OrderedTree::new();
        add(&mut tree, forest);
        tree.finish();
        tree
    }

    proptest! {
        #[test]
        fn is_the_distance_by_definition(a in forest(3), b in forest(3)) {
            let expected = slow(&a, &b, &mut FxHashMap::default());
            prop_assert_eq!(distance(&ordered(&a), &ordered(&b)), expected);
        }
    }
}
