//! Counters: groups of propositions of which one is true, and which go in one direction only.
//!
//! A group counts if its members can be put in an order that no step reverses. This is found by
//! ternary propagation: with one member true and the others false, whatever else holds and is
//! played, some members cannot be true next. Whether a step may leave the group without any true
//! member is a separate question, answered by [invariants](crate::game::ground::Invariant).

use propjit_jit::circuit::Circuit;

use super::structural::{Decided, LANES};
use crate::game::ground::invariants::net::Net;
use crate::game::ground::{Invariant, Layout, Literal};
use propjit_stop::Stop;

/// The minimum and the maximum number of members of a group.
const MEMBERS: std::ops::RangeInclusive<usize> = 3..=256;

/// Returns the groups of which at most one proposition is true, which goals depend on and which
/// count, with their members in counting order. Ends when `end` is set.
pub(super) fn find(net: &Net, invariants: &[Invariant], end: &Stop) -> Vec<Vec<usize>> {
    let (circuit, cone) = (net.circuit, net.goal_cone());
    let is_read = |base: &usize| cone.contains(circuit.inputs()[*base]);
    let mut found: Vec<Vec<usize>> = Vec::new();
    for invariant in invariants.iter().take_while(|_| !end.is_set()) {
        let (Invariant::ExactlyOne(group) | Invariant::AtMostOne(group)) = invariant else {
            continue;
        };
        let is_fit = MEMBERS.contains(&group.len()) && group.iter().any(is_read);
        let is_new = |base: &usize| !found.iter().flatten().any(|other| other == base);
        if is_fit && group.iter().all(is_new) {
            found.extend(order(circuit, net.layout, group));
        }
    }
    found
}

/// Returns the members of a group in the only order in which each can follow the one before, if no
/// step goes back, in a circuit with this layout.
pub(super) fn order(circuit: &Circuit, layout: &Layout, group: &[usize]) -> Option<Vec<usize>> {
    let next = |base: &usize| circuit.outputs()[layout.next.start + base];
    // For each member, the members that may be true next.
    let mut after: Vec<Vec<bool>> = Vec::new();
    for chunk in group.chunks(LANES) {
        let sets = chunk.iter().map(|&only| {
            let literal = move |&base: &usize| Literal::new(base, base == only);
            group.iter().map(literal)
        });
        let decided = Decided::by_all(circuit, sets);
        after.extend((0..chunk.len()).map(|lane| {
            let may = |base: &usize| decided.edge(next(base)).1 >> lane & 1 == 0;
            group.iter().map(may).collect()
        }));
    }
    // The relation is closed transitively.
    for via in 0..group.len() {
        let next = after[via].clone();
        for from in after.iter_mut().filter(|from| from[via]) {
            from.iter_mut()
                .zip(&next)
                .for_each(|(to, &next)| *to |= next);
        }
    }
    let mut places: Vec<usize> = (0..group.len()).collect();
    let later = |place: &usize| after[*place].iter().filter(|&&may| may).count();
    places.sort_by_key(|place| std::cmp::Reverse(later(place)));
    let is_chain = places
        .windows(2)
        .all(|pair| after[pair[0]][pair[1]] && !after[pair[1]][pair[0]]);
    is_chain.then(|| places.into_iter().map(|place| group[place]).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::load::{Game, Setup};

    /// Returns the names of the counters of a game with three scores and these rules for the next
    /// one.
    fn names(next: &str) -> Vec<Vec<String>> {
        let rules = format!(
            "(role r) (init (score a)) (legal r win) (legal r wait) (follows a b) (follows b c)
             {next} (<= terminal (true (score c))) (<= (goal r 0) (true (score a)))
             (<= (goal r 1) (true (score b))) (<= (goal r 2) (true (score c)))"
        );
        let game = Game::from_text("score.kif", &rules, &Setup::default()).unwrap();
        let ground = game.ground_game().unwrap();
        let group = Invariant::AtMostOne((0..ground.propnet().bases.len()).collect());
        let found = find(&Net::new(ground, 1_000_000), &[group], &Stop::new());
        let text = |&base: &usize| Literal::new(base, true).text(ground);
        let names = found.iter().map(|order| order.iter().map(text).collect());
        names.collect()
    }

    #[test]
    fn what_only_goes_up_is_a_counter() {
        let up = "(<= (next (score ?m)) (true (score ?n)) (does r win) (follows ?n ?m))
             (<= (next (score ?n)) (true (score ?n)) (does r wait))";
        assert_eq!(names(up), [["(score a)", "(score b)", "(score c)"]]);
        let back = format!("{up} (<= (next (score a)) (true (score c)) (does r win))");
        assert!(names(&back).is_empty());
    }
}
