//! The tree of Monte Carlo tree search: its memory, and its root from move to move.

use crate::common;
use crate::common::search::{run, search, text};
use propjit::game::machine::{Backend, RoleId};
use propjit::search::SearchBudget;
use propjit::search::mcts::{Mcts, MctsConfig, SearchReport};

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
