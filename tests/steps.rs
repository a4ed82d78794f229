//! Random steps whose moves are chosen in the circuit, against those chosen among rows.

use std::time::{Duration, Instant};

use crate::common;
use crate::common::random_game::random_game;
use propjit::game::circuits::stepping::StepLayout;
use propjit::game::engine::{StepCircuit, StepEngine};
use propjit::game::load::Game;
use propjit::game::machine::State;
use propjit::game::playout::{PlayoutRunner, Playouts, RunLimits, Tally};
use propjit::support::rng::streams;
use propjit_jit::code::CodeConfig;
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
    common::take_tallies(runner, &ids)
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

/// So they are in games with all kinds of conditions on which role is to move, and when.
#[test]
fn the_same_matches_of_random_games_are_played() {
    let mut rng = streams(0x57e9).next().unwrap();
    for number in 0..600 {
        let rules = random_game(1 + number % 3 % 2, &mut rng);
        let game = common::game(&rules);
        let states = first_states(&game, 4);
        let engine = StepEngine::interpreted(game.ground_game().unwrap(), Width::X256);
        let mut selecting = runner(&game, engine.width());
        let mut drawing = runner(&game, engine.width()).with_steps(&engine);
        let expected = tallies(&mut selecting, &states, 300);
        let found = tallies(&mut drawing, &states, 300);
        assert_eq!(expected, found, "{rules}");
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

/// Two take turns to mark a number or wait, up to the sixth step, and the role that marked more often wins.
/// What is marked in odd steps is by the first.
const NUMBERED: &str =
    "(role x) (role o) (init (control x)) (init (step 1)) (other x o) (other o x)
    (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5) (succ 5 6) (succ 6 7) (index a) (index b)
    (<= (legal ?p (mark ?i)) (true (control ?p)) (index ?i) (not (true (cell ?i))))
    (<= (legal ?p wait) (role ?p))
    (<= (next (control ?q)) (true (control ?p)) (other ?p ?q))
    (<= (next (step ?b)) (true (step ?a)) (succ ?a ?b))
    (<= (next (cell ?i)) (does ?p (mark ?i))) (<= (next (cell ?i)) (true (cell ?i)))
    (<= (next (by ?p ?a)) (does ?p (mark ?i)) (true (step ?a)))
    (<= (next (by ?p ?a)) (true (by ?p ?a)))
    (<= (marks ?p) (true (by ?p ?a)))
    (<= terminal (true (step 7)))
    (<= (goal ?p 100) (marks ?p)) (<= (goal ?p 0) (role ?p) (not (marks ?p)))";

/// Numbers of steps that are impossible in a phase are not read in the circuit of random steps, but
/// a state that no match comes to may have one: others are used there, and the same matches are played.
#[test]
fn matches_may_start_from_states_that_no_match_comes_to() {
    let game = Game::from_text("numbered", NUMBERED, &propjit::Setup::default()).unwrap();
    let ground = game.ground_game().unwrap();
    let steps = StepEngine::interpreted(ground, Width::X64);
    let mut selecting = runner(&game, Width::X64);
    let mut drawing = runner(&game, Width::X64).with_steps(&steps);
    let other = ["(control x)", "(step 2)", "(by o 5)"];
    let other = ground.parse_state(&other).unwrap();
    assert_eq!(ground.phases().of(&other), Some(0));
    let initial = ground.initial().clone();
    for states in [
        [initial.clone(), initial.clone()],
        [initial.clone(), other.clone()],
        [initial.clone(), initial],
        [other.clone(), other],
    ] {
        let expected = tallies(&mut selecting, &states, 300);
        assert_eq!(expected, tallies(&mut drawing, &states, 300));
    }
}

/// Two take turns to give places the number of the step; what is put beside a place with the same
/// number as others renumbers all of these. The role that gave more of the numbers left wins. `rules` say which
/// role waits.
fn numbered_places(rules: &str) -> Game {
    let succ: String = (1..20).map(|n| format!("(succ {n} {})", n + 1)).collect();
    let text = format!(
        "(role x) (role o) (init (control x)) (init (step 1)) (other x o) (other o x) {succ}
         (beside a b) (beside b c) (beside c d) (beside d e) (beside e f)
         (place a) (place b) (place c) (place d) (place e) (place f)
         (<= (near ?i ?j) (beside ?i ?j)) (<= (near ?i ?j) (beside ?j ?i))
         (<= (legal ?p (put ?i)) (true (control ?p)) (place ?i)
             (not (true (cell ?i x))) (not (true (cell ?i o))))
         (<= (next (control ?q)) (true (control ?p)) (other ?p ?q))
         (<= (next (step ?b)) (true (step ?a)) (succ ?a ?b))
         (<= (next (cell ?i ?p)) (does ?p (put ?i)))
         (<= (next (cell ?i ?p)) (true (cell ?i ?p)))
         (<= (next (by ?a ?p)) (true (step ?a)) (true (control ?p)))
         (<= (next (by ?a ?p)) (true (by ?a ?p)))
         (<= (next (number ?i ?a)) (does ?p (put ?i)) (true (step ?a)))
         (<= (next (number ?i ?a)) (true (number ?i ?a)) (not (dropped ?a)))
         (<= (next (number ?i ?b)) (true (number ?i ?a)) (dropped ?a) (true (step ?b)))
         (<= (dropped ?a) (does ?p (put ?j)) (true (by ?a ?p)) (true (number ?i ?a)) (near ?i ?j))
         (<= (same ?p) (true (number a ?a)) (true (number ?i ?a)) (distinct ?i a) (true (by ?a ?p)))
         (<= terminal (true (step 20))) (<= terminal (true (number a ?a)) (true (number f ?a)))
         (<= (goal ?p 100) (same ?p)) (<= (goal ?p 0) (role ?p) (not (same ?p)))
         {rules}"
    );
    Game::from_text("numbered places", &text, &propjit::Setup::default()).unwrap()
}

/// Large groups of propositions are numbers in the circuit of random steps: interpreted and as
/// machine code, from states in several phases, and where forms change.
#[test]
fn numbers_are_kept_in_binary() {
    let game = numbered_places("(<= (legal ?p wait) (role ?p))");
    let ground = game.ground_game().unwrap();
    assert!(!StepLayout::new(ground).code.is_plain());
    let states = first_states(&game, 9);
    let mut engines = vec![StepEngine::interpreted(ground, Width::X64)];
    let circuit = StepCircuit::of(ground).expect("there is something to gain");
    let configs = CodeConfig::supported();
    engines.extend(configs.map(|config| circuit.compile(&config).unwrap()));
    // Two numbers for one place, and a number for an empty one.
    let impossible = [
        vec![
            "(control x)",
            "(step 7)",
            "(cell a x)",
            "(number a 2)",
            "(number a 3)",
        ],
        vec!["(control x)", "(step 7)", "(number a 3)"],
    ];
    let impossible = impossible.map(|fluents| ground.parse_state(&fluents).unwrap());
    for engine in engines {
        let mut selecting = runner(&game, engine.width());
        let mut drawing = runner(&game, engine.width()).with_steps(&engine);
        for round in 0..6 {
            let mut states = match round % 3 {
                0 => states[..1].to_vec(),
                1 => states[1..].to_vec(),
                _ => states.clone(),
            };
            if round > 2 {
                states.extend_from_slice(&impossible[..round - 3]);
            }
            let play = |runner: &mut Playouts| {
                runner.track_moves(round == 1);
                runner.queue_mut().add(&states[0], Some(90));
                runner.play(&RunLimits::default().with_enough(1)).unwrap();
                while runner.queue_mut().take_finished().is_some() {}
                runner.track_moves(false);
                tallies(runner, &states, 200)
            };
            assert_eq!(play(&mut selecting), play(&mut drawing), "round {round}");
        }
    }
}

/// Marks that moves leave are read where others are numbers.
#[test]
fn marks_are_read_beside_numbers() {
    let game = numbered_places(
        "(<= (legal ?p wait) (role ?p) (not (true (control ?p)))) (<= terminal (true (step 7)))",
    );
    let ground = game.ground_game().unwrap();
    assert!(ground.move_marks().is_some() && !StepLayout::new(ground).code.is_plain());
    let steps = StepEngine::interpreted(ground, Width::X64);
    let states = first_states(&game, 6);
    let [selecting, drawing] = [
        runner(&game, Width::X64),
        runner(&game, Width::X64).with_steps(&steps),
    ]
    .map(|mut runner| {
        assert!(runner.track_moves(true).is_some());
        tallies(&mut runner, &states, 50)
    });
    assert_eq!(selecting, drawing);
    let moves = (selecting.iter()).flat_map(|tally| tally.played_moves.each());
    assert_eq!(moves.filter(|(_, moves)| !moves.is_empty()).count(), 6 * 50);
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
