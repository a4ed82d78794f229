//! What `solve` proves of small random games, against what follows from the definition for all their states.

use std::collections::HashMap;
use std::fmt::Write as _;

use propjit::Stop;
use propjit::proof::solve::{SolveConfig, SolveProgress, solve};
use propjit::support::rng::{GameRng, streams};
use rand::RngExt;
use rand::seq::IndexedRandom;

use super::program::{Goals, random_program};
use super::{Fluents, Oracle, Term};
use crate::common;

const MOVES: [&str; 3] = ["left", "right", "stay"];
const CHANCE: &str = "random";
/// More than any of these games has.
const WORK: u64 = 10_000_000;

/// Places, from each of which a joint move leads to another one, or to none. Matches may go on for ever, and roles
/// have nothing to play; in some games one role at a time has a choice.
fn random_graph(rng: &mut GameRng) -> String {
    let mut roles = ["white", "black", "red"][..[1, 2, 2, 2, 3][rng.random_range(0..5)]].to_vec();
    if roles.len() < 3 && rng.random_bool(0.3) {
        roles.insert(rng.random_range(0..=roles.len()), CHANCE);
    }
    let (rows, columns) = (rng.random_range(1..4), rng.random_range(2..4));
    let in_turns = rng.random_bool(0.4);
    let here = "(true (row ?r)) (true (column ?c))";
    let moves: String = (0..roles.len()).map(|role| format!(" ?m{role}")).collect();
    let does: String = (0..)
        .zip(&roles)
        .map(|(at, role)| format!(" (does {role} ?m{at})"))
        .collect();
    let mut rules = format!(
        "(init (row 0)) (init (column 0)) (<= terminal (over ?r ?c) {here})
         (<= (next (row ?s)) (leads ?r ?c{moves} ?s ?d) {here} {does})
         (<= (next (column ?d)) (leads ?r ?c{moves} ?s ?d) {here} {does})\n"
    );
    for role in &roles {
        let _ = writeln!(
            rules,
            "(role {role}) (<= (legal {role} ?m) (may {role} ?r ?c ?m) {here})
             (<= (goal {role} ?g) (worth {role} ?r ?c ?g) {here})"
        );
    }
    for place in (0..rows).flat_map(|row| (0..columns).map(move |column| format!("{row} {column}")))
    {
        if rng.random_bool(0.3) {
            let _ = write!(rules, "(over {place})");
            for role in &roles {
                let _ = write!(
                    rules,
                    " (worth {role} {place} {})",
                    ["0", "30", "50", "100", "-10"].choose(rng).unwrap()
                );
            }
            rules.push('\n');
            continue;
        }
        let mover = rng.random_range(0..roles.len());
        let mut joints = vec![String::new()];
        for (at, role) in roles.iter().enumerate() {
            let count = match (in_turns && at != mover, rng.random_bool(0.03)) {
                (_, true) => 0,
                (true, false) => 1,
                (false, false) => rng.random_range(1..=MOVES.len()),
            };
            let legal = &MOVES[..count];
            legal
                .iter()
                .for_each(|played| _ = write!(rules, "(may {role} {place} {played}) "));
            let longer = joints
                .iter()
                .flat_map(|joint| legal.iter().map(move |played| format!("{joint} {played}")));
            joints = longer.collect();
        }
        for joint in joints {
            if rng.random_bool(0.02) {
                continue;
            }
            let (row, column) = (rng.random_range(0..rows), rng.random_range(0..columns));
            let _ = write!(rules, "(leads {place}{joint} {row} {column}) ");
        }
        rules.push('\n');
    }
    rules
}

/// A state of the game.
enum Node {
    /// The match is over, with a goal for each role.
    End(Vec<i32>),
    /// Joint moves, and the places of the states that they lead to.
    Inner(Vec<(Vec<Term>, usize)>),
}

/// The most joint moves of a state.
const JOINTS: usize = 100;

/// All states that can be reached, the initial one first; nothing if there are more than that.
fn states(oracle: &mut Oracle, most: usize) -> Option<Vec<Node>> {
    let mut found: Vec<Fluents> = vec![oracle.initial()];
    let mut places = HashMap::from([(oracle.initial(), 0)]);
    let mut nodes = Vec::new();
    while let Some(state) = found.get(nodes.len()).cloned() {
        if found.len() > most {
            return None;
        }
        oracle.enter(&state).unwrap();
        let roles = oracle.roles().to_vec();
        if oracle.is_terminal() {
            let goals = roles.iter().map(|&role| match *oracle.goals(role) {
                [goal] => goal,
                ref goals => panic!("each role has one goal: {goals:?}"),
            });
            nodes.push(Node::End(goals.collect()));
            continue;
        }
        let joints = roles.iter().fold(vec![Vec::new()], |joints, &role| {
            let legal = oracle.legal(role);
            let longer = joints.iter().flat_map(|joint| {
                legal
                    .iter()
                    .map(move |&played| [&joint[..], &[played]].concat())
            });
            longer.collect()
        });
        if joints.len() > JOINTS {
            return None;
        }
        let next = joints.into_iter().map(|joint: Vec<Term>| {
            let next = oracle.play(&joint).unwrap();
            let place = *places.entry(next.clone()).or_insert_with(|| {
                found.push(next);
                found.len() - 1
            });
            (joint, place)
        });
        nodes.push(Node::Inner(next.collect()));
    }
    Some(nodes)
}

