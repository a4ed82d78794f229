//! Evaluations on disk, a file for each game, so that a known game starts with one.
//!
//! They are in the folder `heuristics` of the directory of [profiles](crate::profile). A file is
//! named by a hash of the game's circuit, for which it does not matter what the rulesheet calls
//! things. Deleting a file costs no more than learning again. Others are where they were asked for, to be compared.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::evaluation::Evaluation;
use super::patterns::{Inputs, Pattern};
use super::trust::{Trust, TrustedEvaluation};
use super::weights::{Roles, Weights};
use crate::directory::write_whole;
use crate::fnv::Fnv64;
use crate::ground::GroundGame;
use crate::profile::{self, ProfileError};

/// The version of the file's format, and of how is learned.
const FORMAT: u32 = 8;

/// What was learned of a game before.
#[derive(Clone, PartialEq, Debug)]
pub struct Known {
    /// Its evaluation, unless it can have none.
    pub evaluation: Option<Arc<Evaluation>>,
    /// How far that is trusted, if it is of use. If not, it may become so when more is learned.
    pub trust: Option<Trust>,
    /// How long learning was allowed to take, all in all.
    pub time: Duration,
}

/// The content of a file.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Stored {
    format: u32,
    seconds: f64,
    trust: Option<Trust>,
    evaluation: Option<StoredEvaluation>,
}

/// An evaluation in the file.
#[derive(Serialize, Deserialize)]
struct StoredEvaluation {
    /// What there are inputs for beside the propositions.
    patterns: Vec<Pattern>,
    /// Limits of weights are applied when it is read.
    #[serde(flatten)]
    weights: Weights,
}

impl StoredEvaluation {
    fn of(evaluation: &Evaluation) -> StoredEvaluation {
        StoredEvaluation {
            patterns: evaluation.inputs().patterns().to_vec(),
            weights: evaluation.weights(),
        }
    }

    /// For a game of so many propositions and roles; nothing if it cannot be one of that game.
    fn restored(self, bases: usize, roles: usize) -> Option<Evaluation> {
        let roles = Roles::new(roles)?;
        let valid = Inputs::are_valid(bases, &self.patterns);
        let inputs = valid.then(|| Inputs::new(bases, self.patterns))?;
        let fits = inputs.count() == self.weights.inputs.len();
        fits.then(|| Evaluation::new(roles, Arc::new(inputs), &self.weights))
    }
}

/// The part of a file that all versions have.
#[derive(Deserialize)]
struct Version {
    format: u32,
}

/// Why a file cannot be used.
#[derive(Debug, Error)]
pub enum StoreError {
    /// There is no directory for it.
    #[error(transparent)]
    Directory(#[from] ProfileError),
    /// It cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// It cannot be written.
    #[error("cannot write {}: {source}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// It is not the evaluation of such a game.
    #[error("{} is damaged; it may be deleted", .0.display())]
    Damaged(PathBuf),
    /// It is not an evaluation of this game, or of another version.
    #[error("{} has no evaluation of this game by this version; learn one and save it there", .0.display())]
    Other(PathBuf),
}

impl Known {
    /// What is kept of a game, if anything is, by this version.
    ///
    /// # Errors
    /// When it cannot be read, or is damaged.
    pub fn load(game: &GroundGame) -> Result<Option<Known>, StoreError> {
        match path(game)? {
            Some(path) => read(&path, game.layout().bases.len(), game.roles().len()),
            None => Ok(None),
        }
    }

    /// Keeps what is known of a game, unless profiles are switched off.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn save(&self, game: &GroundGame) -> Result<(), StoreError> {
        match path(game)? {
            Some(path) => write(&path, self).map_err(|source| StoreError::Write { path, source }),
            None => Ok(()),
        }
    }

