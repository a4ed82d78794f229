//! What can be reached is among what is said to be possible.

use std::collections::{BTreeSet, HashMap};
use std::time::Duration;

use crate::common;
use propjit::Stop;
use propjit::game::circuits::darkening::ternary::TernaryCircuit;
use propjit::game::engine::Engines;
use propjit::game::facts::achievable::{Achievable, Promises};
use propjit::game::facts::{AnalysisConfig, GoalLatches, find};
use propjit::game::load::Game;
use propjit::game::machine::batch::Batch;
use propjit::game::machine::{Move, RoleId, State};
use propjit_jit::lanes::Width;

/// All states of a game, or the first ones up to a limit that a search from the first one finds, and
/// what follows from each.
struct Graph {
    states: Vec<State>,
    next: Vec<Vec<usize>>,
    /// Of terminal states, the goal of each role.
    goals: Vec<Option<Vec<Option<i32>>>>,
    /// How many of the states have been looked at; the rest may lead anywhere.
    complete: bool,
}

fn explore(engines: &Engines, most: usize) -> Graph {
    let game = engines.game();
    let mut batch = Batch::new(game.clone(), engines.best());
    let mut numbers = HashMap::from([(game.initial().clone(), 0)]);
    let mut graph = Graph {
        states: vec![game.initial().clone()],
        next: Vec::new(),
        goals: vec![None],
        complete: true,
    };
    let roles = game.roles().len();
    while graph.next.len() < graph.states.len() {
        let at = graph.next.len();
        if graph.states.len() > most {
            graph.complete = false;
            break;
        }
        let state = graph.states[at].clone();
        let legal = batch.legal_moves(&state);
        if !batch.terminal().is_empty() {
            let roles = RoleId::first(roles);
            graph.goals[at] = Some(roles.map(|role| batch.goal(role, 0)).collect());
            graph.next.push(Vec::new());
            continue;
        }
        let mut joints = vec![Vec::new()];
        for moves in &legal {
            let extended = joints.iter().flat_map(|joint: &Vec<Move>| {
                moves.iter().map(|&played| [&joint[..], &[played]].concat())
            });
            joints = extended.collect();
        }
        let children = batch.children(&state, &joints.concat());
        let next = children.into_iter().map(|child| {
            *numbers.entry(child.state.clone()).or_insert_with(|| {
                graph.states.push(child.state);
                graph.goals.push(None);
                graph.states.len() - 1
            })
        });
        let next: BTreeSet<usize> = next.collect();
        graph.next.push(next.into_iter().collect());
    }
    graph
}

/// For each state and role, the values that matches from there end with: 0 where a match ends
/// without one, is stuck, or goes in a circle.
fn reachable(graph: &Graph, roles: usize) -> Vec<Vec<BTreeSet<i32>>> {
    let mut values = vec![vec![BTreeSet::new(); roles]; graph.states.len()];
    for (at, goals) in graph.goals.iter().enumerate() {
        match goals {
            Some(goals) => {
                for (values, goal) in values[at].iter_mut().zip(goals) {
                    values.insert(goal.unwrap_or(0));
                }
            }
            None if graph.next[at].is_empty() => {
                values[at].iter_mut().for_each(|values| values.extend([0]));
            }
            None => {}
        }
    }
    // States with a way that does not end: what is left when all ends are taken away.
    let mut open: Vec<usize> = graph.next.iter().map(Vec::len).collect();
    let mut before = vec![Vec::new(); graph.states.len()];
    for (at, next) in graph.next.iter().enumerate() {
        next.iter().for_each(|&next| before[next].push(at));
    }
    let mut ended: Vec<usize> = (0..open.len()).filter(|&at| open[at] == 0).collect();
    while let Some(at) = ended.pop() {
        for &user in &before[at] {
            open[user] -= 1;
            if open[user] == 0 {
                ended.push(user);
            }
        }
    }
    for (values, open) in values.iter_mut().zip(open) {
        if open > 0 {
            values.iter_mut().for_each(|values| values.extend([0]));
        }
    }
    let mut waiting: Vec<usize> = (0..graph.states.len()).collect();
    while let Some(at) = waiting.pop() {
        for &user in &before[at] {
            let mut changed = false;
            let found = values[at].clone();
            for (values, found) in values[user].iter_mut().zip(found) {
                let before = values.len();
                values.extend(found);
                changed |= values.len() > before;
            }
            if changed {
                waiting.push(user);
            }
        }
    }
    values
}

