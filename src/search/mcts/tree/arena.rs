//! The memory of the tree: words that all threads may read and write at any time, in blocks.
//!
//! Blocks never move. No thread frees a block; but once in a while, when no thread is at work, the owner of
//! the tree marks the blocks that are still in use, and the others can be allocated again: mark-region
//! collection, as in Blackburn and McKinley, "Immix" (2008). That takes time only for what is kept.
//!
//! Each thread allocates from a buffer of its own, so that threads seldom contend.

use std::alloc::Layout;
use std::ops::Range;
use std::sync::atomic::Ordering;

use parking_lot::Mutex;

use super::words::{AtomicU64, SharedWords};

/// The words of a line: as many as in a line of the CPU cache. Blocks are whole lines.
const LINE: usize = 8;

/// How many lines an allocation buffer gets at a time, if there are enough.
const BUFFER_LINES: usize = 1024;

/// Words of memory.
#[derive(Debug)]
pub(in crate::search::mcts) struct Arena {
    words: SharedWords,
    /// Lines that are neither allocated nor in a thread's buffer.
    free: Mutex<Vec<Range<u32>>>,
}

/// The number of the line with which a block begins. There is no block at line 0.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(in crate::search::mcts) struct Block(pub u32);

/// Lines from which one thread allocates.
#[derive(Default, Debug)]
pub(in crate::search::mcts) struct AllocationBuffer(Range<u32>);

/// The lines that are still in use, a bit each.
#[derive(Debug)]
pub(in crate::search::mcts) struct Marks(Vec<u64>);

impl Arena {
    /// An arena of `bytes` bytes, or of as many as the system gives; of a few lines at least.
    /// They take up memory when they are first used.
    pub(in crate::search::mcts) fn new(bytes: usize) -> Arena {
        let mut lines = (bytes / (8 * LINE)).clamp(8, u32::MAX as usize);
        let words = loop {
            match SharedWords::new(lines * LINE) {
                Ok(words) => break words,
                Err(error) if lines > 8 => {
                    tracing::warn!(%error, lines, "the tree has half as much memory");
                    lines /= 2;
                }
                Err(_) => std::alloc::handle_alloc_error(Layout::new::<[u64; 8 * LINE]>()),
            }
        };
        Arena {
            free: Mutex::new(std::iter::once(1..lines as u32).collect()),
            words,
        }
    }

    /// How many lines there are.
    pub(in crate::search::mcts) fn lines(&self) -> usize {
        self.words.len() / LINE
    }

    /// The words from the start of a block on.
    pub(in crate::search::mcts) fn from(&self, block: Block) -> &[AtomicU64] {
        &self.words[block.0 as usize * LINE..]
    }

    /// Prefetches the first lines of a block.
    pub(in crate::search::mcts) fn prefetch(&self, block: Block, lines: usize) {
        for line in 0..lines {
            self.words.prefetch((block.0 as usize + line) * LINE);
        }
    }

    /// A block of `words` words, with anything in them; none when the memory is used up.
    pub(in crate::search::mcts) fn allocate(
        &self,
        buffer: &mut AllocationBuffer,
        words: usize,
    ) -> Option<Block> {
        let lines = lines(words);
        if buffer.0.len() < lines {
            let wanted = BUFFER_LINES.min(self.lines() / 16).max(lines);
            // The rest of the buffer is too short, and is found again by the next sweep.
            *buffer = AllocationBuffer(take(&mut self.free.lock(), lines, wanted)?);
        }
        let start = buffer.0.start;
        buffer.0.start += lines as u32;
        Some(Block(start))
    }

    /// Takes back what a thread has not used.
    pub(in crate::search::mcts) fn give_back(&self, AllocationBuffer(buffer): AllocationBuffer) {
        if !buffer.is_empty() {
            self.free.lock().push(buffer);
        }
    }

    /// No marks yet.
    pub(in crate::search::mcts) fn marks(&self) -> Marks {
        Marks(vec![0; self.lines().div_ceil(64)])
    }

    /// Frees all that is not marked. There must be no buffers.
    pub(in crate::search::mcts) fn sweep(&mut self, marks: &Marks) {
        let mut free = Vec::new();
        let mut line = 1;
        while line < self.lines() {
            let start = marks.next(line, false).min(self.lines());
            let end = marks.next(start, true).min(self.lines());
            if start < end {
                free.push(start as u32..end as u32);
            }
            line = end;
        }
        // The last one is taken first: low lines before high ones.
        free.reverse();
        *self.free.lock() = free;
    }
}

impl Marks {
    /// Marks a block of `words` words. Returns how many lines it has if it was not marked before, or else 0.
    pub(in crate::search::mcts) fn mark(&mut self, block: Block, words: usize) -> usize {
        if self.contains(block) {
            return 0;
        }
        let start = block.0 as usize;
        for line in start..start + lines(words) {
            self.0[line / 64] |= 1 << (line % 64);
        }
        lines(words)
    }

