//! Table 2: the traps of figure 3, and what each measure says of the positions two plies later.

use std::error::Error;

use propjit::State;
use propjit::lab::similarity::{continuations, structural, tree_edit};
use propjit::support::rng::streams;
use rand::seq::index;

use super::chess::{Chess, Naming};
use super::errors::{errors, mean};

/// A position with a trap.
pub(crate) struct Trap {
    name: &'static str,
    /// The moves that lead there, and then the one after which the opponent mates.
    pub(crate) moves: &'static str,
    bait: &'static str,
    /// In how many moves.
    mate: u32,
    /// What the source prints: false negatives and false positives of continuations, sequences and
    /// the correlation of boards.
    printed: [[f64; 2]; 3],
}

pub(crate) const BUDAPEST: Trap = Trap {
    name: "Budapest",
    moves: "d2d4 g8f6 c2c4 e7e5 d4d5 f8c5 c1g5 f6e4",
    bait: "g5d8",
    mate: 1,
    printed: [[0.252, 0.493], [0.234, 0.480], [0.195, 0.723]],
};

pub(crate) const CARO_KANN: Trap = Trap {
    name: "Caro-Kann",
    moves: "e2e4 c7c6 d2d3 d7d5 b1d2 d5e4 d3e4 g8f6 g1f3 c8g4 e4e5 f6d5 h2h3 g4h5 c2c4 d5b6 e5e6 \
            b8a6 f3e5",
    bait: "h5d1",
    mate: 1,
    printed: [[0.324, 0.437], [0.335, 0.397], [0.029, 0.630]],
};

pub(crate) const KIENINGER: Trap = Trap {
    name: "Kieninger",
    moves: "d2d4 g8f6 c2c4 e7e5 d4e5 f6g4 c1f4 b8c6 g1f3 f8b4 b1d2 d8e7 a2a3 g4e5",
    bait: "a3b4",
    mate: 1,
    printed: [[0.185, 0.393], [0.276, 0.424], [0.865, 0.380]],
};

pub(crate) const LEGAL: Trap = Trap {
    name: "Légal",
    moves: "e2e4 e7e5 g1f3 b8c6 f1c4 d7d6 b1c3 c8g4 f3e5",
    bait: "g4d1",
    mate: 2,
    printed: [[0.332, 0.461], [0.330, 0.457], [0.207, 0.713]],
};

/// What of the positions is compared.
#[derive(Clone, Copy)]
enum Measure {
    /// At depth 1.
    Continuations(Naming),
    /// At depth 2.
    Sequences(Naming),
    /// At depth 2.
    TreeEdit,
    /// On continuations at depth 1.
    Structural,
    /// Which part of the squares have the same piece.
    Correlation,
}

/// The measures of all positions, with the place of what is printed of them.
const MEASURES: [(&str, Measure, usize); 7] = [
    (
        "continuations, moves by squares",
        Measure::Continuations(Naming::Squares),
        0,
    ),
    (
        "continuations, moves by target",
        Measure::Continuations(Naming::Target),
        0,
    ),
    (
        "continuations, moves by piece",
        Measure::Continuations(Naming::Piece),
        0,
    ),
    (
        "sequences, moves by squares",
        Measure::Sequences(Naming::Squares),
        1,
    ),
    (
        "sequences, moves by target",
        Measure::Sequences(Naming::Target),
        1,
    ),
    (
        "sequences, moves by piece",
        Measure::Sequences(Naming::Piece),
        1,
    ),
    ("correlation of boards", Measure::Correlation, 2),
];

/// The samples for which the source reports what structural similarity finds, and their positions.
const SAMPLES: usize = 5;
const SAMPLE: usize = 40;

