//! Grounding: the propositions that are found, and networks that mean the same as the rules.

use std::thread;
use std::time::Duration;

use propjit_gdl::ground::{GroundError, GroundLimitKind, GroundLimits, ground};
use propjit_gdl::propnet::{Component, Gate, GateId, Propnet, Wire};
use propjit_gdl::prover::{Prover, ProverLimits};
use propjit_gdl::rules::Rules;

fn rules(text: &str) -> Rules {
    Rules::parse("test.kif", text)
        .expect("the rulesheet is sound")
        .rules
}

fn net(text: &str) -> Propnet {
    ground(&rules(text), &GroundLimits::default())
        .expect("the game can be grounded")
        .0
}

fn texts<'a>(
    net: &'a Propnet,
    names: impl Iterator<Item = propjit_gdl::term::TermId> + 'a,
) -> Vec<String> {
    let mut texts: Vec<String> = names.map(|name| net.terms.text(name)).collect();
    texts.sort();
    texts
}

fn fluents(net: &Propnet) -> Vec<String> {
    texts(net, net.bases.iter().map(|base| base.name))
}

fn moves(net: &Propnet, role: usize) -> Vec<String> {
    texts(net, net.roles[role].moves.iter().map(|action| action.name))
}

/// The values of all gates, by the definition: circles from false upwards.
fn evaluate(net: &Propnet, state: &[bool], joint: &[u32]) -> Vec<bool> {
    fn value(values: &[bool], wire: Wire) -> bool {
        values[wire.gate.index()] != wire.inverted
    }
    let compute = |values: &[bool], id: GateId| match net.gate(id) {
        Gate::Constant(value) => value,
        Gate::Base(index) => state[index as usize],
        Gate::Does { role, index } => joint.get(role as usize) == Some(&index),
        Gate::And(wires) => wires.iter().all(|&wire| value(values, wire)),
        Gate::Or(wires) => wires.iter().any(|&wire| value(values, wire)),
    };
    let mut values = vec![false; net.len()];
    for component in net.components() {
        match component {
            Component::Single(id) => values[id.index()] = compute(&values, id),
            Component::Recursive(gates) => loop {
                let mut changed = false;
                for id in gates.clone().map(GateId) {
                    let new = compute(&values, id);
                    changed |= new != values[id.index()];
                    values[id.index()] = new;
                }
                if !changed {
                    break;
                }
            },
        }
    }
    values
}

const FRAME: &str = "(role r) (init (step 0)) (<= (next (step 1)) (true (step 0)))
    (<= terminal (true (step 1))) (goal r 100) (legal r wait)";

