//! Search through the states of each [factor](crate::proof::factors) of a game, and their combinations.
//!
//! The reachable results of a part depend on how many moves are made in it. If each move is made in one
//! part, and the others stay as they are, the numbers of moves of all parts add up to the length of the
//! match; if each move is made in all of them, they are all that length. For each length, parts are then
//! put together one after the other: of those that were put together, only what is left of `terminal` and
//! the goals matters, with what is read of these parts settled.
//!
//! That leaves out that a match may be over before, so it is an upper bound; and a match that is found
//! is played before it is believed.

use std::collections::BTreeMap;

use propjit_stop::Stop;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::game::engine::Engines;
use crate::game::ground::GroundGame;
use crate::game::machine::Move;
use crate::proof::factors::joint::{Joint, Outcome};
use crate::proof::factors::table::{Node, PartTable, Places};
use crate::proof::factors::{Factors, Form};

use super::findings::{Findings, Plan, PlanMethod};
use super::gate::Gate;
use super::{ROLE, Root};

/// The most states of a part.
const MAX_STATES: usize = 200_000;

/// The most states of a part, counted once for each number of moves with which they are reached.
const MAX_REACHED: usize = 10_000_000;

/// The most kinds of what may come of parts that were put together.
const MAX_OUTCOMES: usize = 4096;

/// The most orders in which the moves of parts are tried one after the other.
const MAX_ORDERS: usize = 24;

/// Searches through the states of parts.
pub(super) struct Combiner<'a> {
    game: &'a GroundGame,
    root: &'a Root,
    findings: &'a Findings,
    gate: &'a Gate,
}

/// A state that is reached with a number of moves.
#[derive(Clone, Copy)]
struct Reached {
    node: u32,
    /// The place of the one before it, and the class of the move that leads there.
    from: u32,
    class: u32,
}

/// The possible results of a part, by the number of moves.
struct Layers {
    table: PartTable,
    layers: Vec<Vec<Reached>>,
    /// The nodes that were reached, if it does not matter with how many moves.
    seen: Option<FxHashSet<u32>>,
    /// The class of moves with which the part stays as it is, if each is made in one part.
    resting: Option<u32>,
}

/// The knowledge about a game of parts.
struct Parts<'a> {
    game: &'a GroundGame,
    factors: Factors,
    places: Places,
    joint: Joint,
    layers: Vec<Layers>,
    /// Whether each move is made in one part only.
    is_single: bool,
    /// A move that changes nothing, if there always is one.
    idle: Option<Move>,
    /// The time of the root on the clock.
    time: usize,
}

/// Of each part, the value and the number of moves.
type Choice = Vec<(u32, usize)>;

impl<'a> Combiner<'a> {
    /// A search from the root.
    pub(super) fn new(
        engines: &'a Engines,
        root: &'a Root,
        findings: &'a Findings,
        gate: &'a Gate,
    ) -> Combiner<'a> {
        Combiner {
            game: engines.game(),
            root,
            findings,
            gate,
        }
    }

    /// Looks for matches until all is known, it takes too much, or the gate is closed for ever.
    pub(super) fn run(&self) {
        loop {
            let Some(stop) = self.gate.pass() else {
                return;
            };
            self.search(&stop);
            // It takes moments, so it begins again if it has to pause.
            if !stop.is_set() {
                return;
            }
        }
    }

    fn search(&self, stop: &Stop) -> Option<()> {
        let mut parts = Parts::new(self.game, self.root, stop)?;
        let mut best = None;
        for length in 1..=self.root.limits.steps {
            if stop.is_set() || self.findings.is_solved() {
                return None;
            }
            let found = parts.outcomes(length)?;
            let mut may_go_on = false;
            for (outcome, choice) in &found {
                if parts.joint.is_over(outcome)? {
                    let goal = parts.joint.goal(outcome, ROLE)?;
                    best = best.max(Some(goal));
                    if i64::from(goal) >= self.findings.wanted()
                        && let Some(moves) = parts.played(self.root, choice, length, goal)
                    {
                        self.findings
                            .improve(Plan { goal, moves }, PlanMethod::Parts);
                    }
                } else {
                    may_go_on = true;
                }
            }
            if !may_go_on {
                if self.findings.are_ends_defined(stop) {
                    self.findings.cap(best?, PlanMethod::Parts);
                }
                return Some(());
            }
        }
        None
    }
}

