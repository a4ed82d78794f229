//! A cache of machine code on disk, so that a known circuit starts without a compiler.
//!
//! A [`Cache`] is a directory of the user's own with one file for each piece of code,
//! named by the [`CacheKey`] of all that the code depends on. Code is mapped into memory
//! directly from its file: nothing is copied, and processes that play the same game
//! share the memory.
//!
//! Mapped files will be executed. So files that another user could have written are
//! refused (see `trust`), and files that are not exactly as they were written are refused
//! (see `format`): the hash is taken over the very memory that is to become executable.
//! A caller that requests refused code gets the [reason](Refusal) and compiles afresh;
//! storing the new code replaces the refused file.
//!
//! Files are written under another name and renamed, and never changed afterwards.
//! So processes can use a cache at the same time without locks, and a process that is
//! killed leaves no partial entry. Nor does a crash of the machine: data that the system
//! had not written yet makes the hash wrong.

mod error;
mod format;
mod key;
#[cfg_attr(not(unix), path = "cache/elsewhere.rs")]
mod trust;
mod upkeep;

use std::fs::{self, File};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use memmap2::MmapOptions;

pub use error::{CacheError, Refusal};
pub use key::{CacheKey, KeyHasher};
pub use upkeep::{Cleared, Listed};

use super::memory::Executable;
use format::{HEADER, Header, MAX_LABEL};

/// The usual limit of a cache's size: 512 MiB, in bytes.
pub const DEFAULT_LIMIT: u64 = 512 << 20;

/// A directory with machine code.
#[derive(Clone, Debug)]
pub struct Cache {
    directory: PathBuf,
    limit: u64,
}

/// A piece of machine code from a cache.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The description that was stored with the code.
    pub description: Vec<u8>,
    /// The code.
    pub code: Executable,
}

impl Cache {
    /// The cache in this directory, whose entries may together have `limit` bytes. The
    /// directory is created when there is something to store.
    ///
    /// # Errors
    /// When the directory exists, but is not the user's own, others may write to it, or
    /// it is a symbolic link; always, on systems other than Unix.
    pub fn open(directory: impl AsRef<Path>, limit: u64) -> Result<Cache, CacheError> {
        // Without a slash at the end, which would make the system follow a link.
        let directory: PathBuf = directory.as_ref().components().collect();
        trust::check_directory(&directory)?;
        Ok(Cache { directory, limit })
    }

    /// The cache's directory.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// The most bytes of all entries together.
    pub fn limit(&self) -> u64 {
        self.limit
    }

    /// The entry with this key, if there is one, mapped and ready to run.
    ///
    /// # Errors
    /// When the entry is refused or cannot be read or mapped. One that is the user's own,
    /// but not as it was written, is removed as well.
    pub fn load(&self, key: &CacheKey) -> Result<Option<Entry>, CacheError> {
        let path = self.path(key);
        let Some((file, length)) = trust::open(&path)? else {
            return Ok(None);
        };
        let loaded = self.load_from(&file, length, &path, key);
        if let Err(CacheError::Refused { reason, .. }) = &loaded
            && reason.is_damage()
        {
            // If another process has just replaced it by a good one, that costs
            // one compilation. If it cannot be removed, it is refused again.
            let _ = fs::remove_file(&path);
        }
        loaded.map(Some)
    }

    fn load_from(
        &self,
        mut file: &File,
        length: u64,
        path: &Path,
        key: &CacheKey,
    ) -> Result<Entry, CacheError> {
        if length > self.limit {
            return Err(self.too_large(length));
        }
        let header = read_header(file, length, path)?;
        let rest = read(&mut file, header.rest(), length, path)?;
        let mut options = MmapOptions::new();
        options.offset(header.code_at).len(header.code);
        // SAFETY: the mapping must not change while it is borrowed. It is private, so
        // that we do not change it through another mapping; the file can be written
        // only by the user's own processes, and we never write to a file that has an
        // entry's name. (A process of the user that is bent on it could as well
        // change our memory directly.)
        let map = unsafe { options.map_copy(file) };
        let map = map.map_err(CacheError::io("map", path))?;
        let verified = header.verify(key, &rest, &map);
        verified.map_err(CacheError::refused(path))?;
        let code = Executable::publish(map);
        let code = code.map_err(CacheError::io("execute what is in", path))?;
        // Only the order of removal depends on it: see `evict`.
        let _ = file.set_modified(SystemTime::now());
        Ok(Entry {
            description: header.description(&rest).to_vec(),
            code,
        })
    }

