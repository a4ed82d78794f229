//! Goals as functions of counts: how many pieces a role has, or which role has more.
//!
//! Rulesheets count by recursion over the board, which is most of the circuit of some games.
//! [`propjit_jit::counts`] finds and proves the counts. It needs to know which propositions of the
//! game exclude each other: that is proved here by induction.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use propjit_jit::circuit::{Circuit, Edge, InputId, NodeId, NodeSet};
use propjit_jit::counts::{self, Exclusive, Quantity, Restatement, Table};
use propjit_jit::passes::PassReport;
use propjit_stop::Stop;
use rustc_hash::{FxHashMap, FxHashSet};

use super::invariants::net::Net;
use super::invariants::{Invariant, induction};
use super::layout::Layout;
use super::lowered_game::LoweredGame;
use crate::game::vocabulary::moves::RoleId;

/// The minimum number of gates needed only by goals for which resynthesis is tried, and the minimum
/// fraction of all gates, as its reciprocal.
const FEWEST_GATES: usize = 500;
const MIN_PART: usize = 5;

/// The time for the proofs of exclusion for each gate that may be saved; half of it is for finding the counts.
const TIME_PER_GATE: Duration = Duration::from_millis(1);

/// The minimum number of propositions of a group for which it matters that one of them is always
/// true.
const MIN_EXACT: usize = 4;

/// The maximum number of variables of a solver.
const VARIABLES: u32 = 1_000_000;

/// The numbers of gates that serve certain outputs only.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Shares {
    /// Gates that only goals need.
    pub goals: usize,
    /// Gates that only `terminal` needs.
    pub terminal: usize,
}

impl Shares {
    /// Creates the shares in a circuit with the outputs of a game's.
    pub fn new(circuit: &Circuit, layout: &Layout) -> Shares {
        let outputs = circuit.outputs();
        let moves = || {
            layout
                .next
                .clone()
                .chain(layout.legal.iter().cloned().flatten())
        };
        let edges = |numbers: &[usize]| -> Vec<Edge> {
            numbers.iter().map(|&number| outputs[number]).collect()
        };
        let only = |some: Vec<usize>, others: Vec<usize>| {
            let mut cone = circuit.cone(edges(&others));
            circuit.extend_cone(&mut cone, edges(&some))
        };
        Shares {
            goals: only(
                goals(layout).collect(),
                moves().chain([layout.terminal]).collect(),
            ),
            terminal: only(
                vec![layout.terminal],
                moves().chain(goals(layout)).collect(),
            ),
        }
    }
}

/// The circuit of a game with goals resynthesised as counters.
#[derive(Debug)]
pub(super) struct Restated {
    /// The circuit; `None` if there is little to gain, or no count was found.
    pub(super) circuit: Option<Circuit>,
    /// The gain, or that it was cut off.
    pub(super) report: Option<PassReport>,
}

/// Resynthesises the logic of goals as counters, if that pays off. Ends when `stop` is set.
pub(super) fn restated(game: &LoweredGame, stop: &Stop) -> Restated {
    restated_within(game, TIME_PER_GATE, stop)
}

/// Does the same, with the time for each gate that may be saved.
fn restated_within(game: &LoweredGame, time_per_gate: Duration, stop: &Stop) -> Restated {
    let start = Instant::now();
    let (circuit, layout) = (game.lowered(), game.layout());
    let goal_gates = Shares::new(circuit, layout).goals;
    let gates = gates(circuit);
    if goal_gates < FEWEST_GATES || goal_gates * MIN_PART < gates {
        return Restated {
            circuit: None,
            report: None,
        };
    }
    let time = time_per_gate * u32::try_from(goal_gates).unwrap_or(u32::MAX);
    let mut ends = Vec::new();
    let mut within = |time| {
        ends.push(stop.within(time));
        ends[ends.len() - 1].clone()
    };
    let restated = proved_restatement(game, time, &mut within);
    let is_cut = ends.iter().any(Stop::was_noticed);
    let report = PassReport {
        name: "counts",
        gates_before: gates,
        gates_after: restated.as_ref().map_or(gates, self::gates),
        time: start.elapsed(),
        is_cut,
    };
    Restated {
        report: (restated.is_some() || is_cut).then_some(report),
        circuit: restated,
    }
}

/// Returns the number of gates that outputs need.
fn gates(circuit: &Circuit) -> usize {
    let outputs = circuit.outputs().iter().copied();
    circuit.extend_cone(&mut NodeSet::empty(circuit), outputs)
}

