//! The same circuits compiled for another CPU: code for aarch64, linked with a small C
//! program and run by an emulator, against the interpreter, bit for bit.
//!
//! Needs `aarch64-linux-gnu-gcc` and `qemu-aarch64`, which Debian has in the packages
//! gcc-aarch64-linux-gnu, libc6-dev-arm64-cross and qemu-user. Without them, the test
//! says that it is skipped.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use propjit::game::ground::sections::playout_sections;
use propjit::game::load::Game;
use propjit_jit::code::{CodeConfig, ForeignCode, Generator};
use propjit_jit::evaluator::{Engine, LaneEvaluator};
use propjit_jit::lanes::Width;
use propjit_jit::lanes::random::LaneRandom;

use crate::common::{self, own_games};

const COMPILER: &str = "aarch64-linux-gnu-gcc";
const EMULATOR: &str = "qemu-aarch64";

/// Games with and without recursion, small and not so small.
const GAMES: [&str; 5] = ["ticTacToe", "breakthrough", "captureGo", "hexPie", "pipes"];

/// How many times each circuit is evaluated.
const ROUNDS: usize = 4;

#[test]
fn aarch64_code_agrees_with_the_interpreter() {
    for tool in [COMPILER, EMULATOR] {
        let tried = Command::new(tool)
            .arg("--version")
            .stdout(Stdio::null())
            .status();
        if !tried.is_ok_and(|status| status.success()) {
            return common::skipped(&format!("there is no {tool}"));
        }
    }
    for (name, path) in own_games() {
        if GAMES.contains(&&*name) {
            let game = Game::load(&path, &Default::default()).unwrap();
            for width in [Width::X64, Width::X128] {
                check(&name, &game, width);
            }
        }
    }
}

fn check(name: &str, game: &Game, width: Width) {
    let interpreted = game.engines().unwrap().programs().lane_program();
    let game = game.ground_game().unwrap();
    let sections = playout_sections(game.layout());
    let target = "aarch64-unknown-linux-gnu".parse().unwrap();
    let config = CodeConfig::new(Generator::Cranelift, width);
    let code =
        ForeignCode::compile(&game.min_gates().circuit, &sections, &target, &config).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let program = link(&code, width, folder.path());

    let mut lanes = LaneEvaluator::new(Engine::Interpreter(interpreted, width));
    let mut random = LaneRandom::new(1);
    let (mut given, mut expected) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        let inputs = lanes.inputs_mut(0..code.inputs.len());
        inputs
            .chunks_exact_mut(width.words())
            .for_each(|row| random.fill(row));
        given.extend(inputs.iter().flat_map(|word| word.to_le_bytes()));
        (0..sections.len()).for_each(|section| lanes.evaluate(section));
        let outputs = lanes.outputs(0..code.outputs.len());
        expected.extend(outputs.iter().flat_map(|word| word.to_le_bytes()));
    }
    let mut emulator = Command::new(EMULATOR)
        .arg(program)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = emulator.stdin.take().unwrap();
    let writer = std::thread::spawn(move || stdin.write_all(&given));
    let result = emulator.wait_with_output().unwrap();
    writer.join().unwrap().unwrap();
    assert!(result.status.success(), "{name}: {}", result.status);
    assert!(
        result.stdout == expected,
        "{name}, {} lanes: outputs differ",
        width.lanes()
    );
}

/// Makes a program of the code; returns its path.
fn link(code: &ForeignCode, width: Width, folder: &Path) -> std::path::PathBuf {
    let bytes: Vec<String> = code.bytes.iter().map(u8::to_string).collect();
    let mut assembly = String::from(".text\n.balign 64\n.global code\ncode:\n");
    for line in bytes.chunks(64) {
        writeln!(assembly, ".byte {}", line.join(",")).unwrap();
    }
    assembly.push_str(".section .note.GNU-stack,\"\",%progbits\n");
    std::fs::write(folder.join("code.s"), assembly).unwrap();
    std::fs::write(folder.join("tables.h"), tables(code, width)).unwrap();
    let program = folder.join("program");
    let driver = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/aarch64/driver.c");
    let status = Command::new(COMPILER)
        .args([
            "-O1",
            "-static",
            "-Wall",
            "-Wextra",
            "-Wno-type-limits",
            "-o",
        ])
        .arg(&program)
        .arg("-I")
        .arg(folder)
        .arg(driver)
        .arg(folder.join("code.s"))
        .status()
        .unwrap();
    assert!(status.success(), "the program cannot be linked");
    program
}

fn tables(code: &ForeignCode, width: Width) -> String {
    let mut text = String::new();
    for (name, value) in [
        ("WORDS", width.words()),
        ("ROWS", code.rows as usize),
        ("FIRST_INPUT", code.inputs.start),
        ("INPUTS", code.inputs.len()),
        ("FIRST_OUTPUT", code.outputs.start),
        ("OUTPUTS", code.outputs.len()),
    ] {
        writeln!(text, "#define {name} {value}ul").unwrap();
    }
    let mut feedback = Vec::new();
    text.push_str("struct step { unsigned first, end, feedback_first, feedback_count; };\n");
    text.push_str("static const struct step steps[] = {\n");
    let steps = || code.sections.iter().flatten();
    for step in steps() {
        let (routines, rows) = (&step.routines, &step.feedback);
        let (first, end, count) = (routines.start, routines.end, rows.len());
        writeln!(text, "{{{first}, {end}, {}, {count}}},", feedback.len()).unwrap();
        feedback.extend(rows.iter().map(u32::to_string));
    }
    writeln!(text, "}};\n#define STEPS {}", steps().count()).unwrap();
    let entries: Vec<String> = code.entries.iter().map(u32::to_string).collect();
    writeln!(
        text,
        "static const unsigned entries[] = {{{}}};",
        entries.join(",")
    )
    .unwrap();
    // An array of none is no C.
    feedback.push("0".to_string());
    writeln!(
        text,
        "static const unsigned feedback[] = {{{}}};",
        feedback.join(",")
    )
    .unwrap();
    text
}
