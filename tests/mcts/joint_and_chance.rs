//! Monte Carlo tree search where roles move at the same time, and where chance does.

use crate::common;
use crate::common::search::{search, text};
use propjit::game::machine::{Backend, RoleId};
use propjit::search::mcts::MctsConfig;

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

/// Nothing is sure for a role that has to guess what the other does. With a third choice that is sure to win two
/// moves later, all is known, and neither of the others is looked at any more.
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
