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
fn variables_under_not_alone_have_no_value_at_all() {
    let parsed = read(
        "(role r) (init (at 1 2)) (init (at 3 3)) (n 1) (n 2) (n 3) (n 4) (taken 4)
        (<= (legal r (a ?x)) (n ?x) (not (true (at ?x ?y))))
        (<= (legal r (b ?x)) (n ?x) (not (true (at ?y ?y))) (not (taken ?x)))
        (<= (legal r (c ?x)) (n ?x) (not (or (true (at ?x ?y)) (taken ?y) (false ?x))))
        (<= (legal r (d ?x)) (n ?x) (or (not (true (at ?z ?x))) (true (at 3 ?x))) (not (taken ?x)))
        (<= (free ?x ?any) (not (true (at ?x ?z))))
        (<= (legal r (e ?x)) (n ?x) (free ?x 1))
        (<= (false ?x) (n ?x) (distinct ?x ?x))
        (<= (next (at ?x ?x)) (does r (a ?x)))
        (<= terminal (not (true (at ?x ?y)))) (goal r 0)",
    );
    let mut start = after(&parsed, &[]);
    assert!(!start.is_terminal().unwrap());
    assert_eq!(
        legal(&mut start),
        ["(a 2)", "(a 4)", "(d 1)", "(d 3)", "(e 2)", "(e 4)"]
    );
    let mut later = after(&parsed, &["(a 2)"]);
    assert_eq!(
        legal(&mut later),
        [
            "(a 1)", "(a 3)", "(a 4)", "(d 1)", "(d 3)", "(e 1)", "(e 3)", "(e 4)"
        ]
    );
    assert!(after(&parsed, &["(e 2)"]).is_terminal().unwrap());
}

#[test]
fn rules_about_any_role_are_read_for_each() {
    let parsed = read(
        "(role r) (init (at 1)) (init (control r)) (goal ?any 50)
        (<= (legal ?r wait) (not (true (control ?r))))
        (<= (legal ?r go) (or (true (control ?r)) (true (at 2))))
        (<= (next (at 2)) (does ?r go)) (<= terminal (true (at 3)))",
    );
    assert_eq!(parsed.warnings.lenient().count(), 3);
    let mut start = after(&parsed, &[]);
    assert_eq!(legal(&mut start), ["go"]);
    assert_eq!(goals(&mut start), ["50"]);
    assert_eq!(legal(&mut after(&parsed, &["go"])), ["go", "wait"]);
}

#[test]
fn conditions_on_what_rules_derive_mean_that() {
    let parsed = read(
        "(role r) (init (at 1)) (init (home 1)) (succ 1 2) (succ 2 3) (legal r on) (legal r home)
        (<= (next (at ?y)) (true (at ?x)) (succ ?x ?y) (does r on))
        (<= (next (at ?x)) (does r home) (init (at ?x)))
        (<= (next (home ?x)) (true (home ?x)))
        (<= (next (moved ?x)) (next (at ?x)) (not (true (at ?x))))
        (<= (next (told ?p)) (sees r ?p))
        (<= (sees ?r (reached ?x)) (role ?r) (near ?x))
        (<= (sees r home) (not (next (moved 3))) (next (at 1)))
        (<= (near ?x) (next (at ?x)))
        (<= (start ?x) (init (at ?x)))
        (<= terminal (true (at ?x)) (not (start ?x)) (true (at 3)))
        (<= (goal r 100) (init (home 1)))",
    );
    // One for each of the keywords.
    assert_eq!(parsed.warnings.lenient().count(), 3);
    let facts = |mut prover: Prover, played: &str| {
        let legal = prover.legal_moves(0).unwrap();
        let mut joint = legal
            .into_iter()
            .filter(|&m| prover.terms().text(m) == played);
        let joint = [joint.next().expect("a legal move")];
        let next = prover.next_state(&joint).unwrap();
        let percepts = prover.percepts(&joint, 0).unwrap();
        [next, percepts].map(|terms| {
            let mut texts: Vec<String> = terms.iter().map(|&t| prover.terms().text(t)).collect();
            texts.sort();
            texts.join(" ")
        })
    };
    assert_eq!(
        facts(after(&parsed, &[]), "on"),
        [
            "(at 2) (home 1) (moved 2) (told (reached 2))",
            "(reached 2)"
        ]
    );
    assert_eq!(
        facts(after(&parsed, &["on"]), "home"),
        [
            "(at 1) (home 1) (moved 1) (told (reached 1)) (told home)",
            "(reached 1) home"
        ]
    );
    assert!(after(&parsed, &["on", "on"]).is_terminal().unwrap());
}

#[test]
fn other_rules_are_refused_in_any_case() {
    const GAME: &str = "(role r) (init (a 1)) (legal r go) (<= terminal (true (a 2))) (goal r 0)";
    for rules in [
        // Nobody binds the variable.
        "(<= (next (a ?x)) (does r go))",
        "(<= (next (a 2)) (not (true (a ?x))) (distinct ?x 1))",
        "(<= (next (a 2)) (not (and (true (a ?x)) (does r ?x))))",
        "(<= (next (a 2)) (or (not (true (a ?x))) (not (does r ?x))))",
        "(<= (next (a 2)) (or (true (a ?x)) (not (does r ?x))))",
        "(<= (p ?x) (distinct ?x 1)) (<= (next (a ?x)) (p ?x))",
        "(<= (p ?x ?y) (not (true (a ?x)))) (<= (legal r on) (true (a ?x)) (not (p ?x ?y)))",
        // It depends on itself.
        "(p ?x ?x) (<= (p ?x ?y) (p ?y ?z) (p ?z ?x)) (<= (next (a 2)) (p 1 2))",
        // There are neither states nor moves before the first one.
        "(<= (init (a 3)) (does r go))",
        "(<= (init (a 3)) (true (a 1)))",
        // States do not depend on the moves.
        "(<= (legal r back) (next (a 2)))",
        "(<= (goal r 1) (won)) (<= won (or (next (a 2)) (true (a 3))))",
        "(<= terminal (seen ?x)) (<= (seen ?x) (sees r ?x)) (<= (sees r 1) (does r go))",
        "(<= terminal (seen ?x 1)) (<= (seen ?x ?y) (next ?x))",
    ] {
        let options = ReadOptions::default().with_lenient(true);
        let error = Rules::parse_with("game.kif", &format!("{rules}{GAME}"), &options);
        let error = error.expect_err(rules);
        let codes = [
            Code::UnsafeVariable,
            Code::NonGroundFact,
            Code::ForbiddenDependency,
            Code::MisplacedKeyword,
        ];
        assert!(error.errors().all(|d| codes.contains(&d.code)), "{error}");
        assert!(!error.to_string().contains("--lenient"), "{error}");
    }
}
