//! The prover on small games, each written for one feature.

use std::time::Duration;

use propjit_gdl::prover::{Prover, ProverError, ProverLimitKind, ProverLimits};
use propjit_gdl::rules::{Literal, Rules};
use propjit_gdl::term::TermId;
use propjit_stop::Stop;

/// The rules that every game needs, for tests that are about something else.
const FRAME: &str = "
    (role one) (init start) (legal one go) (<= (next start) (true start))
    (<= terminal (true never)) (goal one 0)
";

fn rules(text: &str) -> Rules {
    match Rules::parse("test.kif", text) {
        Ok(parsed) => parsed.rules,
        Err(errors) => panic!("{errors}"),
    }
}

fn prover(text: &str) -> Prover {
    Prover::new(&rules(text), ProverLimits::default()).expect("safe rules")
}

/// A prover of a game with the frame, in its initial state.
fn framed(text: &str) -> Prover {
    let mut prover = prover(&format!("{FRAME}{text}"));
    let state = prover.initial_state().expect("within limits");
    prover.set_state(&state);
    prover
}

fn texts(prover: &Prover, terms: &[TermId]) -> Vec<String> {
    let mut texts: Vec<String> = terms
        .iter()
        .map(|&term| prover.terms().text(term))
        .collect();
    texts.sort_unstable();
    texts
}

/// The legal moves of the first role in the initial state, without `go`.
fn moves(text: &str) -> Vec<String> {
    let mut prover = framed(text);
    let moves = prover.legal_moves(0).expect("within limits");
    let mut texts = texts(&prover, &moves);
    texts.retain(|text| text != "go");
    texts
}

const COUNTER: &str = "
    (role white) (role black)
    (init (count 0)) (init (control white))
    (succ 0 1) (succ 1 2) (succ 2 3)
    (opponent white black) (opponent black white)
    (<= (legal ?role (add ?n)) (true (control ?role)) (amount ?n))
    (<= (legal ?role noop) (role ?role) (not (true (control ?role))))
    (amount 0) (amount 1)
    (<= (plus ?x 0 ?x) (number ?x))
    (<= (plus ?x ?y ?z) (succ ?y1 ?y) (succ ?x ?x1) (plus ?x1 ?y1 ?z))
    (<= (number ?x) (succ ?x ?any)) (<= (number ?x) (succ ?any ?x))
    (<= (next (count ?z)) (does ?role (add ?y)) (true (count ?x)) (plus ?x ?y ?z))
    (<= (next (control ?other)) (true (control ?role)) (opponent ?role ?other))
    (<= terminal (true (count 3)))
    (<= (goal ?role 100) (role ?role) terminal (not (true (control ?role))))
    (<= (goal ?role 0) (role ?role) terminal (true (control ?role)))
    (<= (goal ?role 50) (role ?role) (not terminal))
";

#[test]
fn a_small_game_is_played_to_its_end() {
    let mut prover = prover(COUNTER);
    let roles = prover.roles().to_vec();
    assert_eq!(texts(&prover, &roles), ["black", "white"]);
    let mut state = prover.initial_state().unwrap();
    for turn in 0..3 {
        prover.set_state(&state);
        assert!(!prover.is_terminal().unwrap());
        let (mover, waiter) = (turn % 2, 1 - turn % 2);
        let active = prover.legal_moves(mover).unwrap();
        assert_eq!(texts(&prover, &active), ["(add 0)", "(add 1)"]);
        let passive = prover.legal_moves(waiter).unwrap();
        assert_eq!(texts(&prover, &passive), ["noop"]);
        let goals = prover.goals(0).unwrap();
        assert_eq!(texts(&prover, &goals), ["50"]);
        let mut joint = [passive[0]; 2];
        joint[mover] = active
            .into_iter()
            .max_by_key(|&m| prover.terms().text(m))
            .unwrap();
        state = prover.next_state(&joint).unwrap();
    }
    assert_eq!(texts(&prover, &state), ["(control black)", "(count 3)"]);
    prover.set_state(&state);
    assert!(prover.is_terminal().unwrap());
    for (role, value) in [(0, "100"), (1, "0")] {
        let goals = prover.goals(role).unwrap();
        assert_eq!(texts(&prover, &goals), [value]);
    }
}

