//! Random circuits, and a comparison of circuits.

use proptest::prelude::*;

use crate::assumptions::Assumptions;
use crate::circuit::{Builder, Circuit, Edge, InputId, OutputId};

/// The inputs of random circuits. The first few play the part of moves.
const INPUTS: usize = 7;
const MOVES: usize = 3;

/// One thing added to a random circuit; numbers pick from the edges made so far.
#[derive(Clone, Debug)]
enum Step {
    /// The conjunction of edges.
    And(Vec<u16>),
    /// A loop with this many feedback nodes, monotone ANDs and ORs, and sources.
    Loop(usize, Vec<(u16, u16, bool)>),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let and = prop::collection::vec(any::<u16>(), 2..5).prop_map(Step::And);
    let inside = prop::collection::vec(any::<(u16, u16, bool)>(), 1..10);
    let a_loop = (1usize..4, inside).prop_map(|(count, inside)| Step::Loop(count, inside));
    prop::collection::vec(prop_oneof![12 => and, 1 => a_loop], 1..25)
}

/// An edge of the pool, recent ones more often, inverted or not.
fn pick(pool: &[Edge], number: u16) -> Edge {
    let number = usize::from(number);
    let recent = pool.len().min(6);
    let edge = match number & 2 {
        0 => pool[pool.len() - 1 - (number >> 2) % recent],
        _ => pool[(number >> 2) % pool.len()],
    };
    edge.invert_if(number & 1 == 1)
}

fn perform(builder: &mut Builder, pool: &mut Vec<Edge>, step: &Step) {
    match step {
        Step::And(numbers) => {
            let edges: Vec<Edge> = numbers.iter().map(|&n| pick(pool, n)).collect();
            pool.push(builder.and_all(&edges));
        }
        Step::Loop(count, inside) => {
            let mut monotone = builder.begin_loop(*count);
            for &(a, b, is_and) in inside {
                let a = monotone[usize::from(a) % monotone.len()];
                // Edges from outside the loop may be inverted, those inside may not.
                let b = match b & 1 {
                    0 => monotone[usize::from(b >> 1) % monotone.len()],
                    _ => pick(pool, b >> 1),
                };
                monotone.push(if is_and {
                    builder.and(a, b)
                } else {
                    builder.or(a, b)
                });
            }
            let sources: Vec<Edge> = monotone.iter().rev().take(*count).copied().collect();
            builder.end_loop(&sources);
            pool.extend(monotone);
        }
    }
}

/// That exactly one of the `moves` inputs from the `first` on is true, and each implies an output, in order.
pub(crate) fn one_move(first: usize, moves: usize) -> Assumptions {
    let inputs = (first..first + moves).map(|input| InputId(input as u32));
    let implies = inputs.clone().zip((0..).map(OutputId));
    Assumptions {
        implies: implies.collect(),
        exactly_one: vec![inputs.collect()],
    }
}

prop_compose! {
    /// A random circuit with assumptions like those of a game: exactly one of
    /// the first inputs is true, and each of them implies an output.
    pub(crate) fn circuits()(
        legal in steps(),
        next in steps(),
        implied in prop::collection::vec(any::<u16>(), MOVES),
        read in prop::collection::vec(any::<u16>(), 1..4),
    ) -> (Circuit, Assumptions) {
        let mut builder = Builder::new(INPUTS);
        let mut pool: Vec<Edge> = (MOVES..INPUTS).map(|i| builder.input(i)).collect();
        legal.iter().for_each(|step| perform(&mut builder, &mut pool, step));
        let mut outputs: Vec<Edge> = implied.iter().map(|&n| pick(&pool, n)).collect();
        pool.extend((0..MOVES).map(|i| builder.input(i)));
        next.iter().for_each(|step| perform(&mut builder, &mut pool, step));
        outputs.extend(read.iter().map(|&n| pick(&pool, n)));
        (builder.finish(outputs), one_move(0, MOVES))
    }
}

/// The inputs that an output depends on.
fn support(circuit: &Circuit, output: Edge) -> Vec<bool> {
    let cone = circuit.cone([output]);
    let inputs = circuit.inputs().iter();
    inputs.map(|&node| cone.contains(node)).collect()
}

/// Panics if the circuits differ in an output, for inputs that satisfy the
/// assumptions or, where that output depends on no move, for all inputs.
pub(super) fn assert_same(before: &Circuit, after: &Circuit, assumptions: &Assumptions) {
    let outputs = before.outputs().iter();
    let supports: Vec<Vec<bool>> = outputs.map(|&edge| support(before, edge)).collect();
    for bits in 0..1u32 << before.inputs().len() {
        let inputs: Vec<bool> = (0..before.inputs().len())
            .map(|i| bits >> i & 1 == 1)
            .collect();
        let (expected, got) = (before.evaluate(&inputs), after.evaluate(&inputs));
        for (output, support) in supports.iter().enumerate() {
            // All assumptions of a random circuit are about its moves.
            let concerned = support[..MOVES].contains(&true);
            let groups_hold = assumptions.exactly_one.iter().all(|group| {
                let chosen = group.iter().filter(|input| inputs[input.index()]);
                chosen.count() == 1
            });
            let implications_hold = (assumptions.implies.iter())
                .all(|(input, output)| !inputs[input.index()] || expected[output.index()]);
            if !concerned || groups_hold && implications_hold {
                assert_eq!(
                    got[output], expected[output],
                    "output {output} for inputs {inputs:?}"
                );
            }
        }
    }
}
