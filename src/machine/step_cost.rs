//! What the parts of a playout's step cost against each other.

use propjit_jit::circuit::{Circuit, Node, NodeId, OutputId};

use super::compiled::playout_sections;
use super::lower::Layout;

/// What it takes to choose a move, in gates for each move that a role may have.
const CHOICE_GATES: usize = 17;

/// What it takes to choose moves in a step, in gates, if all roles together have so many.
pub(crate) fn choice_gates(moves: usize, roles: usize) -> usize {
    // In most games, one role has a choice at a time.
    CHOICE_GATES * moves / roles.max(1)
}

/// What is evaluated for each lane in a playout, in gates of the circuit before any pass,
/// which are some two or three times as many as after all.
#[derive(Clone, Copy, Debug)]
pub struct StepCost {
    /// For each step, with the choice of moves.
    pub step: f64,
    /// For the goals, beyond that.
    pub goals: f64,
}

impl StepCost {
    pub(super) fn new(circuit: &Circuit, layout: &Layout) -> StepCost {
        let [state, next, goals] = playout_sections(layout).map(|section| section.outputs);
        let mut seen = vec![false; circuit.nodes().len()];
        let state = count_gates(circuit, &state, &mut seen);
        let next = count_gates(circuit, &next, &mut seen.clone());
        let goals = count_gates(circuit, &goals, &mut seen);
        let moves = layout.legal.iter().map(ExactSizeIterator::len).sum();
        let choice = choice_gates(moves, layout.legal.len());
        StepCost {
            step: (state + next + choice).max(1) as f64,
            goals: goals as f64,
        }
    }
}

/// How many gates that are not yet seen the outputs depend on; marks them as seen.
fn count_gates(circuit: &Circuit, outputs: &[OutputId], seen: &mut [bool]) -> usize {
    let roots = outputs
        .iter()
        .map(|output| circuit.outputs()[output.index()]);
    let mut open: Vec<NodeId> = roots.map(|edge| edge.node()).collect();
    let mut gates = 0;
    while let Some(node) = open.pop() {
        if std::mem::replace(&mut seen[node.index()], true) {
            continue;
        }
        if let Node::And(a, b) = circuit.node(node) {
            gates += 1;
            open.extend([a.node(), b.node()]);
        }
    }
    gates
}

#[cfg(test)]
mod tests {
    use propjit_gdl::games::GAMES;

    use crate::game::{Game, Setup};

    #[test]
    fn counting_a_board_costs_more_than_looking_for_a_row() {
        let costs = GAMES.map(|(name, text)| {
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