#[test]
fn answers_follow_the_state_and_the_joint_move() {
    let mut prover = prover(COUNTER);
    let initial = prover.initial_state().unwrap();
    prover.set_state(&initial);
    let moves = prover.legal_moves(0).unwrap();
    let noop = prover.legal_moves(1).unwrap()[0];
    let nexts: Vec<_> = moves
        .iter()
        .map(|&m| prover.next_state(&[m, noop]).unwrap())
        .collect();
    assert_ne!(nexts[0], nexts[1]);
    prover.set_state(&nexts[1]);
    assert_eq!(prover.legal_moves(0).unwrap(), [noop]);
    // Back again, with an unsorted state and a fluent given twice.
    let mut shuffled = initial.clone();
    shuffled.reverse();
    shuffled.push(initial[0]);
    prover.set_state(&shuffled);
    assert_eq!(prover.legal_moves(0).unwrap(), moves);
    assert_eq!(prover.next_state(&[moves[1], noop]).unwrap(), nexts[1]);
    assert_eq!(prover.initial_state().unwrap(), initial);
}

#[test]
fn clones_are_independent() {
    let mut one = prover(COUNTER);
    let initial = one.initial_state().unwrap();
    one.set_state(&initial);
    let mut other = one.clone();
    other.set_state(&[]);
    assert_eq!(other.legal_moves(0).unwrap().len(), 1);
    assert_eq!(one.legal_moves(0).unwrap().len(), 2);
}

#[test]
fn recursion_means_the_least_fixpoint() {
    // A circle, its exit, and a circle that nothing leads to.
    let graph = "
        (init (edge a b)) (init (edge b c)) (init (edge c a)) (init (edge b d))
        (init (edge e f)) (init (edge f e))
        (<= (edge ?x ?y) (true (edge ?x ?y)))
        (<= (right ?x ?y) (edge ?x ?y))
        (<= (right ?x ?z) (edge ?x ?y) (right ?y ?z))
        (<= (left ?x ?y) (edge ?x ?y))
        (<= (left ?x ?z) (left ?x ?y) (edge ?y ?z))
        (<= (both ?x ?y) (edge ?x ?y))
        (<= (both ?x ?z) (both ?x ?y) (both ?y ?z))
        (<= (even ?x ?x) (edge ?x ?y))
        (<= (even ?x ?z) (edge ?x ?y) (odd ?y ?z))
        (<= (odd ?x ?z) (edge ?x ?y) (even ?y ?z))
        (<= (odd ?x ?y) (edge ?x ?y))
        (<= (ungrounded ?x) (edge ?x ?y) (ungrounded ?y))
    ";
    for relation in ["right", "left", "both"] {
        let all = moves(&format!(
            "{graph} (<= (legal one (m ?x)) ({relation} a ?x))"
        ));
        assert_eq!(
            all,
            ["(m a)", "(m b)", "(m c)", "(m d)"],
            "{relation}, from a"
        );
        let all = moves(&format!(
            "{graph} (<= (legal one (m ?x)) ({relation} ?x d))"
        ));
        assert_eq!(all, ["(m a)", "(m b)", "(m c)"], "{relation}, to d");
        let all = moves(&format!(
            "{graph} (<= (legal one (m ?x)) ({relation} ?x ?x))"
        ));
        assert_eq!(all.len(), 5, "{relation}, in circles");
        let all = moves(&format!("{graph} (<= (legal one yes) ({relation} e f))"));
        assert_eq!(all, ["yes"], "{relation}, from e to f");
        let all = moves(&format!("{graph} (<= (legal one yes) ({relation} e a))"));
        assert!(all.is_empty(), "{relation}, from e to a");
    }
    let all = moves(&format!("{graph} (<= (legal one (m ?x)) (even e ?x))"));
    assert_eq!(all, ["(m e)"]);
    assert!(moves(&format!("{graph} (<= (legal one (m ?x)) (ungrounded ?x))")).is_empty());
}