/// Returns the circuit with the logic of goals resynthesised, if counts were found. `within` gives a token for
/// a part of the work with a time limit.
fn proved_restatement(
    game: &LoweredGame,
    time: Duration,
    within: &mut dyn FnMut(Duration) -> Stop,
) -> Option<Circuit> {
    let start = Instant::now();
    // The proofs are skipped if they would not be used.
    let assumed = candidates(game, true);
    let found = find(game, &assumed, &within(time / 2))?;
    found.circuit.as_ref()?;
    let net = Net::new(game, VARIABLES);
    let ends = [within(time / 2), within(time)];
    let proved = induction::prove(&net, Vec::new(), candidates(game, false), ends);
    tracing::debug!(proved = proved.len(), time = ?start.elapsed(), "what excludes what");
    match assumed.iter().all(|group| proved.contains(group)) {
        true => found.circuit,
        false => find(game, &proved, &within(time / 2))?.circuit,
    }
}

/// Finds the parts of the goals of a game, in its circuit before passes, that depend on counts and
/// counters only, in states in which these invariants hold.
fn find(game: &LoweredGame, invariants: &[Invariant], stop: &Stop) -> Option<Restatement> {
    let (circuit, layout) = (game.lowered(), game.layout());
    let output = |number: usize| circuit.outputs()[number];
    let goals: Vec<Edge> = goals(layout).map(output).collect();
    let others = layout
        .next
        .clone()
        .chain(layout.legal.iter().cloned().flatten());
    let others: Vec<Edge> = others.chain([layout.terminal]).map(output).collect();
    let bases = layout.bases.len();
    counts::restate(circuit, &goals, &others, bases, &groups(invariants), stop)
}

/// Returns the outputs that are goals.
fn goals(layout: &Layout) -> impl Iterator<Item = usize> {
    layout.goals.iter().cloned().flatten()
}

/// A goal of a role as a function of counts.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GoalTable {
    /// The role.
    pub role: RoleId,
    /// The index of the value among the role's goals.
    pub goal: usize,
    /// Numbers of the [quantities](GoalTables::quantities) that it depends on.
    pub quantities: Vec<usize>,
    /// Whether the role has the goal, for all combinations of their values, those of the first
    /// changing fastest; `None` for impossible combinations.
    pub values: Vec<Option<bool>>,
}

/// The goals of a game that are functions of counts, of counters, and of other wires.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GoalTables {
    /// The quantities that goals depend on. Inputs are those of the game's circuit: base
    /// propositions.
    pub quantities: Vec<Quantity>,
    /// The goals that are such functions.
    pub goals: Vec<GoalTable>,
    /// The sum of all roles' goals, if it is the same in all terminal states. This requires all
    /// goals to be tables.
    pub sum: Option<i64>,
}

/// The maximum number of combinations of values for which sums of goals are checked.
const MAX_COMBINATIONS: usize = 1 << 20;

impl GoalTables {
    /// Returns the tables of a game that satisfies these invariants. `None` if there are none, if
    /// finding them is too expensive, or if `stop` is set.
    pub fn find(game: &LoweredGame, invariants: &[Invariant], stop: &Stop) -> Option<GoalTables> {
        let found = find(game, invariants, stop)?;
        let (circuit, layout) = (game.lowered(), game.layout());
        let tables: FxHashMap<NodeId, &Table> = (found.tables.iter())
            .map(|table| (table.node, table))
            .collect();
        let mut goals = Vec::new();
        for (role, outputs) in layout.roles().zip(&layout.goals) {
            for (goal, output) in outputs.clone().enumerate() {
                let edge = circuit.outputs()[output];
                if let Some(table) = tables.get(&edge.node()) {
                    let values = table.values.iter();
                    goals.push(GoalTable {
                        role,
                        goal,
                        quantities: table.quantities.clone(),
                        values: values.map(|v| v.map(|v| v != edge.inverted())).collect(),
                    });
                }
            }
        }
        let is_any = !goals.is_empty();
        let mut tables = GoalTables {
            quantities: found.quantities,
            goals,
            sum: None,
        };
        tables.sum = tables.fixed_sum(game);
        is_any.then_some(tables)
    }

    /// Returns the sum of the goals of all roles in terminal states, if it is always the same.
    fn fixed_sum(&self, game: &LoweredGame) -> Option<i64> {
        let (net, layout) = (game.propnet(), game.layout());
        if self.goals.len() < goals(layout).count() {
            return None;
        }
        let mut numbers: Vec<usize> = (self.goals.iter())
            .flat_map(|goal| goal.quantities.iter().copied())
            .collect();
        numbers.sort_unstable();
        numbers.dedup();
        let combinations = numbers.iter().try_fold(1usize, |all, &number| {
            let all = all * self.quantities[number].values();
            (all <= MAX_COMBINATIONS).then_some(all)
        })?;
        let terminal = game.lowered().outputs()[layout.terminal];
        let mut values = vec![0; self.quantities.len()];
        let mut sum = None;
        for combination in 0..combinations {
            let mut rest = combination;
            for &number in &numbers {
                values[number] = rest % self.quantities[number].values();
                rest /= self.quantities[number].values();
            }
            let goes_on = numbers.iter().any(|&number| {
                self.quantities[number] == Quantity::Wire(terminal.node())
                    && (values[number] == 1) == terminal.inverted()
            });
            let held: Option<Vec<&GoalTable>> = (self.goals.iter())
                .filter_map(|goal| match self.value(goal, &values) {
                    Some(false) => None,
                    Some(true) => Some(Some(goal)),
                    None => Some(None),
                })
                .collect();
            let Some(held) = held.filter(|_| !goes_on) else {
                continue;
            };
            // A role without a goal, or with two, has no value.
            let roles = held.iter().map(|goal| goal.role);
            if !roles.eq(layout.roles()) {
                return None;
            }
            let worth = |goal: &&GoalTable| {
                let ports = &net.roles[goal.role.index()];
                i64::from(ports.goals[goal.goal].value)
            };
            let total = held.iter().map(worth).sum();
            if *sum.get_or_insert(total) != total {
                return None;
            }
        }
        sum
    }

