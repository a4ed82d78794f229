//! Matches recorded with an independent prover, replayed by the prover.
//!
//! The rulesheets and the traces are not part of the project: without them these tests are
//! skipped. A few quick games are
//! replayed always, all of them when `PROPJIT_SOAK` is set.

use std::path::{Path, PathBuf};

use propjit_gdl::prover::{Prover, ProverLimits};
use propjit_gdl::rules::Rules;
use propjit_gdl::term::{TermId, Terms};
use propjit_test_support::{shared, soak};
use serde_json::Value;

/// Games with recursion, negation, nested terms, several roles, simultaneous
/// moves, and some that cannot be grounded.
const QUICK: [&str; 10] = [
    "amazons_8x8",
    "blocker",
    "breakthrough",
    "connectFour",
    "hex",
    "merrills",
    "mummymaze1p",
    "racer",
    "reversi",
    "ticTacToe",
];

/// Its recording writes the fluent `game1OverLock` as `(game1OverLock)`.
const SPELT_DIFFERENTLY: &str = "blocksWorldSerial";

/// FNV-1a with 64 bits of the texts, sorted, each followed by a newline.
fn fingerprint(terms: &Terms, set: &[TermId]) -> String {
    let mut texts: Vec<String> = set.iter().map(|&term| terms.text(term) + "\n").collect();
    texts.sort_unstable();
    let hash = texts
        .concat()
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)
        });
    format!("{hash:016x}")
}

/// The term with this canonical text.
fn parse_term(terms: &mut Terms, text: &str) -> TermId {
    let mut stack = vec![Vec::new()];
    for token in text
        .replace('(', "( ")
        .replace(')', " )")
        .split_whitespace()
    {
        match token {
            "(" => stack.push(Vec::new()),
            ")" => {
                let args: Vec<TermId> = stack.pop().expect("an open parenthesis");
                let functor = terms.functor(args[0]);
                let term = terms.term(functor, &args[1..]);
                stack.last_mut().expect("an open parenthesis").push(term);
            }
            name => {
                let constant = terms.constant(name);
                stack
                    .last_mut()
                    .expect("an open parenthesis")
                    .push(constant);
            }
        }
    }
    stack[0][0]
}

/// Fails at the first difference between a game's trace and the prover.
fn replay(shared: &Path, game: &str) {
    let rulesheet = shared.join("games").join(game).with_extension("kif");
    let rules = Rules::read(rulesheet).expect("a valid rulesheet").rules;
    let mut prover = Prover::new(&rules, ProverLimits::default()).expect("a sound game");
    let trace = std::fs::read_to_string(shared.join("traces").join(game).with_extension("json"));
    let trace: Value = serde_json::from_str(&trace.expect("a readable trace")).expect("JSON");

    for (number, recorded) in trace["matches"]
        .as_array()
        .expect("matches")
        .iter()
        .enumerate()
    {
        let mut state = prover.initial_state().expect("an initial state");
        for (index, step) in recorded["steps"]
            .as_array()
            .expect("steps")
            .iter()
            .enumerate()
        {
            let site = format!("{game}, match {number}, step {index}");
            let hash = fingerprint(prover.terms(), &state);
            assert_eq!(step["fluents"], state.len(), "{site}: fluents");
            assert_eq!(step["fluents_fnv"], hash, "{site}: fluents");
            prover.set_state(&state);
            let terminal = prover.is_terminal().expect("within limits");
            assert_eq!(step["terminal"], terminal, "{site}: terminal");
            for (role, expected) in step["goals"].as_array().into_iter().flatten().enumerate() {
                let goals = prover.goals(role).expect("within limits");
                let value = match goals[..] {
                    [value] => prover.terms().text(value).parse().ok(),
                    _ => None,
                };
                assert_eq!(expected.as_u64(), value, "{site}: goal of role {role}");
            }
            for (role, count) in step["legal"].as_array().into_iter().flatten().enumerate() {
                let moves = prover.legal_moves(role).expect("within limits");
                let hash = fingerprint(prover.terms(), &moves);
                assert_eq!(*count, moves.len(), "{site}: moves of role {role}");
                assert_eq!(
                    step["legal_fnv"][role], hash,
                    "{site}: moves of role {role}"
                );
            }
            if let Some(joint) = step["joint"].as_array() {
                let texts = joint.iter().map(|text| text.as_str().expect("a move"));
                let joint: Vec<TermId> = texts
                    .map(|text| parse_term(prover.terms_mut(), text))
                    .collect();
                state = prover.next_state(&joint).expect("within limits");
            }
        }
    }
}

#[test]
fn recorded_matches_replay() {
    let Some(shared) = shared() else { return };
    if !soak() {
        QUICK.iter().for_each(|game| replay(&shared, game));
        return;
    }
    let traces = std::fs::read_dir(shared.join("traces")).expect("a folder");
    let mut games: Vec<PathBuf> = traces.map(|entry| entry.expect("a file").path()).collect();
    games.sort();
    for path in games {
        let game = path
            .file_stem()
            .expect("a file name")
            .to_string_lossy()
            .into_owned();
        if game != SPELT_DIFFERENTLY {
            eprintln!("{game}");
            replay(&shared, &game);
        }
    }
}
