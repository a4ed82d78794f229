//! Infix and prefix form: the same rules, and conversions between them.

use propjit_gdl::diagnostic::Diagnostics;
use propjit_gdl::rules::{Atom, Literal, Pattern, Rules};
use propjit_gdl::source::{Notation, Source};
use propjit_gdl::syntax::{self, convert, notation_of};
use propjit_gdl::{Prover, ProverLimits, ReadOptions, games};
use propjit_test_support::shared;
use proptest::prelude::*;

/// Tic-tac-toe in the textbook's notation, with what else people write.
pub(crate) const TIC_TAC_TOE: &str = "% Tic-tac-toe
role(white)
role(black)
index(1) index(2). index(3)   ; facts in a line
init(cell(M,N,b)) :- index(M) & index(N)
init(control(white)).

/* Moves:
   marks and waiting */
legal(W,mark(X,Y)) :-
  true(cell(X,Y,b)) &  % empty
  true(control(W))
legal(white,noop) :- true(control(black))
legal(black,noop) :- true(control(white))
next(cell(M,N,x)) :- does(white,mark(M,N)) & true(cell(M,N,b))
next(cell(M,N,o)) :- does(black,mark(M,N)), true(cell(M,N,b)).
next(cell(M,N,W)) :- true(cell(M,N,W)) & distinct(W,b)
next(cell(M,N,b)) :- does(_,mark(J,K)) & true(cell(M,N,b)) & (M \\= J | distinct(N,K))
next(control(white)) <= true(control(black))
next(control(black)) :- true(control(white))
line(P) :- true(cell(M,1,P)) & true(cell(M,2,P)) & true(cell(M,3,P)) & distinct(P,b)
line(P) :- true(cell(1,N,P)) & true(cell(2,N,P)) & true(cell(3,N,P)) & ~(P = b)
line(P) :- true(cell(2,2,P)) & distinct(P,b) &
    (true(cell(1,1,P)) & true(cell(3,3,P)) | true(cell(1,3,P)) & true(cell(3,1,P)))
open :- true(cell(M,N,b))
goal(white,100) :- line(x)
goal(white,0) :- line(o)
goal(black,100) :- line(o)
goal(black,0) :- line(x)
goal(R,50) :- role(R) & \\+line(x) & not(line(o))
terminal :- line(P)
terminal :- not open
";

fn source(text: &str) -> Source {
    Source::new("game", text).with_notation(notation_of(text))
}

fn converted(text: &str, to: Notation) -> String {
    convert(&source(text), to).unwrap_or_else(|error| panic!("{error}"))
}

/// The rules as text in which variables are numbers.
fn normal_form(rules: &Rules) -> Vec<String> {
    fn pattern_text(rules: &Rules, pattern: &Pattern) -> String {
        match pattern {
            Pattern::Var(var) => format!("?{}", var.index()),
            Pattern::Ground(term) => rules.terms.text(*term),
            Pattern::Compound(functor, args) => {
                let args = args.iter().map(|arg| pattern_text(rules, arg));
                let args: Vec<String> = args.collect();
                format!("({} {})", rules.terms.name(*functor), args.join(" "))
            }
        }
    }
    let atom = |atom: &Atom| {
        let relation = &rules.relations[atom.relation.index()];
        let args = atom.args.iter().map(|arg| pattern_text(rules, arg));
        let args: Vec<String> = args.collect();
        format!("{} {}", rules.terms.name(relation.name), args.join(" "))
    };
    let rule = |rule: &propjit_gdl::rules::Rule| {
        let body = rule.body.iter().map(|literal| match literal {
            Literal::Positive(positive) => atom(positive),
            Literal::Negative(negative) => format!("not {}", atom(negative)),
            Literal::Distinct(a, b) => {
                format!("{} != {}", pattern_text(rules, a), pattern_text(rules, b))
            }
        });
        let body: Vec<String> = body.collect();
        format!("{} <= {}", atom(&rule.head), body.join(", "))
    };
    rules.rules.iter().map(rule).collect()
}

fn rules(text: &str) -> Rules {
    Rules::parse("game", text)
        .unwrap_or_else(|error| panic!("{error}"))
        .rules
}

