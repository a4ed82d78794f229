//! Budgets of Monte Carlo tree search: they are kept, and threads share them.

use std::time::Duration;

use crate::common;
use crate::common::search::{run, search, text};
use crate::common::solvable::PENNIES;
use propjit::Stop;
use propjit::game::machine::{Backend, Move, RoleId};
use propjit::search::SearchBudget;
use propjit::search::mcts::{Mcts, MctsConfig};

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
