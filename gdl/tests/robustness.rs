//! Hostile texts: no panic, no stack overflow, no unbounded work.

use propjit_gdl::ReadOptions;
use propjit_gdl::diagnostic::{Code, Diagnostics};
use propjit_gdl::rules::Rules;
use propjit_gdl::source::Source;
use propjit_gdl::syntax;
use proptest::prelude::*;

const MANY: usize = 10_000_000;

/// The code of the first error.
fn first_error(text: &str) -> Code {
    let diagnostics = Rules::parse("game.kif", text).expect_err("an error");
    let _ = diagnostics.to_string();
    let first = diagnostics.errors().next().expect("an error");
    first.code
}

#[test]
fn millions_of_parentheses() {
    assert_eq!(first_error(&"(".repeat(MANY)), Code::UnclosedParenthesis);
    assert_eq!(first_error(&")".repeat(MANY)), Code::UnmatchedParenthesis);
    assert_eq!(first_error(&"()".repeat(MANY / 100)), Code::EmptyList);
    assert_eq!(
        first_error(&")a".repeat(MANY / 100)),
        Code::UnmatchedParenthesis
    );
    assert_eq!(
        first_error(&"(a ".repeat(MANY / 10)),
        Code::UnclosedParenthesis
    );
    assert_eq!(
        first_error(&"\n(<= a".repeat(MANY / 20)),
        Code::UnclosedParenthesis
    );
    for opening in ["(", "(a ", "(not ", "(or (a) "] {
        let deep = opening.repeat(MANY / 10) + "a" + &")".repeat(MANY / 10);
        assert_eq!(
            first_error(&format!("(<= b {deep})")),
            Code::NestedTooDeeply
        );
    }
}

#[test]
fn deep_trees_print_and_parse_again() {
    let deep = "(a ".repeat(MANY / 10) + "a" + &")".repeat(MANY / 10);
    let tree = parse_tree(&deep);
    assert_eq!(tree.to_string(), format!("{deep}\n"));
}

#[test]
fn wide_rules() {
    let many = MANY / 500;
    let bodies = [
        "(p ?x) ".repeat(many),
        "(or (p ?x) (q ?x)) ".repeat(many),
        "(or (p ?x) (not (q ?x))) ".repeat(many),
        format!("(or {})", "(p ?x) (and (q ?x) (not (p ?x)))".repeat(many)),
        format!("(or {})", "(p ?x) (not (p ?x))".repeat(many)),
        format!("(or (and {}) p)", "(p ?x) (q ?y) (r ?z)".repeat(many)),
        (0..many).map(|i| format!("(p ?x{i})")).collect(),
        (0..many)
            .map(|i| format!("(not (distinct ?x{i} ?x{}))", i + 1))
            .collect(),
        (0..50)
            .map(|i| format!("(not (distinct ?x{i} (f ?x{} ?x{})))", i + 1, i + 1))
            .collect(),
        format!(
            "(or (and {} (or {})) q)",
            "(p ?x)".repeat(many),
            "(and (p ?x) (not p))".repeat(many)
        ),
    ];
    for body in bodies {
        let text = format!("(<= (h ?x) (p ?x) {body})");
        let _ = Rules::parse("game.kif", &text)
            .expect_err("no roles")
            .to_string();
    }
}

#[test]
fn many_rules_in_circles() {
    let count = 20_000;
    let texts: [String; 3] = [
        (0..count)
            .map(|i| format!("(<= (p{i} ?x) (q ?x) (not (p{} ?x)))", i + 1))
            .collect(),
        (0..count)
            .map(|i| format!("(<= (p{} ?x) (q ?x) (not (p{i} ?x)))", (i + 1) % count))
            .collect(),
        (0..count)
            .map(|i| format!("(<= (p ?x {i}) (q ?x) (not (p ?x {})))", i + 1))
            .collect(),
    ];
    for text in texts {
        let _ = Rules::parse("game.kif", &text)
            .expect_err("no roles")
            .to_string();
    }
}

#[test]
fn files_that_cannot_be_rulesheets() {
    let read = |path: &str| Rules::read(path).expect_err("no rulesheet").to_string();
    assert!(read("/no/such.kif").contains("/no/such.kif"));
    assert!(read(env!("CARGO_MANIFEST_DIR")).contains("gdl"));
    let error = Source::read("/no/such.kif", None).unwrap_err().to_string();
    assert_eq!(error, read("/no/such.kif"));
    let large = " ".repeat(propjit_gdl::MAX_BYTES + 1);
    assert_eq!(first_error(&large), Code::TooLarge);
    assert_eq!(first_error(&large[1..]), Code::EmptyFile);
}

fn parse_tree(text: &str) -> syntax::Tree {
    let source = Source::new("game.kif", text);
    let mut diagnostics = Diagnostics::new(source.clone());
    let tree = syntax::parse(&source, &mut diagnostics);
    assert!(diagnostics.is_empty(), "{diagnostics}");
    tree
}

