//! Table 3: the moves of two positions that are paired most often on the second ply.

use std::error::Error;

use super::chess::Chess;
use super::table_2::{BUDAPEST, CARO_KANN, KIENINGER, LEGAL};

/// How many pairs of moves are looked at.
const TOP: usize = 5;

/// A position: its name in the table, and the moves that lead there.
struct Position {
    name: &'static str,
    moves: String,
}

/// The last game of the tie-break of 2016. The source does not name it; in this one the pair that is
/// printed first can be played after 10 and 30 moves.
const CARLSEN_KARJAKIN: &str = "e2e4 c7c5 g1f3 d7d6 d2d4 c5d4 f3d4 g8f6 f2f3 e7e5 d4b3 f8e7 c2c4 \
    a7a5 c1e3 a5a4 b3c1 e8g8 b1c3 d8a5 d1d2 b8a6 f1e2 a6c5 e1g1 c8d7 a1b1 f8c8 b2b4 a4b3 a2b3 a5d8 \
    c1d3 c5e6 d3b4 d7c6 f1d1 h7h5 e2f1 h5h4 d2f2 f6d7 g2g3 a8a3 f1h3 c8a8 b4c2 a3a6 c2b4 a6a5 b4c2 \
    b7b6 d1d2 d8c7 b1d1 e7f8 g3h4 e6f4 e3f4 e5f4 h3d7 c7d7 c2b4 a5a3 b4c6 d7c6 c3b5 a3b3 b5d4 c6c4 \
    d4b3 c4b3 f2e2 f8e7 g1g2 b3e6 h4h5 a8a3 d2d3 a3a2";

/// The positions of the table.
fn positions() -> Vec<Position> {
    let after = |name, first: &str, more: &str| Position {
        name,
        moves: format!("{first} {more}"),
    };
    let of_match = |name, moves: usize| Position {
        name,
        moves: CARLSEN_KARJAKIN
            .split_whitespace()
            .take(2 * moves)
            .collect::<Vec<_>>()
            .join(" "),
    };
    vec![
        after("Légal", LEGAL.moves, ""),
        after("Budapest", BUDAPEST.moves, ""),
        after("Kieninger", KIENINGER.moves, ""),
        after("Caro-Kann", CARO_KANN.moves, ""),
        after("Budapest + b3 a6", BUDAPEST.moves, "b2b3 a7a6"),
        // Printed as Nxe5, where black's own pawn is.
        after("Budapest + f3 Nxg5", BUDAPEST.moves, "f2f3 e4g5"),
        after("Budapest + Bd2 Qh4", BUDAPEST.moves, "g5d2 d8h4"),
        after("Légal + h6 a3", LEGAL.moves, "h7h6 a2a3"),
        after("Légal + h6 Nxg4", LEGAL.moves, "h7h6 e5g4"),
        after("Légal + Nxe5 Qe2", LEGAL.moves, "c6e5 d1e2"),
        of_match("Move 10", 10),
        of_match("Move 20", 20),
        of_match("Move 30", 30),
        of_match("Move 40", 40),
    ]
}

/// A row: the places of both positions, and what the source prints: how many of the five pairs are
/// equally decisive, and the first of them.
type Row = (usize, usize, usize, [&'static str; 2]);

const ROWS: [Row; 18] = [
    (0, 1, 4, ["Bf7#", "Bf2#"]),
    (0, 2, 5, ["Bf7#", "Nf3#"]),
    (0, 3, 5, ["Bf7#", "ef7#"]),
    (1, 2, 5, ["Bf2#", "Nd3#"]),
    (1, 3, 5, ["Bf2#", "ef7#"]),
    (3, 2, 5, ["ef7#", "Nf3+"]),
    (1, 4, 5, ["Bf2#", "Bf2#"]),
    (1, 5, 3, ["Bf2#", "Nf3+"]),
    (1, 6, 5, ["Bf2#", "Bd2+"]),
    (0, 7, 5, ["Bf7#", "Bf7#"]),
    (0, 8, 5, ["Bf7#", "Bf7+"]),
    (0, 9, 5, ["Bf7#", "Bb5+"]),
    (10, 11, 5, ["Be6", "Qe8"]),
    (10, 12, 5, ["Qc3+", "Rg5+"]),
    (10, 13, 5, ["Qc3+", "Rg5+"]),
    (11, 12, 4, ["Nd4", "Rg5+"]),
    (11, 13, 3, ["Kf8", "Kh8"]),
    (12, 13, 3, ["Rg5+", "Qg6+"]),
];

/// Prints the table, at most `most` rows of it.
pub(crate) fn print(chess: &mut Chess, most: usize) -> Result<(), Box<dyn Error>> {
    println!();
    println!(
        "Table 3: of the {TOP} most frequent pairs those of equally decisive moves, printed and"
    );
    println!("ours; the first pair that is printed; ours, and how often");
    let positions = positions();
    for &(a, b, decisive, [first_a, first_b]) in ROWS.iter().take(most) {
        let [a, b] = [&positions[a], &positions[b]];
        let (state_a, state_b) = (chess.after(&a.moves)?, chess.after(&b.moves)?);
        let mut pairs = chess.frequent_pairs(&state_a, &state_b);
        pairs.truncate(TOP);
        let equally = |a: &str, b: &str| is_decisive(a) == is_decisive(b);
        let ours = pairs.iter().filter(|(a, b, _)| equally(a, b)).count();
        let listed = pairs.iter().map(|(a, b, count)| format!("{a} {b} {count}"));
        let listed: Vec<String> = listed.collect();
        let names = format!("{}, {}", a.name, b.name);
        let printed = format!("{first_a} {first_b}");
        println!(
            "{names:29} {decisive} {ours}  {printed:11} {}",
            listed.join(", ")
        );
    }
    Ok(())
}

/// Whether a move mates or gives check.
fn is_decisive(name: &str) -> bool {
    name.ends_with(['#', '+'])
}
