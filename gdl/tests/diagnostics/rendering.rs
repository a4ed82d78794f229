//! The layout of messages.

use expect_test::expect;
use propjit_gdl::rules::Rules;

use super::{GAME, check_alone, messages};

#[test]
fn long_lines_are_cut() {
    let facts = "(fact 1 2) ".repeat(30);
    check_alone(
        &format!("{facts}(<= (p ?x) (fact 1 1)) {facts}{GAME}"),
        expect![[r#"
            error[unsafe-variable]: no positive condition binds the variable `?x`
              --> game.kif:1:338
              |
            1 | ...act 1 2) (fact 1 2) (fact 1 2) (fact 1 2) (fact 1 2) (<= (p ?x) (fact 1 1)) (fact 1 2) (fact 1 2) (fact 1 2) (fact 1 2) (f...
              |                                                                ^^ unbound in the head
              |
              = help: add a condition with `?x` that is not under `not` or `distinct`, or check the spelling; or let `--lenient` read it where conditions bind the variable, as other players do"#]],
    );
    // Places too far apart for one excerpt.
    check_alone(
        &format!("(many 1) {facts}(many 1 2){GAME}"),
        expect![[r#"
            warning[unused-relation]: nothing depends on the relation `many`
              --> game.kif:1:1
              |
            1 | (many 1) (fact 1 2) (fact 1 2) (fact 1 2) (fact 1 2) (fact 1 2) (fac...
              | ^^^^^^^^ has no effect
              |
              = help: check the spelling, or remove it

            warning[unused-relation]: nothing depends on the relation `fact`
              --> game.kif:1:10
              |
            1 | (many 1) (fact 1 2) (fact 1 2) (fact 1 2) (fact 1 2) (fact 1 2) (fact 1 2) (fac...
              |          ^^^^^^^^^^ has no effect
              |
              = help: check the spelling, or remove it

            warning[arity-clash]: the relation `many` has 2 arguments here and 1 argument elsewhere
              --> game.kif:1:340
              |
            1 | ...1 2) (fact 1 2) (fact 1 2) (fact 1 2) (fact 1 2) (fact 1 2) (many 1 2)
              |                                                                ^^^^^^^^^^ 2 arguments
              |
              = note: game.kif:1:1: 1 argument at its first use
              = help: these are different despite the same name: check for a missing argument

            warning[unused-relation]: nothing depends on the relation `many`
              --> game.kif:1:340
              |
            1 | ...1 2) (fact 1 2) (fact 1 2) (fact 1 2) (fact 1 2) (fact 1 2) (many 1 2)
              |                                                                ^^^^^^^^^^ has no effect
              |
              = help: check the spelling, or remove it"#]],
    );
    let é = "é".repeat(200);
    check_alone(
        &format!("({é} {é}) ({é} ?{é}) ({é} {é}) {GAME}"),
        expect![[r#"
            error[non-ground-fact]: a fact with the variable `?ééééééééééééééééééééééééééééééééééééééééééééééééééééééééééé...`
              --> game.kif:1:607
              |
            1 | ...éééééééééééééééééééééééééééééé ?ééééééééééééééééééééééééééééééééééééééééééééééééééééééééééé...
              |                                   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ stands for any term
              |
              = help: a fact cannot have variables: write a rule, `(<= fact condition...)`, whose conditions bind them; or let `--lenient` read it where conditions bind the variable, as other players do"#]],
    );
}

#[test]
fn many_messages_are_counted() {
    let text = messages(&format!("{}{GAME}", "(p ?x)".repeat(3000)));
    assert!(text.ends_with("... and 2950 more"), "{text}");
    assert_eq!(text.matches("error[").count(), 50);
}

#[test]
fn control_characters_do_not_reach_the_terminal() {
    let text = messages(&format!("(p \u{1b}[31m ?x)\r\n{GAME}"));
    assert!(!text.contains(['\u{1b}', '\r']), "{text}");
}

#[test]
fn colours_are_for_terminals() {
    let error = Rules::parse("game.kif", "(").unwrap_err();
    assert!(error.render(true).contains("\u{1b}["));
    assert!(!error.render(false).contains('\u{1b}'));
}
