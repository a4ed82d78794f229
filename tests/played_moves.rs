//! The moves that playouts are made of.

use crate::common;
use propjit::game::engine::StepEngine;
use propjit::game::load::Game;
use propjit::game::machine::{Backend, Move, RoleId};
use propjit::game::playout::{MoveNumbers, PlayoutRunner, Playouts, Tally, runner};
use propjit::support::rng::streams;
use propjit_jit::evaluator::Engine;
use propjit_jit::lanes::Width;

const LANES: [Backend; 2] = [Backend::Lanes, Backend::Compiled];

/// A runner that tracks moves, and the numbers of these.
fn tracking(game: &Game, backend: Backend) -> (Box<dyn PlayoutRunner>, MoveNumbers) {
    let seed = streams(4).next().unwrap();
    let mut runner = runner(game, backend, 500, seed).unwrap();
    let numbers = runner.track_moves(true).expect("lanes track moves");
    (runner, numbers)
}

/// The tallies of `jobs` jobs of `playouts` playouts each from the initial state.
fn tallies(runner: &mut dyn PlayoutRunner, jobs: usize, playouts: u64) -> Vec<Tally> {
    let initial = runner.initial_state().unwrap();
    let ids = (0..jobs).map(|_| runner.queue_mut().add(&initial, Some(playouts)));
    let ids: Vec<_> = ids.collect();
    common::play_all(runner);
    common::take_tallies(runner, &ids)
}

#[test]
fn a_course_has_the_moves_of_the_line() {
    for name in ["untwistyCorridor", "pegTriangle", "pipes"] {
        let game = common::own_game(name);
        for backend in LANES {
            let (mut runner, numbers) = tracking(&game, backend);
            runner.track_best_line(Some(i32::MIN));
            let mut lines = 0;
            // One playout each, so that its line is known.
            for tally in tallies(&mut *runner, 700, 1) {
                let Some(line) = &tally.best else {
                    continue;
                };
                let moves = line.moves.iter().map(|played| played.0);
                let mut expected: Vec<u32> = moves.collect();
                expected.sort_unstable();
                expected.dedup();
                let played = tally.played_moves.each();
                let played: Vec<_> = played
                    .map(|(goals, moves)| {
                        let mut moves = moves.to_vec();
                        moves.sort_unstable();
                        (goals.to_vec(), moves)
                    })
                    .collect();
                assert_eq!(played, [(vec![line.goal], expected)], "{name} {backend}");
                lines += 1;
            }
            assert!(lines > 0, "some match of {name} comes to an end");
            assert_eq!(numbers.of(RoleId(0)), 0..numbers.count());
        }
    }
}

#[test]
fn goals_belong_to_the_moves() {
    let game = common::own_game("ticTacToe");
    let ground = game.ground_game().unwrap();
    let cells = || (1..=3).flat_map(|x| (1..=3).map(move |y| (x, y)));
    let lines = |marks: &[bool; 9]| {
        let at = |x: usize, y: usize| marks[3 * x + y];
        (0..3).any(|k| (0..3).all(|i| at(k, i)) || (0..3).all(|i| at(i, k)))
            || (0..3).all(|i| at(i, i))
            || (0..3).all(|i| at(i, 2 - i))
    };
    for backend in LANES {
        let (mut runner, numbers) = tracking(&game, backend);
        let tally = tallies(&mut *runner, 1, 5000).remove(0);
        assert_eq!(tally.played_moves.each().count(), 5000);
        let mut sums = [0; 2];
        for (goals, moves) in tally.played_moves.each() {
            let marks = [RoleId(0), RoleId(1)].map(|role| {
                let numbers = numbers.of(role);
                let own = moves.iter().filter(|&&at| numbers.contains(&(at as usize)));
                let own = own.map(|&at| Move(at - numbers.start as u32));
                let texts: Vec<_> = own.map(|played| ground.move_text(role, played)).collect();
                let marks = cells().map(|(x, y)| texts.contains(&format!("(mark {x} {y})")));
                marks.collect::<Vec<_>>().try_into().unwrap()
            });
            let expected = match marks.each_ref().map(lines) {
                [true, _] => [100, 0],
                [_, true] => [0, 100],
                _ => [50, 50],
            };
            assert_eq!(goals, expected, "{marks:?} on {backend}");
            for (sum, goal) in sums.iter_mut().zip(goals) {
                *sum += i128::from(*goal);
            }
        }
        let counted = [0, 1].map(|role: usize| tally.goals[role].values.sum);
        assert_eq!(sums, counted);
    }
}