#[test]
fn ports_are_the_reachable_propositions() {
    let net = net("(role r) (init (at a)) (edge a b) (edge b c) (edge d a)
        (<= (legal r (go ?x ?y)) (true (at ?x)) (edge ?x ?y))
        (<= (legal r stay) (true (at c)))
        (<= (next (at ?y)) (does r (go ?x ?y)))
        (<= (next (at c)) (does r stay))
        (<= terminal (true (at c)))
        (<= (goal r 100) (true (at c)))
        (<= (goal r 0) (not (true (at c))))");
    assert_eq!(fluents(&net), ["(at a)", "(at b)", "(at c)"]);
    assert_eq!(moves(&net, 0), ["(go a b)", "(go b c)", "stay"]);
    let initial: Vec<bool> = net.bases.iter().map(|base| base.initial).collect();
    assert_eq!(initial.iter().filter(|&&holds| holds).count(), 1);
    let values: Vec<i32> = net.roles[0].goals.iter().map(|goal| goal.value).collect();
    assert_eq!(values, [0, 100]);
}

#[test]
fn base_and_input_are_not_relied_upon() {
    let net = net(&format!("{FRAME} (base (ghost 1)) (input r dance)"));
    assert_eq!(fluents(&net), ["(step 0)", "(step 1)"]);
    assert_eq!(moves(&net, 0), ["wait"]);
}

#[test]
fn recursion_means_the_least_fixpoint() {
    // Reachability along wires that moves switch on, in both directions.
    let net = net("(role r) (init (on ab)) (init (on bc)) (init (step 0))
        (wire ab a b) (wire bc b c)
        (<= (legal r (switch ?w)) (wire ?w ?x ?y))
        (<= (next (on ?w)) (true (on ?w)) (not (does r (switch ?w))))
        (<= (link ?x ?y) (wire ?w ?x ?y) (true (on ?w)))
        (<= (link ?y ?x) (link ?x ?y))
        (reached a)
        (<= (lit ?y) (link a ?y))
        (<= (lit ?y) (lit ?x) (link ?x ?y))
        (<= (next (step 1)) (true (step 0)))
        (<= terminal (not (lit c)))
        (<= (goal r 100) (lit c)) (<= (goal r 0) (not (lit c)))");
    assert!(net.recursive_gates() > 0);
    for on in 0..4u32 {
        let state: Vec<bool> = net
            .bases
            .iter()
            .map(|base| match net.terms.text(base.name).as_str() {
                "(on ab)" => on & 1 == 1,
                "(on bc)" => on & 2 == 2,
                _ => false,
            })
            .collect();
        let values = evaluate(&net, &state, &[]);
        let terminal = values[net.terminal.gate.index()] != net.terminal.inverted;
        assert_eq!(terminal, on != 3, "wires on: {on:02b}");
    }
}

#[test]
fn existential_variables_are_projected_out() {
    // 20 x 20 squares and as many moves with four coordinates: together they
    // would be more than 20^6 instances.
    let numbers: String = (0..20).map(|i| format!("(n {i}) ")).collect();
    let text = format!(
        "{numbers} (role r) (init (cell 0 0)) (init (cell 0 1))
        (<= (legal r (move ?a ?b ?c ?d)) (true (cell ?a ?b)) (n ?c) (n ?d) (true (cell ?c ?b)))
        (<= (next (cell ?x ?y)) (n ?x) (n ?y) (does ?p (move ?a ?b ?c ?d)) (distinct ?x ?a))
        (<= terminal (not (true (cell 0 0)))) (goal r 100)"
    );
    let (_, statistics) = ground(&rules(&text), &GroundLimits::default()).unwrap();
    assert!(statistics.ground_rules < 1_000_000, "{statistics:?}");
}

#[test]
fn rules_are_split_where_sizes_promise_the_fewest_instances() {
    // A group of 40 is next to a square that is played: first the squares next to it, of which
    // there are few, and not first the groups that a player owns.
    let numbers: String = (0..40).map(|i| format!("(n {i}) ")).collect();
    let beside: String = (0..39)
        .map(|i| format!("(beside {i} {}) ", i + 1))
        .collect();
    let text = format!(
        "{numbers} {beside} (role r) (init (owner 0 r)) (init (joined 0 0))
        (<= (legal r (place ?x)) (n ?x))
        (<= (next (owner ?k ?p)) (n ?k) (does ?p (place ?k)))
        (<= (next (joined ?k ?x)) (n ?k) (n ?x) (does ?p (place ?x)))
        (<= (next touched) (does ?p (place ?x)) (true (owner ?k ?p)) (true (joined ?k ?y)) (beside ?x ?y))
        (<= terminal (true touched)) (goal r 100)"
    );
    let (_, statistics) = ground(&rules(&text), &GroundLimits::default()).unwrap();
    assert!(
        statistics.ground_rules < 2 * 40 * 40 + 1000,
        "{statistics:?}"
    );
}

#[test]
fn rules_are_left_whole_where_splitting_saves_nothing() {
    // Each place has one next to it: a line has as many instances as there are places.
    let numbers: String = (0..29).map(|i| format!("(succ {i} {}) ", i + 1)).collect();
    let text = format!(
        "{numbers} (role r) (<= (legal r (mark ?x)) (succ ?x ?y))
        (<= (next (cell ?x)) (does r (mark ?x))) (<= (next (cell ?x)) (true (cell ?x)))
        (<= terminal (true (cell ?a)) (succ ?a ?b) (true (cell ?b)) (succ ?b ?c) (true (cell ?c)))
        (goal r 100)"
    );
    let (net, statistics) = ground(&rules(&text), &GroundLimits::default()).unwrap();
    let lines = net.gate(net.terminal.gate);
    assert!(
        matches!(lines, Gate::Or(lines) if lines.len() == 27),
        "{statistics:?}"
    );
}

#[test]
fn relations_are_grounded_as_far_as_they_are_demanded() {
    // Of the 3^20 atoms of `same`, three are asked for, one of them by the rules of `same` itself.
    let variables: Vec<String> = (0..20).map(|i| format!("?b{i}")).collect();
    let (all, rest) = (variables.join(" "), variables[1..].join(" "));
    let bits: String = variables.iter().map(|b| format!("(bit {b}) ")).collect();
    let of = |bit: &str| format!("(same {})", [bit; 20].join(" "));
    let (zeros, ones) = (of("0"), of("1"));
    let text = format!(
        "(role r) (init (step 0)) (bit 0) (bit 1) (bit 2) (legal r wait)
        (<= (next (step 1)) (true (step 0)))
        (<= (same {all}) {bits} (true (step 0)))
        (<= (same 2 {rest}) (bit ?b0) {bits} (same 0 {rest}))
        (<= (legal r go) {zeros})
        (<= (legal r stay) (same 2 {}))
        (<= terminal (not {ones}))
        (goal r 100)",
        ["0"; 19].join(" ")
    );
    let (net, statistics) = ground(&rules(&text), &GroundLimits::default()).unwrap();
    assert!(statistics.ground_rules < 100, "{statistics:?}");
    assert_eq!(moves(&net, 0), ["go", "stay", "wait"]);
    for is_start in [false, true] {
        let names = net.bases.iter().map(|base| net.terms.text(base.name));
        let state: Vec<bool> = names.map(|name| (name == "(step 0)") == is_start).collect();
        let values = evaluate(&net, &state, &[]);
        let holds = |wire: Wire| values[wire.gate.index()] != wire.inverted;
        assert_eq!(holds(net.terminal), !is_start);
        for action in &net.roles[0].moves {
            let is_free = net.terms.text(action.name) == "wait";
            assert_eq!(holds(action.legal), is_start || is_free);
        }
    }
}

#[test]
fn counts_are_grounded_from_where_they_start() {
    // Counters for two colours are passed along a line of squares, from zero: of the 41^4 pairs of pairs, few are met.
    let numbers: String = (0..40).map(|i| format!("(succ {i} {}) ", i + 1)).collect();
    let squares: String = (0..8)
        .map(|i| format!("(square {i}) (beside {i} {}) ", i + 1))
        .collect();
    let text = format!(
        "{numbers} {squares} (role r)
        (<= (number ?n) (succ ?n ?m)) (number 40)
        (<= (init (cell ?x empty)) (square ?x))
        (<= (legal r (mark ?x ?c)) (square ?x) (true (cell ?x empty)) (colour ?c))
        (colour white) (colour black)
        (<= (next (cell ?x ?c)) (does r (mark ?x ?c)))
        (<= (next (cell ?x ?c)) (true (cell ?x ?c)) (does r (mark ?y ?d)) (distinct ?x ?y))
        (<= (one ?x ?w ?b ?v ?b) (true (cell ?x white)) (succ ?w ?v) (number ?b))
        (<= (one ?x ?w ?b ?w ?c) (true (cell ?x black)) (succ ?b ?c) (number ?w))
        (<= (one ?x ?w ?b ?w ?b) (true (cell ?x empty)) (number ?w) (number ?b))
        (<= (loop 8 ?w ?b ?w ?b) (number ?w) (number ?b))
        (<= (loop ?x ?w ?b ?all ?others) (one ?x ?w ?b ?v ?c) (beside ?x ?y) (loop ?y ?v ?c ?all ?others))
        (<= terminal (loop 0 0 0 ?w ?b) (succ ?b ?w))
        (goal r 100)"
    );
    let (net, statistics) = ground(&rules(&text), &GroundLimits::default()).unwrap();
    assert!(statistics.ground_rules < 50_000, "{statistics:?}");
    for (whites, blacks) in [(0, 0), (1, 0), (3, 2), (2, 3), (4, 4)] {
        let names = net.bases.iter().map(|base| net.terms.text(base.name));
        let state: Vec<bool> = names
            .map(|name| {
                let parts: Vec<&str> = name.trim_matches(['(', ')']).split(' ').collect();
                let at: usize = parts[1].parse().expect("a square");
                let colour = match at {
                    _ if at < whites => "white",
                    _ if at < whites + blacks => "black",
                    _ => "empty",
                };
                parts[2] == colour
            })
            .collect();
        let values = evaluate(&net, &state, &[]);
        let terminal = values[net.terminal.gate.index()] != net.terminal.inverted;
        assert_eq!(terminal, whites == blacks + 1, "{whites} and {blacks}");
    }
}

#[test]
fn conditions_on_parts_of_a_move_are_apart() {
    // 16 squares, 240 moves: a square that a move neither leaves nor reaches depends on either end, not on the pair.
    let squares: String = (0..16).map(|i| format!("(square {i}) ")).collect();
    let text = format!(
        "{squares} (role r) (init (at 0))
        (<= (apart ?x ?y) (square ?x) (square ?y) (distinct ?x ?y))
        (<= (legal r (move ?x ?y)) (square ?x) (square ?y) (distinct ?x ?y))
        (<= (next (at ?y)) (does r (move ?x ?y)))
        (<= (next (at ?z)) (true (at ?z)) (does ?r (move ?x ?y)) (apart ?z ?x) (apart ?z ?y))
        (<= terminal (true (at 15))) (goal r 100)"
    );
    let (net, statistics) = ground(&rules(&text), &GroundLimits::default()).unwrap();
    assert!(statistics.ground_rules < 16 * 16 * 6, "{statistics:?}");
    let state = vec![true; net.bases.len()];
    for (index, action) in net.roles[0].moves.iter().enumerate() {
        let values = evaluate(&net, &state, &[index as u32]);
        let name = net.terms.text(action.name);
        let ends: Vec<&str> = name.trim_matches(['(', ')']).split(' ').skip(1).collect();
        for base in &net.bases {
            let square = net.terms.text(base.name);
            let square = square.trim_start_matches("(at ").trim_end_matches(')');
            let next = values[base.next.gate.index()] != base.next.inverted;
            assert_eq!(next, square != ends[0], "{square} after {name}");
        }
    }
}

#[test]
fn static_negation_is_exact() {
    let net = net(&format!(
        "{FRAME} (n 1) (n 2) (n 3) (odd 1) (odd 3) (<= (even ?x) (n ?x) (not (odd ?x)))
         (<= (legal r (pick ?x)) (even ?x)) (<= (legal r (skip ?x)) (n ?x) (distinct ?x 2))"
    ));
    assert_eq!(moves(&net, 0), ["(pick 2)", "(skip 1)", "(skip 3)", "wait"]);
}

#[test]
fn relations_may_negate_themselves_if_atoms_do_not() {
    let net = net(&format!(
        "{FRAME} (after 1 2) (after 2 3) (after 3 4) (won 1)
         (<= (won 2) (not (won 1))) (<= (won 3) (not (won 2))) (<= (won 4) (not (won 3)))
         (<= (init (prize ?x)) (won ?x))
         (<= (legal r (take ?x)) (after ?x ?y) (not (won ?x)))"
    ));
    let initial = net.bases.iter().filter(|base| base.initial);
    let initial = texts(&net, initial.map(|base| base.name));
    assert_eq!(initial, ["(prize 1)", "(prize 3)", "(step 0)"]);
    let legal = net.roles[0].moves.iter();
    let never = Wire {
        gate: GateId(0),
        inverted: false,
    };
    let legal = legal.filter(|action| action.legal != never);
    let legal = texts(&net, legal.map(|action| action.name));
    assert_eq!(legal, ["(take 2)", "wait"]);
}

#[test]
fn nested_terms_and_whole_fluents_in_variables() {
    let net = net(&format!(
        "{FRAME} (init (pair (box a) (box b)))
         (<= (next (pair ?y ?x)) (true (pair ?x ?y)))
         (<= (next (kept ?f)) (true ?f) (keepsake ?f))
         (keepsake (pair (box a) (box b)))
         (<= (legal r (open ?x)) (true (pair (box ?x) ?y)))"
    ));
    assert_eq!(moves(&net, 0), ["(open a)", "(open b)", "wait"]);
    let fluents = fluents(&net);
    assert!(fluents.contains(&"(kept (pair (box a) (box b)))".into()));
}

#[test]
fn a_limit_names_the_costliest_rule() {
    let digits: String = (0..10).map(|digit| format!("(digit {digit}) ")).collect();
    let text = format!(
        "{FRAME} {digits} \n (<= (legal r (say ?a ?b ?c ?d ?e))
         (digit ?a) (digit ?b) (digit ?c) (digit ?d) (digit ?e))"
    );
    let limits = GroundLimits::default().with_ground_rules(10_000);
    match ground(&rules(&text), &limits).map(|_| ()) {
        Err(GroundError::Limit {
            kind, rule, line, ..
        }) => {
            assert_eq!(kind, GroundLimitKind::GroundRules(10_000));
            assert!(
                rule.starts_with("(<= (legal r (say ?a ?b ?c ?d ?e))"),
                "{rule}"
            );
            assert_eq!(line, 3);
        }
        other => panic!("expected a limit, got {other:?}"),
    }
}

/// The rule that terms grow by without end, if that is found out, by work that does not depend on time.
fn growing_rule(text: &str) -> Option<(usize, String)> {
    let limits = GroundLimits::default()
        .with_time(None)
        .with_ground_rules(5_000_000);
    match ground(&rules(text), &limits) {
        Err(GroundError::Growth { line, rule, .. }) => Some((line, rule)),
        Err(error) => panic!("{error}"),
        Ok(_) => None,
    }
}

#[test]
fn terms_that_grow_without_end_are_found_with_the_rule_that_nests_them() {
    let growth = |rules: &str| growing_rule(&format!("{FRAME} (init (n 0)) \n {rules}"));
    let step = "(<= (next (n (s ?x))) (true (n ?x)))";
    assert_eq!(growth(step), Some((3, step.into())));
    // What passes terms on is not to blame, nor what makes them deeper once, even if it comes first.
    let say = "(<= (legal r (say (box (box ?x)))) (true (n ?x)))";
    assert_eq!(growth(&format!("{say} \n {step}")), Some((4, step.into())));
    let through = "(<= (next (n ?y)) (grown ?y))";
    let grow = "(<= (grown (s ?x)) (true (n ?x)))";
    assert_eq!(
        growth(&format!("{through} \n {grow}")),
        Some((4, grow.into()))
    );
    // What depends on no state grows, too.
    let number = "(<= (number (s ?x)) (number ?x))";
    let used = "(number 0) (<= (legal r (say ?x)) (number ?x))";
    assert_eq!(
        growth(&format!("{used} \n {number}")),
        Some((4, number.into()))
    );
}

/// Where each term leads to several ones, depth comes slowly: most are found that are less deep.
#[test]
fn terms_that_branch_as_they_grow_are_found() {
    let words: String = (0..30).map(|word| format!("(word {word}) ")).collect();
    let grow = "(<= (next (said (then ?w ?x))) (does r (say ?w)) (true (said ?x)))";
    let text = format!(
        "{FRAME} {words} (init (said nothing)) (<= (legal r (say ?w)) (word ?w)) \n {grow}"
    );
    assert_eq!(growing_rule(&text), Some((3, grow.into())));
}

/// The depth of terms is bounded: by a table, by the height of a stack, by the list that is read.
#[test]
fn deep_terms_that_end_are_grounded() {
    // Enough of them that it is looked ahead for an end of them: lists of up to 15 letters, of two kinds.
    let lengths: String = (0..15).map(|n| format!("(succ {n} {})", n + 1)).collect();
    let lists = format!(
        "{FRAME} {lengths} (init (list nil 0)) (letter a) (letter b)
         (<= (legal r (add ?l)) (letter ?l))
         (<= (next (list (cons ?l ?x) ?n)) (does r (add ?l)) (true (list ?x ?m)) (succ ?m ?n))"
    );
    let net = net(&lists);
    let lists = fluents(&net);
    let lists = lists.iter().filter(|fluent| fluent.starts_with("(list "));
    assert_eq!(lists.count(), (1 << 16) - 1);
    // A stack whose height a table bounds.
    let heights: String = (0..900).map(|n| format!("(succ {n} {})", n + 1)).collect();
    let stack = format!(
        "{FRAME} {heights} (init (stack empty 0))
         (<= (next (stack (push ?x) ?n)) (true (stack ?x ?m)) (succ ?m ?n))"
    );
    let (net, _) = ground(&rules(&stack), &GroundLimits::default()).unwrap();
    assert_eq!(net.bases.len(), 903);
    // Terms of the rulesheet may be as deep as they are written down.
    let list = (0..150).fold("nil".to_string(), |list, _| format!("(cons x {list})"));
    let read = format!(
        "{FRAME} (init (list {list})) (<= (next (list ?x)) (true (list (cons ?y ?x))))
         (<= (next (boxed (box ?x))) (true (list ?x)))"
    );
    let limits = GroundLimits::default().with_nesting(5);
    let (net, _) = ground(&rules(&read), &limits).unwrap();
    assert!(net.bases.len() > 300);
}

#[test]
fn joins_without_results_are_stopped_too() {
    let numbers: String = (0..2000).map(|i| format!("(n {i}) ")).collect();
    let text = format!(
        "{numbers} {FRAME} (<= (p ?a ?b ?c) (n ?a) (n ?b) (n ?c) (m ?a ?b ?c)) (m a b c)
         (<= (legal r (x ?a ?b)) (n ?a) (n ?b) (n ?c) (n ?d) (not (q ?a ?b ?c ?d)) (p ?a ?b ?c))
         (<= (q ?a ?b ?c ?d) (n ?a) (n ?b) (n ?c) (n ?d))"
    );
    let limits = GroundLimits::default().with_time(Duration::from_millis(50));
    let error = ground(&rules(&text), &limits).map(|_| ()).unwrap_err();
    assert!(matches!(
        error,
        GroundError::Limit {
            kind: GroundLimitKind::Time(_) | GroundLimitKind::Bytes(_),
            ..
        }
    ));
}

#[test]
fn a_stop_token_ends_grounding() {
    let text = format!("{FRAME} (init (n 0)) (<= (next (n (s ?x))) (true (n ?x)))");
    let rules = rules(&text);
    // The only thing that can end this before the memory is full.
    let limits = GroundLimits::default()
        .with_time(None)
        .with_nesting(u32::MAX);
    let stop = limits.stop.clone();
    let error = thread::scope(|scope| {
        let ground = scope.spawn(|| ground(&rules, &limits).map(|_| ()).unwrap_err());
        thread::sleep(Duration::from_millis(20));
        stop.set();
        ground.join().unwrap()
    });
    assert_eq!(error, GroundError::Stopped);
}

#[test]
fn goals_must_be_numbers() {
    let text = "(role r) (init (a 1)) (legal r x) (<= (next (a 1)) (true (a 1)))
        (<= terminal (true (a 1))) (value high) (<= (goal r ?v) (value ?v))";
    let error = ground(&rules(text), &GroundLimits::default())
        .map(|_| ())
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        "the goal high of role r, by the rule at test.kif:2, is not a whole number; goals are whole numbers from 0 to 100"
    );
}

