//! Terminal states: no role makes a move there, whatever the rules derive as legal.

use crate::common;
use propjit::Stop;
use propjit::game::load::Game;
use propjit::game::machine::batch::Batch;
use propjit::game::machine::{Backend, MachineError, Move, RoleId, State, StateMachine};
use propjit::game::position::{History, Position};
use propjit::search::SearchBudget;
use propjit::search::mcts::{Mcts, MctsConfig};

/// A match that x wins. What is left of the position can still be derived as legal for o.
const MATCH: [[&str; 2]; 5] = [
    ["(mark 1 1)", "noop"],
    ["noop", "(mark 2 1)"],
    ["(mark 1 2)", "noop"],
    ["noop", "(mark 2 2)"],
    ["(mark 1 3)", "noop"],
];

/// Roles that may go on, though the match is over before it begins.
const WON_AT_ONCE: &str = "(role r) (role s) (init (at 0)) (succ 0 1) (succ 1 2)
    (<= (legal ?r ?m) (role ?r) (true (at ?n)) (succ ?n ?m))
    (<= (legal ?r stay) (role ?r))
    (<= (next (at ?m)) (does r ?m) (true (at ?n)) (succ ?n ?m))
    (<= (next (at ?n)) (does r stay) (true (at ?n)))
    (<= terminal (true (at 0))) (<= terminal (true (at 2)))
    (goal r 70) (goal s 30)";

/// Where the match ends, in the numbers of a machine.
fn end(machine: &mut dyn StateMachine) -> State {
    let mut state = machine.initial_state().unwrap();
    for joint in MATCH {
        let moves = RoleId::first(2).zip(joint);
        let moves: Vec<Move> = moves
            .map(|(role, text)| machine.parse_move(role, text).unwrap())
            .collect();
        state = machine.next_state(&state, &moves).unwrap();
    }
    state
}

/// What the rules derive for each role, of which there is something.
fn derived(machine: &mut dyn StateMachine, state: &State) -> Vec<Move> {
    let mut legal = Vec::new();
    let first = RoleId::first(2).map(|role| {
        machine
            .legal_moves_unchecked(state, role, &mut legal)
            .unwrap();
        legal[0]
    });
    first.collect()
}

#[test]
fn every_backend_knows_that_nobody_moves() {
    let game = common::own_game("ticTacToe");
    for backend in Backend::ALL {
        let mut machine = game.machine(backend).unwrap();
        let state = end(&mut *machine);
        assert!(machine.is_terminal(&state).unwrap());
        let derived = derived(&mut *machine, &state);
        for (role, &played) in RoleId::first(2).zip(&derived) {
            let mut legal = vec![played];
            machine.legal_moves(&state, role, &mut legal).unwrap();
            assert_eq!(legal, [], "{backend}");
            assert_eq!(machine.any_legal_move(&state, role).unwrap(), None);
        }
        let error = machine.next_state(&state, &derived).unwrap_err();
        assert!(matches!(error, MachineError::MatchOver), "{error}");
        assert!(error.to_string().contains("the match is over"), "{error}");
        assert_eq!(machine.goal(&state, RoleId(0)).unwrap(), 100);
        // There have to be as many moves as roles all the same.
        let error = machine.next_state(&state, &derived[..1]).unwrap_err();
        assert!(matches!(error, MachineError::JointMove { .. }), "{error}");
    }
    let ground = game.ground_game().unwrap();
    let mut batch = Batch::new(ground.clone(), game.engines().unwrap().best());
    let mut machine = game.machine(Backend::Scalar).unwrap();
    let state = end(&mut *machine);
    assert_eq!(batch.legal_moves(&state), [[], []]);
    assert_eq!(batch.legal_moves(ground.initial())[0].len(), 9);
}

#[test]
fn a_match_that_is_over_does_not_go_on() {
    let game = common::own_game("ticTacToe");
    for backend in Backend::ALL {
        let mut position =
            Position::of_machine(game.machine(backend).unwrap(), &Stop::new()).unwrap();
        MATCH
            .iter()
            .for_each(|joint| position.play_texts(joint).unwrap());
        let state = position.state().clone();
        for role in RoleId::first(2) {
            assert_eq!(position.legal_moves(role).unwrap(), []);
            assert_eq!(position.legal_texts(role).unwrap(), [""; 0]);
            assert_eq!(position.any_legal_text(role).unwrap(), None);
            let found = position.find_move(role, "noop");
            assert!(matches!(found, Err(MachineError::MatchOver)), "{found:?}");
        }
        let played = position.play_texts(&["noop", "(mark 3 3)"]);
        assert!(matches!(played, Err(MachineError::MatchOver)), "{played:?}");
        assert_eq!(*position.state(), state);

        let mut history = History::new(
            Position::of_machine(game.machine(backend).unwrap(), &Stop::new()).unwrap(),
        );
        MATCH.iter().for_each(|joint| history.play(joint).unwrap());
        assert_eq!(history.legal().unwrap(), [[""; 0]; 2]);
        let played = history.play(&["noop", "(mark 3 3)"]);
        assert!(matches!(played, Err(MachineError::MatchOver)), "{played:?}");
        assert_eq!(history.depth(), MATCH.len());
        history.go_back(4);
        assert_eq!(history.legal().unwrap()[1], ["noop"]);
    }
}

/// Searches, checks that the goals are reported and no move, and then goes elsewhere.
fn check_search(
    game: &Game,
    backend: Backend,
    config: MctsConfig,
    fluents: &[String],
    goals: &[i32],
) {
    let mut search = Mcts::new(game, backend, config).unwrap();
    search.set_root_fluents(fluents, 5).unwrap();
    // Before anything is searched, too.
    for searched in [false, true] {
        if searched {
            let budget = SearchBudget::default().with_nodes(Some(1000));
            search.run(&budget).unwrap();
        }
        for (role, &goal) in RoleId::first(goals.len()).zip(goals) {
            let report = search.report(role);
            assert_eq!((report.best, &report.moves[..]), (None, &[][..]));
            assert_eq!(report.value, Some(f64::from(goal)), "{backend}");
            assert!(report.solved, "{backend}");
        }
    }
}

#[test]
fn a_search_reports_the_goals_and_no_move() {
    let configs = [
        MctsConfig::default(),
        MctsConfig::default().with_local(true).with_solve(true),
        MctsConfig::default().with_threads(3).with_plan(true),
    ];
    for backend in Backend::ALL {
        for config in &configs {
            let game = common::own_game("ticTacToe");
            let mut history = History::new(game.follow().unwrap());
            MATCH.iter().for_each(|joint| history.play(joint).unwrap());
            check_search(
                &game,
                backend,
                config.clone(),
                &history.fluents(),
                &[100, 0],
            );
            // The match is over before it begins, and behind a forced move.
            let game = common::game(WON_AT_ONCE);
            for place in ["(at 0)", "(at 2)"] {
                let fluents = [place.to_string()];
                check_search(&game, backend, config.clone(), &fluents, &[70, 30]);
            }
            let lonely = "(role r) (init a) (legal r x) (legal r y) (<= (next b) (does r x))
                (<= (next c) (does r y)) (<= terminal (not (true a)))
                (<= (goal r 100) (true b)) (<= (goal r 20) (true c))";
            let fluents = ["c".to_string()];
            check_search(
                &common::game(lonely),
                backend,
                config.clone(),
                &fluents,
                &[20],
            );
        }
    }
}
