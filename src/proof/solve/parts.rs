//! Games of two roles that fall into [factors](crate::proof::factors): what a role can force in each part,
//! and the combined result.
//!
//! - If a move is made in each part at a time, each part is a game of its own, in which a role can keep to
//!   a set of results or not.
//! - If a move is made in one part at a time, a role that answers in the part in which the other has moved
//!   needs to move elsewhere only if there is nothing to answer. So it keeps to a set of results in a part
//!   if it can do so while the other may pass at any time. That is the least that it can force; there may
//!   be more.
//! - If both roles have the same moves in each part, and a role that cannot move has won, or lost, parts
//!   are piles of Nim ([`nim`](super::nim)).
//!
//! Strategies for parts are played side by side, so a role gets at least the worst combination of the
//! results that it keeps to in all parts.

use propjit_stop::Stop;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::game::engine::Engines;
use crate::game::ground::GroundGame;
use crate::game::machine::RoleId;
use crate::proof::factors::joint::{Joint, Outcome};
use crate::proof::factors::table::{Node, PartTable, Places};
use crate::proof::factors::{Factors, Form, Part};

use super::bounds::{AllBounds, SolveMethod};
use super::nim;

/// The most states of a part.
const MAX_STATES: usize = 100_000;

/// The most wires that are read of a part.
const MAX_OBSERVABLES: usize = 8;

/// The most results of a part: all sets of them are tried.
const MAX_RESULTS: usize = 8;

/// The most combinations of results, and of sets of them.
const MAX_COMBINATIONS: usize = 4096;

/// How parts are joined.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Join {
    /// In each joint move, a move is made in each part.
    Each,
    /// The roles take turns, and a move is made in one part, which cannot be avoided.
    Turns,
}

/// A game of two roles that falls into parts.
pub(super) struct Parts {
    pub(super) joint: Joint,
    pub(super) tables: Vec<PartTable>,
    /// By part and value, its result: those that come to the same have one.
    results: Vec<Vec<usize>>,
    /// By part and result, a value of it.
    pub(super) values: Vec<Vec<u32>>,
    /// By part and result, whether the match may be over with it.
    may_end: Vec<Vec<bool>>,
    /// By place, what is known of the clock.
    pub(super) known: Vec<Vec<(usize, bool)>>,
}

/// Finds out what it can about the initial state.
pub(super) fn search(engines: &Engines, bounds: &AllBounds<'_>, stop: &Stop) {
    let game = engines.game();
    if game.roles().len() == 2 && game.random_role().is_none() {
        bound(game, bounds, stop);
    }
}

fn bound(game: &GroundGame, bounds: &AllBounds<'_>, stop: &Stop) -> Option<()> {
    let factors = Factors::find(game, stop).ok()?;
    let is_coupled = |part: &Part| part.observables.len() > MAX_OBSERVABLES;
    if factors.parts.len() < 2 || !factors.are_timeless() || factors.parts.iter().any(is_coupled) {
        return None;
    }
    let (phases, cycle) = factors.clock.phases_from(0);
    let places = Places { phases, cycle };
    let join = Join::of(&factors, &places)?;
    let mut parts = Parts::new(game, &factors, &places, stop)?;
    if join == Join::Turns && !parts.can_rest() {
        return None;
    }
    if join == Join::Turns
        && let Some(goals) = nim::solve(&mut parts)
    {
        for (role, goal) in game.layout().roles().zip(goals) {
            bounds.raise(role, goal, SolveMethod::Parts);
            bounds.lower(role, goal, SolveMethod::Parts);
        }
        return Some(());
    }
    let kept = game.layout().roles().map(|role| {
        let tables = 0..parts.tables.len();
        tables.map(|part| parts.kept(join, part, role)).collect()
    });
    let kept: Vec<Vec<Vec<usize>>> = kept.collect::<Option<_>>()?;
    if !parts.must_end(join)? {
        return None;
    }
    for (role, kept) in game.layout().roles().zip(&kept) {
        for whose in game.layout().roles() {
            let extremes = parts.extremes(kept, whose)?;
            match whose == role {
                true => {
                    let worst = extremes.iter().map(|&(low, _)| low).max()?;
                    bounds.raise(role, worst, SolveMethod::Parts);
                }
                false => {
                    let best = extremes.iter().map(|&(_, high)| high).min()?;
                    bounds.lower(whose, best, SolveMethod::Parts);
                }
            }
        }
    }
    Some(())
}

