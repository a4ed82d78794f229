//! Rulesheets with random damage: whatever they say, the answer is a game or an
//! error, within the limits, and the backends agree about the game.
//!
//! By default a few hundred rulesheets are tried. `PROPJIT_FUZZ_SECONDS=3600`
//! goes on for an hour, with other damage each time unless `PROPJIT_FUZZ_SEED`
//! says which. Before it is tried, a rulesheet is written to a file in the
//! folder for temporary files, whose name is printed, so that it can be had
//! after a crash or a hang.

use std::time::{Duration, Instant};

use crate::common;
use crate::harness::rulesheet::{Trial, try_rulesheet};
use propjit::support::rng::{GameRng, streams};
use rand::RngExt;
use rand::seq::IndexedRandom;

/// Words that mean something, to be put in unlikely places.
const WORDS: [&str; 22] = [
    "(", ")", "<=", "not", "or", "distinct", "true", "does", "next", "legal", "init", "goal",
    "terminal", "role", "base", "input", "?x", "?y", "1", "100", "noop", "random",
];

/// The words of a rulesheet: parentheses and what stands between them.
fn words(text: &str) -> Vec<String> {
    let code = text
        .lines()
        .map(|line| line.split(';').next().unwrap_or(""));
    let spaced = code
        .collect::<Vec<_>>()
        .join("\n")
        .replace('(', " ( ")
        .replace(')', " ) ");
    spaced.split_whitespace().map(str::to_owned).collect()
}

/// Where the form that starts at an opening parenthesis ends.
fn form_end(words: &[String], start: usize) -> usize {
    let mut depth = 0;
    for (at, word) in words.iter().enumerate().skip(start) {
        match word.as_str() {
            "(" => depth += 1,
            ")" => depth -= 1,
            _ => {}
        }
        if depth <= 0 {
            return at + 1;
        }
    }
    words.len()
}

/// One change to a rulesheet.
fn damage(words: &mut Vec<String>, rng: &mut GameRng) {
    if words.is_empty() {
        return;
    }
    let at = rng.random_range(0..words.len());
    let other = rng.random_range(0..words.len());
    match rng.random_range(0..12) {
        0 => drop(words.remove(at)),
        1 => words.swap(at, other),
        2 => words[at] = words[other].clone(),
        3 => words[at] = WORDS.choose(rng).unwrap().to_string(),
        4 => words.insert(at, WORDS.choose(rng).unwrap().to_string()),
        // A whole form is removed, copied elsewhere, replaced, negated, or nested.
        5 => drop(words.drain(at..form_end(words, at))),
        6 => {
            let form = words[at..form_end(words, at)].to_vec();
            words.splice(other..other, form);
        }
        7..10 => {
            let form = words[other..form_end(words, other)].to_vec();
            words.splice(at..form_end(words, at), form);
        }
        10 => {
            let end = form_end(words, at);
            words.insert(end, ")".into());
            words.splice(at..at, ["(".to_owned(), "not".to_owned()]);
        }
        _ => {
            let end = form_end(words, at);
            words.insert(end, ")".into());
            let functor = words[other].clone();
            words.splice(at..at, ["(".to_owned(), functor]);
        }
    }
}

fn variable(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

#[test]
fn damaged_rulesheets_are_refused_or_played() {
    let seconds = variable("PROPJIT_FUZZ_SECONDS");
    let clock = Instant::now().elapsed().as_nanos() as u64 ^ u64::from(std::process::id());
    let seed = variable("PROPJIT_FUZZ_SEED").unwrap_or(seconds.map_or(1, |_| clock));
    let mut rng = streams(seed).next().unwrap();
    let mut originals = common::own_games();
    if seconds.is_some()
        && let Some(shared) = common::shared()
    {
        originals.extend(common::rulesheets(&shared.join("games")));
    }
    let texts = originals
        .iter()
        .map(|(_, path)| std::fs::read(path).unwrap());
    let originals: Vec<Vec<String>> = texts
        .map(|bytes| words(&String::from_utf8_lossy(&bytes)))
        .filter(|words| words.len() < 20_000)
        .collect();
    let file = std::env::temp_dir().join(format!("propjit-damaged-{}.kif", std::process::id()));
    println!(
        "seed {seed}; the rulesheet on trial is in {}",
        file.display()
    );
    let start = Instant::now();
    let mut counts = std::collections::BTreeMap::<Trial, usize>::new();
    let mut slowest = Duration::ZERO;
    let more = |tried: usize| match seconds {
        Some(seconds) => start.elapsed() < Duration::from_secs(seconds),
        None => tried < 300,
    };
    let mut tried = 0;
    while more(tried) {
        let mut words = originals.choose(&mut rng).unwrap().clone();
        for _ in 0..rng.random_range(1..5) {
            damage(&mut words, &mut rng);
        }
        let text = words.join(" ");
        std::fs::write(&file, &text).unwrap();
        let began = Instant::now();
        *counts.entry(try_rulesheet(&text, &mut rng)).or_default() += 1;
        if began.elapsed() > slowest {
            slowest = began.elapsed();
            println!("slowest so far: {slowest:?} after {tried}");
            if slowest > Duration::from_secs(10) {
                std::fs::write(file.with_extension(format!("slow{tried}.kif")), &text).unwrap();
            }
        }
        tried += 1;
    }
    std::fs::remove_file(&file).unwrap();
    println!("{counts:?} in {:?}", start.elapsed());
    assert!(
        counts.contains_key(&Trial::Played),
        "some damage leaves a game: {counts:?}"
    );
}
