//! Memory shared by threads, which read and write any word at any time.

use std::io;
use std::ops::Deref;
use std::sync::atomic::AtomicU64;

use pages::Pages;

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
/// words.prefetch(999);
/// assert_eq!(words[999].load(Ordering::Relaxed), 1);
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct SharedWords {
    pages: Pages,
}

impl SharedWords {
    /// Memory of `length` words.
    ///
    /// # Errors
    /// When the system does not have that much.
    pub fn new(length: usize) -> io::Result<SharedWords> {
        let pages = Pages::new(length)?;
        Ok(SharedWords { pages })
    }

    /// Prefetches the cache line of a word that will be read soon. Does nothing if there is no such word,
    /// or on processors other than x86-64 and aarch64.
    #[inline]
    pub fn prefetch(&self, index: usize) {
        if let Some(word) = self.get(index) {
            prefetch(word);
        }
    }
}

impl Deref for SharedWords {
    type Target = [AtomicU64];

    #[inline]
    fn deref(&self) -> &[AtomicU64] {
        self.pages.words()
    }
}

/// Returns whether the system can provide this many more bytes now. Other processes may use them up before this one
/// does.
pub fn is_available(bytes: usize) -> bool {
    SharedWords::new(bytes.div_ceil(size_of::<AtomicU64>())).is_ok()
}

#[inline]
fn prefetch(word: &AtomicU64) {
    let address = std::ptr::from_ref(word);
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    // SAFETY: all x86-64 processors have SSE, to which the instruction belongs; it neither reads nor
    // writes, whatever the address.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(address.cast());
    }
    #[cfg(all(target_arch = "aarch64", not(miri)))]
    // SAFETY: a hint, which neither reads nor writes, whatever the address.
    unsafe {
        std::arch::asm!("prfm pldl1keep, [{}]", in(reg) address, options(readonly, nostack, preserves_flags));
    }
    #[cfg(any(miri, not(any(target_arch = "x86_64", target_arch = "aarch64"))))]
    let _ = address;
}

/// Pages mapped from the system.
#[cfg(not(miri))]
mod pages {
    use std::io;
    use std::slice;
    use std::sync::atomic::AtomicU64;

    use memmap2::{MmapMut, MmapRaw};

    /// The mapping is raw: a view of it as bytes would promise that nothing writes to them.
    #[derive(Debug)]
    pub(super) struct Pages {
        map: MmapRaw,
        length: usize,
    }

    impl Pages {
        pub(super) fn new(length: usize) -> io::Result<Pages> {
            // A map of no bytes is refused.
            let bytes = length.max(1).checked_mul(size_of::<AtomicU64>());
            let bytes = bytes.ok_or(io::ErrorKind::OutOfMemory)?;
            let map = MmapRaw::from(MmapMut::map_anon(bytes)?);
            Ok(Pages { map, length })
        }

        #[inline]
        pub(super) fn words(&self) -> &[AtomicU64] {
            let words = self.map.as_mut_ptr().cast::<AtomicU64>();
            // SAFETY: the map has at least `length` words, begins with a page and so with a
            // whole word, is writable, and lives as long as `self`. Any bits are a word.
            // Nothing else reaches it, so that all accesses are atomic.
            unsafe { slice::from_raw_parts(words, self.length) }
        }
    }
}

/// Ordinary memory, as Miri interprets programs and maps nothing.
#[cfg(miri)]
mod pages {
    use std::io;
    use std::sync::atomic::AtomicU64;

    #[derive(Debug)]
    pub struct Pages(Vec<AtomicU64>);

    impl Pages {
        pub fn new(length: usize) -> io::Result<Pages> {
            let mut words = Vec::new();
            let reserved = words.try_reserve_exact(length);
            reserved.map_err(|_| io::ErrorKind::OutOfMemory)?;
            words.resize_with(length, AtomicU64::default);
            Ok(Pages(words))
        }

        pub fn words(&self) -> &[AtomicU64] {
            &self.0
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::Ordering;

    #[test]
    fn threads_share_it() {
        let words = SharedWords::new(if cfg!(miri) { 1 << 6 } else { 1 << 16 }).unwrap();
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
    #[cfg_attr(miri, ignore = "Miri ends where there is too little memory")]
    fn there_may_be_none_or_too_many() {
        assert!(SharedWords::new(0).unwrap().is_empty());
        assert!(SharedWords::new(usize::MAX).is_err());
        assert!(SharedWords::new(usize::MAX / 16).is_err());
        assert!(is_available(1) && !is_available(usize::MAX));
    }
}
