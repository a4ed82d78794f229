//! Ordered trees, in the form that [edit distances](super::edit) are computed on.

/// An ordered tree, with its nodes in postorder: children before their parent.
#[derive(Clone, Debug)]
pub(super) struct OrderedTree {
    pub(super) labels: Vec<u32>,
    /// For each node, the first one in postorder of the subtree below it.
    pub(super) firsts: Vec<u32>,
    /// The nodes of which children may follow, from the root down: labels, and where they start.
    pub(super) open: Vec<(u32, u32)>,
}

impl OrderedTree {
    /// Makes a tree of a root that is still open.
    pub(super) fn new() -> OrderedTree {
        OrderedTree {
            labels: Vec::new(),
            firsts: Vec::new(),
            open: vec![(u32::MAX, 0)],
        }
    }

    /// Adds a child of the node that was opened last.
    pub(super) fn open(&mut self, label: u32) {
        self.open.push((label, self.labels.len() as u32));
    }

    /// Closes this many of the nodes opened last: all their children are there.
    pub(super) fn close(&mut self, nodes: usize) {
        for (label, first) in self.open.drain(self.open.len() - nodes..).rev() {
            self.labels.push(label);
            self.firsts.push(first);
        }
    }

    /// Completes the tree: all nodes are there.
    pub(super) fn finish(&mut self) {
        self.close(self.open.len());
    }

    /// The number of nodes without the root.
    pub(super) fn size(&self) -> usize {
        self.labels.len() - 1
    }

    /// Returns whether a node has no children.
    pub(super) fn is_leaf(&self, node: usize) -> bool {
        self.firsts[node] as usize == node
    }

    /// Returns the distances of the subtrees of all nodes to a tree of one node with this label:
    /// all other nodes are deleted, and one has its label changed unless one has it already.
    pub(super) fn distances_to_leaf(&self, label: u32) -> impl Iterator<Item = u32> {
        // Past the last node so far with the label.
        let mut end = 0;
        let nodes = (0..).zip(self.labels.iter().zip(&self.firsts));
        nodes.map(move |(node, (&own, &first)): (u32, _)| {
            if own == label {
                end = node + 1;
            }
            node + 1 - first - u32::from(end > first)
        })
    }

    /// Returns the key roots, ascending: of the nodes with subtrees that start at the same place,
    /// the last one in postorder. Leaves are left out.
    pub(super) fn key_roots(&self) -> Vec<usize> {
        let mut is_known = vec![false; self.labels.len()];
        let mut roots: Vec<usize> = (0..self.labels.len())
            .rev()
            .filter(|&node| !std::mem::replace(&mut is_known[self.firsts[node] as usize], true))
            .collect();
        roots.reverse();
        roots.retain(|&node| !self.is_leaf(node));
        roots
    }
}
