//! Playouts from given states: that they are counted exactly, played as from there, and
//! that nothing decides which of them count but when they start.

use std::time::{Duration, Instant};

use crate::common;
use crate::common::assert_near;
use crate::common::random_matches::random_match;
use propjit::Stop;
use propjit::game::load::Game;
use propjit::game::machine::{Backend, RoleId, State};
use propjit::game::playout::{PlayoutRunner, Playouts, RunLimits, Tally, runner};
use propjit::support::rng::streams;
use propjit_jit::evaluator::Engine;
use propjit_jit::lanes::Width;

const MAX_STEPS: u32 = 1000;
const LANES: [Backend; 2] = [Backend::Lanes, Backend::Compiled];

fn new_runner(game: &Game, backend: Backend, seed: u64) -> Box<dyn PlayoutRunner> {
    runner(game, backend, MAX_STEPS, streams(seed).next().unwrap()).unwrap()
}

fn play(runner: &mut dyn PlayoutRunner, enough: usize) {
    let limits = RunLimits::default().with_enough(enough);
    runner.play(&limits).unwrap();
}

/// The tallies of the given number of playouts from each of the states.
fn tallies(runner: &mut dyn PlayoutRunner, starts: &[(State, u64)]) -> Vec<Tally> {
    let ids: Vec<_> = starts
        .iter()
        .map(|(state, rollouts)| runner.queue_mut().add(state, Some(*rollouts)))
        .collect();
    play(runner, usize::MAX);
    assert_eq!(runner.queue().finished(), starts.len());
    common::take_tallies(runner, &ids)
}

/// The states of a random match.
fn states(game: &Game, seed: u64) -> Vec<State> {
    let mut machine = game.machine(Backend::Scalar).unwrap();
    random_match(&mut *machine, &mut streams(seed).next().unwrap())
}

#[test]
fn every_start_is_played_from_as_by_one_machine() {
    for name in [
        "ticTacToe",
        "connectFour",
        "threePlayerTicTacToe",
        "piglet",
        "kalah",
    ] {
        let game = common::own_game(name);
        let states = states(&game, 11).into_iter();
        let starts: Vec<(State, u64)> = states.zip((0..).map(|i| 50 + 37 * (i % 20))).collect();
        let expected = tallies(&mut *new_runner(&game, Backend::Scalar, 1), &starts);
        for backend in LANES {
            let mut runner = new_runner(&game, backend, 2);
            // Twice: a runner can be used again.
            for _ in 0..2 {
                let tallies = tallies(&mut *runner, &starts);
                let rows = tallies.iter().zip(&expected).zip(&starts);
                for (at, ((tally, expected), (_, rollouts))) in rows.enumerate() {
                    let what = format!("{name} on {backend} from state {at}");
                    assert_eq!(tally.rollouts(), *rollouts, "{what}");
                    assert_eq!(tally.state_changes as i128, tally.lengths.sum, "{what}");
                    assert_near(&what, &tally.lengths, &expected.lengths);
                    for (goals, expected) in tally.goals.iter().zip(&expected.goals) {
                        assert_eq!(goals.values.count + goals.undefined, *rollouts, "{what}");
                        assert_near(&what, &goals.values, &expected.values);
                    }
                }
            }
        }
    }
}

/// Matches that are counted together, because all are for one job, and lane by lane come to the same:
/// those that end in terminal states, at the limit of steps, and where a role has no move.
#[test]
fn several_jobs_count_as_one_does() {
    const ROLLOUTS: u64 = 3000;
    let games = ["ticTacToe", "connectFour", "kalah"].map(common::own_game);
    for game in games.into_iter().chain([common::game(common::ENDLESS)]) {
        let ground = game.ground_game().unwrap();
        let engine = Engine::Interpreter(
            game.engines().unwrap().programs().lane_program(),
            Width::X512,
        );
        for max_steps in [8, 200] {
            let tally = |jobs: u64| {
                let mut runner = Playouts::new(ground.clone(), engine.clone(), max_steps, 3);
                let starts = vec![(ground.initial().clone(), ROLLOUTS / jobs); jobs as usize];
                let mut sum = Tally::new(ground.roles().len());
                for tally in tallies(&mut runner, &starts) {
                    assert_eq!(tally.rollouts(), ROLLOUTS / jobs);
                    sum.merge(&tally);
                }
                sum
            };
            assert_eq!(tally(1), tally(3), "{max_steps} steps");
        }
    }
}

