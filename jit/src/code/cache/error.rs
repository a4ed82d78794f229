//! Errors of the cache.

use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

/// The reason why the cache cannot be used, or not for this entry. The remedy is always
/// the same: compile the circuit afresh.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum CacheError {
    /// There is no cache on systems whose file permissions are not supported.
    #[error("the code cache needs a Unix system")]
    Unsupported,
    /// The operating system refuses a file or directory.
    #[error("cannot {action} `{path}`")]
    Io {
        /// The action that failed, such as "read".
        action: &'static str,
        /// The file or directory.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// We refuse a file or directory.
    #[error("`{path}` is refused: {reason}")]
    Refused {
        /// The file or directory.
        path: PathBuf,
        /// Our reason.
        reason: Refusal,
    },
    /// The entry alone is larger than the whole cache may be.
    #[error("an entry of {bytes} bytes exceeds the cache's limit of {limit} bytes")]
    TooLarge {
        /// The size of the entry's file, in bytes.
        bytes: u64,
        /// The limit of all entries together, in bytes.
        limit: u64,
    },
}

impl CacheError {
    /// Turns the system's errors with this path into ours.
    pub(super) fn io(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> CacheError {
        move |source| CacheError::Io {
            action,
            path: path.to_owned(),
            source,
        }
    }

    /// Turns our reasons to refuse this path into errors.
    pub(super) fn refused(path: &Path) -> impl FnOnce(Refusal) -> CacheError {
        move |reason| CacheError::Refused {
            path: path.to_owned(),
            reason,
        }
    }
}

/// The reason why a file or directory is not trusted, or is not an entry.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[non_exhaustive]
pub enum Refusal {
    /// Links may lead to files of others.
    #[error("it is a symbolic link")]
    Symlink,
    /// A directory in place of a file, or the other way round, or a device.
    #[error("it is not a {expected}")]
    Kind {
        /// The expected kind of file.
        expected: &'static str,
    },
    /// It belongs to another user.
    #[error("it belongs to user {owner}, not to user {user} that runs this process")]
    Foreign {
        /// The number of the user that owns it.
        owner: u32,
        /// The number of the user that the process acts for.
        user: u32,
    },
    /// Others may write to it.
    #[error("other users can write to it (mode {mode:04o}); run `chmod go-w` on it")]
    Writable {
        /// Its permission bits.
        mode: u32,
    },
    /// The file does not start like an entry.
    #[error("it is not a cache entry")]
    Magic,
    /// The entry was written by another version of this program.
    #[error("it has format {found}, not format {expected}")]
    Version {
        /// The version in the file.
        found: u32,
        /// The version that we read and write.
        expected: u32,
    },
    /// The file is cut off or has something at its end, or its lengths are damaged.
    #[error("its length of {bytes} bytes differs from the one in its header")]
    Length {
        /// The size of the file, in bytes.
        bytes: u64,
    },
    /// The entry has the name of another.
    #[error("it holds code for another key")]
    Key,
    /// The description is not one of machine code.
    #[error("it does not describe its code correctly")]
    Description,
    /// The entry is not as it was written.
    #[error("its content is damaged: the hash differs")]
    Hash,
}

impl Refusal {
    /// Returns whether the refusal is about the content of the file, not about its owner.
    pub(super) fn is_damage(&self) -> bool {
        use Refusal::*;
        matches!(
            self,
            Magic | Version { .. } | Length { .. } | Key | Description | Hash
        )
    }
}
