//! Best lines of playouts in games with one role.

use crate::common;
use propjit::game::load::Game;
use propjit::game::machine::{Backend, Move, RoleId, State};
use propjit::game::playout::{PlayoutRunner, Tally, runner};
use propjit::support::rng::streams;

/// Games of one role: with goals from none to all, with matches of one length and of many,
/// and with up to a hundred moves.
const PUZZLES: [&str; 4] = ["untwistyCorridor", "pegTriangle", "pipes", "sudoku"];

fn new_runner(game: &Game, backend: Backend, seed: u64) -> Box<dyn PlayoutRunner> {
    runner(game, backend, 500, streams(seed).next().unwrap()).unwrap()
}

/// The tallies of the given number of playouts from each of the states.
fn tallies(runner: &mut dyn PlayoutRunner, starts: &[(State, u64)]) -> Vec<Tally> {
    let starts = starts.iter();
    let ids: Vec<_> = starts
        .map(|(state, rollouts)| runner.queue_mut().add(state, Some(*rollouts)))
        .collect();
    common::play_all(runner);
    common::take_tallies(runner, &ids)
}

/// The states that come one after the other when the moves are played, all of which are
/// legal.
fn replay(game: &Game, start: &State, moves: &[Move]) -> Vec<State> {
    let mut machine = game.machine(Backend::Scalar).unwrap();
    let mut states = vec![start.clone()];
    for &played in moves {
        let state = &states[states.len() - 1];
        assert!(!machine.is_terminal(state).unwrap());
        let next = machine.next_state(state, &[played]);
        states.push(next.unwrap_or_else(|error| panic!("{error}")));
    }
    states
}

/// The greatest goal that some playout had, found by looking at their sums alone: each
/// of these plays one match, so that the sum is its goal.
fn greatest(tallies: &[Tally]) -> Option<i128> {
    let ended = tallies
        .iter()
        .filter(|tally| tally.goals[0].values.count > 0);
    ended.map(|tally| tally.goals[0].values.sum).max()
}

#[test]
fn a_line_leads_to_its_goal() {
    for name in PUZZLES {
        let game = common::own_game(name);
        let mut machine = game.machine(Backend::Scalar).unwrap();
        let initial = machine.initial_state().unwrap();
        for backend in [Backend::Scalar, Backend::Lanes, Backend::Compiled] {
            let mut runner = new_runner(&game, backend, 3);
            runner.track_best_line(Some(i32::MIN));
            let rollouts = if backend == Backend::Scalar { 60 } else { 3000 };
            let mut starts = vec![(initial.clone(), rollouts)];
            // Later starts are states of the line before, the last of them terminal.
            for _ in 0..3 {
                let tallies = tallies(&mut *runner, &starts);
                let mut states = Vec::new();
                for (tally, (start, _)) in tallies.iter().zip(&starts) {
                    let line = tally.best.as_ref().expect("some match came to an end");
                    states = replay(&game, start, &line.moves);
                    let last = &states[states.len() - 1];
                    assert!(machine.is_terminal(last).unwrap(), "{name} on {backend}");
                    let goal = machine.goal(last, RoleId(0)).unwrap();
                    assert_eq!(goal, line.goal, "{name} on {backend}");
                }
                starts = states
                    .into_iter()
                    .step_by(3)
                    .zip((50..).step_by(7))
                    .collect();
            }
        }
    }
}

#[test]
fn a_line_is_the_best_of_its_start() {
    for name in PUZZLES {
        let game = common::own_game(name);
        let initial = game.ground_game().unwrap().initial().clone();
        for backend in [Backend::Scalar, Backend::Lanes, Backend::Compiled] {
            let mut runner = new_runner(&game, backend, 5);
            // One match each: what it came to is known from its tally.
            let starts = vec![(initial.clone(), 1); 300];
            runner.track_best_line(Some(i32::MIN));
            let single = tallies(&mut *runner, &starts);
            for tally in &single {
                let best = tally.best.as_ref().map(|line| i128::from(line.goal));
                assert_eq!(
                    best,
                    greatest(std::slice::from_ref(tally)),
                    "{name} on {backend}"
                );
                if let Some(line) = &tally.best {
                    assert_eq!(line.moves.len() as i128, tally.lengths.sum);
                }
            }
            // The same matches once more, all from one start: the best of them is kept.
            let mut runner = new_runner(&game, backend, 5);
            runner.track_best_line(Some(i32::MIN));
            let together = &tallies(&mut *runner, &[(initial.clone(), 300)])[0];
            let mut merged = Tally::new(1);
            single.iter().for_each(|tally| merged.merge(tally));
            assert_eq!(together.goals, merged.goals, "{name} on {backend}");
            let goal = |tally: &Tally| tally.best.as_ref().map(|line| line.goal);
            assert_eq!(goal(together), goal(&merged), "{name} on {backend}");
            assert_eq!(goal(together).map(i128::from), greatest(&single));
        }
    }
}

#[test]
fn lines_change_nothing_and_are_kept_when_wanted() {
    let game = common::own_game("pegTriangle");
    let initial = game.ground_game().unwrap().initial().clone();
    let starts = [(initial, 2000)];
    for backend in [Backend::Scalar, Backend::Lanes, Backend::Compiled] {
        let played = |above: &[Option<i32>]| {
            let mut runner = new_runner(&game, backend, 8);
            above
                .iter()
                .for_each(|&above| runner.track_best_line(above));
            tallies(&mut *runner, &starts).remove(0)
        };
        let without = played(&[]);
        assert_eq!(without.best, None);
        assert_eq!(played(&[Some(0), None]), without);
        let with = played(&[Some(0)]);
        let best = with.best.clone().expect("pegs are taken").goal;
        assert_eq!(
            played(&[Some(best)]),
            without,
            "nothing is better on {backend}"
        );
        assert_eq!(played(&[Some(best - 1)]), with);
        assert_eq!(Tally { best: None, ..with }, without);
    }
}

/// Matches with several goals at their end, or with none, have no line: of the moves of
/// this game, one leads to either, and one is good.
#[test]
fn a_goal_that_is_undefined_is_no_goal() {
    let game = common::game(
        "(role p) (init start) (legal p good) (legal p both) (legal p none)
         (<= (next g) (does p good)) (<= (next b) (does p both)) (<= (next n) (does p none))
         (<= terminal (not (true start)))
         (<= (goal p 20) (true g)) (<= (goal p 90) (true b)) (<= (goal p 30) (true b))",
    );
    let mut machine = game.machine(Backend::Scalar).unwrap();
    let good = machine.parse_move(RoleId(0), "good").unwrap();
    let initial = machine.initial_state().unwrap();
    for backend in [Backend::Scalar, Backend::Lanes, Backend::Compiled] {
        let mut runner = new_runner(&game, backend, 1);
        runner.track_best_line(Some(0));
        let tally = &tallies(&mut *runner, &[(initial.clone(), 600)])[0];
        let line = tally.best.as_ref().unwrap();
        assert_eq!((line.goal, &line.moves[..]), (20, &[good][..]), "{backend}");
    }
}

#[test]
fn several_roles_have_no_line() {
    let game = common::own_game("ticTacToe");
    let initial = game.ground_game().unwrap().initial().clone();
    for backend in [Backend::Scalar, Backend::Lanes, Backend::Compiled] {
        let mut runner = new_runner(&game, backend, 1);
        runner.track_best_line(Some(0));
        let tally = &tallies(&mut *runner, &[(initial.clone(), 100)])[0];
        assert_eq!(tally.best, None);
    }
}