/// A balanced form with blanks and comments of all kinds.
fn balanced() -> impl Strategy<Value = String> {
    const NAMES: [&str; 20] = [
        "a", "b", "?x", "?y", "<=", "or", "And", "NOT", "distinct", "Role", "init", "true", "next",
        "legal", "does", "goal", "terminal", "sees", "é'\"|", "0",
    ];
    const BLANKS: [&str; 6] = [" ", "\n", "\t\r\n", " ; comment (\n", "\u{feff}", "\u{a0} "];
    let blank = prop::sample::select(BLANKS.to_vec());
    let name = (prop::sample::select(NAMES.to_vec()), blank.clone());
    let name = name.prop_map(|(name, blank)| format!("{name}{blank}"));
    name.prop_recursive(6, 60, 5, move |inner| {
        (prop::collection::vec(inner, 0..5), blank.clone())
            .prop_map(|(items, blank)| format!("({blank}{})", items.concat()))
    })
}

/// Texts made of what rulesheets are made of, balanced or not.
fn token_soup() -> impl Strategy<Value = String> {
    const TOKENS: [&str; 34] = [
        "(",
        "(",
        "(",
        "(",
        "(",
        ")",
        ")",
        ")",
        ")",
        ")",
        "(<=",
        "(or",
        "(and",
        "(not",
        "(distinct",
        "(true",
        "(does",
        "(next",
        "(init",
        "(legal",
        "(role",
        "(goal",
        "terminal",
        "(base",
        "(input",
        "(sees",
        "white",
        "?x",
        "?y",
        "p",
        "q",
        "1",
        "\n",
        "; c\n",
    ];
    prop::collection::vec(prop::sample::select(TOKENS.to_vec()), 0..80)
        .prop_map(|tokens| tokens.join(" "))
}

fn parse_and_show(text: &str) {
    for lenient in [false, true] {
        let options = ReadOptions::default().with_lenient(lenient);
        match Rules::parse_with("game.kif", text, &options) {
            Ok(parsed) => assert!(!parsed.warnings.has_errors()),
            Err(diagnostics) => {
                assert!(diagnostics.has_errors());
                let _ = (diagnostics.to_string(), diagnostics.render(true));
            }
        }
    }
}

/// Rules over a few relations, many of them unsafe, in a game that is right otherwise.
fn rule_soup() -> impl Strategy<Value = String> {
    const ATOMS: [&str; 12] = [
        "(p ?x)",
        "(p ?y)",
        "(q ?x ?y)",
        "(q ?x ?x)",
        "(q 1 ?y)",
        "(r ?z)",
        "(r (f ?x))",
        "s",
        "(true (a ?x))",
        "(does r ?x)",
        "terminal",
        "(base ?x)",
    ];
    let atom = prop::sample::select(ATOMS.to_vec());
    let condition = (atom.clone(), 0..4).prop_map(|(atom, kind)| match kind {
        0 => format!("(not {atom})"),
        1 => "(distinct ?x ?y)".to_string(),
        2 => format!("(or {atom} (not (p ?x)))"),
        _ => atom.to_string(),
    });
    let rule = (atom, prop::collection::vec(condition, 0..4))
        .prop_map(|(head, body)| format!("(<= {head} {})\n", body.join(" ")));
    const GAME: &str =
        "(role r) (init (a 1)) (<= (next (a ?x)) (true (a ?x))) (legal r m) (goal r 1) (terminal)";
    prop::collection::vec(rule, 0..8).prop_map(|rules| rules.concat() + GAME)
}

proptest! {
    #[test]
    fn any_rules(text in rule_soup()) {
        parse_and_show(&text);
    }

    #[test]
    fn printing_and_parsing_is_the_identity(forms in prop::collection::vec(balanced(), 0..5)) {
        let text = forms.concat();
        let printed = parse_tree(&text).to_string();
        let again = parse_tree(&printed).to_string();
        prop_assert_eq!(&printed, &again);
        let tokens = |text: &str| -> Vec<String> {
            let slice = |t: syntax::Token| text[t.span.start as usize..t.span.end as usize].to_string();
            syntax::Lexer::new(text).map(slice).collect()
        };
        prop_assert_eq!(tokens(&text), tokens(&printed));
    }

    #[test]
    fn any_bytes(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = Rules::parse_bytes("game.kif", &bytes).map_err(|d| d.to_string());
    }

    #[test]
    fn any_text(text in "\\PC*") {
        parse_and_show(&text);
    }

    #[test]
    fn any_forms(forms in prop::collection::vec(balanced(), 0..10)) {
        parse_and_show(&forms.concat());
    }

    #[test]
    fn any_tokens(text in token_soup()) {
        parse_and_show(&text);
    }
}
