//! The filters of the script of soundness checks name modules, so that none of its parts passes
//! without having run a test.
#![cfg(unix)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::common;

/// The script, unless this is a packaged project.
fn script() -> Option<PathBuf> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tools/soundness.sh");
    if script.exists() {
        return Some(script);
    }
    common::skipped("a packaged project has no scripts");
    None
}

#[test]
fn filters_are_modules() {
    let Some(script) = script() else { return };
    let done = Command::new(script).arg("--filters").output().unwrap();
    assert!(done.status.success(), "{done:?}");
    let text = String::from_utf8_lossy(&done.stdout);
    assert!(
        text.contains("passed: assembler stress finds loom asan tsan miri"),
        "{text}"
    );
}

#[test]
fn filters_that_match_nothing_are_errors() {
    let Some(script) = script() else { return };
    let folder = tempfile::tempdir().unwrap();
    let copy = folder.path().join("tools/soundness.sh");
    fs::create_dir(folder.path().join("tools")).unwrap();
    fs::copy(script, &copy).unwrap();
    // There are no modules at all.
    let done = Command::new(copy).arg("--filters").output().unwrap();
    assert_eq!(done.status.code(), Some(1), "{done:?}");
    let errors = String::from_utf8_lossy(&done.stderr);
    assert!(errors.contains("no module `code::assembler`"), "{errors}");
}