    /// Stores code, which must not depend on the address it runs at, and removes the
    /// entries that were not used for longest until the rest is within the limit.
    /// An older entry of the key is replaced, and lives on where it is loaded.
    ///
    /// The label is for people; only its first 255 bytes are kept.
    ///
    /// # Errors
    /// When the entry is larger than the limit, the directory is refused, or the system
    /// does not let us write.
    pub fn store(
        &self,
        key: &CacheKey,
        label: &str,
        description: &[u8],
        code: &[u8],
    ) -> Result<(), CacheError> {
        let label = &label[..label.floor_char_boundary(MAX_LABEL)];
        let front = format::encode(key, label, description, code);
        let length = front.len() as u64 + code.len() as u64;
        if length > self.limit {
            return Err(self.too_large(length));
        }
        let path = self.path(key);
        let directory = &self.directory;
        if !trust::check_directory(directory)? {
            trust::create_directory(directory)?;
            trust::check_directory(directory)?;
        }
        let mut names = tempfile::Builder::new();
        // Only the user can read and write such files; if we fail, it is removed.
        let file = names.prefix(TEMPORARY).tempfile_in(directory);
        let mut file = file.map_err(CacheError::io("write in", directory))?;
        let written = file.write_all(&front).and_then(|()| file.write_all(code));
        written.map_err(CacheError::io("write", file.path()))?;
        // The system's own times are coarser than those that `load` sets.
        let _ = file.as_file().set_modified(SystemTime::now());
        let renamed = file.persist(&path).map_err(|error| error.error);
        renamed.map_err(CacheError::io("write", &path))?;
        self.evict(key)
    }

    /// Removes an entry that is as it was written, but has a wrong description of its code.
    pub(super) fn refuse_description(&self, key: &CacheKey) -> CacheError {
        let path = self.path(key);
        let _ = fs::remove_file(&path);
        CacheError::refused(&path)(Refusal::Description)
    }

    fn path(&self, key: &CacheKey) -> PathBuf {
        self.directory.join(format!("{key}{SUFFIX}"))
    }

    fn too_large(&self, bytes: u64) -> CacheError {
        CacheError::TooLarge {
            bytes,
            limit: self.limit,
        }
    }
}

/// The suffix of the names of entries, after the key.
const SUFFIX: &str = ".code";

/// The prefix of the names of files that are being written.
const TEMPORARY: &str = ".writing-";

/// The header of a file with `length` bytes.
fn read_header(mut file: &File, length: u64, path: &Path) -> Result<Header, CacheError> {
    let bytes = read(&mut file, HEADER as u64, length, path)?;
    let bytes = bytes.try_into().expect("the length that was asked for");
    Header::decode(bytes, length).map_err(CacheError::refused(path))
}

/// The next `count` bytes of a file with `length` bytes.
fn read(file: impl Read, count: u64, length: u64, path: &Path) -> Result<Vec<u8>, CacheError> {
    let mut bytes = Vec::new();
    let found = file.take(count).read_to_end(&mut bytes);
    if found.map_err(CacheError::io("read", path))? as u64 != count {
        return Err(CacheError::refused(path)(Refusal::Length { bytes: length }));
    }
    Ok(bytes)
}

#[cfg(all(test, unix))]
mod tests {
    use super::super::memory::assert_published;
    use super::*;

    #[test]
    fn loaded_code_is_published() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::open(folder.path().join("code"), DEFAULT_LIMIT).unwrap();
        let key = CacheKey::new(|hasher| hasher.bytes(b"a"));
        cache
            .store(&key, "label", b"description", &[0xc3; 5000])
            .unwrap();
        let entry = cache.load(&key).unwrap().unwrap();
        assert_published(&entry.code);
    }
}