    /// Whether the block is marked.
    pub(in crate::search::mcts) fn contains(&self, block: Block) -> bool {
        let line = block.0 as usize;
        self.0[line / 64] >> (line % 64) & 1 == 1
    }

    /// The first line from this one on that is marked, or is not.
    fn next(&self, line: usize, marked: bool) -> usize {
        let mut mask = !0 << (line % 64);
        for (number, &word) in self.0.iter().enumerate().skip(line / 64) {
            let found = (if marked { word } else { !word }) & mask;
            if found != 0 {
                return 64 * number + found.trailing_zeros() as usize;
            }
            mask = !0;
        }
        64 * self.0.len()
    }
}

fn lines(words: usize) -> usize {
    words.div_ceil(LINE)
}

/// Takes at least `least` lines from a run that has as many, and up to `most` if it has more.
fn take(free: &mut Vec<Range<u32>>, least: usize, most: usize) -> Option<Range<u32>> {
    let place = free.iter().rposition(|run| run.len() >= least)?;
    let Range { start, end } = free[place];
    let middle = start + most.min((end - start) as usize) as u32;
    if middle == end {
        free.remove(place);
    } else {
        free[place].start = middle;
    }
    Some(start..middle)
}

/// A word that only has to be there, not to be in order with others.
pub(in crate::search::mcts) fn get(word: &AtomicU64) -> u64 {
    word.load(Ordering::Relaxed)
}

/// Writes a word, as [`get`] reads it.
pub(in crate::search::mcts) fn set(word: &AtomicU64, value: u64) {
    word.store(value, Ordering::Relaxed);
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Blocks do not overlap; those that are kept stay, the lines of the others are
        /// allocated again, to the last one.
        #[test]
        fn blocks_are_apart(
            sizes in prop::collection::vec(1usize..70, 1..200),
            kept in prop::collection::vec(any::<bool>(), 200),
        ) {
            let mut arena = Arena::new(1 << 14);
            let mut buffers = [AllocationBuffer::default(), AllocationBuffer::default()];
            let mut blocks = Vec::new();
            for (turn, &words) in sizes.iter().enumerate() {
                if let Some(block) = arena.allocate(&mut buffers[turn % 2], words) {
                    for word in &arena.from(block)[..words] {
                        set(word, turn as u64 + 1);
                    }
                    blocks.push((block, words, turn as u64 + 1));
                }
            }
            let holds = |arena: &Arena, &(block, words, value): &(Block, usize, u64)| {
                arena.from(block)[..words].iter().all(|word| get(word) == value)
            };
            for block in &blocks {
                prop_assert!(holds(&arena, block));
            }
            let mut marks = arena.marks();
            let mut keep = kept.into_iter().cycle();
            blocks.retain(|_| keep.next().unwrap());
            for &(block, words, _) in &blocks {
                prop_assert_eq!(marks.mark(block, words), lines(words));
                prop_assert_eq!(marks.mark(block, words), 0);
            }
            arena.sweep(&marks);
            let mut buffer = AllocationBuffer::default();
            let mut free = 0;
            while let Some(block) = arena.allocate(&mut buffer, 1) {
                set(&arena.from(block)[0], 1000);
                free += 1;
            }
            for block in &blocks {
                prop_assert!(holds(&arena, block));
            }
            let used: usize = blocks.iter().map(|&(_, words, _)| words.div_ceil(LINE)).sum();
            prop_assert_eq!(free, arena.lines() - 1 - used);
        }
    }

    #[test]
    fn unused_memory_is_given_back() {
        let arena = Arena::new(1 << 14);
        let mut buffer = AllocationBuffer::default();
        while arena.allocate(&mut buffer, 8 * 16).is_some() {}
        arena.give_back(std::mem::take(&mut buffer));
        let mut left = 0;
        while arena.allocate(&mut buffer, 8).is_some() {
            left += 1;
        }
        assert!((1..16).contains(&left), "{left}");
    }

    /// Blocks that several threads allocate at once do not overlap, until there are no more.
    #[test]
    fn threads_get_blocks_of_their_own() {
        let arena = Arena::new(if cfg!(miri) { 1 << 13 } else { 1 << 20 });
        let fill = |thread: u64| {
            let (mut buffer, mut blocks) = (AllocationBuffer::default(), Vec::new());
            let sizes = [1, 8, 9, 30].into_iter().cycle();
            for (value, words) in (thread << 32..).zip(sizes) {
                let Some(block) = arena.allocate(&mut buffer, words) else {
                    break;
                };
                for word in &arena.from(block)[..words] {
                    set(word, value);
                }
                blocks.push((block, words, value));
            }
            blocks
        };
        let blocks: Vec<_> = std::thread::scope(|scope| {
            let fill = &fill;
            let threads = [1, 2, 3].map(|thread| scope.spawn(move || fill(thread)));
            threads
                .into_iter()
                .flat_map(|thread| thread.join().unwrap())
                .collect()
        });
        for (block, words, value) in blocks {
            assert!(
                arena.from(block)[..words]
                    .iter()
                    .all(|word| get(word) == value)
            );
        }
    }
}
