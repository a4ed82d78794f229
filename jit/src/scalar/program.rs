//! What a scalar interpreter runs: who reads whom, and in which order.

use std::ops::Range;

use super::counts::Block;

/// The immutable part of an interpreter.
#[derive(Default, Debug)]
pub(super) struct Program {
    /// The number of inputs; they have the first slots.
    pub inputs: usize,
    /// Words of slots before the outputs; those have the last slots.
    pub first_output_word: usize,
    pub words: usize,
    /// In evaluation order; the first has the inputs' words as well.
    pub steps: Vec<Step>,
    /// Where the readers of each slot start; those of the next slot follow.
    pub starts: Vec<Start>,
    /// Readers to be told one by one: twice the slot, plus one if it reads the inverse.
    pub singles: Vec<u32>,
    pub blocks: Vec<BlockReaders>,
    /// What falling values add to the counts of a block, different ones only.
    pub increments: Vec<Block>,
}

/// Words of slots that are evaluated as a whole.
#[derive(Debug)]
pub(super) enum Step {
    Gates(Range<usize>),
    Loop(Loop),
}

/// The words of a loop's slots.
#[derive(Debug)]
pub(super) struct Loop {
    /// Signals from outside, inverted if the loop's values grow when they fall.
    pub ports: Range<usize>,
    pub gates: Range<usize>,
    pub feedback: Range<usize>,
}

impl Loop {
    pub fn words(&self) -> Range<usize> {
        self.ports.start..self.feedback.end
    }
}

#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Start {
    pub singles: u32,
    pub blocks: u32,
}

/// Readers within one block of slots.
#[derive(Clone, Copy, Debug)]
pub(super) struct BlockReaders {
    pub block: u32,
    /// Index into [`Program::increments`].
    pub increments: u32,
}

/// All readers of a slot.
pub(super) struct Readers<'a> {
    pub singles: &'a [u32],
    pub blocks: &'a [BlockReaders],
}

impl Program {
    /// Readers added from now on are those of the next slot.
    pub fn start_slot(&mut self) {
        self.starts.push(Start {
            singles: self.singles.len() as u32,
            blocks: self.blocks.len() as u32,
        });
    }

    pub fn output_words(&self) -> Range<usize> {
        self.first_output_word..self.words
    }

    #[inline(always)]
    pub fn readers(&self, slot: usize) -> Readers<'_> {
        let (start, end) = (self.starts[slot], self.starts[slot + 1]);
        Readers {
            singles: &self.singles[start.singles as usize..end.singles as usize],
            blocks: &self.blocks[start.blocks as usize..end.blocks as usize],
        }
    }
}
