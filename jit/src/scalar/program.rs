//! Programs of the scalar interpreter: the readers of each slot, in evaluation order.

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
    /// The start of each slot's readers; those of the next slot follow.
    pub starts: Vec<u32>,
    pub readers: Vec<Readers>,
    /// The distinct increments that falling values add to the counts of a block.
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
    pub(super) fn words(&self) -> Range<usize> {
        self.ports.start..self.feedback.end
    }
}

/// The readers of a slot that are within one block of slots.
#[derive(Clone, Copy, Debug)]
pub(super) struct Readers {
    pub block: u32,
    /// Index into [`Program::increments`].
    pub increments: u32,
}

impl Program {
    pub(super) fn output_words(&self) -> Range<usize> {
        self.first_output_word..self.words
    }

    /// Returns whether all numbers are in range: the interpreter relies on it.
    pub(super) fn is_sound(&self) -> bool {
        let blocks = self.words * 64 / Block::SLOTS;
        self.starts.len() == self.words * 64 + 1
            && self.starts.is_sorted()
            && self.starts.last() == Some(&(self.readers.len() as u32))
            && self.readers.iter().all(|readers| {
                (readers.block as usize) < blocks
                    && (readers.increments as usize) < self.increments.len()
            })
    }
}
