//! Chess: numbers of sequences of moves from well-known positions, in which all rules matter.

use crate::common;
use propjit::game::load::{Game, Setup};
use propjit::game::machine::perft::perft;
use propjit::game::machine::{Backend, RoleId};
use propjit_gdl::games;
use propjit_stop::Stop;

/// The rules of chess with the start at a position in Forsyth-Edwards notation, of which the
/// counters do not matter.
fn rules_from(position: &str) -> String {
    let fields: Vec<&str> = position.split(' ').collect();
    let [board, mover, castling, passed] = fields[..] else {
        panic!("the position has four fields: {position}");
    };
    let color = |is_white| if is_white { "white" } else { "black" };
    let mut start = vec!["(quiet 0)".to_string()];
    start.push(format!("(control {})", color(mover == "w")));
    for (row, rank) in board.split('/').zip((1..=8).rev()) {
        let mut files = 'a'..='h';
        let mut put = |piece: &str| {
            let file = files.next().expect("a rank has eight squares");
            start.push(format!("(cell {file} {rank} {piece})"));
        };
        for what in row.chars() {
            match what.to_digit(10) {
                Some(count) => (0..count).for_each(|_| put("empty")),
                None => {
                    let color = if what.is_uppercase() { 'w' } else { 'b' };
                    put(&format!("{color}{}", what.to_ascii_lowercase()));
                }
            }
        }
        assert_eq!(files.next(), None, "a rank has eight squares");
    }
    for right in castling.chars().filter(|&right| right != '-') {
        let side = match right.to_ascii_lowercase() {
            'k' => "short",
            _ => "long",
        };
        start.push(format!("(castling {} {side})", color(right.is_uppercase())));
    }
    if let Some(file) = passed.chars().next().filter(|&file| file != '-') {
        start.push(format!("(passed {file})"));
    }
    let rules = games::text("chess").expect("the project has chess");
    let is_start = |line: &str| line.starts_with("(init") || line.starts_with("(<= (init");
    let rest = rules.lines().filter(|line| !is_start(line));
    let start = start.iter().map(|fluent| format!("(init {fluent})"));
    rest.map(str::to_string)
        .chain(start)
        .collect::<Vec<_>>()
        .join("\n")
}

fn from(position: &str) -> Game {
    let rules = rules_from(position);
    Game::from_text("position.kif", &rules, &Setup::default()).unwrap()
}

/// The positions and numbers are those of the Chess Programming Wiki's page "Perft Results".
#[test]
fn positions_have_as_many_sequences_as_published() {
    let positions: [(&str, &[u128]); 5] = [
        (
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq -",
            &[48, 2039, 97_862, 4_085_603],
        ),
        (
            "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - -",
            &[14, 191, 2812, 43_238, 674_624],
        ),
        (
            "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq -",
            &[6, 264, 9467, 422_333],
        ),
        (
            "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ -",
            &[44, 1486, 62_379, 2_103_487],
        ),
        (
            "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - -",
            &[46, 2079, 89_890, 3_894_594],
        ),
    ];
    let most = if common::soak() { 10_000_000 } else { 100_000 };
    for (position, counts) in positions {
        let game = from(position);
        let mut machine = game.machine(Backend::Scalar).unwrap();
        let initial = machine.initial_state().unwrap();
        for (depth, &count) in (1..).zip(counts) {
            if count <= most {
                let counted = perft(&mut *machine, &initial, depth, &Stop::new());
                let sequences = counted.unwrap().unwrap().sequences;
                assert_eq!(sequences, count, "{position} to depth {depth}");
            }
        }
    }
}

/// Mate and stalemate.
#[test]
fn matches_end_as_they_should() {
    for (position, goals) in [
        ("R5k1/5ppp/8/8/8/8/8/7K b - -", [100, 0]),
        ("8/8/8/8/8/5kq1/8/7K w - -", [50, 50]),
    ] {
        let game = from(position);
        let mut machine = game.machine(Backend::Scalar).unwrap();
        let initial = machine.initial_state().unwrap();
        assert!(machine.is_terminal(&initial).unwrap(), "{position}");
        for (role, goal) in RoleId::first(2).zip(goals) {
            assert_eq!(machine.goal(&initial, role).unwrap(), goal, "{position}");
        }
    }
}

/// A pawn may not take in passing where both pawns vanish from between its king and a rook.
#[test]
fn what_is_taken_in_passing_uncovers_the_king() {
    for (position, is_legal) in [
        ("7k/8/8/K1pP3r/8/8/8/8 w - c", false),
        ("7k/8/8/K1pP3n/8/8/8/8 w - c", true),
        ("7k/8/8/K1pP3r/8/8/8/8 w - -", false),
    ] {
        let game = from(position);
        let mut machine = game.machine(Backend::Scalar).unwrap();
        let initial = machine.initial_state().unwrap();
        let mut legal = Vec::new();
        let white = RoleId(0);
        machine.legal_moves(&initial, white, &mut legal).unwrap();
        let mut texts = legal.iter().map(|&played| machine.move_text(white, played));
        let found = texts.any(|text| text == "(move d 5 c 6)");
        assert_eq!(found, is_legal, "{position}");
    }
}
