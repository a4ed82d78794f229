//! The script of soundness checks fails where a filter of its matches no test.
#![cfg(unix)]

use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Command;

use crate::common;

/// Whether the script is content with filters, where `cargo` lists these tests and is not asked
/// for anything else.
fn accepts(tests: &[&str]) -> Option<bool> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tools/soundness.sh");
    if !script.exists() {
        common::skipped("a packaged project has no scripts");
        return None;
    }
    let folder = tempfile::tempdir().unwrap();
    let cargo = folder.path().join("cargo");
    let lines: String = tests.iter().map(|name| format!("{name}: test\n")).collect();
    let text = format!("#!/bin/sh\ncat << 'END'\n{lines}END\n");
    std::fs::write(&cargo, text).unwrap();
    std::fs::set_permissions(&cargo, std::fs::Permissions::from_mode(0o700)).unwrap();
    let path = std::env::var("PATH").unwrap();
    let done = Command::new(script)
        .arg("--filters")
        .env("PATH", format!("{}:{path}", folder.path().display()))
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&done.stdout);
    assert!(text.contains("skipped: loom fuzz"), "{text}");
    Some(done.status.success())
}

#[test]
fn filters_have_to_match() {
    let tests = [
        "code::assembler::tests::a",
        "search::mcts::tests::b",
        "playouts::c",
        "finds::d",
        "memory::tests::e",
        "lanes::f",
        "scalar::g",
        "interpreters::h",
        "select::i",
        "mcts::j",
    ];
    let Some(all) = accepts(&tests) else { return };
    assert!(all);
    assert_eq!(accepts(&tests[1..]), Some(false));
    assert_eq!(accepts(&[]), Some(false));
}
