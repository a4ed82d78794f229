//! Goals excluded by counters, so that states are decided before the match is over.
//!
//! Where goals are tables of counters that never decrease, each of them lies between its value
//! now and what the linear invariants leave to it. A goal that no combination in between has is out
//! of reach: a role that owns 13 of 25 boxes has won. Sancho ends its search in such states
//! ("Through a Murky Lense", 2014), where it guesses that goals are majorities.

use std::collections::BTreeMap;

use rustc_hash::{FxHashMap, FxHashSet};

use super::composite::Composite;
use super::inquiry::Inquiry;
use super::latches::{self, Kind};
use crate::game::ground::invariants::net::Net;
use crate::game::ground::{
    CountBounds, CountExclusion, Counter, GoalTables, Invariant, Linear, Literal,
};
use crate::game::vocabulary::moves::RoleId;
use propjit_jit::counts::{Quantity, Term};
use propjit_stop::Stop;

/// The maximum number of combinations of the values of counters, and of these with other
/// quantities.
const MAX_COMBINATIONS: usize = 1 << 20;

/// The maximum number of ways to exclude a goal.
const MAX_CASES: usize = 64;

/// Returns the goals that counters exclude, in states in which the invariants hold. The counters
/// are those of the tables with `latched` members, and groups with one of the given `orders`, in
/// which they never go back.
pub(super) fn find(
    net: &Net,
    invariants: &[Invariant],
    tables: &GoalTables,
    orders: &[Vec<usize>],
    latched: &FxHashSet<usize>,
    end: &Stop,
) -> Option<CountBounds> {
    let counted = Counted::new(tables, orders, latched);
    let most = total(&counted.counters(), invariants);
    let grid = Grid::new(net, tables, &counted, most)?;
    let left = grid.left()?;
    let mut inquiry = Inquiry::new(net, invariants, end);
    let counters = counted.counters();
    let mut proved = FxHashMap::default();
    // A counter at this value never leaves it.
    let mut stays = |number: usize, value: usize| {
        *proved
            .entry((number, value))
            .or_insert_with(|| match &counters[number] {
                Counter::Count(_) => true,
                // Its order is that in which no step goes back.
                Counter::Choice(order) if is_exact(order, invariants) => true,
                Counter::Choice(order) => {
                    let any = order.iter().skip(value.saturating_sub(1));
                    let any = Composite::Any(any.map(|&base| Literal::new(base, true)).collect());
                    value == 0 || {
                        let kind = latches::kind(&mut inquiry, |step, when| any.lit(step, when));
                        matches!(kind, Kind::Latched(_) | Kind::Final)
                    }
                }
            })
    };
    let mut goals: BTreeMap<(RoleId, Vec<Vec<usize>>), Vec<usize>> = BTreeMap::new();
    for (role, goal) in grid.goals() {
        let mut cases = grid.least_excluding(&left, role, goal);
        cases.truncate(MAX_CASES);
        cases.retain(|case| {
            case.iter()
                .enumerate()
                .all(|(number, &value)| stays(number, value))
        });
        if !cases.is_empty() {
            goals.entry((role, cases)).or_default().push(goal);
        }
    }
    let exclusions = goals
        .into_iter()
        .map(|((role, cases), goals)| CountExclusion { role, goals, cases });
    let exclusions: Vec<CountExclusion> = exclusions.collect();
    (!exclusions.is_empty()).then_some(CountBounds {
        counters,
        exclusions,
    })
}

/// The quantities of goal tables that count.
struct Counted {
    /// For each quantity of the tables, the counter, and for each value of the quantity, that of
    /// the counter.
    quantities: Vec<Option<(Counter, Vec<usize>)>>,
}

impl Counted {
    fn new(tables: &GoalTables, orders: &[Vec<usize>], latched: &FxHashSet<usize>) -> Counted {
        let single = |term: &Term| match term.inputs[..] {
            [input] if !term.is_inverted => Some(input.index()),
            _ => None,
        };
        let counter = |quantity: &Quantity| match quantity {
            Quantity::Count(terms) => {
                let bases: Vec<usize> = terms.iter().map(single).collect::<Option<_>>()?;
                let values = (0..=bases.len()).collect();
                let is_latched = bases.iter().all(|base| latched.contains(base));
                is_latched.then_some((Counter::Count(bases), values))
            }
            Quantity::Choice(group) => {
                let inputs = || group.inputs.iter().map(|input| input.index());
                let members: FxHashSet<usize> = inputs().collect();
                let is_same = |order: &&Vec<usize>| {
                    order.len() == members.len() && order.iter().all(|base| members.contains(base))
                };
                let order = orders.iter().find(is_same)?;
                let place = |base| {
                    order
                        .iter()
                        .position(|&other| other == base)
                        .map(|at| at + 1)
                };
                let none = (!group.is_exact).then_some(0);
                let values = none.into_iter().chain(inputs().filter_map(place)).collect();
                Some((Counter::Choice(order.clone()), values))
            }
            Quantity::Wire(_) => None,
        };
        Counted {
            quantities: tables.quantities.iter().map(counter).collect(),
        }
    }

