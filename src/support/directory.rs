//! The user's directories, and others that the environment names; files in them.

use std::ffi::OsStr;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use etcetera::BaseStrategy;
use thiserror::Error;

/// The environment variable with the directory for the user's data, or `off`.
pub(crate) const CONFIGURATION: &str = "PROPJIT_CONFIG";

/// The purpose of a directory.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Purpose {
    /// Data that can be made again: `$XDG_CACHE_HOME` or `~/.cache`.
    Cache,
    /// The user's decisions: `$XDG_CONFIG_HOME` or `~/.config`.
    Configuration,
}

/// Why there is no directory.
#[derive(Debug, Error)]
pub enum DirectoryError {
    /// The user has no home directory.
    #[error("there is no home directory; set {variable} to another location")]
    NoHome {
        /// The environment variable that can name a directory.
        variable: &'static str,
        /// What is missing.
        source: etcetera::HomeDirError,
    },
    /// The current directory, which a relative path starts from, is gone.
    #[error("the path in {variable} is relative, but there is no current directory")]
    NoCurrentDirectory {
        /// The environment variable with the path.
        variable: &'static str,
        /// What is missing.
        source: io::Error,
    },
}

/// Returns the directory that the environment variable names, or else one among the user's
/// directories, `propjit` or for the cache `propjit/code`; none if the variable says `off`.
pub(crate) fn find(
    variable: &'static str,
    purpose: Purpose,
) -> Result<Option<PathBuf>, DirectoryError> {
    match std::env::var_os(variable).filter(|value| !value.is_empty()) {
        Some(value) if value == OsStr::new("off") => Ok(None),
        Some(path) => {
            let path = std::path::absolute(path);
            path.map(Some)
                .map_err(|source| DirectoryError::NoCurrentDirectory { variable, source })
        }
        None => {
            let user = etcetera::choose_base_strategy()
                .map_err(|source| DirectoryError::NoHome { variable, source })?;
            let directory = match purpose {
                Purpose::Cache => user.cache_dir().join("propjit").join("code"),
                Purpose::Configuration => user.config_dir().join("propjit"),
            };
            Ok(Some(directory))
        }
    }
}

/// Returns the directory for the user's data: profiles, and what was learned of games; none if that
/// is switched off.
pub(crate) fn configuration() -> Result<Option<PathBuf>, DirectoryError> {
    find(CONFIGURATION, Purpose::Configuration)
}

/// Writes a file at once or not at all, and makes its directory if that is missing.
pub(crate) fn write_whole(path: &Path, text: &str) -> io::Result<()> {
    let directory = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(directory)?;
    let mut file = tempfile::NamedTempFile::new_in(directory)?;
    file.write_all(text.as_bytes())?;
    file.persist(path)?;
    Ok(())
}