/// How often a range is narrower than at the start.
fn check(game: &Game, most: usize) -> usize {
    let ground = game.ground_game().unwrap();
    let graph = explore(game.engines().unwrap(), most);
    assert!(graph.complete, "the test wants to see all states");
    let roles = ground.roles().len();
    let values = reachable(&graph, roles);
    let bounds = TernaryCircuit::new(ground, &ground.min_gates().circuit);
    let config = AnalysisConfig::default()
        .with_time(Duration::from_secs(1000))
        .with_steps(10_000)
        .with_seed(1);
    let proved = find(game.engines().unwrap(), &config, &Stop::new()).goal_latches;
    let mut narrower = 0;
    for promises in [Promises::default(), Promises::WELL_FORMED] {
        for (width, latches) in [
            (Width::X64, GoalLatches::default()),
            (Width::X512, proved.clone()),
        ] {
            let achievable = Achievable::new(ground.clone(), &bounds, width, promises);
            let mut achievable = achievable.with_latches(latches);
            let lanes = achievable.lanes();
            let first = achievable.of([ground.initial()]).clone();
            for (states, values) in graph.states.chunks(lanes).zip(values.chunks(lanes)) {
                let outlook = achievable.of(states);
                for (lane, values) in values.iter().enumerate() {
                    for (role, values) in RoleId::first(roles).zip(values) {
                        let possible = outlook.values(role, lane);
                        let contained = values.iter().all(|value| possible.contains(value));
                        let state = ground.fluents(&states[lane]);
                        assert!(
                            // On trust, less may be said to be possible.
                            contained || promises != Promises::default() && values.contains(&0),
                            "{possible:?} should contain {values:?} in {state:?}"
                        );
                        let range = possible.first().zip(possible.last());
                        let range = range.map(|(&least, &most)| (least, most));
                        assert_eq!(outlook.range(role, lane), range);
                        narrower += usize::from(range != first.range(role, 0));
                    }
                }
            }
        }
    }
    narrower
}

#[test]
fn every_value_that_is_reached_is_possible() {
    for name in ["ticTacToe", "untwistyCorridor"] {
        assert!(check(&common::own_game(name), 100_000) > 0, "{name}");
    }
    for rules in [common::COUNTER, common::ENDLESS] {
        check(&common::game(rules), 1000);
    }
}

/// Escort latch breakthrough, smaller: a role that loses the king cannot win any more.
#[test]
fn a_king_that_is_gone_narrows_the_range_at_once() {
    let game = common::game(
        "(role white) (role black)
         (init (king white)) (init (king black)) (init (step 0))
         (succ 0 1) (succ 1 2) (succ 2 3)
         (other white black) (other black white)
         (<= (legal ?r take) (role ?r)) (<= (legal ?r wait) (role ?r))
         (<= (next (king ?r)) (true (king ?r)) (other ?r ?s) (does ?s wait))
         (<= (next (step ?n)) (true (step ?m)) (succ ?m ?n))
         (<= terminal (true (step 3)))
         (<= (goal ?r 100) (true (king ?r)) (other ?r ?s) (not (true (king ?s))))
         (<= (goal ?r 50) (true (king ?r)) (other ?r ?s) (true (king ?s)))
         (<= (goal ?r 50) (role ?r) (not (true (king white))) (not (true (king black))))
         (<= (goal ?r 0) (not (true (king ?r))) (other ?r ?s) (true (king ?s)))",
    );
    check(&game, 1000);
    let ground = game.ground_game().unwrap();
    let bounds = TernaryCircuit::new(ground, &ground.min_gates().circuit);
    let promises = Promises::WELL_FORMED;
    let mut achievable = Achievable::new(ground.clone(), &bounds, Width::X64, promises);
    let states = [
        ground.initial().clone(),
        ground.parse_state(&["(king white)", "(step 1)"]).unwrap(),
        ground.parse_state(&["(step 1)"]).unwrap(),
    ];
    let outlook = achievable.of(&states);
    let ranges = |lane| RoleId::first(2).map(move |role| outlook.range(role, lane).unwrap());
    assert_eq!(ranges(0).collect::<Vec<_>>(), [(0, 100), (0, 100)]);
    assert_eq!(ranges(1).collect::<Vec<_>>(), [(50, 100), (0, 50)]);
    assert_eq!(ranges(2).collect::<Vec<_>>(), [(50, 50), (50, 50)]);
}