#[test]
fn infix_rules_are_read_without_a_word() {
    let parsed = Rules::parse("game.gdl", TIC_TAC_TOE).unwrap();
    assert_eq!(parsed.warnings.to_string(), "");
    assert_eq!(parsed.rules.source.notation(), Notation::Infix);
    let mut prover = Prover::new(&parsed.rules, ProverLimits::default()).unwrap();
    let state = prover.initial_state().unwrap();
    assert_eq!(state.len(), 10);
    prover.set_state(&state);
    assert_eq!(prover.legal_moves(0).unwrap().len(), 9);
    assert!(!prover.is_terminal().unwrap());
}

#[test]
fn the_notation_can_be_given() {
    let options = ReadOptions::default().with_notation(Some(Notation::Prefix));
    let error = Rules::parse_with("game.gdl", TIC_TAC_TOE, &options).unwrap_err();
    assert!(error.has_errors());
    let options = options.with_notation(Some(Notation::Infix));
    assert!(Rules::parse_with("game.gdl", TIC_TAC_TOE, &options).is_ok());
}

#[test]
fn both_forms_of_the_same_rules_are_the_same() {
    let prefix = converted(TIC_TAC_TOE, Notation::Prefix);
    assert_eq!(
        normal_form(&rules(TIC_TAC_TOE)),
        normal_form(&rules(&prefix))
    );
    let infix = converted(&prefix, Notation::Infix);
    assert_eq!(converted(&infix, Notation::Prefix), prefix);
    assert_eq!(converted(&infix, Notation::Infix), infix);
    // Programs exchange the rules in prefix form.
    let exchanged = rules(TIC_TAC_TOE).prefix_text().to_string();
    assert_eq!(notation_of(&exchanged), Notation::Prefix);
    assert_eq!(
        normal_form(&rules(&exchanged)),
        normal_form(&rules(&prefix))
    );
}

#[test]
fn comments_may_be_in_any_encoding() {
    const GAME: &[u8] = b"(role r) (legal r go) (<= terminal (true over)) (init over) (goal r 0)";
    let latin: &[u8] = b"; jeu d'\xe9checs \x92\n";
    for text in [
        [latin, GAME].concat(),
        [GAME, latin, b"\xa0; \xff"].concat(),
        [GAME, "; é".as_bytes(), b"\xe9"].concat(),
    ] {
        let parsed = Rules::parse_bytes("game.kif", &text).unwrap();
        assert_eq!(parsed.rules.roles.len(), 1);
        assert_eq!(parsed.rules.prefix_text(), parsed.rules.source.text());
    }
    let parsed = Rules::parse_bytes("game.kif", &[latin, GAME].concat()).unwrap();
    let infix = convert(&parsed.rules.source, Notation::Infix).unwrap();
    assert!(
        infix.starts_with("% jeu d'échecs \u{fffd}\nrole(r)"),
        "{infix}"
    );
    let read = Rules::parse_bytes(
        "game",
        &[b"% \xe9\n", infix.as_bytes(), b"/* \xe9 */"].concat(),
    );
    assert_eq!(
        normal_form(&read.unwrap().rules),
        normal_form(&parsed.rules)
    );
}

#[test]
fn comments_and_blank_lines_stay() {
    let prefix = "; a game\n\n\n;;; roles\n(role r) ; one\n(role s)\n\n(<= (legal ?r ?m) ; moves\n    (role ?r)\n    ; any\n    (move ?m) ; at all\n    )\n; end\n";
    let infix = converted(prefix, Notation::Infix);
    assert_eq!(
        infix,
        "% a game\n\n\n%%% roles\nrole(r) % one\nrole(s)\n\nlegal(R,M) :- % moves\n    role(R) &\n    % any\n    move(M) % at all\n% end\n"
    );
    assert_eq!(
        converted(&infix, Notation::Prefix),
        prefix.replace("(move ?m) ; at all\n    )", "(move ?m)) ; at all")
    );
    let block = "role(a) /* one\n  two */\nrole(b) /* three */ role(c)";
    assert_eq!(
        converted(block, Notation::Prefix),
        "(role a)\n; one\n; two\n(role b) ; three\n(role c)\n"
    );
}

