//! Rules that the specification forbids, with the meaning that other players give them.

use propjit_gdl::diagnostic::Code;
use propjit_gdl::rules::Rules;
use propjit_gdl::{GroundLimits, Parsed, Prover, ProverLimits, ReadOptions, ground};

fn read(text: &str) -> Parsed {
    let strict = Rules::parse("game.kif", text).expect_err("the specification forbids it");
    let named = strict.errors().all(|error| {
        let help = error.help.as_deref().unwrap_or_default();
        help.contains("`--lenient`")
    });
    assert!(named, "{strict}");
    let options = ReadOptions::default().with_lenient(true);
    let parsed = Rules::parse_with("game.kif", text, &options);
    let parsed = parsed.unwrap_or_else(|error| panic!("{error}"));
    assert!(parsed.warnings.lenient().next().is_some());
    // Both evaluators read the same rules.
    ground(&parsed.rules, &GroundLimits::default()).expect("it can be grounded");
    parsed
}

/// The game in the state after these moves of its only role.
fn after(parsed: &Parsed, moves: &[&str]) -> Prover {
    let mut prover = Prover::new(&parsed.rules, ProverLimits::default()).unwrap();
    let mut state = prover.initial_state().unwrap();
    prover.set_state(&state);
    for wanted in moves {
        let legal = prover.legal_moves(0).unwrap();
        let played = legal.iter().find(|&&m| prover.terms().text(m) == *wanted);
        let played = *played.expect("a legal move");
        state = prover.next_state(&[played]).unwrap();
        prover.set_state(&state);
    }
    prover
}

fn legal(prover: &mut Prover) -> Vec<String> {
    let mut moves: Vec<String> = prover
        .legal_moves(0)
        .unwrap()
        .iter()
        .map(|&m| prover.terms().text(m))
        .collect();
    moves.sort();
    moves
}

fn goals(prover: &mut Prover) -> Vec<String> {
    let goals = prover.goals(0).unwrap();
    goals.iter().map(|&g| prover.terms().text(g)).collect()
}

#[test]
fn states_have_no_moves() {
    let parsed = read(
        "(role r) (init (step 1)) (succ 1 2) (succ 2 3) (legal r go) (legal r wait)
        (<= (next (step ?n)) (true (step ?m)) (succ ?m ?n) moving)
        (<= (next (step ?m)) (true (step ?m)) (not moving))
        (<= (next late) (true (step 2)) ended)
        (<= moving (does r go))
        (<= ended terminal)
        (<= terminal (true (step 2)) (not moving))
        (<= terminal (true (step 3)))
        (<= terminal moving)
        (<= (goal r 100) (not moving))
        (<= (goal r 0) moving)",
    );
    assert_eq!(parsed.warnings.lenient().count(), 2);
    let mut start = after(&parsed, &[]);
    assert!(!start.is_terminal().unwrap());
    assert_eq!(goals(&mut start), ["100"]);
    let mut second = after(&parsed, &["go"]);
    // `(not moving)` holds: nobody moves in a state.
    assert!(second.is_terminal().unwrap());
    // In the step that waits, `terminal` holds by its first rule; in the one that goes, by its third.
    for played in ["go", "wait"] {
        let mut later = after(&parsed, &["go", played]);
        let state = later.initial_state().unwrap();
        assert_eq!(state.len(), 1);
        assert_eq!(goals(&mut later), ["100"]);
    }
}

#[test]
fn rules_that_their_callers_bind_are_unfolded() {
    let parsed = read(
        "(role r) (init (at 1 2)) (n 1) (n 2) (n 3)
        (<= (apart ?x ?y ?m ?n) (distinct ?x ?m))
        (<= (apart ?x ?y ?m ?n) (distinct ?y ?n))
        (same ?x ?x) (any ?x)
        (<= (legal r (never ?x)) (n ?x) (not (any ?x)))
        (<= (legal r (never ?x)) (n ?x) (not (any ?x)) (or (any ?x) (n ?x)))
        (<= (near ?x ?y) (same ?x ?y))
        (near 1 3)
        (<= (legal r (to ?x ?y)) (true (at ?i ?j)) (n ?x) (n ?y) (apart ?x ?y ?i ?j) (near ?x ?y))
        (<= (legal r (stay ?x ?y)) (true (at ?i ?j)) (n ?x) (n ?y) (not (apart ?x ?y ?i ?j)))
        (<= (legal r (off ?x)) (n ?x) (any ?x) (not (near ?x 3)))
        (<= (next (at ?x ?y)) (does r (to ?x ?y)))
        (<= terminal (true (at 3 3))) (goal r 100)",
    );
    let mut start = after(&parsed, &[]);
    assert_eq!(
        legal(&mut start),
        [
            "(off 2)",
            "(stay 1 2)",
            "(to 1 1)",
            "(to 1 3)",
            "(to 2 2)",
            "(to 3 3)"
        ]
    );
}

#[test]
fn variables_of_their_own_are_unfolded_under_not() {
    let parsed = read(
        "(role r) (init (at 1)) (n 1) (n 2) (n 3)
        (<= (other ?x ?any) (n ?y) (distinct ?x ?y))
        (<= (larger ?x ?any) (e ?x ?y)) (e 1 2) (e 2 3)
        (<= (legal r (a ?x)) (n ?x) (not (larger ?x 1)))
        (<= (legal r (b ?x)) (n ?x) (other ?x ?x))
        (<= terminal (true (at 2))) (goal r 0)",
    );
    let mut start = after(&parsed, &[]);
    assert_eq!(legal(&mut start), ["(a 3)", "(b 1)", "(b 2)", "(b 3)"]);
}

#[test]
fn other_rules_are_refused_in_any_case() {
    const GAME: &str = "(role r) (init (a 1)) (legal r go) (<= terminal (true (a 2))) (goal r 0)";
    for rules in [
        // Nobody binds the variable.
        "(<= (next (a 2)) (not (true (a ?x))))",
        "(<= (next (a ?x)) (does r go))",
        "(<= (p ?x) (not (q ?y))) (q 1) (<= (next (a 2)) (p 1))",
        "(<= (p ?x) (distinct ?x 1)) (<= (next (a ?x)) (p ?x))",
        // It depends on itself.
        "(p ?x ?x) (<= (p ?x ?y) (p ?y ?z) (p ?z ?x)) (<= (next (a 2)) (p 1 2))",
        // There are neither states nor moves before the first one.
        "(<= (init (a 3)) (does r go))",
        "(<= (init (a 3)) (true (a 1)))",
    ] {
        let options = ReadOptions::default().with_lenient(true);
        let error = Rules::parse_with("game.kif", &format!("{rules}{GAME}"), &options);
        let error = error.expect_err(rules);
        let codes = [
            Code::UnsafeVariable,
            Code::NonGroundFact,
            Code::ForbiddenDependency,
        ];
        assert!(error.errors().all(|d| codes.contains(&d.code)), "{error}");
        assert!(!error.to_string().contains("--lenient"), "{error}");
    }
}