/// What a role gets from the initial state if these choose first and the others answer, the former for the greatest
/// value if `for_role`, else for the least; nothing if the match need not end. `stuck` is what it counts for where some role has
/// no move.
fn value(
    nodes: &[Node],
    role: usize,
    first: &[usize],
    for_role: bool,
    stuck: Option<i32>,
) -> Option<i32> {
    let mut values: Vec<Option<i32>> = vec![None; nodes.len()];
    let better =
        |for_most: bool, a: Option<i32>, b: Option<i32>| if for_most { a.max(b) } else { a.min(b) };
    loop {
        let next = nodes.iter().map(|node| match node {
            Node::End(goals) => Some(goals[role]),
            Node::Inner(joints) if joints.is_empty() => stuck,
            Node::Inner(joints) => {
                let mut answered: HashMap<Vec<Term>, Option<i32>> = HashMap::new();
                for (joint, to) in joints {
                    let choice = first.iter().map(|&chooser| joint[chooser]).collect();
                    let worst = answered.entry(choice).or_insert(values[*to]);
                    *worst = better(!for_role, *worst, values[*to]);
                }
                answered
                    .into_values()
                    .reduce(|a, b| better(for_role, a, b))
                    .flatten()
            }
        });
        let next: Vec<Option<i32>> = next.collect();
        if next == values {
            return values[0];
        }
        values = next;
    }
}

/// Compares what is proved of a game with what follows from the definition. Gives how many values are of matches that
/// need not end; nothing if the game has more states than that.
fn check(rules: &str, threads: usize, most: usize) -> Option<usize> {
    let mut oracle = Oracle::new(rules, WORK).unwrap();
    let nodes = states(&mut oracle, most)?;
    let roles = oracle.role_names();
    let game = common::game(rules);
    let config = SolveConfig::default().with_threads(threads);
    let solved = solve(&game, &config, &Stop::new(), &SolveProgress::default()).unwrap();
    let mut endless = 0;
    for bounds in &solved.bounds {
        let role = bounds.role.index();
        let is_other = |other: &usize| *other != role && roles[*other] != CHANCE;
        let others: Vec<usize> = (0..roles.len()).filter(is_other).collect();
        let ends = nodes.iter().filter_map(|node| match node {
            Node::End(goals) => Some(goals[role]),
            Node::Inner(_) => None,
        });
        let least = ends.chain([0]).min().unwrap();
        // What a match is worth that cannot go on is not known: any goal that the rules have.
        let most = game.ground_game().unwrap().goal_ranges()[role].1;
        for (found, expected) in [
            (bounds.low.0, value(&nodes, role, &[role], true, None)),
            (
                bounds.high.0,
                value(&nodes, role, &others, false, Some(most)),
            ),
        ] {
            let context = format!("{} of {}: {rules}", roles[role], nodes.len());
            match expected {
                Some(expected) => assert_eq!(found, expected, "{context}"),
                // That is worth the least goal.
                None => assert!(found <= least, "{found} without an end, {context}"),
            }
            endless += usize::from(expected.is_none());
        }
    }
    Some(endless)
}

#[test]
fn values_of_random_graphs_are_as_defined() {
    let games = if common::soak() { 20_000 } else { 250 };
    let endless = (0..games).map(|seed| {
        let rules = random_graph(&mut streams(seed).next().unwrap());
        check(&rules, 1 + seed as usize % 2, usize::MAX).unwrap()
    });
    let endless: usize = endless.sum();
    assert!(
        endless > 10,
        "{endless} values are of matches that need not end"
    );
}

#[test]
fn values_of_random_programs_are_as_defined() {
    let programs = if common::soak() { 20_000 } else { 500 };
    let compared = (0..programs).filter(|&seed| {
        let rules = random_program(Goals::One, &mut streams(seed).next().unwrap());
        check(&rules, 1 + seed as usize % 2, 300).is_some()
    });
    let compared = compared.count() as u64;
    assert!(compared > programs / 2, "{compared} have few states");
}