/// A word that would negate what comes after it is a name there: such rules are wrong, and stay what they are.
#[test]
fn not_by_itself_is_quoted() {
    let prefix = "(<= terminal not)\n(<= (p ?x) (q ?x) NOT (not (r ?x)))\n(goal r 100)\n";
    let infix = converted(prefix, Notation::Infix);
    assert_eq!(
        infix,
        "terminal :- 'not'\np(X) :- q(X) & 'not' & ~r(X)\ngoal(r,100)\n"
    );
    let back = converted(&infix, Notation::Prefix);
    assert_eq!(back.replace("NOT", "not"), prefix.replace("NOT", "not"));
}

#[test]
fn names_that_infix_form_cannot_spell_are_quoted() {
    let prefix = "(p Wplayer left-hand 'tis a.b 3am -7 62.5 é ++ (f) \"x\")\n(<= (q ?x ?X ?x-y ?1 ?_) (r ?x ?X ?x-y ?1 ?_))\n";
    let infix = converted(prefix, Notation::Infix);
    assert_eq!(
        infix,
        "p('Wplayer','left-hand','\\'tis','a.b',3am,-7,62.5,é,'++',f(),\"x\")\nq(X,X2,X_y,V1,V_) :- r(X,X2,X_y,V1,V_)\n"
    );
    let back = converted(&infix, Notation::Prefix);
    assert_eq!(back.lines().next(), prefix.lines().next());
    assert_eq!(
        back.lines().nth(1),
        Some("(<= (q ?x ?x2 ?x_y ?v1 ?v_) (r ?x ?x2 ?x_y ?v1 ?v_))")
    );
}

#[test]
fn connectives_bind_as_they_are_nested() {
    for (prefix, infix) in [
        ("(<= p (or q (and r (not s))))", "p :- q | r & ~s"),
        ("(<= p (or q r) s)", "p :- (q | r) & s"),
        ("(<= p (not (or q (and r s))))", "p :- ~(q | r & s)"),
        ("(<= p (not (not q)))", "p :- ~~q"),
        ("(<= p (and q r))", "p :- q & r"),
        (
            "(<= (p ?x) (q ?x) (distinct ?x (f 1)))",
            "p(X) :- q(X) & distinct(X,f(1))",
        ),
    ] {
        assert_eq!(converted(prefix, Notation::Infix), format!("{infix}\n"));
        let back = converted(infix, Notation::Prefix);
        assert_eq!(converted(&back, Notation::Infix), format!("{infix}\n"));
    }
}

#[test]
fn what_a_form_cannot_express_is_named() {
    let error = convert(&source("(p 1)\n(<= q ((r) 1))"), Notation::Infix).unwrap_err();
    assert!(error.to_string().contains("game:2:7"), "{error}");
    let error = convert(&source("role(a)\np('a b')"), Notation::Prefix).unwrap_err();
    assert!(error.to_string().contains("contains a blank"), "{error}");
    assert!(convert(&source("(p 1"), Notation::Infix).is_err());
}

#[test]
fn all_games_survive_conversion() {
    let own = games::GAMES.iter();
    let mut texts: Vec<(String, String)> = own
        .map(|(name, text)| (name.to_string(), text.to_string()))
        .collect();
    if let Some(shared) = shared() {
        for folder in ["games", "games-field", "games-ii"] {
            let Ok(entries) = shared.join(folder).read_dir() else {
                continue;
            };
            for entry in entries {
                let path = entry.unwrap().path();
                // Conversion of the largest ones takes long in a debug build.
                if path.metadata().unwrap().len() < 100_000 {
                    let text = std::fs::read_to_string(&path).unwrap();
                    texts.push((path.display().to_string(), text));
                }
            }
        }
    }
    for (name, text) in texts {
        let infix = converted(&text, Notation::Infix);
        let prefix = converted(&infix, Notation::Prefix);
        assert_eq!(converted(&prefix, Notation::Infix), infix, "{name}");
        let comments = |text: &str, mark| text.matches(mark).count();
        assert_eq!(comments(&prefix, ';'), comments(&text, ';'), "{name}");
        let read = |text: &str| match Rules::parse("game", text) {
            Ok(parsed) => normal_form(&parsed.rules),
            Err(errors) => vec![format!("{} errors", errors.errors().count())],
        };
        assert_eq!(read(&text), read(&infix), "{name}");
    }
}

