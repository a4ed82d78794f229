//! `propjit tune`, and the profile that later runs load.

use std::path::{Path, PathBuf};

use assert_cmd::Command;
use assert_cmd::assert::Assert;
use propjit::game::profile::{Profile, Settings};
use propjit_jit::code::CodeConfig;
use serde_json::Value;
use tempfile::TempDir;

use crate::common;
use crate::common::command::{own, stderr, stdout};

/// Runs the command with profiles in this directory.
fn propjit(directory: &Path, args: &[&str]) -> Assert {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin!("propjit"));
    command
        .env("PROPJIT_CACHE", "off")
        .env("PROPJIT_CONFIG", directory)
        .env_remove("PROPJIT_LOG");
    command.args(args).assert()
}

fn json(directory: &Path, args: &[&str]) -> Value {
    let args = [args, &["--format", "json"]].concat();
    serde_json::from_str(&stdout(propjit(directory, &args).success())).unwrap()
}

/// Where the profile is, or would be.
fn path(directory: &Path) -> PathBuf {
    let shown = json(directory, &["tune", "--show"]);
    PathBuf::from(shown["path"].as_str().unwrap())
}

/// Settings that no measurement would find best.
fn odd() -> Settings {
    let mut configs = CodeConfig::supported();
    Settings {
        threads: 3,
        refill: 5,
        ..Settings::new(&configs.next().expect("there is some code for any CPU"))
    }
}

/// What a run of `playout` says it has played with: lanes and threads.
fn played(directory: &Path, options: &[&str]) -> [u64; 2] {
    let game = own("ticTacToe");
    let args = [
        &["playout", &game, "--count", "2000", "--wait"][..],
        options,
    ]
    .concat();
    let report = json(directory, &args);
    assert_eq!(report["rollouts"], 2000);
    ["lanes", "threads"].map(|key| report[key].as_u64().unwrap())
}

#[test]
fn every_parameter_is_tuned() {
    let folder = TempDir::new().unwrap();
    let (one, two) = (own("ticTacToe"), own("connectFour"));
    let args = [
        "tune",
        &one,
        &two,
        "--seconds",
        "5",
        "--seed",
        "1",
        "--dry-run",
    ];
    let report = json(folder.path(), &args);
    assert_eq!(
        report["games"],
        serde_json::json!(["ticTacToe", "connectFour"])
    );
    let parameters = report["parameters"].as_array().unwrap();
    assert_eq!(parameters[0]["parameter"], "rows");
    for parameter in parameters {
        let candidates = parameter["candidates"].as_array().unwrap();
        let values = candidates.iter().map(|candidate| &candidate["value"]);
        let values: Vec<&Value> = values.chain([&parameter["before"]]).collect();
        assert!(values.contains(&&parameter["chosen"]), "{parameter}");
        for candidate in candidates {
            let gain = &candidate["gain"];
            assert!(gain["ratio"].as_f64().unwrap() > 0.0, "{candidate}");
            assert_eq!(gain["games"].as_array().unwrap().len(), 2);
        }
    }
    assert_eq!(report["written"], Value::Null);
    assert!(!path(folder.path()).exists());
}

#[test]
fn the_best_is_written_if_it_wins_or_replaces_another() {
    let folder = TempDir::new().unwrap();
    let before = Profile::new(odd());
    let path = path(folder.path());
    before.write(&path).unwrap();
    let report = json(
        folder.path(),
        &["tune", &own("ticTacToe"), "--seconds", "2"],
    );
    // A machine so busy that there is no time for all leaves what was there.
    if report["left"].as_array().unwrap().is_empty() || report["best"] != report["defaults"] {
        assert_eq!(report["written"], path.display().to_string());
        let written = Profile::read(&path).unwrap().unwrap();
        let best: Settings = serde_json::from_value(report["best"].clone()).unwrap();
        assert_eq!(written.settings, best);
    } else {
        assert_eq!(Profile::read(&path).unwrap(), Some(before));
    }
}

#[test]
fn too_short_a_time_is_reported() {
    let folder = TempDir::new().unwrap();
    let args = ["tune", &own("ticTacToe"), "--seconds", "0.000001"];
    let text = stdout(propjit(folder.path(), &args).success());
    assert!(text.contains("no time for rows, guarded,"), "{text}");
    assert!(text.contains("no improvement over the defaults\nno profile was written"));
    assert!(!path(folder.path()).exists());
}

