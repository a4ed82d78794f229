//! Costs of a playout's step, part by part.

use propjit_jit::circuit::{Circuit, NodeSet, OutputId};

use super::layout::Layout;
use super::sections::playout_sections;

/// The cost of the choice of a move, in gates for each move that a role may have.
const CHOICE_GATES: usize = 17;

/// Returns the cost of the choice of moves in a step, in gates, if all roles together have `moves`
/// moves.
pub(crate) fn choice_gates(moves: usize, roles: usize) -> usize {
    // In most games, one role has a choice at a time.
    CHOICE_GATES * moves / roles.max(1)
}

/// The work for each lane in a playout, in gates of the circuit before any pass, which are two or
/// three times as many as after all passes.
#[derive(Clone, Copy, Debug)]
pub struct StepCost {
    /// For each step, with the choice of moves.
    pub step: f64,
    /// For the choice of moves, which is a part of that.
    pub choice: f64,
    /// For the goals, beyond that.
    pub goals: f64,
}

impl StepCost {
    pub(super) fn new(circuit: &Circuit, layout: &Layout) -> StepCost {
        let [state, next, goals, _] = playout_sections(layout).map(|section| section.outputs);
        let gates = |seen: &mut NodeSet, outputs: &[OutputId]| {
            let edges = outputs
                .iter()
                .map(|output| circuit.outputs()[output.index()]);
            circuit.extend_cone(seen, edges)
        };
        let mut seen = NodeSet::empty(circuit);
        let state = gates(&mut seen, &state);
        let next = gates(&mut seen.clone(), &next);
        let goals = gates(&mut seen, &goals);
        let moves = layout.legal.iter().map(ExactSizeIterator::len).sum();
        let choice = choice_gates(moves, layout.legal.len());
        StepCost {
            step: (state + next + choice).max(1) as f64,
            choice: choice as f64,
            goals: goals as f64,
        }
    }
}

#[cfg(test)]
mod tests {
    use propjit_gdl::games::BY_SIZE;

    use crate::game::load::{Game, Setup};

    #[test]
    fn counting_a_board_costs_more_than_looking_for_a_row() {
        let costs = BY_SIZE.map(|(name, text)| {
            let game = Game::from_text(name, text, &Setup::default()).unwrap();
            (name, game.ground_game().unwrap().cost())
        });
        for (name, cost) in costs {
            let cost = cost.goals / cost.step;
            match name {
                "reversi" => assert!((0.2..2.0).contains(&cost), "{name}: {cost}"),
                "breakthrough" => assert!((0.0..0.1).contains(&cost), "{name}: {cost}"),
                _ => assert!((0.0..2.0).contains(&cost), "{name}: {cost}"),
            }
        }
    }
}
