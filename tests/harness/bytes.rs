//! Numbers taken from bytes, so that small changes to the bytes are small changes to what is
//! made of them.

/// Bytes to be taken one after the other; zeros follow the last one.
pub(crate) struct Bytes<'a>(&'a [u8]);

impl<'a> Bytes<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Bytes<'a> {
        Bytes(bytes)
    }

    /// Whether there are no more.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// What is left.
    pub(crate) fn rest(&self) -> &'a [u8] {
        self.0
    }

    /// The next byte.
    pub(crate) fn byte(&mut self) -> u8 {
        let Some((&first, rest)) = self.0.split_first() else {
            return 0;
        };
        self.0 = rest;
        first
    }

    /// A number from the next two bytes.
    pub(crate) fn short(&mut self) -> u16 {
        u16::from_le_bytes([self.byte(), self.byte()])
    }

    /// A number below `count`, which is small.
    pub(crate) fn below(&mut self, count: usize) -> usize {
        match count {
            0..=256 => usize::from(self.byte()) % count.max(1),
            _ => usize::from(self.short()) % count,
        }
    }
}
