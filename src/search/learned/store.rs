//! The store of evaluations on disk, a file for each game, so that a known game starts with one.
//!
//! They are in the folder `heuristics` beside [profiles](crate::game::profile). A file is named by a hash
//! of the game's circuit, so that names in the rulesheet do not matter. Deleting a file costs no more than
//! learning again. Other files are where the caller put them, for comparison.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::evaluation::Evaluation;
use super::inputs::{Inputs, Pattern, Tuple};
use super::trust::{Trust, TrustedEvaluation};
use super::weights::{Roles, Weights};
use crate::game::ground::{GroundGame, encoded};
use crate::support::directory::{self, DirectoryError, write_whole};
use crate::support::fnv::Fnv64;
use crate::support::input;

/// The version of the file's format, and of how is learned.
const FORMAT: u32 = 10;

/// The folder of evaluations.
const FOLDER: &str = "heuristics";

/// The earlier result of learning a game.
#[derive(Clone, PartialEq, Debug)]
pub struct Known {
    /// Its evaluation, unless it can have none.
    pub evaluation: Option<Arc<Evaluation>>,
    /// How far that is trusted, if it helps. If not, it may do so when more is learned.
    pub trust: Option<Trust>,
    /// How long learning was allowed to take, all in all.
    pub time: Duration,
}

/// The content of a file.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Stored {
    format: u32,
    /// The game's hash.
    game: Fnv64,
    seconds: f64,
    trust: Option<Trust>,
    evaluation: Option<StoredEvaluation>,
}

/// An evaluation in the file.
#[derive(Serialize, Deserialize)]
struct StoredEvaluation {
    /// The patterns that there are inputs for beside the propositions.
    patterns: Vec<Pattern>,
    /// The tuples whose contents count.
    tuples: Vec<Tuple>,
    /// Limits of weights are applied when it is read.
    #[serde(flatten)]
    weights: Weights,
}

impl StoredEvaluation {
    fn of(evaluation: &Evaluation) -> StoredEvaluation {
        StoredEvaluation {
            patterns: evaluation.inputs().patterns().to_vec(),
            tuples: evaluation.inputs().tuples().all().to_vec(),
            weights: evaluation.weights(),
        }
    }

    /// Restores it for a game of `bases` propositions and these roles; nothing if it cannot be one of that game.
    fn restored(self, bases: usize, roles: Option<Roles>) -> Option<Evaluation> {
        let roles = roles?;
        let valid = Inputs::are_valid(bases, &self.patterns, &self.tuples);
        let inputs = valid.then(|| Inputs::new(bases, self.patterns, self.tuples))?;
        let weights = (self.weights.inputs.len(), self.weights.cells.len());
        let fits = weights == (inputs.count(), inputs.tuples().cells());
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
    #[error("no directory for evaluations")]
    Directory(#[from] DirectoryError),
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
    #[error("{} is damaged; delete it", .0.display())]
    Damaged(PathBuf),
    /// It is something else.
    #[error("{} is not an evaluation; `propjit heuristics --save` writes these files", .0.display())]
    NoEvaluation(PathBuf),
    /// It is not an evaluation of this game, or of another version.
    #[error("{} has no evaluation of this game by this version; use `propjit heuristics --save` to write one", .0.display())]
    Other(PathBuf),
}

impl Known {
    /// Loads what is kept of a game, if anything is, by this version.
    ///
    /// # Errors
    /// When it cannot be read, or is damaged.
    pub fn load(game: &GroundGame) -> Result<Option<Known>, StoreError> {
        match kept(game, FOLDER)? {
            Some((path, hash)) => read(&path, &Shape::of(game, hash)),
            None => Ok(None),
        }
    }

    /// Keeps what is known of a game, unless profiles are switched off.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn save(&self, game: &GroundGame) -> Result<(), StoreError> {
        match kept(game, FOLDER)? {
            Some((path, hash)) => {
                let written = text(self, hash).and_then(|text| write_whole(&path, &text));
                written.map_err(|source| StoreError::Write { path, source })
            }
            None => Ok(()),
        }
    }

    /// Reads what was [written](Known::write) to a file about a game.
    ///
    /// # Errors
    /// When it cannot be read, or is not about this game.
    pub fn read(path: &Path, game: &GroundGame) -> Result<Known, StoreError> {
        let other = || StoreError::Other(path.to_path_buf());
        match read(path, &Shape::of(game, hash(game))) {
            Ok(Some(known)) => Ok(known),
            Ok(None) if path.exists() => Err(other()),
            Ok(None) => Err(StoreError::Read {
                path: path.to_path_buf(),
                source: io::Error::new(io::ErrorKind::NotFound, "there is no such file"),
            }),
            // It is not this program's to delete.
            Err(StoreError::Damaged(path)) => Err(StoreError::NoEvaluation(path)),
            Err(error) => Err(error),
        }
    }

    /// Writes what is known of a game to a file.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn write(&self, path: &Path, game: &GroundGame) -> Result<(), StoreError> {
        let written = text(self, hash(game)).and_then(|text| fs::write(path, text));
        written.map_err(|source| StoreError::Write {
            path: path.to_path_buf(),
            source,
        })
    }

