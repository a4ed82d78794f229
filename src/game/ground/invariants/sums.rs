//! Encoding of sums as clauses: unary numbers, with a literal for each amount that is reached.
//!
//! A sequential counter (Sinz, "Towards an optimal CNF encoding of Boolean cardinality
//! constraints", 2005) with weights. For a sum that must not change, only the changes are summed,
//! which are few terms in any one step: otherwise the solver would first have to find the rest
//! equal.

use batsat::Lit;

use super::linear::Linear;
use super::step::{Step, When};

/// The maximum change of the terms of a sum in one step. More counts as a change of the sum, so
/// that nothing is proved then.
const MAX_CHANGE: usize = 64;

/// The maximum number of terms of a sum that is encoded as clauses.
const MAX_TERMS: usize = 256;

/// Returns whether there are few enough terms to encode the sum as clauses.
pub(super) fn is_small(linear: &Linear) -> bool {
    terms(linear).count() <= MAX_TERMS
}

/// Returns a literal that is true if the sum is not its constant, in the state in which moves are
/// made.
pub(super) fn differs(step: &mut Step, linear: &Linear) -> Lit {
    let (mut more, mut less) = (Vec::new(), Vec::new());
    for (weight, term) in terms(linear) {
        let lit = any(step, When::Now, term);
        let side = if weight > 0 { &mut more } else { &mut less };
        side.push((amount(weight), lit));
    }
    let truth = step.truth();
    let side = if linear.constant > 0 {
        &mut less
    } else {
        &mut more
    };
    side.push((amount(linear.constant), truth));
    let [most_more, most_less] = [&more, &less].map(|side| side.iter().map(|&(w, _)| w).sum());
    // If there is more on one side than there can be on the other, they differ.
    let most = usize::min(most_more, most_less) + 1;
    let [more, less] = [more, less].map(|side| reached(step, &side, most));
    unequal(step, &more, &less)
}

/// Returns a literal that is true if the sum changes in a step.
pub(super) fn changes(step: &mut Step, linear: &Linear) -> Lit {
    let (mut up, mut down) = (Vec::new(), Vec::new());
    for (weight, term) in terms(linear) {
        let [now, next] = [When::Now, When::Next].map(|when| any(step, when, term));
        let (gained, lost) = (step.and(next, !now), step.and(now, !next));
        let (gained, lost) = if weight > 0 {
            (gained, lost)
        } else {
            (lost, gained)
        };
        up.push((amount(weight), gained));
        down.push((amount(weight), lost));
    }
    let [up, down] = [up, down].map(|side| reached(step, &side, MAX_CHANGE + 1));
    let unequal = unequal(step, &up, &down);
    let too_much = [up, down].map(|side| side[MAX_CHANGE]);
    let within = step.and_all(&[!unequal, !too_much[0], !too_much[1]]);
    !within
}

/// Returns the terms of the sum: a weight that counts if one of some propositions is true.
fn terms(linear: &Linear) -> impl Iterator<Item = (i64, &[usize])> {
    let terms = linear.terms.iter();
    terms.flat_map(|(weight, counter)| counter.terms().map(|term| (*weight, term)))
}

fn amount(weight: i64) -> usize {
    usize::try_from(weight.unsigned_abs()).unwrap_or(usize::MAX)
}

/// Returns a literal that is true if one of the propositions is.
fn any(step: &mut Step, when: When, term: &[usize]) -> Lit {
    let none: Vec<Lit> = (term.iter()).map(|&base| !step.base(when, base)).collect();
    !step.and_all(&none)
}

/// Returns, for each amount from 1 to `most`, a literal that is true if the weights of the true
/// literals reach it.
fn reached(step: &mut Step, weighted: &[(usize, Lit)], most: usize) -> Vec<Lit> {
    let none = !step.truth();
    let mut reached = vec![none; most];
    for &(weight, lit) in weighted {
        for at in (0..most).rev() {
            // Reached at `at + 1`, by the ones before or with this one.
            let before = match (at + 1).checked_sub(weight) {
                None | Some(0) => step.truth(),
                Some(rest) => reached[rest - 1],
            };
            if weight > 0 && before != none {
                let with = step.and(lit, before);
                reached[at] = !step.and(!reached[at], !with);
            }
        }
    }
    reached
}

/// Returns a literal that is true if two unary numbers are not equal.
fn unequal(step: &mut Step, a: &[Lit], b: &[Lit]) -> Lit {
    let mut equal = Vec::new();
    for (&a, &b) in a.iter().zip(b) {
        let (only_a, only_b) = (step.and(a, !b), step.and(b, !a));
        equal.extend([!only_a, !only_b]);
    }
    !step.and_all(&equal)
}

#[cfg(test)]
mod tests {
    use propjit_stop::Stop;

    use super::*;
    use crate::game::ground::counter::Counter;
    use crate::game::ground::invariants::Invariant;
    use crate::game::ground::invariants::induction::{self, Effort};
    use crate::game::ground::invariants::net::Net;
    use crate::game::ground::invariants::step::Scope;
    use crate::game::load::{Game, Setup};

    #[test]
    fn sums_are_proved_if_and_only_if_no_move_changes_them() {
        let rules = "(role r) (init (at 1)) (init stock) (legal r go) (legal r wait)
             (<= (next (at 2)) (true (at 1)) (does r go)) (<= (next (at 2)) (true (at 2)))
             (<= (next (at 1)) (true (at 1)) (does r wait))
             (<= (next stock) (true stock) (does r wait))
             (<= (next stock) (true stock) (true (at 2)))
             (<= terminal (true (at 3))) (<= (next (at 3)) (true (at 3)))
             (goal r 0)";
        let game = Game::from_text("sums.kif", rules, &Setup::default()).unwrap();
        let ground = game.ground_game().unwrap();
        let base = |name| ground.parse_state(&[name]).unwrap().iter().next().unwrap();
        let place = Counter::Choice(vec![base("(at 1)"), base("(at 2)")]);
        let stock = Counter::Count(vec![base("stock")]);
        let linear = |weights: [i64; 2], constant| {
            Invariant::Linear(Linear {
                terms: weights
                    .into_iter()
                    .zip([place.clone(), stock.clone()])
                    .collect(),
                constant,
            })
        };
        let net = &Net::new(ground, 1_000_000);
        for by_move in [false, true] {
            let effort = Effort {
                scope: Scope::Whole,
                conflicts: 1000,
                by_move,
            };
            let holds = |candidate: Invariant| {
                let candidates = vec![candidate];
                !induction::fixpoint(net, &[], candidates, effort, &Stop::new()).is_empty()
            };
            // The stock goes with the step from the first place to the second.
            assert!(holds(linear([1, 1], 2)));
            assert!(holds(linear([-2, -2], -4)));
            assert!(!holds(linear([2, 1], 3)));
            assert!(!holds(linear([1, 0], 1)));
        }
    }
}
