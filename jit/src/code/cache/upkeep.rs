//! Upkeep of the cache: listing, clearing, and eviction when it is full.
//!
//! Only regular files with names of the cache's form are listed, counted and removed;
//! other files in the directory are ignored.

use std::cmp::Reverse;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use super::{Cache, CacheError, CacheKey, SUFFIX, TEMPORARY, read, read_header, trust};

/// An entry in a list of the cache's content.
#[derive(Debug)]
pub struct Listed {
    /// The entry's key.
    pub key: CacheKey,
    /// The label of the code, or the reason why the entry is refused. The text comes from a
    /// file whose hash was not checked: it may hold anything but control characters.
    pub label: Result<String, CacheError>,
    /// The size of the file.
    pub bytes: u64,
    /// When the entry was last stored or loaded.
    pub used: SystemTime,
}

/// The entries and bytes that [`Cache::clear`] has removed.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Cleared {
    /// The number of entries.
    pub entries: usize,
    /// The total size of their files in bytes, including files left over from killed processes.
    pub bytes: u64,
}

impl Cache {
    /// All entries, last used first.
    ///
    /// # Errors
    /// When the directory cannot be read.
    pub fn list(&self) -> Result<Vec<Listed>, CacheError> {
        let files = self.files()?;
        let entries = files.into_iter().filter_map(|file| {
            let key = file.key?;
            Some(Listed {
                key,
                label: self.label(&key).transpose()?,
                bytes: file.bytes,
                used: file.used,
            })
        });
        let mut entries: Vec<Listed> = entries.collect();
        entries.sort_by_key(|entry| Reverse(entry.used));
        Ok(entries)
    }

    /// Removes all entries and the leftovers of killed processes; no other files, and
    /// not the directory. Code that is loaded stays usable.
    ///
    /// # Errors
    /// When the directory cannot be read, or a file not removed; some may have been
    /// removed by then.
    pub fn clear(&self) -> Result<Cleared, CacheError> {
        let mut cleared = Cleared::default();
        for file in self.files()? {
            if (file.key.is_some() || file.is_abandoned()) && remove(&file.path)? {
                cleared.entries += usize::from(file.key.is_some());
                cleared.bytes = cleared.bytes.saturating_add(file.bytes);
            }
        }
        Ok(cleared)
    }

    /// Removes the leftovers of killed processes, and the least recently used entries,
    /// but not `new`, until the rest is within the limit.
    pub(super) fn evict(&self, new: &CacheKey) -> Result<(), CacheError> {
        let (mut entries, temporary): (Vec<_>, Vec<_>) = self
            .files()?
            .into_iter()
            .partition(|file| file.key.is_some());
        for file in temporary.iter().filter(|file| file.is_abandoned()) {
            remove(&file.path)?;
        }
        let sizes = entries.iter().map(|file| file.bytes);
        let mut bytes = sizes.fold(0, u64::saturating_add);
        entries.sort_by_key(|file| file.used);
        for file in entries.iter().filter(|file| file.key != Some(*new)) {
            if bytes <= self.limit {
                break;
            }
            remove(&file.path)?;
            bytes -= file.bytes;
        }
        Ok(())
    }

    /// The label of an entry that may be damaged, unless the entry is gone.
    fn label(&self, key: &CacheKey) -> Result<Option<String>, CacheError> {
        let path = self.path(key);
        let Some((mut file, length)) = trust::open(&path)? else {
            return Ok(None);
        };
        let header = read_header(&file, length, &path)?;
        let label = read(&mut file, header.label as u64, length, &path)?;
        let label = String::from_utf8_lossy(&label);
        Ok(Some(label.replace(char::is_control, "\u{fffd}")))
    }

    /// Our files in the directory.
    fn files(&self) -> Result<Vec<OurFile>, CacheError> {
        let directory = &self.directory;
        let mut files = Vec::new();
        if !trust::check_directory(directory)? {
            return Ok(files);
        }
        let failed = || CacheError::io("list", directory);
        for entry in fs::read_dir(directory).map_err(failed())? {
            let entry = entry.map_err(failed())?;
            let name = entry.file_name();
            let Some(name) = name.to_str() else { continue };
            let key = name.strip_suffix(SUFFIX).and_then(CacheKey::from_hex);
            if key.is_none() && !name.starts_with(TEMPORARY) {
                continue;
            }
            let path = entry.path();
            let metadata = match entry.metadata() {
                // Another process was faster.
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                metadata => metadata.map_err(CacheError::io("look at", &path))?,
            };
            if metadata.is_file() {
                let used = metadata.modified();
                files.push(OurFile {
                    key,
                    bytes: metadata.len(),
                    used: used.map_err(CacheError::io("look at", &path))?,
                    path,
                });
            }
        }
        Ok(files)
    }
}

/// The age from which a file that is still being written belongs to a killed process.
const ABANDONED: Duration = Duration::from_secs(3600);

/// A regular file in the cache's directory with a name of ours.
struct OurFile {
    path: PathBuf,
    /// The key of an entry, or none for a file that is being written.
    key: Option<CacheKey>,
    bytes: u64,
    used: SystemTime,
}

impl OurFile {
    /// Returns whether the process that wrote it must have been killed.
    fn is_abandoned(&self) -> bool {
        // A time in the future gives no age.
        let age = self.used.elapsed().unwrap_or_default();
        self.key.is_none() && age > ABANDONED
    }
}

/// Removes a file, and returns whether it existed.
fn remove(path: &Path) -> Result<bool, CacheError> {
    match fs::remove_file(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        removed => {
            removed.map_err(CacheError::io("remove", path))?;
            Ok(true)
        }
    }
}
