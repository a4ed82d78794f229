//! Candidates for conserved totals: groups of propositions that represent amounts, and the sums of
//! the amounts.
//!
//! The order in which the members of a group represent increasing amounts is found by ternary
//! propagation of one joint move, such as that of putting a seed there; the sums come from samples.
//! Then it is [proved](crate::game::ground::invariants::conservation).

use propjit_stop::Stop;
use rustc_hash::FxHashSet;

use super::counters;
use super::relations::Independent;
use super::samples::Samples;
use crate::game::ground::Counter;
use crate::game::ground::invariants::Invariant;
use crate::game::ground::invariants::conservation::Conserved;
use crate::game::ground::invariants::joint::JointMove;
use crate::game::ground::invariants::net::Net;

/// The minimum number of amounts of a place, and of two of them: groups with fewer usually describe
/// the contents of a square.
const LEAST: usize = 3;
const MIN_OF_TWO: usize = 8;

/// The maximum number of groups that do not count, such as the role to move, and of members of one
/// of them.
const MAX_COMPANIONS: usize = 32;
const MAX_IN_COMPANION: usize = 64;

/// The number of states used for elimination in addition to one per place.
const MORE_STATES: usize = 256;

/// Returns the totals that can be proved, with the invariant that each of their places has one
/// amount, and the candidates that were proved with it.
pub(super) fn find(
    net: &Net,
    candidates: &[Invariant],
    samples: &Samples,
    end: &Stop,
) -> Vec<Invariant> {
    let groups = candidates.iter().filter_map(|candidate| match candidate {
        Invariant::ExactlyOne(group) => Some(group),
        _ => None,
    });
    let groups: Vec<&Vec<usize>> = groups.collect();
    let orders = orders(net, &groups, samples, end);
    tracing::debug!(
        groups = groups.len(),
        orders = orders.len(),
        "groups that may tell amounts"
    );
    if orders.len() < 2 {
        return Vec::new();
    }
    let counted: FxHashSet<usize> = orders.iter().flatten().copied().collect();
    let mut companions = groups;
    companions.retain(|group| {
        group.len() <= MAX_IN_COMPANION && group.iter().all(|base| !counted.contains(base))
    });
    companions.truncate(MAX_COMPANIONS);
    let mut found: Vec<Invariant> = Vec::new();
    for mut total in Candidates::new(net, samples, orders).totals() {
        total.weights.extend(companions.iter().map(|_| 0));
        total.places.extend(companions.iter().copied().cloned());
        let proved = total.prove(net, end).into_iter();
        let new: Vec<Invariant> = proved.filter(|proved| !found.contains(proved)).collect();
        found.extend(new);
    }
    found
}

/// Returns disjoint groups, none of which ever changed alone, with members in the order in which a
/// move goes through them. None if goals depend on none of them, or if finding them is too
/// expensive.
fn orders(net: &Net, candidates: &[&Vec<usize>], samples: &Samples, end: &Stop) -> Vec<Vec<usize>> {
    let mut groups = candidates.to_vec();
    groups.retain(|group| group.len() >= LEAST);
    groups.sort_by_key(|group| std::cmp::Reverse(group.len()));
    let mut taken: FxHashSet<usize> = FxHashSet::default();
    groups.retain(|group| {
        let is_free = group.iter().all(|base| !taken.contains(base));
        taken.extend(group.iter().filter(|_| is_free));
        is_free
    });
    keep_those_that_change_together(&mut groups, samples, net.layout.bases.len());
    let goals = net.goal_cone();
    let is_read = |group: &&Vec<usize>| {
        let mut members = group.iter();
        members.any(|&base| goals.contains(net.circuit.inputs()[base]))
    };
    let large = groups.iter().filter(|group| group.len() >= MIN_OF_TWO);
    if large.count() < 2 || !groups.iter().any(is_read) {
        return Vec::new();
    }
    let exclusive: Vec<Invariant> = candidates
        .iter()
        .map(|&group| Invariant::ExactlyOne(group.clone()))
        .collect();
    let mut orders = vec![None; groups.len()];
    for joint in JointMove::all(net, &exclusive).unwrap_or_default() {
        if orders.iter().all(Option::is_some) {
            break;
        }
        let circuit = joint.circuit(net);
        for (order, group) in orders.iter_mut().zip(&groups) {
            // The whole circuit is evaluated for each group.
            if end.is_set() {
                return orders.into_iter().flatten().collect();
            }
            let find = || counters::order(&circuit, net.layout, group);
            *order = order.take().or_else(find);
        }
    }
    orders.into_iter().flatten().collect()
}