    fn counters(&self) -> Vec<Counter> {
        let counters = self.quantities.iter().flatten();
        counters.map(|(counter, _)| counter.clone()).collect()
    }
}

/// Returns the maximum sum of all counters, by the linear invariants.
fn total(counters: &[Counter], invariants: &[Invariant]) -> usize {
    let most: usize = counters.iter().map(Counter::most).sum();
    let choices = counters
        .iter()
        .filter(|counter| matches!(counter, Counter::Choice(_)));
    let choices: Vec<&Counter> = choices.collect();
    let Some(sums) = sums(&choices, invariants) else {
        return most;
    };
    // The total as a sum of propositions, with a constant.
    let counts = counters
        .iter()
        .filter(|counter| matches!(counter, Counter::Count(_)));
    let others = sums.iter().flat_map(|sum| &sum.terms);
    let others = others.filter(|(_, counter)| matches!(counter, Counter::Count(_)));
    let terms = (counts.map(|counter| (1, counter)))
        .chain(others.map(|(weight, counter)| (-weight, counter)));
    let mut weights: BTreeMap<usize, i64> = BTreeMap::new();
    for (weight, counter) in terms {
        for &base in counter.propositions() {
            *weights.entry(base).or_default() += weight;
        }
    }
    let left = |sum: &&Linear| sum.constant - least_of_others(sum, &choices, invariants);
    let constant: i64 = sums.iter().map(left).sum();
    // At most one of a group counts.
    let mut bound = constant;
    let mut groups: Vec<&Vec<usize>> = (invariants.iter())
        .filter_map(|invariant| match invariant {
            Invariant::ExactlyOne(group) | Invariant::AtMostOne(group) => Some(group),
            _ => None,
        })
        .collect();
    groups.sort_by_key(|group| std::cmp::Reverse(group.len()));
    for group in groups {
        let taken = group.iter().filter_map(|base| weights.remove(base));
        bound += taken.fold(0, i64::max);
    }
    bound += weights.values().map(|&weight| weight.max(0)).sum::<i64>();
    usize::try_from(bound).map_or(most, |bound| bound.min(most))
}

/// Returns the linear invariants that bound the sum of these counters: one of all of them, or one of
/// each.
fn sums<'a>(counters: &[&Counter], invariants: &'a [Invariant]) -> Option<Vec<&'a Linear>> {
    let of = |counters: &[&Counter]| {
        invariants.iter().find_map(|invariant| match invariant {
            Invariant::Linear(linear) => {
                let is_in = |wanted: &&Counter| linear.terms.contains(&(1, (*wanted).clone()));
                // The values of other choices are subtracted from the sum.
                let may_add = |(weight, counter): &(i64, Counter)| {
                    *weight < 0 && is_other_choice(counter, counters)
                };
                let bounds = counters.iter().all(is_in) && !linear.terms.iter().any(may_add);
                bounds.then_some(linear)
            }
            _ => None,
        })
    };
    match counters {
        [] => Some(Vec::new()),
        _ => (of(counters).map(|linear| vec![linear]))
            .or_else(|| counters.iter().map(|counter| of(&[counter])).collect()),
    }
}

fn is_other_choice(counter: &Counter, counters: &[&Counter]) -> bool {
    matches!(counter, Counter::Choice(_)) && !counters.contains(&counter)
}

/// Returns the minimum contribution to a sum of the choices that are not among these counters.
fn least_of_others(linear: &Linear, counters: &[&Counter], invariants: &[Invariant]) -> i64 {
    let others = linear.terms.iter();
    let others = others.filter(|(_, counter)| is_other_choice(counter, counters));
    let least =
        |(weight, counter): &(i64, Counter)| match is_exact(counter.propositions(), invariants) {
            true => *weight,
            false => 0,
        };
    others.map(least).sum()
}

/// Returns whether it is known that exactly one of these propositions always holds.
fn is_exact(group: &[usize], invariants: &[Invariant]) -> bool {
    let mut sorted = group.to_vec();
    sorted.sort_unstable();
    invariants.contains(&Invariant::ExactlyOne(sorted))
}

/// All combinations of the values of counters.
struct Grid<'a> {
    tables: &'a GoalTables,
    counted: &'a Counted,
    /// The number of values of each counter.
    sizes: Vec<usize>,
    /// The maximum sum of all counters.
    most: usize,
    /// The roles for which all goals have tables, with the number of these.
    roles: Vec<(RoleId, usize)>,
}

