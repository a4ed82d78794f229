//! The store of trial scores on disk, a file for each game, so that the search for a known game is chosen at once.
//!
//! They are in the folder `searches` beside [evaluations](crate::search::learned), named alike. Deleting a file costs no
//! more than trial matches.

use std::fs::{self, File};
use std::io;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::score::TrialScore;
use crate::game::ground::GroundGame;
use crate::search::learned::kept;
use crate::support::directory::write_whole;
use crate::support::fnv::Fnv64;

/// The version of the file's format, and of how both searches play.
const FORMAT: u32 = 1;

/// The folder of scores.
const FOLDER: &str = "searches";

/// The content of a file.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Stored {
    format: u32,
    /// The hash of the evaluation with which the last matches were played.
    evaluation: Fnv64,
    score: TrialScore,
}

/// Returns the score that is kept of a game with an evaluation of this hash: with another one, matches count less.
pub(super) fn load(game: &GroundGame, evaluation: Fnv64) -> TrialScore {
    match kept(game, FOLDER) {
        Ok(Some((path, _))) => read(&path, evaluation),
        // Why there is no directory was reported with the evaluation.
        _ => TrialScore::default(),
    }
}

/// Adds matches to what is kept of a game, unless profiles are switched off.
///
/// # Errors
/// When the file cannot be written.
pub(super) fn add(game: &GroundGame, evaluation: Fnv64, score: TrialScore) -> io::Result<()> {
    match kept(game, FOLDER).map_err(io::Error::other)? {
        Some((path, _)) => add_to(&path, evaluation, score),
        None => Ok(()),
    }
}

/// Adds matches to a file.
fn add_to(path: &Path, evaluation: Fnv64, score: TrialScore) -> io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder)?;
    // Other processes may add matches at the same time; files are replaced, so that the lock is elsewhere. Some file
    // systems have no locks: matches may be lost there.
    let lock = File::create(folder.join("lock"))?;
    let _ = lock.lock();
    let mut all = read(path, evaluation);
    all.merge(score);
    let stored = Stored {
        format: FORMAT,
        evaluation,
        score: all,
    };
    write_whole(path, &serde_json::to_string(&stored)?)
}

/// Reads a file. What is missing, damaged or of another version counts as nothing.
fn read(path: &Path, evaluation: Fnv64) -> TrialScore {
    let text = fs::read_to_string(path).unwrap_or_default();
    let Ok(stored) = serde_json::from_str::<Stored>(&text) else {
        return TrialScore::default();
    };
    match stored.format == FORMAT && stored.score.is_valid() {
        true if stored.evaluation == evaluation => stored.score,
        true => stored.score.faded(),
        false => TrialScore::default(),
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;

    #[test]
    fn matches_of_several_processes_add_up() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("new").join("a.json");
        let [one, other] = [Fnv64::of(b"one"), Fnv64::of(b"other")];
        let mut won = TrialScore::default();
        won.add(1.0);
        thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..5 {
                        add_to(&path, one, won).unwrap();
                    }
                });
            }
        });
        assert_eq!(read(&path, one).to_string(), "20 of 20");
        assert_eq!(read(&path, other).to_string(), "10 of 10");
        let missing = path.with_file_name("b.json");
        assert_eq!(read(&missing, one), TrialScore::default());
        add_to(&path, other, TrialScore::default()).unwrap();
        assert_eq!(read(&path, other).to_string(), "10 of 10");
    }

    #[test]
    fn damaged_files_count_as_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.json");
        let hash = Fnv64::of(b"one");
        let mut won = TrialScore::default();
        won.add(1.0);
        add_to(&path, hash, won).unwrap();
        let text = fs::read_to_string(&path).unwrap();
        assert_eq!(read(&path, hash), won);
        for damaged in [
            &text[..text.len() / 2],
            "",
            &text.replace("\"format\":1", "\"format\":0"),
            &text.replace("\"points\":1", "\"points\":2"),
            &text.replace("\"matches\":1", "\"matches\":-1"),
            &text.replace("\"matches\":1.0", "\"matches\":null"),
        ] {
            fs::write(&path, damaged).unwrap();
            assert_eq!(read(&path, hash), TrialScore::default(), "{damaged}");
            add_to(&path, hash, won).unwrap();
            assert_eq!(read(&path, hash), won);
        }
    }
}