/// Removes groups that changed in a sampled step in which no other remaining group did.
fn keep_those_that_change_together(
    groups: &mut Vec<&Vec<usize>>,
    samples: &Samples,
    propositions: usize,
) {
    let [before, after] = samples.rows(propositions);
    let width = samples.all().len();
    let changes = |group: &Vec<usize>| -> Vec<u64> {
        let mut changes = vec![0; width];
        for &base in group {
            let rows = before[base].iter().zip(&after[base]);
            let changed = changes.iter_mut().zip(rows);
            changed.for_each(|(changed, (before, after))| *changed |= before ^ after);
        }
        changes
    };
    let mut left: Vec<(&Vec<usize>, Vec<u64>)> = groups
        .drain(..)
        .map(|group| (group, changes(group)))
        .collect();
    loop {
        let (mut one, mut two) = (vec![0; width], vec![0; width]);
        for (_, changes) in &left {
            for (at, changes) in changes.iter().enumerate() {
                two[at] |= one[at] & changes;
                one[at] |= changes;
            }
        }
        let is_alone = |(at, changes): (usize, &u64)| changes & one[at] & !two[at] != 0;
        let tried = left.len();
        left.retain(|(_, changes)| !changes.iter().enumerate().any(is_alone));
        if left.len() == tried {
            break;
        }
    }
    groups.extend(left.into_iter().map(|(group, _)| group));
}

/// Places, and their amounts in samples.
struct Candidates<'a> {
    net: &'a Net<'a>,
    orders: Vec<Vec<usize>>,
    /// For each place, its amounts and one more, for each state.
    columns: Vec<Vec<i64>>,
}

impl<'a> Candidates<'a> {
    fn new(net: &'a Net<'a>, samples: &Samples, orders: Vec<Vec<usize>>) -> Candidates<'a> {
        let [_, rows] = samples.rows(net.layout.bases.len());
        let columns = orders.iter().map(|order| {
            let counter = Counter::Choice(order.clone());
            let value = |state: usize| {
                counter.value_where(|base| rows[base][state / 64] >> (state % 64) & 1 == 1) as i64
            };
            (0..samples.kept()).map(value).collect()
        });
        Candidates {
            net,
            columns: columns.collect(),
            orders,
        }
    }

    /// Returns the weighted sums that were the same in all sampled states.
    fn totals(&self) -> Vec<Conserved> {
        let states = self.columns[0].len();
        let stride = (states / (self.orders.len() + MORE_STATES)).max(1);
        let some =
            |column: &[i64]| -> Vec<i64> { column.iter().step_by(stride).copied().collect() };
        let mut independent = Independent::default();
        independent.add(&vec![1; states.div_ceil(stride)]);
        let mut before: Vec<usize> = Vec::new();
        let mut found = Vec::new();
        for (place, column) in self.columns.iter().enumerate() {
            let column = some(column);
            let Some(factors) = independent.combination(&column) else {
                independent.add(&column);
                before.push(place);
                continue;
            };
            let others = before.iter().zip(&factors[1..]);
            let others = others.map(|(&other, &factor)| (other, -factor));
            let terms = others.chain([(place, 1)]);
            let terms: Vec<(usize, i64)> = terms.filter(|(_, factor)| *factor != 0).collect();
            if terms.len() > 1 && self.is_constant(&terms) {
                found.push(self.total(&terms));
            }
        }
        found
    }

    /// Returns whether a weighted sum of places was the same in all states.
    fn is_constant(&self, terms: &[(usize, i64)]) -> bool {
        let sum = |state: usize| -> i64 {
            let terms = terms.iter();
            terms
                .map(|(place, factor)| factor * self.columns[*place][state])
                .sum()
        };
        let mut states = 0..self.columns[0].len();
        states.all(|state| sum(state) == sum(0))
    }

    /// Returns the weighted sum as a total of amounts with positive weights: where a weight is
    /// negative, the amount is replaced by its complement. Of the two ways to choose the sign, it
    /// uses the one with the smaller total, which leaves less to each place.
    fn total(&self, terms: &[(usize, i64)]) -> Conserved {
        let signed = |sign: i64| {
            let places = terms.iter().map(|&(place, factor)| {
                let mut order = self.orders[place].clone();
                if factor * sign < 0 {
                    order.reverse();
                }
                order
            });
            let places: Vec<Vec<usize>> = places.collect();
            let weights = terms
                .iter()
                .map(|(_, factor)| factor.unsigned_abs() as usize);
            let weights: Vec<usize> = weights.collect();
            let initial = self.net.game.initial();
            let amount = |order: &Vec<usize>| order.iter().position(|&base| initial.contains(base));
            let amounts = places.iter().map(|order| amount(order).unwrap_or(0));
            Conserved {
                total: amounts
                    .zip(&weights)
                    .map(|(amount, weight)| amount * weight)
                    .sum(),
                places,
                weights,
            }
        };
        let ways = [1, -1].map(signed);
        let least = ways.into_iter().min_by_key(|conserved| conserved.total);
        least.expect("there are two ways")
    }
}
