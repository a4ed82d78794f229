//! Enumeration beside the search: what is known of all states is reported and played.

use std::time::Duration;

use propjit::Stop;
use propjit::game::load::{Game, Setup};
use propjit::game::machine::{Backend, Move, RoleId, State, StateMachine};
use propjit::search::SearchBudget;
use propjit::search::mcts::{Mcts, MctsConfig, ProvedBy};
use rand::{Rng, RngExt};
use serde_json::Value;

use crate::common::command::{file, json, propjit, stdout};
use crate::common::solvable::{DOOR, nim};

/// How many numbers there are to choose from: the tree looks at no more than 400 joint moves for what they prove.
const NUMBERS: u32 = 21;

/// Both choose at the same time, three times: the role that chooses the greater number gets a point. There are too many
/// joint moves for the tree to prove anything.
fn choices() -> String {
    let numbers = 1..=NUMBERS;
    let pairs = numbers.clone().flat_map(|x| (1..x).map(move |y| (x, y)));
    let greater = pairs.map(|(x, y)| format!("(greater {x} {y}) "));
    let numbers = numbers.map(|n| format!("(number {n}) "));
    let facts: String = numbers.chain(greater).collect();
    format!(
        "(role a) (role b) (init (round 1)) (succ 1 2) (succ 2 3) (succ 3 4) (init (lead 0)) {facts}
         (up -3 -2) (up -2 -1) (up -1 0) (up 0 1) (up 1 2) (up 2 3)
         (<= (legal ?r ?n) (role ?r) (number ?n))
         (<= (next (round ?m)) (true (round ?n)) (succ ?n ?m))
         (<= (next (lead ?m)) (true (lead ?n)) (up ?n ?m) (does a ?x) (does b ?y) (greater ?x ?y))
         (<= (next (lead ?m)) (true (lead ?n)) (up ?m ?n) (does a ?x) (does b ?y) (greater ?y ?x))
         (<= (next (lead ?n)) (true (lead ?n)) (does a ?x) (does b ?x))
         (<= terminal (true (round 4)))
         (positive 1) (positive 2) (positive 3) (negative -1) (negative -2) (negative -3)
         (<= (goal a 100) (true (lead ?n)) (positive ?n)) (<= (goal b 0) (true (lead ?n)) (positive ?n))
         (<= (goal a 0) (true (lead ?n)) (negative ?n)) (<= (goal b 100) (true (lead ?n)) (negative ?n))
         (<= (goal ?r 50) (role ?r) (true (lead 0)))"
    )
}

#[test]
fn what_is_chosen_at_the_same_time_is_known_if_there_are_few_states() {
    let folder = tempfile::tempdir().unwrap();
    let rules = file(&folder, "choices.kif", &choices());
    // It ends as soon as all is known.
    let report = json(&["analyze", &rules, "--role", "b", "--seconds", "1000"]);
    assert_eq!(report["solved"], true, "{report}");
    assert_eq!(
        (&report["value"], &report["best"], &report["proved_by"]),
        (&50.0.into(), &NUMBERS.to_string().into(), &"states".into())
    );
    // Rounds 1 to 3 with leads up to 2 on either side.
    assert_eq!(report["states"]["states"], 1 + 3 + 5);
    let others = ["1", "20"].map(|played| {
        let mut moves = report["moves"].as_array().unwrap().iter();
        let of = moves.find(|of| of["move"] == *played).unwrap();
        of["proof"].clone()
    });
    assert_eq!(others, [Value::from("<= 50"), Value::Null]);
    let text = stdout(propjit(&["analyze", &rules, "--seconds", "1000"]).success());
    assert!(
        text.contains("a: 21, value 50, proved by enumeration\n"),
        "{text}"
    );
    assert!(text.contains("\nstates: all 9 known after "), "{text}");
    for option in ["--no-solve", "--playouts=1000"] {
        let report = json(&["analyze", &rules, option, "--seconds", "0.3"]);
        assert_eq!(
            (&report["states"], &report["solved"]),
            (&Value::Null, &false.into())
        );
    }
}

