//! Trees of counts: circuits that count how many of several edges hold, and find the one among
//! them that has a given number.
//!
//! Edges are counted in groups of seven, by carry-save adders, and groups in a binary tree. An edge
//! is found from the root down: at each level, the number is compared with the count of the current
//! node's left subtree, which is selected from those of all nodes of the level. So a level costs two
//! operations for each bit of its counts, and one comparison. The seven edges of the group that is
//! found are selected likewise, and searched as a group of their own. It takes about eleven
//! operations an edge, most of which count it.
//!
//! ```
//! use propjit_jit::circuit::Builder;
//! use propjit_jit::count_tree::CountTree;
//! let mut builder = Builder::new(5);
//! let edges = [0, 1, 2].map(|input| builder.input(input));
//! let number = [builder.input(3), builder.input(4)];
//! let tree = CountTree::new(&mut builder, &edges);
//! let mut outputs = tree.total().to_vec();
//! outputs.extend(tree.find(&mut builder, &number));
//! let circuit = builder.finish(outputs);
//! // The second and the third hold: they are two, and the third has number 1.
//! let values = circuit.evaluate(&[false, true, true, true, false]);
//! assert_eq!(values, [false, true, false, false, true]);
//! ```

use crate::circuit::number::{Number, add, count, digits, saturating_subtract};
use crate::circuit::{Builder, Edge};

/// The number of edges in a group: as many as three bits can count.
const GROUP: usize = 7;

/// The number of bits of counts of up to `edges` edges.
pub fn count_bits(edges: usize) -> usize {
    digits(edges)
}

/// Returns the greatest number of [parts](CountTree::parts) of a tree over at most this many
/// edges.
pub fn count_tree_parts(edges: usize) -> usize {
    let mut nodes = edges.div_ceil(GROUP);
    let (mut size, mut parts) = (GROUP, 0);
    while nodes > 1 {
        parts += nodes.div_ceil(2) * count_bits(size);
        (nodes, size) = (nodes.div_ceil(2), 2 * size);
    }
    parts
}

/// A tree of counts over edges of a circuit under construction.
#[derive(Debug)]
pub struct CountTree {
    edges: Vec<Edge>,
    groups: Levels,
}

impl CountTree {
    /// Counts the edges.
    pub fn new(builder: &mut Builder, edges: &[Edge]) -> CountTree {
        let groups = edges
            .chunks(GROUP)
            .map(|group| count(builder, group.iter().copied()));
        let groups = groups.collect();
        CountTree {
            edges: edges.to_vec(),
            groups: Levels::new(builder, groups, GROUP, edges.len()),
        }
    }

    /// Returns the number of edges that hold, in [`count_bits`] bits.
    pub fn total(&self) -> &[Edge] {
        self.groups.total()
    }

    /// The counts that [`find`](CountTree::find) reads, in an order in which few values have to be
    /// kept while they are computed: at most [`count_tree_parts`] edges.
    pub fn parts(&self) -> Vec<Edge> {
        self.groups.lefts()
    }

    /// Returns for each edge whether it is the one with this number, counted from 0, among those that
    /// hold. If there is none with this number, any one or none of the returned edges holds.
    ///
    /// # Panics
    /// If the number has fewer bits than the total.
    pub fn find(&self, builder: &mut Builder, number: &[Edge]) -> Vec<Edge> {
        let (groups, number) = self.groups.find(builder, number);
        let size = self.edges.len().min(GROUP);
        let members: Vec<Edge> = (0..size)
            .map(|place| {
                let edges = self.edges.chunks(GROUP).map(|group| group.get(place));
                let found = (edges.zip(&groups))
                    .filter_map(|(edge, &group)| Some(builder.and(*edge?, group)));
                let found: Vec<Edge> = found.collect();
                chain_or(builder, found)
            })
            .collect();
        let singles = members.iter().map(|&member| vec![member]).collect();
        let within = Levels::new(builder, singles, 1, size);
        let (places, _) = within.find(builder, &number);
        let edges = groups
            .iter()
            .flat_map(|&group| places.iter().map(move |&place| (group, place)));
        edges
            .take(self.edges.len())
            .map(|(group, place)| builder.and(group, place))
            .collect()
    }
}

/// Counts from those of the leaves up to the total.
#[derive(Debug)]
struct Levels {
    /// The first level is that of the leaves; each node is the sum of two of the level before,
    /// or the last one of an odd number of them.
    levels: Vec<Vec<Number>>,
}