    /// Returns whether a goal holds for these values of all quantities; `None` if they are
    /// impossible.
    pub fn value(&self, goal: &GoalTable, values: &[usize]) -> Option<bool> {
        let (mut at, mut stride) = (0, 1);
        for &number in &goal.quantities {
            at += values[number] * stride;
            stride *= self.quantities[number].values();
        }
        goal.values[at]
    }
}

/// Returns disjoint groups of propositions, first those of which one is always true, and large
/// ones.
fn groups(invariants: &[Invariant]) -> Vec<Exclusive> {
    let mut groups: Vec<(bool, &Vec<usize>)> = (invariants.iter())
        .filter_map(|invariant| match invariant {
            Invariant::ExactlyOne(group) => Some((true, group)),
            Invariant::AtMostOne(group) => Some((false, group)),
            _ => None,
        })
        .collect();
    groups.sort_by_key(|(is_exact, group)| (!is_exact, std::cmp::Reverse(group.len())));
    let mut taken: FxHashSet<&usize> = FxHashSet::default();
    let mut chosen = Vec::new();
    for (is_exact, group) in groups {
        if group.iter().all(|base| !taken.contains(base)) {
            taken.extend(group.iter());
            let inputs = group.iter().map(|&base| InputId(base as u32)).collect();
            // Squares that are never empty should be counted together with others.
            let is_exact = is_exact && group.len() >= MIN_EXACT;
            chosen.push(Exclusive { inputs, is_exact });
        }
    }
    chosen
}

/// Returns groups of propositions of which at most one is true at the start, with names that differ
/// in one argument only. `likely` ones are those that goals depend on and that differ in their last
/// argument, which usually gives the contents of a square; the others, such as the role to move,
/// help in proofs.
pub(super) fn candidates(game: &LoweredGame, likely: bool) -> Vec<Invariant> {
    let (net, circuit, layout) = (game.propnet(), game.lowered(), game.layout());
    let cone = circuit.cone(goals(layout).map(|number| circuit.outputs()[number]));
    let mut named: BTreeMap<(u32, usize, Vec<u32>), Vec<usize>> = BTreeMap::new();
    for base in layout.bases.clone() {
        if likely && !cone.contains(circuit.inputs()[base]) {
            continue;
        }
        let name = net.bases[base].name;
        let args: Vec<u32> = net.terms.args(name).iter().map(|arg| arg.raw()).collect();
        let functor = net.terms.functor(name).index() as u32;
        let first = if likely {
            args.len().saturating_sub(1)
        } else {
            0
        };
        for open in first..args.len() {
            let mut fixed = args.clone();
            fixed.remove(open);
            named.entry((functor, open, fixed)).or_default().push(base);
        }
    }
    let candidates = named.into_values().filter_map(|group| {
        let initial = group.iter().filter(|&&base| game.initial().contains(base));
        match initial.count() {
            _ if group.len() < 2 => None,
            0 => Some(Invariant::AtMostOne(group)),
            1 => Some(Invariant::ExactlyOne(group)),
            _ => None,
        }
    });
    candidates.collect()
}

#[cfg(test)]
mod tests {
    use propjit_gdl::ground::{GroundLimits, ground};
    use propjit_gdl::{Rules, games};

    use super::*;
    use crate::game::ground::GroundGame;

    #[test]
    fn counting_that_is_cut_off_says_so() {
        let text = games::text("reversi").expect("there is such a game");
        let rules = Rules::parse("reversi.kif", text).unwrap().rules;
        let (net, _) = ground(&rules, &GroundLimits::default()).unwrap();
        let game = &GroundGame::new(net, Stop::new()).unwrap();
        let restated = restated_within(game, Duration::ZERO, &Stop::new());
        assert!(restated.circuit.is_none() && restated.report.unwrap().is_cut);
        let restated = restated_within(game, Duration::from_secs(1), &Stop::new());
        assert!(restated.circuit.is_some() && !restated.report.unwrap().is_cut);
    }
}