#[test]
fn negation_holds_for_what_cannot_be_proved() {
    let text = "
        (init (edge a b)) (init (edge b c)) (init (edge c a)) (init (edge d a))
        (node a) (node b) (node c) (node d)
        (<= (reach ?x ?y) (true (edge ?x ?y)))
        (<= (reach ?x ?z) (true (edge ?x ?y)) (reach ?y ?z))
        (<= (cut ?x ?y) (node ?x) (node ?y) (not (reach ?x ?y)))
        (<= (source ?x) (node ?x) (not (reached ?x)))
        (<= (reached ?x) (reach ?any ?x))
        (<= (legal one (cut ?x ?y)) (cut ?x ?y) (not (source ?x)))
        (<= (legal one (source ?x)) (source ?x))
        (<= (legal one (apart ?x ?y)) (source ?x) (node ?y) (distinct ?x ?y) (not (cut ?x ?y)))
    ";
    let expected = [
        "(apart d a)",
        "(apart d b)",
        "(apart d c)",
        "(cut a d)",
        "(cut b d)",
        "(cut c d)",
        "(source d)",
    ];
    assert_eq!(moves(text), expected);
}

#[test]
fn negation_within_a_relation_is_allowed_if_atoms_differ() {
    let mut prover = prover(
        "(role one) (init (blank 1)) (legal one go) (<= (next x) (true x)) (<= terminal (true x))
         (<= (goal one 0) (true (blank ?x)))
         (<= (goal one 100) (not (goal one 0)))",
    );
    let initial = prover.initial_state().unwrap();
    for (state, value) in [(&initial[..], "0"), (&[], "100")] {
        prover.set_state(state);
        let goals = prover.goals(0).unwrap();
        assert_eq!(texts(&prover, &goals), [value]);
    }
}

#[test]
fn goals_may_share_conditions_with_goals_that_they_negate() {
    // `p` depends on its negation, but none of its atoms does. That (p 2 a) is still
    // being proved when (p 3 a) needs it is no circle.
    let text = "
        (init (e a)) (init (e b)) (r a a) (r a b) (r b a) (r b b)
        (<= (p 1 ?x) (r ?x ?y) (p 2 ?y) (r ?y ?z) (not (p 3 ?z)))
        (<= (p 2 ?z) (true (e ?z)))
        (<= (p 3 ?z) (p 2 ?z) (never ?z)) (<= (never ?z) (true (f ?z)))
        (<= (legal one yes) (p 1 a)) (<= (legal one no) (p 3 a))
    ";
    assert_eq!(moves(text), ["yes"]);
}

#[test]
fn nested_terms_are_taken_apart_and_put_together() {
    let lists = "
        (init (hand (cons a (cons b (cons c nil)))))
        (<= (list ?l) (true (hand ?l)))
        (<= (list ?t) (list (cons ?h ?t)))
        (<= (member ?x ?l) (list ?l) (equals ?l (cons ?x ?t)))
        (<= (member ?x ?l) (list ?l) (equals ?l (cons ?h ?t)) (member ?x ?t))
        (<= (equals ?x ?x) (list ?x))
        (<= (reverse ?l nil ?l) (true (hand ?l)))
        (<= (reverse ?l (cons ?x ?done) ?rest) (reverse ?l ?done (cons ?x ?rest)))
    ";
    let all = moves(&format!(
        "{lists} (<= (legal one ?x) (true (hand ?l)) (member ?x ?l))"
    ));
    assert_eq!(all, ["a", "b", "c"]);
    let all = moves(&format!("{lists} (<= (legal one ?r) (reverse ?l ?r nil))"));
    assert_eq!(all, ["(cons c (cons b (cons a nil)))"]);
    let all = moves(&format!(
        "{lists} (<= (legal one (second ?x)) (list (cons ?h (cons ?x ?t))))"
    ));
    assert_eq!(all, ["(second b)", "(second c)"]);
    let all = moves(&format!(
        "{lists} (<= (legal one (pair ?x ?x)) (true (hand (cons ?x (cons ?x ?t)))))"
    ));
    assert!(all.is_empty());
}

