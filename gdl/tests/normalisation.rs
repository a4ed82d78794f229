//! Normalisation keeps the meaning of rules.

use std::collections::{BTreeSet, HashMap};

use expect_test::{Expect, expect};
use propjit_gdl::rules::{Atom, Keyword, Literal, Pattern, Rules, Var};
use propjit_gdl::term::TermId;
use proptest::prelude::*;

/// The rules that make a game of any others.
const GAME: &str = "
(role r) (legal r m) (init s) (next s) terminal (goal r 0)
(d 1) (d 2) (d 3) (p 1) (p 2) (q 2) (q 3) (e 1 2) (e 2 3) (e 3 3)
";

fn parse(rule: &str) -> Option<Rules> {
    let parsed = Rules::parse("game.kif", &format!("{rule}{GAME}"));
    parsed.ok().map(|parsed| parsed.rules)
}

// The normal form of some rules, as text.

fn pattern_text(
    rules: &Rules,
    variables: &[propjit_gdl::term::Symbol],
    pattern: &Pattern,
) -> String {
    match pattern {
        Pattern::Var(var) => rules.terms.name(variables[var.index()]).to_string(),
        Pattern::Ground(term) => rules.terms.text(*term),
        Pattern::Compound(functor, args) => {
            let args = args.iter().map(|arg| pattern_text(rules, variables, arg));
            format!(
                "({} {})",
                rules.terms.name(*functor),
                args.collect::<Vec<_>>().join(" ")
            )
        }
    }
}

fn normal_form(rule: &str) -> String {
    let rules = parse(rule).expect("no errors");
    let given = rules
        .rules
        .iter()
        .take_while(|rule| rule.head.relation != Keyword::Role.relation());
    let mut text = String::new();
    for rule in given {
        let atom = |atom: &Atom| {
            let name = rules
                .terms
                .name(rules.relations[atom.relation.index()].name);
            let args = atom
                .args
                .iter()
                .map(|arg| pattern_text(&rules, &rule.variables, arg));
            let parts: Vec<String> = std::iter::once(format!("[{name}]")).chain(args).collect();
            parts.join(" ")
        };
        text += &atom(&rule.head);
        for literal in &rule.body {
            text += "\n    ";
            text += &match literal {
                Literal::Positive(positive) => atom(positive),
                Literal::Negative(negative) => format!("not {}", atom(negative)),
                Literal::Distinct(a, b) => {
                    let [a, b] = [a, b].map(|p| pattern_text(&rules, &rule.variables, p));
                    format!("{a} != {b}")
                }
            };
        }
        text += "\n";
    }
    text
}

fn check(rule: &str, expected: Expect) {
    expected.assert_eq(&normal_form(rule));
}

