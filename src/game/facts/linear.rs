//! Linear invariants of counters: the propositions that a counter counts, and relations between
//! counters.
//!
//! Candidates come from samples: where the values of a counter in random matches are a
//! combination, with small integer factors, of the values of other propositions (a vector of the
//! null space), this may hold in all states. Each candidate is proved by induction, together with
//! its premises: that the counter always has a value, and that a counted proposition implies its
//! conditions, as a box implies its lines.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashSet;

use super::latches::structural_latches;
use super::relations::Independent;
use super::samples::Samples;
use crate::game::ground::invariants::induction::{self, Effort};
use crate::game::ground::invariants::net::Net;
use crate::game::ground::invariants::step::Scope;
use crate::game::ground::{Counter, Invariant, Linear, Literal};
use propjit_stop::Stop;

/// The maximum number of propositions in a sum. Elimination takes time with their cube.
const MAX_TERMS: usize = 512;

/// The number of states that are sampled in addition to one per proposition.
const MORE_STATES: usize = 64;

/// The maximum number of implications that are tried.
const MAX_IMPLICATIONS: usize = 2000;

/// The effort for implications, for groups, and for sums together with their groups.
const IMPLICATIONS: Effort = Effort {
    scope: Scope::Near,
    conflicts: 2000,
    by_move: false,
};
const GROUPS: Effort = Effort {
    scope: Scope::Whole,
    conflicts: 2000,
    by_move: false,
};
const SUMS: Effort = Effort {
    scope: Scope::Whole,
    conflicts: 2000,
    by_move: true,
};

/// Returns the linear invariants of these counters that can be proved, the invariants that were
/// proved for them and for latched propositions that goals depend on, and the number of candidates
/// that are still open. `open` are candidates that were not proved by themselves.
pub(super) fn find(
    net: &Net,
    known: &[Invariant],
    open: &[Invariant],
    samples: &Samples,
    counters: &[Vec<usize>],
    end: &Stop,
) -> (Vec<Invariant>, usize) {
    let sums = Candidates::new(net, samples, counters).map_or(Vec::new(), |found| found.sums());
    let is_group =
        |open: &&Invariant| matches!(open, Invariant::ExactlyOne(_) | Invariant::AtMostOne(_));
    if sums.is_empty() && !open.iter().any(|open| is_group(&open)) {
        return (Vec::new(), 0);
    }
    let of_sums = sums.iter().flat_map(|linear| &linear.terms);
    let in_counter: FxHashSet<usize> = counters.iter().flatten().copied().collect();
    let counted = of_sums
        .flat_map(|(_, counter)| counter.propositions())
        .copied();
    let counted: BTreeSet<usize> = counted
        .chain(latched(net))
        .filter(|base| !in_counter.contains(base))
        .collect();
    let is_of_counted = |group: &[usize]| group.iter().all(|base| counted.contains(base));
    let holds = |candidate: &Invariant| candidate.holds(net.game.initial());
    let open = open.iter().filter(|open| match open {
        Invariant::ExactlyOne(group) | Invariant::AtMostOne(group) => is_of_counted(group),
        _ => false,
    });
    let groups: Vec<Invariant> = open.filter(|open| holds(open)).cloned().collect();
    let values = counters.iter().map(|order| {
        let mut group = order.clone();
        group.sort_unstable();
        Invariant::ExactlyOne(group)
    });
    let values = values.filter(|value| !sums.is_empty() && holds(value) && !known.contains(value));
    let mut values: Vec<Invariant> = values.collect();
    values.extend((sums.iter().cloned().map(Invariant::Linear)).filter(holds));
    let tried = groups.len() + values.len();
    if tried == 0 {
        return (Vec::new(), 0);
    }
    let implications = implications(net, samples, &counted);
    let mut known = known.to_vec();
    let mut proved = Vec::new();
    for (candidates, effort) in [
        (implications, IMPLICATIONS),
        (groups, GROUPS),
        (values, SUMS),
    ] {
        let found = induction::fixpoint(net, &known, candidates, effort, end);
        known.extend(found.iter().cloned());
        proved.push(found);
    }
    let undecided = tried - proved[1].len() - proved[2].len();
    match undecided < tried {
        true => (proved.concat(), undecided),
        false => (Vec::new(), undecided),
    }
}

/// Returns the propositions that goals depend on and that, as the circuit alone proves, never
/// change again once they are true.
pub(super) fn latched(net: &Net) -> impl Iterator<Item = usize> {
    let (circuit, cone) = (net.circuit, net.goal_cone());
    let latches = structural_latches(net.game).into_iter();
    let latches = latches.filter(|literal| literal.value);
    let latched = latches.map(|literal| literal.proposition);
    latched.filter(move |&base| cone.contains(circuit.inputs()[base]))
}

