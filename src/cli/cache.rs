//! `propjit cache`: the cache of machine code on disk.

use std::fmt;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use clap::Subcommand;
use propjit::game::engine::cache;
use propjit::support::error_text::with_causes;
use propjit_jit::code::cache::{Cache, CacheError, Cleared, Listed};
use serde::Serialize;

use super::output::{Failure, Output};

/// Show or clear the cache of machine code
///
/// The cache is in the user's cache directory. The environment variable PROPJIT_CACHE sets another directory;
/// `off` disables the cache.
#[derive(clap::Args)]
pub(super) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Print the cache's directory
    Path,
    /// List the cache entries, most recently used first
    List,
    /// Remove all entries
    Clear,
}

pub(super) fn run(args: &Args, output: &mut Output) -> Result<(), Failure> {
    let failed = |error| Failure::Work(with_causes(&error));
    // The cache's location can be printed even when it cannot be used.
    if let Command::Path = args.command {
        let directory = cache::directory().map_err(failed)?.ok_or_else(off)?;
        return output.result(&Place {
            directory: text(&directory),
        });
    }
    let cache = cache::open().map_err(failed)?.ok_or_else(off)?;
    if let Command::Clear = args.command {
        let cleared = cache.clear().map_err(|error| failed(error.into()))?;
        output.result(&Removed::new(&cache, cleared))
    } else {
        let entries = cache.list().map_err(|error| failed(error.into()))?;
        output.result(&Contents::new(&cache, &entries))
    }
}

fn off() -> Failure {
    let variable = cache::VARIABLE;
    Failure::Work(format!("the code cache is disabled: {variable}=off"))
}

fn text(path: &Path) -> String {
    path.display().to_string()
}

#[derive(Serialize)]
struct Place {
    directory: String,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.directory)
    }
}

#[derive(Serialize)]
struct Removed {
    directory: String,
    entries: usize,
    bytes: u64,
}

impl Removed {
    fn new(cache: &Cache, Cleared { entries, bytes }: Cleared) -> Removed {
        Removed {
            directory: text(cache.directory()),
            entries,
            bytes,
        }
    }
}

impl fmt::Display for Removed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Removed {
            directory,
            entries,
            bytes,
        } = self;
        let kibibytes = kibibytes(*bytes);
        writeln!(
            f,
            "{directory}: {entries} entries removed, {kibibytes:.1} KiB"
        )
    }
}

#[derive(Serialize)]
struct Contents {
    directory: String,
    limit_bytes: u64,
    bytes: u64,
    entries: Vec<Entry>,
}

#[derive(Serialize)]
struct Entry {
    key: String,
    /// The game of the code, if the entry can be read.
    label: Option<String>,
    /// Why the entry will not be used.
    #[serde(skip_serializing_if = "Option::is_none")]
    refused: Option<String>,
    bytes: u64,
    /// When it was last used, in seconds since 1970.
    used: u64,
    /// How long ago that was.
    age_seconds: u64,
}

impl Contents {
    fn new(cache: &Cache, entries: &[Listed]) -> Contents {
        let sizes = entries.iter().map(|entry| entry.bytes);
        Contents {
            directory: text(cache.directory()),
            limit_bytes: cache.limit(),
            bytes: sizes.fold(0, u64::saturating_add),
            entries: entries.iter().map(Entry::new).collect(),
        }
    }
}

impl Entry {
    fn new(entry: &Listed) -> Entry {
        let now = SystemTime::now();
        // The file's time may be before 1970 or, with a wrong clock, in the future.
        let seconds = |to: SystemTime, from| to.duration_since(from).unwrap_or_default().as_secs();
        Entry {
            key: entry.key.to_string(),
            label: entry.label.as_ref().ok().cloned(),
            refused: entry.label.as_ref().err().map(reason),
            bytes: entry.bytes,
            used: seconds(entry.used, UNIX_EPOCH),
            age_seconds: seconds(now, entry.used),
        }
    }
}

impl fmt::Display for Contents {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for entry in &self.entries {
            write!(
                f,
                "{}  {:>9.1} KiB  {:>4} ago  ",
                &entry.key[..KEY_DIGITS],
                kibibytes(entry.bytes),
                age(entry.age_seconds)
            )?;
            if let Some(label) = &entry.label {
                writeln!(f, "{label}")?;
            }
            if let Some(reason) = &entry.refused {
                writeln!(f, "(refused: {reason})")?;
            }
        }
        writeln!(
            f,
            "{}: {} entries, {:.1} of {:.0} KiB",
            self.directory,
            self.entries.len(),
            kibibytes(self.bytes),
            kibibytes(self.limit_bytes)
        )
    }
}

/// Why an entry is not used; the list names the file already.
fn reason(error: &CacheError) -> String {
    match error {
        CacheError::Refused { reason, .. } => reason.to_string(),
        other => with_causes(other),
    }
}

/// Enough digits of a key to distinguish entries.
const KEY_DIGITS: usize = 12;

fn kibibytes(bytes: u64) -> f64 {
    bytes as f64 / 1024.0
}

/// A time in its largest whole unit.
fn age(seconds: u64) -> String {
    let units = [("d", 86_400), ("h", 3600), ("m", 60)];
    let unit = units.into_iter().find(|&(_, length)| seconds >= length);
    let (name, length) = unit.unwrap_or(("s", 1));
    format!("{}{name}", seconds / length)
}