/// A search of which all states are known.
fn solved(game: &Game, backend: Backend) -> Mcts {
    // More than the states need, but no more: each new root looks through all of it.
    let config = MctsConfig::default()
        .with_solve(true)
        .with_memory(1 << 24)
        .with_seed(1);
    let stop = Stop::new().within(Duration::from_secs(1000));
    let mut search = Mcts::new(game, backend, config).unwrap();
    while search.report(RoleId(0)).states.is_none() {
        // The tree may have proved all that it is asked for before.
        search
            .run(
                &SearchBudget::default()
                    .with_playouts(Some(1))
                    .with_stop(stop.clone()),
            )
            .unwrap();
        std::thread::yield_now();
    }
    search
}

#[test]
fn a_won_game_is_won_against_anything() {
    let game = Game::from_text("nim.kif", &nim([3, 2, 2]), &Setup::default()).unwrap();
    let mut rng = propjit::support::rng::streams(1).next().unwrap();
    for backend in [Backend::Scalar, Backend::Compiled] {
        let mut search = solved(&game, backend);
        let mut machine = game.machine(Backend::Scalar).unwrap();
        for _ in 0..20 {
            let mut state = machine.initial_state().unwrap();
            let mut steps = 0;
            let mut left = None;
            while !machine.is_terminal(&state).unwrap() {
                search.set_root(&state, steps).unwrap();
                let report = search.report(RoleId(0));
                assert_eq!((report.value, report.solved), (Some(100.0), true));
                assert_eq!(report.proved_by, Some(ProvedBy::States));
                let distance = report.states.unwrap().distance.unwrap();
                assert!(
                    left.is_none_or(|left| distance < left),
                    "the end comes nearer"
                );
                left = Some(distance);
                let replies = legal(&mut *machine, &state, RoleId(1));
                let reply = replies[rng.random_range(0..replies.len())];
                state = machine
                    .next_state(&state, &[report.best.unwrap(), reply])
                    .unwrap();
                steps += 1;
            }
            assert_eq!(machine.goal(&state, RoleId(0)).unwrap(), 100);
        }
    }
}

#[test]
fn what_is_known_of_a_state_is_not_said_of_each_of_its_moves() {
    let game = Game::from_text("nim.kif", &nim([3, 2, 2]), &Setup::default()).unwrap();
    let mut search = solved(&game, Backend::Compiled);
    let mut machine = game.machine(Backend::Scalar).unwrap();
    let start = machine.initial_state().unwrap();
    let replies = legal(&mut *machine, &start, RoleId(0));
    let wait = legal(&mut *machine, &start, RoleId(1))[0];
    let mut seen = [false; 2];
    for reply in replies {
        // The tree has not grown from there: the value is known without.
        let state = machine.next_state(&start, &[reply, wait]).unwrap();
        search.set_root(&state, 1).unwrap();
        let report = search.report(RoleId(1));
        assert!(report.solved && report.moves.len() > 1);
        for of in &report.moves {
            let waits = legal(&mut *machine, &state, RoleId(0))[0];
            let after = machine.next_state(&state, &[waits, of.played]).unwrap();
            search.set_root(&after, 2).unwrap();
            let value = search.report(RoleId(1)).value.unwrap();
            assert_eq!(of.bounds, (value, value));
            seen[usize::from(Some(value) == report.value)] = true;
        }
    }
    assert_eq!(seen, [true; 2], "some moves are worse than others");
}

fn legal(machine: &mut dyn StateMachine, state: &State, role: RoleId) -> Vec<Move> {
    let mut legal = Vec::new();
    machine.legal_moves(state, role, &mut legal).unwrap();
    legal
}

/// Matches are left after this many steps.
const LONGEST: u32 = 60;

