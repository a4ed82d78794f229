//! `propjit play`: whole matches by script.

#[cfg(target_os = "linux")]
use std::process::{Command, Stdio};

use crate::common;
use crate::common::command::{file, own, propjit, propjit_reading, stderr, stdout};

/// What is said during a match with this input.
fn play(args: &[&str], input: &str) -> String {
    let all = [&["play"], args, &["--playouts", "500", "--seed", "7"]].concat();
    stdout(propjit_reading(&all, input).success())
}

/// How often the text occurs.
fn count(text: &str, part: &str) -> usize {
    text.matches(part).count()
}

#[test]
fn a_whole_match_is_played() {
    let game = own("ticTacToe");
    for backend in ["prover", "scalar", "compiled"] {
        for (role, other) in [("x", "o"), ("o", "x")] {
            let args = [&game, "--role", role, "--backend", backend];
            let text = play(&args, &"1\n".repeat(5));
            let greeting = format!("you are {role}, the machine is {other}");
            assert!(text.starts_with(&greeting), "{text}");
            let end = text.split("the match is over\n").nth(1).unwrap();
            // A player that always takes the first square does not win against the search.
            assert!(!end.contains(&format!("goal  100   {role}\n")), "{text}");
            assert_eq!(count(end, "goal"), 2, "{text}");
            assert!(text.contains(" | "), "{text}");
        }
    }
}

#[test]
fn a_match_without_choices_can_be_left() {
    let folder = tempfile::tempdir().unwrap();
    let rules = "(role r) (init on) (legal r go) (<= (next on) (true on))
        (<= terminal (true off)) (<= (next off) (true off)) (goal r 0)";
    let endless = file(&folder, "endless.kif", rules);
    let text = play(&[&endless], "1\nquit\n");
    assert_eq!(count(&text, "your moves:"), 2, "{text}");
}

#[test]
fn moves_are_entered_by_number_or_text() {
    for written in ["5", " mark 2 2 ", "( mark  2 2)\r", "(mark 2 2)"] {
        let text = play(&[&own("ticTacToe")], &format!("{written}\n"));
        assert!(text.contains("\n(mark 2 2) | noop\n"), "{written}: {text}");
        assert_eq!(count(&text, "after 2 joint moves"), 1);
    }
}

#[test]
fn bad_input_is_reported_and_asked_for_again() {
    let bad = [
        "0",
        "10",
        "(mark 2",
        "noop",
        "(mark 9 9)",
        "x\0\u{1b}[2J",
        "",
        "-1",
    ];
    let text = play(&[&own("ticTacToe")], &(bad.join("\n") + "\n5\n"));
    assert_eq!(count(&text, "there is no move"), 2, "{text}");
    assert_eq!(count(&text, "neither a legal move"), 5, "{text}");
    assert!(!text.contains('\u{1b}'), "{text}");
    assert!(text.contains("\n(mark 2 2) | noop\n"), "{text}");
    let bytes = [&b"\xff\xfe\n"[..], &vec![b'('; 1 << 20]].concat();
    propjit_reading(&["play", &own("ticTacToe")], bytes).success();
}

#[test]
fn moves_are_taken_back() {
    let game = own("ticTacToe");
    let text = play(&[&game], "undo\n1\nundo\n2\n1\nundo\nundo\nundo\n");
    assert_eq!(count(&text, "you have no move to take back"), 2, "{text}");
    assert_eq!(count(&text, "after 0 joint moves"), 3, "{text}");
    assert_eq!(count(&text, "after 2 joint moves"), 3, "{text}");
    assert_eq!(count(&text, "after 4 joint moves"), 1, "{text}");
    // Not beyond where it began.
    let text = play(
        &[&game, "--moves", "(mark 1 1)|noop;noop|(mark 2 2)"],
        "undo\n",
    );
    assert_eq!(count(&text, "you have no move to take back"), 1, "{text}");
}

#[test]
fn hints_are_the_best_moves() {
    let won = "(mark 1 1)|noop; noop|(mark 2 1); (mark 1 2)|noop; noop|(mark 2 2)";
    for backend in ["prover", "compiled"] {
        let args = [&own("ticTacToe"), "--moves", won, "--backend", backend];
        let text = play(&args, "hint\nmark 1 3\n");
        assert_eq!(count(&text, "= 100  (mark 1 3)\n"), 1, "{text}");
        assert!(text.contains("goal  100   x\n"), "{text}");
    }
}

#[test]
fn the_program_ends_when_it_is_asked_to() {
    let game = own("ticTacToe");
    for input in ["", "quit\n1\n", "exit\n", "help\nmoves\nstate\n", "1"] {
        let text = play(&[&game], input);
        assert_eq!(count(&text, "the match is over"), 0, "{text}");
    }
    let text = play(&[&game], "help\n");
    assert!(text.contains("undo  ") && text.contains("hint  "), "{text}");
}

