//! Cones (fan-in) and influence (fan-out) of nodes; conjunctions of many operands.

use rustc_hash::FxHashSet;

use super::{Circuit, Edge, Node, NodeId};

/// A set of nodes of one circuit.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NodeSet {
    marks: Vec<bool>,
}

impl NodeSet {
    /// The empty set, for a circuit.
    pub fn empty(circuit: &Circuit) -> NodeSet {
        NodeSet {
            marks: vec![false; circuit.nodes().len()],
        }
    }

    /// Whether the node is in the set.
    pub fn contains(&self, node: NodeId) -> bool {
        self.marks[node.index()]
    }

    /// Adds a node, and returns whether it was not in the set.
    pub fn insert(&mut self, node: NodeId) -> bool {
        !std::mem::replace(&mut self.marks[node.index()], true)
    }

    /// The nodes of the set in evaluation order.
    pub fn iter(&self) -> impl Iterator<Item = NodeId> {
        let nodes = self.marks.iter().zip(0..);
        nodes.filter_map(|(&mark, node)| mark.then_some(NodeId(node)))
    }
}

impl Circuit {
    /// The cone of these edges: the nodes that they come from and all that these depend
    /// on, through loops.
    ///
    /// ```
    /// use propjit_jit::circuit::{Builder, Edge};
    /// let mut builder = Builder::new(3);
    /// let (a, b) = (builder.input(0), builder.input(1));
    /// let both = builder.and(a, b);
    /// let circuit = builder.finish(vec![!both]);
    /// let cone = circuit.cone(circuit.outputs().iter().copied());
    /// assert!(cone.iter().map(Edge::from).eq([a, b, both]));
    /// ```
    pub fn cone(&self, roots: impl IntoIterator<Item = Edge>) -> NodeSet {
        let mut cone = NodeSet::empty(self);
        self.extend_cone(&mut cone, roots);
        cone
    }

    /// Adds the cone of these edges to a set that contains the cones of its nodes, and
    /// returns how many gates are new in it.
    pub fn extend_cone(&self, cone: &mut NodeSet, roots: impl IntoIterator<Item = Edge>) -> usize {
        let mut gates = 0;
        let roots = roots.into_iter().map(Edge::node);
        visit(roots, |node, open| {
            if !cone.insert(node) {
                return;
            }
            match self.node(node) {
                Node::And(a, b) => {
                    gates += 1;
                    open.extend([a.node(), b.node()]);
                }
                Node::Feedback => open.push(self.source(node).node()),
                Node::False | Node::Input(_) => {}
            }
        });
        gates
    }

    /// The influence of these nodes: themselves and all nodes that depend on them. A loop
    /// depends as a whole on everything that any of its nodes depends on.
    ///
    /// ```
    /// use propjit_jit::circuit::{Builder, Edge};
    /// let mut builder = Builder::new(3);
    /// let (a, b, c) = (builder.input(0), builder.input(1), builder.input(2));
    /// let both = builder.and(a, b);
    /// let all = builder.and(both, c);
    /// let circuit = builder.finish(vec![all]);
    /// let influence = circuit.influence([c.node()]);
    /// assert!(influence.iter().map(Edge::from).eq([c, all]));
    /// ```
    pub fn influence(&self, sources: impl IntoIterator<Item = NodeId>) -> NodeSet {
        let mut set = NodeSet::empty(self);
        for source in sources {
            set.insert(source);
        }
        let marks = &mut set.marks;
        let mut loops = self.loops.iter().peekable();
        for at in 0..self.nodes.len() {
            if let Node::And(a, b) = self.nodes[at] {
                marks[at] |= marks[a.node().index()] || marks[b.node().index()];
            }
            if let Some(ending) = loops.next_if(|l| l.nodes.end as usize == at + 1) {
                let nodes = ending.nodes.start as usize..ending.nodes.end as usize;
                // Sources of feedback may be outside the loop.
                let mut sources = ending.feedback.iter().map(|(_, source)| source.node());
                if marks[nodes.clone()].contains(&true) || sources.any(|s| marks[s.index()]) {
                    marks[nodes].fill(true);
                }
            }
        }
        set
    }

