//! Ceilings: bounds on the goals of other roles when a role achieves a goal.

use batsat::Lit;
use propjit_stop::Stop;

use super::defined::exactly_one;
use crate::game::ground::invariants::encoding::{encoded, step_with};
use crate::game::ground::invariants::net::Net;
use crate::game::ground::invariants::step::{Scope, Step, Verdict, When};
use crate::game::ground::{GroundGame, Literal};
use crate::game::vocabulary::moves::RoleId;

/// The maximum number of variables of the solver, and of conflicts for one query.
const VARIABLES: u32 = 1_000_000;
const CONFLICTS: u64 = 10_000;

/// Returns the greatest goal that `other` can have at the end of a match in which `role` has at least
/// `value`, if it is proved that it cannot have its greatest one then, and that it has exactly one. Ends when `stop` is
/// set.
///
/// The queries are about single steps from states of each [phase](crate::game::ground::Phases) that
/// are not terminal, reachable or not.
pub fn ceiling(
    game: &GroundGame,
    (role, value): (RoleId, i32),
    other: RoleId,
    stop: &Stop,
) -> Option<i32> {
    let net = &Net::new(game, VARIABLES);
    if net.starts_terminal() {
        return None;
    }
    let goals = |role: RoleId| game.propnet().roles[role.index()].goals.iter();
    let (phases, mut least) = (game.phases(), None);
    let mut steps: Vec<_> = (phases.each().iter())
        .map(|holding| {
            let mut step = step_with(net, &[], Scope::Whole, CONFLICTS, stop);
            for &base in phases.bases() {
                let literal = Literal::new(base, holding.contains(base));
                let literal = encoded(&mut step, When::Now, literal);
                step.clause(&[literal]);
            }
            step
        })
        .collect();
    let enough = goals(role)
        .enumerate()
        .filter(|(_, goal)| goal.value >= value);
    let enough: Vec<usize> = enough.map(|(number, _)| number).collect();
    // Whether a condition on the other role may hold at an end that the role achieves.
    let mut is_possible = |what: &dyn Fn(&mut Step) -> Lit| {
        steps.iter_mut().any(|step| {
            let what = what(step);
            enough.iter().any(|&achieved| {
                let premises = [
                    step.edge(When::Now, !net.terminal()),
                    step.edge(When::Next, net.terminal()),
                    step.edge(When::Next, net.goal(role.index(), achieved)),
                    what,
                ];
                step.query(&premises) != Verdict::Impossible
            })
        })
    };
    let goal_of_other =
        |step: &mut Step, number| step.edge(When::Next, net.goal(other.index(), number));
    for (number, goal) in goals(other).enumerate().rev() {
        if is_possible(&|step| goal_of_other(step, number)) {
            let all = 0..goals(other).len();
            let is_undefined = is_possible(&|step| {
                let held: Vec<Lit> = all.clone().map(|goal| goal_of_other(step, goal)).collect();
                !exactly_one(step, &held)
            });
            least = least.filter(|_| !is_undefined);
            return least.map(|_| goal.value);
        }
        least = Some(goal.value);
    }
    // The other role never has exactly one goal.
    None
}

#[cfg(test)]
mod tests {
    use crate::game::load::{Game, Setup};

    use super::*;

    #[test]
    fn who_wins_alone_leaves_nothing_to_the_other() {
        let rules = |both: &str| {
            format!(
                "(role x) (role o) (init (control x))
                 (<= (legal ?r wait) (role ?r)) (<= (legal ?r win) (true (control ?r)))
                 (<= (next (control o)) (true (control x)))
                 (<= (next (control x)) (true (control o)))
                 (<= (next (won ?r)) (does ?r win)) {both}
                 (<= terminal (true (won ?r)))
                 (<= (goal ?r 100) (true (won ?r)))
                 (<= (goal ?r 0) (role ?r) (not (true (won ?r))))"
            )
        };
        let ceiling = |both: &str| {
            let game = Game::from_text("test.kif", &rules(both), &Setup::default()).unwrap();
            let ground = game.ground_game().unwrap().clone();
            super::ceiling(&ground, (RoleId(0), 100), RoleId(1), &Stop::new())
        };
        assert_eq!(ceiling(""), Some(0));
        assert_eq!(ceiling("(<= (next (won o)) (does x win))"), None);
    }
}
