//! `propjit compare` and `propjit disassemble`: results, messages and exit codes.

use serde_json::Value;

use crate::common::command::{file, json, own, propjit, stderr, stdout};

#[test]
fn all_backends_are_measured_and_agree() {
    let folder = tempfile::tempdir().unwrap();
    let plot = folder.path().join("plot.svg").display().to_string();
    let (one, two) = (own("ticTacToe"), own("tron"));
    // However slow the machine is, some time is enough for each to play.
    let played = |report: &Value| {
        let games = report["games"].as_array().unwrap().iter();
        let mut rows = games.flat_map(|game| game["rows"].as_array().unwrap());
        rows.all(|row| row["measured"]["playouts"]["state_changes_per_second"] != 0.0)
    };
    let mut reports = (0..).map(|double| {
        let seconds = (0.05 * f64::from(1 << double)).to_string();
        json(&[
            "compare",
            &one,
            &two,
            "--seconds",
            &seconds,
            "--plot",
            &plot,
        ])
    });
    let report = reports.find(played).unwrap();
    assert_eq!(report["agree"], true);
    let games = report["games"].as_array().unwrap();
    let names: Vec<&Value> = games.iter().map(|game| &game["game"]).collect();
    assert_eq!(names, ["ticTacToe", "tron"]);
    for game in games {
        assert_eq!(game["reference"], "scalar");
        let rows = game["rows"].as_array().unwrap();
        let figures = |name| {
            let row = rows.iter().find(|row| row["backend"] == name);
            row.unwrap_or_else(|| panic!("no row {name}"))["measured"].clone()
        };
        for name in ["prover", "scalar", "lanes", "cranelift 64", "cranelift 128"] {
            let figures = figures(name);
            let speed = figures["playouts"]["state_changes_per_second"].as_f64();
            assert!(speed.unwrap() > 0.0, "{name}");
            assert!(figures["latency"]["next_seconds"].as_f64().is_some());
            assert!(figures["states_compared"].as_u64().unwrap() > 0);
        }
        assert_eq!(figures("scalar")["ratio_to_scalar"], 1.0);
        let code = &figures("cranelift 128")["code"];
        assert!(code["playouts"]["bytes"].as_u64().unwrap() > 0);
        assert_eq!(figures("lanes")["code"], Value::Null);
    }
    let picture = std::fs::read_to_string(&plot).unwrap();
    assert!(picture.starts_with("<svg") && picture.trim_end().ends_with("</svg>"));
    for shown in ["ticTacToe", "tron", "prover", "cranelift 128"] {
        assert!(picture.contains(shown), "{shown}");
    }
}

#[test]
fn the_table_has_a_line_for_each_backend() {
    let args = ["compare", &own("ticTacToe"), "--seconds", "0.02"];
    let table = stdout(propjit(&args).success());
    for name in ["prover", "scalar", "lanes", "cranelift 64", "avx2 256"] {
        let lines = table.lines().filter(|line| line.starts_with(name));
        assert_eq!(lines.count(), 1, "{name}: {table}");
    }
    assert!(table.contains("all backends agree"));
}

#[test]
fn games_that_cannot_be_grounded_have_the_prover_and_reasons() {
    let folder = tempfile::tempdir().unwrap();
    let rules = "(role r) (init (at 0)) (legal r go)
        (<= (next (at (s ?x))) (true (at ?x)))
        (<= terminal (true (at (s (s 0))))) (goal r 1)";
    let game = file(&folder, "deep.kif", rules);
    let limits = ["--seconds", "0.05", "--setup-limit", "0.05"];
    let report = json(&[&["compare", &game][..], &limits].concat());
    assert_eq!(report["agree"], Value::Null);
    let table = &report["games"][0];
    assert_eq!(table["reference"], "prover");
    let rows = table["rows"].as_array().unwrap();
    assert!(rows[0]["measured"].is_object(), "{}", rows[0]);
    for row in &rows[1..] {
        let reason = row["unavailable"].as_str().unwrap();
        assert!(reason.contains("ground"), "{row}");
    }
    let disassemble = ["disassemble", &game, "--setup-limit", "0.05"];
    assert!(stderr(propjit(&disassemble).code(1)).contains("ground"));
}

#[test]
fn compare_finds_errors_before_it_measures() {
    let folder = tempfile::tempdir().unwrap();
    let good = own("ticTacToe");
    let broken = file(&folder, "broken.kif", "(role white)\n(init (p ?x))\n");
    let nowhere = folder.path().join("no/such/folder/plot.svg");
    let nowhere = nowhere.display().to_string();
    // An hour each: it would be noticed if it started.
    let hour = ["--seconds", "3600"];
    let wrong: [(&[&str], &str); 3] = [
        (&["compare", &good, &broken], "broken.kif:2:10"),
        (&["compare", &good, "no-such.kif"], "no-such.kif"),
        (&["compare", &good, "--plot", &nowhere], &nowhere),
    ];
    for (args, message) in wrong {
        let assert = propjit(&[args, &hour].concat()).code(1).stdout("");
        assert!(stderr(assert).contains(message), "{args:?}");
    }
}

#[test]
fn wrong_usage_exits_with_2() {
    let game = own("ticTacToe");
    let wrong: [&[&str]; 11] = [
        &["compare"],
        &["compare", &game, "--seconds", "0"],
        &["compare", &game, "--seconds", "soon"],
        &["compare", &game, "--plot"],
        &["compare", &game, "--backend", "scalar"],
        &["disassemble", &game, "--ir", "--asm"],
        &["disassemble", &game, "--function", "playout"],
        &["disassemble", &game, "--generator", "gcc"],
        &["disassemble", &game, "--lanes", "96"],
        &["disassemble", &game, "--generator", "avx2", "--lanes", "64"],
        &[
            "disassemble",
            &game,
            "--generator",
            "avx512",
            "--lanes",
            "128",
        ],
    ];
    for args in wrong {
        let assert = propjit(args).code(2).stdout("");
        assert!(!stderr(assert).is_empty(), "{args:?}");
    }
}

#[test]
fn disassemble_prints_each_form_of_each_part() {
    let game = own("ticTacToe");
    let forms: [(&[&str], &str); 7] = [
        (&["--ir"], "band"),
        (&["--ir", "--lanes", "64"], "i64"),
        (&["--asm", "--lanes", "128"], "ret"),
        (&["--generator", "avx2"], "vpand ymm"),
        (&["--generator", "avx2", "--lanes", "128"], "vpand xmm"),
        (&["--generator", "avx512"], "vpternlogq zmm"),
        (&["--generator", "avx512", "--lanes", "256"], "vpandq ymm"),
    ];
    for (options, expected) in forms {
        let printed = stdout(propjit(&[&["disassemble", &game], options].concat()).success());
        assert!(printed.contains(expected), "{options:?}");
    }
    for (function, parts) in [
        ("legal", &["legal"][..]),
        ("next", &["next"]),
        ("terminal", &["terminal"]),
        ("goals", &["goals"]),
        ("step", &["legal and terminal", "next"]),
    ] {
        let report = json(&["disassemble", &game, "--function", function]);
        let functions = report["functions"].as_array().unwrap();
        let mut printed: Vec<&Value> = functions.iter().map(|f| &f["part"]).collect();
        printed.dedup();
        assert_eq!(printed, parts, "{function}");
    }
}
