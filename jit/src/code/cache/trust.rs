//! Ownership checks of files and directories.
//!
//! The contents of the cache will be executed, so only the user may have written them. Hashes
//! do not prove that: a process that can write an entry can write its hash. The checks are of
//! the open file, not of its name, so that it cannot be exchanged after the check; exchanging
//! a directory after its check gains nothing, as the files in it have to pass their own
//! checks.

use std::fs::{DirBuilder, File, Metadata};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::Path;

use rustix::fs::{Mode, OFlags};

use super::error::{CacheError, Refusal};

/// Creates the directory, and those above it, for the user alone.
pub(super) fn create_directory(path: &Path) -> Result<(), CacheError> {
    let created = DirBuilder::new().recursive(true).mode(0o700).create(path);
    created.map_err(CacheError::io("create", path))
}

/// Whether the directory exists.
///
/// # Errors
/// When it is not the user's own or others may write to it.
pub(super) fn check_directory(path: &Path) -> Result<bool, CacheError> {
    let metadata = match path.symlink_metadata() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
        metadata => metadata.map_err(CacheError::io("look at", path))?,
    };
    let checked = if metadata.is_symlink() {
        Err(Refusal::Symlink)
    } else if !metadata.is_dir() {
        let expected = "directory";
        Err(Refusal::Kind { expected })
    } else {
        check_rights(&metadata)
    };
    checked.map_err(CacheError::refused(path))?;
    Ok(true)
}

/// Opens a file to read, if it exists; also returns its length in bytes.
///
/// # Errors
/// When it is not a regular file of the user's own, or others may write to it.
pub(super) fn open(path: &Path) -> Result<Option<(File, u64)>, CacheError> {
    // Opening a pipe would otherwise wait for a writer.
    let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NOFOLLOW | OFlags::NONBLOCK;
    let file = match rustix::fs::open(path, flags, Mode::empty()) {
        Ok(file) => File::from(file),
        Err(rustix::io::Errno::NOENT) => return Ok(None),
        Err(rustix::io::Errno::LOOP) => return Err(CacheError::refused(path)(Refusal::Symlink)),
        Err(error) => return Err(CacheError::io("open", path)(error.into())),
    };
    let metadata = file.metadata().map_err(CacheError::io("look at", path))?;
    let checked = if metadata.is_file() {
        check_rights(&metadata)
    } else {
        let expected = "regular file";
        Err(Refusal::Kind { expected })
    };
    checked.map_err(CacheError::refused(path))?;
    Ok(Some((file, metadata.len())))
}

fn check_rights(metadata: &Metadata) -> Result<(), Refusal> {
    let user = rustix::process::geteuid().as_raw();
    let owner = metadata.uid();
    if owner != user {
        return Err(Refusal::Foreign { owner, user });
    }
    // Access control lists show here, too: their mask is the group's rights.
    let mode = metadata.mode() & 0o7777;
    if mode & 0o022 != 0 {
        return Err(Refusal::Writable { mode });
    }
    Ok(())
}
