//! Every backend says the same of every game of the project, and what it says is true.

use std::error::Error;

use crate::common;
use propjit::Stop;
use propjit::game::load::{Game, Setup, SharedGame};
use propjit::game::machine::perft::{PerftCount, divide, perft, total};
use propjit::game::machine::saved::{RestoreError, SavedState};
use propjit::game::machine::{Backend, MachineError, Move, RoleId};
use propjit::lab::verify::against;
use propjit::support::rng::streams;

#[test]
fn backends_agree_on_random_matches() {
    for (name, path) in common::own_games() {
        let game = common::load(&path);
        let (matches, max_steps) = if common::soak() { (100, 1000) } else { (2, 60) };
        for backend in [Backend::Scalar, Backend::Lanes, Backend::Compiled] {
            let mut machine = game.machine(backend).unwrap();
            let mut prover = game.machine(Backend::Prover).unwrap();
            let mut rng = streams(1).next().unwrap();
            let stop = Stop::new();
            let compared = against(
                &mut *machine,
                &mut *prover,
                matches,
                max_steps,
                &mut rng,
                &stop,
            );
            let compared = compared.unwrap();
            assert_eq!(compared.difference, None, "{name} on {backend}");
            assert_eq!(compared.matches, matches);
        }
    }
}

#[test]
fn perft_counts_are_those_known() {
    let table = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/perft.csv"));
    let table = table.unwrap();
    let rows = table.lines().filter(|line| !line.starts_with('#')).skip(1);
    for row in rows {
        let cells: Vec<&str> = row.split(',').collect();
        let [game, depth, count, _source, prover_depth] = cells[..] else {
            panic!("the row has five columns: {row}");
        };
        let number = |text: &str| text.parse::<usize>().unwrap();
        let depth = number(depth);
        let loaded = common::own_game(game);
        let small = if common::soak() { 10_000_000 } else { 30_000 };
        let mut backends = Vec::new();
        if number(count) <= small {
            backends.push(Backend::Scalar);
        }
        if number(count) <= small / 100 {
            backends.extend([Backend::Lanes, Backend::Compiled]);
        }
        if depth <= number(prover_depth) && number(count) <= small / 50 {
            backends.push(Backend::Prover);
        }
        for backend in backends {
            let mut machine = loaded.machine(backend).unwrap();
            let initial = machine.initial_state().unwrap();
            let counted = perft(&mut *machine, &initial, depth, &Stop::new())
                .unwrap()
                .unwrap();
            assert_eq!(
                counted.sequences,
                number(count) as u128,
                "{row} on {backend}"
            );
        }
    }
}

#[test]
fn all_games_of_tic_tac_toe_are_counted() {
    let game = common::own_game("ticTacToe");
    let mut machine = game.machine(Backend::Scalar).unwrap();
    let initial = machine.initial_state().unwrap();
    let stop = Stop::new();
    let all = PerftCount {
        sequences: 0,
        ended: 255_168,
        stuck: 0,
    };
    assert_eq!(
        perft(&mut *machine, &initial, 10, &stop).unwrap(),
        Some(all)
    );
    let (division, is_all) = divide(&mut *machine, &initial, 10, &stop).unwrap();
    assert!(is_all);
    assert_eq!(division.len(), 9);
    assert_eq!(total(&division), all);
    stop.set();
    assert_eq!(perft(&mut *machine, &initial, 10, &stop).unwrap(), None);
    let (division, is_all) = divide(&mut *machine, &initial, 10, &stop).unwrap();
    assert!(division.is_empty() && !is_all);
}

#[test]
fn illegal_moves_are_named() {
    let game = common::own_game("ticTacToe");
    for backend in Backend::ALL {
        let mut machine = game.machine(backend).unwrap();
        let initial = machine.initial_state().unwrap();
        let mut play = |text: &str| {
            let noop = machine.parse_move(RoleId(1), "noop")?;
            let joint = [machine.parse_move(RoleId(0), text)?, noop];
            machine.next_state(&initial, &joint)
        };
        assert!(play("( mark  2 2 )").is_ok());
        let error = play("noop").unwrap_err();
        assert!(matches!(error, MachineError::IllegalMove { .. }));
        assert_eq!(error.to_string(), "x may not play noop here");
        let error = machine.next_state(&initial, &[Move(0)]).unwrap_err();
        assert!(matches!(
            error,
            MachineError::JointMove { roles: 2, given: 1 }
        ));
        assert!(machine.parse_move(RoleId(0), "(mark 1").is_err());
    }
}

