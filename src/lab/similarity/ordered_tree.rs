//! Trees whose children have an order, in the form that [edit distances](super::edit) are computed on.

/// A tree whose children have an order, with its nodes in postorder: children before their parent.
#[derive(Clone, Debug)]
pub(super) struct OrderedTree {
    pub(super) labels: Vec<u32>,
    /// For each node, the first one in postorder of the subtree below it.
    pub(super) firsts: Vec<u32>,
    /// The nodes of which children may follow, from the root down: labels, and where they start.
    pub(super) open: Vec<(u32, u32)>,
}

impl OrderedTree {
    /// A tree that is being made: the root is open.
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

    /// Says of the nodes opened last, that many of them, that all their children are there.
    pub(super) fn close(&mut self, nodes: usize) {
        for (label, first) in self.open.drain(self.open.len() - nodes..).rev() {
            self.labels.push(label);
            self.firsts.push(first);
        }
    }

    /// Says that all nodes are there.
    pub(super) fn finish(&mut self) {
        self.close(self.open.len());
    }

    /// The number of nodes without the root.
    pub(super) fn size(&self) -> usize {
        self.labels.len() - 1
    }

    /// Whether nothing is below a node.
    pub(super) fn is_leaf(&self, node: usize) -> bool {
        self.firsts[node] as usize == node
    }

    /// The distances of the subtrees of all nodes to a tree of one node with this label: all other
    /// nodes are deleted, and one has its label changed unless one has it already.
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

    /// The nodes that are the last one in postorder of all whose subtrees start at the same
    /// place, ascending: the key roots. Those without nodes below are left out.
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
