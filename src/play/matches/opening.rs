//! Openings: joint moves that are made before the players' first choice.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use propjit_stop::Stop;
use rand::seq::IndexedRandom;

use super::rulesheet::Rulesheet;
use super::script::Script;
use super::script_error::ScriptError;
use crate::game::load::LoadError;
use crate::game::machine::MachineError;
use crate::game::position::History;
use crate::support::fnv::Fnv64;
use crate::support::input::read_text;
use crate::support::rng::streams;

/// The joint moves of an opening, one move for each role in role order.
pub type Opening = Arc<[Vec<String>]>;

/// The source of openings.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub enum Openings {
    /// Matches start in the initial state.
    #[default]
    None,
    /// This many random joint moves.
    Random(usize),
    /// Those of a file.
    File(OpeningFile),
}

/// A file with an opening a line: joint moves, separated by semicolons. After the last one comes
/// the first again. A line may begin with the name of its game and a colon, and must do so if
/// several games are played.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OpeningFile {
    path: PathBuf,
    text: Arc<str>,
}

impl OpeningFile {
    /// The text in a file, or all of standard input.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn read(path: &Path) -> Result<OpeningFile, OpeningError> {
        let text = read_text(path).map_err(|source| OpeningError::Read {
            path: path.to_path_buf(),
            source,
        })?;
        Ok(OpeningFile {
            path: path.to_path_buf(),
            text: text.into(),
        })
    }

    /// The hash of the text.
    pub(super) fn hash(&self) -> Fnv64 {
        Fnv64::of(self.text.as_bytes())
    }
}

/// Why there is no opening.
#[derive(Debug, thiserror::Error)]
pub enum OpeningError {
    /// There is no such length of random openings.
    #[error("`{0}` is not a number of joint moves from 1 to 1000, as in random:4")]
    Depth(String),
    /// The file cannot be read.
    #[error("cannot read {}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// The file has none for a game.
    #[error("{} has no opening for {game}", path.display())]
    Missing {
        /// The file.
        path: PathBuf,
        /// The game.
        game: String,
    },
    /// A line is no sequence of joint moves.
    #[error("{}:{line} is not an opening of {game}", path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// The game.
        game: String,
        /// The cause.
        source: Box<ScriptError>,
    },
    /// The match is over after it.
    #[error("{}:{line}: the match is over after this opening", path.display())]
    Over {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
    },
    /// No random opening of this length was found.
    #[error(
        "in {game}, all of {TRIES} sequences of {depth} random joint moves end the match: use a lower depth"
    )]
    Random {
        /// The game.
        game: String,
        /// The number of joint moves.
        depth: usize,
    },
    /// The game cannot be loaded.
    #[error(transparent)]
    Load(#[from] Arc<LoadError>),
    /// The game cannot be evaluated.
    #[error(transparent)]
    Machine(#[from] MachineError),
}

/// How often a random opening is tried.
const TRIES: usize = 1000;

impl Openings {
    /// Reads `random:N`, or the openings in the file of this name.
    ///
    /// # Errors
    /// [`OpeningError::Depth`], or when the file cannot be read.
    pub fn read(text: &str) -> Result<Openings, OpeningError> {
        match text.strip_prefix("random:") {
            None => OpeningFile::read(Path::new(text)).map(Openings::File),
            Some(depth) => match depth.parse() {
                Ok(depth @ 1..=1000) => Ok(Openings::Random(depth)),
                _ => Err(OpeningError::Depth(depth.to_string())),
            },
        }
    }
}

impl fmt::Display for Openings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Openings::None => f.write_str("none"),
            Openings::Random(depth) => write!(f, "random:{depth}"),
            Openings::File(file) => write!(f, "{}", file.path.display()),
        }
    }
}

/// The openings of a game, checked.
#[derive(Clone, Debug)]
pub struct GameOpenings {
    game: String,
    rulesheet: Arc<Rulesheet>,
    /// The number of random joint moves.
    depth: usize,
    /// Those of a file.
    listed: Vec<Opening>,
    seed: u64,
}

