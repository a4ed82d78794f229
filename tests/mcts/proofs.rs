//! Proofs and values of Monte Carlo tree search: what is proved is true, and perfect moves are found.

use std::collections::HashMap;

use crate::common;
use crate::common::random_game::random_contest;
use crate::common::random_matches::random_match;
use crate::common::search::{run, search};
use propjit::game::load::Game;
use propjit::game::machine::{Backend, Move, RoleId, State, StateMachine};
use propjit::search::mcts::{Mcts, MctsConfig};
use propjit::support::rng::streams;
use rand::RngExt;

/// What a match of two with alternating moves is worth for the first role, if both play
/// perfectly; by exhaustion.
struct Perfect {
    machine: Box<dyn StateMachine>,
    known: HashMap<State, i32>,
}

impl Perfect {
    fn new(game: &Game) -> Perfect {
        Perfect {
            machine: game.machine(Backend::Scalar).unwrap(),
            known: HashMap::new(),
        }
    }

    fn legal(&mut self, state: &State) -> [Vec<Move>; 2] {
        [RoleId(0), RoleId(1)].map(|role| {
            let mut moves = Vec::new();
            self.machine.legal_moves(state, role, &mut moves).unwrap();
            moves
        })
    }

    fn value(&mut self, state: &State) -> i32 {
        if let Some(&value) = self.known.get(state) {
            return value;
        }
        let value = if self.machine.is_terminal(state).unwrap() {
            self.machine.goal(state, RoleId(0)).unwrap()
        } else {
            let [first, second] = self.legal(state);
            let mut values = Vec::new();
            for &a in &first {
                for &b in &second {
                    let next = self.machine.next_state(state, &[a, b]).unwrap();
                    values.push(self.value(&next));
                }
            }
            let values = values.into_iter();
            match first.len() > 1 {
                true => values.max().unwrap(),
                false => values.min().unwrap(),
            }
        };
        self.known.insert(state.clone(), value);
        value
    }
}

#[test]
fn tic_tac_toe_is_played_perfectly() {
    let game = common::own_game("ticTacToe");
    let mut perfect = Perfect::new(&game);
    for (backend, local, rave) in [
        (Backend::Scalar, false, None),
        (Backend::Lanes, false, Some(0.0)),
        (Backend::Lanes, true, Some(0.0)),
        (Backend::Compiled, false, None),
        (Backend::Compiled, true, Some(0.0)),
        (Backend::Compiled, false, Some(500.0)),
    ] {
        let config = MctsConfig::default().with_local(local).with_rave(rave);
        let mut searched = search(&game, backend, config, 1_000_000);
        let report = searched.report(RoleId(0));
        assert!(report.solved, "{backend}");
        assert_eq!(report.value, Some(50.0));
        // Random matches, searched at every step.
        let mut rng = streams(3).next().unwrap();
        for _ in 0..10 {
            let mut state = perfect.machine.initial_state().unwrap();
            let mut depth = 0;
            while !perfect.machine.is_terminal(&state).unwrap() {
                let legal = perfect.legal(&state);
                let value = perfect.value(&state);
                searched.set_root(&state, depth).unwrap();
                run(&mut searched, 1_000_000);
                for role in [RoleId(0), RoleId(1)] {
                    let report = searched.report(role);
                    assert!(report.solved);
                    let expected = if role == RoleId(0) {
                        value
                    } else {
                        100 - value
                    };
                    assert_eq!(report.value, Some(f64::from(expected)));
                    assert_eq!(report.moves.len(), legal[role.index()].len());
                    if legal[role.index()].len() == 1 {
                        continue;
                    }
                    let mut joint = [legal[0][0], legal[1][0]];
                    joint[role.index()] = report.best.unwrap();
                    let next = perfect.machine.next_state(&state, &joint).unwrap();
                    assert_eq!(perfect.value(&next), value, "{backend} {report:?}");
                }
                let joint = legal.map(|moves| moves[rng.random_range(0..moves.len())]);
                state = perfect.machine.next_state(&state, &joint).unwrap();
                depth += 1;
            }
        }
    }
}

/// Of random games in which one wins what the other loses, all that is proved is true, and nothing proved is given away.
#[test]
fn what_is_proved_of_random_contests_is_true() {
    let mut rng = streams(0x5eed).next().unwrap();
    let mut solved = 0;
    for seed in 0..300 {
        let rules = random_contest(&mut rng);
        let game = common::game(&rules);
        let config = MctsConfig::default().with_seed(seed).with_threads(1);
        let search = search(&game, Backend::Lanes, config, 3000);
        let mut perfect = Perfect::new(&game);
        let root = perfect.machine.initial_state().unwrap();
        let value = perfect.value(&root);
        for role in [RoleId(0), RoleId(1)] {
            let report = search.report(role);
            if !report.solved {
                continue;
            }
            solved += 1;
            let own = if role.0 == 0 { value } else { 100 - value };
            assert_eq!(report.value, Some(f64::from(own)), "{role:?} of {rules}");
        }
        let [first, second] = perfect.legal(&root);
        let report = search.report(RoleId(0));
        if report.solved && first.len() > 1 {
            let joint = [report.best.expect("it has moves"), second[0]];
            let next = perfect.machine.next_state(&root, &joint).unwrap();
            assert_eq!(perfect.value(&next), value, "{rules}");
        }
    }
    assert!(solved > 500, "{solved}");
}

