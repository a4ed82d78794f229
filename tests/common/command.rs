//! The command line as a process.

use std::path::PathBuf;
#[cfg(unix)]
use std::process::Child;
use std::time::Duration;

use assert_cmd::Command;
use assert_cmd::assert::Assert;
#[cfg(unix)]
use rustix::process::{Pid, Signal, kill_process, test_kill_process};
use serde_json::Value;

/// Runs the command with these arguments.
pub(crate) fn propjit(args: &[&str]) -> Assert {
    command(args).assert()
}

/// Runs the command with these arguments and this input.
#[allow(dead_code)] // Few commands read any.
pub(crate) fn propjit_reading(args: &[&str], input: impl Into<Vec<u8>>) -> Assert {
    command(args).write_stdin(input).assert()
}

/// Runs the command with these arguments where the system starts no thread for it: each is to have a
/// larger stack than there is memory.
#[allow(dead_code)] // Few tests need that.
pub(crate) fn propjit_without_threads(args: &[&str]) -> Assert {
    let stack = (1_u64 << 46).to_string();
    command(args).env("RUST_MIN_STACK", stack).assert()
}

/// Runs the command with these arguments in an address space of this size, in KiB.
#[cfg(unix)]
#[allow(dead_code)] // Few tests need that.
pub(crate) fn propjit_in_memory(args: &[&str], kibibytes: u64) -> Assert {
    let program = assert_cmd::cargo::cargo_bin!("propjit");
    let limited = format!("ulimit -v {kibibytes} && exec \"$0\" \"$@\"");
    let mut command = Command::new("sh");
    command.arg("-c").arg(limited).arg(program).args(args);
    prepared(command).assert()
}

fn command(args: &[&str]) -> Command {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin!("propjit"));
    command.args(args);
    prepared(command)
}

fn prepared(mut command: Command) -> Command {
    // Tests leave the user's cache and profiles alone.
    command.env("PROPJIT_CACHE", "off");
    command.env("PROPJIT_CONFIG", "off");
    command.env_remove("PROPJIT_LOG");
    // Only a command that never ends takes so long.
    command.timeout(Duration::from_secs(300));
    command
}

/// Sends a process what Ctrl-C does.
#[cfg(unix)]
pub(crate) fn interrupt(child: &Child) {
    send(child.id(), Signal::INT);
}

/// Sends a signal to the process of this number.
#[cfg(unix)]
pub(crate) fn send(process: u32, signal: Signal) {
    kill_process(pid(process), signal).unwrap();
}

/// Whether there is a process of this number.
#[cfg(unix)]
pub(crate) fn is_alive(process: u32) -> bool {
    test_kill_process(pid(process)).is_ok()
}

#[cfg(unix)]
fn pid(process: u32) -> Pid {
    let number = process.try_into().ok();
    number
        .and_then(Pid::from_raw)
        .expect("a process has such a number")
}

/// The path of one of the project's own rulesheets.
pub(crate) fn own(name: &str) -> String {
    let path = super::own_folder().join(name).with_extension("kif");
    path.display().to_string()
}

/// Waits for the end of a process, far longer than it takes.
#[cfg(unix)]
#[allow(dead_code)] // Few are waited for in this way.
pub(crate) fn ended(child: &mut Child) -> std::process::ExitStatus {
    let mut status = None;
    super::wait_until("the end of a process", || {
        status = child.try_wait().unwrap();
        status.is_some()
    });
    status.expect("it has ended")
}

/// What it printed.
pub(crate) fn stdout(assert: Assert) -> String {
    String::from_utf8(assert.get_output().stdout.clone()).unwrap()
}

/// Its messages.
pub(crate) fn stderr(assert: Assert) -> String {
    String::from_utf8(assert.get_output().stderr.clone()).unwrap()
}

/// The result of a command that succeeds.
pub(crate) fn json(args: &[&str]) -> Value {
    let mut all = args.to_vec();
    all.extend(["--format", "json"]);
    serde_json::from_str(&stdout(propjit(&all).success())).unwrap()
}

/// A file of the test's own.
pub(crate) fn file(folder: &tempfile::TempDir, name: &str, text: &str) -> String {
    let path: PathBuf = folder.path().join(name);
    std::fs::write(&path, text).unwrap();
    path.display().to_string()
}

/// Whether there is Python for tests of scripts.
pub(crate) fn has_python() -> bool {
    let mut python = std::process::Command::new("python3");
    let found = python.arg("--version").output().is_ok();
    if !found {
        super::skipped("there is no python3");
    }
    found
}