    /// The edge that a feedback node takes its value from.
    ///
    /// # Panics
    /// If the node is no feedback node.
    pub fn source(&self, feedback: NodeId) -> Edge {
        let around = self.loops.partition_point(|l| l.nodes.end <= feedback.0);
        let sources = self.loops.get(around).map_or(&[][..], |l| &l.feedback);
        let at = sources.binary_search_by_key(&feedback, |&(node, _)| node);
        sources[at.expect("feedback nodes have sources")].1
    }
}

/// Returns the edges that are implied by these through the gates among the nodes: these edges and, for
/// conjunctions, the operands, recursively. Each occurs once, and [`Edge::TRUE`] does not.
pub fn implied(node: impl Fn(NodeId) -> Node, edges: impl IntoIterator<Item = Edge>) -> Vec<Edge> {
    let mut open: Vec<Edge> = edges.into_iter().collect();
    let mut seen = FxHashSet::default();
    let mut found = Vec::new();
    while let Some(edge) = open.pop() {
        if edge == Edge::TRUE || !seen.insert(edge) {
            continue;
        }
        found.push(edge);
        if let (Node::And(a, b), false) = (node(edge.node()), edge.inverted()) {
            open.extend([a, b]);
        }
    }
    found
}

/// Returns edges with the same conjunction as these: none is a conjunction itself, each occurs once,
/// and [`Edge::TRUE`] does not.
///
/// ```
/// use propjit_jit::circuit::{Builder, conjuncts};
/// let mut builder = Builder::new(3);
/// let (a, b, c) = (builder.input(0), builder.input(1), builder.input(2));
/// let both = builder.and(a, !b);
/// let all = builder.and(both, c);
/// let mut found = conjuncts(|node| builder.node(node), [all, both]);
/// found.sort();
/// assert_eq!(found, [a, !b, c]);
/// ```
pub fn conjuncts(
    node: impl Fn(NodeId) -> Node,
    edges: impl IntoIterator<Item = Edge>,
) -> Vec<Edge> {
    let mut found = implied(&node, edges);
    found.retain(|edge| edge.inverted() || !matches!(node(edge.node()), Node::And(..)));
    found
}

/// Returns the edges whose disjunction is this one: none is a disjunction itself, each occurs once, and
/// [`Edge::FALSE`] does not.
pub fn disjuncts(node: impl Fn(NodeId) -> Node, edge: Edge) -> Vec<Edge> {
    let inverses = conjuncts(node, [!edge]);
    inverses.into_iter().map(|inverse| !inverse).collect()
}

/// Calls `step` for the roots and for all nodes that it adds to the list of open ones. `step`
/// itself ensures that none is expanded twice.
pub(crate) fn visit(
    roots: impl Iterator<Item = NodeId>,
    mut step: impl FnMut(NodeId, &mut Vec<NodeId>),
) {
    let mut open: Vec<NodeId> = roots.collect();
    while let Some(node) = open.pop() {
        step(node, &mut open);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::circuit::Builder;

    #[test]
    fn cones_and_influence_go_through_loops() {
        let mut builder = Builder::new(4);
        let [a, b, c, d] = [0, 1, 2, 3].map(|input| builder.input(input));
        let feedback = builder.begin_loop(2);
        let step = builder.and(feedback[0], b);
        let either = builder.or(step, a);
        builder.end_loop(&[!either, c]);
        let after = builder.and(feedback[1], d);
        let circuit = builder.finish(vec![feedback[0], after]);

        assert_eq!(circuit.source(feedback[0].node()), !either);
        let mut cone = circuit.cone([feedback[0]]);
        let expected = [a, b, feedback[0], step, either].map(Edge::node);
        assert!(expected.into_iter().all(|node| cone.contains(node)));
        assert_eq!(cone.iter().count(), expected.len());
        assert_eq!(circuit.extend_cone(&mut cone, [after]), 1);
        assert!(cone.contains(c.node()) && cone.contains(feedback[1].node()));
        assert_eq!(circuit.extend_cone(&mut cone, [after]), 0);

        // The loop is one.
        let influence = circuit.influence([c.node()]);
        assert!(influence.contains(step.node()) && influence.contains(after.node()));
        assert!(!influence.contains(a.node()));
        assert_eq!(circuit.influence([d.node()]).iter().count(), 2);
    }
}
