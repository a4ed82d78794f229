//! Do similar positions have the same traps, and which of their moves correspond? The experiments of
//! S. Evans and P. Turrini, "Improving Strategic Decisions in Sequential Games by Exploiting
//! Positional Similarity" (Games 14, 2023, 36), with games from their rules.
//!
//! - `cargo run --release --example traps`: tables 2 and 3, with chess, beside what is printed.
//! - `cargo run --release --example traps -- FILE...`: the experiment of table 2 with these
//!   rulesheets, of games of two roles, whose traps are found by proof search.
//!
//! A trap is a move after which the opponent wins by force. Of the positions two plies after one
//! with a trap, some still have it. A measure of similarity is good if those are more similar to
//! where they come from than the mean (else they are *false negatives*), and the others less (else
//! they are *false positives*). With any of them at random, both are a half or so.

use std::error::Error;
use std::path::Path;

mod chess;
mod errors;
mod found;
mod table_2;
mod table_3;

/// How much is looked at.
struct Scale {
    /// The sampling interval for positions two plies after a trap of chess.
    every: usize,
    /// Pairs of positions of table 3.
    pairs: usize,
    /// Traps that are found in a game, and positions after each.
    traps: usize,
    after: usize,
}

/// A test looks at little.
const SCALE: Scale = match cfg!(test) {
    true => Scale {
        every: 200,
        pairs: 1,
        traps: 1,
        after: 30,
    },
    false => Scale {
        every: 1,
        pairs: usize::MAX,
        traps: 20,
        after: 200,
    },
};

fn run(rulesheets: &[String]) -> Result<(), Box<dyn Error>> {
    if rulesheets.is_empty() {
        let mut chess = chess::Chess::new()?;
        table_2::print(&mut chess, SCALE.every)?;
        return table_3::print(&mut chess, SCALE.pairs);
    }
    found::print_head();
    rulesheets
        .iter()
        .try_for_each(|file| found::print(Path::new(file)))
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments = std::env::args().skip(1);
    let rulesheets: Vec<String> = match cfg!(test) {
        true => Vec::new(),
        false => arguments.collect(),
    };
    run(&rulesheets)
}

#[test]
fn runs() {
    main().unwrap();
    let folder = env!("CARGO_MANIFEST_DIR");
    run(&[format!("{folder}/gdl/games/connectFour.kif")]).unwrap();
}