#[test]
fn a_terminal_start_has_its_goals_and_no_length() {
    let game = common::own_game("ticTacToe");
    let states = states(&game, 3);
    let last = states[states.len() - 1].clone();
    let mut machine = game.machine(Backend::Scalar).unwrap();
    let goal = i128::from(machine.goal(&last, RoleId(0)).unwrap());
    for backend in LANES.into_iter().chain([Backend::Scalar]) {
        let mut runner = new_runner(&game, backend, 5);
        let starts = [(last.clone(), 700), (states[0].clone(), 0)];
        let tallies = tallies(&mut *runner, &starts);
        assert_eq!(tallies[0].rollouts(), 700);
        assert_eq!(tallies[0].lengths.sum, 0);
        assert_eq!(tallies[0].goals[0].values.sum, 700 * goal);
        assert_eq!(tallies[0].goals[0].values.squares, 700 * goal * goal);
        assert_eq!(tallies[1].rollouts(), 0);
    }
}

/// With the first move, the match becomes one of 1 step or of 41, with another goal.
/// The turn changes with each step, which gives the game a period of two.
const SHORT_OR_LONG: &str = "
    (role r) (role s)
    (init (turn r)) (init first)
    (<= (next (turn r)) (true (turn s)))
    (<= (next (turn s)) (true (turn r)))
    (<= (legal r short) (true first)) (<= (legal r long) (true first))
    (<= (legal r wait) (not (true first)))
    (legal s wait)
    (<= (next over) (does r short))
    (<= (next (at 40)) (does r long))
    (<= (next (at ?y)) (true (at ?x)) (before ?y ?x))
    (<= (next over) (true (at 1)))
    (<= terminal (true over))
    (<= (goal r 100) (not (true late))) (<= (goal r 0) (true late))
    (<= (next late) (true (at 1)))
    (goal s 0)
";

fn short_or_long() -> Game {
    let before = (1..40).map(|i| format!("(before {i} {})", i + 1));
    common::game(&format!("{SHORT_OR_LONG}{}", before.collect::<String>()))
}

/// Half of the matches are short, within five standard deviations.
fn assert_unbiased(what: &str, tally: &Tally) {
    let n = tally.rollouts() as f64;
    let short = tally.goals[0].values.sum as f64 / 100.0;
    assert!(
        (short - n / 2.0).abs() < 5.0 * (n / 4.0).sqrt(),
        "{what}: {short} of {n}"
    );
    let length = short + 41.0 * (n - short);
    assert_eq!(tally.lengths.sum as f64, length, "{what}");
}

#[test]
fn short_matches_do_not_count_more() {
    let game = short_or_long();
    assert_eq!(game.ground_game().unwrap().phases().period(), 2);
    let initial = game.ground_game().unwrap().initial().clone();
    for backend in LANES {
        let mut runner = new_runner(&game, backend, 9);
        let lanes = runner.lanes() as u64;
        // Few more than lanes: those that begin late would all be left to short lanes.
        for rollouts in [lanes / 2, lanes + 1, 2 * lanes, 40 * lanes] {
            let mut sum = Tally::new(2);
            for _ in 0..20 {
                let starts = [(initial.clone(), rollouts)];
                sum.merge(&tallies(&mut *runner, &starts)[0]);
            }
            assert_eq!(sum.rollouts(), 20 * rollouts);
            assert_unbiased(&format!("{rollouts} on {backend}"), &sum);
        }
    }
}