#[test]
fn moves_may_be_compound_and_variables() {
    let mut prover = prover(
        "(role one) (init (at (pos 1 2))) (next (at old))
         (<= (legal one ?m) (offered ?m))
         (<= (offered (go (pos ?y ?x))) (true (at (pos ?x ?y))))
         (<= (offered ?w) (waiting ?w)) (waiting wait) (waiting (wait 2))
         (<= (next (at ?p)) (does one (go ?p)))
         (<= (next ?anything) (does one (wait 2)) (true ?anything))
         (<= terminal (true over)) (goal one 0)",
    );
    let state = prover.initial_state().unwrap();
    prover.set_state(&state);
    let moves = prover.legal_moves(0).unwrap();
    assert_eq!(
        texts(&prover, &moves),
        ["(go (pos 2 1))", "(wait 2)", "wait"]
    );
    for (action, expected) in [
        ("wait", vec!["(at old)"]),
        ("(wait 2)", vec!["(at (pos 1 2))", "(at old)"]),
        ("(go (pos 2 1))", vec!["(at (pos 2 1))", "(at old)"]),
    ] {
        let action = *moves
            .iter()
            .find(|&&m| prover.terms().text(m) == action)
            .unwrap();
        let next = prover.next_state(&[action]).unwrap();
        assert_eq!(texts(&prover, &next), expected);
    }
}

#[test]
fn terms_may_grow_to_any_depth() {
    let mut prover = prover(
        "(role one) (init (n zero)) (legal one go)
         (<= (next (n (s ?x))) (true (n ?x)))
         (<= terminal (true (n done))) (goal one 0)",
    );
    let mut state = prover.initial_state().unwrap();
    for _ in 0..20_000 {
        prover.set_state(&state);
        assert!(!prover.is_terminal().unwrap());
        let moves = prover.legal_moves(0).unwrap();
        state = prover.next_state(&moves).unwrap();
    }
    let text = prover.terms().text(state[0]);
    assert!(text.starts_with("(n (s (s (s "));
    assert_eq!(text.len(), "(n zero)".len() + 20_000 * "(s )".len());
}

#[test]
fn long_chains_of_rules_need_no_call_stack() {
    const LENGTH: usize = 20_000;
    for (condition, all_hold) in [("(r{} ?x)", true), ("(true ?x) (not (r{} ?x))", false)] {
        let mut text = String::from("(<= (r0 ?x) (true start) (true ?x))");
        for i in 1..LENGTH {
            let condition = condition.replace("{}", &(i - 1).to_string());
            text += &format!("\n(<= (r{i} ?x) {condition})");
        }
        text += &format!("(<= (legal one (last ?x)) (r{} ?x))", LENGTH - 1);
        text += &format!("(<= (legal one (previous ?x)) (r{} ?x))", LENGTH - 2);
        let expected = if all_hold {
            vec!["(last start)", "(previous start)"]
        } else {
            vec!["(previous start)"]
        };
        assert_eq!(moves(&text), expected);
    }
}

#[test]
fn relations_may_be_called_in_many_shapes() {
    // More call shapes than are compiled one by one: every subset of the arguments
    // of `all` is known to some condition, some of them inside of a compound.
    const BITS: usize = 9;
    let variables: Vec<String> = (0..BITS).map(|i| format!("?x{i}")).collect();
    let conditions: String = variables
        .iter()
        .map(|x| format!("(true (bit {x}))"))
        .collect();
    let head = |args: &[String]| {
        format!(
            "(all (pair {} {}) {})",
            args[0],
            args[1],
            args[2..].join(" ")
        )
    };
    let mut text = format!(
        "(init (bit 0)) (init (bit 1)) (<= {} {conditions})",
        head(&variables)
    );
    for subset in 0..1 << BITS {
        let args = |known: &str| -> Vec<String> {
            let arg = |i: usize| {
                if subset >> i & 1 == 1 {
                    known
                } else {
                    &variables[i]
                }
            };
            (0..BITS).map(|i| arg(i).to_string()).collect()
        };
        let free = args("")
            .iter()
            .filter(|arg| !arg.is_empty())
            .fold(String::new(), |all, x| all + &format!("(distinct {x} 1)"));
        text += &format!(
            "\n(<= (legal one (found {subset})) {} {free})",
            head(&args("1"))
        );
        text += &format!(
            "\n(<= (legal one (wrong {subset})) {} (true (bit 2)))",
            head(&args("1"))
        );
        let known = vec![(subset >> 3 & 2).to_string(); BITS];
        text += &format!(
            "\n(<= (legal one (not {subset})) (true start) (not {}))",
            head(&known)
        );
    }
    let all = moves(&text);
    let count = |name: &str| all.iter().filter(|text| text.starts_with(name)).count();
    assert_eq!(count("(found"), 1 << BITS);
    assert_eq!(count("(wrong"), 0);
    // The bit 2 does not exist, so half of the negations hold.
    assert_eq!(count("(not"), 1 << (BITS - 1));
}

