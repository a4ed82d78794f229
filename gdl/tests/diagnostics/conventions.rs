//! What people write beside the specification: declarations, bare names, files in an unusual form, goals.

use expect_test::expect;
use propjit_gdl::rules::Rules;

use super::{GAME, check, check_alone, messages};

#[test]
fn nothing_is_refused_because_of_declarations() {
    check(
        "(base a b)\n(<= (base (cell ?i ?m)) (succ ?i ?j))\n(<= (input ?r) (role ?r))\n(<= (input ?r ?m) (role ?r) (next ?m))\n(<= (base ?x) (not (base ?x)) (succ ?x ?y))",
        expect![[r#"
            warning[unusual-declaration]: `base` with 2 arguments is a relation like any other
              --> game.kif:1:1
              |
            1 | (base a b)
              | ^^^^^^^^^^ 2 arguments
              |
              = help: by convention, `base` has 1 argument; players that rely on it will not understand this

            warning[unused-relation]: nothing depends on the relation `base`
              --> game.kif:1:1
              |
            1 | (base a b)
              | ^^^^^^^^^^ has no effect
              |
              = help: check the spelling, or remove it

            warning[unsafe-variable]: no positive condition binds the variable `?m`
              --> game.kif:2:20
              |
            2 | (<= (base (cell ?i ?m)) (succ ?i ?j))
              |                    ^^ unbound in the head
              |
              = help: add a condition with `?m` that is not under `not` or `distinct`, or check the spelling

            warning[unusual-declaration]: `input` with 1 argument is a relation like any other
              --> game.kif:3:5
              |
            3 | (<= (input ?r) (role ?r))
              |     ^^^^^^^^^^ 1 argument
              |
              = help: by convention, `input` has 2 arguments; players that rely on it will not understand this

            warning[unused-relation]: nothing depends on the relation `input`
              --> game.kif:3:5
              |
            3 | (<= (input ?r) (role ?r))
              |     ^^^^^^^^^^ has no effect
              |
              = help: check the spelling, or remove it

            warning[misplaced-keyword]: `next` in a body
              --> game.kif:4:29
              |
            4 | (<= (input ?r ?m) (role ?r) (next ?m))
              |                             ^^^^^^^^^ a condition cannot refer to the next state
              |
              = help: refer to the current state with `true`, or define a relation for both to depend on

            warning[unstratified-negation]: `base` depends on its own negation
              --> game.kif:5:20
              |
            5 | (<= (base ?x) (not (base ?x)) (succ ?x ?y))
              |                    ^^^^^^^^^ `base` depends on the negation of this
              |
              = help: such rules have no defined meaning: break the cycle"#]],
    );
}

#[test]
fn declarations_that_a_game_depends_on_count() {
    // Other players look up `input` with both arguments.
    check(
        "(<= (input ?r (go ?x)) (role ?r))\n(<= (legal ?r (go ?x)) (role ?r) (true (step ?x)) (input ?r (go ?x)))",
        expect![[r#"
            warning[lenient]: a rule for `input` binds its variables only where it is used
              --> game.kif:1:5
              |
            1 | (<= (input ?r (go ?x)) (role ?r))
              |     ^^^^^^^^^^^^^^^^^^ read where conditions refer to it
              |
              = help: the specification forbids this, and some players refuse it"#]],
    );
    check(
        "(<= (base ?x) (not (succ ?y 1)))\n(<= (next ?x) (true ?x) (base ?x))",
        expect![[r#"
            error[unsafe-variable]: no positive condition binds the variable `?x`
              --> game.kif:1:11
              |
            1 | (<= (base ?x) (not (succ ?y 1)))
              |           ^^ unbound in the head
              |
              = help: add a condition with `?x` that is not under `not` or `distinct`, or check the spelling; or let `--lenient` read it where conditions bind the variable, as other players do

            error[unsafe-variable]: no positive condition binds the variable `?y`
              --> game.kif:1:26
              |
            1 | (<= (base ?x) (not (succ ?y 1)))
              |                          ^^ a negated condition does not bind it
              |
              = help: if no such `?y` is meant, define `(<= some_succ (succ ?y 1))` and negate that, or let `--lenient` read it so, as other players do; if it should have a value, check the spelling, or add a condition with it that is not under `not` or `distinct`"#]],
    );
}

#[test]
fn bare_names_are_right() {
    check(
        "busy\n(<= idle (not busy))\n(<= (next (step 1)) idle)",
        expect![[""]],
    );
}

#[test]
fn carriage_returns_end_lines() {
    let text = format!("; a comment\r(p 1)\r{GAME}");
    let expected = "unused-relation]: nothing depends on the relation `p`\n  --> game.kif:2:1\n";
    let messages = messages(&text);
    assert!(messages.contains(expected), "{messages}");
    assert!(Rules::parse("game.kif", &GAME.replace('\n', "\r")).is_ok());
}

#[test]
fn rules_in_one_more_list() {
    check_alone(
        &format!("({GAME})"),
        expect![[r#"
        warning[wrapped-rules]: the rulesheet is in one more pair of parentheses
          --> game.kif:1:1
          |
        1 | (
          | ^ the rules in it are read
          |
          = help: remove the first and the last parenthesis: other players do not read this"#]],
    );
    let start = format!("(START match.1 white ({GAME}) 30 10)");
    check_alone(
        &start,
        expect![[r#"
        warning[wrapped-rules]: this is a message of the GGP protocol, not a rulesheet
          --> game.kif:1:22
          |
        1 | (START match.1 white (
          |                      ^ the rules in it are read
          |
          = help: save the rules alone: other programs do not read this"#]],
    );
    let post = format!("POST / HTTP/1.0\r\nAccept: text/delim\r\n\r\n{start}");
    assert!(Rules::parse("game.kif", &post).is_ok());
    let parsed = Rules::parse("game.kif", &start).unwrap().rules;
    assert_eq!(parsed.roles.len(), 2);
    assert!(parsed.prefix_text().starts_with("(role white)\n"));
}

#[test]
fn missing_blanks() {
    check(
        "(<=terminal(true (step 3)))\n(<= (next (at ?x?y)) (true (at?x ?y)))",
        expect![[r#"
            error[unsafe-variable]: no positive condition binds the variable `?x?y`
              --> game.kif:2:15
              |
            2 | (<= (next (at ?x?y)) (true (at?x ?y)))
              |               ^^^^ unbound in the head
              |
              = help: add a condition with `?x?y` that is not under `not` or `distinct`, or check the spelling

            warning[missing-blank]: a blank is missing
              --> game.kif:1:4
              |
            1 | (<=terminal(true (step 3)))
              |    ^^^^^^^^ read as the head of a rule
              |
              = help: write a blank before it

            warning[missing-blank]: a blank is missing
              --> game.kif:2:17
              |
            2 | (<= (next (at ?x?y)) (true (at?x ?y)))
              |                 ^^ `?x?y` is read as one name
              |
              = help: write a blank before it

            warning[missing-blank]: a blank is missing
              --> game.kif:2:31
              |
            2 | (<= (next (at ?x?y)) (true (at?x ?y)))
              |                               ^^ `at?x` is read as one name
              |
              = help: write a blank before it"#]],
    );
    check(
        "(rolered)",
        expect![[r#"
            warning[missing-blank]: nothing depends on the relation `rolered`
              --> game.kif:1:1
              |
            1 | (rolered)
              | ^^^^^^^^^ has no effect
              |
              = help: did you mean `(role red)`?"#]],
    );
    check_alone(
        "(rolered)\n(roleblue)",
        expect![[r#"
            error[missing-rules]: no rules for `role`: the game has no roles
             = file: game.kif
             = help: did you mean `(role red)` by `rolered`?

            error[missing-rules]: no rules for `legal`: no role can move
             = file: game.kif
             = help: write `(<= (legal white noop) (true (control black)))` and the like

            error[missing-rules]: no rules for `terminal`: no match ends
             = file: game.kif
             = help: write `(<= terminal (true (step 20)))` and the like

            error[missing-rules]: no rules for `goal`: no role can win
             = file: game.kif
             = help: write `(<= (goal white 100) (line x))` and the like

            warning[missing-rules]: no rules for `init`: the first state is empty
             = file: game.kif
             = help: write `(init (control white))` and the like

            warning[missing-rules]: no rules for `next`: every state after the first is empty
             = file: game.kif
             = help: write `(<= (next (control black)) (true (control white)))` and the like"#]],
    );
}

#[test]
fn recursion_is_restricted() {
    check(
        "(<= (num (s ?x)) (num ?x)) (num z)\n(<= (path ?x ?z) (path ?x ?y) (succ ?y ?z)) (<= (path ?x ?y) (succ ?x ?y))\n(<= (next (at ?x)) (num ?x) (path 1 ?x))",
        expect![[r#"
            warning[recursion-restriction]: nothing bounds `?x` in the recursion of `num`
              --> game.kif:1:18
              |
            1 | (<= (num (s ?x)) (num ?x)) (num z)
              |                  ^^^^^^^^ depends on the head of its rule
              |
              = help: the specification's recursion restriction wants `?x` in the head, or in a condition that does not depend on `num`: else terms can grow without end"#]],
    );
}

#[test]
fn chance_needs_no_goals() {
    let game = GAME.replace(
        "(<= (goal ?r 50) (role ?r))",
        "(goal white 50) (goal black 50)",
    );
    check_alone(&format!("(role random){game}"), expect![[""]]);
}

#[test]
fn chance_in_capital_letters() {
    check(
        "(role RANDOM)",
        expect![[r#"
        warning[not-chance]: the role `RANDOM` is a player, not chance
          --> game.kif:1:1
          |
        1 | (role RANDOM)
          | ^^^^^^^^^^^^^ it chooses its moves as it likes
          |
          = help: the role that moves at random is `random`"#]],
    );
}
