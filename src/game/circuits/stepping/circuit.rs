//! Construction of the circuit of random steps from a game's circuit in each phase.

use std::ops::Range;

use propjit_jit::circuit::{Builder, Circuit, Edge};
use propjit_jit::count_tree::CountTree;
use propjit_jit::passes::{connect, fold};

use super::code::StateCode;
use super::ends::impossible_ends;
use super::layout::{StepLayout, StepPhase};
use super::next_number::next_number;
use crate::game::circuits::reasons::PhaseCircuit;
use crate::game::ground::{GroundGame, Layout};

/// Returns the circuit of random steps of a game, numbered by `layout`, for a circuit with the game's inputs and
/// outputs. Moves are chosen among those that are legal in that circuit.
pub fn step_circuit(game: &GroundGame, circuit: &Circuit, layout: &StepLayout) -> Circuit {
    let game_layout = game.layout();
    let mut builder = Builder::new(layout.inputs());
    let mut outputs = vec![Edge::FALSE; layout.outputs];
    let circuits = (layout.phases.iter().zip(0..))
        .map(|(phase, number)| PhaseCircuit::of(circuit, game_layout, number, &phase.constants));
    let circuits: Vec<PhaseCircuit> = circuits.collect();
    let before = circuits.iter().cycle().skip(circuits.len() - 1);
    let ends =
        (before.zip(&circuits)).map(|(before, circuit)| impossible_ends(game, before, circuit));
    let ends: Vec<Vec<Edge>> = ends.collect();
    let circuits = (circuits.into_iter().zip(&ends)).map(|(circuit, ends)| circuit.without(ends));
    let initial = layout.code.encode(game.initial());
    for (of_phase, phase) in circuits.zip(&layout.phases) {
        let first_move = game_layout.bases.end;
        let state: Vec<Edge> = phase.state.clone().map(|at| builder.input(at)).collect();
        let bases = layout.code.decode(&mut builder, &state);
        let (circuit, next) = match layout.code.is_plain() {
            true => (of_phase.circuit().clone(), game_layout.next.clone()),
            false => with_next_state(&layout.code, game_layout, phase, &of_phase),
        };
        let choose = |builder: &mut Builder, found: &[Edge]| {
            let mut does = vec![Edge::FALSE; game_layout.inputs() - first_move];
            for (role, moves) in of_phase.moves().iter().enumerate() {
                let legal = &found[game_layout.legal[role].clone()];
                let edges: Vec<Edge> = moves.iter().map(|played| legal[played.index()]).collect();
                let tree = CountTree::new(builder, &edges);
                let total = tree.total();
                outputs[phase.counts[role].clone()][..total.len()].copy_from_slice(total);
                let parts = tree.parts();
                outputs[phase.parts[role].clone()][..parts.len()].copy_from_slice(&parts);
                let number = phase.numbers[role].clone();
                let digits: Vec<Edge> = number.map(|input| builder.input(input)).collect();
                let chosen = tree.find(builder, &digits);
                let first = game_layout.does[role].start - first_move;
                for (played, chosen) in moves.iter().zip(chosen) {
                    does[first + played.index()] = chosen;
                }
            }
            let more = circuit.inputs().len() - game_layout.inputs();
            does.extend_from_slice(&state[..more]);
            does
        };
        let found = connect(&circuit, &mut builder, &bases, choose);
        let restart = match phase.restarts {
            true => builder.input(layout.restart),
            false => Edge::FALSE,
        };
        for bit in layout.changing_after(phase) {
            let (to, from) = (phase.next.start + bit, next.start + bit);
            outputs[to] = match initial.contains(bit) {
                true => builder.or(found[from], restart),
                false => builder.and(found[from], !restart),
            };
        }
        let mut put = |to: Range<usize>, from: Range<usize>| {
            outputs[to].copy_from_slice(&found[from]);
        };
        put(
            phase.terminal..phase.terminal + 1,
            game_layout.terminal..game_layout.terminal + 1,
        );
        for (to, from) in phase.goals.iter().zip(&game_layout.goals) {
            put(to.clone(), from.clone());
        }
    }
    let mut circuit = builder.finish(outputs);
    if !layout.code.is_plain() {
        // Some of the decoded propositions have no reader.
        circuit = fold(&circuit, &vec![None; circuit.inputs().len()]);
    }
    tracing::debug!(gates = circuit.gates(), "the circuit of random steps");
    circuit.with_in_place(layout.in_place)
}

/// Returns the circuit of a phase with the bits of the state as further inputs, and with those of
/// the next state as further outputs, which have these numbers.
fn with_next_state(
    code: &StateCode,
    game: &Layout,
    phase: &StepPhase,
    of_phase: &PhaseCircuit,
) -> (Circuit, Range<usize>) {
    let circuit = of_phase.circuit();
    let inputs = circuit.inputs().len();
    let mut builder = Builder::new(inputs + code.bits());
    let given: Vec<Edge> = (0..inputs).map(|input| builder.input(input)).collect();
    let mut outputs = connect(circuit, &mut builder, &given, |_, _| Vec::new());
    let first = outputs.len();
    outputs.resize(first + code.bits(), Edge::FALSE);
    let next = |outputs: &[Edge], base: usize| outputs[game.next.start + base];
    for (bit, base) in code.plain() {
        outputs[first + bit] = next(&outputs, base);
    }
    for group in code.groups() {
        let members = group
            .members
            .iter()
            .map(|&base| match phase.constants[base] {
                Some(false) => (Edge::FALSE, next(&outputs, base)),
                _ => (given[base], next(&outputs, base)),
            });
        let bits = group.bits.clone().map(|bit| builder.input(inputs + bit));
        let bits: Vec<Edge> = bits.collect();
        let members: Vec<(Edge, Edge)> = members.collect();
        let next = next_number(&mut builder, members.into_iter(), &bits);
        outputs[first + group.bits.start..][..next.len()].copy_from_slice(&next);
    }
    (builder.finish(outputs), first..first + code.bits())
}
