//! Phase circuits, and their extension by reasons.

use std::ops::Range;

use propjit_jit::circuit::{Builder, Circuit, Edge};
use propjit_jit::passes::{PassConfig, fold, fold_without, optimize};
use propjit_jit::reasons::Walks;
use propjit_stop::Stop;

use super::layout::PhaseLayout;
use super::target::Target;
use crate::game::ground::{GroundGame, Layout};
use crate::game::vocabulary::moves::Move;

/// A game's circuit in one of its phases.
#[derive(Clone, Debug)]
pub struct PhaseCircuit {
    phase: usize,
    /// The inputs that are constants in the phase: the propositions that identify the phase,
    /// moves that are never legal, and those of roles that have no other.
    known: Vec<Option<bool>>,
    /// For each role, the moves that are legal in some state according to the circuit.
    moves: Vec<Vec<Move>>,
    folded: Circuit,
}

impl PhaseCircuit {
    /// Returns what is left of a game's circuit in this phase.
    pub fn new(game: &GroundGame, phase: usize) -> PhaseCircuit {
        let known = game.phases().known(phase, game.layout().bases.len());
        PhaseCircuit::within(game, phase, &known)
    }

    /// Returns what is left of a game's circuit in those states of this phase in which base
    /// propositions have the values given, in their order.
    pub fn within(game: &GroundGame, phase: usize, bases: &[Option<bool>]) -> PhaseCircuit {
        PhaseCircuit::of(&game.min_gates().circuit, game.layout(), phase, bases)
    }

    /// Returns the same for any circuit with this layout.
    pub fn of(
        circuit: &Circuit,
        layout: &Layout,
        phase: usize,
        bases: &[Option<bool>],
    ) -> PhaseCircuit {
        let mut known = bases.to_vec();
        known.resize(circuit.inputs().len(), None);
        let legal = fold(circuit, &known);
        let is_live = |output: usize| legal.outputs()[output] != Edge::FALSE;
        let mut moves = Vec::new();
        for (does, legal) in layout.does.iter().zip(&layout.legal) {
            let live: Vec<Move> = (legal.clone().zip(0..))
                .filter(|&(output, _)| is_live(output))
                .map(|(_, number)| Move(number))
                .collect();
            if !live.is_empty() {
                known[does.clone()].fill(Some(false));
                for played in &live {
                    let only = live.len() == 1;
                    known[does.start + played.index()] = only.then_some(true);
                }
            }
            moves.push(live);
        }
        PhaseCircuit {
            phase,
            folded: fold(circuit, &known),
            known,
            moves,
        }
    }

    /// Returns what is left of it where these edges of the [circuit](PhaseCircuit::circuit) are
    /// false.
    #[must_use]
    pub fn without(self, are_false: &[Edge]) -> PhaseCircuit {
        PhaseCircuit {
            folded: fold_without(&self.folded, &self.known, are_false),
            ..self
        }
    }

    /// Returns the number of the phase.
    pub fn phase(&self) -> usize {
        self.phase
    }

    /// Returns, for each role, the moves that are legal in some state of the phase according to the
    /// circuit.
    pub fn moves(&self) -> &[Vec<Move>] {
        &self.moves
    }

    /// Returns what is left of the game's circuit: it has the same inputs and outputs, but does not
    /// read inputs that are constants.
    pub fn circuit(&self) -> &Circuit {
        &self.folded
    }

