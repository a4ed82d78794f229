//! Losses: goals that are permanently out of reach, as edges of a circuit.

use propjit_jit::circuit::{Builder, Circuit, Edge};

use crate::game::ground::GoalBounds;
use crate::game::ground::Layout;
use crate::game::vocabulary::moves::RoleId;

/// For each role, edges that are true if latches exclude a goal and all greater ones: from the
/// greatest goal down, as long as there are such latches.
pub(super) type Losses = Vec<Vec<Edge>>;

/// Returns the circuit with gates for these edges.
pub(super) fn with_losses(
    circuit: &Circuit,
    layout: &Layout,
    left: Option<&GoalBounds>,
) -> (Circuit, Losses) {
    let mut builder = Builder::extend(circuit);
    let mut of_role = |role: RoleId| {
        let mut all = Edge::TRUE;
        let mut lost = Vec::new();
        // The least goal is left when all others are lost.
        for goal in (1..layout.goals[role.index()].len()).rev() {
            let Some(mask) = left.and_then(|left| left.excluding(role, goal)) else {
                break;
            };
            let latches = mask.literals().map(|literal| {
                let base = builder.input(layout.bases.start + literal.proposition);
                base.invert_if(!literal.value)
            });
            let latches: Vec<Edge> = latches.collect();
            let excluded = builder.or_all(&latches);
            all = builder.and(all, excluded);
            lost.push(all);
        }
        lost
    };
    let losses = layout.roles().map(&mut of_role).collect();
    (builder.finish(circuit.outputs().to_vec()), losses)
}

/// Returns an edge that is true if some of these hold after a move and did not before.
pub(super) fn gained(builder: &mut Builder, before: &[Edge], after: &[Edge]) -> Edge {
    let gained = before.iter().zip(after);
    let gained: Vec<Edge> = gained
        .map(|(&before, &after)| builder.and(after, !before))
        .collect();
    builder.or_all(&gained)
}
