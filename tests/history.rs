//! Match histories: scripts of joint moves are followed, and errors in them are reported.

use proptest::prelude::*;

use crate::common;
use propjit::Stop;
use propjit::game::load::Game;
use propjit::game::machine::Backend;
use propjit::game::position::{History, Position};
use propjit::play::matches::{Script, ScriptError};

fn history(game: &Game, backend: Backend) -> History {
    History::new(Position::of_machine(game.machine(backend).unwrap(), &Stop::new()).unwrap())
}

#[test]
fn both_notations_are_followed() {
    let game = common::own_game("ticTacToe");
    for backend in [Backend::Prover, Backend::Scalar] {
        let mut history = history(&game, backend);
        let script = Script::lines(
            "m.txt",
            "; opening\n(mark 1 1)|noop\n\n ( NOOP (mark  2 2) ) ; reply\n",
        );
        history.follow(&script).unwrap();
        assert_eq!(history.depth(), 2);
        let fluents = ["(cell 1 1 x)", "(cell 2 2 o)", "(control x)"];
        assert_eq!(history.fluents(), fluents);
        history.go_back(1);
        assert_eq!(history.fluents(), ["(cell 1 1 x)", "(control o)"]);
        // Fewer were played.
        history.go_back(1);
        history.go_back(5);
        assert_eq!(history.depth(), 1);
        history
            .follow(&Script::inline("noop | (mark 3 3)"))
            .unwrap();
        assert_eq!(history.depth(), 2);
    }
}

#[test]
fn errors_are_reported_with_their_place() {
    let game = common::own_game("ticTacToe");
    let over = "(mark 1 1)|noop\nnoop|(mark 2 1)\n(mark 1 2)|noop\nnoop|(mark 2 2)\n\
                (mark 1 3)|noop\n";
    for (text, message) in [
        (
            "\nnoop | noop",
            "m.txt:2: x may not play `noop` here; legal: (mark 1 1), ",
        ),
        ("(mark 9 9) | noop", "and 4 more"),
        (
            "(mark 1 1) | (mark 1 2)",
            "m.txt:1: o may not play `(mark 1 2)` here; legal: noop",
        ),
        (
            "((mark 1 1)",
            "`((mark 1 1)` is not a joint move; write a move for each of x, o",
        ),
        ("noop", "as in `MOVE1 | MOVE2` or `(MOVE1 MOVE2)`"),
        ("noop | noop | noop", "is not a joint move"),
        ("(mark 1 1) | ", "o may not play `` here"),
        (
            &format!("{over}noop | (mark 3 3)"),
            "m.txt:6: the match is already over",
        ),
    ] {
        for backend in [Backend::Prover, Backend::Scalar] {
            let error = history(&game, backend).follow(&Script::lines("m.txt", text));
            let told = error.unwrap_err().to_string();
            assert!(told.contains(message), "{text}: {told}");
        }
    }
    let missing = Script::read("no-such-file".as_ref(), None).unwrap_err();
    assert!(matches!(missing, ScriptError::Read { .. }));
}

proptest! {
    /// What a random match would be written as is followed to the same state.
    #[test]
    fn matches_are_followed_as_they_were_played(choices in prop::collection::vec(any::<prop::sample::Index>(), 0..9)) {
        let game = common::game(common::COUNTER);
        let mut played = history(&game, Backend::Scalar);
        let mut lines = String::new();
        for choice in choices {
            if played.is_over().unwrap() {
                break;
            }
            let legal = played.legal().unwrap();
            let joint: Vec<&str> = legal.iter().map(|moves| choice.get(moves).as_str()).collect();
            lines += &format!("({})\n", joint.join(" "));
            played.play(&joint).unwrap();
        }
        let mut followed = history(&game, Backend::Prover);
        followed.follow(&Script::lines("m.txt", &lines)).unwrap();
        prop_assert_eq!(followed.fluents(), played.fluents());
        prop_assert_eq!(followed.depth(), played.depth());
        prop_assert_eq!(followed.goals().unwrap(), played.goals().unwrap());
    }
}
