//! Dependency graphs of relations and of rules.

use std::collections::VecDeque;

use crate::diagnostic::quote;
use crate::normalize::{PlacedRule, Workspace};
use crate::rules::{Literal, RelationId};
use crate::source::Span;

/// A dependency of one relation or rule on another, by a condition.
#[derive(Clone, Copy)]
pub(super) struct Edge {
    pub(super) from: u32,
    pub(super) to: u32,
    pub(super) negative: bool,
    /// The place of the condition in the source.
    pub(super) place: Span,
}

/// Nodes, by number, and the edges between them in flat storage.
pub(super) struct Graph {
    /// Sorted by `from`.
    edges: Vec<Edge>,
    /// The first edge of each node, and the number of edges.
    starts: Vec<usize>,
}

impl Graph {
    pub(super) fn new(mut edges: Vec<Edge>, nodes: usize) -> Graph {
        edges.sort_by_key(|edge| edge.from);
        let start = |from| edges.partition_point(|edge| edge.from < from);
        let starts = (0..=nodes as u32).map(start).collect();
        Graph { edges, starts }
    }

    /// The graph of the relations, with edges from those of heads to those of conditions.
    pub(super) fn of_relations(rules: &[PlacedRule], relations: usize) -> Graph {
        let mut edges = Vec::new();
        for PlacedRule { rule, body, .. } in rules {
            for (literal, &place) in rule.body.iter().zip(body) {
                let Some(atom) = literal.atom() else {
                    continue;
                };
                edges.push(Edge {
                    from: rule.head.relation.0,
                    to: atom.relation.0,
                    negative: matches!(literal, Literal::Negative(_)),
                    place,
                });
            }
        }
        Graph::new(edges, relations)
    }

    /// The graph with some of the edges.
    pub(super) fn filtered(&self, is_wanted: impl Fn(&Edge) -> bool) -> Graph {
        let edges = self.edges.iter().copied().filter(is_wanted);
        Graph::new(edges.collect(), self.len())
    }

    /// The number of nodes.
    pub(super) fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// All edges, sorted by the node that they start from.
    pub(super) fn edges(&self) -> &[Edge] {
        &self.edges
    }

    /// The edges that start from a node.
    pub(super) fn edges_of(&self, node: u32) -> &[Edge] {
        &self.edges[self.starts[node as usize]..self.starts[node as usize + 1]]
    }

    /// The shortest paths from `root` to all nodes that can be reached from it.
    pub(super) fn paths_from(&self, root: u32) -> Paths {
        let mut last_edges = vec![None; self.len()];
        let mut queue = VecDeque::from([root]);
        while let Some(node) = queue.pop_front() {
            for edge in self.edges_of(node) {
                let last = &mut last_edges[edge.to as usize];
                if last.is_none() && edge.to != root {
                    *last = Some(*edge);
                    queue.push_back(edge.to);
                }
            }
        }
        Paths { root, last_edges }
    }
}

/// Shortest paths from one node.
pub(super) struct Paths {
    root: u32,
    /// The last edge of the path to each node; none for the root and for nodes that are not reached.
    last_edges: Vec<Option<Edge>>,
}

impl Paths {
    /// Whether there is a path, maybe an empty one, to a node.
    pub(super) fn reach(&self, node: u32) -> bool {
        node == self.root || self.last_edges[node as usize].is_some()
    }

    /// The last edges of the path to a node, at most `count`, in the order of the path.
    pub(super) fn end_of_path(&self, node: u32, count: usize) -> Vec<Edge> {
        let last_edge = |node: u32| self.last_edges[node as usize];
        let backwards =
            std::iter::successors(last_edge(node), |&Edge { from, .. }| last_edge(from));
        let mut path: Vec<Edge> = backwards.take(count).collect();
        path.reverse();
        path
    }
}

/// A relation in a message.
pub(super) fn describe(relation: u32, workspace: &Workspace) -> String {
    let Workspace {
        terms, relations, ..
    } = workspace;
    match relations.is_auxiliary(terms, RelationId(relation)) {
        true => "an `or`".to_string(),
        false => quote(terms.name(relations.list[relation as usize].name)),
    }
}
