//! The state of the scalar interpreter, and the propagation of changes in it.

use std::ops::Range;

use super::counts::Block;
use super::program::{Loop, Program};

/// Everything that changes. Inputs, gates and outputs have their *slots*, numbered
/// in evaluation order.
#[derive(Clone)]
pub(super) struct State {
    /// The number of false operands of each slot.
    pub(super) counts: Vec<Block>,
    /// Each slot's value: bit `slot % 64` of word `slot / 64`.
    pub(super) values: Vec<u64>,
    /// In the same way, the values that are to be toggled.
    pub(super) pending: Vec<u64>,
}

impl State {
    /// Toggles the pending slots in these words, in order, and notifies their readers.
    #[inline]
    pub(super) fn drain(&mut self, program: &Program, words: Range<usize>) {
        for word in words {
            // Slots of one word do not read each other: see `layout`.
            let mut bits = std::mem::take(&mut self.pending[word]);
            if bits == 0 {
                continue;
            }
            self.values[word] ^= bits;
            let values = self.values[word];
            while bits != 0 {
                let bit = bits.trailing_zeros();
                bits &= bits - 1;
                let rises = values >> bit & 1 == 1;
                self.propagate(program, 64 * word + bit as usize, rises);
            }
        }
    }

    /// Updates the readers of a slot whose value has risen to true or fallen to false.
    #[inline(always)]
    fn propagate(&mut self, program: &Program, slot: usize, rises: bool) {
        debug_assert!(slot < 64 * self.values.len());
        // SAFETY: the program is sound, which was checked when it was made, and the
        // state has the slots of the program; `slot` is one of them.
        unsafe {
            let start = *program.starts.get_unchecked(slot) as usize;
            let end = *program.starts.get_unchecked(slot + 1) as usize;
            for reader in program.readers.get_unchecked(start..end) {
                let at = reader.block as usize;
                let increments = program.increments.get_unchecked(reader.increments as usize);
                let toggled = self.counts.get_unchecked_mut(at).add(increments, rises);
                *self.pending.get_unchecked_mut(at / 4) ^= u64::from(toggled) << (at % 4 * 16);
            }
        }
    }

    /// Brings a loop up to date with the ports through which it reads the outside.
    pub(super) fn settle_loop(&mut self, program: &Program, lp: &Loop) {
        if self.pending[lp.words()].iter().all(|&word| word == 0) {
            return;
        }
        // Ports are such that the loop's values can only grow when a port rises.
        let mut ports = lp.ports.clone();
        let falls = ports.any(|word| self.pending[word] & self.values[word] != 0);
        if falls {
            for word in lp.feedback.clone() {
                self.pending[word] ^= self.values[word];
                let set = std::mem::take(&mut self.values[word]);
                self.propagate_all(program, word, set, false);
            }
        }
        self.drain(program, lp.ports.clone());
        loop {
            self.drain(program, lp.gates.clone());
            let mut grows = false;
            for word in lp.feedback.clone() {
                let rising = self.pending[word] & !self.values[word];
                self.pending[word] ^= rising;
                self.values[word] |= rising;
                self.propagate_all(program, word, rising, true);
                grows |= rising != 0;
            }
            if !grows {
                return;
            }
        }
    }

    fn propagate_all(&mut self, program: &Program, word: usize, mut bits: u64, rises: bool) {
        while bits != 0 {
            let slot = 64 * word + bits.trailing_zeros() as usize;
            bits &= bits - 1;
            self.propagate(program, slot, rises);
        }
    }
}