#[test]
fn dot_names_every_port() {
    let mut dot = Vec::new();
    net(FRAME).write_dot(&mut dot).unwrap();
    let dot = String::from_utf8(dot).unwrap();
    for port in [
        "(true (step 0))",
        "(next (step 1))",
        "(legal r wait)",
        "(goal r 100)",
        "terminal",
    ] {
        assert!(
            dot.contains(&format!("label=\"{port}\"")),
            "{port} in {dot}"
        );
    }
}

/// Terms that grow by a level in each step, in a match that a counter of 30 steps ends.
const COUNTED: &str =
    "(role r) (legal r wait) (legal r cut) (init (n 0)) (init (step 1)) (succ 30 31)
    (<= (next (n (s ?x))) (true (n ?x)) (does r wait)) (<= (next (n 0)) (does r cut))
    (<= (next (step ?n)) (succ ?m ?n) (true (step ?m))) (<= (goal r 100) (true (n (s 0))))";

fn counted(end: &str, facts: std::ops::Range<u32>) -> String {
    let facts: String = facts.map(|n| format!("(succ {n} {})", n + 1)).collect();
    format!("{COUNTED} {facts} {end}")
}

#[test]
fn a_counter_that_ends_the_match_bounds_terms_that_grow() {
    let end = "(<= terminal (true (step 31)))";
    let bounded = net(&counted(end, 1..30));
    let count = |functor: &str| {
        let fluents = fluents(&bounded);
        let of_functor = fluents.iter().filter(|fluent| fluent.starts_with(functor));
        of_functor.count()
    };
    // In 30 steps, there are 31 numbers of each kind.
    assert_eq!((count("(n "), count("(step ")), (31, 31));
    // Terms that grow without end in a state are none of the counter's business.
    let in_state = "(<= (number 0) (true (n 0))) (<= (number (s ?x)) (number ?x))
        (<= (legal r (say ?x)) (number ?x))";
    assert!(growing_rule(&format!("{} {in_state}", counted(end, 1..30))).is_some());
}