impl Layers {
    /// Adds what is reached with one move more.
    fn grow(&mut self) -> Option<()> {
        let last = self.layers.last()?;
        let mut layer: Vec<Reached> = Vec::new();
        let mut own = FxHashSet::default();
        for (from, reached) in last.iter().enumerate() {
            let node = &self.table.nodes[reached.node as usize];
            for &(class, node) in &node.edges {
                let is_new = match &mut self.seen {
                    _ if Some(class) == self.resting => false,
                    Some(seen) => seen.insert(node),
                    None => own.insert(node),
                };
                if is_new {
                    let from = from as u32;
                    layer.push(Reached { node, from, class });
                }
            }
        }
        self.layers.push(layer);
        let reached: usize = self.layers.iter().map(Vec::len).sum();
        (reached <= MAX_REACHED).then_some(())
    }

    fn value(&self, reached: &Reached) -> u32 {
        self.table.nodes[reached.node as usize].value
    }

    /// Returns the classes of `moves` moves after which the part has a value.
    fn way(&self, value: u32, moves: usize) -> Option<Vec<u32>> {
        let layer = &self.layers[moves];
        let mut at = layer
            .iter()
            .position(|reached| self.value(reached) == value)?;
        let mut classes = Vec::new();
        for layer in self.layers[1..=moves].iter().rev() {
            classes.push(layer[at].class);
            at = layer[at].from as usize;
        }
        classes.reverse();
        Some(classes)
    }
}

