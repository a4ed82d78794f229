//! The command line: results, messages and exit codes.

use serde_json::Value;

use crate::common::command::{file, json, own, propjit, propjit_reading, stderr, stdout};

#[test]
fn wrong_usage_exits_with_2() {
    let game = own("ticTacToe");
    let wrong: [&[&str]; 21] = [
        &[],
        &["nonsense"],
        &["playout"],
        &["playout", &game, "--seconds", "0"],
        &["playout", &game, "--seconds", "-1"],
        &["playout", &game, "--seconds", "NaN"],
        &["playout", &game, "--seconds", "1e30"],
        &["playout", &game, "--threads", "0"],
        &["playout", &game, "--threads", "99999999999999999999"],
        &["playout", &game, "--count", "0"],
        &["playout", &game, "--max-steps", "0"],
        &["playout", &game, "--backend", "quantum"],
        &["perft", &game, "-1"],
        &["verify", &game],
        &["verify", "--games", "."],
        &["verify", &game, "--against", "prover", "--trace", "x.json"],
        &["verify", &game, "--against", "lanes", "--jobs", "2"],
        &["verify", &game, "--trace", "x.json", "--matches", "2"],
        &["verify", &game, "--trace", "x.json", "--max-steps", "2"],
        &["verify", &game, "--trace", "x.json", "--seed", "2"],
        &["factors", &game, "--seed", "2"],
    ];
    for args in wrong {
        let assert = propjit(args).code(2).stdout("");
        assert!(!stderr(assert).is_empty(), "{args:?}");
    }
    // A wrong number is reported with the expected range, negative ones too.
    for ([command, option, value], said) in [
        (["playout", "--seconds", "-1"], "more than 0"),
        (["playout", "--seed", "-1"], "a whole number from 0 to"),
        (["playout", "--seed", "abc"], "a whole number from 0 to"),
        (
            ["prove", "--goal", "x"],
            "a whole number from -2147483648 to",
        ),
        (
            ["view", "--port", "70000"],
            "a whole number from 0 to 65535",
        ),
        (["info", "--memory-limit", "0"], "a whole number from 1 to"),
        (
            ["similarity", "--a-state", "@"],
            "the name of a file is missing",
        ),
        (
            ["analyze", "--workers", "65"],
            "a whole number from 0 to 64",
        ),
        (["analyze", "--seed", "-1"], "must be a whole number"),
    ] {
        let told = stderr(propjit(&[command, &game, option, value]).code(2));
        assert!(told.contains(said), "{command} {option} {value}: {told}");
    }
}

/// Flags for options of the player `mcts` are made from the table of these, as far as a command has them.
#[test]
fn commands_have_flags_for_options_of_the_player() {
    for (command, flags, others) in [
        (
            "analyze",
            &["--workers <N>", "--no-plan", "--local"][..],
            &["--ponder", "--plan"][..],
        ),
        ("engine", &["--memory <MIB>", "--threads <T>"], &["--local"]),
        ("serve", &["--memory <MIB>", "--threads <T>"], &["--seed"]),
    ] {
        let help = stdout(propjit(&[command, "--help"]).success());
        for flag in flags {
            assert!(help.contains(flag), "{command} {flag}: {help}");
        }
        for flag in others {
            assert!(!help.contains(flag), "{command} {flag}: {help}");
        }
    }
    let help = stdout(propjit(&["engine", "--help"]).success());
    assert!(
        help.contains("Memory for the search tree [default: 1024]"),
        "{help}"
    );
    let error = stderr(propjit(&["serve", "--player", "random", "--threads", "2"]).code(2));
    assert!(
        error.contains("`random` has no option `threads`"),
        "{error}"
    );
}

#[test]
fn files_that_cannot_be_used_exit_with_1() {
    let folder = tempfile::tempdir().unwrap();
    let directory = folder.path().display().to_string();
    let broken = file(&folder, "broken.kif", "(role white)\n(init (p ?x))\n");
    let empty = file(&folder, "empty.kif", "");
    let parentheses = file(&folder, "deep.kif", &"(".repeat(1_000_000));
    for (path, message) in [
        ("no-such-file.kif", "no-such-file.kif"),
        (&directory, &directory),
        (&broken, "broken.kif:2:10"),
        (&empty, "empty.kif"),
        (&parentheses, "deep.kif:1:"),
    ] {
        for command in ["validate", "info", "playout"] {
            let assert = propjit(&[command, path]).code(1);
            let told = stderr(assert);
            assert!(told.contains(message), "{command} {path}: {told}");
        }
    }
}

