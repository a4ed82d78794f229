//! Definedness of the ends of matches, which GDL requires ("Game Description Language specification", Love et al.
//! 2008, section 9) and some rulesheets violate.

use batsat::Lit;
use propjit_stop::Stop;

use crate::game::ground::invariants::Invariant;
use crate::game::ground::invariants::encoding::{encoded, step_with};
use crate::game::ground::invariants::net::Net;
use crate::game::ground::invariants::step::{Scope, Step, Verdict, When};
use crate::game::ground::{GoalBounds, GroundGame, Literal};
use crate::game::vocabulary::moves::RANDOM_ROLE;

/// The maximum number of conflicts for one query.
const CONFLICTS: u64 = 10_000;

/// Proved properties of the ends of matches.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DefinedEnds {
    /// For each role, whether it has exactly one goal in every reachable terminal state. This is not required of
    /// chance, nor of roles that have the same goal in all terminal states.
    pub goals: Vec<bool>,
    /// Whether each role has a legal move in every other state.
    pub moves: bool,
}

impl DefinedEnds {
    /// Returns what a SAT solver proves about single steps from states of each [phase](crate::game::ground::Phases)
    /// that are not terminal, and in which these invariants hold. Properties that it has not proved when stopped
    /// count as false.
    pub(super) fn prove_with(
        game: &GroundGame,
        net: &Net,
        invariants: &[Invariant],
        stop: &Stop,
    ) -> DefinedEnds {
        let mut ends = DefinedEnds {
            goals: vec![true; net.game.roles().len()],
            moves: net.can_start(),
        };
        for holding in game.phases().each() {
            let mut step = step_with(net, invariants, Scope::Whole, CONFLICTS, stop);
            for &base in game.phases().bases() {
                let literal = Literal::new(base, holding.contains(base));
                let literal = encoded(&mut step, When::Now, literal);
                step.clause(&[literal]);
            }
            for role in 0..ends.goals.len() {
                ends.goals[role] = ends.goals[role] && !can_be_undefined(net, &mut step, role);
                ends.moves = ends.moves && !can_be_stuck(net, &mut step, role);
            }
        }
        ends
    }

    /// Returns the bounds that these proofs allow: where a role can be stuck, nothing is known about any end, and
    /// latches leave the other goals to a role only if it gets exactly one.
    pub(crate) fn restrict(&self, bounds: GoalBounds) -> Option<GoalBounds> {
        self.moves
            .then(|| bounds.with_latches_for(self.goals.clone()))
    }

    /// Returns how many of these are not proved.
    pub(super) fn unproved(&self) -> usize {
        let roles = self.goals.iter().filter(|&&is_defined| !is_defined);
        roles.count() + usize::from(!self.moves)
    }

    /// Returns whether all properties hold for all roles and states.
    pub fn are_all(&self) -> bool {
        self.moves && self.goals.iter().all(|&is_defined| is_defined)
    }
}

/// Returns whether a step can lead to a terminal state in which the role with this index does not have
/// exactly one goal.
fn can_be_undefined(net: &Net, step: &mut Step, role: usize) -> bool {
    let goals = &net.game.propnet().roles[role].goals;
    let is_known = goals.iter().all(|goal| goal.value == 0);
    if is_known || net.game.roles()[role] == RANDOM_ROLE {
        return false;
    }
    let held = (0..goals.len()).map(|goal| step.edge(When::Next, net.goal(role, goal)));
    let held: Vec<Lit> = held.collect();
    let is_one = exactly_one(step, &held);
    let premises = [
        step.edge(When::Now, !net.terminal()),
        step.edge(When::Next, net.terminal()),
        !is_one,
    ];
    step.query(&premises) != Verdict::Impossible
}

/// Returns whether a step can lead to a state that is not terminal, in which the role with this index has no
/// legal move.
fn can_be_stuck(net: &Net, step: &mut Step, role: usize) -> bool {
    let illegal = net.layout.legal[role].clone();
    let illegal = illegal.map(|output| !step.edge(When::Next, net.circuit.outputs()[output]));
    let illegal: Vec<Lit> = illegal.collect();
    let premises = [
        step.edge(When::Now, !net.terminal()),
        step.edge(When::Next, !net.terminal()),
        step.and_all(&illegal),
    ];
    step.query(&premises) != Verdict::Impossible
}

/// Returns a literal that is true if exactly one of these is.
pub(super) fn exactly_one(step: &mut Step, lits: &[Lit]) -> Lit {
    let none = !step.truth();
    let (mut two, mut one) = (none, none);
    for &lit in lits {
        let second = step.and(one, lit);
        two = !step.and(!two, !second);
        one = !step.and(!one, !lit);
    }
    step.and(one, !two)
}
