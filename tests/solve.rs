//! Values of games: known ones, the definition, what was recorded.

use std::collections::HashMap;

use propjit::Stop;
use propjit::game::load::Game;
use propjit::game::machine::{Backend, RoleId, State, StateMachine};
use propjit::lab::verify::Trace;
use propjit::proof::solve::{SolveConfig, SolveProgress, solve};
use propjit::support::rng::streams;

use crate::common;
use crate::common::random_game::random_game;
use crate::common::random_matches::{joints, legal};
use crate::common::solvable::{
    DIE, DOOR, PENNIES, PRISONERS, nim, on_one_thread, small_connect_four, values,
};
use crate::common::{COUNTER, ENDLESS, game, own_game};

#[test]
fn known_values_are_found() {
    for (rules, expected) in [
        (nim([1, 2, 3]), vec![(0, 0), (100, 100)]),
        (nim([1, 2, 2]), vec![(100, 100), (0, 0)]),
        (nim([3, 3, 0]), vec![(0, 0), (100, 100)]),
        (nim([0, 0, 0]), vec![(0, 0), (100, 100)]),
        (PENNIES.to_string(), vec![(0, 100), (0, 100)]),
        (PRISONERS.to_string(), vec![(20, 20), (20, 20)]),
        (DIE.to_string(), vec![(30, 100)]),
        (DOOR.to_string(), vec![(0, 0), (0, 0)]),
        (ENDLESS.to_string(), vec![(0, 0)]),
        // The match may end without a goal for the first role, or with two, of which nothing is known.
        (COUNTER.to_string(), vec![(0, 20), (50, 50)]),
        (
            propjit_gdl::games::text("ticTacToe").unwrap().to_string(),
            vec![(50, 50); 2],
        ),
        // John Tromp, https://tromp.github.io/c4/c4.html
        (small_connect_four(), vec![(50, 50); 2]),
    ] {
        for threads in [1, 2] {
            let game = game(&rules);
            let config = SolveConfig::default().with_threads(threads);
            let solved = solve(&game, &config, &Stop::new(), &SolveProgress::default()).unwrap();
            assert_eq!(values(&solved), expected, "{rules}");
        }
    }
}

#[test]
fn matches_that_need_not_end_are_told() {
    let door = game(DOOR);
    let solved = on_one_thread(&door);
    let endless = solved.bounds.iter().map(|bounds| bounds.is_endless);
    // The guest gets nothing from a door that stays shut; but then there is no end at which the host
    // gets nothing, either.
    assert_eq!(endless.collect::<Vec<_>>(), [true, true]);
    let nim = game(&nim([1, 2, 2]));
    let solved = on_one_thread(&nim);
    assert!(solved.bounds.iter().all(|bounds| !bounds.is_endless));
}

/// What a role can force, and what the others can hold it to, straight from the definition.
pub(crate) fn defined(
    machine: &mut dyn StateMachine,
    state: &State,
    role: RoleId,
    memo: &mut HashMap<State, (i32, i32)>,
) -> (i32, i32) {
    if let Some(&known) = memo.get(state) {
        return known;
    }
    let value = if machine.is_terminal(state).unwrap() {
        let goal = machine.goal(state, role).unwrap_or(0);
        (goal, goal)
    } else {
        let legal = legal(machine, state);
        // By the role's move, and by what the others do.
        let mut by_own: HashMap<u32, i32> = HashMap::new();
        let mut by_others: HashMap<Vec<u32>, i32> = HashMap::new();
        for joint in joints(&legal) {
            let mut next = State::new();
            machine
                .next_state_unchecked(state, &joint, &mut next)
                .unwrap();
            let (low, high) = defined(machine, &next, role, memo);
            let own = joint[role.index()].0;
            let mut others: Vec<u32> = joint.iter().map(|played| played.0).collect();
            others.remove(role.index());
            let least = by_own.entry(own).or_insert(low);
            *least = low.min(*least);
            let most = by_others.entry(others).or_insert(high);
            *most = high.max(*most);
        }
        (
            *by_own.values().max().unwrap(),
            *by_others.values().min().unwrap(),
        )
    };
    memo.insert(state.clone(), value);
    value
}

#[test]
fn values_are_as_defined() {
    let mut games: Vec<(String, Game)> = [
        nim([2, 3, 1]),
        nim([3, 1, 3]),
        PENNIES.to_string(),
        PRISONERS.to_string(),
    ]
    .into_iter()
    .map(|rules| (rules.clone(), game(&rules)))
    .collect();
    games.push(("ticTacToe".to_string(), own_game("ticTacToe")));
    if let Some(shared) = common::shared() {
        for name in [
            "ad_game_2x2",
            "gt_chicken",
            "gt_dollar",
            "gt_two_thirds_2p",
            "gt_ultimatum",
            "nim1",
        ] {
            let path = shared.join("games").join(name).with_extension("kif");
            games.push((name.to_string(), common::load(&path)));
        }
    }
    for (name, game) in &games {
        let solved = on_one_thread(game);
        let mut machine = game.machine(Backend::Prover).unwrap();
        let root = machine.initial_state().unwrap();
        for bounds in &solved.bounds {
            let expected = defined(&mut *machine, &root, bounds.role, &mut HashMap::new());
            assert_eq!(
                (bounds.low.0, bounds.high.0),
                expected,
                "{name} {:?}",
                bounds.role
            );
        }
    }
}

/// By whatever is first of all that looks for them.
#[test]
fn values_of_random_games_are_as_defined() {
    let mut rng = streams(0x501e).next().unwrap();
    for number in 0..600 {
        let rules = random_game(1 + number % 2, &mut rng);
        let game = game(&rules);
        let mut machine = game.machine(Backend::Prover).unwrap();
        let root = machine.initial_state().unwrap();
        for threads in [1, 2] {
            let config = SolveConfig::default().with_threads(threads);
            let solved = solve(&game, &config, &Stop::new(), &SolveProgress::default()).unwrap();
            for bounds in &solved.bounds {
                let expected = defined(&mut *machine, &root, bounds.role, &mut HashMap::new());
                let found = (bounds.low.0, bounds.high.0);
                assert_eq!(found, expected, "{:?} on {threads}: {rules}", bounds.role);
            }
        }
    }
}

#[test]
fn no_recorded_match_is_better_than_what_was_proved() {
    let Some(shared) = common::shared() else {
        return;
    };
    let quick = [
        "buttons",
        "lightsOn",
        "maze",
        "hanoi",
        "stateSpaceSmall",
        "brain_teaser_extended",
        "god",
    ];
    let mut compared = 0;
    for (name, path) in common::rulesheets(&shared.join("games")) {
        if !common::soak() && !quick.contains(&name.as_str()) {
            continue;
        }
        let game = common::load(&path);
        if game
            .ground_game()
            .is_none_or(|ground| ground.roles().len() > 1)
        {
            continue;
        }
        let stop = Stop::new().within(std::time::Duration::from_secs(3));
        let solved = solve(
            &game,
            &SolveConfig::default(),
            &stop,
            &SolveProgress::default(),
        )
        .unwrap();
        let most = solved.bounds[0].high.0;
        let text =
            std::fs::read_to_string(shared.join("traces").join(name.clone() + ".json")).unwrap();
        for recorded in Trace::from_json(&text).unwrap().matches {
            let last = recorded.steps.last().and_then(|step| step.goals.clone());
            if let Some([Some(goal)]) = last.as_deref() {
                assert!(*goal <= most, "{name}: {goal}");
                compared += 1;
            }
        }
    }
    assert!(compared > 0);
}