impl Join {
    fn of(factors: &Factors, places: &Places) -> Option<Join> {
        let phases = || places.phases.iter().map(|&phase| &factors.phases[phase]);
        let varied = |kinds: &[Vec<_>]| kinds.iter().filter(|kinds| kinds.len() > 1).count();
        let is_joint = phases().all(|phase| {
            let mut roles = phase.roles.iter();
            roles.all(|moves| moves.form == Form::Each || varied(&moves.kinds) < 2)
        });
        if is_joint {
            return Some(Join::Each);
        }
        let mut movers = phases().map(|phase| {
            let mut varying = (0..2).filter(|&role| varied(&phase.roles[role].kinds) > 0);
            let mover = varying.next()?;
            let moves = &phase.roles[mover];
            // The role to move has to move.
            let is_idle = |classes: &Vec<u32>| classes.iter().all(|&class| class == 0);
            let has_to = moves.form == Form::One && !moves.classes.iter().any(is_idle);
            (has_to && varying.next().is_none()).then_some(mover)
        });
        let (first, second) = (movers.next()??, movers.next()??);
        let takes_turns = first != second && movers.next().is_none() && places.cycle == 2;
        takes_turns.then_some(Join::Turns)
    }
}

impl Parts {
    fn new(game: &GroundGame, factors: &Factors, places: &Places, stop: &Stop) -> Option<Parts> {
        let mut joint = Joint::new(game, factors)?;
        let open = joint.open();
        let tables = (0..factors.parts.len()).map(|part| {
            let from = (game.initial(), places);
            PartTable::new(game, factors, part, from, &mut joint, MAX_STATES, stop)
        });
        let tables = tables.collect::<Option<Vec<PartTable>>>()?;
        let mut parts = Parts {
            tables: Vec::new(),
            results: Vec::new(),
            values: Vec::new(),
            may_end: Vec::new(),
            known: (places.phases.iter())
                .map(|&phase| factors.clock.known(phase).to_vec())
                .collect(),
            joint,
        };
        for (part, table) in tables.into_iter().enumerate() {
            let mut numbers: FxHashMap<Outcome, usize> = FxHashMap::default();
            let mut values = Vec::new();
            let mut may_end = Vec::new();
            let joint = &mut parts.joint;
            let results = (0..).zip(&table.values).map(|(value, read)| {
                let outcome = joint.with_part(&open, part, read);
                let is_over = joint.is_over(&outcome);
                *numbers.entry(outcome).or_insert_with(|| {
                    values.push(value);
                    may_end.push(is_over != Some(false));
                    values.len() - 1
                })
            });
            parts.results.push(results.collect());
            parts.values.push(values);
            parts.may_end.push(may_end);
            parts.tables.push(table);
        }
        Some(parts)
    }

    /// The result at a node.
    pub(super) fn result(&self, part: usize, node: usize) -> usize {
        let value = self.tables[part].nodes[node].value;
        self.results[part][value as usize]
    }

    /// Returns the possible outcomes of these results of all parts: a set for each part.
    pub(super) fn outcomes(
        &mut self,
        start: Outcome,
        sets: &[Vec<usize>],
    ) -> Option<FxHashSet<Outcome>> {
        let mut found = FxHashSet::from_iter([start]);
        for (part, set) in sets.iter().enumerate() {
            let mut next = FxHashSet::default();
            for outcome in &found {
                for &result in set {
                    let value = self.values[part][result] as usize;
                    let read = &self.tables[part].values[value];
                    next.insert(self.joint.with_part(outcome, part, read));
                }
            }
            if next.len() > MAX_COMBINATIONS {
                return None;
            }
            found = next;
        }
        Some(found)
    }