    /// Returns the evaluation, if it helps.
    pub fn admitted(&self) -> Option<TrustedEvaluation> {
        TrustedEvaluation::new(self.evaluation.as_ref(), self.trust)
    }
}

/// The file of a game in a folder of what is kept of games, which need not exist, with the game's hash; none if profiles
/// are switched off.
///
/// # Errors
/// If there is no directory for it.
pub(in crate::search) fn kept(
    game: &GroundGame,
    folder: &str,
) -> Result<Option<(PathBuf, Fnv64)>, DirectoryError> {
    let Some(directory) = directory::configuration()? else {
        return Ok(None);
    };
    let hash = hash(game);
    let file = directory.join(folder).join(format!("{hash}.json"));
    Ok(Some((file, hash)))
}

/// The shape that an evaluation has to fit.
struct Shape {
    bases: usize,
    roles: Option<Roles>,
    game: Fnv64,
}

impl Shape {
    fn of(game: &GroundGame, hash: Fnv64) -> Shape {
        Shape {
            bases: game.layout().bases.len(),
            roles: Roles::of(game),
            game: hash,
        }
    }
}

/// A hash of a game, whatever its rulesheet calls things.
fn hash(game: &GroundGame) -> Fnv64 {
    let circuit = game.lowered().fingerprint();
    Fnv64::of(&encoded(&(circuit, game.interface_bytes())))
}

/// Reads what is known of a game; nothing if there is no such file, or it is of another version or game.
fn read(path: &Path, shape: &Shape) -> Result<Option<Known>, StoreError> {
    let damaged = || StoreError::Damaged(path.to_path_buf());
    let unreadable = |source| StoreError::Read {
        path: path.to_path_buf(),
        source,
    };
    let bytes = match fs::read(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        read => read.map_err(unreadable)?,
    };
    let text = input::text(&bytes).map_err(unreadable)?;
    let version: Version = serde_json::from_str(text).map_err(|_| damaged())?;
    if version.format != FORMAT {
        return Ok(None);
    }
    let stored: Stored = serde_json::from_str(text).map_err(|_| damaged())?;
    if stored.game != shape.game {
        return Ok(None);
    }
    let time = Duration::try_from_secs_f64(stored.seconds).map_err(|_| damaged())?;
    let evaluation = match stored.evaluation {
        Some(stored) => {
            let restored = stored.restored(shape.bases, shape.roles);
            Some(Arc::new(restored.ok_or_else(damaged)?))
        }
        None => None,
    };
    Ok(Some(Known {
        evaluation,
        trust: stored.trust,
        time,
    }))
}

