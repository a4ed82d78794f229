//! Exactly one input of a group is true: two moves of one role exclude each
//! other, and "any of these moves" is "none of the others" where those are fewer.

use std::collections::BTreeMap;

use super::Deadline;
use super::context;
use super::known::Facts;
use super::rebuild::rebuild;
use super::wide::{Wide, conjunction};
use crate::assumptions::Assumptions;
use crate::circuit::{Circuit, Edge, Node};

/// The circuit simplified by [`Assumptions::exactly_one`].
pub(super) fn choice(circuit: &Circuit, assumptions: &Assumptions, deadline: &Deadline) -> Circuit {
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
    let circuit = context::simplify(circuit, &facts, deadline);
    complement(&circuit, &facts.groups, assumptions)
}

/// Replaces "none of these inputs", for most inputs of a group, by "any of the others".
fn complement(circuit: &Circuit, groups: &[Vec<u32>], assumptions: &Assumptions) -> Circuit {
    let wide = Wide::new(circuit);
    let mut leaves = Vec::new();
    let mut excluded: BTreeMap<u32, Vec<Edge>> = BTreeMap::new();
    rebuild(circuit, |builder, moved, node| {
        if !wide.is_gate(node) {
            return None;
        }
        wide.leaves(node, &mut leaves);
        for leaf in &mut leaves {
            *leaf = moved.edge(*leaf);
            if let Node::Input(input) = builder.node(leaf.node())
                && leaf.inverted()
                && let Some(&group) = groups[input.index()].first()
            {
                excluded.entry(group).or_default().push(*leaf);
            }
        }
        while let Some((group, mut out)) = excluded.pop_first() {
            let members = &assumptions.exactly_one[group as usize];
            out.sort_unstable();
            out.dedup();
            if 2 * out.len() <= members.len() {
                continue;
            }
            let is_out = |edge: Edge| out.binary_search(&edge).is_ok();
            leaves.retain(|&leaf| !is_out(leaf));
            let inputs = members.iter().map(|input| builder.input(input.index()));
            let others: Vec<Edge> = inputs.filter(|&edge| !is_out(!edge)).collect();
            leaves.push(builder.or_all(&others));
        }
        Some(conjunction(builder, &mut leaves))
    })
}
