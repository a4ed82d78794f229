//! The substitute for `trust` on systems other than Unix: nothing is trusted.

use std::fs::File;
use std::path::Path;

use super::error::CacheError;

/// Creates no directory.
pub(super) fn create_directory(_path: &Path) -> Result<(), CacheError> {
    Err(CacheError::Unsupported)
}

/// Trusts no directory.
pub(super) fn check_directory(_path: &Path) -> Result<bool, CacheError> {
    Err(CacheError::Unsupported)
}

/// Opens no file.
pub(super) fn open(_path: &Path) -> Result<Option<(File, u64)>, CacheError> {
    Err(CacheError::Unsupported)
}