/// Returns the contents of the file.
fn text(known: &Known, game: Fnv64) -> io::Result<String> {
    let stored = Stored {
        format: FORMAT,
        game,
        seconds: known.time.as_secs_f64(),
        trust: known.trust,
        evaluation: known.evaluation.as_deref().map(StoredEvaluation::of),
    };
    Ok(serde_json::to_string(&stored)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::load::Game;

    /// A match of one move, which is worth one of two goals to a role.
    fn rules(role: &str, goals: [i32; 2]) -> String {
        let [less, more] = goals;
        format!(
            "(role {role}) (init (at start)) (legal {role} stay) (legal {role} go)
             (<= (next (at end)) (true (at start)))
             (<= (next (at goal)) (true (at start)) (does {role} go))
             (<= terminal (true (at end)))
             (<= (goal {role} {more}) (true (at goal)))
             (<= (goal {role} {less}) (not (true (at goal))))"
        )
    }

    /// The hash of the game with these rules.
    fn hash_of(rules: &str) -> Fnv64 {
        let game = Game::from_text("test.kif", rules, &Default::default()).unwrap();
        hash(game.ground_game().unwrap())
    }

    #[test]
    fn games_with_other_goals_are_other_games() {
        let usual = hash_of(&rules("r", [0, 100]));
        // Names do not count.
        assert_eq!(hash_of(&rules("q", [0, 100])), usual);
        // The circuits of these are equal.
        for other in [rules("r", [0, 50]), rules("random", [0, 100])] {
            assert_ne!(hash_of(&other), usual, "{other}");
        }
    }

    #[test]
    fn what_is_written_is_read_again_and_damaged_files_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("new").join("evaluation.json");
        let two = Some(Roles::TWO);
        let shape = |bases, roles| Shape {
            bases,
            roles,
            game: Fnv64::of(b"this game"),
        };
        assert_eq!(read(&path, &shape(3, two)).unwrap(), None);
        let pattern = Pattern {
            parts: vec![0, 1, 2],
            blockers: Vec::new(),
        };
        let tuple = Tuple(vec![vec![0, 1], vec![2]]);
        let inputs = Arc::new(Inputs::new(3, vec![pattern], vec![tuple]));
        let mut weights = Weights::zero(&inputs);
        for (weight, number) in weights.each_mut().zip(-40..) {
            *weight = number as f32 / 30.0;
        }
        let evaluation = Arc::new(Evaluation::new(Roles::TWO, inputs, &weights));
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
            let text = text(&known, shape(3, two).game).unwrap();
            write_whole(&path, &text).unwrap();
            assert_eq!(read(&path, &shape(3, two)).unwrap(), Some(known));
        }
        assert!(matches!(
            read(&path, &shape(4, two)),
            Err(StoreError::Damaged(_))
        ));
        assert!(matches!(
            read(&path, &shape(3, None)),
            Err(StoreError::Damaged(_))
        ));
        let other = Shape {
            game: Fnv64::of(b"another"),
            ..shape(3, two)
        };
        assert_eq!(read(&path, &other).unwrap(), None);
        let text = fs::read_to_string(&path).unwrap();
        fs::write(&path, "{\"format\":1,\"evaluation\":null}").unwrap();
        assert_eq!(read(&path, &shape(3, two)).unwrap(), None);
        for damaged in [
            &text[..text.len() / 2],
            "",
            &text.replace("\"seconds\":2.5", "\"seconds\":-2.5"),
            &text.replace("\"direct\":[", "\"direct\":[1.0,"),
            &text.replace("\"hidden\"", "\"other\""),
            &text.replace("\"parts\":[0,", "\"parts\":[3,"),
            &text.replace("\"parts\":[0,", "\"parts\":["),
            &text.replace("\"tuples\":[[[0,1],[2]]]", "\"tuples\":[[[0,3],[2]]]"),
            &text.replace("\"tuples\":[[[0,1],[2]]]", "\"tuples\":[[[0,1]]]"),
        ] {
            fs::write(&path, damaged).unwrap();
            assert!(
                matches!(read(&path, &shape(3, two)), Err(StoreError::Damaged(_))),
                "{damaged}"
            );
        }
    }
}