/// The error of asking for the legal moves of a framed game.
fn error(text: &str, limits: ProverLimits) -> (ProverError, Prover) {
    let mut prover = Prover::new(&rules(&format!("{FRAME}\n{text}")), limits).unwrap();
    let state = prover.initial_state().unwrap();
    prover.set_state(&state);
    let error = prover.legal_moves(0).expect_err("a limit");
    (error, prover)
}

#[test]
fn endless_rules_end_at_a_limit() {
    let endless =
        "(<= (nat zero) (true start))\n(<= (nat (s ?x)) (nat ?x))\n(<= (legal one ?x) (nat ?x))";
    let cases = [
        (
            ProverLimitKind::Steps,
            ProverLimits::default().with_steps(10_000),
        ),
        (
            ProverLimitKind::Cells,
            ProverLimits::default().with_cells(10_000),
        ),
        (
            ProverLimitKind::Terms,
            ProverLimits::default().with_terms(10_000),
        ),
        (
            ProverLimitKind::Milliseconds,
            ProverLimits::default().with_time(Duration::ZERO),
        ),
    ];
    for (kind, limits) in cases {
        let (error, mut prover) = error(endless, limits);
        let ProverError::Limit { limit, rule, .. } = &error else {
            panic!("{error}");
        };
        assert_eq!(*limit, kind);
        assert_eq!(
            (rule.position.line, rule.position.column),
            (6, 1),
            "{error}"
        );
        assert!(error.to_string().starts_with("test.kif:6:1: "), "{error}");
        // What was begun is forgotten; other questions have their answers.
        if kind != ProverLimitKind::Terms {
            assert!(!prover.is_terminal().unwrap());
            assert_eq!(prover.goals(0).unwrap().len(), 1);
            assert!(prover.legal_moves(0).is_err());
            prover.set_state(&[]);
            assert_eq!(prover.legal_moves(0).unwrap().len(), 1);
        }
    }
}

#[test]
fn a_stop_ends_queries_and_compilation() {
    let numbers = "(role r) (init (at 0)) (nat z) (<= (nat (s ?x)) (nat ?x))
        (<= (legal r (go ?x)) (nat ?x)) (<= terminal (true (at 1))) (goal r 100)
        (<= (next (at 1)) (does r (go ?x)))";
    let rules = Rules::parse("test.kif", numbers).unwrap().rules;
    let endless = ProverLimits::default().with_steps(u64::MAX);
    let stop = Stop::new();
    let mut prover = Prover::new(&rules, endless.clone().with_stop(stop.clone())).unwrap();
    let state = prover.initial_state().unwrap();
    prover.set_state(&state);
    // One move is found where all are not.
    let any = prover.any_legal_move(0).unwrap().unwrap();
    assert_eq!(prover.terms().text(any), "(go z)");
    let soon = stop.within(Duration::from_millis(20));
    prover.set_stop(soon);
    let error = prover.legal_moves(0).unwrap_err();
    assert!(matches!(error, ProverError::Stopped { .. }), "{error}");
    // It can be asked again when there is time again.
    prover.set_stop(stop.clone());
    assert!(prover.any_legal_move(0).unwrap().is_some());
    assert!(!prover.is_terminal().unwrap());
    stop.set();
    let mut stopped = Prover::new(&rules, endless.with_stop(stop)).unwrap();
    stopped.set_state(&state);
    let error = stopped.legal_moves(0).unwrap_err();
    assert!(matches!(error, ProverError::Stopped { .. }), "{error}");
}