#[test]
fn validate_counts_errors_and_warnings() {
    let folder = tempfile::tempdir().unwrap();
    let broken = file(&folder, "broken.kif", "(role white)\n(init (p ?x))\n");
    let good = own("ticTacToe");
    assert_eq!(
        stdout(propjit(&["validate", &good]).success()),
        format!("{good}: valid\n")
    );
    let assert = propjit(&["validate", &good, &broken, "--format", "json"]).code(1);
    let report: Value = serde_json::from_str(&stdout(assert)).unwrap();
    assert_eq!(report["valid"], 1);
    assert_eq!(report["invalid"], 1);
    let messages = report["files"][1]["messages"].as_array().unwrap();
    assert!(messages.iter().any(|message| message["line"] == 2));
}

#[test]
fn info_tells_the_parts_of_a_game() {
    let folder = tempfile::tempdir().unwrap();
    let dot = folder.path().join("net.dot").display().to_string();
    let report = json(&["info", &own("ticTacToe"), "--dot", &dot]);
    assert_eq!(report["roles"][0]["name"], "x");
    assert_eq!(report["roles"][0]["moves"], 10);
    assert!(report["propositions"].as_u64().unwrap() >= 20);
    let passes = report["circuit"]["passes"].as_array().unwrap();
    assert_eq!(
        passes[0]["gates_before"],
        report["circuit"]["gates_before_passes"]
    );
    assert_eq!(
        passes.last().unwrap()["gates_after"],
        report["circuit"]["gates"]
    );
    // Where there is nothing to draw, nothing is printed.
    let game = own("ticTacToe");
    propjit(&["info", &game, "--backend", "prover", "--dot", &dot])
        .code(1)
        .stdout("");
    assert!(std::fs::read_to_string(dot).unwrap().starts_with("digraph"));
}

#[test]
fn playout_reports_what_was_played() {
    let game = own("ticTacToe");
    for backend in ["auto", "prover", "scalar", "lanes"] {
        let args = [
            "playout",
            &game,
            "--backend",
            backend,
            "--count",
            "50",
            "--seed",
            "3",
        ];
        let report = json(&args);
        assert_eq!(report["game"], "ticTacToe");
        assert_eq!(report["rollouts"], 50);
        assert_eq!(report["threads"], 1);
        assert_eq!(report["truncated"], 0);
        let length = report["mean_length"].as_f64().unwrap();
        assert_eq!(
            report["state_changes"].as_f64().unwrap(),
            (length * 50.0).round()
        );
        let goals = report["mean_goals"].as_array().unwrap();
        let sum: f64 = goals.iter().map(|goal| goal.as_f64().unwrap()).sum();
        assert!((sum - 100.0).abs() < 1e-9, "x and o share 100 points");
        for key in [
            "setup_seconds",
            "seconds",
            "state_changes_per_second",
            "rollouts_per_second",
        ] {
            assert!(report[key].as_f64().unwrap() > 0.0, "{key}");
        }
        let again = json(&args);
        assert_eq!(again["mean_goals"], report["mean_goals"]);
    }
    let report = json(&["playout", &game]);
    // Not every CPU has machine code.
    assert!(report["backend"] == "compiled" || report["backend"] == "lanes");
    assert!(report["lanes"].as_u64().unwrap() >= 64);
}

#[test]
fn games_that_cannot_be_grounded_play_on_the_prover() {
    let folder = tempfile::tempdir().unwrap();
    let rules = "(role r) (init (at 0)) (legal r go)
        (<= (next (at (s ?x))) (true (at ?x)))
        (<= terminal (true (at (s (s 0))))) (goal r 1)";
    let game = file(&folder, "endless.kif", rules);
    let args = ["playout", &game, "--count", "5", "--setup-limit", "0.05"];
    let assert = propjit(&args).success();
    assert!(stderr(assert).contains("the prover is used instead"));
    let forced = [
        "playout",
        &game,
        "--setup-limit",
        "0.05",
        "--backend",
        "lanes",
    ];
    assert!(stderr(propjit(&forced).code(1)).contains("lanes"));
}

