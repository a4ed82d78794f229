//! `propjit cache`, on a cache of the test's own.
#![cfg(unix)]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use assert_cmd::Command;
use assert_cmd::assert::Assert;
use propjit_jit::code::cache::{Cache, CacheKey, DEFAULT_LIMIT};
use serde_json::Value;

/// Runs `propjit cache` with this cache.
fn propjit(cache: &Path, args: &[&str]) -> Assert {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin!("propjit"));
    command
        .env("PROPJIT_CACHE", cache)
        .env_remove("PROPJIT_LOG");
    command.arg("cache").args(args).assert()
}

fn stdout(assert: &Assert) -> String {
    String::from_utf8(assert.get_output().stdout.clone()).unwrap()
}

fn stderr(assert: &Assert) -> String {
    String::from_utf8(assert.get_output().stderr.clone()).unwrap()
}

fn json(cache: &Path, command: &str) -> Value {
    let assert = propjit(cache, &[command, "--format", "json"]).success();
    serde_json::from_str(&stdout(&assert)).unwrap()
}

fn key(name: &str) -> CacheKey {
    CacheKey::new(|hasher| hasher.bytes(name.as_bytes()))
}

/// A cache with two entries, one of them damaged.
fn example(folder: &tempfile::TempDir) -> PathBuf {
    let directory = folder.path().join("code");
    let cache = Cache::open(&directory, DEFAULT_LIMIT).unwrap();
    let labels = ["breakthrough, 256 lanes", "damaged"];
    for label in labels {
        cache.store(&key(label), label, &[], &[0; 1024]).unwrap();
    }
    let damaged = directory.join(format!("{}.code", key("damaged")));
    fs::write(damaged, "nonsense").unwrap();
    directory
}

#[test]
fn path_tells_where_the_cache_is_and_creates_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let directory = folder.path().join("code");
    let assert = propjit(&directory, &["path"]).success();
    assert_eq!(stdout(&assert), format!("{}\n", directory.display()));
    assert_eq!(
        json(&directory, "path")["directory"],
        directory.to_str().unwrap()
    );
    assert_eq!(json(&directory, "list")["entries"], Value::Array(vec![]));
    assert_eq!(json(&directory, "clear")["entries"], 0);
    assert!(!directory.exists());
}

#[test]
fn the_default_is_in_the_users_directory_for_caches() {
    let folder = tempfile::tempdir().unwrap();
    for (variable, below) in [("XDG_CACHE_HOME", ""), ("HOME", ".cache")] {
        let mut command = Command::new(assert_cmd::cargo::cargo_bin!("propjit"));
        command
            .env_remove("XDG_CACHE_HOME")
            .env("PROPJIT_CACHE", "");
        command.env(variable, folder.path());
        let assert = command.args(["cache", "path"]).assert().success();
        let expected = folder.path().join(below).join("propjit/code");
        assert_eq!(stdout(&assert).trim_end(), expected.to_str().unwrap());
    }
}

#[test]
fn list_tells_entries_and_damage() {
    let folder = tempfile::tempdir().unwrap();
    let directory = example(&folder);
    let list = json(&directory, "list");
    assert_eq!(list["limit_bytes"], DEFAULT_LIMIT);
    assert_eq!(list["bytes"], 4096 + 1024 + 8);
    let entries = list["entries"].as_array().unwrap();
    assert_eq!(entries.len(), 2);
    let entry = |label: &str| {
        let key = Value::from(key(label).to_string());
        entries.iter().find(|entry| entry["key"] == key).unwrap()
    };
    let good = entry("breakthrough, 256 lanes");
    assert_eq!(good["label"], "breakthrough, 256 lanes");
    assert_eq!(good["bytes"], 4096 + 1024);
    assert!(good["age_seconds"].as_u64().unwrap() < 1000);
    let damaged = entry("damaged");
    assert_eq!(damaged["label"], Value::Null);
    assert!(damaged["refused"].as_str().unwrap().contains("8 bytes"));

    let assert = propjit(&directory, &["list"]).success();
    let table = stdout(&assert);
    assert!(table.contains("5.0 KiB"), "{table}");
    assert!(table.contains("breakthrough, 256 lanes"), "{table}");
    assert!(table.contains("(refused: "), "{table}");
    assert!(table.contains("2 entries"), "{table}");
}

#[test]
fn clear_tells_what_it_frees_and_leaves_other_files() {
    let folder = tempfile::tempdir().unwrap();
    let directory = example(&folder);
    let other = directory.join("notes.txt");
    fs::write(&other, "mine").unwrap();
    let cleared = json(&directory, "clear");
    assert_eq!(cleared["entries"], 2);
    assert_eq!(cleared["bytes"], 4096 + 1024 + 8);
    assert!(other.exists());
    assert_eq!(json(&directory, "list")["bytes"], 0);
}

#[test]
fn a_cache_that_is_off_or_refused_exits_with_1() {
    for command in ["path", "list", "clear"] {
        let assert = propjit(Path::new("off"), &[command]).code(1).stdout("");
        assert!(stderr(&assert).contains("PROPJIT_CACHE=off"));
    }
    let folder = tempfile::tempdir().unwrap();
    let directory = example(&folder);
    fs::set_permissions(&directory, fs::Permissions::from_mode(0o777)).unwrap();
    for command in ["list", "clear"] {
        let assert = propjit(&directory, &[command]).code(1).stdout("");
        let told = stderr(&assert);
        assert!(told.contains(directory.to_str().unwrap()), "{told}");
        assert!(told.contains("chmod go-w"), "{told}");
    }
    assert_eq!(fs::read_dir(&directory).unwrap().count(), 2);
    propjit(&directory, &["path"]).success();
    propjit(&directory, &[]).code(2).stdout("");
    propjit(&directory, &["burn"]).code(2).stdout("");
}
