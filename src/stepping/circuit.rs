//! The circuit of random steps, of a game's circuit in each phase.

use std::ops::Range;

use propjit_jit::circuit::{Builder, Circuit, Edge};
use propjit_jit::count_tree::CountTree;
use propjit_jit::passes::connect;

use super::ends::impossible_ends;
use super::layout::StepLayout;
use crate::ground::GroundGame;
use crate::reasons::PhaseCircuit;

/// The circuit of a game's random steps, as its [`StepLayout`] numbers it.
pub fn step_circuit(game: &GroundGame) -> Circuit {
    let game_layout = game.layout();
    let layout = StepLayout::new(game);
    let mut builder = Builder::new(layout.inputs());
    let mut outputs = vec![Edge::FALSE; layout.outputs];
    for (number, phase) in layout.phases.iter().enumerate() {
        let of_phase = PhaseCircuit::without(game, number, &impossible_ends(game, number));
        let first_move = game_layout.bases.end;
        let bases: Vec<Edge> = phase.bases.clone().map(|at| builder.input(at)).collect();
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
            does
        };
        let found = connect(of_phase.circuit(), &mut builder, &bases, choose);
        let restart = match phase.restarts {
            true => builder.input(layout.restart),
            false => Edge::FALSE,
        };
        for ((to, from), base) in (phase.next.clone().zip(game_layout.next.clone())).zip(0..) {
            outputs[to] = match game.initial().contains(base) {
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
    builder.finish(outputs).with_in_place(layout.in_place)
}