#[test]
fn perft_counts_and_divides() {
    let game = own("ticTacToe");
    let report = json(&["perft", &game, "3", "--divide"]);
    assert_eq!(report["sequences"], 504);
    let parts = report["divide"].as_array().unwrap();
    assert_eq!(parts.len(), 9);
    assert!(parts.iter().all(|part| part["sequences"] == 56));
    assert_eq!(json(&["perft", &game, "0"])["sequences"], 1);
    assert_eq!(json(&["perft", &game, "0", "--divide"])["sequences"], 1);

    // Black has no legal move after one of white's three.
    let blocked = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/blocked.kif");
    let report = json(&["perft", blocked, "5", "--divide"]);
    let counts = ["sequences", "ended", "stuck"].map(|name| &report[name]);
    assert_eq!(counts, [0, 2, 1]);
    assert_eq!(json(&["perft", blocked, "5"])["stuck"], 1);
    assert_eq!(json(&["perft", blocked, "2"])["stuck"], 1);
    let text = stdout(propjit(&["perft", blocked, "5"]).success());
    assert!(
        text.contains("; 2 more ended before, and 1 where a role has no legal move\n"),
        "{text}"
    );
}

#[test]
fn verify_tells_the_first_difference() {
    let folder = tempfile::tempdir().unwrap();
    let rules = "(role r) (init (at 0)) (legal r go) (legal r stay)
        (<= (next (at 1)) (does r go)) (<= (next (at 0)) (does r stay))
        (<= terminal (true (at 1))) (<= (goal r 100) terminal)";
    let game = file(&folder, "step.kif", rules);
    let trace = |goal: &str, joint: &str| {
        let text = format!(
            r#"{{"game": "step", "roles": ["r"], "matches": [{{"steps": [
              {{"fluents": 1, "fluents_fnv": "{start}", "fluent_list": ["(at 0)"], "terminal": false,
                "goals": [null], "legal": [2], "legal_lists": [["go", "stay"]], "joint": ["{joint}"]}},
              {{"fluents": 1, "fluents_fnv": "{end}", "terminal": true, "goals": [{goal}]}}]}}]}}"#,
            start = propjit::lab::verify::Fnv64::of_lines(["(at 0)"]),
            end = propjit::lab::verify::Fnv64::of_lines(["(at 1)"]),
        );
        file(&folder, "step.json", &text)
    };
    let args = |trace: &str| ["verify", &game, "--trace", trace].map(str::to_string);
    let verify = |path: &str| {
        let args = args(path);
        propjit(&args.iter().map(String::as_str).collect::<Vec<_>>())
    };
    assert!(stdout(verify(&trace("100", "go")).success()).contains("1 passed, 0 failed"));
    let told = stdout(verify(&trace("50", "go")).code(1));
    assert!(
        told.contains("match 1 step 1: goals: expected [Some(50)], got [Some(100)]"),
        "{told}"
    );
    let told = stdout(verify(&trace("100", "jump")).code(1));
    assert!(told.contains("r does not have a move `jump`"), "{told}");
    let told = stdout(verify("no-such-trace.json").code(1));
    assert!(told.contains("no-such-trace.json"), "{told}");

    trace("100", "go");
    let here = folder.path().display().to_string();
    let report = json(&["verify", "--games", &here, "--traces", &here, "--jobs", "2"]);
    assert_eq!(report["passed"], 1);
    assert_eq!(report["games"][0]["game"], "step");
    assert_eq!(report["games"][0]["status"], "ok");
}

#[test]
fn verify_plays_backends_against_each_other() {
    let game = own("connectFour");
    let report = json(&["verify", &game, "--against", "prover", "--matches", "2"]);
    assert_eq!(report["backend"], "scalar");
    assert_eq!(report["matches"], 2);
    assert_eq!(report["difference"], Value::Null);
    // The prover needs no ground game, the other one does.
    let report = json(&[
        "verify",
        &game,
        "--backend",
        "prover",
        "--against",
        "lanes",
        "--matches",
        "1",
    ]);
    assert_eq!(
        (&report["backend"], &report["against"]),
        (&"prover".into(), &"lanes".into())
    );
    assert_eq!(report["difference"], Value::Null);
}