impl Levels {
    /// The sums over leaves that count `size` edges each, `all` in total.
    fn new(builder: &mut Builder, leaves: Vec<Number>, size: usize, all: usize) -> Levels {
        let mut levels = vec![leaves];
        let mut size = size;
        while let Some(level) = levels.last()
            && level.len() > 1
        {
            size *= 2;
            let bits = count_bits(size.min(all));
            let sums = level.chunks(2).map(|pair| match pair {
                [left, right] => add(builder, left, right, bits),
                _ => pair[0].clone(),
            });
            let sums = sums.collect();
            levels.push(sums);
        }
        Levels { levels }
    }

    fn total(&self) -> &[Edge] {
        let root = self.levels.last().and_then(|level| level.first());
        root.map_or(&[], |total| total)
    }

    /// Returns the counts of all left nodes, ordered by the last leaf that they count: first that of the
    /// first leaf.
    fn lefts(&self) -> Vec<Edge> {
        let leaves = self.levels[0].len();
        let levels = &self.levels[..self.levels.len() - 1];
        let lefts = (1..=leaves).flat_map(|end| {
            let ending = levels
                .iter()
                .enumerate()
                .filter_map(move |(height, level)| {
                    let at = end.div_ceil(1 << height) - 1;
                    let ends = end.is_multiple_of(1 << height) || end == leaves;
                    (ends && at.is_multiple_of(2)).then(|| &level[at])
                });
            ending.flatten().copied()
        });
        lefts.collect()
    }

    /// Returns which leaf the edge with this number is in, and its number there.
    fn find(&self, builder: &mut Builder, number: &[Edge]) -> (Vec<Edge>, Number) {
        let mut number = number[..self.total().len()].to_vec();
        let mut nodes = vec![Edge::TRUE];
        for level in self.levels.iter().rev().skip(1) {
            let bits = level.iter().map(Vec::len).max().unwrap_or(0);
            let left: Number = (0..bits)
                .map(|bit| {
                    let counts = level.iter().step_by(2).map(|count| count.get(bit));
                    let taken = (counts.zip(&nodes))
                        .filter_map(|(count, &node)| Some(builder.and(*count?, node)));
                    let taken: Vec<Edge> = taken.collect();
                    chain_or(builder, taken)
                })
                .collect();
            let (is_left, rest) = saturating_subtract(builder, &number, &left);
            number = rest[..bits.min(rest.len())].to_vec();
            let halves = nodes
                .iter()
                .flat_map(|&node| [(node, is_left), (node, !is_left)]);
            nodes = (halves.take(level.len()))
                .map(|(node, side)| builder.and(node, side))
                .collect();
        }
        (nodes, number)
    }
}

/// The disjunction of all edges, one after the other: so the first ones need not be kept while
/// the others are made.
fn chain_or(builder: &mut Builder, edges: Vec<Edge>) -> Edge {
    let any = edges.into_iter().reduce(|any, edge| builder.or(any, edge));
    any.unwrap_or(Edge::FALSE)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..Default::default() })]

        /// The total is right, and each number finds the edge that has it, with some edges the
        /// same and some constant.
        #[test]
        fn edges_are_counted_and_found(
            values in prop::collection::vec(any::<bool>(), 1..12),
            places in prop::collection::vec(0usize..14, 0..80),
        ) {
            let inputs = values.len();
            let bits = count_bits(places.len());
            let mut builder = Builder::new(inputs + bits);
            let edges: Vec<Edge> = (places.iter())
                .map(|&place| match place {
                    12 => Edge::FALSE,
                    13 => Edge::TRUE,
                    place => builder.input(place % inputs),
                })
                .collect();
            let number: Vec<Edge> = (inputs..inputs + bits).map(|i| builder.input(i)).collect();
            let tree = CountTree::new(&mut builder, &edges);
            prop_assert_eq!(tree.total().len(), bits);
            let mut outputs = tree.total().to_vec();
            outputs.extend(tree.find(&mut builder, &number));
            let circuit = builder.finish(outputs);
            let holding: Vec<usize> = (0..places.len())
                .filter(|&at| match places[at] {
                    12 => false,
                    13 => true,
                    place => values[place % inputs],
                })
                .collect();
            for (number, &at) in holding.iter().enumerate() {
                let digits = (0..bits).map(|bit| number >> bit & 1 == 1);
                let given: Vec<bool> = values.iter().copied().chain(digits).collect();
                let outputs = circuit.evaluate(&given);
                let total: usize = (0..bits).filter(|&bit| outputs[bit]).map(|bit| 1 << bit).sum();
                prop_assert_eq!(holding.len(), total);
                let found: Vec<usize> = (0..places.len()).filter(|i| outputs[bits + i]).collect();
                prop_assert_eq!(found, [at]);
            }
            prop_assert!(tree.parts().len() <= count_tree_parts(places.len()));
        }
    }
}