#[test]
fn moves_change_nothing_and_are_kept_when_wanted() {
    let game = common::own_game("connectFour");
    for backend in LANES {
        let (mut runner, _) = tracking(&game, backend);
        let with = tallies(&mut *runner, 1, 1000).remove(0);
        let (mut runner, _) = tracking(&game, backend);
        assert!(runner.track_moves(false).is_none());
        let without = tallies(&mut *runner, 1, 1000).remove(0);
        assert_eq!(without.played_moves.each().count(), 0);
        assert_eq!(with.played_moves.each().count(), 1000);
        let played_moves = without.played_moves.clone();
        assert_eq!(
            Tally {
                played_moves,
                ..with
            },
            without
        );
    }
    let mut serial = runner(&game, Backend::Scalar, 500, streams(4).next().unwrap()).unwrap();
    assert!(serial.track_moves(true).is_none());
}

/// Stones on five cells by five, which stay; three in a row win.
const STONES: &str = "
    (role x) (role o) (init (control x)) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5)
    (index 1) (index 2) (index 3) (index 4) (index 5)
    (<= (legal ?p (put ?m ?n)) (true (control ?p)) (index ?m) (index ?n) (not (taken ?m ?n)))
    (<= (taken ?m ?n) (true (stone ?m ?n ?p)))
    (<= (legal ?p noop) (role ?p) (not (true (control ?p))))
    (<= (next (control o)) (true (control x)))
    (<= (next (control x)) (true (control o)))
    (<= (next (stone ?m ?n ?p)) (does ?p (put ?m ?n)))
    (<= (next (stone ?m ?n ?p)) (true (stone ?m ?n ?p)))
    (<= (three ?p) (row ?m ?a ?b ?c) (true (stone ?m ?a ?p)) (true (stone ?m ?b ?p)) (true (stone ?m ?c ?p)))
    (<= (row ?m ?a ?b ?c) (index ?m) (succ ?a ?b) (succ ?b ?c))
    (<= terminal (three ?p))
    (<= open (index ?m) (index ?n) (not (taken ?m ?n)))
    (<= terminal (not open))
    (<= (goal ?p 100) (three ?p))
    (<= (goal ?p 0) (role ?p) (not (three ?p)))";

/// Where moves leave marks, the marks show which moves were played, in both forms that steps have.
#[test]
fn marks_tell_the_moves() {
    let game = common::game(STONES);
    let ground = game.ground_game().unwrap();
    assert!(ground.move_marks().is_some());
    let engine = Engine::Interpreter(
        game.engines().unwrap().programs().lane_program(),
        Width::X64,
    );
    let steps = StepEngine::interpreted(ground, Width::X64);
    let selecting = Playouts::new(ground.clone(), engine.clone(), 100, 3);
    let drawing = Playouts::new(ground.clone(), engine, 100, 3).with_steps(&steps);
    let [selecting, drawing] = [selecting, drawing].map(|mut runner| {
        runner.track_moves(true).unwrap();
        let tallies = tallies(&mut runner, 100, 20);
        (tallies, runner.track_moves(true).unwrap())
    });
    assert_eq!(selecting.0, drawing.0);
    let (tallies, numbers) = selecting;
    for (goals, moves) in tallies.iter().flat_map(|tally| tally.played_moves.each()) {
        let stones = [RoleId(0), RoleId(1)].map(|role| {
            let numbers = numbers.of(role);
            let own = moves.iter().filter(|&&at| numbers.contains(&(at as usize)));
            let own = own.map(|&at| ground.move_text(role, Move(at - numbers.start as u32)));
            own.collect::<Vec<String>>()
        });
        let [first, second] = stones.each_ref().map(Vec::len);
        assert!(first == second || first == second + 1, "{stones:?}");
        let expected = stones.each_ref().map(|stones| {
            let is_there = |m: usize, n: usize| stones.contains(&format!("(put {m} {n})"));
            let wins = (1..=5).any(|m| (1..=3).any(|n| (n..n + 3).all(|n| is_there(m, n))));
            if wins { 100 } else { 0 }
        });
        assert_eq!(goals, expected, "{stones:?}");
    }
}