#[test]
fn verify_does_not_compare_a_backend_with_itself() {
    let game = own("ticTacToe");
    for (options, chosen) in [
        (&["--against", "scalar"][..], "scalar"),
        (&["--against", "auto"][..], "scalar"),
        (&["--against", "auto", "--backend", "lanes"][..], "lanes"),
        (&["--against", "auto", "--backend", "scalar"][..], "scalar"),
    ] {
        let report = json(&[&["verify", &game, "--matches", "1"][..], options].concat());
        let both = [&report["backend"], &report["against"]];
        assert!(
            both[0] != both[1] && both.contains(&&chosen.into()),
            "{options:?}: {report}"
        );
    }
    let same = [
        "verify",
        &game,
        "--against",
        "prover",
        "--backend",
        "prover",
    ];
    assert!(stderr(propjit(&same).code(2)).contains("are both prover"));
    // Where nothing can be grounded, there is only the prover.
    let folder = tempfile::tempdir().unwrap();
    let rules = "(role r) (init (at 0)) (legal r go)
        (<= (next (at (s ?x))) (true (at ?x)))
        (<= terminal (true (at (s (s 0))))) (goal r 1)";
    let deep = file(&folder, "deep.kif", rules);
    for options in [
        &["--against", "prover"][..],
        &["--against", "auto", "--backend", "prover"],
    ] {
        let args = [&["verify", &deep, "--setup-limit", "0.05"][..], options].concat();
        let told = stderr(propjit(&args).code(1).stdout(""));
        assert!(
            told.contains("no backend to compare the prover with"),
            "{told}"
        );
    }
}

#[test]
fn prove_tells_verdict_line_and_cube() {
    let game = own("ticTacToe");
    let moves = "(mark 2 2) | noop; noop | (mark 1 2)";
    let report = json(&["prove", &game, "--moves", moves]);
    assert_eq!(report["verdict"], "won");
    assert_eq!(
        (&report["role"], &report["goal"]),
        (&"x".into(), &100.into())
    );
    assert_eq!(report["depth"], 5);
    assert_eq!(report["line"].as_array().unwrap().len(), 5);
    let cube = report["cube"].as_array().unwrap();
    // A cube is of one phase.
    for held in ["(cell 2 2 x)", "(control x)", "(not (control o))"] {
        assert!(cube.contains(&held.into()), "{held}: {cube:?}");
    }
    let text = stdout(propjit(&["prove", &game, "--moves", moves]).success());
    assert!(
        text.starts_with("won: x can force 100 in 5 joint moves"),
        "{text}"
    );

    let report = json(&["prove", &game, "--role", "o"]);
    assert_eq!(report["verdict"], "lost");
    let report = json(&[
        "prove", &game, "--role", "o", "--goal", "50", "--depth", "3",
    ]);
    assert_eq!(
        (&report["verdict"], &report["depth"]),
        (&"not within".into(), &3.into())
    );
    let plain = json(&[
        "prove",
        &game,
        "--role",
        "o",
        "--depth",
        "3",
        "--without",
        "cubes",
    ]);
    assert_eq!(
        (&plain["verdict"], &plain["discharged"]),
        (&"not within".into(), &0.0.into())
    );
    for wrong in [
        &["prove", &game, "--goal", "101"][..],
        &["prove", &game, "--role", "z"],
        &["prove", &game, "--depth", "0"],
    ] {
        propjit(wrong).code(2);
    }
    propjit(&["prove", "no-such-file.kif"]).code(1);
}

#[test]
fn prove_names_what_works_with_too_many_joint_moves() {
    let folder = tempfile::tempdir().unwrap();
    let numbers: String = (0..65).map(|number| format!("(number {number})")).collect();
    let rules = format!(
        "(role a) (role b) {numbers} (init start)
         (<= (legal ?r (say ?n)) (role ?r) (number ?n))
         (<= (next same) (does a (say ?n)) (does b (say ?n))) (<= (next over) (true start))
         (<= terminal (true over)) (<= (goal ?r 100) (role ?r) (true same))
         (<= (goal ?r 0) (role ?r) (not (true same)))"
    );
    let told = stderr(propjit(&["prove", &file(&folder, "many.kif", &rules)]).code(1));
    assert!(
        told.contains("4096") && told.contains("propjit solve"),
        "{told}"
    );
}

#[test]
fn a_log_filter_that_cannot_be_read_is_told() {
    let mut command = std::process::Command::new(assert_cmd::cargo::cargo_bin!("propjit"));
    command.args(["validate", &own("ticTacToe")]);
    let output = command.env("PROPJIT_LOG", "propjit=loud").output().unwrap();
    let told = String::from_utf8(output.stderr).unwrap();
    assert!(told.contains("PROPJIT_LOG is ignored"), "{told}");
    assert!(output.status.success());
}