/// Plays a match in which these roles play by what a search knows, after a number of random joint
/// moves, and all else is random. What is proved of these roles never falls, and they get it.
fn keeps_what_is_proved(
    search: &mut Mcts,
    machine: &mut dyn StateMachine,
    (knowing, opening): ([bool; 2], u32),
    rng: &mut impl Rng,
) {
    let mut state = machine.initial_state().unwrap();
    let mut proved = [0.0; 2];
    for step in 0..LONGEST {
        if machine.is_terminal(&state).unwrap() {
            let goals = [0, 1].map(|role| machine.goal(&state, RoleId(role)).unwrap());
            let kept = proved
                .iter()
                .zip(goals)
                .all(|(&least, goal)| f64::from(goal) >= least);
            assert!(kept, "{goals:?} of {proved:?}, {knowing:?} from {opening}");
            return;
        }
        search.set_root(&state, step).unwrap();
        let joint = [0, 1].map(|role| {
            let legal = legal(machine, &state, RoleId(role));
            if !knowing[role as usize] || step < opening {
                return legal[rng.random_range(0..legal.len())];
            }
            let report = search.report(RoleId(role));
            if report.solved {
                let (least, value) = (&mut proved[role as usize], report.value.unwrap());
                assert!(value >= *least, "{least} falls to {value} in step {step}");
                *least = value;
            }
            report.best.unwrap()
        });
        state = machine.next_state(&state, &joint).unwrap();
    }
}

#[test]
fn a_proved_value_is_never_given_away() {
    let tic_tac_toe = propjit_gdl::games::text("ticTacToe").unwrap();
    let (heaps, choices) = (nim([3, 2, 2]), choices());
    let games = [
        (tic_tac_toe, Some([50.0, 50.0])),
        (heaps.as_str(), Some([100.0, 0.0])),
        (choices.as_str(), Some([50.0, 50.0])),
        // Nothing is sure before the door is open, and states repeat until then.
        (DOOR, None),
    ];
    for (rules, values) in games {
        let game = Game::from_text("test.kif", rules, &Setup::default()).unwrap();
        let mut search = solved(&game, Backend::Compiled);
        let reports = [0, 1].map(|role| search.report(RoleId(role)));
        for (report, role) in reports.iter().zip(0..) {
            let value = report.value.filter(|_| report.solved);
            assert_eq!(value, values.map(|values: [f64; 2]| values[role]));
        }
        let mut machine = game.machine(Backend::Scalar).unwrap();
        let mut rng = propjit::support::rng::streams(1).next().unwrap();
        for number in 0..50 {
            // Against random moves, and against itself.
            let opening = number % 5;
            for (knowing, opening) in [
                ([true, false], 0),
                ([false, true], 0),
                ([true, true], opening),
            ] {
                keeps_what_is_proved(&mut search, &mut *machine, (knowing, opening), &mut rng);
            }
        }
    }
}

#[test]
fn players_know_all_states_unless_they_are_told_not_to() {
    let folder = tempfile::tempdir().unwrap();
    let rules = file(&folder, "choices.kif", &choices());
    let records = folder.path().join("records.jsonl");
    let records = records.to_str().unwrap();
    let players = ["mcts", "mcts:solve=false"].map(|player| ["--player", player]);
    let clocks = ["--start-clock", "5", "--play-clock", "0.2", "--seed", "1"];
    let arguments = [&["match", &rules][..], &players.concat(), &clocks];
    propjit(&[&arguments.concat()[..], &["--output", records]].concat()).success();
    let record: Value =
        serde_json::from_str(std::fs::read_to_string(records).unwrap().trim()).unwrap();
    let first = &record["steps"][0];
    let statistics = |role: usize| first[role]["statistics"].clone();
    assert_eq!(statistics(0)["proved_by"], "states", "{record}");
    assert_eq!(statistics(1)["proved_by"], Value::Null, "{record}");
}
