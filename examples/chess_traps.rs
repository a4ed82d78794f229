//! Do similar positions have the same traps? The experiment of table 2 of S. Evans and P. Turrini,
//! "Improving Strategic Decisions in Sequential Games by Exploiting Positional Similarity" (Games 14,
//! 2023, 36), with chess from its rules.
//!
//! `cargo run --release --example chess_traps`
//!
//! A trap is a move after which the opponent mates by force. Of all positions two plies after one
//! with a trap, some still have it. A measure of similarity is good if those are more similar to
//! where they come from than the mean (else they are *false negatives*), and the others less (else
//! they are *false positives*).

use std::collections::HashSet;
use std::error::Error;

use propjit::machine::batch::{Batch, Child};
use propjit::similarity::{Comparison, Measure, SimilarityConfig};
use propjit::{Game, Move, RoleId, Setup, State, Stop, gdl};

/// A position with a trap.
struct Trap {
    name: &'static str,
    /// The moves that lead there, and then the one after which the opponent mates.
    moves: &'static str,
    bait: &'static str,
    /// In how many moves.
    mate: u32,
    /// What the source prints: false negatives and false positives of continuations, sequences and
    /// the correlation of boards.
    printed: [[f64; 2]; 3],
}

/// The positions of figure 3.
const TRAPS: [Trap; 4] = [
    Trap {
        name: "Budapest",
        moves: "d2d4 g8f6 c2c4 e7e5 d4d5 f8c5 c1g5 f6e4",
        bait: "g5d8",
        mate: 1,
        printed: [[0.252, 0.493], [0.234, 0.480], [0.195, 0.723]],
    },
    Trap {
        name: "Caro-Kann",
        moves: "e2e4 c7c6 d2d3 d7d5 b1d2 d5e4 d3e4 g8f6 g1f3 c8g4 e4e5 f6d5 h2h3 g4h5 c2c4 d5b6 \
                e5e6 b8a6 f3e5",
        bait: "h5d1",
        mate: 1,
        printed: [[0.324, 0.437], [0.335, 0.397], [0.029, 0.630]],
    },
    Trap {
        name: "Kieninger",
        moves: "d2d4 g8f6 c2c4 e7e5 d4e5 f6g4 c1f4 b8c6 g1f3 f8b4 b1d2 d8e7 a2a3 g4e5",
        bait: "a3b4",
        mate: 1,
        printed: [[0.185, 0.393], [0.276, 0.424], [0.865, 0.380]],
    },
    Trap {
        name: "Legal",
        moves: "e2e4 e7e5 g1f3 b8c6 f1c4 d7d6 b1c3 c8g4 f3e5",
        bait: "g4d1",
        mate: 2,
        printed: [[0.332, 0.461], [0.330, 0.457], [0.207, 0.713]],
    },
];

/// Plays chess.
struct Chess {
    game: Game,
    batch: Batch,
}

impl Chess {
    fn new() -> Result<Chess, Box<dyn Error>> {
        let rules = gdl::games::text("chess").ok_or("there is no such game")?;
        let game = Game::from_text("chess.kif", rules, &Setup::default())?;
        let engines = game.engines().ok_or("the game could not be grounded")?;
        engines.start();
        engines.wait();
        let batch = Batch::new(engines.game().clone(), engines.best());
        Ok(Chess { game, batch })
    }

    /// A move of a role, as `e2e4`.
    fn parse(&self, role: RoleId, text: &str) -> Result<Move, Box<dyn Error>> {
        let squares: Vec<String> = text.chars().map(|of| of.to_string()).collect();
        let ground = self.game.ground_game().ok_or("not ground")?;
        Ok(ground.parse_move(role, &format!("(move {})", squares.join(" ")))?)
    }

    /// What follows from a state, by the move of the role that has several.
    fn successors(&mut self, state: &State) -> Vec<(Move, Child)> {
        let legal = self.batch.legal_moves(state);
        let mover = usize::from(legal[0].len() == 1);
        let joints: Vec<Move> = legal[mover]
            .iter()
            .flat_map(|&played| match mover {
                0 => [played, legal[1][0]],
                _ => [legal[0][0], played],
            })
            .collect();
        let children = self.batch.children(state, &joints);
        legal[mover].iter().copied().zip(children).collect()
    }

    /// What follows from a state by a move of a role, such as `e2e4`, if it is legal.
    fn after(
        &mut self,
        state: &State,
        mover: usize,
        text: &str,
    ) -> Result<Option<Child>, Box<dyn Error>> {
        let played = self.parse(RoleId(mover as u32), text)?;
        let mut all = self.successors(state).into_iter();
        let found = all.find(|(other, _)| *other == played);
        Ok(found.map(|(_, child)| child))
    }

    /// Whether a role that is to move can mate in so many moves.
    fn can_mate(&mut self, state: &State, role: usize, moves: u32) -> bool {
        self.successors(state).iter().any(|(_, child)| {
            if let Some(goals) = &child.goals {
                return goals[role] == Some(100);
            }
            moves > 1
                && self.successors(&child.state).iter().all(|(_, reply)| {
                    reply.goals.is_none() && self.can_mate(&reply.state, role, moves - 1)
                })
        })
    }