#[test]
fn perf_writes_its_protocol() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out.txt").display().to_string();
    propjit(&["perf", &own("ticTacToe"), &out, "0.05"]).success();
    let lines = std::fs::read_to_string(&out).unwrap();
    let keys: Vec<&str> = lines
        .lines()
        .map(|line| line.split('=').next().unwrap())
        .collect();
    assert_eq!(
        keys,
        [
            "version",
            "millisecondsTaken",
            "numStateChanges",
            "numRollouts"
        ]
    );
    propjit(&["perf", "no-such-file.kif", &out, "1"]).code(1);
    let lines = std::fs::read_to_string(&out).unwrap();
    assert!(
        lines.lines().nth(1).unwrap().starts_with("errorMessage="),
        "{lines}"
    );
    let wrong = file(&folder, "wrong.kif", "(role r");
    let told = stderr(propjit(&["perf", &wrong, &out, "1"]).code(1));
    assert!(told.starts_with("error[unclosed-parenthesis]"), "{told}");
    let lines = std::fs::read_to_string(&out).unwrap();
    let error = lines.lines().nth(1).unwrap();
    let expected = "errorMessage=error[unclosed-parenthesis]: this form lacks a `)`";
    assert_eq!(error, expected);
    propjit(&["perf", &own("ticTacToe"), "/no/such/folder/out", "0.05"]).code(1);
}

#[test]
fn a_closed_stdout_is_no_success() {
    let mut child = std::process::Command::new(assert_cmd::cargo::cargo_bin!("propjit"))
        .args(["perft", &own("breakthrough"), "2", "--divide"])
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(String::from_utf8(output.stderr).unwrap(), "");
}

#[test]
fn rules_and_histories_may_come_from_standard_input() {
    let game = own("ticTacToe");
    let rules = std::fs::read_to_string(&game).unwrap();
    for args in [
        &["validate", "-"][..],
        &["info", "-"],
        &["perft", "-", "2"],
        &["playout", "-", "--count", "10"],
        &["analyze", "-", "--playouts", "10"],
        &["match", "-", "--player", "random", "--player", "legal"],
        &["compare", "-", "--seconds", "0.01"],
        &["verify", "-", "--against", "prover", "--matches", "2"],
    ] {
        let read = propjit_reading(args, rules.as_str()).success();
        assert!(!stdout(read).is_empty(), "{args:?}");
    }
    let moves = "(mark 2 2) | noop\nnoop | (mark 1 2)\n";
    let args = ["analyze", &game, "--history", "-", "--playouts", "10"];
    let text = stdout(propjit_reading(&args, moves).success());
    assert!(text.contains("\nx: (mark"), "{text}");
    propjit_reading(&["analyze", "-", "--history", "-"], rules.as_str()).code(2);
    propjit_reading(&["play", "-"], rules.as_str()).code(2);
}

/// A rule without an end does not make a command go on when its time is up.
#[test]
fn time_limits_hold_for_endless_rules() {
    let folder = tempfile::tempdir().unwrap();
    let rules = "(role up) (init (at 0)) (nat z) (<= (nat (s ?x)) (nat ?x))
        (<= (legal up (count ?x)) (nat ?x)) (<= (next (at 1)) (does up (count ?x)))
        (<= terminal (true (at 1))) (goal up 100)";
    let path = file(&folder, "numbers.kif", rules);
    // Without the time, the question would come to its own limit, which is an error.
    let report = json(&["playout", &path, "--seconds", "0.1", "--setup-limit", "0.2"]);
    assert_eq!(report["rollouts"], 0);
}

#[test]
fn the_help_lists_commands_by_group() {
    let help = stdout(propjit(&["--help"]).success());
    let groups = [
        "Play and analyse",
        "Check rules",
        "Prove and solve",
        "Serve",
    ];
    let places: Vec<_> = groups
        .iter()
        .map(|group| help.find(&format!("{group}:\n")))
        .collect();
    assert!(
        places.iter().all(Option::is_some) && places.is_sorted(),
        "{help}"
    );
    assert!(
        help.contains("  match        Play matches between players\n"),
        "{help}"
    );
}

#[test]
fn shells_complete_commands_and_options() {
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let script = stdout(propjit(&["completions", shell]).success());
        assert!(script.contains("tournament"), "{shell}");
        assert!(script.contains("start-clock"), "{shell}");
    }
    propjit(&["completions", "cmd.exe"]).code(2);
}

#[test]
fn each_command_has_a_manual_page() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("man1");
    propjit(&["manual", place.to_str().unwrap()]).success();
    let page = |name: &str| std::fs::read_to_string(place.join(name)).unwrap();
    assert!(page("propjit.1").contains("Play and analyse games"));
    assert!(page("propjit-match.1").contains("start\\-clock"));
    let used = file(&folder, "used", "");
    let told = stderr(propjit(&["manual", &used]).code(1));
    assert!(told.contains("cannot write"), "{told}");
}