    /// The least sets of results of a part, as bits, to which a role can keep it whenever the match is
    /// over.
    fn kept(&self, join: Join, part: usize, role: RoleId) -> Option<Vec<usize>> {
        let count = self.values[part].len();
        if count > MAX_RESULTS {
            return None;
        }
        let order = self.order(part, join)?;
        let ending = (0..count).filter(|&result| self.may_end[part][result]);
        let all: usize = ending.map(|result| 1 << result).sum();
        let mut kept: Vec<usize> = Vec::new();
        let mut sets: Vec<usize> = (0..=all).filter(|set| set & !all == 0).collect();
        sets.sort_by_key(|set| set.count_ones());
        for set in sets {
            let is_less = |other: &usize| other & set == *other;
            if kept.iter().any(is_less) {
                continue;
            }
            let allowed = |node: usize| {
                let result = self.result(part, node);
                !self.may_end[part][result] || set >> result & 1 == 1
            };
            let keeps = match join {
                Join::Each => self.keeps(part, &order, role, allowed),
                Join::Turns => self.keeps_by_answers(part, &order, role, allowed),
            };
            if keeps {
                kept.push(set);
            }
        }
        Some(kept)
    }

    /// The nodes of a part, those that follow before those that they follow from. In turns, nodes of
    /// the same state are together. `None` if matches can go round in circles.
    fn order(&self, part: usize, join: Join) -> Option<Vec<usize>> {
        let nodes = &self.tables[part].nodes;
        let group = |at: usize| match join {
            Join::Each => at,
            Join::Turns => nodes[at].state as usize,
        };
        let is_quiet = match join {
            Join::Each => self.quiet(part),
            Join::Turns => vec![false; nodes.len()],
        };
        let mut after = vec![Vec::new(); nodes.len()];
        for (at, node) in nodes.iter().enumerate().filter(|(at, _)| !is_quiet[*at]) {
            let edges = node.edges.iter().map(|&(_, to)| to as usize);
            let edges = edges.filter(|&to| join == Join::Each || nodes[to].state != node.state);
            after[group(at)].extend(edges.map(group));
        }
        let mut ranks: Vec<Option<usize>> = vec![None; nodes.len()];
        let mut is_open = vec![false; nodes.len()];
        let mut count = 0;
        for root in 0..nodes.len() {
            let mut open = vec![root];
            while let Some(&at) = open.last() {
                if ranks[at].is_some() {
                    open.pop();
                    continue;
                }
                let missing = after[at].iter().copied().filter(|&to| ranks[to].is_none());
                let missing: Vec<usize> = missing.collect();
                if missing.is_empty() {
                    ranks[at] = Some(count);
                    count += 1;
                } else if std::mem::replace(&mut is_open[at], true) {
                    return None;
                }
                open.extend(missing);
            }
        }
        let mut order: Vec<usize> = (0..nodes.len()).collect();
        order.sort_by_key(|&at| ranks[group(at)]);
        Some(order)
    }

    /// Whether each part can stay as it is while a move is made in another one.
    fn can_rest(&self) -> bool {
        let mut tables = self.tables.iter();
        tables.all(|table| {
            let nodes = &table.nodes;
            let rests = |node: &Node| {
                let mut edges = node.edges.iter();
                edges.any(|&(class, to)| class == 0 && nodes[to as usize].state == node.state)
            };
            nodes.iter().all(|node| table.is_end(node) || rests(node))
        })
    }

    /// By node of a part, whether it can never become another state.
    fn quiet(&self, part: usize) -> Vec<bool> {
        let nodes = &self.tables[part].nodes;
        let mut is_quiet = vec![true; nodes.len()];
        loop {
            let mut has_changed = false;
            for (at, node) in nodes.iter().enumerate() {
                let mut edges = node.edges.iter().map(|&(_, to)| to as usize);
                let stays = edges.all(|to| nodes[to].state == node.state && is_quiet[to]);
                has_changed |= is_quiet[at] && !stays;
                is_quiet[at] &= stays;
            }
            if !has_changed {
                return is_quiet;
            }
        }
    }

