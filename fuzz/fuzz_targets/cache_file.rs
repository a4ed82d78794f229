//! Tries what `harness::cache_file` says.
#![no_main]

#[path = "../../tests/harness/mod.rs"]
#[allow(dead_code)] // Each target uses its part.
mod harness;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| harness::cache_file::check(bytes));
