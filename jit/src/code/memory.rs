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
    /// Memory with this code, which is in the CPU's own instruction set.
    ///
    /// # Errors
    /// When the operating system gives no memory, or does not let it be executed.
    pub fn new(code: &[u8]) -> io::Result<Executable> {
        // An empty map is an error on some systems.
        let mut map = MmapMut::map_anon(code.len().max(1))?;
        map[..code.len()].copy_from_slice(code);
        Ok(Executable::seal(map.make_exec()?))
    }

    /// Memory that is already mapped for execution.
    pub(super) fn seal(map: Mmap) -> Executable {
        Executable { map: Arc::new(map) }
    }

    /// The code.
    pub fn bytes(&self) -> &[u8] {
        &self.map
    }
}