    /// What was [written](Known::write) to a file about a game.
    ///
    /// # Errors
    /// When it cannot be read, or is not about this game.
    pub fn read(path: &Path, game: &GroundGame) -> Result<Known, StoreError> {
        let other = || StoreError::Other(path.to_path_buf());
        match read(path, game.layout().bases.len(), game.roles().len()) {
            Ok(Some(known)) => Ok(known),
            Ok(None) if path.exists() => Err(other()),
            Ok(None) => Err(StoreError::Read {
                path: path.to_path_buf(),
                source: io::Error::new(io::ErrorKind::NotFound, "there is no such file"),
            }),
            // The file of another game looks like that.
            Err(StoreError::Damaged(_)) => Err(other()),
            Err(error) => Err(error),
        }
    }

    /// Writes what is known to a file.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn write(&self, path: &Path) -> Result<(), StoreError> {
        let written = text(self).and_then(|text| fs::write(path, text));
        written.map_err(|source| StoreError::Write {
            path: path.to_path_buf(),
            source,
        })
    }

    /// The evaluation, if it is of use.
    pub fn admitted(&self) -> Option<TrustedEvaluation> {
        TrustedEvaluation::new(self.evaluation.as_ref(), self.trust)
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

fn read(path: &Path, bases: usize, roles: usize) -> Result<Option<Known>, StoreError> {
    let damaged = || StoreError::Damaged(path.to_path_buf());
    let text = match fs::read_to_string(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        read => read.map_err(|source| StoreError::Read {
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
    let evaluation = match stored.evaluation {
        Some(stored) => Some(Arc::new(stored.restored(bases, roles).ok_or_else(damaged)?)),
        None => None,
    };
    Ok(Some(Known {
        evaluation,
        trust: stored.trust,
        time,
    }))
}

/// Writes the file at once or not at all, and makes the folder if that is missing.
fn write(path: &Path, known: &Known) -> io::Result<()> {
    write_whole(path, &text(known)?)
}

/// What is in the file.
fn text(known: &Known) -> io::Result<String> {
    let stored = Stored {
        format: FORMAT,
        seconds: known.time.as_secs_f64(),
        trust: known.trust,
        evaluation: known.evaluation.as_deref().map(StoredEvaluation::of),
    };
    Ok(serde_json::to_string(&stored)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_again_and_damaged_files_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("new").join("evaluation.json");
        assert_eq!(read(&path, 3, 2).unwrap(), None);
        let pattern = Pattern {
            parts: vec![0, 1, 2],
            blockers: Vec::new(),
        };
        let inputs = Arc::new(Inputs::new(3, vec![pattern]));
        let mut weights = Weights::zero(inputs.count());
        for (weight, number) in weights.each_mut().zip(-40..) {
            *weight = number as f32 / 30.0;
        }
        let evaluation = Arc::new(Evaluation::new(Roles::new(2).unwrap(), inputs, &weights));
        for (evaluation, trust) in [
            (None, None),
            (Some(evaluation.clone()), Some(Trust::Full)),
            (Some(evaluation.clone()), Some(Trust::Hint)),
            (Some(evaluation), None),
        ] {
            let known = Known {
                evaluation,
                trust,
                time: Duration::from_millis(2500),
            };
            write(&path, &known).unwrap();
            assert_eq!(read(&path, 3, 2).unwrap(), Some(known));
        }
        assert!(matches!(read(&path, 4, 2), Err(StoreError::Damaged(_))));
        assert!(matches!(read(&path, 3, 5), Err(StoreError::Damaged(_))));
        let text = fs::read_to_string(&path).unwrap();
        fs::write(&path, "{\"format\":1,\"evaluation\":null}").unwrap();
        assert_eq!(read(&path, 3, 2).unwrap(), None);
        for damaged in [
            &text[..text.len() / 2],
            "",
            &text.replace("\"seconds\":2.5", "\"seconds\":-2.5"),
            &text.replace("\"direct\":[", "\"direct\":[1.0,"),
            &text.replace("\"hidden\"", "\"other\""),
            &text.replace("\"parts\":[0,", "\"parts\":[3,"),
            &text.replace("\"parts\":[0,", "\"parts\":["),
        ] {
            fs::write(&path, damaged).unwrap();
            assert!(
                matches!(read(&path, 3, 2), Err(StoreError::Damaged(_))),
                "{damaged}"
            );
        }
    }
}
