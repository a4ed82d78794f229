//! Memory that many threads read and write word by word, where they like.

use std::io;
use std::ops::Deref;
use std::sync::atomic::AtomicU64;

use memmap2::MmapMut;

/// Words that are zero at first, and take up memory when they are used first.
///
/// They are in pages of the usual size: large ones made the first use slower, and searches of
/// some seconds no faster.
///
/// ```
/// use std::sync::atomic::Ordering;
///
/// let words = propjit_jit::memory::SharedWords::new(1000)?;
/// words[999].fetch_add(1, Ordering::Relaxed);
/// assert_eq!(words[999].load(Ordering::Relaxed), 1);
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct SharedWords {
    map: MmapMut,
    length: usize,
}

impl SharedWords {
    /// So many words.
    ///
    /// # Errors
    /// When the system does not give as many.
    pub fn new(length: usize) -> io::Result<SharedWords> {
        // A map of no bytes is refused.
        let bytes = length.max(1).checked_mul(8);
        let bytes = bytes.ok_or(io::ErrorKind::OutOfMemory)?;
        let map = MmapMut::map_anon(bytes)?;
        Ok(SharedWords { map, length })
    }
}

impl Deref for SharedWords {
    type Target = [AtomicU64];

    fn deref(&self) -> &[AtomicU64] {
        // SAFETY: The map has at least `length` words, begins with a page and so with a whole
        // word, and lives as long as `self`. Any bits are a word. A shared reference may be
        // written through because the map is writable memory that is reached by nothing but
        // this function.
        unsafe { std::slice::from_raw_parts(self.map.as_ptr().cast::<AtomicU64>(), self.length) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::Ordering;

    #[test]
    fn threads_share_it() {
        let words = SharedWords::new(1 << 16).unwrap();
        assert!(words.iter().all(|word| word.load(Ordering::Relaxed) == 0));
        std::thread::scope(|scope| {
            for thread in 0..4 {
                let words = &words;
                scope.spawn(move || {
                    for word in words.iter() {
                        word.fetch_add(1 << (16 * thread), Ordering::Relaxed);
                    }
                });
            }
        });
        let all = 0x0001_0001_0001_0001;
        assert!(words.iter().all(|word| word.load(Ordering::Relaxed) == all));
    }

    #[test]
    fn there_may_be_none_or_too_many() {
        assert!(SharedWords::new(0).unwrap().is_empty());
        assert!(SharedWords::new(usize::MAX).is_err());
        assert!(SharedWords::new(usize::MAX / 16).is_err());
    }
}
