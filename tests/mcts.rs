//! Monte Carlo tree search: proofs are true, moves are good, budgets are kept.

use std::collections::HashMap;
use std::time::Duration;

use crate::common;
use crate::common::random_game::random_contest;
use crate::common::solvable::PENNIES;
use propjit::Stop;
use propjit::game::Game;
use propjit::machine::{Backend, Move, RoleId, State, StateMachine};
use propjit::rng::streams;
use propjit::search::SearchBudget;
use propjit::search::mcts::{Mcts, MctsConfig, SearchReport};
use rand::RngExt;

/// A search that has had `playouts` playouts.
fn search(game: &Game, backend: Backend, config: MctsConfig, playouts: u64) -> Mcts {
    let mut search = Mcts::new(game, backend, config).unwrap();
    run(&mut search, playouts);
    search
}

fn run(search: &mut Mcts, playouts: u64) {
    let budget = SearchBudget::default().with_playouts(Some(playouts));
    search.run(&budget).unwrap();
}

fn text(game: &Game, report: &SearchReport) -> String {
    let ground = game.ground_game().unwrap();
    ground.move_text(report.role, report.best.unwrap())
}

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

/// White can take a piece that would win at once, or win at once.
#[test]
fn breakthroughs_are_found() {
    let game = common::own_game("breakthroughSmall");
    let mut machine = game.machine(Backend::Scalar).unwrap();
    let initial = machine.initial_state().unwrap();
    let perfect = search(&game, Backend::Compiled, MctsConfig::default(), 20_000);
    assert!(!perfect.report(RoleId(0)).solved);
    // Random matches, from the end back: what is one or two moves from the end is solved.
    let mut rng = streams(9).next().unwrap();
    let mut searched = Mcts::new(&game, Backend::Compiled, MctsConfig::default()).unwrap();
    for _ in 0..20 {
        let mut states = vec![initial.clone()];
        let mut legal = Vec::new();
        while !machine.is_terminal(states.last().unwrap()).unwrap() {
            let state = states.last().unwrap();
            let joint = [RoleId(0), RoleId(1)].map(|role| {
                machine.legal_moves(state, role, &mut legal).unwrap();
                legal[rng.random_range(0..legal.len())]
            });
            states.push(machine.next_state(state, &joint).unwrap());
        }
        // The last move won, so whoever made it could win.
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

/// Whatever the other does, to betray is better; so both do, and are worse off.
#[test]
fn choices_made_at_once_are_made_apart() {
    let game = common::game(
        "(role a) (role b) (init start) (<= (legal ?r silent) (role ?r) (true start))
         (<= (legal ?r betray) (role ?r) (true start))
         (<= (next (did ?r ?m)) (does ?r ?m)) (<= terminal (not (true start)))
         (other a b) (other b a)
         (<= (goal ?r 75) (other ?r ?s) (true (did ?r silent)) (true (did ?s silent)))
         (<= (goal ?r 0) (other ?r ?s) (true (did ?r silent)) (true (did ?s betray)))
         (<= (goal ?r 100) (other ?r ?s) (true (did ?r betray)) (true (did ?s silent)))
         (<= (goal ?r 25) (other ?r ?s) (true (did ?r betray)) (true (did ?s betray)))",
    );
    for backend in [Backend::Scalar, Backend::Compiled] {
        let searched = search(&game, backend, MctsConfig::default(), 200_000);
        for role in [RoleId(0), RoleId(1)] {
            let report = searched.report(role);
            assert_eq!(text(&game, &report), "betray", "{backend} {report:?}");
            assert!(report.solved, "{report:?}");
            assert_eq!(report.value, Some(25.0));
            assert_eq!(report.moves[0].bounds, (25.0, 25.0));
        }
    }
}

/// Nothing is sure for who has to guess what the other does. With a third choice that is sure to win two moves later, all
/// is known, and neither of the others is looked at any more.
#[test]
fn what_is_sure_is_proved_where_choices_are_made_at_once() {
    for (third, solved) in [("", false), ("(choice a leave)", true)] {
        let game = common::game(&format!(
            "(role a) (role b) (init start) {third}
             (choice a heads) (choice a tails) (choice b heads) (choice b tails)
             (<= (legal ?r ?m) (role ?r) (true start) (choice ?r ?m))
             (<= (legal a wait) (true left)) (<= (legal a wave) (true left))
             (<= (legal b wait) (true left)) (<= (legal b shout) (true left))
             (<= (next left) (does a leave))
             (<= (next won) (true left))
             (<= (next won) (does a heads) (does b heads))
             (<= (next won) (does a tails) (does b tails))
             (<= (next over) (true left)) (<= (next over) (true start) (not (does a leave)))
             (<= terminal (true over))
             (<= (goal a 100) (true won)) (<= (goal a 0) (not (true won)))
             (<= (goal b 0) (true won)) (<= (goal b 100) (not (true won)))"
        ));
        for backend in [Backend::Scalar, Backend::Compiled] {
            let searched = search(&game, backend, MctsConfig::default(), 100_000);
            let [first, second] = [RoleId(0), RoleId(1)].map(|role| searched.report(role));
            assert_eq!((first.solved, second.solved), (solved, solved), "{backend}");
            if solved {
                assert_eq!(text(&game, &first), "leave");
                assert_eq!((first.value, second.value), (Some(100.0), Some(0.0)));
                assert!(first.playouts < 10_000, "{first:?}");
            } else {
                let value = first.value.unwrap();
                assert!((40.0..60.0).contains(&value), "{first:?}");
                assert!(
                    first
                        .moves
                        .iter()
                        .all(|played| played.bounds == (0.0, 100.0))
                );
            }
        }
    }
}

/// A sure 40 is better than a chance of one in three to win, and not as good as one of two.
#[test]
fn chances_are_weighed() {
    for (draws, best, value) in [("a b c", "stay", 40.0), ("a b", "draw", 50.0)] {
        let cards: String = draws
            .split(' ')
            .map(|card| format!("(card {card}) "))
            .collect();
        let game = common::game(&format!(
            "(role player) (role random) (init choosing) {cards}
             (<= (legal player stay) (true choosing)) (<= (legal player draw) (true choosing))
             (<= (legal player wait) (not (true choosing)))
             (<= (legal random wait) (true choosing))
             (<= (legal random (take ?c)) (card ?c) (not (true choosing)))
             (<= (next drawing) (does player draw))
             (<= (next stayed) (does player stay))
             (<= (next (got ?c)) (does random (take ?c)) (true drawing))
             (<= (next done) (not (true choosing)))
             (<= terminal (true stayed)) (<= terminal (true done))
             (<= (goal player 40) (true stayed))
             (<= (goal player 100) (true (got a)))
             (<= (goal player 0) (not (true (got a))) (not (true stayed)))
             (goal random 0)"
        ));
        for backend in [Backend::Scalar, Backend::Compiled] {
            let report = search(&game, backend, MctsConfig::default(), 10_000).report(RoleId(0));
            assert_eq!(text(&game, &report), best, "{backend}");
            assert!(report.solved);
            assert_eq!(report.value, Some(value));
        }
    }
}

#[test]
fn memory_is_bounded() {
    let game = common::own_game("connectFour");
    let small = MctsConfig::default().with_memory(100_000);
    let report = search(&game, Backend::Compiled, small, 100_000).report(RoleId(0));
    assert!(report.nodes < 1000, "{} nodes", report.nodes);
    // The others ended where it was known what comes of them.
    assert!(report.playouts >= 50_000, "{} playouts", report.playouts);
    let report = search(&game, Backend::Compiled, MctsConfig::default(), 100_000).report(RoleId(0));
    assert!(report.nodes > 1000, "{} nodes", report.nodes);
}

/// Decisions that several roles make at once take up memory, too: when it is full, room is made, and the search goes on.
#[test]
fn memory_of_joint_decisions_is_used_again() {
    let game = common::own_game("tron");
    let config = MctsConfig::default().with_memory(1 << 20);
    let mut searched = Mcts::new(&game, Backend::Compiled, config).unwrap();
    let nodes = SearchBudget::default().with_nodes(Some(5_000));
    searched.run(&nodes).unwrap();
    let report = searched.report(RoleId(0));
    assert!(report.nodes < 3_000, "{} nodes at a time", report.nodes);
    let before = report.playouts;
    run(&mut searched, 50_000);
    let playouts = searched.report(RoleId(0)).playouts - before;
    assert!(playouts >= 25_000, "{playouts} playouts");
}

/// However many nodes are wanted, and however little memory there is.
#[test]
fn budgets_of_nodes_end() {
    let game = common::own_game("connectFour");
    for recycle in [true, false] {
        let config = MctsConfig::default()
            .with_memory(1 << 20)
            .with_recycle(recycle);
        let mut searched = Mcts::new(&game, Backend::Compiled, config).unwrap();
        for nodes in [300, 1000, 2000, 20_000] {
            let budget = SearchBudget::default().with_nodes(Some(nodes));
            searched.run(&budget).unwrap();
        }
        let report = searched.report(RoleId(0));
        assert!(report.nodes < 10_000, "{} nodes at a time", report.nodes);
    }
    // Where there are no more, too: this game has five, and no move is proved to be best.
    let pennies = common::game(PENNIES);
    let mut searched = Mcts::new(&pennies, Backend::Lanes, MctsConfig::default()).unwrap();
    let budget = SearchBudget::default().with_nodes(Some(30));
    searched.run(&budget).unwrap();
    assert!(!searched.report(RoleId(0)).solved);
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

/// A tree that is full makes room for other nodes, and forgets nothing that is proved or counted.
#[test]
fn memory_is_used_again() {
    let game = common::own_game("connectFour");
    let config = MctsConfig::default().with_memory(1 << 20);
    let without = config.clone().with_recycle(false);
    let [with, without] = [config, without].map(|config| {
        let mut searched = search(&game, Backend::Compiled, config, 300_000);
        let report = searched.report(RoleId(0));
        let visits: u64 = report.moves.iter().map(|played| played.visits).sum();
        assert!(
            visits * 5 >= report.playouts,
            "{visits} visits, {} playouts",
            report.playouts
        );
        // What was forgotten can be searched again: the tree is whole after the next move.
        let mut machine = game.machine(Backend::Scalar).unwrap();
        let initial = machine.initial_state().unwrap();
        let mut reply = Vec::new();
        machine
            .legal_moves(&initial, RoleId(1), &mut reply)
            .unwrap();
        let next = machine
            .next_state(&initial, &[report.best.unwrap(), reply[0]])
            .unwrap();
        searched.set_root(&next, 1).unwrap();
        run(&mut searched, 100_000);
        assert!(searched.report(RoleId(1)).best.is_some());
        report
    });
    let line = |report: &SearchReport| report.moves.iter().map(|of| of.line.len()).max();
    assert!(
        line(&with) > line(&without),
        "{:?} and {:?}",
        line(&with),
        line(&without)
    );
}

/// What was found out about a move is there when it has been made, and the rest is not.
#[test]
fn the_tree_is_kept_from_move_to_move() {
    let game = common::own_game("connectFour");
    let mut machine = game.machine(Backend::Scalar).unwrap();
    let mut searched = search(&game, Backend::Compiled, MctsConfig::default(), 100_000);
    let report = searched.report(RoleId(0));
    let initial = machine.initial_state().unwrap();
    let mut reply = Vec::new();
    machine
        .legal_moves(&initial, RoleId(1), &mut reply)
        .unwrap();
    let joint = [report.best.unwrap(), reply[0]];
    let next = machine.next_state(&initial, &joint).unwrap();
    searched.set_root(&next, 1).unwrap();
    let after = searched.report(RoleId(1));
    assert!(after.nodes > report.nodes / 10 && after.nodes < report.nodes);
    let visits: u64 = after.moves.iter().map(|played| played.visits).sum();
    assert!(visits + 10 > report.moves[0].visits, "{after:?}");
    assert_eq!(after.playouts, 0);
    assert_eq!(
        Some(after.moves[0].played),
        report.moves[0].line.first().map(|(_, played)| *played)
    );
}

/// However many moves came before, those that follow are counted, and there are no cycles in the tree.
#[test]
fn roots_may_be_at_any_depth() {
    let game = common::game(
        "(role walker) (init (at here)) (legal walker cross) (legal walker stop)
         (<= (next (at there)) (true (at here)) (does walker cross))
         (<= (next (at here)) (true (at there)) (does walker cross))
         (<= (next won) (true (at there)) (does walker stop)) (<= (next over) (does walker stop))
         (<= terminal (true over)) (<= (goal walker 100) (true won))
         (<= (goal walker 0) (not (true won)))",
    );
    for backend in [Backend::Scalar, Backend::Lanes] {
        let mut search = Mcts::new(&game, backend, MctsConfig::default()).unwrap();
        let fluents = ["(at here)"];
        search.set_root_fluents(&fluents, u32::MAX).unwrap();
        run(&mut search, 1000);
        let report = search.report(RoleId(0));
        assert_eq!(text(&game, &report), "cross");
        assert_eq!(report.value, Some(100.0), "{backend}");
    }
}

#[test]
fn threads_share_the_work() {
    let game = common::own_game("reversi");
    let config = MctsConfig::default()
        .with_threads(3)
        .with_leaf_playouts(Some(16));
    let report = search(&game, Backend::Compiled, config, 50_000).report(RoleId(0));
    assert!(report.playouts >= 50_000);
    let visits: u64 = report.moves.iter().map(|played| played.visits).sum();
    assert!(visits * 16 >= 45_000, "{visits}");
}

#[test]
fn a_stop_or_a_deadline_ends_it() {
    let game = common::own_game("reversi");
    for backend in [Backend::Prover, Backend::Compiled] {
        let mut searched = Mcts::new(&game, backend, MctsConfig::default()).unwrap();
        let stop = Stop::new();
        stop.set();
        for stop in [stop, Stop::new().within(Duration::ZERO)] {
            let budget = SearchBudget::default().with_stop(stop);
            searched.run(&budget).unwrap();
        }
        let report = searched.report(RoleId(0));
        assert!(report.best.is_some());
        // It goes on afterwards.
        run(&mut searched, 20);
        assert!(searched.report(RoleId(0)).playouts >= 20);
    }
}

/// Whoever has to keep the other one from four in a row has no choice, and needs no hour to see that.
#[test]
fn a_search_for_a_choice_ends_when_there_is_none() {
    let game = common::own_game("connectFour");
    let mut machine = game.machine(Backend::Scalar).unwrap();
    let ground = game.ground_game().unwrap();
    let mut state = machine.initial_state().unwrap();
    for (depth, column) in [1, 2, 1, 2, 1].into_iter().enumerate() {
        let joint = [RoleId(0), RoleId(1)].map(|role| {
            let mut legal = Vec::new();
            machine.legal_moves(&state, role, &mut legal).unwrap();
            let wanted = match role.index() == depth % 2 {
                true => format!("(drop {column})"),
                false => "noop".to_owned(),
            };
            let is_wanted = |&played: &Move| ground.move_text(role, played) == wanted;
            legal.into_iter().find(is_wanted).unwrap()
        });
        state = machine.next_state(&state, &joint).unwrap();
    }
    for threads in [1, 2] {
        let config = MctsConfig::default().with_threads(threads);
        let mut searched = Mcts::new(&game, Backend::Compiled, config).unwrap();
        searched.set_root(&state, 5).unwrap();
        let stop = Stop::new().within(Duration::from_secs(3600));
        let budget = SearchBudget::default()
            .with_choice(Some(RoleId(1)))
            .with_stop(stop.clone());
        searched.run(&budget).unwrap();
        assert!(!stop.is_set());
        let report = searched.report(RoleId(1));
        assert!(!report.solved, "the match is open");
        assert_eq!(text(&game, &report), "(drop 1)");
    }
}

/// Whatever was once seen in a playout is reached, and more if it is found on the way; unless
/// somebody else makes the moves.
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
    let nodes = |latches| {
        let config = MctsConfig::default().with_latches(latches);
        let report = search(&game, Backend::Compiled, config, 1_000_000).report(RoleId(0));
        assert!(report.solved);
        assert_eq!(report.value, Some(100.0));
        report.nodes
    };
    assert!(nodes(true) <= 8);
    assert!(nodes(false) > 20);
}

/// A budget of nodes, too, ends a search.
#[test]
fn nodes_are_a_budget() {
    let game = common::own_game("connectFour");
    for nodes in [1, 100, 5000] {
        let mut search = Mcts::new(&game, Backend::Lanes, MctsConfig::default()).unwrap();
        search
            .run(&SearchBudget::default().with_nodes(Some(nodes)))
            .unwrap();
        let report = search.report(RoleId(0));
        assert!(report.nodes as u64 >= nodes, "{nodes}: {}", report.nodes);
        // A thread looks when it has filled its lanes.
        assert!(
            report.nodes as u64 <= nodes + 5000,
            "{nodes}: {}",
            report.nodes
        );
    }
}