#[test]
fn later_runs_load_the_profile_and_options_beat_it() {
    let folder = TempDir::new().unwrap();
    let directory = folder.path();
    let lanes = |settings: &Settings| settings.width.lanes() as u64;
    let usual = [lanes(&Settings::default()), 1];
    assert_eq!(played(directory, &[]), usual);
    let settings = odd();
    Profile::new(settings.clone())
        .write(&path(directory))
        .unwrap();
    assert_eq!(played(directory, &[]), [lanes(&settings), 3]);
    assert_eq!(
        played(directory, &["--threads", "2"]),
        [lanes(&settings), 2]
    );
    assert_eq!(played(directory, &["--no-profile"]), usual);
    assert_eq!(played(Path::new("off"), &[]), usual);
    let shown = json(directory, &["tune", "--show"]);
    assert_eq!(shown["tuned"], true);
    assert_eq!(shown["settings"]["refill"], 5);
    let shown = stdout(propjit(directory, &["tune", "--show"]).success());
    assert!(shown.contains("threads = 3"), "{shown}");
}

#[test]
fn a_damaged_profile_is_named_and_not_used() {
    let folder = TempDir::new().unwrap();
    let path = path(folder.path());
    std::fs::write(&path, "[cpu]\nmodel = 7\n").unwrap();
    let args = ["playout", &own("ticTacToe"), "--count", "10"];
    let messages = stderr(propjit(folder.path(), &args).success());
    for said in [
        &path.display().to_string(),
        "damaged",
        "propjit tune",
        "defaults are used",
    ] {
        assert!(messages.contains(said), "{said}: {messages}");
    }
    assert_eq!(messages.matches("damaged").count(), 1);
    // Asking for the profile itself is an error.
    let shown = propjit(folder.path(), &["tune", "--show"]).code(1);
    assert!(stderr(shown).contains("damaged"));
}

#[test]
fn profiles_can_be_switched_off() {
    let off = Path::new("off");
    let shown = stdout(propjit(off, &["tune", "--show"]).success());
    assert!(shown.contains("PROPJIT_CONFIG=off"), "{shown}");
    let refused = propjit(off, &["tune", &own("ticTacToe")]).code(1);
    assert!(stderr(refused).contains("PROPJIT_CONFIG=off"));
    propjit(off, &["tune", "--show", "--dry-run"]).code(2);
}

#[test]
fn the_default_is_in_the_users_directory_for_configuration() {
    let folder = TempDir::new().unwrap();
    for (variable, below) in [("XDG_CONFIG_HOME", ""), ("HOME", ".config")] {
        let mut command = Command::new(assert_cmd::cargo::cargo_bin!("propjit"));
        command
            .env_remove("XDG_CONFIG_HOME")
            .env("PROPJIT_CONFIG", "");
        command.env(variable, folder.path());
        let shown = command
            .args(["tune", "--show", "--format", "json"])
            .assert();
        let shown: Value = serde_json::from_str(&stdout(shown.success())).unwrap();
        let expected = folder.path().join(below).join("propjit");
        let path = Path::new(shown["path"].as_str().unwrap());
        assert_eq!(path.parent(), Some(expected.as_path()));
    }
}

#[test]
fn games_that_cannot_be_grounded_are_refused() {
    let folder = TempDir::new().unwrap();
    let rules = "(role r) (init (at 0)) (legal r go)
        (<= (next (at (s ?x))) (true (at ?x)))
        (<= terminal (true (at (s (s 0))))) (goal r 0)";
    let path = common::command::file(&folder, "counter.kif", rules);
    let args = ["tune", &path, "--setup-limit", "1", "--dry-run"];
    assert!(stderr(propjit(folder.path(), &args).code(1)).contains("needs a ground game"));
}

/// What is shown is a profile.
#[test]
fn a_profile_may_be_what_is_shown() {
    let folder = TempDir::new().unwrap();
    let path = path(folder.path());
    let shown = stdout(propjit(folder.path(), &["tune", "--show"]).success());
    let edited = shown.replace("refill = 1", "refill = 6");
    assert_ne!(shown, edited);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(&path, edited).unwrap();
    let shown = json(folder.path(), &["tune", "--show"]);
    assert_eq!(shown["tuned"], true);
    assert_eq!(shown["settings"]["refill"], 6);
}
