//! Random circuits.

use propjit_jit::circuit::{Builder, Circuit, Edge, OutputId};
use proptest::prelude::*;

/// One step in making a circuit; numbers choose among the edges there are.
#[derive(Clone, Debug)]
enum Recipe {
    And(u32, u32),
    /// An exclusive disjunction, and whether its parts are used elsewhere.
    Xor(u32, u32, bool),
    /// A wide conjunction, or disjunction.
    Wide(Vec<u32>, bool),
    /// Feedback nodes, and gates made of members and of edges outside.
    Loop(usize, Vec<(u32, u32, bool)>),
}

fn recipe() -> impl Strategy<Value = Recipe> {
    let gates = prop::collection::vec(any::<(u32, u32, bool)>(), 0..30);
    prop_oneof![
        20 => any::<(u32, u32)>().prop_map(|(a, b)| Recipe::And(a, b)),
        5 => any::<(u32, u32, bool)>().prop_map(|(a, b, shared)| Recipe::Xor(a, b, shared)),
        4 => (prop::collection::vec(any::<u32>(), 2..20), any::<bool>())
            .prop_map(|(edges, any)| Recipe::Wide(edges, any)),
        1 => (1..5usize, gates).prop_map(|(feedback, gates)| Recipe::Loop(feedback, gates)),
    ]
}

/// Circuits with wide gates, shared gates and monotone loops.
pub(crate) fn circuits() -> impl Strategy<Value = Circuit> {
    let recipes = prop::collection::vec(recipe(), 0..120);
    let outputs = prop::collection::vec(any::<u32>(), 0..150);
    (0..100usize, recipes, outputs).prop_map(|(inputs, recipes, outputs)| {
        let mut builder = Builder::new(inputs);
        let mut edges = vec![Edge::FALSE];
        edges.extend((0..inputs).map(|i| builder.input(i)));
        for recipe in recipes {
            follow(&recipe, &mut builder, &mut edges);
        }
        let outputs = outputs.into_iter().map(|code| pick(&edges, code)).collect();
        builder.finish(outputs)
    })
}

fn follow(recipe: &Recipe, builder: &mut Builder, edges: &mut Vec<Edge>) {
    match recipe {
        &Recipe::And(a, b) => edges.push(builder.and(pick(edges, a), pick(edges, b))),
        &Recipe::Xor(a, b, shared) => {
            let (a, b) = (pick(edges, a), pick(edges, b));
            let (both, neither) = (builder.and(a, b), builder.and(!a, !b));
            if shared {
                edges.extend([both, neither]);
            }
            edges.push(builder.and(!both, !neither));
        }
        Recipe::Wide(codes, any) => {
            let operands: Vec<Edge> = codes.iter().map(|&code| pick(edges, code)).collect();
            edges.push(match any {
                true => builder.or_all(&operands),
                false => builder.and_all(&operands),
            });
        }
        Recipe::Loop(feedback, gates) => {
            // Monotone: members are only read uninverted.
            let mut members = builder.begin_loop(*feedback);
            for &(member, other, any) in gates {
                let a = members[member as usize % members.len()];
                let b = match other % 3 {
                    0 => members[other as usize / 3 % members.len()],
                    _ => pick(edges, other / 3),
                };
                members.push(match any {
                    true => builder.or(a, b),
                    false => builder.and(a, b),
                });
            }
            let sources = &members[members.len() - feedback..];
            builder.end_loop(sources);
            edges.extend(members);
        }
    }
}

fn pick(edges: &[Edge], code: u32) -> Edge {
    // Late edges more often, or circuits would be flat.
    let (choice, inverted) = (code as usize / 2, code % 2 == 1);
    let recent = if choice.is_multiple_of(2) {
        edges.len().min(20)
    } else {
        edges.len()
    };
    edges[edges.len() - 1 - choice / 2 % recent].invert_if(inverted)
}

/// All outputs of a circuit.
pub(crate) fn all_outputs(circuit: &Circuit) -> Vec<OutputId> {
    (0..circuit.outputs().len() as u32).map(OutputId).collect()
}