    /// Returns the circuit with reasons, for a target; none if it is stopped before. If the game's
    /// circuit assumes that moves are legal, so does this one: the next state after illegal moves
    /// is unspecified.
    pub fn with_reasons(&self, game: &GroundGame, target: Target, stop: &Stop) -> Option<Circuit> {
        let (game_layout, layout) = (game.layout(), PhaseLayout::new(game.layout()));
        let mut builder = Builder::extend(&self.folded);
        let outputs = self.folded.outputs();
        let any =
            |builder: &mut Builder, range: &Range<usize>| builder.or_all(&outputs[range.clone()]);

        // The outputs about the state come after the outputs of the game.
        let goals = &game_layout.goals[target.role.index()];
        let values = &game.propnet().roles[target.role.index()].goals;
        let enough = values.partition_point(|goal| goal.value < target.value);
        let (below, enough) = outputs[goals.clone()].split_at(enough);
        let [any_below, any_enough] = [below, enough].map(|goals| builder.or_all(goals));
        let [missed, achieved] = [below, enough].map(|goals| exactly_one(&mut builder, goals));
        let terminal = outputs[game_layout.terminal];
        let achieved = builder.and_all(&[terminal, achieved, !any_below]);
        let missed = builder.and_all(&[terminal, missed, !any_enough]);
        let able: Vec<Edge> = (game_layout.legal.iter())
            .map(|legal| any(&mut builder, legal))
            .collect();
        let able = builder.and_all(&able);
        let mut wires = outputs.to_vec();
        wires.extend([achieved, terminal, able, missed]);
        let passes = PassConfig::default().with_stop(stop.clone());
        let assumptions = game_layout.assumptions_about_unknown(&self.known);
        let circuit = optimize(&builder.finish(wires), &assumptions, &passes).0;
        if stop.is_set() {
            return None;
        }
        let (outputs, state) = circuit.outputs().split_at(outputs.len());

        // From here on, the legality of moves must not be assumed.
        let mut builder = Builder::extend(&circuit);
        let mut legal = |role: usize| {
            let pairs = game_layout.does[role]
                .clone()
                .zip(game_layout.legal[role].clone());
            let played = pairs.map(|(does, legal)| {
                let does = match self.known[does] {
                    Some(known) => Edge::FALSE.invert_if(known),
                    None => builder.input(does),
                };
                builder.and(does, outputs[legal])
            });
            let played: Vec<Edge> = played.collect();
            builder.or_all(&played)
        };
        let roles = 0..game_layout.does.len();
        let own = legal(target.role.index());
        let others = roles.filter(|&role| role != target.role.index());
        let others: Vec<Edge> = others.map(&mut legal).collect();
        let others = builder.and_all(&others);
        let joint = [own, others];
        let next = &outputs[game_layout.next.clone()];
        let mut wires = next.to_vec();
        wires.extend(
            game_layout
                .legal
                .iter()
                .flat_map(|legal| &outputs[legal.clone()]),
        );
        wires.extend(state);
        wires.extend(joint);
        let circuit = builder.finish(wires);

        let wanted = [
            (&layout.next, &layout.wanted_next),
            (&layout.joint, &layout.wanted_joint),
            (&layout.state, &layout.wanted_state),
        ];
        let further = wanted.iter().map(|(_, wanted)| wanted.len()).sum();
        let is_literal =
            |input: usize| layout.bases.contains(&input) && self.known[input].is_none();
        let mut walks = Walks::new(&circuit, further, is_literal);
        let mut outputs: Vec<Edge> = circuit.outputs().iter().map(|&o| walks.value(o)).collect();
        for (wires, wanted) in wanted {
            if stop.is_set() {
                return None;
            }
            let wires = circuit.outputs()[wires.clone()].iter();
            let wanted: Vec<_> = (wires.zip(wanted.clone()))
                .map(|(&wire, wanted)| (wire, walks.builder.input(wanted)))
                .collect();
            let reasons = walks.reasons(&wanted);
            outputs.extend(&reasons[layout.bases.clone()]);
        }
        let passes = passes.with_rounds(1);
        let circuit = optimize(&walks.builder.finish(outputs), &Default::default(), &passes).0;
        (!stop.is_set()).then_some(circuit)
    }
}

/// Returns an edge that is true if exactly one of the edges is.
fn exactly_one(builder: &mut Builder, edges: &[Edge]) -> Edge {
    let (mut some, mut several) = (Edge::FALSE, Edge::FALSE);
    for &edge in edges {
        let both = builder.and(some, edge);
        several = builder.or(several, both);
        some = builder.or(some, edge);
    }
    builder.and(some, !several)
}
