//! Decision diagrams over variables with several values, in canonical form.
//!
//! Equal functions are equal [`Edge`]s, here edges between the nodes of a diagram: the constants
//! are those of circuits, and inversion is a mark on the edge (Bryant, "Graph-based algorithms
//! for Boolean function manipulation", 1986; Brace, Rudell and Bryant, "Efficient implementation
//! of a BDD package", 1990; with several values: Srinivasan et al. 1990).

use std::hash::{Hash, Hasher};
use std::ops::Range;

use hashbrown::HashTable;
use rustc_hash::FxHasher;

use crate::circuit::{Edge, NodeId};

/// The level of constants: below all variables.
const BOTTOM: u32 = u32::MAX;

/// The size of the cache of conjunctions, a power of two.
const CACHE: usize = 1 << 16;

/// The number of values of a variable that one step of a conjunction covers.
const VALUES_PER_STEP: usize = 8;

/// The error that more work is needed than is allowed.
#[derive(Debug)]
pub(super) struct TooMuch;

/// Functions of the same variables, each at a level of its own.
pub(super) struct Diagrams {
    /// The number of values of the variable at each level.
    values: Vec<usize>,
    nodes: Vec<Branch>,
    children: Vec<Edge>,
    unique: HashTable<u32>,
    /// Conjunctions that were computed: operands and result.
    cache: Vec<(Edge, Edge, Edge)>,
}

/// A node: one child for each value of a variable, the first of which is not inverted.
#[derive(Clone, Copy)]
struct Branch {
    level: u32,
    first: u32,
}

impl Diagrams {
    /// No functions but the constants yet, of variables with these numbers of values.
    pub(super) fn new(values: Vec<usize>) -> Diagrams {
        Diagrams {
            values,
            nodes: vec![Branch {
                level: BOTTOM,
                first: 0,
            }],
            children: Vec::new(),
            unique: HashTable::new(),
            cache: vec![(Edge::TRUE, Edge::TRUE, Edge::TRUE); CACHE],
        }
    }

    /// The number of values of the variable at a level.
    pub(super) fn values(&self, level: usize) -> usize {
        self.values[level]
    }

    /// The number of nodes so far.
    pub(super) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// The level of the variable that decides first; none for constants.
    pub(super) fn level(&self, function: Edge) -> Option<usize> {
        let level = self.nodes[function.node().index()].level;
        (level != BOTTOM).then_some(level as usize)
    }

    /// The children of a node, for each value of its variable; none for constants.
    pub(super) fn children(&self, node: NodeId) -> &[Edge] {
        &self.children[self.child_range(self.nodes[node.index()])]
    }

    /// Returns the cofactor of a function for this value of the variable at this level, which is not
    /// below the first that it depends on.
    pub(super) fn cofactor(&self, function: Edge, level: usize, value: usize) -> Edge {
        let branch = self.nodes[function.node().index()];
        if branch.level != level as u32 {
            return function;
        }
        let child = self.children[branch.first as usize + value];
        child.invert_if(function.inverted())
    }

    /// Returns the function with these cofactors, one for each value of the variable at this level,
    /// which is above all that they depend on.
    pub(super) fn branch(&mut self, level: usize, children: &[Edge]) -> Edge {
        if children.iter().all(|&child| child == children[0]) {
            return children[0];
        }
        let inverted = children[0].inverted();
        let first = self.children.len();
        let marked = children.iter().map(|child| child.invert_if(inverted));
        self.children.extend(marked);
        let branch = Branch {
            level: level as u32,
            first: first as u32,
        };
        let hash = self.hash(branch);
        let new = &self.children[first..];
        let found = self.unique.find(hash, |&at| {
            let other = self.nodes[at as usize];
            other.level == branch.level && &self.children[self.child_range(other)] == new
        });
        if let Some(&found) = found {
            self.children.truncate(first);
            return Edge::new(NodeId(found), inverted);
        }
        let node = self.nodes.len() as u32;
        self.nodes.push(branch);
        let (values, nodes, children) = (&self.values, &self.nodes, &self.children);
        self.unique.insert_unique(hash, node, |&at| {
            let branch = nodes[at as usize];
            hash_of(branch, &children[range(values, branch)])
        });
        Edge::new(NodeId(node), inverted)
    }