#[test]
fn goals_that_are_undefined_are_errors_with_the_values() {
    let game = common::game(common::COUNTER);
    for backend in Backend::ALL {
        let mut machine = game.machine(backend).unwrap();
        let mut goals_at = |place: &str| {
            let state = machine.parse_state(&[place]).unwrap();
            let goals = [RoleId(0), RoleId(1)].map(|role| match machine.goal(&state, role) {
                Ok(value) => vec![value],
                Err(MachineError::Goal { values, .. }) if values.len() != 1 => values,
                Err(error) => panic!("{error}"),
            });
            (machine.is_terminal(&state).unwrap(), goals)
        };
        assert_eq!(goals_at("(at 0)"), (false, [vec![], vec![50]]));
        assert_eq!(goals_at("(at 4)"), (true, [vec![], vec![50]]));
        assert_eq!(goals_at("( at 5 )"), (true, [vec![10, 20], vec![50]]));
    }
}

#[test]
fn states_are_saved_for_every_backend() {
    let game = common::own_game("connectFour");
    let mut first = game.machine(Backend::Scalar).unwrap();
    let mut state = first.initial_state().unwrap();
    let mut moves = Vec::new();
    for _ in 0..5 {
        let joint: Vec<Move> = RoleId::first(2)
            .map(|role| {
                first.legal_moves(&state, role, &mut moves).unwrap();
                moves[moves.len() / 2]
            })
            .collect();
        state = first.next_state(&state, &joint).unwrap();
    }
    let text = SavedState::new(game.fingerprint(), &*first, &state).to_string();
    for backend in Backend::ALL {
        let mut machine = game.machine(backend).unwrap();
        let saved: SavedState = text.parse().unwrap();
        let restored = saved.restore(game.fingerprint(), &mut *machine).unwrap();
        assert_eq!(machine.fluents(&restored), first.fluents(&state));
        assert_eq!(
            SavedState::new(game.fingerprint(), &*machine, &restored),
            saved
        );

        let damaged = text.replacen("(cell", "(bell", 1);
        let error = damaged.parse::<SavedState>().unwrap_err();
        assert!(matches!(error, RestoreError::Damaged(_)));
        for no_state in ["", "\n", "propjit-state 2 game=0 fluents=0\n", "\u{0}\u{1}"] {
            let error = no_state.parse::<SavedState>().unwrap_err();
            assert!(matches!(error, RestoreError::NotAState), "{no_state:?}");
        }
        let other = common::own_game("ticTacToe").fingerprint();
        let error = saved.restore(other, &mut *machine).unwrap_err();
        assert!(matches!(error, RestoreError::ForeignGame { .. }));
    }
}

#[test]
fn states_of_other_games_are_refused_by_ground_games() {
    let game = common::own_game("connectFour");
    for backend in [Backend::Scalar, Backend::Lanes, Backend::Compiled] {
        let mut machine = game.machine(backend).unwrap();
        let error = machine.parse_state(&["(cell 99 99 w)"]).unwrap_err();
        assert!(matches!(error, MachineError::UnknownName(_)));
    }
}

