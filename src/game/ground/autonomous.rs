//! Autonomous propositions, which change by themselves, whatever is played.

use propjit_jit::circuit::NodeId;

use super::lowered_game::LoweredGame;

/// Returns, for each proposition, whether neither moves nor propositions that depend on them ever
/// influence it. Influence is derived from the circuit's structure.
pub(crate) fn autonomous(game: &LoweredGame) -> Vec<bool> {
    let (circuit, layout) = (game.lowered(), game.layout());
    let inputs = circuit.inputs();
    let next = &circuit.outputs()[layout.next.clone()];
    let bases = &inputs[layout.bases.clone()];
    let mut sources: Vec<NodeId> = inputs[layout.bases.end..].to_vec();
    let mut is_free = vec![true; bases.len()];
    loop {
        let influence = circuit.influence(sources.iter().copied());
        let before = sources.len();
        for (base, edge) in next.iter().enumerate() {
            if is_free[base] && influence.contains(edge.node()) {
                is_free[base] = false;
                sources.push(bases[base]);
            }
        }
        if sources.len() == before {
            return is_free;
        }
    }
}
