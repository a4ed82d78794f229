//! Simplified sequences: the lines of a game tree, whatever the order of their moves.

use rustc_hash::FxHashMap;

use super::ordered_tree::OrderedTree;
use super::tree::GameTree;

/// The simplified tree of section 2.2: the lines of a game tree with their moves sorted, and how
/// many lines become each.
///
/// Lines go to the depth of the tree, or to the end of the match if that comes first.
#[derive(Clone, Debug)]
pub struct Sequences {
    counts: FxHashMap<Box<[u32]>, Count>,
}

/// The number of lines of the same moves.
#[derive(Clone, Copy, Default, Debug)]
struct Count {
    /// Whole lines.
    ending: u64,
    /// Beginnings of longer ones.
    going_on: u64,
}

impl Sequences {
    /// The simplified sequences of a tree.
    pub fn new(tree: &GameTree) -> Sequences {
        let mut counts: FxHashMap<Box<[u32]>, Count> = FxHashMap::default();
        let nodes = tree.nodes();
        let mut open = vec![(0, Vec::new())];
        while let Some((parent, line)) = open.pop() {
            for child in nodes[parent].children.clone() {
                let label = nodes[child].label;
                let mut line: Vec<u32> = line.clone();
                line.insert(line.partition_point(|&other| other <= label), label);
                let count = counts.entry(line.as_slice().into()).or_default();
                match nodes[child].children.is_empty() {
                    true => count.ending += 1,
                    false => {
                        count.going_on += 1;
                        open.push((child, line));
                    }
                }
            }
        }
        Sequences { counts }
    }

    /// Returns how many lines become each simplified sequence, in ascending order.
    pub fn multiplicities(&self) -> Vec<(&[u32], u64)> {
        let lines = self.counts.iter().filter(|(_, count)| count.ending > 0);
        let mut lines: Vec<_> = lines.map(|(line, count)| (&**line, count.ending)).collect();
        lines.sort_unstable();
        lines
    }

    /// Returns the similarity of sequences of two trees (section 2.2): the fraction of all lines
    /// that are in both simplified trees. None if there are no lines.
    ///
    /// A line that ends the match before the depth is reached is compared with the lines of the
    /// other tree that begin in the same way, each of which counts as one line more; otherwise
    /// such a line could not be in a tree where it goes on.
    pub fn similarity(&self, other: &Sequences) -> Option<f64> {
        let (mut shared, mut all) = (0, 0);
        let mut count = |a: Count, b: Count| {
            if a.ending + b.ending == 0 {
                return;
            }
            let [a, b] = [a, b].map(|count| count.ending + count.going_on);
            all += a + b;
            if a > 0 && b > 0 {
                shared += a + b;
            }
        };
        for (line, &a) in &self.counts {
            count(a, other.counts.get(line).copied().unwrap_or_default());
        }
        let others = other.counts.iter();
        for (_, &b) in others.filter(|(line, _)| !self.counts.contains_key(*line)) {
            count(Count::default(), b);
        }
        (all > 0).then(|| shared as f64 / all as f64)
    }

    /// Returns the simplified tree as an ordered tree: sequences with a common prefix share it, and
    /// the last move of each is there as often as there are lines.
    pub(super) fn tree(&self) -> OrderedTree {
        let mut tree = OrderedTree::new();
        let mut path: &[u32] = &[];
        for (line, lines) in self.multiplicities() {
            let (&last, beginning) = line.split_last().expect("a line has a move");
            let shared = path.iter().zip(beginning).take_while(|(a, b)| a == b);
            let shared = shared.count();
            tree.close(path.len() - shared);
            for &label in &beginning[shared..] {
                tree.open(label);
            }
            for _ in 0..lines {
                tree.open(last);
                tree.close(1);
            }
            path = beginning;
        }
        tree.finish();
        tree
    }
}
