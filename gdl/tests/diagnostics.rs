//! What is said about every kind of error, as the user sees it.

use expect_test::{Expect, expect};
use propjit_gdl::rules::Rules;

/// A game without an error, to follow the lines that have one.
const GAME: &str = "
(role white) (role black) (init (step 1)) (succ 1 2)
(<= (legal ?r noop) (role ?r))
(<= (next (step ?n)) (true (step ?m)) (succ ?m ?n))
(<= terminal (true (step 2)))
(<= (goal ?r 50) (role ?r))
";

fn messages(text: &str) -> String {
    match Rules::parse("game.kif", text) {
        Ok(parsed) => parsed.warnings.to_string(),
        Err(diagnostics) => diagnostics.to_string(),
    }
}

/// Checks the messages about the text, followed by a game without an error.
fn check(text: &str, expected: Expect) {
    expected.assert_eq(&messages(&format!("{text}{GAME}")));
}

/// Checks the messages about the text alone.
fn check_alone(text: &str, expected: Expect) {
    expected.assert_eq(&messages(text));
}

#[test]
fn nothing_to_say() {
    check("", expect![""]);
    // Keywords in any case, `(p)` for `p`, a fact as a rule without conditions.
    check(
        "(ROLE blue)(<= (a))\n(<= (Goal blue 7) A (NOT a))(<= A)",
        expect![""],
    );
}