    /// Whether a role can keep a part to allowed nodes, where a move is made in it each time.
    fn keeps(
        &self,
        part: usize,
        order: &[usize],
        role: RoleId,
        allowed: impl Fn(usize) -> bool,
    ) -> bool {
        let PartTable { nodes, movers, .. } = &self.tables[part];
        let is_quiet = self.quiet(part);
        let mut keeps = vec![false; nodes.len()];
        for &at in order {
            let mut edges = nodes[at].edges.iter().map(|&(_, to)| keeps[to as usize]);
            let goes_on = match movers[nodes[at].place] {
                _ if is_quiet[at] => true,
                Some(mover) if mover == role => edges.any(|keeps| keeps),
                _ => edges.all(|keeps| keeps),
            };
            keeps[at] = goes_on && allowed(at);
        }
        keeps[0]
    }

    /// Whether a role can keep a part to allowed nodes if it moves there only to answer, or because
    /// the other one has passed.
    fn keeps_by_answers(
        &self,
        part: usize,
        order: &[usize],
        role: RoleId,
        allowed: impl Fn(usize) -> bool,
    ) -> bool {
        let PartTable { nodes, movers, .. } = &self.tables[part];
        let moves = |at: usize| {
            let edges = nodes[at].edges.iter();
            edges
                .filter(|(class, _)| *class != 0)
                .map(|&(_, to)| to as usize)
        };
        let passed = |at: usize| {
            let mut edges = nodes[at].edges.iter();
            edges
                .find(|(class, _)| *class == 0)
                .map(|&(_, to)| to as usize)
        };
        let is_end = |at: usize| self.tables[part].is_end(&nodes[at]);
        // By node at which the other one is to move.
        let mut keeps = vec![false; nodes.len()];
        for &at in order {
            if movers[nodes[at].place] == Some(role) {
                continue;
            }
            if is_end(at) {
                keeps[at] = allowed(at);
                continue;
            }
            let Some(turn) = passed(at) else {
                return false;
            };
            let can_move = moves(turn).next().is_none() || moves(turn).any(|to| keeps[to]);
            let mut answers = moves(at);
            let can_answer = answers.all(|to| {
                let stays = passed(to).is_some_and(|to| keeps[to]);
                allowed(to) && (is_end(to) || stays || moves(to).any(|to| keeps[to]))
            });
            keeps[at] = allowed(at) && can_move && can_answer;
        }
        let other = match movers[nodes[0].place] == Some(role) {
            true => passed(0),
            false => Some(0),
        };
        other.is_some_and(|at| keeps[at])
    }

    /// Whether all matches come to an end; parts have no cycles.
    fn must_end(&mut self, join: Join) -> Option<bool> {
        for place in 0..self.known.len() {
            let last = (0..self.tables.len()).map(|part| {
                let nodes = &self.tables[part].nodes;
                let is_quiet = self.quiet(part);
                let is_last = |at: &usize| match join {
                    Join::Each => is_quiet[*at],
                    Join::Turns => nodes[*at].edges.iter().all(|(class, _)| *class == 0),
                };
                let here = (0..nodes.len()).filter(|&at| nodes[at].place == place);
                let results: FxHashSet<usize> = here
                    .filter(is_last)
                    .map(|at| self.result(part, at))
                    .collect();
                results.into_iter().collect()
            });
            let last: Vec<Vec<usize>> = last.collect();
            let known = self.known[place].clone();
            let open = self.joint.open();
            let start = self.joint.with_known(&open, &known);
            let all = self.outcomes(start, &last)?;
            if !all
                .iter()
                .all(|outcome| self.joint.is_over(outcome) == Some(true))
            {
                return Some(false);
            }
        }
        // A role that cannot move before keeps the match from coming to an end.
        let is_stuck = |table: &PartTable| {
            let mut nodes = table.nodes.iter();
            nodes.any(|node| node.edges.is_empty() && !table.is_end(node))
        };
        Some(!self.tables.iter().any(is_stuck))
    }

