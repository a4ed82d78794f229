//! Evaluations on disk, a file for each game, so that a known game starts with one.
//!
//! They are in the folder `heuristics` of the directory of [profiles](crate::profile). A file is
//! named by a hash of the game's circuit, for which it does not matter what the rulesheet calls
//! things. Deleting a file costs no more than learning again.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::evaluation::{COLUMNS, Evaluation};
use super::features::Features;
use crate::directory::write_whole;
use crate::fnv::Fnv64;
use crate::ground::GroundGame;
use crate::profile::{self, ProfileError};

/// The version of the file's format, and of how is learned.
const FORMAT: u32 = 2;

/// What is known of a game.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Known {
    /// Its evaluation; none if what was learned is of no use.
    pub evaluation: Option<Evaluation>,
    /// How long learning was allowed to take.
    pub time: Duration,
}

/// The content of a file.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Stored {
    format: u32,
    /// How long learning was allowed to take.
    seconds: f64,
    /// None if what was learned is of no use.
    evaluation: Option<StoredEvaluation>,
}

/// The part of a file that all versions have.
#[derive(Deserialize)]
struct Version {
    format: u32,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct StoredEvaluation {
    bases: usize,
    pairs: Vec<[u32; 2]>,
    constant: [f32; COLUMNS],
    weights: Vec<[f32; COLUMNS]>,
}

/// Why a file cannot be used.
#[derive(Debug, Error)]
pub enum StoreError {
    /// There is no directory for it.
    #[error(transparent)]
    Directory(#[from] ProfileError),
    /// It cannot be read or written.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// It is not the evaluation of such a game.
    #[error("{} is damaged; it may be deleted", .0.display())]
    Damaged(PathBuf),
}

/// What is kept of a game, if anything is, by this version.
///
/// # Errors
/// When it cannot be read, or is none.
pub(super) fn load(game: &GroundGame) -> Result<Option<Known>, StoreError> {
    match path(game)? {
        Some(path) => read(&path, game.layout().bases.len()),
        None => Ok(None),
    }
}

/// Keeps what is known of a game, unless profiles are switched off.
///
/// # Errors
/// When it cannot be written.
pub(super) fn save(game: &GroundGame, known: &Known) -> Result<(), StoreError> {
    match path(game)? {
        Some(path) => write(&path, known).map_err(|source| StoreError::Io { path, source }),
        None => Ok(()),
    }
}

/// The file of a game, which need not exist; none if profiles are switched off.
fn path(game: &GroundGame) -> Result<Option<PathBuf>, StoreError> {
    let Some(profile) = profile::path()? else {
        return Ok(None);
    };
    let circuit = game.lowered();
    let (nodes, outputs, loops) = (circuit.nodes(), circuit.outputs(), circuit.loops());
    let (layout, initial) = (game.layout(), game.initial());
    let text = format!("{nodes:?} {outputs:?} {loops:?} {layout:?} {initial:?}");
    let name = format!("{}.json", Fnv64::of(text.as_bytes()));
    Ok(Some(profile.with_file_name("heuristics").join(name)))
}

fn read(path: &Path, bases: usize) -> Result<Option<Known>, StoreError> {
    let damaged = || StoreError::Damaged(path.to_path_buf());
    let text = match fs::read_to_string(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        read => read.map_err(|source| StoreError::Io {
            path: path.to_path_buf(),
            source,
        })?,
    };
    let version: Version = serde_json::from_str(&text).map_err(|_| damaged())?;
    if version.format != FORMAT {
        return Ok(None);
    }
    let stored: Stored = serde_json::from_str(&text).map_err(|_| damaged())?;
    let time = Duration::try_from_secs_f64(stored.seconds).map_err(|_| damaged())?;
    let Some(stored) = stored.evaluation else {
        let evaluation = None;
        return Ok(Some(Known { evaluation, time }));
    };
    let is_pair = |&[a, b]: &[u32; 2]| a < b && (b as usize) < bases;
    let is_sound = stored.bases == bases
        && stored.pairs.iter().all(is_pair)
        && stored.weights.len() == bases + stored.pairs.len();
    if !is_sound {
        return Err(damaged());
    }
    let features = Features::new(bases, stored.pairs);
    let weights = stored.weights.into_iter();
    let evaluation = Some(Evaluation::new(features, stored.constant, weights));
    Ok(Some(Known { evaluation, time }))
}

/// Writes the file at once or not at all, and makes the folder if that is missing.
fn write(path: &Path, known: &Known) -> io::Result<()> {
    let stored = |evaluation: &Evaluation| {
        let features = evaluation.features();
        StoredEvaluation {
            bases: features.bases(),
            pairs: features.pairs().to_vec(),
            constant: evaluation.constant(),
            weights: (0..features.len()).map(|at| evaluation.row(at)).collect(),
        }
    };
    let stored = Stored {
        format: FORMAT,
        seconds: known.time.as_secs_f64(),
        evaluation: known.evaluation.as_ref().map(stored),
    };
    write_whole(path, &serde_json::to_string(&stored)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_again_and_damaged_files_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("new").join("evaluation.json");
        assert_eq!(read(&path, 3).unwrap(), None);
        let weights = [0.1, -0.5, 3.75, 8.0].map(|weight| [weight, -weight, 0.0, 1.0 / 3.0]);
        let features = Features::new(3, vec![[0, 2]]);
        let evaluation = Evaluation::new(features, [1.0; COLUMNS], weights.into_iter());
        let time = Duration::from_millis(2500);
        for evaluation in [None, Some(evaluation)] {
            let known = Known { evaluation, time };
            write(&path, &known).unwrap();
            assert_eq!(read(&path, 3).unwrap(), Some(known));
        }
        assert!(matches!(read(&path, 4), Err(StoreError::Damaged(_))));
        let text = fs::read_to_string(&path).unwrap();
        fs::write(&path, "{\"format\":1,\"evaluation\":null}").unwrap();
        assert_eq!(read(&path, 3).unwrap(), None);
        for damaged in [
            &text[..text.len() / 2],
            "",
            &text.replace("[0,2]", "[0,3]"),
            &text.replace("[0,2]", "[2,2]"),
            &text.replace("\"seconds\":2.5", "\"seconds\":-2.5"),
            &text.replace(",\"weights\":[", ",\"weights\":[[1,1,1,1],"),
        ] {
            fs::write(&path, damaged).unwrap();
            assert!(
                matches!(read(&path, 3), Err(StoreError::Damaged(_))),
                "{damaged}"
            );
        }
    }
}