    /// The conjunction of two functions, if it takes at most `steps`, of which those that are
    /// taken are subtracted: one for each node, or more where its variable has many values.
    pub(super) fn and(&mut self, a: Edge, b: Edge, steps: &mut usize) -> Result<Edge, TooMuch> {
        match (a.min(b), a.max(b)) {
            (Edge::FALSE, _) => return Ok(Edge::FALSE),
            (Edge::TRUE, other) => return Ok(other),
            (a, b) if a == b => return Ok(a),
            (a, b) if a == !b => return Ok(Edge::FALSE),
            _ => {}
        }
        let (a, b) = (a.min(b), a.max(b));
        let slot = hash_of_pair(a, b) as usize % CACHE;
        let (known_a, known_b, known) = self.cache[slot];
        if (known_a, known_b) == (a, b) {
            return Ok(known);
        }
        let level = |edge: Edge| self.nodes[edge.node().index()].level;
        let level = level(a).min(level(b)) as usize;
        let work = self.values[level].div_ceil(VALUES_PER_STEP);
        *steps = steps.checked_sub(work).ok_or(TooMuch)?;
        let mut children = Vec::with_capacity(self.values[level]);
        for value in 0..self.values[level] {
            let [a, b] = [a, b].map(|function| self.cofactor(function, level, value));
            children.push(self.and(a, b, steps)?);
        }
        let result = self.branch(level, &children);
        self.cache[slot] = (a, b, result);
        Ok(result)
    }

    fn child_range(&self, branch: Branch) -> Range<usize> {
        range(&self.values, branch)
    }

    fn hash(&self, branch: Branch) -> u64 {
        hash_of(branch, &self.children[self.child_range(branch)])
    }
}

fn range(values: &[usize], branch: Branch) -> Range<usize> {
    let count = match branch.level {
        BOTTOM => 0,
        level => values[level as usize],
    };
    branch.first as usize..branch.first as usize + count
}

fn hash_of(branch: Branch, children: &[Edge]) -> u64 {
    let mut hasher = FxHasher::default();
    branch.level.hash(&mut hasher);
    children.hash(&mut hasher);
    hasher.finish()
}

fn hash_of_pair(a: Edge, b: Edge) -> u64 {
    let mut hasher = FxHasher::default();
    (a, b).hash(&mut hasher);
    hasher.finish() >> 20
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether the variable at a level has a value.
    fn is(diagrams: &mut Diagrams, level: usize, value: usize) -> Edge {
        let children = (0..diagrams.values(level)).map(|v| Edge::FALSE.invert_if(v == value));
        let children: Vec<Edge> = children.collect();
        diagrams.branch(level, &children)
    }

    #[test]
    fn variables_with_many_values_take_more_steps() {
        let taken = |values| {
            let mut diagrams = Diagrams::new(vec![values; 2]);
            let [a, b] = [0, 1].map(|level| is(&mut diagrams, level, 1));
            let steps = &mut 1000;
            diagrams.and(a, b, steps).unwrap();
            1000 - *steps
        };
        assert_eq!(taken(2), 1);
        assert_eq!(taken(100), 13);
    }

    #[test]
    fn equal_functions_are_equal_edges() {
        let mut diagrams = Diagrams::new(vec![2, 3, 2]);
        let steps = &mut 1000;
        let a = is(&mut diagrams, 0, 1);
        let [b0, b1, b2] = [0, 1, 2].map(|value| is(&mut diagrams, 1, value));
        let c = is(&mut diagrams, 2, 1);
        assert_eq!(diagrams.and(b0, b1, steps).unwrap(), Edge::FALSE);
        // Of three values, a value that is neither of two is the third.
        assert_eq!(diagrams.and(!b0, !b1, steps).unwrap(), b2);
        let left = diagrams.and(a, b1, steps).unwrap();
        let left = diagrams.and(left, c, steps).unwrap();
        let right = diagrams.and(c, b1, steps).unwrap();
        let right = diagrams.and(a, right, steps).unwrap();
        assert_eq!(left, right);
        assert_eq!(diagrams.level(left), Some(0));
        assert_eq!(diagrams.cofactor(left, 0, 0), Edge::FALSE);
        assert!(diagrams.and(a, !b2, &mut 0).is_err());
    }
}