/// Numbers that others give are those of what there is, and with the prover of what it has met.
#[test]
fn unknown_numbers_are_refused() {
    let path = common::own_folder().join("ticTacToe.kif");
    for backend in [None, Some(Backend::Prover)] {
        let load = |setup: &Setup| Game::load(&path, &setup.clone().with_backend(backend));
        let game = SharedGame::load::<Box<dyn Error>>(load).unwrap();
        let (initial, noop) = game
            .query(|machine| {
                let noop = machine.parse_move(RoleId(1), "noop")?;
                Ok((machine.initial_state()?, noop))
            })
            .unwrap();
        for fluent in initial.iter() {
            assert_eq!(game.fluent(fluent as i64).unwrap(), fluent);
        }
        assert_eq!(game.move_of(RoleId(1), noop.0).unwrap(), noop);
        for unknown in [-1, 100, i64::from(u32::MAX), i64::MAX] {
            let errors = [
                game.role(unknown).unwrap_err(),
                game.move_of(RoleId(1), unknown).unwrap_err(),
                game.fluent(unknown).unwrap_err(),
            ];
            for error in errors {
                let text = error.to_string();
                assert!(text.contains(&unknown.to_string()), "{backend:?}: {text}");
            }
        }
        let error = game.joint_move(&[100, noop.0]).unwrap_err();
        assert_eq!(error.to_string(), "there is no move 100");
    }
}

#[test]
fn what_cannot_be_grounded_plays_on_the_prover() {
    let rules = "
        (role counter)
        (init (count 0))
        (legal counter more)
        (<= (next (count (s ?n))) (true (count ?n)))
        (<= terminal (true (count (s (s (s 0))))))
        (<= (goal counter 100) terminal)
    ";
    let mut setup = Setup::default();
    setup.ground.ground_rules = 1000;
    let game = Game::from_text("count.kif", rules, &setup).unwrap();
    assert!(game.grounding_error().is_some());
    assert_eq!(game.backend(), Backend::Prover);
    let mut machine = game.machine(game.backend()).unwrap();
    let mut state = machine.initial_state().unwrap();
    for _ in 0..3 {
        assert!(!machine.is_terminal(&state).unwrap());
        let more = machine.parse_move(RoleId(0), "more").unwrap();
        state = machine.next_state(&state, &[more]).unwrap();
    }
    assert_eq!(machine.fluents(&state), ["(count (s (s (s 0))))"]);
    assert_eq!(machine.goal(&state, RoleId(0)).unwrap(), 100);
    assert!(matches!(
        game.machine(Backend::Lanes).err(),
        Some(MachineError::NotGround {
            backend: Backend::Lanes
        })
    ));
    setup.backend = Some(Backend::Scalar);
    let error = Game::from_text("count.kif", rules, &setup).err().unwrap();
    assert!(error.to_string().contains("scalar"), "{error}");
}

#[test]
fn the_random_role_is_found() {
    for (name, path) in common::own_games() {
        let game = common::load(&path);
        let machine = game.machine(Backend::Scalar).unwrap();
        let random = machine.roles().iter().any(|role| role == "random");
        assert_eq!(machine.random_role().is_some(), random, "{name}");
    }
}

/// The initial state of games in which what holds at first follows by recursion, next to a negation: constants are found
/// through loops.
#[test]
fn initial_states_may_follow_by_recursion() {
    let game = |given: &str| {
        common::game(&format!(
            "(role r) {given} (init (turn 0)) (follows 0 1) (follows 1 2)
             (<= (linked b) (linked a)) (<= (linked a) (linked b))
             (<= (linked z) (not (linked q))) (<= (init (at ?x)) (linked ?x))
             (<= (init (at apart)) (not (linked a)))
             (<= (legal r (go ?x)) (true (at ?x))) (legal r stay)
             (<= (next (at ?x)) (true (at ?x)))
             (<= (next (turn ?n)) (true (turn ?m)) (follows ?m ?n))
             (<= terminal (true (turn 2))) (goal r 100)"
        ))
    };
    for (given, expected) in [
        (
            "(linked a)",
            &["(at a)", "(at b)", "(at z)", "(turn 0)"][..],
        ),
        (
            "(linked c)",
            &["(at apart)", "(at c)", "(at z)", "(turn 0)"],
        ),
    ] {
        let game = game(given);
        for backend in Backend::ALL {
            let mut machine = game.machine(backend).unwrap();
            let initial = machine.initial_state().unwrap();
            let mut fluents = machine.fluents(&initial);
            fluents.sort_unstable();
            assert_eq!(fluents, expected, "{backend}");
        }
    }
}
