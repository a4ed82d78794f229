//! Small random games that always end, in which no role is ever stuck, and each role has one goal at the end.

use std::fmt::Write as _;

use propjit::support::rng::GameRng;
use rand::RngExt;
use rand::seq::IndexedRandom;

/// The number of propositions that say what happened, and of relations over them.
const FACTS: usize = 5;
const RELATIONS: usize = 2;

/// The moves of the role to move.
const MOVES: [&str; 3] = ["a", "b", "c"];

/// The rules of a game of one role, or of two that move in turns, each with goals of its own.
pub(crate) fn random_game(roles: usize, rng: &mut GameRng) -> String {
    let roles = &["x", "o"][..roles];
    let length = rng.random_range(2..7);
    let mut rules = rules_but_goals(roles, length, rng);
    for role in roles {
        let [won, lost] = [
            *[100, 70].choose(rng).unwrap(),
            *[0, 30, -10].choose(rng).unwrap(),
        ];
        let body: String = (0..2).map(|_| literal(roles, length, rng)).collect();
        let _ = writeln!(
            rules,
            "(<= (won {role}) {body}) (<= (goal {role} {won}) (won {role}))
             (<= (goal {role} {lost}) (not (won {role})))"
        );
    }
    rules
}

/// The rules of a game of two roles that move in turns, of which one wins what the other loses.
pub(crate) fn random_contest(rng: &mut GameRng) -> String {
    let roles = &["x", "o"];
    let length = rng.random_range(3..9);
    let mut rules = rules_but_goals(roles, length, rng);
    for won in ["won", "drawn"] {
        for _ in 0..2 {
            let body: String = (0..2).map(|_| literal(roles, length, rng)).collect();
            let _ = writeln!(rules, "(<= {won} {body})");
        }
    }
    rules += "(<= (goal x 100) won) (<= (goal o 0) won)
        (<= (goal x 50) drawn (not won)) (<= (goal o 50) drawn (not won))
        (<= (goal x 0) (not drawn) (not won)) (<= (goal o 100) (not drawn) (not won))";
    rules
}

fn rules_but_goals(roles: &[&str], length: usize, rng: &mut GameRng) -> String {
    let mut rules = "(init (step 0))".to_string();
    for step in 0..length {
        let _ = write!(rules, " (succ {step} {})", step + 1);
    }
    rules += " (<= (next (step ?n)) (true (step ?m)) (succ ?m ?n))\n";
    for (role, after) in roles.iter().zip(roles.iter().cycle().skip(1)) {
        let _ = writeln!(
            rules,
            "(role {role}) (<= (next (control {after})) (true (control {role})))
             (<= (legal {role} noop) (not (true (control {role}))))"
        );
        for (at, name) in MOVES.iter().enumerate() {
            // One move is always legal.
            let only_if = match at > 0 && rng.random_bool(0.5) {
                true => literal(roles, length, rng),
                false => String::new(),
            };
            let _ = writeln!(
                rules,
                "(<= (legal {role} {name}) (true (control {role})) {only_if})"
            );
        }
    }
    let _ = writeln!(rules, "(init (control x))");
    for relation in 0..RELATIONS {
        for _ in 0..rng.random_range(1..3) {
            let body: String = (0..2).map(|_| fact(rng)).collect();
            let _ = writeln!(rules, "(<= (known {relation}) {body})");
        }
    }
    for fact in 0..FACTS {
        if rng.random_bool(0.2) {
            let _ = writeln!(rules, "(init (p {fact}))");
        }
        if rng.random_bool(0.6) {
            let _ = writeln!(rules, "(<= (next (p {fact})) (true (p {fact})))");
        }
        for _ in 0..rng.random_range(1..3) {
            let role = roles.choose(rng).unwrap();
            let does = format!("(does {role} {})", MOVES.choose(rng).unwrap());
            let body = match rng.random_bool(0.7) {
                true => does,
                false => literal(roles, length, rng),
            };
            let more = match rng.random_bool(0.5) {
                true => literal(roles, length, rng),
                false => String::new(),
            };
            let _ = writeln!(rules, "(<= (next (p {fact})) {body} {more})");
        }
    }
    for _ in 0..rng.random_range(1..4) {
        let body: String = (0..2).map(|_| literal(roles, length, rng)).collect();
        // So not at once.
        let _ = writeln!(rules, "(<= terminal (not (true (step 0))) {body})");
    }
    let _ = writeln!(rules, "(<= terminal (true (step {length})))");
    rules
}

/// A condition on a fact.
fn fact(rng: &mut GameRng) -> String {
    let fact = rng.random_range(0..FACTS);
    match rng.random_bool(0.7) {
        true => format!("(true (p {fact}))"),
        false => format!("(not (true (p {fact})))"),
    }
}

/// A condition on a state.
fn literal(roles: &[&str], length: usize, rng: &mut GameRng) -> String {
    let positive = match rng.random_range(0..8) {
        0 => format!("(true (control {}))", roles.choose(rng).unwrap()),
        1 => format!("(true (step {}))", rng.random_range(1..=length)),
        2 | 3 => format!("(known {})", rng.random_range(0..RELATIONS)),
        _ => return fact(rng),
    };
    match rng.random_bool(0.7) {
        true => positive,
        false => format!("(not {positive})"),
    }
}