/// Sampled states, as columns of numbers.
struct Candidates<'a> {
    counters: &'a [Vec<usize>],
    /// Propositions that are in no counter.
    singles: Vec<usize>,
    /// All sampled states: for each proposition, a bit for each state.
    rows: Vec<Vec<u64>>,
    /// The number of sampled states.
    states: usize,
    /// One in this many states is used for elimination.
    stride: usize,
}

impl<'a> Candidates<'a> {
    fn new(net: &Net, samples: &Samples, counters: &'a [Vec<usize>]) -> Option<Candidates<'a>> {
        let counted: FxHashSet<usize> = counters.iter().flatten().copied().collect();
        let propositions = net.layout.bases.len();
        let varies = |base: &usize| {
            let seen = [true, false].map(|value| samples.was_seen(Literal::new(*base, value)));
            seen == [true, true] && !counted.contains(base)
        };
        let singles: Vec<usize> = (0..propositions).filter(varies).collect();
        let [_, rows] = samples.rows(propositions);
        let states = samples.kept();
        let wanted = singles.len() + MORE_STATES;
        let is_fit = !counters.is_empty() && singles.len() <= MAX_TERMS && states >= wanted;
        is_fit.then_some(Candidates {
            counters,
            singles,
            rows,
            states,
            stride: states / wanted,
        })
    }

    /// Returns sums that are the same in all sampled states: one for each counter; if there is none
    /// for some of them, one of all counters together, if any.
    fn sums(&self) -> Vec<Linear> {
        let mut independent = Independent::default();
        let ones = vec![1; self.states.div_ceil(self.stride)];
        independent.add(&ones);
        let is_new = |base: &&usize| {
            let column = self.column(|state| i64::from(self.holds(**base, state)));
            independent.add(&column)
        };
        let basis: Vec<usize> = self.singles.iter().filter(is_new).copied().collect();
        let of = |orders: &[Vec<usize>]| {
            let counters: Vec<Counter> = orders.iter().cloned().map(Counter::Choice).collect();
            let column = self.column(|state| {
                let values = counters.iter();
                let values = values.map(|of| of.value_where(|base| self.holds(base, state)));
                values.sum::<usize>() as i64
            });
            let factors = independent.combination(&column)?;
            let (constant, factors) = factors.split_first()?;
            let mut by_factor: BTreeMap<i64, Vec<usize>> = BTreeMap::new();
            for (&base, &factor) in basis
                .iter()
                .zip(factors)
                .filter(|(_, factor)| **factor != 0)
            {
                by_factor.entry(factor).or_default().push(base);
            }
            let singles = by_factor.into_iter();
            let singles = singles.map(|(factor, bases)| (-factor, Counter::Count(bases)));
            let counters = counters.into_iter().map(|counter| (1, counter));
            let linear = Linear {
                terms: counters.chain(singles).collect(),
                constant: *constant,
            };
            let mut states = 0..self.states;
            states
                .all(|state| linear.holds_where(|base| self.holds(base, state)))
                .then_some(linear)
        };
        let each: Vec<Linear> = (self.counters.chunks(1)).filter_map(of).collect();
        match each.len() < self.counters.len() {
            true => each.into_iter().chain(of(self.counters)).collect(),
            false => each,
        }
    }

    fn column(&self, number: impl Fn(usize) -> i64) -> Vec<i64> {
        (0..self.states).step_by(self.stride).map(number).collect()
    }

    fn holds(&self, base: usize, state: usize) -> bool {
        self.rows[base][state / 64] >> (state % 64) & 1 == 1
    }
}

/// Returns the implications of these propositions that held in all sampled states, among the
/// propositions that decide about each.
fn implications(net: &Net, samples: &Samples, counted: &BTreeSet<usize>) -> Vec<Invariant> {
    let [_, rows] = samples.rows(net.layout.bases.len());
    let mut found = Vec::new();
    for &base in counted {
        let cone = net.circuit.cone([net.next(base)]);
        let follows = |other: &usize| {
            let mut words = rows[base].iter().zip(&rows[*other]);
            *other != base
                && cone.contains(net.circuit.inputs()[*other])
                && words.all(|(word, other)| word & !other == 0)
        };
        let followers = (0..rows.len()).filter(follows);
        found.extend(
            followers.map(|other| {
                Invariant::Implies(Literal::new(base, true), Literal::new(other, true))
            }),
        );
    }
    found.retain(|implication| implication.holds(net.game.initial()));
    found.truncate(MAX_IMPLICATIONS);
    found
}
