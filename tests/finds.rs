//! Regression inputs: some once showed a fault, others reach far; all are tried again each time.
//!
//! Each is a file in `tests/finds/TARGET/`. What `cargo fuzz` finds (see `fuzz/README.md`) is
//! put there under a name that says what was wrong.

use std::fs;
use std::path::Path;

use crate::harness;

/// Tries all inputs that are kept for a target.
fn replay(target: &str, check: fn(&[u8])) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/finds")
        .join(target);
    let mut count = 0;
    for entry in fs::read_dir(&folder).unwrap() {
        let path = entry.unwrap().path();
        // Shown if the test fails.
        println!("{}", path.display());
        check(&fs::read(&path).unwrap());
        count += 1;
    }
    assert!(count > 0, "no inputs in {}", folder.display());
}

#[test]
fn rulesheets() {
    replay("rulesheet", harness::rulesheet::check);
}

#[test]
fn messages() {
    replay("message", harness::message::check);
}

#[test]
fn cache_files() {
    replay("cache_file", harness::cache_file::check);
}

#[test]
fn histories() {
    replay("history", harness::history::check);
}

#[test]
fn circuits() {
    replay("circuit", harness::circuit::check);
}