#[test]
fn endless_static_rules_are_proved_on_demand() {
    let nat = "(nat zero) (<= (nat (s ?x)) (nat ?x))";
    let all = moves(&format!(
        "{nat} (<= (legal one yes) (nat (s (s zero)))) (<= (legal one no) (nat one))"
    ));
    assert_eq!(all, ["yes"]);
}

#[test]
fn contradictions_are_errors() {
    let mut rules = rules(&format!(
        "{FRAME} (<= p (true start) q) (<= q (true start) p) (<= (legal one yes) p)"
    ));
    // Parsing refuses them, so the negations come later.
    for rule in &mut rules.rules {
        if let [_, Literal::Positive(atom)] = &rule.body[..] {
            rule.body[1] = Literal::Negative(atom.clone());
        }
    }
    let mut prover = Prover::new(&rules, ProverLimits::default()).unwrap();
    let state = prover.initial_state().unwrap();
    prover.set_state(&state);
    let error = prover.legal_moves(0).expect_err("neither p nor q");
    assert!(matches!(error, ProverError::Unstratified { .. }), "{error}");
    assert!(!prover.is_terminal().unwrap());
}

#[test]
fn unsafe_rules_are_errors() {
    let mut rules = rules(&format!(
        "{FRAME} (<= (p ?x) (true ?x) (distinct ?x start))"
    ));
    let rule = rules.rules.last_mut().expect("a rule");
    rule.body.remove(0);
    let error = Prover::new(&rules, ProverLimits::default()).expect_err("an unsafe rule");
    let ProverError::UnsafeVariable { variable, rule } = error else {
        panic!("{error}");
    };
    assert_eq!(variable, "?x");
    assert_eq!(rule.position.line, 4);
}

/// Any move is found where conditions without arguments are answered on the way, and the others are found after that.
#[test]
fn any_move_is_one_of_all() {
    let rules = "(role r) (init (at 0)) (init going) (succ 0 1) (<= open (true going))
        (<= (legal r (go ?x)) open (true (at ?x))) (<= (next (at ?y)) (does r (go ?x)) (succ ?x ?y))
        (<= (next going) (true going)) (<= terminal (true (at 1))) (goal r 100)";
    let rules = Rules::parse("test.kif", rules).unwrap().rules;
    let mut prover = Prover::new(&rules, ProverLimits::default()).unwrap();
    let state = prover.initial_state().unwrap();
    prover.set_state(&state);
    let any = prover.any_legal_move(0).unwrap().expect("there is one");
    assert_eq!(prover.legal_moves(0).unwrap(), [any]);
}

/// Goals are distinguished by any number of constants.
#[test]
fn negation_through_many_constants_is_no_circle() {
    let rows = (1..300).map(|n| format!("(<= (safe {n}) (true (at ?x)) (not (safe {})))", n - 1));
    let rows: String = rows.collect();
    let rules = format!(
        "(role r) (init (at 0)) {rows} (<= (legal r stay) (not (safe 299)))
         (<= (legal r go) (safe 299)) (<= (next (at 1)) (does r go)) (<= terminal (true (at 1)))
         (goal r 100)"
    );
    let rules = Rules::parse("test.kif", &rules).unwrap().rules;
    let mut prover = Prover::new(&rules, ProverLimits::default()).unwrap();
    let state = prover.initial_state().unwrap();
    prover.set_state(&state);
    // The first one is safe, as zero is not, and so is every other one.
    let moves = prover.legal_moves(0).unwrap().to_vec();
    let texts = moves.iter().map(|&term| prover.terms().text(term));
    assert_eq!(texts.collect::<Vec<_>>(), ["go"]);
}

