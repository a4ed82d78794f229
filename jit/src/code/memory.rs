//! Executable memory.

use std::io;
use std::sync::Arc;

use memmap2::{Mmap, MmapMut};

/// Machine code in memory that can be executed and not written. Freed when the
/// last clone is dropped.
#[derive(Clone, Debug)]
pub struct Executable {
    map: Arc<Mmap>,
}

impl Executable {
    /// Makes code executable and no longer writable, for all threads.
    ///
    /// # Errors
    /// When the operating system does not let it be executed.
    pub(super) fn publish(code: MmapMut) -> io::Result<Executable> {
        coherence::clear_cache(&code)?;
        let map = code.make_exec()?;
        coherence::flush_pipelines()?;
        Ok(Executable { map: Arc::new(map) })
    }

    /// The code.
    pub fn bytes(&self) -> &[u8] {
        &self.map
    }
}

/// Coherence of instruction caches with data writes. CPUs other than x86 do not ensure it by
/// themselves: they may execute the old contents of an address.
mod coherence {
    use std::io;

    use wasmtime_internal_jit_icache_coherence as icache;

    /// Invalidates a range of memory in the instruction caches. [`flush_pipelines`] has to follow.
    pub(super) fn clear_cache(code: &[u8]) -> io::Result<()> {
        #[cfg(test)]
        tests::note(tests::Call::ClearCache(code.as_ptr_range()));
        // SAFETY: the range is one of memory that is borrowed here.
        let done = unsafe { icache::clear_cache(code.as_ptr().cast(), code.len()) };
        as_io(done)
    }

    /// Makes all processors that run threads of this process refetch their next instructions.
    pub(super) fn flush_pipelines() -> io::Result<()> {
        #[cfg(test)]
        tests::note(tests::Call::FlushPipelines);
        as_io(icache::pipeline_flush_mt())
    }

    /// The error's type depends on the operating system.
    fn as_io<E: ToString>(result: Result<(), E>) -> io::Result<()> {
        result.map_err(|error| io::Error::other(error.to_string()))
    }

    /// Emulators work without these calls, so the calls themselves are checked.
    #[cfg(test)]
    pub(in crate::code) mod tests {
        use std::cell::RefCell;
        use std::ops::Range;

        use crate::code::memory::Executable;

        #[derive(Clone, PartialEq, Eq, Debug)]
        pub(in crate::code) enum Call {
            ClearCache(Range<*const u8>),
            FlushPipelines,
        }

        thread_local! {
            static CALLS: RefCell<Vec<Call>> = const { RefCell::new(Vec::new()) };
        }

        pub(super) fn note(call: Call) {
            CALLS.with_borrow_mut(|calls| calls.push(call));
        }

        /// Asserts that this thread has made this code known to all processors since this was
        /// last asked, and no other.
        pub(in crate::code) fn assert_published(code: &Executable) {
            let range = code.bytes().as_ptr_range();
            assert_eq!(
                CALLS.take(),
                [Call::ClearCache(range), Call::FlushPipelines]
            );
        }
    }
}

#[cfg(test)]
pub(super) use coherence::tests::assert_published;
