//! Boolean circuits, evaluated for many inputs at a time.
pub mod assumptions;
pub mod circuit;
pub mod lanes;
pub mod passes;
pub mod scalar;
mod wide;