    /// The position of a trap, and who is to move.
    fn position(&mut self, trap: &Trap) -> Result<(State, usize), Box<dyn Error>> {
        let ground = self.game.ground_game().ok_or("not ground")?;
        let mut state = ground.initial().clone();
        let mut mover = 0;
        for text in trap.moves.split_whitespace() {
            let after = self.after(&state, mover, text)?;
            state = after.ok_or("an illegal move")?.state;
            mover = 1 - mover;
        }
        Ok((state, mover))
    }

    /// Whether the trap is there.
    fn is_kept(
        &mut self,
        trap: &Trap,
        state: &State,
        mover: usize,
    ) -> Result<bool, Box<dyn Error>> {
        let after = self.after(state, mover, trap.bait)?;
        let after = after.filter(|child| child.goals.is_none());
        Ok(after.is_some_and(|child| self.can_mate(&child.state, 1 - mover, trap.mate)))
    }

    /// Which part of the squares have the same piece.
    fn correlation(&self, a: &State, b: &State) -> f64 {
        let ground = self.game.ground_game().expect("it is ground");
        let cells = |state| -> HashSet<String> {
            let all = ground.fluents(state).into_iter();
            all.filter(|fluent| fluent.starts_with("(cell")).collect()
        };
        let (a, b) = (cells(a), cells(b));
        1.0 - a.difference(&b).count() as f64 / 64.0
    }
}

/// The parts of false negatives and of false positives.
fn errors(similarities: &[f64], kept: &[bool]) -> [f64; 2] {
    let mean = similarities.iter().sum::<f64>() / similarities.len() as f64;
    let part = |of: bool, is_wrong: &dyn Fn(f64) -> bool| {
        let all = similarities
            .iter()
            .zip(kept)
            .filter(|(_, kept)| **kept == of);
        let wrong = all.clone().filter(|(similarity, _)| is_wrong(**similarity));
        wrong.count() as f64 / all.count().max(1) as f64
    };
    [
        part(true, &|one| one < mean),
        part(false, &|one| one > mean),
    ]
}

/// Of the positions two plies after a trap, every one so many is looked at. A test looks at few.
const EVERY: usize = if cfg!(test) { 100 } else { 1 };

fn main() -> Result<(), Box<dyn Error>> {
    let mut chess = Chess::new()?;
    let config = |measure, depth, ignored: &[usize]| {
        SimilarityConfig::default()
            .with_measure(measure)
            .with_depth(depth)
            .with_ignored_arguments(ignored.to_vec())
    };
    let measures = [
        (
            "continuations, moves by squares",
            0,
            config(Measure::Continuations, 1, &[]),
        ),
        (
            "continuations, moves by target",
            0,
            config(Measure::Continuations, 1, &[1, 2]),
        ),
        (
            "sequences, moves by squares",
            1,
            config(Measure::Sequences, 2, &[]),
        ),
        (
            "sequences, moves by target",
            1,
            config(Measure::Sequences, 2, &[1, 2]),
        ),
    ];
    let mut comparisons = Vec::new();
    for (name, row, config) in measures {
        comparisons.push((
            name,
            row,
            Comparison::new(&chess.game, config, &Stop::new())?,
        ));
    }
    println!("false negatives and false positives, in brackets as printed");
    for trap in &TRAPS {
        let (start, mover) = chess.position(trap)?;
        let mut states = Vec::new();
        for (_, child) in chess.successors(&start) {
            if child.goals.is_none() {
                let after = chess.successors(&child.state).into_iter();
                states.extend(
                    after
                        .filter(|(_, next)| next.goals.is_none())
                        .map(|(_, next)| next.state),
                );
            }
        }
        let states: Vec<State> = states.into_iter().step_by(EVERY).collect();
        let mut kept = Vec::new();
        for state in &states {
            kept.push(chess.is_kept(trap, state, mover)?);
        }
        let with = kept.iter().filter(|kept| **kept).count();
        println!(
            "{}: {} positions, {with} with the trap",
            trap.name,
            states.len()
        );
        let print = |name: &str, found: [f64; 2], printed: [f64; 2]| {
            let [a, b] = [0, 1].map(|at| format!("{:.3} ({:.3})", found[at], printed[at]));
            println!("  {name:35} {a}   {b}");
        };
        for (name, row, comparison) in &mut comparisons {
            let mut similarities = Vec::new();
            for states in states.chunks(200) {
                similarities.extend(comparison.similarities(&start, states)?);
            }
            print(name, errors(&similarities, &kept), trap.printed[*row]);
        }
        let correlations: Vec<f64> = states
            .iter()
            .map(|state| chess.correlation(&start, state))
            .collect();
        print(
            "correlation of boards",
            errors(&correlations, &kept),
            trap.printed[2],
        );
    }
    Ok(())
}

#[test]
fn runs() {
    main().unwrap();
}
