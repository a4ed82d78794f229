//! Budgets of Monte Carlo tree search: they are kept, and threads share them.

use std::time::Duration;

use crate::common;
use crate::common::search::{run, search};
use crate::common::solvable::PENNIES;
use propjit::Stop;
use propjit::game::machine::{Backend, RoleId};
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

/// A role that has to keep the other one from four in a row has no choice, and needs no hour to see that.
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