impl GameOpenings {
    /// Makes the openings of the game of this name. It is `alone` if a line of a file need not name
    /// it. Random ones depend on the seed and the name.
    ///
    /// # Errors
    /// When the file has none, or they are wrong.
    pub fn new(
        openings: &Openings,
        (game, rulesheet): (&str, &Arc<Rulesheet>),
        alone: bool,
        seed: u64,
    ) -> Result<GameOpenings, OpeningError> {
        let listed = match openings {
            Openings::File(file) => listed(file, game, rulesheet, alone)?,
            _ => Vec::new(),
        };
        let of_name = game.bytes().fold(seed, |seed, byte| {
            seed.wrapping_mul(31).wrapping_add(u64::from(byte))
        });
        Ok(GameOpenings {
            game: game.to_string(),
            rulesheet: rulesheet.clone(),
            depth: match openings {
                Openings::Random(depth) => *depth,
                _ => 0,
            },
            listed,
            seed: of_name,
        })
    }

    /// Returns the opening of this number, from 0; none of any length if a stop comes during the
    /// search for it.
    ///
    /// # Errors
    /// When the game cannot be evaluated, or random openings all end the match.
    pub fn get(&self, number: u64, stop: &Stop) -> Result<Opening, OpeningError> {
        if !self.listed.is_empty() {
            return Ok(self.listed[number as usize % self.listed.len()].clone());
        }
        if self.depth == 0 {
            return Ok(Opening::default());
        }
        let mut rng = streams(self.seed.wrapping_add(number))
            .next()
            .expect("streams do not end");
        let mut history = History::new(self.rulesheet.game()?.follow()?);
        for _ in 0..TRIES {
            history.go_back(0);
            let mut opening = Vec::new();
            while opening.len() < self.depth && !history.is_over()? {
                if stop.is_set() {
                    return Ok(Opening::default());
                }
                let legal = history.legal()?;
                let joint = legal.iter().map(|moves| moves.choose(&mut rng).cloned());
                let Some(joint) = joint.collect::<Option<Vec<String>>>() else {
                    break;
                };
                history.play(&joint)?;
                opening.push(joint);
            }
            if opening.len() == self.depth && !history.is_over()? {
                return Ok(opening.into());
            }
        }
        Err(OpeningError::Random {
            game: self.game.clone(),
            depth: self.depth,
        })
    }
}

/// The openings of a game in a file.
fn listed(
    OpeningFile { path, text }: &OpeningFile,
    game: &str,
    rulesheet: &Arc<Rulesheet>,
    alone: bool,
) -> Result<Vec<Opening>, OpeningError> {
    let mut found = Vec::new();
    let mut history = History::new(rulesheet.game()?.follow()?);
    for (line, number) in text.lines().zip(1..) {
        let line = line.trim();
        let named = line.split_once(':').map(|(name, rest)| (name.trim(), rest));
        let moves = match named {
            Some((name, rest)) if name == game => rest,
            _ if alone => line,
            _ => continue,
        };
        // Names of moves may have colons, too.
        let may_be_of_another = named.is_some_and(|(name, _)| moves == line && is_name(name));
        if moves.trim().is_empty() || line.starts_with(';') {
            continue;
        }
        history.go_back(0);
        let place = |source| OpeningError::Line {
            path: path.to_path_buf(),
            line: number,
            game: game.to_string(),
            source: Box::new(source),
        };
        match history.follow(&Script::inline(moves)) {
            Err(_) if may_be_of_another => continue,
            followed => followed.map_err(place)?,
        };
        if history.is_over()? {
            return Err(OpeningError::Over {
                path: path.to_path_buf(),
                line: number,
            });
        }
        found.push(history.joint_moves().into());
    }
    match found.is_empty() {
        true => Err(OpeningError::Missing {
            path: path.to_path_buf(),
            game: game.to_string(),
        }),
        false => Ok(found),
    }
}

/// Returns whether the text before a colon may name a game: it contains no moves.
fn is_name(before: &str) -> bool {
    !before.is_empty() && !before.contains(['(', ')', '|', ';'])
}