impl<'a> Parts<'a> {
    /// The parts of a game from the root on; `None` if it has one only, or they are not such that
    /// they can be put together.
    fn new(game: &'a GroundGame, root: &Root, stop: &Stop) -> Option<Parts<'a>> {
        let factors = Factors::find(game, stop).ok()?;
        if factors.parts.len() < 2 || !factors.are_timeless() {
            return None;
        }
        let time = factors.clock.time_of(&root.state)?;
        let (phases, cycle) = factors.clock.phases_from(time);
        let places = Places { phases, cycle };
        let roles = places
            .phases
            .iter()
            .map(|&phase| &factors.phases[phase].roles[ROLE.index()]);
        let chooses = |kinds: &&Vec<_>| kinds.len() > 1;
        let is_joint = roles.clone().all(|moves| {
            moves.form == Form::Each || moves.kinds.iter().filter(chooses).count() < 2
        });
        let is_single = !is_joint;
        if is_single && places.phases.len() > 1 {
            return None;
        }
        let moves = roles.clone().next()?;
        let is_idle = |at: &usize| {
            let kinds = moves.kinds.iter().zip(&moves.classes[*at]);
            is_single && kinds.clone().all(|(_, &class)| class == 0)
        };
        let idle = (0..moves.moves.len())
            .find(is_idle)
            .map(|at| moves.moves[at]);
        let mut joint = Joint::new(game, &factors)?;
        let mut layers = Vec::new();
        for part in 0..factors.parts.len() {
            let from = (&root.state, &places);
            let table = PartTable::new(game, &factors, part, from, &mut joint, MAX_STATES, stop)?;
            let rests = |(at, node): (usize, &Node)| {
                table.is_end(node) || node.edges.contains(&(0, at as u32))
            };
            if is_single && !table.nodes.iter().enumerate().all(rests) {
                return None;
            }
            let start = Reached {
                node: 0,
                from: 0,
                class: 0,
            };
            layers.push(Layers {
                layers: vec![vec![start]],
                seen: idle.map(|_| FxHashSet::from_iter([0])),
                resting: is_single.then_some(0),
                table,
            });
        }
        Some(Parts {
            game,
            factors,
            places,
            joint,
            layers,
            is_single,
            idle,
            time,
        })
    }

    /// Returns the possible outcomes of matches of a length, and for each one way to it.
    fn outcomes(&mut self, length: usize) -> Option<Vec<(Outcome, Choice)>> {
        let open = self.joint.open();
        let clock = self.factors.clock.at(self.time + length);
        let start = self.joint.with_clock(&open, clock);
        let mut found: FxHashMap<(Outcome, usize), Choice> = FxHashMap::default();
        found.insert((start, 0), Vec::new());
        for part in 0..self.layers.len() {
            self.layers[part].grow()?;
            let options = self.options(part, length);
            let mut next: FxHashMap<(Outcome, usize), Choice> = FxHashMap::default();
            for ((outcome, sum), choice) in found {
                for (&value, counts) in &options {
                    let values = &self.layers[part].table.values[value as usize];
                    let after = self.joint.with_part(&outcome, part, values);
                    for &count in counts {
                        let sum = sum + count;
                        if self.is_single && sum > length {
                            break;
                        }
                        let sum = if self.is_single { sum } else { 0 };
                        let longer = || [&choice[..], &[(value, count)]].concat();
                        next.entry((after.clone(), sum)).or_insert_with(longer);
                    }
                }
            }
            if next.len() > MAX_OUTCOMES {
                return None;
            }
            found = next;
        }
        let fits = |sum: usize| !self.is_single || sum == length || self.idle.is_some();
        let all = found.into_iter().filter(|((_, sum), _)| fits(*sum));
        Some(
            all.map(|((outcome, _), choice)| (outcome, choice))
                .collect(),
        )
    }

    /// By value, the numbers of moves with which a part comes to it in a match of a length.
    fn options(&self, part: usize, length: usize) -> BTreeMap<u32, Vec<usize>> {
        let layers = &self.layers[part];
        let mut options: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
        let first = if self.is_single { 0 } else { length };
        for (count, layer) in layers.layers.iter().enumerate().skip(first) {
            for reached in layer {
                let counts = options.entry(layers.value(reached)).or_default();
                // With a move that changes nothing, the least number is enough.
                let is_known = counts.last() == Some(&count) || self.idle.is_some();
                if counts.is_empty() || !is_known {
                    counts.push(count);
                }
            }
        }
        options
    }

    /// The moves of a match that ends with a goal, if it does.
    fn played(&self, root: &Root, choice: &Choice, length: usize, goal: i32) -> Option<Vec<Move>> {
        let ways = self.layers.iter().zip(choice);
        let ways: Vec<Vec<u32>> = ways
            .map(|(layers, &(value, moves))| layers.way(value, moves))
            .collect::<Option<_>>()?;
        let ends_so = |moves: &Vec<Move>| replayed(self.game, root, moves) == Some(goal);
        if !self.is_single {
            return self.together(&ways, length).filter(ends_so);
        }
        let moved: Vec<usize> = (0..ways.len())
            .filter(|&part| !ways[part].is_empty())
            .collect();
        let waits = length - ways.iter().map(Vec::len).sum::<usize>();
        orders(moved.len()).find_map(|order| {
            let order: Vec<usize> = order.into_iter().map(|at| moved[at]).collect();
            self.one_by_one(&ways, &order, waits).filter(ends_so)
        })
    }

    /// The moves that are made of what is done to each part in each step.
    fn together(&self, ways: &[Vec<u32>], length: usize) -> Option<Vec<Move>> {
        let steps = (0..length).map(|step| {
            let phase = self.factors.clock.phase(self.time + step);
            let classes: Vec<u32> = ways.iter().map(|way| way[step]).collect();
            self.find(phase, &classes)
        });
        steps.collect()
    }

    /// Returns the moves in one part after the other, in an order, after `waits` moves that change nothing.
    fn one_by_one(&self, ways: &[Vec<u32>], order: &[usize], waits: usize) -> Option<Vec<Move>> {
        let mut moves = match waits {
            0 => Vec::new(),
            _ => vec![self.idle?; waits],
        };
        for &part in order {
            for &class in &ways[part] {
                let mut classes = vec![0; ways.len()];
                classes[part] = class;
                moves.push(self.find(self.places.phases[0], &classes)?);
            }
        }
        Some(moves)
    }

    /// A move with these classes.
    fn find(&self, phase: usize, classes: &[u32]) -> Option<Move> {
        let moves = &self.factors.phases[phase].roles[ROLE.index()];
        let at = moves.classes.iter().position(|other| other == classes)?;
        Some(moves.moves[at])
    }
}

/// Returns orders of `count` things: all of them if these are few, otherwise those in which each comes
/// last.
fn orders(count: usize) -> impl Iterator<Item = Vec<usize>> {
    let all: usize = (1..=count.min(MAX_ORDERS)).product::<usize>();
    let (is_small, number) = match count <= 4 && all <= MAX_ORDERS {
        true => (true, all),
        false => (false, count),
    };
    (0..number).map(move |mut number| {
        if !is_small {
            return (1..=count).map(|at| (number + at) % count).collect();
        }
        let mut left: Vec<usize> = (0..count).collect();
        let order = (1..=count).rev().map(|choices| {
            let at = number % choices;
            number /= choices;
            left.remove(at)
        });
        order.collect()
    })
}

/// The goal at the end of a match from the root, if these moves are legal, it ends with the last, and there is exactly
/// one.
fn replayed(game: &GroundGame, root: &Root, moves: &[Move]) -> Option<i32> {
    let (circuit, layout) = (game.lowered(), game.layout());
    let role = ROLE.index();
    let mut inputs = vec![false; layout.inputs()];
    root.state.iter().for_each(|base| inputs[base] = true);
    for played in moves {
        let does = layout.does[role].start + played.index();
        inputs[does] = true;
        let outputs = circuit.evaluate(&inputs);
        if outputs[layout.terminal] || !outputs[layout.legal[role].start + played.index()] {
            return None;
        }
        inputs.fill(false);
        inputs[layout.bases.clone()].copy_from_slice(&outputs[layout.next.clone()]);
    }
    let outputs = circuit.evaluate(&inputs);
    let goals = game.propnet().roles[role].goals.iter();
    let mut held = goals.zip(&outputs[layout.goals[role].clone()]);
    let (goal, _) = held.find(|(_, holds)| **holds)?;
    let is_only = held.all(|(_, holds)| !*holds);
    (outputs[layout.terminal] && is_only).then_some(goal.value)
}

#[cfg(test)]
mod tests {
    use super::super::beam::Beam;
    use super::super::tests::{replayed, task};
    use super::*;
    use crate::proof::factors::test_games;