#[test]
fn puzzles_are_solved() {
    for name in ["untwistyCorridor", "pegTriangle"] {
        let game = common::own_game(name);
        for backend in [Backend::Prover, Backend::Scalar, Backend::Compiled] {
            let report = search(&game, backend, MctsConfig::default(), 1_000_000).report(RoleId(0));
            assert!(report.solved, "{name} {backend}");
            assert_eq!(report.value, Some(100.0), "{name} {backend}");
            let best = &report.moves[0];
            assert_eq!(best.bounds, (100.0, 100.0));
        }
    }
}

/// One move before the end of a random match, the win is found.
#[test]
fn breakthroughs_are_found() {
    let game = common::own_game("breakthroughSmall");
    let mut machine = game.machine(Backend::Scalar).unwrap();
    let perfect = search(&game, Backend::Compiled, MctsConfig::default(), 20_000);
    assert!(!perfect.report(RoleId(0)).solved);
    let mut rng = streams(9).next().unwrap();
    let mut searched = Mcts::new(&game, Backend::Compiled, MctsConfig::default()).unwrap();
    for _ in 0..20 {
        let states = random_match(&mut *machine, &mut rng);
        // The last move won, so the role that made it could win.
        let before = states.len() - 2;
        searched.set_root(&states[before], before as u32).unwrap();
        run(&mut searched, 1_000_000);
        let winner = RoleId((before % 2) as u32);
        let report = searched.report(winner);
        assert!(report.solved);
        assert_eq!(report.value, Some(100.0));
        let moves = &report.moves[0];
        assert_eq!(moves.bounds, (100.0, 100.0));
    }
}

/// The best move is not the one with the usual most, with any backend.
#[test]
fn goals_may_be_beyond_the_usual_ones() {
    let rules = |goal: &str| {
        format!(
            "(role player) (init start) (value 200) (value -50)
             (<= (legal player (go ?way)) (true start) (way ?way)) (way low) (way on)
             (<= (legal player (go ?way)) (true there) (end ?way)) (end less) (end more)
             (<= (next (got ?way)) (does player (go ?way)) (distinct ?way on))
             (<= (next there) (does player (go on)))
             (<= terminal (true (got ?way)))
             (<= (goal player 100) (true (got low)))
             (<= (goal player -50) (true (got less)))
             {goal}"
        )
    };
    for goal in [
        "(<= (goal player 200) (true (got more)))",
        "(<= (goal player ?n) (true (got more)) (value ?n) (distinct ?n -50))",
    ] {
        let game = common::game(&rules(goal));
        for backend in Backend::ALL {
            let report = search(&game, backend, MctsConfig::default(), 1000).report(RoleId(0));
            assert!(report.solved, "{backend}");
            assert_eq!(report.value, Some(200.0), "{backend}");
        }
    }
}

/// A goal that was once seen in a playout is reached, and more if it is found on the way; unless
/// another role makes the moves.
#[test]
fn the_best_line_seen_is_played() {
    for name in ["pegTriangle", "sudoku"] {
        let game = common::own_game(name);
        for backend in [Backend::Scalar, Backend::Compiled] {
            let mut machine = game.machine(Backend::Scalar).unwrap();
            let mut state = machine.initial_state().unwrap();
            let config = MctsConfig::default().with_seed(5);
            let mut searched = search(&game, backend, config, 300);
            let mut sure = 0.0;
            let mut depth = 0;
            while !machine.is_terminal(&state).unwrap() {
                let report = searched.report(RoleId(0));
                let best = &report.moves[0];
                assert!(best.bounds.0 >= sure, "{name} {backend} {depth}: {best:?}");
                sure = best.bounds.0;
                state = machine.next_state(&state, &[best.played]).unwrap();
                depth += 1;
                searched.set_root(&state, depth).unwrap();
                run(&mut searched, 2);
            }
            assert!(sure > 0.0, "{name} {backend}");
            let goal = machine.goal(&state, RoleId(0)).unwrap();
            assert!(f64::from(goal) >= sure, "{name} {backend}");
            // From the start again, what was seen is not forgotten, but found again.
            let initial = machine.initial_state().unwrap();
            searched.set_root(&initial, 0).unwrap();
            run(&mut searched, 300);
            assert!(searched.report(RoleId(0)).best.is_some());
        }
    }
}

/// With goal latches, only the way through the corridor is looked at: a wrong step is known to
/// be one.
#[test]
fn goal_latches_spare_the_search() {
    let game = common::own_game("untwistyCorridor");
    game.goal_bounds().unwrap().wait();
    let config = MctsConfig::default();
    let report = search(&game, Backend::Compiled, config, 1_000_000).report(RoleId(0));
    assert!(report.solved);
    assert_eq!(report.value, Some(100.0));
    // Without them, there are more than 20.
    assert!(report.nodes <= 8);
}