/// A board on which each move blocks a cell or opens it again. What can be reached is asked for every cell in each
/// state, so that it is derived whole; few fluents change from state to state, so that indexes are adapted.
#[test]
fn relations_with_many_goals_follow_states_that_change_little() {
    const SIZE: usize = 6;
    let size = 0..SIZE as i32;
    let cells: String = size
        .clone()
        .map(|n| format!("(index {n}) (succ {n} {}) ", n + 1))
        .collect();
    let text = format!(
        "(role r) (role s) {cells} (init open) (<= (next open) (true open)) (<= terminal (not (true open)))
         (goal r 50) (goal s 50) (<= (legal s wait) (true open)) (key r k)
         (<= (legal r (toggle ?x ?y)) (index ?x) (index ?y))
         (<= (legal s (visit ?k ?x ?y)) (index ?x) (index ?y) (key ?r ?k) (reached ?r ?x ?y))
         (<= (legal s (miss ?x ?y)) (index ?x) (index ?y) (not (reached r ?x ?y)) (not (blocked ?x ?y)))
         (<= (blocked ?x ?y) (true (wall ?x ?y)))
         (<= (beside ?x ?y ?z ?y) (succ ?x ?z) (index ?y)) (<= (beside ?x ?y ?x ?z) (succ ?y ?z) (index ?x))
         (<= (reached ?r 0 0) (role ?r) (not (blocked 0 0)))
         (<= (reached ?r ?x ?y) (reached ?r ?v ?w) (linked ?v ?w ?x ?y) (index ?x) (index ?y) (not (blocked ?x ?y)))
         (<= (linked ?v ?w ?x ?y) (beside ?v ?w ?x ?y)) (<= (linked ?x ?y ?v ?w) (beside ?v ?w ?x ?y))
         (<= (next (wall ?x ?y)) (true (wall ?x ?y)) (not (does r (toggle ?x ?y))))
         (<= (next (wall ?x ?y)) (does r (toggle ?x ?y)) (not (true (wall ?x ?y))))"
    );
    let mut prover = prover(&text);
    let initial = prover.initial_state().unwrap();
    let (mut state, mut walls) = (initial.clone(), [[false; SIZE]; SIZE]);
    let mut random = 1_u32;
    for step in 0..300 {
        prover.set_state(&state);
        // Cells from which to go on.
        let mut reached = [[false; SIZE]; SIZE];
        let mut open = vec![(0, 0)];
        while let Some((x, y)) = open.pop() {
            if x < SIZE && y < SIZE && !walls[x][y] && !std::mem::replace(&mut reached[x][y], true)
            {
                let (left, up) = (x.wrapping_sub(1), y.wrapping_sub(1));
                open.extend([(x + 1, y), (left, y), (x, y + 1), (x, up)]);
            }
        }
        let mut expected = vec!["wait".to_string()];
        for (x, y) in size.clone().flat_map(|x| size.clone().map(move |y| (x, y))) {
            let (column, row) = (x as usize, y as usize);
            if reached[column][row] {
                expected.push(format!("(visit k {x} {y})"));
            } else if !walls[column][row] {
                expected.push(format!("(miss {x} {y})"));
            }
        }
        expected.sort_unstable();
        if step % 3 == 0 {
            let any = prover.any_legal_move(1).unwrap().expect("it can wait");
            assert!(expected.contains(&prover.terms().text(any)));
        }
        let moves = prover.legal_moves(1).unwrap();
        assert_eq!(texts(&prover, &moves), expected, "step {step}");
        if step % 100 == 99 {
            (state, walls) = (initial.clone(), [[false; SIZE]; SIZE]);
            continue;
        }
        random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let (x, y) = (
            (random >> 8) as usize % SIZE,
            (random >> 20) as usize % SIZE,
        );
        walls[x][y] = !walls[x][y];
        let name = format!("(toggle {x} {y})");
        let toggles = prover.legal_moves(0).unwrap();
        let toggle = toggles
            .into_iter()
            .find(|&term| prover.terms().text(term) == name);
        state = prover.next_state(&[toggle.unwrap(), moves[0]]).unwrap();
    }
}