/// Forms that rules may have, with names of all kinds.
fn form() -> impl Strategy<Value = String> {
    const NAMES: [&str; 16] = [
        "a", "b", "Cell", "x-y", "'", "?x", "?y", "?X", "?1", "1", "-2", "3.5", "\\", "true",
        "not", "é",
    ];
    let name = prop::sample::select(NAMES.to_vec()).prop_map(str::to_string);
    name.prop_recursive(4, 30, 4, |inner| {
        let functor = prop::sample::select(vec!["p", "Q", "and", "or", "not", "distinct", "true"]);
        (functor, prop::collection::vec(inner, 1..4))
            .prop_map(|(functor, items)| format!("({functor} {})", items.join(" ")))
    })
}

/// Texts made of what infix rules are made of.
fn token_soup() -> impl Strategy<Value = String> {
    const TOKENS: [&str; 40] = [
        "(", "(", "(", ")", ")", ")", ",", ",", "&", "|", "~", "\\+", ":-", ":-", "<=", ".", "\n",
        "\n", "% c\n", "; p(\n", "/*", "*/", "'a'", "\"b\"", "'", "X", "Y", "_", "p", "q", "true",
        "does", "not", "or", "role", "=", "\\=", "1", "?x", "$",
    ];
    prop::collection::vec(prop::sample::select(TOKENS.to_vec()), 0..60)
        .prop_map(|tokens| tokens.join(" "))
}

proptest! {
    #[test]
    fn any_forms_survive_conversion(
        head in form(),
        body in prop::collection::vec(form(), 0..4),
    ) {
        let statement = format!("(<= {head} {})", body.join(" "));
        let infix = converted(&statement, Notation::Infix);
        let infix_source = Source::new("game", &infix).with_notation(Notation::Infix);
        let prefix = convert(&infix_source, Notation::Prefix);
        let prefix = prefix.unwrap_or_else(|error| panic!("{statement}\n{infix}\n{error}"));
        prop_assert_eq!(converted(&prefix, Notation::Infix), infix);
        let names = |text: &str| text.split(['(', ')', ' ', '\n']).filter(|n| !n.is_empty() && !n.starts_with('?')).count();
        prop_assert!(names(&prefix) <= names(&statement));
    }

    #[test]
    fn any_infix_tokens_have_an_answer(text in token_soup()) {
        let source = Source::new("game", &text).with_notation(Notation::Infix);
        let mut diagnostics = Diagnostics::new(source.clone());
        let tree = syntax::parse(&source, &mut diagnostics);
        let _ = diagnostics.to_string();
        for form in tree.forms() {
            prop_assert!(form.span().end as usize <= text.len());
        }
        let options = ReadOptions::default().with_notation(Some(Notation::Infix));
        for lenient in [false, true] {
            let _ = Rules::parse_with("game", &text, &options.with_lenient(lenient))
                .map_err(|errors| errors.to_string());
        }
        if let Ok(prefix) = convert(&source, Notation::Prefix) {
            // Only statements that are no rules, such as `(not a)`, may not be converted back.
            let source = Source::new("game", &prefix);
            if let Err(errors) = convert(&source, Notation::Infix) {
                let errors = errors.to_string();
                prop_assert!(errors.contains("form cannot express this"), "{}{}", prefix, errors);
                let has_no_rule = Rules::parse("game", &prefix).is_err_and(|errors| {
                    errors.errors().any(|error| error.message.contains("cannot be the head of a rule"))
                });
                prop_assert!(has_no_rule, "{}", prefix);
            }
        }
    }
}

#[test]
fn comments_without_an_end_are_named() {
    for comment in ["/* role(b)", "/*/ role(b)"] {
        let error = Rules::parse("game", &format!("role(a)\n{comment}")).unwrap_err();
        assert!(
            error.to_string().contains("a comment has no end"),
            "{error}"
        );
    }
}

#[test]
fn infix_text_may_be_nested_to_any_depth() {
    for opening in ["p(", "(", "~", "not ", "not(", "(q & "] {
        let text = format!("role(x)\nq :- {}", opening.repeat(100_000));
        let error = Rules::parse("game", &text).unwrap_err();
        assert!(error.to_string().contains("nested"), "{opening}");
    }
}
