//! Simplification by groups of inputs of which exactly one is true.
//!
//! Two moves of one role exclude each other, and "any of these moves" is "none of the
//! others" where those are fewer.

use std::collections::BTreeMap;

use super::context;
use super::known::Facts;
use super::rebuild::rebuild;
use super::wide::{Wide, conjunction};
use crate::assumptions::Assumptions;
use crate::circuit::{Circuit, Edge, Node, NodeId};
use propjit_stop::Stop;

/// The circuit simplified by [`Assumptions::exactly_one`].
pub(super) fn choice(circuit: &Circuit, assumptions: &Assumptions, stop: &Stop) -> Circuit {
    let mut groups = vec![Vec::new(); circuit.inputs().len()];
    for (group, members) in assumptions.exactly_one.iter().enumerate() {
        for member in members {
            groups[member.index()].push(group as u32);
        }
    }
    let facts = Facts {
        groups,
        ..Facts::default()
    };
    let circuit = context::simplify(circuit, &facts, stop);
    if stop.is_set() {
        return circuit;
    }
    complement(&circuit, &facts.groups, assumptions)
}

/// Replaces "none of these inputs", for most inputs of a group, by "any of the others".
fn complement(circuit: &Circuit, groups: &[Vec<u32>], assumptions: &Assumptions) -> Circuit {
    let wide = Wide::new(circuit);
    let mut excluded = Excluded::new(circuit, groups);
    let smallest = assumptions.exactly_one.iter().map(Vec::len).min();
    let smallest = smallest.unwrap_or(0) as u32;
    let mut leaves = Vec::new();
    rebuild(circuit, |builder, moved, node| {
        if !wide.is_gate(node) {
            return None;
        }
        wide.leaves(node, &mut leaves);
        let mut instead = Vec::new();
        if 2 * excluded.bounds[node.index()] > smallest {
            let mut replaced = Vec::new();
            for (group, mut out) in excluded.by(node) {
                out.sort_unstable();
                out.dedup();
                let members = &assumptions.exactly_one[group as usize];
                if 2 * out.len() > members.len() {
                    let is_out = |edge: Edge| out.binary_search(&edge).is_ok();
                    let inputs = members.iter().map(|input| builder.input(input.index()));
                    let others: Vec<Edge> = inputs.filter(|&edge| !is_out(!edge)).collect();
                    instead.push(builder.or_all(&others));
                    replaced.extend(out);
                }
            }
            replaced.sort_unstable();
            if !replaced.is_empty() {
                leaves.retain(|&leaf| !excluded.says_only(leaf, &replaced));
            }
        }
        instead.extend(leaves.drain(..).map(|leaf| moved.edge(leaf)));
        Some(conjunction(builder, &mut instead))
    })
}

/// The inverted members of groups that gates are conjunctions of, seen through
/// all gates that their uninverted operands come from.
struct Excluded<'a> {
    circuit: &'a Circuit,
    groups: &'a [Vec<u32>],
    /// By node, an upper bound of their number.
    bounds: Vec<u32>,
    /// The time of the last visit to each node.
    visited: Vec<u32>,
    clock: u32,
    /// The number of visits left, so that all searches together take linear time.
    visits: usize,
}

