//! What the tests of all packages share: the folder of public rulesheets, how long to test, and
//! tests that are skipped.

use std::env;
use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// Records that a test, or a part of it, is skipped.
///
/// Standard error shows it even where the output of tests is captured, with the number of skips in
/// this process. If `PROPJIT_SKIPPED` names a file, a line is appended there, so that a run of
/// several test programs can be summed up.
pub fn skipped(reason: &str) {
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed) + 1;
    let current = thread::current();
    let test = current.name().unwrap_or("a test");
    // Other than `eprintln`, this is not captured. If it fails, there is no way to report that.
    let _ = writeln!(
        std::io::stderr(),
        "skipped, {count} so far: {test}: {reason}"
    );
    if let Some(path) = env::var_os("PROPJIT_SKIPPED") {
        let mut file = OpenOptions::new()
            .append(true)
            .create(true)
            .open(path)
            .expect("PROPJIT_SKIPPED is a file that can be written");
        writeln!(file, "{test}: {reason}").expect("a line can be written");
    }
}

/// The folder with public rulesheets and traces, if this machine has it: `PROPJIT_SHARED`, or
/// `../shared` beside the project. If not, the test is [skipped].
pub fn shared() -> Option<PathBuf> {
    let beside = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared");
    let folder = env::var_os("PROPJIT_SHARED").map_or_else(beside, PathBuf::from);
    if folder.is_dir() {
        return Some(folder);
    }
    skipped(&format!("there is no folder {}", folder.display()));
    None
}

/// Whether tests should take all the time they can use: `PROPJIT_SOAK` is 1.
pub fn soak() -> bool {
    env::var_os("PROPJIT_SOAK").is_some_and(|value| value == "1")
}
