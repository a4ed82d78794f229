//! The user's cache of machine code: where it is, and whether there is one.
//!
//! By default it is `propjit/code` in the user's directory for caches
//! (`$XDG_CACHE_HOME` or `~/.cache`). The environment variable [`VARIABLE`] names another
//! directory, or switches the cache off if it is `off`. Deleting the directory
//! costs no more than compiling again.

use std::ffi::OsStr;
use std::io;
use std::path::PathBuf;

use etcetera::BaseStrategy;
use propjit_jit::code::cache::{Cache, CacheError, DEFAULT_LIMIT};
use thiserror::Error;

/// The environment variable with the cache's directory, or `off`.
pub const VARIABLE: &str = "PROPJIT_CACHE";

/// Why there is no cache although it is not switched off.
#[derive(Debug, Error)]
pub enum OpenError {
    /// The user has no home directory.
    #[error("there is no home directory for the code cache; PROPJIT_CACHE can name another place")]
    NoHome(#[source] etcetera::HomeDirError),
    /// The current directory, which a relative path starts from, is gone.
    #[error("the path in PROPJIT_CACHE starts nowhere")]
    NoCurrentDirectory(#[source] io::Error),
    /// The directory cannot be used.
    #[error("the code cache cannot be used")]
    Cache(#[from] CacheError),
}

/// The directory of the user's cache, which need not exist; none if it is
/// switched off.
///
/// # Errors
/// When neither the environment nor the user has a directory for it.
pub fn directory() -> Result<Option<PathBuf>, OpenError> {
    match std::env::var_os(VARIABLE).filter(|value| !value.is_empty()) {
        Some(value) if value == OsStr::new("off") => Ok(None),
        Some(path) => {
            let path = std::path::absolute(path);
            path.map(Some).map_err(OpenError::NoCurrentDirectory)
        }
        None => {
            let user = etcetera::choose_base_strategy().map_err(OpenError::NoHome)?;
            Ok(Some(user.cache_dir().join("propjit").join("code")))
        }
    }
}

/// The user's cache, with the default limit; none if it is switched off.
///
/// # Errors
/// When there is no directory for it, or that is refused.
pub fn open() -> Result<Option<Cache>, OpenError> {
    let cache = |directory| Cache::open(directory, DEFAULT_LIMIT);
    Ok(directory()?.map(cache).transpose()?)
}