#[test]
fn what_does_not_count_every_step_bounds_nothing() {
    let end = "(<= terminal (true (step 31)))";
    let grows = |text: &str| growing_rule(text).is_some();
    assert!(!grows(&counted(end, 1..30)));
    let others = [
        // The match may go on, there is a gap, a circle that misses the end, and a choice of numbers.
        counted("(<= terminal (true (step 31)) (true (n 0)))", 1..30),
        counted(end, 2..30),
        format!("{} (succ 5 1)", counted(end, 1..5)),
        format!("{} (succ 5 1)", counted(end, 1..30)),
        // The counter stops, starts again, or may not begin at the first number.
        format!(
            "{} (<= (next (step ?n)) (true (step ?n)))",
            counted(end, 1..30)
        ),
        format!(
            "{} (<= (next ?f) (true ?f) (kept ?f)) (kept (step 1))",
            counted(end, 1..30)
        ),
        format!("{} (init (step 2))", counted(end, 1..30)),
        counted(end, 1..30).replace("(succ ?m ?n) (true", "(succ ?m ?n) (does r wait) (true"),
        counted(end, 1..30).replace("(succ ?m ?n)", "(succ ?n ?m)"),
    ];
    for text in others {
        assert!(grows(&text), "{text}");
    }
}

/// Until the counter ends the match, the network says what the prover does, of messages about messages.
#[test]
fn networks_of_counted_steps_agree_with_the_prover() {
    let numbers: String = (0..8).map(|n| format!("(succ {n} {})", n + 1)).collect();
    let text = format!(
        "(role a) (role b) {numbers} (init (round 0)) (init (got a hello)) (<= terminal (true (round 8)))
         (legal a wait) (legal b wait) (<= (legal ?r (send (ack ?m))) (true (got ?r ?m)))
         (<= (next (round ?n)) (true (round ?m)) (succ ?m ?n)) (goal a 50) (goal b 50)
         (<= (next (got b ?m)) (does a (send ?m))) (<= (next (got a ?m)) (does b (send ?m)))
         (<= (next (got a ?m)) (true (got a ?m)) (does b wait))"
    );
    let rules = rules(&text);
    let net = net(&text);
    let mut prover = Prover::new(&rules, ProverLimits::default()).expect("safe rules");
    for choices in 0..1 << 12 {
        let mut state = prover.initial_state().expect("within limits");
        let mut choices: u32 = choices;
        loop {
            prover.set_state(&state);
            let names: Vec<String> = state
                .iter()
                .map(|&term| prover.terms().text(term))
                .collect();
            let holds = |name| names.contains(&net.terms.text(name));
            let bases: Vec<bool> = net.bases.iter().map(|base| holds(base.name)).collect();
            assert_eq!(
                bases.iter().filter(|&&holds| holds).count(),
                names.len(),
                "{names:?}"
            );
            let values = evaluate(&net, &bases, &[]);
            let wire = |wire: Wire| values[wire.gate.index()] != wire.inverted;
            let is_terminal = prover.is_terminal().expect("within limits");
            assert_eq!(wire(net.terminal), is_terminal, "{names:?}");
            let (mut joint, mut numbers) = (Vec::new(), Vec::new());
            for (role, moves) in net.roles.iter().map(|role| &role.moves).enumerate() {
                let legal = prover.legal_moves(role).expect("within limits");
                let mut texts: Vec<String> =
                    legal.iter().map(|&m| prover.terms().text(m)).collect();
                let found = moves.iter().filter(|action| wire(action.legal));
                let mut found: Vec<String> = found.map(|m| net.terms.text(m.name)).collect();
                texts.sort();
                found.sort();
                assert_eq!(found, texts, "{names:?}");
                let choice = &texts[(choices & 1) as usize % texts.len()];
                choices >>= 1;
                joint.push(
                    legal
                        .into_iter()
                        .find(|&m| prover.terms().text(m) == *choice)
                        .unwrap(),
                );
                let number = moves.iter().position(|m| net.terms.text(m.name) == *choice);
                numbers.push(number.unwrap() as u32);
            }
            if is_terminal {
                break;
            }
            state = prover.next_state(&joint).expect("within limits");
            let values = evaluate(&net, &bases, &numbers);
            let next = net
                .bases
                .iter()
                .filter(|base| values[base.next.gate.index()] != base.next.inverted);
            let mut next: Vec<String> = next.map(|base| net.terms.text(base.name)).collect();
            let mut texts: Vec<String> = state
                .iter()
                .map(|&term| prover.terms().text(term))
                .collect();
            texts.sort();
            next.sort();
            assert_eq!(next, texts);
        }
    }
}
