//! What fuzzing tries: for each target a function that takes any bytes, and panics if
//! something is wrong.
//!
//! The fuzz targets in `fuzz/` call these functions with whatever the fuzzer thinks of; the
//! ordinary tests call them with the inputs that are kept in `tests/finds/TARGET/`.

mod bytes;
pub mod cache_file;
pub mod circuit;
pub mod history;
pub mod message;
pub mod rulesheet;
