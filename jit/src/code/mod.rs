//! Circuits as machine code.

mod memory;