impl<'a> Grid<'a> {
    fn new(
        net: &Net,
        tables: &'a GoalTables,
        counted: &'a Counted,
        most: usize,
    ) -> Option<Grid<'a>> {
        let sizes: Vec<usize> = (counted.quantities.iter().flatten())
            .map(|(counter, _)| counter.most() + 1)
            .collect();
        let others = tables.quantities.iter().zip(&counted.quantities);
        let others = others.filter(|(_, counter)| counter.is_none());
        let all = sizes
            .iter()
            .copied()
            .chain(others.map(|(other, _)| other.values()));
        let combinations = all.fold(1usize, usize::saturating_mul);
        let roles = net.layout.roles().zip(&net.layout.goals);
        let roles: Vec<(RoleId, usize)> = roles
            .map(|(role, goals)| (role, goals.len()))
            .filter(|&(role, goals)| {
                goals > 0
                    && goals
                        == tables
                            .goals
                            .iter()
                            .filter(|table| table.role == role)
                            .count()
            })
            .collect();
        let bits: usize = roles.iter().map(|(_, goals)| goals).sum();
        let is_fit = combinations <= MAX_COMBINATIONS && bits <= 64 && !sizes.is_empty();
        (is_fit && !roles.is_empty()).then_some(Grid {
            tables,
            counted,
            sizes,
            most,
            roles,
        })
    }

    /// Returns the goals, in the order of their bits.
    fn goals(&self) -> impl Iterator<Item = (RoleId, usize)> {
        let roles = self.roles.iter();
        roles.flat_map(|&(role, goals)| (0..goals).map(move |goal| (role, goal)))
    }

    fn combinations(&self) -> usize {
        self.sizes.iter().product()
    }

    fn values(&self, mut at: usize) -> Vec<usize> {
        let value = |&size: &usize| {
            let value = at % size;
            at /= size;
            value
        };
        self.sizes.iter().map(value).collect()
    }

    fn is_possible(&self, values: &[usize]) -> bool {
        values.iter().sum::<usize>() <= self.most
    }

    /// Returns, for all values of counters, those of the first changing fastest, the goals that are
    /// possible at the end from there on. `None` if all are always possible.
    fn left(&self) -> Option<Vec<u64>> {
        let mut left = vec![0; self.combinations()];
        self.for_each_end(|at, goals| left[at] |= goals);
        for at in (0..left.len()).rev() {
            let mut stride = 1;
            for (&size, value) in self.sizes.iter().zip(self.values(at)) {
                if value + 1 < size {
                    left[at] |= left[at + stride];
                }
                stride *= size;
            }
        }
        let some = left.iter().any(|&goals| goals != left[0]);
        some.then_some(left)
    }

    /// Calls `ends` for all possible ends: with the index of the values of counters, and the goals
    /// that hold there for some values of the other quantities.
    fn for_each_end(&self, mut ends: impl FnMut(usize, u64)) {
        let tables = self.tables;
        let sizes: Vec<usize> = tables.quantities.iter().map(Quantity::values).collect();
        for combination in 0..sizes.iter().product() {
            let (mut rest, mut at, mut stride, mut sum) = (combination, 0, 1, 0);
            let mut values = Vec::with_capacity(sizes.len());
            for (&size, counter) in sizes.iter().zip(&self.counted.quantities) {
                let value = rest % size;
                rest /= size;
                values.push(value);
                if let Some((counter, value_of)) = counter {
                    at += stride * value_of[value];
                    stride *= counter.most() + 1;
                    sum += value_of[value];
                }
            }
            if sum <= self.most
                && let Some(goals) = self.goals_at(&values)
            {
                ends(at, goals);
            }
        }
    }

    /// Returns the goals that a match may end with where quantities have these values; `None` if
    /// these values are impossible.
    fn goals_at(&self, values: &[usize]) -> Option<u64> {
        let (mut goals, mut first) = (0, 0);
        for &(role, count) in &self.roles {
            let mut held = 0u64;
            for table in self.tables.goals.iter().filter(|table| table.role == role) {
                held |= u64::from(self.tables.value(table, values)?) << table.goal;
            }
            // Without exactly one goal, nothing is known about the end.
            let all = !0 >> (64 - count);
            let known = if held.is_power_of_two() { held } else { all };
            goals |= known << first;
            first += count;
        }
        Some(goals)
    }

    /// Returns the least values of counters from which on the goal is out of reach.
    fn least_excluding(&self, left: &[u64], role: RoleId, goal: usize) -> Vec<Vec<usize>> {
        let Some(bit) = self.goals().position(|other| other == (role, goal)) else {
            return Vec::new();
        };
        let excludes = |at: usize| left[at] >> bit & 1 == 0;
        let is_least = |&at: &usize| {
            let values = self.values(at);
            let mut stride = 1;
            let mut lesser = self.sizes.iter().zip(&values).map(|(&size, &value)| {
                let before = at.checked_sub(stride).filter(|_| value > 0);
                stride *= size;
                before
            });
            excludes(at) && self.is_possible(&values) && !lesser.any(|at| at.is_some_and(excludes))
        };
        let least = (0..left.len()).filter(is_least);
        least.map(|at| self.values(at)).collect()
    }
}