impl<'a> Excluded<'a> {
    fn new(circuit: &'a Circuit, groups: &'a [Vec<u32>]) -> Excluded<'a> {
        let count = circuit.nodes().len();
        let mut excluded = Excluded {
            circuit,
            groups,
            bounds: vec![0; count],
            visited: vec![0; count],
            clock: 0,
            visits: 8 * count + (1 << 20),
        };
        for at in 0..count {
            if let Node::And(a, b) = circuit.nodes()[at] {
                let bounds = [a, b].map(|edge| match excluded.group(edge) {
                    Some(_) => 1,
                    None if edge.inverted() => 0,
                    None => excluded.bounds[edge.node().index()],
                });
                excluded.bounds[at] = bounds[0].saturating_add(bounds[1]);
            }
        }
        excluded
    }

    /// The group that an edge excludes a member of.
    fn group(&self, edge: Edge) -> Option<u32> {
        match self.circuit.node(edge.node()) {
            Node::Input(input) if edge.inverted() => self.groups[input.index()].first().copied(),
            _ => None,
        }
    }

    /// The excluded members by group, some of them more than once.
    fn by(&mut self, gate: NodeId) -> BTreeMap<u32, Vec<Edge>> {
        let mut excluded: BTreeMap<u32, Vec<Edge>> = BTreeMap::new();
        self.search(Edge::from(gate), |edge, group| {
            if let Some(group) = group {
                excluded.entry(group).or_default().push(edge);
            }
            true
        });
        excluded
    }

    /// Returns whether the edge is a conjunction of some of these edges, sorted, and nothing else.
    fn says_only(&mut self, edge: Edge, these: &[Edge]) -> bool {
        self.search(edge, |edge, _| these.binary_search(&edge).is_ok())
    }

    /// Returns whether all edges that `edge` is a conjunction of are accepted, with
    /// the groups that they exclude members of; false as well if it takes too long.
    fn search(&mut self, edge: Edge, mut accepts: impl FnMut(Edge, Option<u32>) -> bool) -> bool {
        self.clock += 1;
        let mut waiting = vec![edge];
        while let Some(edge) = waiting.pop() {
            match self.circuit.node(edge.node()) {
                Node::And(a, b) if !edge.inverted() => {
                    let visited = &mut self.visited[edge.node().index()];
                    if *visited == self.clock {
                        continue;
                    }
                    *visited = self.clock;
                    if self.visits == 0 {
                        return false;
                    }
                    self.visits -= 1;
                    waiting.extend([a, b]);
                }
                _ if !accepts(edge, self.group(edge)) => return false,
                _ => {}
            }
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::circuit::{Builder, InputId};
    use crate::passes::sweep::sweep;

    /// Returns the simplified outputs if exactly one of the first inputs is true.
    fn after(
        group: u32,
        inputs: usize,
        make: impl Fn(&mut Builder, &[Edge]) -> Vec<Edge>,
    ) -> Circuit {
        let mut g = Builder::new(inputs);
        let edges: Vec<Edge> = (0..inputs).map(|i| g.input(i)).collect();
        let outputs = make(&mut g, &edges);
        let assumptions = Assumptions {
            exactly_one: vec![(0..group).map(InputId).collect()],
            ..Assumptions::default()
        };
        let circuit = g.finish(outputs);
        sweep(&choice(&circuit, &assumptions, &Stop::new()))
    }

    #[test]
    fn two_of_a_group_exclude_each_other() {
        let circuit = after(3, 4, |g, x| {
            let both = g.and_all(&[x[0], x[1], x[3]]);
            let one = g.and(x[0], !x[1]);
            vec![both, one]
        });
        assert_eq!(circuit.outputs()[0], Edge::FALSE);
        assert_eq!(circuit.outputs()[1], Edge::from(circuit.inputs()[0]));
    }

    #[test]
    fn any_of_all_is_true() {
        let circuit = after(4, 4, |g, x| vec![g.or_all(x)]);
        assert_eq!(circuit.outputs(), [Edge::TRUE]);
    }

    #[test]
    fn any_of_most_is_none_of_the_rest() {
        // Through shared gates: the halves are needed elsewhere.
        let circuit = after(8, 9, |g, x| {
            let halves = [g.or_all(&x[..3]), g.or_all(&x[3..7])];
            let any = g.or(halves[0], halves[1]);
            vec![g.and(any, x[8]), halves[0], halves[1]]
        });
        assert_eq!(circuit.gates(), 1 + 2 + 3);
        let inverted_last = !Edge::from(circuit.inputs()[7]);
        let last = Edge::from(circuit.inputs()[8]);
        let expected = Node::And(inverted_last.min(last), inverted_last.max(last));
        assert_eq!(circuit.node(circuit.outputs()[0].node()), expected);
    }
}