#[test]
fn safe_branches_get_a_relation() {
    check(
        "(<= (h ?x) (d ?x) (or (p ?x) (and (q ?x) (e ?x ?y) (not (p ?y)))))",
        expect![[r#"
            [h] ?x
                [d] ?x
                [or 16] ?x
            [or 16] ?x
                [p] ?x
            [or 16] ?x
                [q] ?x
                [e] ?x ?y
                not [p] ?y
        "#]],
    );
}

#[test]
fn filters_and_products_are_copied() {
    check(
        "(<= (h ?x ?y) (d ?x) (d ?y) (or (p ?x) (distinct ?x ?y)))",
        expect![[r#"
            [h] ?x ?y
                [d] ?x
                [d] ?y
                [p] ?x
            [h] ?x ?y
                [d] ?x
                [d] ?y
                ?x != ?y
        "#]],
    );
    check(
        "(<= (h ?x ?y) (d ?x) (d ?y) (or (e ?x ?y) (and (p ?x) (q ?y))))",
        expect![[r#"
            [h] ?x ?y
                [d] ?x
                [d] ?y
                [e] ?x ?y
            [h] ?x ?y
                [d] ?x
                [d] ?y
                [p] ?x
                [q] ?y
        "#]],
    );
}

#[test]
fn a_body_of_one_or_is_several_rules() {
    check(
        "(<= (h) (or (p 1) (not (p 2)) (or (q 1) (and (q 2)))))",
        expect![[r#"
            [h]
                [p] 1
            [h]
                not [p] 2
            [h]
                [q] 1
            [h]
                [q] 2
        "#]],
    );
}

#[test]
fn negation_moves_inwards() {
    check(
        "(<= (h ?x) (d ?x) (not (or (p ?x) (not (q ?x)) (not (not (e ?x ?x))))))",
        expect![[r#"
            [h] ?x
                [d] ?x
                not [p] ?x
                [q] ?x
                not [e] ?x ?x
        "#]],
    );
    check(
        "(<= (h ?x) (d ?x) (not (and (p ?x) (distinct ?x 2))))",
        expect![[r#"
            [h] ?x
                [d] ?x
                not [p] ?x
            [h] 2
                [d] 2
        "#]],
    );
}

#[test]
fn equal_terms_are_unified() {
    check(
        "(<= (h ?x ?y) (d ?x) (not (distinct ?x ?y)))",
        expect![[r#"
        [h] ?y ?y
            [d] ?y
    "#]],
    );
    check(
        "(<= (h ?x ?y) (p ?x) (q ?y) (not (distinct (f ?x a) (f 2 ?z))) (e ?y ?z))",
        expect![[r#"
            [h] 2 ?y
                [p] 2
                [q] ?y
                [e] ?y a
        "#]],
    );
    check(
        "(<= (h ?x) (p ?x) (or (q ?x) (not (distinct ?x (f 1)))))",
        expect![[r#"
            [h] ?x
                [p] ?x
                [q] ?x
            [h] (f 1)
                [p] (f 1)
        "#]],
    );
}

#[test]
fn ground_distinct_is_decided() {
    check(
        "(<= (h ?x) (p ?x) (distinct a b))\n(<= (h ?x) (q ?x) (distinct a a))",
        expect![[r#"
            [h] ?x
                [p] ?x
        "#]],
    );
}

// Random bodies, evaluated as they stand and in normal form.

/// A formula over the variables `?v0` to `?v2` and the constants 1 to 3.
#[derive(Clone, Debug)]
enum Formula {
    /// A relation and two terms, of which unary relations take the first.
    Atom(&'static str, [u32; 2]),
    Distinct([u32; 2]),
    Not(Box<Formula>),
    And(Vec<Formula>),
    Or(Vec<Formula>),
}

const VARIABLES: u32 = 3;

/// Terms below `VARIABLES` are variables, others constants.
fn term_text(term: u32) -> String {
    match term.checked_sub(VARIABLES) {
        None => format!("?v{term}"),
        Some(constant) => format!("{}", constant + 1),
    }
}

impl Formula {
    fn text(&self) -> String {
        let all = |parts: &[Formula]| {
            parts
                .iter()
                .map(Formula::text)
                .collect::<Vec<_>>()
                .join(" ")
        };
        match self {
            Formula::Atom("e", [a, b]) => format!("(e {} {})", term_text(*a), term_text(*b)),
            Formula::Atom(name, [a, _]) => format!("({name} {})", term_text(*a)),
            Formula::Distinct([a, b]) => format!("(distinct {} {})", term_text(*a), term_text(*b)),
            Formula::Not(inner) => format!("(not {})", inner.text()),
            Formula::And(parts) => format!("(and {})", all(parts)),
            Formula::Or(parts) => format!("(or {})", all(parts)),
        }
    }

    fn holds(&self, values: &[u32]) -> bool {
        let value = |term: u32| match term.checked_sub(VARIABLES) {
            None => values[term as usize],
            Some(constant) => constant + 1,
        };
        match self {
            Formula::Atom("e", [a, b]) => {
                [(1, 2), (2, 3), (3, 3)].contains(&(value(*a), value(*b)))
            }
            Formula::Atom("p", [a, _]) => [1, 2].contains(&value(*a)),
            Formula::Atom(_, [a, _]) => [2, 3].contains(&value(*a)),
            Formula::Distinct([a, b]) => value(*a) != value(*b),
            Formula::Not(inner) => !inner.holds(values),
            Formula::And(parts) => parts.iter().all(|part| part.holds(values)),
            Formula::Or(parts) => parts.iter().any(|part| part.holds(values)),
        }
    }
}

fn formula() -> impl Strategy<Value = Formula> {
    let terms = || [0..VARIABLES + 3, 0..VARIABLES + 3];
    let leaf = prop_oneof![
        3 => (prop::sample::select(vec!["p", "q", "e"]), terms()).prop_map(|(n, t)| Formula::Atom(n, t)),
        1 => terms().prop_map(Formula::Distinct),
    ];
    leaf.prop_recursive(4, 12, 3, |inner| {
        prop_oneof![
            inner.clone().prop_map(|f| Formula::Not(Box::new(f))),
            prop::collection::vec(inner.clone(), 1..4).prop_map(Formula::And),
            prop::collection::vec(inner, 1..4).prop_map(Formula::Or),
        ]
    })
}

type Tuples = HashMap<u32, BTreeSet<Vec<TermId>>>;

fn value(pattern: &Pattern, binding: &HashMap<Var, TermId>) -> TermId {
    match pattern {
        Pattern::Var(var) => binding[var],
        Pattern::Ground(term) => *term,
        Pattern::Compound(..) => unreachable!("these rules have no functions"),
    }
}

/// Everything that follows from the rules; negation is of facts only.
fn evaluate(rules: &Rules) -> Tuples {
    let mut known = Tuples::new();
    for fact in rules.rules.iter().filter(|rule| rule.body.is_empty()) {
        let tuple = fact.head.args.iter().map(|arg| value(arg, &HashMap::new()));
        known
            .entry(fact.head.relation.0)
            .or_default()
            .insert(tuple.collect());
    }
    loop {
        let before: usize = known.values().map(BTreeSet::len).sum();
        for rule in &rules.rules {
            let mut bindings = vec![HashMap::new()];
            let positive = rule.body.iter().filter_map(|literal| match literal {
                Literal::Positive(atom) => Some(atom),
                _ => None,
            });
            for atom in positive {
                let tuples = known.get(&atom.relation.0).cloned().unwrap_or_default();
                bindings = bindings
                    .iter()
                    .flat_map(|binding| {
                        tuples
                            .iter()
                            .filter_map(|tuple| extend(binding, atom, tuple))
                    })
                    .collect();
            }
            for binding in bindings {
                let tuple = |atom: &Atom| -> Vec<TermId> {
                    atom.args.iter().map(|arg| value(arg, &binding)).collect()
                };
                let holds = rule.body.iter().all(|literal| match literal {
                    Literal::Positive(_) => true,
                    Literal::Negative(atom) => !known
                        .get(&atom.relation.0)
                        .is_some_and(|t| t.contains(&tuple(atom))),
                    Literal::Distinct(a, b) => value(a, &binding) != value(b, &binding),
                });
                if holds {
                    known
                        .entry(rule.head.relation.0)
                        .or_default()
                        .insert(tuple(&rule.head));
                }
            }
        }
        if before == known.values().map(BTreeSet::len).sum::<usize>() {
            return known;
        }
    }
}

fn extend(
    binding: &HashMap<Var, TermId>,
    atom: &Atom,
    tuple: &[TermId],
) -> Option<HashMap<Var, TermId>> {
    let mut binding = binding.clone();
    let agrees = atom.args.iter().zip(tuple).all(|(arg, &term)| match arg {
        Pattern::Var(var) => *binding.entry(*var).or_insert(term) == term,
        Pattern::Ground(ground) => *ground == term,
        Pattern::Compound(..) => unreachable!("these rules have no functions"),
    });
    agrees.then_some(binding)
}

/// The tuples of `h` by evaluation of the formula as it stands, for all values
/// of the variables.
fn expected(body: &[Formula]) -> BTreeSet<Vec<String>> {
    let mut tuples = BTreeSet::new();
    for a in 1..=3 {
        for b in 1..=3 {
            for c in 1..=3 {
                if body.iter().all(|formula| formula.holds(&[a, b, c])) {
                    tuples.insert([a, b, c].map(|v| v.to_string()).to_vec());
                }
            }
        }
    }
    tuples
}

fn actual(rules: &Rules) -> BTreeSet<Vec<String>> {
    let known = evaluate(rules);
    let h = rules.terms.find_symbol("h");
    let relation = rules
        .relations
        .iter()
        .position(|relation| Some(relation.name) == h);
    let tuples = known.get(&(relation.expect("the head") as u32));
    let texts = |tuple: &Vec<TermId>| tuple.iter().map(|&term| rules.terms.text(term)).collect();
    tuples.into_iter().flatten().map(texts).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn bodies_keep_their_meaning(
        body in prop::collection::vec(formula(), 1..4),
        bound in prop::collection::vec(any::<bool>(), VARIABLES as usize),
    ) {
        // Some variables have values from a condition of their own; the others
        // may be unsafe, and then the rule is refused.
        let domains: String = (0..VARIABLES)
            .filter(|&var| bound[var as usize])
            .map(|var| format!("(d ?v{var}) "))
            .collect();
        let conditions: Vec<String> = body.iter().map(Formula::text).collect();
        let text = format!("(<= (h ?v0 ?v1 ?v2) {domains}{})", conditions.join(" "));
        match parse(&text) {
            Some(rules) => prop_assert_eq!(actual(&rules), expected(&body)),
            None => prop_assert!(!bound.iter().all(|&b| b), "{}", text),
        }
    }
}