#[test]
fn empty_files() {
    check_alone(
        "",
        expect![[r#"
        error[empty-file]: the rulesheet is empty
         = file: game.kif
         = help: there is nothing in it but blanks and comments: is this the right file?"#]],
    );
    check_alone(
        " ; (role white)\n",
        expect![[r#"
        error[empty-file]: the rulesheet is empty
         = file: game.kif
         = help: there is nothing in it but blanks and comments: is this the right file?"#]],
    );
}

#[test]
fn binary_files() {
    check(
        "(a\0b)",
        expect![[r#"
        error[binary-file]: not a text in UTF-8: a NUL byte at offset 2
         = file: game.kif
         = help: is this the right file? Save text as UTF-8"#]],
    );
    let error = Rules::parse_bytes("game.kif", b"(role \xffwhite)").unwrap_err();
    expect![[r#"
        error[binary-file]: not a text in UTF-8: byte 0xff at offset 6
         = file: game.kif
         = help: is this the right file? Save text as UTF-8"#]]
    .assert_eq(&error.to_string());
}

#[test]
fn a_missing_parenthesis_in_the_middle() {
    check(
        "(<= (legal ?p (mark ?m ?n)\n    (true (cell ?m ?n b)))\n\n(<= (p ?x) (q ?x))\n(q 1)",
        expect![[r#"
            error[unclosed-parenthesis]: this form lacks a `)`
              --> game.kif:1:1
              |
            1 | (<= (legal ?p (mark ?m ?n)
              | ^ opened here, and never closed
              .
            4 | (<= (p ?x) (q ?x))
              | - the next form starts before it is closed
              |
              = help: add the missing `)`, or take out a `(`"#]],
    );
}

#[test]
fn each_form_with_a_missing_parenthesis_is_reported() {
    check(
        "(p (a)\n(init (b)\n(role c)\n",
        expect![[r#"
        error[unclosed-parenthesis]: this form lacks a `)`
          --> game.kif:1:1
          |
        1 | (p (a)
          | ^ opened here, and never closed
        2 | (init (b)
          | - the next form starts before it is closed
          |
          = help: add the missing `)`, or take out a `(`

        error[unclosed-parenthesis]: this form lacks a `)`
          --> game.kif:2:1
          |
        2 | (init (b)
          | ^ opened here, and never closed
        3 | (role c)
          | - the next form starts before it is closed
          |
          = help: add the missing `)`, or take out a `(`"#]],
    );
}

#[test]
fn a_missing_parenthesis_at_the_end() {
    check_alone(
        &format!("{GAME}(p (q (r"),
        expect![[r#"
        error[unclosed-parenthesis]: this form lacks 3 `)`
          --> game.kif:7:1
          |
        7 | (p (q (r
          | ^     - the innermost list that is never closed
          | |      
          | opened here, and never closed
          |
          = help: add the missing `)`, or take out a `(`"#]],
    );
}

#[test]
fn an_extra_parenthesis() {
    check(
        "(p a))\n(q b)))) ; and so on",
        expect![[r#"
        error[unmatched-parenthesis]: this `)` closes nothing
          --> game.kif:1:6
          |
        1 | (p a))
          | -    ^ every list before it is closed already
          | |     
          | the form before it starts here
          |
          = help: take it out, or add the `(` that belongs to it

        error[unmatched-parenthesis]: 3 `)` close nothing
          --> game.kif:2:6
          |
        2 | (q b)))) ; and so on
          | -    ^ every list before it is closed already
          | |     
          | the form before it starts here
          |
          = help: take it out, or add the `(` that belongs to it"#]],
    );
}

#[test]
fn a_rule_in_a_rule() {
    check(
        "(<= (p 1) (q 1)\n(<= (q 2)))",
        expect![[r#"
        error[misplaced-keyword]: `<=` cannot stand inside a rule
          --> game.kif:2:1
          |
        2 | (<= (q 2)))
          | ^ a rule starts here
          |
          = help: a `)` is missing before it, perhaps"#]],
    );
}

#[test]
fn lists_without_a_name() {
    check(
        "(<= (p 1) () (q (f ())) ((q 1)) (q ((f) 1)))\n()",
        expect![[r#"
            error[empty-list]: an empty list means nothing
              --> game.kif:1:11
              |
            1 | (<= (p 1) () (q (f ())) ((q 1)) (q ((f) 1)))
              |           ^^ nothing in here
              |
              = help: take it out, or write what is missing

            error[empty-list]: an empty list means nothing
              --> game.kif:1:20
              |
            1 | (<= (p 1) () (q (f ())) ((q 1)) (q ((f) 1)))
              |                    ^^ nothing in here
              |
              = help: take it out, or write what is missing

            error[not-a-name]: a list stands where a name must
              --> game.kif:1:26
              |
            1 | (<= (p 1) () (q (f ())) ((q 1)) (q ((f) 1)))
              |                          ^^^^^ the first thing in a list is the name of a relation or function
              |
              = help: take out a pair of parentheses, or write the missing name

            error[not-a-name]: a list stands where a name must
              --> game.kif:1:37
              |
            1 | (<= (p 1) () (q (f ())) ((q 1)) (q ((f) 1)))
              |                                     ^^^ the first thing in a list is the name of a relation or function
              |
              = help: take out a pair of parentheses, or write the missing name

            error[empty-list]: an empty list means nothing
              --> game.kif:2:1
              |
            2 | ()
              | ^^ nothing in here
              |
              = help: take it out, or write what is missing"#]],
    );
}

#[test]
fn variables_for_names() {
    check(
        "(?p 1)\n(<= (p 1) (?q 1) (q (?f 1)) ?x)",
        expect![[r#"
        error[not-a-name]: the variable `?p` stands where a name must
          --> game.kif:1:2
          |
        1 | (?p 1)
          |  ^^ variables stand for terms, never for relations or functions

        error[not-a-name]: the variable `?q` stands where a name must
          --> game.kif:2:12
          |
        2 | (<= (p 1) (?q 1) (q (?f 1)) ?x)
          |            ^^ variables stand for terms, never for relations or functions

        error[not-a-name]: the variable `?f` stands where a name must
          --> game.kif:2:22
          |
        2 | (<= (p 1) (?q 1) (q (?f 1)) ?x)
          |                      ^^ variables stand for terms, never for relations or functions

        error[not-a-name]: the variable `?x` stands where a name must
          --> game.kif:2:29
          |
        2 | (<= (p 1) (?q 1) (q (?f 1)) ?x)
          |                             ^^ variables stand for terms, never for relations or functions"#]],
    );
}

#[test]
fn bare_names() {
    check("<= (p 1)", expect![[r#"
        error[misplaced-keyword]: `<=` stands outside parentheses
          --> game.kif:1:1
          |
        1 | <= (p 1)
          | ^^ a rule is a list that starts with this
          |
          = help: write `(<= head condition...)`"#]]);
    check(
        "Tic tac toe\n",
        expect![[r#"
        warning[bare-name]: the bare name `Tic` is taken for a fact
          --> game.kif:1:1
          |
        1 | Tic tac toe
          | ^^^ not in parentheses
          |
          = help: start comments with `;`; write facts in parentheses

        warning[bare-name]: the bare name `tac` is taken for a fact
          --> game.kif:1:5
          |
        1 | Tic tac toe
          |     ^^^ not in parentheses
          |
          = help: start comments with `;`; write facts in parentheses

        warning[bare-name]: the bare name `toe` is taken for a fact
          --> game.kif:1:9
          |
        1 | Tic tac toe
          |         ^^^ not in parentheses
          |
          = help: start comments with `;`; write facts in parentheses"#]],
    );
}

#[test]
fn keywords_in_heads() {
    check(
        "(true (step 1))\n(<= (does white a) (true (step 1)))\n(or (p) (q))\n(<= (not p) q)\n(<= distinct q)",
        expect![[r#"
            error[misplaced-keyword]: no rule can define `true`
              --> game.kif:1:1
              |
            1 | (true (step 1))
              | ^^^^^^^^^^^^^^^ the state follows from `init` and `next`
              |
              = help: choose another name if you mean a relation of your own

            error[misplaced-keyword]: no rule can define `does`
              --> game.kif:2:5
              |
            2 | (<= (does white a) (true (step 1)))
              |     ^^^^^^^^^^^^^^ the moves are what the players choose
              |
              = help: choose another name if you mean a relation of your own

            error[misplaced-keyword]: `or` cannot be the head of a rule
              --> game.kif:3:1
              |
            3 | (or (p) (q))
              | ^^^^^^^^^^^^ a connective, no relation

            error[misplaced-keyword]: `not` cannot be the head of a rule
              --> game.kif:4:5
              |
            4 | (<= (not p) q)
              |     ^^^^^^^ a connective, no relation

            error[misplaced-keyword]: `distinct` cannot be the head of a rule
              --> game.kif:5:5
              |
            5 | (<= distinct q)
              |     ^^^^^^^^ a connective, no relation"#]],
    );
}

#[test]
fn keywords_in_bodies() {
    check(
        "(<= (p 1) (next (step 1)) (init (step 1)) (or) (not) (not p q) (distinct a) and)",
        expect![[r#"
            error[misplaced-keyword]: `next` stands in a body
              --> game.kif:1:11
              |
            1 | (<= (p 1) (next (step 1)) (init (step 1)) (or) (not) (not p q) (distinct a) and)
              |           ^^^^^^^^^^^^^^^ what the next state is made of cannot be asked for here
              |
              = help: ask for the current state with `true`, or put what both depend on in a relation of its own

            error[misplaced-keyword]: `init` stands in a body
              --> game.kif:1:27
              |
            1 | (<= (p 1) (next (step 1)) (init (step 1)) (or) (not) (not p q) (distinct a) and)
              |                           ^^^^^^^^^^^^^^^ the initial state cannot be asked for here
              |
              = help: ask for the current state with `true`, or put what both depend on in a relation of its own

            error[keyword-arity]: `or` takes at least 1 argument
              --> game.kif:1:43
              |
            1 | (<= (p 1) (next (step 1)) (init (step 1)) (or) (not) (not p q) (distinct a) and)
              |                                           ^^^^ none given

            error[keyword-arity]: `not` takes 1 argument
              --> game.kif:1:48
              |
            1 | (<= (p 1) (next (step 1)) (init (step 1)) (or) (not) (not p q) (distinct a) and)
              |                                                ^^^^^ none given

            error[keyword-arity]: `not` takes 1 argument
              --> game.kif:1:54
              |
            1 | (<= (p 1) (next (step 1)) (init (step 1)) (or) (not) (not p q) (distinct a) and)
              |                                                      ^^^^^^^^^ 2 given

            error[keyword-arity]: `distinct` takes 2 arguments
              --> game.kif:1:64
              |
            1 | (<= (p 1) (next (step 1)) (init (step 1)) (or) (not) (not p q) (distinct a) and)
              |                                                                ^^^^^^^^^^^^ 1 given

            error[keyword-arity]: `and` takes at least 1 argument
              --> game.kif:1:77
              |
            1 | ...(step 1)) (init (step 1)) (or) (not) (not p q) (distinct a) and)
              |                                                                ^^^ none given"#]],
    );
}

#[test]
fn keywords_with_wrong_arguments() {
    check(
        "(<= (legal ?x) (role ?x))\n(<= (p 1) (goal white) role)\n(<=)",
        expect![[r#"
            error[keyword-arity]: `legal` takes 2 arguments
              --> game.kif:1:5
              |
            1 | (<= (legal ?x) (role ?x))
              |     ^^^^^^^^^^ 1 given

            error[keyword-arity]: `goal` takes 2 arguments
              --> game.kif:2:11
              |
            2 | (<= (p 1) (goal white) role)
              |           ^^^^^^^^^^^^ 1 given

            error[keyword-arity]: `role` takes 1 argument
              --> game.kif:2:24
              |
            2 | (<= (p 1) (goal white) role)
              |                        ^^^^ none given

            error[keyword-arity]: a rule without a head
              --> game.kif:3:1
              |
            3 | (<=)
              | ^^^^ nothing follows `<=`
              |
              = help: write `(<= head condition...)`"#]],
    );
}

#[test]
fn keywords_as_functions() {
    check(
        "(<= (p (does ?r ?m)) (does ?r ?m))\n(q next)",
        expect![[r#"
        warning[misplaced-keyword]: the keyword `does` is used as a function
          --> game.kif:1:8
          |
        1 | (<= (p (does ?r ?m)) (does ?r ?m))
          |        ^^^^^^^^^^^^ a term in here, without the keyword's meaning
          |
          = help: if a condition is meant, it stands outside of other relations; if a function, choose another name"#]],
    );
}

#[test]
fn arity_clashes() {
    check(
        "(p 1)\n(<= (q 1) (p 1 2))\n(p 1 2)\n(r (f 1))\n(r (f 1 2))\n(<= p (p 1))",
        expect![[r#"
            warning[arity-clash]: the relation `p` has 2 arguments here and 1 argument elsewhere
              --> game.kif:2:11
              |
            1 | (p 1)
              | ----- 1 argument at its first use
            2 | (<= (q 1) (p 1 2))
              |           ^^^^^^^ 2 arguments
              |
              = help: these are different, though they share the name: check that no argument is missing

            warning[arity-clash]: the function `f` has 2 arguments here and 1 argument elsewhere
              --> game.kif:5:4
              |
            4 | (r (f 1))
              |    ----- 1 argument at its first use
            5 | (r (f 1 2))
              |    ^^^^^^^ 2 arguments
              |
              = help: these are different, though they share the name: check that no argument is missing

            warning[arity-clash]: the relation `p` has no arguments here and 1 argument elsewhere
              --> game.kif:6:5
              |
            1 | (p 1)
              | ----- 1 argument at its first use
              .
            6 | (<= p (p 1))
              |     ^ no arguments
              |
              = help: these are different, though they share the name: check that no argument is missing"#]],
    );
}

#[test]
fn facts_with_variables() {
    check(
        "(p ?x (f ?y))",
        expect![[r#"
        error[non-ground-fact]: a fact with the variable `?x`
          --> game.kif:1:4
          |
        1 | (p ?x (f ?y))
          |    ^^ stands for anything at all
          |
          = help: facts have no variables: write a rule, `(<= fact condition...)`, whose conditions give them values

        error[non-ground-fact]: a fact with the variable `?y`
          --> game.kif:1:10
          |
        1 | (p ?x (f ?y))
          |          ^^ stands for anything at all
          |
          = help: facts have no variables: write a rule, `(<= fact condition...)`, whose conditions give them values"#]],
    );
}

#[test]
fn unsafe_variables() {
    check(
        "(d 1) (<= (p ?x) (d 1))\n(<= (q 1) (not (d ?y)) (distinct ?z 1))\n(<= (r ?x) (or (d ?x) (distinct ?x 1)))",
        expect![[r#"
            error[unsafe-variable]: no positive condition gives `?x` its values
              --> game.kif:1:14
              |
            1 | (d 1) (<= (p ?x) (d 1))
              |              ^^ has no values in the head
              |
              = help: add a condition with `?x` that is not under `not` or `distinct`, or check the spelling

            error[unsafe-variable]: no positive condition gives `?y` its values
              --> game.kif:2:19
              |
            2 | (<= (q 1) (not (d ?y)) (distinct ?z 1))
              |                   ^^ a negated condition gives it none
              |
              = help: add a condition with `?y` that is not under `not` or `distinct`, or check the spelling

            error[unsafe-variable]: no positive condition gives `?z` its values
              --> game.kif:2:34
              |
            2 | (<= (q 1) (not (d ?y)) (distinct ?z 1))
              |                                  ^^ `distinct` gives it none
              |
              = help: add a condition with `?z` that is not under `not` or `distinct`, or check the spelling

            error[unsafe-variable]: no positive condition gives `?x` its values
              --> game.kif:3:8
              |
            3 | (<= (r ?x) (or (d ?x) (distinct ?x 1)))
              |        ^^ has no values in the head, in a branch of an `or`
              |
              = help: add a condition with `?x` that is not under `not` or `distinct`, or check the spelling"#]],
    );
}

#[test]
fn conditions_that_contradict_each_other() {
    check(
        "(d 1)\n(<= (p ?x) (d ?x) (distinct ?x ?x))\n(<= (q ?x) (d ?x) (not (distinct ?x (f ?x))))",
        expect![[r#"
            warning[never-holds]: the conditions contradict each other
              --> game.kif:2:5
              |
            2 | (<= (p ?x) (d ?x) (distinct ?x ?x))
              |     ^^^^^^ never follows from this rule
              |
              = help: check its `distinct` and `not`

            warning[never-holds]: the conditions contradict each other
              --> game.kif:3:5
              |
            3 | (<= (q ?x) (d ?x) (not (distinct ?x (f ?x))))
              |     ^^^^^^ never follows from this rule
              |
              = help: check its `distinct` and `not`"#]],
    );
}

#[test]
fn undefined_relations_and_terms() {
    check(
        "(Line 1)\n(<= (p ?x) (line ?x))\n(<= (q 1) (true (stap 1)) (does white (noop 1)) (r 2))",
        expect![[r#"
            warning[undefined-relation]: the relation `line` has neither facts nor rules
              --> game.kif:2:12
              |
            2 | (<= (p ?x) (line ?x))
              |            ^^^^^^^^^ never holds
              |
              = help: there is `Line` with 1 argument: is it meant?

            warning[undefined-relation]: no `stap` is ever true
              --> game.kif:3:11
              |
            3 | (<= (q 1) (true (stap 1)) (does white (noop 1)) (r 2))
              |           ^^^^^^^^^^^^^^^ never holds
              |
              = help: no `init` or `next` has it: check name and number of arguments

            warning[undefined-relation]: no `noop` is ever legal
              --> game.kif:3:27
              |
            3 | (<= (q 1) (true (stap 1)) (does white (noop 1)) (r 2))
              |                           ^^^^^^^^^^^^^^^^^^^^^ never holds
              |
              = help: no `legal` has it: check name and number of arguments

            warning[undefined-relation]: the relation `r` has neither facts nor rules
              --> game.kif:3:49
              |
            3 | (<= (q 1) (true (stap 1)) (does white (noop 1)) (r 2))
              |                                                 ^^^^^ never holds
              |
              = help: check the spelling"#]],
    );
}

#[test]
fn unknown_roles() {
    check(
        "(<= (goal whit 100) (does blak noop))",
        expect![[r#"
        error[forbidden-dependency]: `goal` depends on `does`
          --> game.kif:1:21
          |
        1 | (<= (goal whit 100) (does blak noop))
          |                     ^^^^^^^^^^^^^^^^ `does` is used here
          |
          = help: it belongs to a state, whatever the moves are: let `next` keep what it needs"#]],
    );
    check(
        "(<= (goal whit 100) (true (step 1)))",
        expect![[r#"
        warning[unknown-role]: `whit` is no role
          --> game.kif:1:5
          |
        1 | (<= (goal whit 100) (true (step 1)))
          |     ^^^^^^^^^^^^^^^ for somebody who does not play
          |
          = help: check the spelling, or add a `role` fact"#]],
    );
}

#[test]
fn odd_goals() {
    check(
        "(goal white 101)",
        expect![[r#"
        warning[goal-value]: the goal 101 is not between 0 and 100
          --> game.kif:1:1
          |
        1 | (goal white 101)
          | ^^^^^^^^^^^^^^^^ the value of a state to a player
          |
          = help: goals are whole numbers from 0 to 100"#]],
    );
    check(
        "(goal white win)",
        expect![[r#"
        error[goal-value]: the goal `win` is no number
          --> game.kif:1:1
          |
        1 | (goal white win)
          | ^^^^^^^^^^^^^^^^ the value of a state to a player
          |
          = help: goals are whole numbers from 0 to 100"#]],
    );
}

#[test]
fn negation_in_a_circle() {
    check(
        "(d 1) (<= (p ?x) (d ?x) (not (q ?x)))\n(<= (q ?x) (r ?x))\n\n\n\n(<= (r ?x) (d ?x) (or (p ?x) (d ?x)))",
        expect![[r#"
            error[unstratified-negation]: `p` depends on its own negation
              --> game.kif:1:30
              |
            1 | (d 1) (<= (p ?x) (d ?x) (not (q ?x)))
              |                              ^^^^^^ `p` depends on this not to hold
            2 | (<= (q ?x) (r ?x))
              |            ------ `q` depends on `r` here
              .
            6 | (<= (r ?x) (d ?x) (or (p ?x) (d ?x)))
              |                   ------------------
              |                   |   |
              |                   |   an `or` depends on `p` here
              |                   `r` depends on an `or` here
              |
              = help: such rules have no definite meaning: break the circle"#]],
    );
    check(
        "(<= p (not p))",
        expect![[r#"
        error[unstratified-negation]: `p` depends on its own negation
          --> game.kif:1:12
          |
        1 | (<= p (not p))
          |            ^ `p` depends on this not to hold
          |
          = help: such rules have no definite meaning: break the circle"#]],
    );
}

#[test]
fn negation_in_a_circle_for_other_arguments_only() {
    check(
        "(<= (goal white 100) (not (goal white 0)))\n(goal white 0)",
        expect![[r#"
            warning[unstratified-negation]: `goal` depends on its own negation, though not for the same arguments
              --> game.kif:1:27
              |
            1 | (<= (goal white 100) (not (goal white 0)))
              |                           ^^^^^^^^^^^^^^ `goal` depends on this not to hold
              |
              = help: this is well defined, but not every player accepts it"#]],
    );
}

#[test]
fn dependencies_on_moves() {
    check(
        "(<= (legal white a) (does black noop))\n(<= (goal black 1) (moved black))\n(<= (moved ?r) (does ?r noop))\n(<= (base a) (moved white))",
        expect![[r#"
            error[forbidden-dependency]: `legal` depends on `does`
              --> game.kif:1:21
              |
            1 | (<= (legal white a) (does black noop))
              |                     ^^^^^^^^^^^^^^^^^ `does` is used here
              |
              = help: what is legal must be known before moves are chosen: use `true`

            error[forbidden-dependency]: `goal` depends on `does`
              --> game.kif:3:16
              |
            2 | (<= (goal black 1) (moved black))
              |                    ------------- `goal` depends on `moved` here
            3 | (<= (moved ?r) (does ?r noop))
              |                ^^^^^^^^^^^^^^ `does` is used here
              |
              = help: it belongs to a state, whatever the moves are: let `next` keep what it needs

            warning[forbidden-dependency]: `base` depends on `does`
              --> game.kif:3:16
              |
            3 | (<= (moved ?r) (does ?r noop))
              |                ^^^^^^^^^^^^^^ `does` is used here
            4 | (<= (base a) (moved white))
              |              ------------- `base` depends on `moved` here
              |
              = help: it lists what is possible in any state, without state or moves; it is not relied upon"#]],
    );
}

#[test]
fn dependencies_on_the_state() {
    check(
        "(<= (init (a)) (true (step 1)))\n(<= (role ?r) (true (step ?r)))",
        expect![[r#"
            error[forbidden-dependency]: `init` depends on `true`
              --> game.kif:1:16
              |
            1 | (<= (init (a)) (true (step 1)))
              |                ^^^^^^^^^^^^^^^ `true` is used here
              |
              = help: before the first state there is neither state nor move

            error[forbidden-dependency]: `role` depends on `true`
              --> game.kif:2:15
              |
            2 | (<= (role ?r) (true (step ?r)))
              |               ^^^^^^^^^^^^^^^^ `true` is used here
              |
              = help: the roles are the same throughout: give them by facts"#]],
    );
}

#[test]
fn missing_rules() {
    check_alone(
        "(p 1)",
        expect![[r#"
        error[missing-rules]: no rules for `role`: nobody plays
         = file: game.kif
         = help: write `(role white)` for every player

        error[missing-rules]: no rules for `legal`: nobody can move
         = file: game.kif
         = help: write `(<= (legal white noop) (true (control black)))` and the like

        error[missing-rules]: no rules for `terminal`: no match ends
         = file: game.kif
         = help: write `(<= terminal (true (step 20)))` and the like

        error[missing-rules]: no rules for `goal`: nobody can win
         = file: game.kif
         = help: write `(<= (goal white 100) (line x))` and the like

        warning[missing-rules]: no rules for `init`: the first state is empty
         = file: game.kif
         = help: write `(init (control white))` and the like

        warning[missing-rules]: no rules for `next`: every state after the first is empty
         = file: game.kif
         = help: write `(<= (next (control black)) (true (control white)))` and the like"#]],
    );
    check_alone(
        "(role a)(role b)(init x)(legal a n)(<= (next x) (does a n))(<= terminal (true x))(goal a 1)",
        expect![[r#"
            error[missing-rules]: the role `b` never has a legal move
             = file: game.kif
             = help: every role needs a legal move in every state, if only `noop`

            warning[missing-rules]: the role `b` has no goals
             = file: game.kif"#]],
    );
}

#[test]
fn incomplete_information() {
    check(
        "(role random)\n(<= (sees white (coin ?x)) (does random ?x))\n(<= (sees ?p) nonsense)",
        expect![[r#"
            warning[incomplete-information]: `sees` rules are ignored: every player sees everything
              --> game.kif:2:5
              |
            2 | (<= (sees white (coin ?x)) (does random ?x))
              |     ^^^^^^^^^^^^^^^^^^^^^^ the first of them
              |
              = help: games with incomplete information (GDL-II) are played as if it were complete"#]],
    );
}

#[test]
fn deep_lists() {
    let deep = format!("(p {}1{})\n", "(f ".repeat(300), ")".repeat(300));
    check(
        &deep,
        expect![[r#"
        error[nested-too-deeply]: lists are nested more than 200 deep
          --> game.kif:1:601
          |
        1 | ...(f (f (f (f (f (f (f (f (f (f (f (f (f (f (f (f (f (f (f (f (f (f (f (f (f (f (f (f (f (f (f (f (f (f (f (f (f (f (f (f (...
          |                                                                ^ this list is too deep
          |
          = note: game.kif:1:1: in the form that starts here"#]],
    );
    let body = format!("(<= p {}q{})\n", "(not ".repeat(300), ")".repeat(300));
    check(
        &body,
        expect![[r#"
        error[nested-too-deeply]: lists are nested more than 200 deep
          --> game.kif:1:1002
          |
        1 | ...(not (not (not (not (not (not (not (not (not (not (not (not (not (not (not (not (not (not (not (not (not (not (not (not (...
          |                                                                ^ this list is too deep
          |
          = note: game.kif:1:1: in the form that starts here"#]],
    );
}

#[test]
fn too_many_cases() {
    let ors = "(or (distinct ?x ?y) (distinct ?x 1))".repeat(20);
    check(
        &format!("(d 1 2)\n(<= (p ?x ?y) (d ?x ?y) {ors})\n"),
        expect![[r#"
            error[too-many-cases]: the rule stands for too many cases
              --> game.kif:2:728
              |
            2 | ...?x ?y) (distinct ?x 1))(or (distinct ?x ?y) (distinct ?x 1))(or (distinct ?x ?y) (distinct ?x 1)))
              |                                                                ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ with the branches of this `or`
              |
              = note: game.kif:2:5: in the rule for this
              = help: give the `or` a relation of its own"#]],
    );
}

#[test]
fn long_lines_are_cut() {
    let facts = "(fact 1 2) ".repeat(30);
    check_alone(
        &format!("{facts}(<= (p ?x) (fact 1 1)) {facts}{GAME}"),
        expect![[r#"
            error[unsafe-variable]: no positive condition gives `?x` its values
              --> game.kif:1:338
              |
            1 | ...act 1 2) (fact 1 2) (fact 1 2) (fact 1 2) (fact 1 2) (<= (p ?x) (fact 1 1)) (fact 1 2) (fact 1 2) (fact 1 2) (fact 1 2) (f...
              |                                                                ^^ has no values in the head
              |
              = help: add a condition with `?x` that is not under `not` or `distinct`, or check the spelling"#]],
    );
    // Places too far apart for one excerpt.
    check_alone(&format!("(many 1) {facts}(many 1 2){GAME}"), expect![[r#"
        warning[arity-clash]: the relation `many` has 2 arguments here and 1 argument elsewhere
          --> game.kif:1:340
          |
        1 | ...1 2) (fact 1 2) (fact 1 2) (fact 1 2) (fact 1 2) (fact 1 2) (many 1 2)
          |                                                                ^^^^^^^^^^ 2 arguments
          |
          = note: game.kif:1:1: 1 argument at its first use
          = help: these are different, though they share the name: check that no argument is missing"#]]);
    let é = "é".repeat(200);
    check_alone(
        &format!("({é} {é}) ({é} ?{é}) ({é} {é}) {GAME}"),
        expect![[r#"
        error[non-ground-fact]: a fact with the variable `?ééééééééééééééééééééééééééééééééééééééééééééééééééééééééééé...`
          --> game.kif:1:607
          |
        1 | ...éééééééééééééééééééééééééééééé ?ééééééééééééééééééééééééééééééééééééééééééééééééééééééééééé...
          |                                   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ stands for anything at all
          |
          = help: facts have no variables: write a rule, `(<= fact condition...)`, whose conditions give them values"#]],
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
