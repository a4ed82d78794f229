//! `--perf-map`: the names of machine code, for profilers.
#![cfg(unix)]

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use propjit_jit::code::CodeConfig;

use crate::common::command::own;

/// Plays some matches by machine code from this cache, and returns the names in the map that the
/// process leaves.
fn names(cache: &Path) -> Vec<String> {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin!("propjit"));
    command
        .env("PROPJIT_CACHE", cache)
        .env("PROPJIT_CONFIG", "off")
        .env_remove("PROPJIT_LOG")
        .stdout(Stdio::null());
    let rules = own("ticTacToe");
    command.args(["playout", &rules, "--count", "10", "--seed", "1"]);
    let mut child = command.args(["--wait", "--perf-map"]).spawn().unwrap();
    let path = format!("/tmp/perf-{}.map", child.id());
    assert!(child.wait().unwrap().success());
    let map = fs::read_to_string(&path).unwrap();
    fs::remove_file(path).unwrap();
    let name = |line: &str| {
        let mut parts = line.splitn(3, ' ');
        for number in parts.by_ref().take(2) {
            assert!(usize::from_str_radix(number, 16).unwrap() > 0, "{line}");
        }
        parts.next().unwrap().to_string()
    };
    map.lines().map(name).collect()
}

#[test]
fn a_process_names_code_that_it_makes_and_code_from_the_cache() {
    if CodeConfig::supported().next().is_none() {
        return crate::common::skipped("there is no machine code for this CPU");
    }
    let folder = tempfile::tempdir().unwrap();
    let cache = folder.path().join("code");
    for code in ["new", "cached"] {
        let names = names(&cache);
        for section in ["state", "next", "goals"] {
            let start = format!("propjit::ticTacToe::playouts::{section}_");
            let named = names.iter().any(|name| name.starts_with(&start));
            assert!(named, "{code}: no {start} in {names:?}");
        }
    }
    assert!(fs::read_dir(cache).unwrap().next().is_some());
}