/// Prints the table.
pub(crate) fn print(chess: &mut Chess, every: usize) -> Result<(), Box<dyn Error>> {
    println!("Table 2: false negatives and false positives, in brackets as printed");
    let mut of_samples = [Vec::new(), Vec::new()];
    for (number, trap) in [BUDAPEST, CARO_KANN, KIENINGER, LEGAL].iter().enumerate() {
        let start = chess.after(trap.moves)?;
        let states = two_plies_later(chess, &start);
        let states: Vec<State> = states.into_iter().step_by(every).collect();
        let kept: Vec<bool> = states
            .iter()
            .map(|state| is_kept(chess, trap, state))
            .collect();
        let with = kept.iter().filter(|kept| **kept).count();
        println!(
            "{}: {} positions, {with} with the trap",
            trap.name,
            states.len()
        );
        for (name, measure, row) in MEASURES {
            let found = errors(&similarities(chess, measure, &start, &states), &kept);
            let printed = trap.printed[row];
            let [a, b] = [0, 1].map(|at| format!("{:.3} ({:.3})", found[at], printed[at]));
            println!("  {name:35} {a}   {b}");
        }
        if number > 1 {
            continue;
        }
        let mut rng = streams(number as u64).next().expect("streams do not end");
        for _ in 0..SAMPLES {
            let size = SAMPLE.min(states.len());
            let places = index::sample(&mut rng, states.len(), size).into_vec();
            let sample: Vec<State> = places.iter().map(|&at| states[at].clone()).collect();
            let kept: Vec<bool> = places.iter().map(|&at| kept[at]).collect();
            if !kept.contains(&true) {
                continue;
            }
            for (of, measure) in of_samples
                .iter_mut()
                .zip([Measure::Structural, Measure::TreeEdit])
            {
                of.push(errors(
                    &similarities(chess, measure, &start, &sample),
                    &kept,
                ));
            }
        }
    }
    println!("Samples of {SAMPLE} positions of the first two traps, moves by piece");
    for (name, of, printed) in [
        ("structural similarity", &of_samples[0], " (0.15)"),
        ("tree-edit similarity", &of_samples[1], ""),
    ] {
        let [negatives, positives] = mean(of);
        println!("  {name:35} {negatives:.3}{printed}   {positives:.3}");
    }
    Ok(())
}

/// All positions two plies later in which the match goes on.
fn two_plies_later(chess: &mut Chess, start: &State) -> Vec<State> {
    let mut states = Vec::new();
    for played in chess.moves(start, Naming::Squares) {
        if played.goals.is_none() {
            let next = chess.moves(&played.state, Naming::Squares).into_iter();
            states.extend(
                next.filter(|next| next.goals.is_none())
                    .map(|next| next.state),
            );
        }
    }
    states
}

/// Whether the trap is there.
fn is_kept(chess: &mut Chess, trap: &Trap, state: &State) -> bool {
    let after = chess.by(state, trap.bait);
    let after = after.filter(|played| played.goals.is_none());
    after.is_some_and(|played| can_mate(chess, &played.state, trap.mate))
}

/// Returns whether the role to move can mate in `moves` moves.
fn can_mate(chess: &mut Chess, state: &State, moves: u32) -> bool {
    chess.moves(state, Naming::Squares).iter().any(|played| {
        if let Some(goals) = &played.goals {
            // Otherwise the match is drawn.
            return goals.contains(&Some(100));
        }
        moves > 1
            && (chess.moves(&played.state, Naming::Squares).iter())
                .all(|reply| reply.goals.is_none() && can_mate(chess, &reply.state, moves - 1))
    })
}

/// The similarities of positions to the one they follow from.
fn similarities(chess: &mut Chess, measure: Measure, start: &State, states: &[State]) -> Vec<f64> {
    let states = states.iter();
    match measure {
        Measure::Continuations(naming) => {
            let first = chess.set(start, naming);
            let similarity = |state| continuations(&first, &chess.set(state, naming));
            states
                .map(similarity)
                .map(|found| found.unwrap_or(0.0))
                .collect()
        }
        Measure::Sequences(naming) => {
            let (_, first) = chess.lines(start, 2, naming);
            let similarity = |state| first.similarity(&chess.lines(state, 2, naming).1);
            states
                .map(similarity)
                .map(|found| found.unwrap_or(0.0))
                .collect()
        }
        Measure::TreeEdit => {
            let (tree, first) = chess.lines(start, 2, Naming::Piece);
            let similarity = |state| {
                let (other, lines) = chess.lines(state, 2, Naming::Piece);
                tree_edit((&tree, &first), (&other, &lines))
            };
            states
                .map(similarity)
                .map(|found| found.unwrap_or(0.0))
                .collect()
        }
        Measure::Structural => {
            let first = child_similarities(chess, start);
            let similarity = |state| structural(&first, &child_similarities(chess, state));
            states
                .map(similarity)
                .map(|found| found.map_or(0.0, |of| of.0))
                .collect()
        }
        Measure::Correlation => {
            let first = chess.board(start);
            let same = |state| {
                let other = chess.board(state);
                first.iter().zip(&other).filter(|(a, b)| a == b).count()
            };
            states.map(same).map(|same| same as f64 / 64.0).collect()
        }
    }
}

fn child_similarities(chess: &mut Chess, state: &State) -> Vec<f64> {
    let moves = chess.moves(state, Naming::Piece);
    chess.child_similarities(state, &moves, Naming::Piece)
}