    #[test]
    fn parts_come_to_what_the_whole_comes_to() {
        let games = [
            (test_games::wheels(7, false), 100),
            // The number of moves does not come out, but with a move that changes nothing.
            (test_games::wheels(9, false), 50),
            (test_games::wheels(9, true), 100),
            (test_games::wheels(2, true), 0),
            (test_games::walkers("none none"), 100),
            (test_games::strips().to_string(), 100),
        ];
        for (rules, best) in games {
            let parts = task(&rules);
            Combiner::new(&parts.engines, &parts.root, &parts.findings, &parts.gate).run();
            let known = parts.findings.known();
            assert_eq!((known.low, known.high), (best, best), "{rules}");
            if let Some((plan, method)) = known.plan {
                assert_eq!(method, PlanMethod::Parts);
                assert_eq!(replayed(&parts, &plan.moves), Some(best));
            }
            let whole = task(&rules);
            Beam::new(&whole.engines, &whole.root, &whole.findings, &whole.gate).run();
            let whole = whole.findings.known();
            assert_eq!((whole.low, whole.high), (best, best));
        }
    }

    #[test]
    fn games_of_one_part_are_left_to_others() {
        let task = task(&test_games::walkers("stay stay"));
        Combiner::new(&task.engines, &task.root, &task.findings, &task.gate).run();
        let known = task.findings.known();
        assert_eq!((known.low, known.high, known.plan), (0, 100, None));
    }

    #[test]
    fn each_part_comes_last_in_some_order() {
        assert_eq!(orders(3).collect::<FxHashSet<_>>().len(), 6);
        let last: Vec<usize> = orders(7)
            .filter_map(|order| order.last().copied())
            .collect();
        assert_eq!(last, [0, 1, 2, 3, 4, 5, 6]);
    }
}
