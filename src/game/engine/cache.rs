//! The user's cache of machine code: its directory, and whether it is used.
//!
//! By default it is `propjit/code` in the user's directory for caches
//! (`$XDG_CACHE_HOME` or `~/.cache`). The environment variable [`VARIABLE`] names another
//! directory, or switches the cache off if it is `off`. Deleting the directory
//! costs only compiling again.

use std::path::PathBuf;

use propjit_jit::code::cache::{Cache, CacheError, DEFAULT_LIMIT};
use thiserror::Error;

use crate::support::directory::{self, DirectoryError, Purpose};

/// The environment variable with the cache's directory, or `off`.
pub const VARIABLE: &str = "PROPJIT_CACHE";

/// Reasons why there is no cache although it is not switched off.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum OpenError {
    /// No directory for it is known.
    #[error("no directory for the code cache")]
    Directory(#[from] DirectoryError),
    /// The directory cannot be used.
    #[error("cannot use the code cache")]
    Cache(#[from] CacheError),
}

/// Returns the directory of the user's cache, which does not have to exist. `None` if the cache is
/// switched off.
///
/// # Errors
/// When neither the environment nor the user has a directory for it.
pub fn directory() -> Result<Option<PathBuf>, OpenError> {
    Ok(directory::find(VARIABLE, Purpose::Cache)?)
}

/// Opens the user's cache, with the default limit. `None` if it is switched off.
///
/// # Errors
/// When there is no directory for it, or that is refused.
pub fn open() -> Result<Option<Cache>, OpenError> {
    let cache = |directory| Cache::open(directory, DEFAULT_LIMIT);
    Ok(directory()?.map(cache).transpose()?)
}