#[test]
fn games_of_all_kinds_are_played() {
    // Alone, with chance, at the same time, with three.
    for (name, end) in [
        ("pegTriangle", 1),
        ("piglet", 2),
        ("tron", 2),
        ("threePlayerTicTacToe", 3),
    ] {
        let text = play(&[&own(name)], &"1\n".repeat(100));
        let over = text.split("the match is over\n").nth(1);
        match over {
            Some(goals) => assert!(count(goals, "goal") >= end, "{name}: {text}"),
            None => assert!(count(&text, "> ") > 100, "{name}: {text}"),
        }
    }
}

#[test]
fn games_that_cannot_be_grounded_are_played() {
    let folder = tempfile::tempdir().unwrap();
    let game = file(&folder, "talk.kif", common::TALK);
    let text = play(&[&game, "--role=down"], "say bad\n");
    // The machine has the last word.
    assert!(
        text.ends_with("goal  100   up\ngoal    0   down\n"),
        "{text}"
    );
}

#[test]
fn moves_that_are_called_like_commands() {
    let folder = tempfile::tempdir().unwrap();
    let rules = "(role r) (init start)
        (legal r 2) (legal r 1) (legal r quit)
        (<= (next (played ?m)) (does r ?m)) (<= terminal (not (true start)))
        (<= (goal r 10) (true (played 1))) (<= (goal r 20) (true (played 2)))
        (<= (goal r 30) (true (played quit)))";
    let game = file(&folder, "names.kif", rules);
    for (written, goal) in [("(1)", 10), ("(2)", 20), ("(quit)", 30)] {
        let text = play(&[&game], &format!("{written}\n"));
        assert!(text.ends_with(&format!("goal {goal:>4}   r\n")), "{text}");
    }
}

#[test]
fn matches_that_cannot_go_on_end() {
    let folder = tempfile::tempdir().unwrap();
    let game = file(&folder, "endless.kif", common::ENDLESS);
    let text = play(&[&game], "leave\n");
    assert!(
        text.ends_with("walker has no legal move, so the match cannot continue\n"),
        "{text}"
    );
    let game = file(&folder, "counter.kif", common::COUNTER);
    // Two goals together are none.
    let text = play(&[&game, "--moves", "(one wait);(two wait)"], "two\n");
    assert!(
        text.ends_with("goal none   up\ngoal   50   idle\n"),
        "{text}"
    );
}

#[test]
fn wrong_usage_is_reported() {
    let game = own("ticTacToe");
    let told = stderr(propjit(&["play", &game, "--role", "z"]).code(2));
    assert!(told.contains("the roles are x, o"), "{told}");
    propjit(&["play", &game, "--format", "json"]).code(2);
    propjit(&["play", "no-such-file.kif"]).code(1);
    let told = stderr(propjit(&["play", &game, "--moves", "noop"]).code(1));
    assert!(told.contains("joint move 1"), "{told}");
}

/// Reads from a terminal until the program has shown this text; what is left of what it has shown.
#[cfg(target_os = "linux")]
fn read_until(terminal: &mut std::fs::File, mut seen: String, text: &str) -> String {
    use std::io::Read;
    loop {
        if let Some(at) = seen.find(text) {
            return seen.split_off(at + text.len());
        }
        let mut bytes = [0; 4096];
        let count = terminal.read(&mut bytes).expect("the program goes on");
        seen.push_str(&String::from_utf8_lossy(&bytes[..count]));
    }
}

#[cfg(target_os = "linux")]
#[test]
fn moves_are_completed_on_a_terminal() {
    use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
    use std::io::Write;
    let terminal = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    grantpt(&terminal).unwrap();
    unlockpt(&terminal).unwrap();
    let name = ptsname(&terminal, Vec::new()).unwrap();
    let side = || {
        let mut options = std::fs::OpenOptions::new();
        let file = options.read(true).write(true).open(name.to_str().unwrap());
        Stdio::from(file.unwrap())
    };
    let mut program = Command::new(assert_cmd::cargo::cargo_bin!("propjit"))
        .args([
            "play",
            &own("ticTacToe"),
            "--playouts",
            "500",
            "--seed",
            "7",
        ])
        .env("TERM", "xterm")
        .env("PROPJIT_CACHE", "off")
        .env("PROPJIT_CONFIG", "off")
        .stdin(side())
        .stdout(side())
        .stderr(side())
        .spawn()
        .unwrap();
    let mut terminal = std::fs::File::from(terminal);
    let mut seen = String::new();
    let mut enter = |keys: &str, shown: &str| {
        terminal.write_all(keys.as_bytes()).unwrap();
        seen = read_until(&mut terminal, std::mem::take(&mut seen), shown);
    };
    enter("", "x> ");
    // One word at a time, until there is only one move left; twice for a list of what there is.
    enter("ma\t", "mark ");
    enter("\t\t", "mark 3 ");
    enter("2\t2\t\r", "(mark 2 2) | noop");
    enter("", "x> ");
    // The line before comes again, and is no legal move any more.
    enter("\u{1b}[A\r", "neither a legal move nor a command");
    // Ctrl-D.
    enter("", "x> ");
    terminal.write_all(b"\x04").unwrap();
    assert!(program.wait().unwrap().success());
}