#[test]
fn a_deadline_ends_starts_and_not_matches() {
    let game = short_or_long();
    let initial = game.ground_game().unwrap().initial().clone();
    for backend in LANES {
        let mut runner = new_runner(&game, backend, 4);
        let mut sum = Tally::new(2);
        for _ in 0..30 {
            let id = runner.queue_mut().add(&initial, None);
            let deadline = Instant::now() + Duration::from_millis(1);
            let limits = RunLimits::default()
                .with_deadline(Some(deadline))
                .with_enough(1);
            runner.play(&limits).unwrap();
            assert!(
                Instant::now() >= deadline,
                "without a count, all the time is used"
            );
            let tally = runner.queue().tally(id);
            assert_eq!(
                tally.state_changes as i128, tally.lengths.sum,
                "none is cut off"
            );
            sum.merge(tally);
            runner.clear();
        }
        assert_unbiased(backend.name(), &sum);
    }
}

#[test]
fn starts_are_refilled_while_others_run() {
    let game = short_or_long();
    let initial = game.ground_game().unwrap().initial().clone();
    let after = {
        let mut machine = game.machine(Backend::Scalar).unwrap();
        let long = machine.parse_move(RoleId(0), "long").unwrap();
        let wait = machine.parse_move(RoleId(1), "wait").unwrap();
        machine.next_state(&initial, &[long, wait]).unwrap()
    };
    for backend in LANES {
        let mut runner = new_runner(&game, backend, 6);
        let (mut tally, mut long, mut taken) = (Tally::new(2), Tally::new(2), 0);
        for round in 0..500 {
            // A leaf in either phase, few playouts each.
            runner.queue_mut().add(&initial, Some(3));
            runner.queue_mut().add(&after, Some(2));
            let enough = if round == 499 { usize::MAX } else { 20 };
            if round % 10 == 9 {
                play(&mut *runner, enough);
            }
            while let Some((_, finished)) = runner.queue_mut().take_finished() {
                taken += 1;
                let sum = if finished.rollouts() == 3 {
                    &mut tally
                } else {
                    &mut long
                };
                sum.merge(finished);
            }
        }
        assert_eq!(taken, 1000);
        assert_eq!((tally.rollouts(), long.rollouts()), (1500, 1000));
        assert_unbiased(backend.name(), &tally);
        assert_eq!((long.lengths.sum, long.goals[0].values.sum), (40_000, 0));
    }
}

#[test]
fn engines_can_be_switched_while_matches_run() {
    let game = short_or_long();
    let ground = game.ground_game().unwrap();
    let initial = ground.initial().clone();
    let programs = game.engines().unwrap().programs();
    let interpreter = |width| Engine::Interpreter(programs.lane_program(), width);
    let mut runner = Playouts::new(ground.clone(), interpreter(Width::X256), MAX_STEPS, 8);
    let mut sum = Tally::new(2);
    for width in [Width::X256, Width::X64, Width::X64, Width::X512].repeat(50) {
        // When the first is finished, matches of the second are running.
        runner.queue_mut().add(&initial, Some(1));
        runner.queue_mut().add(&initial, Some(300));
        play(&mut runner, 1);
        runner.switch(interpreter(width));
        play(&mut runner, usize::MAX);
        assert_eq!(runner.lanes(), width.lanes());
        while let Some((_, tally)) = runner.queue_mut().take_finished() {
            sum.merge(tally);
        }
    }
    assert_eq!(sum.rollouts(), 200 * 301);
    assert_unbiased("switching", &sum);
}

#[test]
fn a_stop_drops_the_matches_that_run() {
    let game = short_or_long();
    let initial = game.ground_game().unwrap().initial().clone();
    for backend in LANES.into_iter().chain([Backend::Scalar]) {
        let mut runner = new_runner(&game, backend, 7);
        let id = runner.queue_mut().add(&initial, Some(5000));
        let stop = Stop::new();
        stop.set();
        let limits = RunLimits::default().with_stop(stop.clone());
        runner.play(&limits).unwrap();
        assert_eq!(runner.queue().tally(id).rollouts(), 0);
        runner.clear();
        // What was dropped is not counted later.
        let tallies = tallies(&mut *runner, &[(initial.clone(), 600)]);
        assert_eq!(tallies[0].rollouts(), 600);
        assert_unbiased(backend.name(), &tallies[0]);
    }
}
