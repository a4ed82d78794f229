//! What fuzzing tries: for each target a function that takes any bytes, and panics if
//! something is wrong.
//!
//! The fuzz targets in `fuzz/` call these functions with whatever the fuzzer thinks of; the
//! ordinary tests call them with the inputs that are kept in `tests/finds/TARGET/`.

mod bytes;
pub(crate) mod cache_file;
pub(crate) mod circuit;
pub(crate) mod history;
pub(crate) mod message;
pub(crate) mod rulesheet;
