//! Random steps whose moves are chosen in the circuit, against those chosen among rows.

use std::time::{Duration, Instant};

use crate::common;
use propjit::engine::StepEngine;
use propjit::game::Game;
use propjit::machine::State;
use propjit::playout::{PlayoutRunner, Playouts, RunLimits, Tally};
use propjit_jit::evaluator::Engine;
use propjit_jit::lanes::Width;

const MAX_STEPS: u32 = 100;

/// Turns, moves of several at a time, chance, one player, three players, and loops.
const GAMES: [&str; 9] = [
    "ticTacToe",
    "connectFour",
    "breakthroughSmall",
    "reversi",
    "kalah",
    "threePlayerTicTacToe",
    "tron",
    "piglet",
    "pipes",
];

fn runner(game: &Game, width: Width) -> Playouts {
    let engines = game.engines().unwrap();
    let engine = Engine::Interpreter(engines.programs().lane_program(), width);
    Playouts::new(engines.game().clone(), engine, MAX_STEPS, 5)
}

/// What comes of playouts from these states, none of them terminal, all of them running together.
fn tallies(runner: &mut Playouts, states: &[State], rollouts: u64) -> Vec<Tally> {
    let ids: Vec<_> = (states.iter())
        .map(|state| runner.queue_mut().add_going(state, Some(rollouts)))
        .collect();
    runner.play(&RunLimits::default()).unwrap();
    let tallies = ids.iter().map(|&id| runner.queue().tally(id).clone());
    let tallies = tallies.collect();
    while runner.queue_mut().take_finished().is_some() {}
    tallies
}

/// The states that a match comes to in which all roles play their first legal moves, before its end.
fn first_states(game: &Game, steps: usize) -> Vec<State> {
    let mut machine = game.machine(propjit::Backend::Scalar).unwrap();
    let mut states = vec![machine.initial_state().unwrap()];
    let mut moves = Vec::new();
    while states.len() < steps && !machine.is_terminal(&states[states.len() - 1]).unwrap() {
        let state = &states[states.len() - 1];
        let mut joint = Vec::new();
        for role in propjit::RoleId::first(machine.roles().len()) {
            machine.legal_moves(state, role, &mut moves).unwrap();
            joint.push(moves[0]);
        }
        states.push(machine.next_state(state, &joint).unwrap());
    }
    states.retain(|state| !machine.is_terminal(state).unwrap());
    states
}

/// With the same random numbers, all matches are the same: interpreted in every width, and as
/// machine code; from the initial state, from another one, and from states in several phases.
#[test]
fn the_same_matches_are_played() {
    for name in GAMES {
        let game = common::own_game(name);
        let ground = game.ground_game().unwrap();
        let states = first_states(&game, 5);
        let mut engines: Vec<StepEngine> = Width::ALL
            .map(|width| StepEngine::interpreted(ground, width))
            .into();
        engines.push(StepEngine::compiled(game.engines().unwrap().programs()).unwrap());
        for engine in engines {
            let mut selecting = runner(&game, engine.width());
            let mut drawing = runner(&game, engine.width()).with_steps(&engine);
            let starts = [
                (&states[..1], 1500),
                (&states[1..2], 400),
                (&states[..], 150),
            ];
            for (states, rollouts) in starts {
                let expected = tallies(&mut selecting, states, rollouts);
                let found = tallies(&mut drawing, states, rollouts);
                assert_eq!(expected, found, "{name}, {:?}", engine.width());
            }
        }
    }
}

/// Where the circuit of random steps is not enough, others are used, and the same matches are
/// played: while moves are tracked, and from states without a phase.
#[test]
fn forms_change_while_matches_run() {
    let game = common::own_game("connectFour");
    let ground = game.ground_game().unwrap();
    let steps = StepEngine::interpreted(ground, Width::X64);
    let mut selecting = runner(&game, Width::X64);
    let mut drawing = runner(&game, Width::X64).with_steps(&steps);
    let initial = ground.initial().clone();
    let unphased = State::new();
    assert_eq!(ground.phases().of(&unphased), None);
    for round in 0..12 {
        let play = |runner: &mut Playouts| {
            runner.track_moves(round % 3 == 1);
            let first = runner.queue_mut().add(&initial, Some(70));
            let second = runner.queue_mut().add(&initial, Some(500));
            if round % 4 == 3 {
                runner.queue_mut().add(&unphased, Some(3));
            }
            // When the first are finished, others run.
            let limits = RunLimits::default();
            runner.play(&limits.clone().with_enough(1)).unwrap();
            runner.track_moves(false);
            runner.play(&limits).unwrap();
            let tallies = [first, second].map(|id| runner.queue().tally(id).clone());
            while runner.queue_mut().take_finished().is_some() {}
            tallies
        };
        assert_eq!(play(&mut selecting), play(&mut drawing), "round {round}");
    }
}

/// The circuit of random steps does not look for lines of the role that is to move, but a state that
/// no match comes to may have one.
#[test]
fn matches_may_start_from_states_that_are_terminal() {
    let game = common::own_game("connectFour");
    let ground = game.ground_game().unwrap();
    let steps = StepEngine::interpreted(ground, Width::X64);
    let mut runner = runner(&game, Width::X64).with_steps(&steps);
    let line = [1, 2, 3, 4].map(|column| format!("(cell {column} 1 red)"));
    let fluents: Vec<&str> = line
        .iter()
        .map(String::as_str)
        .chain(["(control red)"])
        .collect();
    let state = ground.parse_state(&fluents).unwrap();
    assert!(ground.phases().of(&state).is_some());
    let id = runner.queue_mut().add(&state, Some(10));
    runner.play(&RunLimits::default()).unwrap();
    let tally = runner.queue().tally(id);
    assert_eq!((tally.lengths.sum, tally.goals[0].values.sum), (0, 1000));
}

/// When the time is up, no matches are started any more, and those that run are played to their
/// end.
#[test]
fn matches_end_when_the_time_is_up() {
    let game = common::own_game("connectFour");
    let mut runner = runner(&game, Width::X64);
    let initial = game.ground_game().unwrap().initial().clone();
    let many = 1 << 24;
    let id = runner.queue_mut().add(&initial, Some(many));
    let deadline = Instant::now() + Duration::from_millis(20);
    let limits = RunLimits::default().with_deadline(Some(deadline));
    runner.play(&limits).unwrap();
    assert!(runner.queue().tally(id).rollouts() < many);
    assert_eq!(runner.queue().finished(), 0);
}