    /// The least and the greatest goal of a role, for each combination of sets to which parts are
    /// kept.
    fn extremes(&mut self, kept: &[Vec<usize>], whose: RoleId) -> Option<Vec<(i32, i32)>> {
        let combinations = kept
            .iter()
            .try_fold(1usize, |all, sets| all.checked_mul(sets.len()));
        let combinations = combinations.filter(|&all| all <= MAX_COMBINATIONS)?;
        let mut extremes = Vec::new();
        for mut number in 0..combinations {
            let sets = kept.iter().map(|sets| {
                let set = sets[number % sets.len()];
                number /= sets.len();
                (0..usize::BITS as usize)
                    .filter(|&result| set >> result & 1 == 1)
                    .collect()
            });
            let sets: Vec<Vec<usize>> = sets.collect();
            let open = self.joint.open();
            let mut range: Option<(i32, i32)> = None;
            for outcome in self.outcomes(open, &sets)? {
                if self.joint.is_over(&outcome) == Some(false) {
                    continue;
                }
                let goal = self.joint.goal(&outcome, whose)?;
                let (low, high) = range.unwrap_or((goal, goal));
                range = Some((low.min(goal), high.max(goal)));
            }
            extremes.push(range?);
        }
        Some(extremes)
    }
}

#[cfg(test)]
mod tests {
    use crate::game::load::{Game, Setup};
    use crate::game::machine::expansion::Expander;
    use crate::proof::factors::test_games;
    use crate::proof::solve::graph::Graph;
    use crate::proof::solve::progress::SolveProgress;
    use crate::proof::solve::{SolveConfig, several};

    use super::*;

    /// Between what the value of each role is, by parts and by all states.
    fn solved(rules: &str) -> [Vec<(i32, i32)>; 2] {
        let game = Game::from_text("test.kif", rules, &Setup::default()).unwrap();
        let engines = game.engines().unwrap();
        let progress = SolveProgress::default();
        let ranges = |bounds: &AllBounds<'_>| {
            let all = bounds.all().into_iter();
            all.map(|role| (role.low.0, role.high.0)).collect()
        };
        let parts = AllBounds::new(engines.game(), &progress);
        search(engines, &parts, &Stop::new());
        let whole = AllBounds::new(engines.game(), &progress);
        let words = Expander::new(engines).words();
        let graph = Graph::new(engines, words, engines.game().initial());
        let config = SolveConfig::default();
        several::search(engines, graph, &whole, &config, (&Stop::new(), &progress));
        [ranges(&parts), ranges(&whole)]
    }

    #[test]
    fn piles_are_worth_what_all_their_states_are_worth() {
        for misere in [false, true] {
            for piles in [
                &[1, 1][..],
                &[1, 2],
                &[2, 2],
                &[1, 1, 1],
                &[1, 2, 3],
                &[3, 1, 1],
                &[2, 4],
            ] {
                let [parts, whole] = solved(&test_games::nim(piles, misere));
                assert_eq!(parts, whole, "{piles:?}, misère: {misere}");
            }
        }
    }

    #[test]
    fn boards_at_the_same_time_are_worth_what_all_states_are_worth() {
        for fork in [false, true] {
            let [parts, whole] = solved(&test_games::pairs(false, fork));
            assert_eq!(parts, whole, "fork: {fork}");
        }
    }

    #[test]
    fn boards_in_turns_are_worth_what_answers_keep_to() {
        let [parts, whole] = solved(&test_games::pairs(true, false));
        assert_eq!((&parts, &whole), (&vec![(50, 50); 2], &vec![(50, 50); 2]));
        // The first role to move has more than what answers keep to.
        let [parts, whole] = solved(&test_games::pairs(true, true));
        for (part, whole) in parts.iter().zip(&whole) {
            assert!(
                part.0 <= whole.0 && whole.1 <= part.1,
                "{parts:?} {whole:?}"
            );
        }
    }
}
