//! Errors of scripts that cannot be followed, each with the place and the remedy.

use std::fmt;
use std::path::{Path, PathBuf};

use super::printable::excerpt;
use super::record_lines::RecordFileError;
use crate::game::machine::MachineError;

/// The place where a joint move is written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ScriptPlace {
    /// In a file.
    Line {
        /// The file's name.
        file: String,
        /// The line, from 1.
        line: usize,
    },
    /// Among several on one line: the place from 1.
    Item(usize),
    /// In a record.
    Record {
        /// The file's name.
        file: String,
        /// The number of the match, from 1.
        number: u64,
        /// The joint move in it, from 1.
        step: usize,
    },
}

impl fmt::Display for ScriptPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ScriptPlace::Line { file, line } => write!(f, "{file}:{line}"),
            ScriptPlace::Item(number) => write!(f, "joint move {number}"),
            ScriptPlace::Record { file, number, step } => {
                write!(f, "{file}: match {number}, joint move {step}")
            }
        }
    }
}

/// Why joint moves cannot be played.
#[derive(Debug, thiserror::Error)]
pub enum ScriptError {
    /// The file cannot be read.
    #[error("cannot read {}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The error of the operating system.
        source: std::io::Error,
    },
    /// The records are damaged.
    #[error(transparent)]
    Records(#[from] RecordFileError),
    /// A match is asked for, and there are no records.
    #[error("{} has no match records, so --match does not apply", file.display())]
    NoRecords {
        /// The file.
        file: PathBuf,
    },
    /// There is no such match among the records, or it is not clear which is meant.
    #[error("{}", which(file, *number, numbers))]
    Match {
        /// The file.
        file: PathBuf,
        /// The match that is wanted.
        number: Option<u64>,
        /// The matches that there are.
        numbers: Vec<u64>,
    },
    /// There are fewer joint moves than the first that are wanted.
    #[error("the history has only {there} joint moves, but --first is {count}")]
    First {
        /// How many are wanted.
        count: usize,
        /// How many there are.
        there: usize,
    },
    /// There is not one move for each role.
    #[error(
        "{place}: {} is not a joint move; write a move for each of {}, as in {}",
        quote(text), roles.join(", "), example(roles)
    )]
    NoJointMove {
        /// The place where it is written.
        place: ScriptPlace,
        /// The text that is written there.
        text: String,
        /// The roles.
        roles: Vec<String>,
    },
    /// A move is not legal.
    #[error("{place}: {role} may not play {} here; {}", quote(text), some(legal))]
    Illegal {
        /// The place where it is written.
        place: ScriptPlace,
        /// The role.
        role: String,
        /// The move as it is written.
        text: String,
        /// The moves that would be legal.
        legal: Vec<String>,
    },
    /// The match ends before.
    #[error("{place}: the match is already over; remove this and all following moves")]
    Over {
        /// The place of the first surplus joint move.
        place: ScriptPlace,
    },
    /// The machine cannot go on.
    #[error("{place}: {source}")]
    Machine {
        /// The place where the joint move is written.
        place: ScriptPlace,
        /// The cause.
        source: MachineError,
    },
}

/// Describes why a match is not found.
fn which(file: &Path, number: Option<u64>, numbers: &[u64]) -> String {
    let file = file.display();
    let there = match numbers {
        [] => "no match".to_string(),
        [only] => format!("match {only}"),
        [first, .., last] => format!("{} matches from {first} to {last}", numbers.len()),
    };
    match number {
        Some(number) => format!("{file} has no match {number}; it has {there}"),
        None => format!("{file} has {there}; select one with --match"),
    }
}

/// How many legal moves a message names.
const FEW: usize = 5;

/// The first few legal moves.
fn some(moves: &[String]) -> String {
    let few: Vec<String> = moves.iter().take(FEW).map(|text| excerpt(text)).collect();
    match moves.len() {
        0 => "there are no legal moves".to_string(),
        count if count <= FEW => format!("legal: {}", few.join(", ")),
        count => format!("legal: {} and {} more", few.join(", "), count - FEW),
    }
}

/// How a joint move is written.
fn example(roles: &[String]) -> String {
    let moves: Vec<String> = (1..=roles.len())
        .map(|number| format!("MOVE{number}"))
        .collect();
    format!("`{}` or `({})`", moves.join(" | "), moves.join(" "))
}

fn quote(text: &str) -> String {
    format!("`{}`", excerpt(text))
}
