//! Variables, negation, cases, and undefined relations.

use expect_test::expect;

use super::check;

#[test]
fn facts_with_variables() {
    check(
        "(p ?x (f ?y))",
        expect![[r#"
            error[non-ground-fact]: a fact with the variable `?x`
              --> game.kif:1:4
              |
            1 | (p ?x (f ?y))
              |    ^^ stands for any term
              |
              = help: a fact cannot have variables: write a rule, `(<= fact condition...)`, whose conditions bind them; or let `--lenient` read it where conditions bind the variable, as other players do

            error[non-ground-fact]: a fact with the variable `?y`
              --> game.kif:1:10
              |
            1 | (p ?x (f ?y))
              |          ^^ stands for any term
              |
              = help: a fact cannot have variables: write a rule, `(<= fact condition...)`, whose conditions bind them; or let `--lenient` read it where conditions bind the variable, as other players do"#]],
    );
}

#[test]
fn unsafe_variables() {
    check(
        "(d 1) (<= (p ?x) (d 1))\n(<= (q 1) (not (d ?y)) (distinct ?z 1))\n(<= (r ?x) (or (d ?x) (distinct ?x 1)))",
        expect![[r#"
            error[unsafe-variable]: no positive condition binds the variable `?x`
              --> game.kif:1:14
              |
            1 | (d 1) (<= (p ?x) (d 1))
              |              ^^ unbound in the head
              |
              = help: add a condition with `?x` that is not under `not` or `distinct`, or check the spelling

            error[unsafe-variable]: no positive condition binds the variable `?y`
              --> game.kif:2:19
              |
            2 | (<= (q 1) (not (d ?y)) (distinct ?z 1))
              |                   ^^ a negated condition does not bind it
              |
              = help: if no such `?y` is meant, define `(<= some_d (d ?y))` and negate that, or let `--lenient` read it so, as other players do; if it should have a value, check the spelling, or add a condition with it that is not under `not` or `distinct`

            error[unsafe-variable]: no positive condition binds the variable `?z`
              --> game.kif:2:34
              |
            2 | (<= (q 1) (not (d ?y)) (distinct ?z 1))
              |                                  ^^ `distinct` does not bind it
              |
              = help: add a condition with `?z` that is not under `not` or `distinct`, or check the spelling

            error[unsafe-variable]: no positive condition binds the variable `?x`
              --> game.kif:3:8
              |
            3 | (<= (r ?x) (or (d ?x) (distinct ?x 1)))
              |        ^^ unbound in the head, in a branch of an `or`
              |
              = help: add a condition with `?x` that is not under `not` or `distinct`, or check the spelling"#]],
    );
}

#[test]
fn conditions_that_contradict_each_other() {
    check(
        "(d 1)\n(<= (p ?x) (d ?x) (distinct ?x ?x))\n(<= (q ?x) (d ?x) (not (distinct ?x (f ?x))))",
        expect![[r#"
            warning[unused-relation]: nothing depends on the relation `d`
              --> game.kif:1:1
              |
            1 | (d 1)
              | ^^^^^ has no effect
              |
              = help: check the spelling, or remove it

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
            warning[near-miss]: nothing depends on the relation `Line`
              --> game.kif:1:1
              |
            1 | (Line 1)
              | ^^^^^^^^ has no effect
              |
              = help: did you mean `line`?

            warning[unused-relation]: nothing depends on the relation `p`
              --> game.kif:2:5
              |
            2 | (<= (p ?x) (line ?x))
              |     ^^^^^^ has no effect
              |
              = help: check the spelling, or remove it

            warning[undefined-relation]: the relation `line` has neither facts nor rules
              --> game.kif:2:12
              |
            2 | (<= (p ?x) (line ?x))
              |            ^^^^^^^^^ never holds
              |
              = help: did you mean `Line` with 1 argument?

            warning[unused-relation]: nothing depends on the relation `q`
              --> game.kif:3:5
              |
            3 | (<= (q 1) (true (stap 1)) (does white (noop 1)) (r 2))
              |     ^^^^^ has no effect
              |
              = help: check the spelling, or remove it

            warning[undefined-relation]: no `stap` is ever true
              --> game.kif:3:11
              |
            3 | (<= (q 1) (true (stap 1)) (does white (noop 1)) (r 2))
              |           ^^^^^^^^^^^^^^^ never holds
              |
              = help: did you mean `step`?

            warning[undefined-relation]: no `noop` is ever legal
              --> game.kif:3:27
              |
            3 | (<= (q 1) (true (stap 1)) (does white (noop 1)) (r 2))
              |                           ^^^^^^^^^^^^^^^^^^^^^ never holds
              |
              = help: no `legal` derives it: check the name and the number of arguments

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
fn negation_in_a_circle() {
    check(
        "(d 1) (<= (p ?x) (d ?x) (not (q ?x)))\n(<= (q ?x) (r ?x))\n\n\n\n(<= (r ?x) (d ?x) (or (p ?x) (d ?x)))",
        expect![[r#"
            error[unstratified-negation]: `p` depends on its own negation
              --> game.kif:1:30
              |
            1 | (d 1) (<= (p ?x) (d ?x) (not (q ?x)))
              |                              ^^^^^^ `p` depends on the negation of this
            2 | (<= (q ?x) (r ?x))
              |            ------ `q` depends on `r` here
              .
            6 | (<= (r ?x) (d ?x) (or (p ?x) (d ?x)))
              |                   ------------------
              |                   |   |
              |                   |   an `or` depends on `p` here
              |                   `r` depends on an `or` here
              |
              = help: such rules have no defined meaning: break the cycle"#]],
    );
    check(
        "(<= p (not p))",
        expect![[r#"
            error[unstratified-negation]: `p` depends on its own negation
              --> game.kif:1:12
              |
            1 | (<= p (not p))
              |            ^ `p` depends on the negation of this
              |
              = help: such rules have no defined meaning: break the cycle"#]],
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
              |                           ^^^^^^^^^^^^^^ `goal` depends on the negation of this
              |
              = help: this is well defined, but some players reject it"#]],
    );
}

#[test]
fn too_many_cases() {
    let ors = "(or (distinct ?x ?y) (distinct ?x 1))".repeat(20);
    check(
        &format!("(d 1 2)\n(<= (p ?x ?y) (d ?x ?y) {ors})\n"),
        expect![[r#"
            error[too-many-cases]: the rule expands to too many cases
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
fn names_that_are_nearly_right() {
    check(
        "(role white)\n(<= (leagl ?r go) (role ?r))\n(<= (p ?x) (sucks ?x))\n(<= (q ?x) (suc ?x 1) (true (stp ?x)) (p ?x))\n(timer 1)",
        expect![[r#"
            warning[near-miss]: nothing depends on the relation `leagl`
              --> game.kif:2:5
              |
            2 | (<= (leagl ?r go) (role ?r))
              |     ^^^^^^^^^^^^^ has no effect
              |
              = help: did you mean `legal`?

            warning[undefined-relation]: the relation `sucks` has neither facts nor rules
              --> game.kif:3:12
              |
            3 | (<= (p ?x) (sucks ?x))
              |            ^^^^^^^^^^ never holds
              |
              = help: check the spelling

            warning[unused-relation]: nothing depends on the relation `q`
              --> game.kif:4:5
              |
            4 | (<= (q ?x) (suc ?x 1) (true (stp ?x)) (p ?x))
              |     ^^^^^^ has no effect
              |
              = help: check the spelling, or remove it

            warning[undefined-relation]: the relation `suc` has neither facts nor rules
              --> game.kif:4:12
              |
            4 | (<= (q ?x) (suc ?x 1) (true (stp ?x)) (p ?x))
              |            ^^^^^^^^^^ never holds
              |
              = help: did you mean `succ` with 2 arguments?

            warning[undefined-relation]: no `stp` is ever true
              --> game.kif:4:23
              |
            4 | (<= (q ?x) (suc ?x 1) (true (stp ?x)) (p ?x))
              |                       ^^^^^^^^^^^^^^^ never holds
              |
              = help: did you mean `step`?

            warning[unused-relation]: nothing depends on the relation `timer`
              --> game.kif:5:1
              |
            5 | (timer 1)
              | ^^^^^^^^^ has no effect
              |
              = help: check the spelling, or remove it

            warning[duplicate-role]: the role `white` is given twice
              --> game.kif:6:1
              |
            6 | (role white) (role black) (init (step 1)) (succ 1 2)
              | ^^^^^^^^^^^^ it is already a role
              |
              = help: it counts once: remove this fact, or check the spelling"#]],
    );
}

#[test]
fn files_are_not_included() {
    check(
        "#include \"other.kif\"",
        expect![[r#"
            error[include]: `#include` is not part of the language
              --> game.kif:1:1
              |
            1 | #include "other.kif"
              | ^^^^^^^^ the other file is not read
              |
              = help: merge both files: `cat a.kif b.kif > game.kif`"#]],
    );
    check(
        "(#INCLUDE other)",
        expect![[r#"
        error[include]: `#include` is not part of the language
          --> game.kif:1:1
          |
        1 | (#INCLUDE other)
          | ^^^^^^^^^^^^^^^^ the other file is not read
          |
          = help: merge both files: `cat a.kif b.kif > game.kif`"#]],
    );
}

#[test]
fn rules_about_any_role() {
    check(
        "(goal ?r 50)\n(<= (legal ?r ?m) (not (true ?m)))\n(<= (sees ?r on) (or (does ?r noop) (succ 1 2)))",
        expect![[r#"
            error[non-ground-fact]: a fact with the variable `?r`
              --> game.kif:1:7
              |
            1 | (goal ?r 50)
              |       ^^ stands for any term
              |
              = help: write a rule with `(role ?r)`, or let `--lenient` read it so, as other players do

            error[unsafe-variable]: no positive condition binds the variable `?r`
              --> game.kif:2:12
              |
            2 | (<= (legal ?r ?m) (not (true ?m)))
              |            ^^ unbound in the head
              |
              = help: add `(role ?r)`, or let `--lenient` read it so, as other players do

            error[unsafe-variable]: no positive condition binds the variable `?m`
              --> game.kif:2:15
              |
            2 | (<= (legal ?r ?m) (not (true ?m)))
              |               ^^ unbound in the head
              |
              = help: add a condition with `?m` that is not under `not` or `distinct`, or check the spelling

            error[unsafe-variable]: no positive condition binds the variable `?r`
              --> game.kif:3:11
              |
            3 | (<= (sees ?r on) (or (does ?r noop) (succ 1 2)))
              |           ^^ unbound in the head, in a branch of an `or`
              |
              = help: add `(role ?r)`, or let `--lenient` read it so, as other players do"#]],
    );
}

#[test]
fn variables_under_not_beside_others() {
    // The first rule can be unfolded at its call; the second is recursive, and has a variable under `not` alone.
    check(
        "(<= (near ?x ?any) (succ ?x 2))\n(<= (far ?x) (succ ?x 2) (not (near ?x ?y)) (not (true (cell ?z))))\n(<= (far ?x) (far ?x))",
        expect![[r#"
            error[unsafe-variable]: no positive condition binds the variable `?any`
              --> game.kif:1:14
              |
            1 | (<= (near ?x ?any) (succ ?x 2))
              |              ^^^^ unbound in the head
              |
              = help: add a condition with `?any` that is not under `not` or `distinct`, or check the spelling; or let `--lenient` read it where conditions bind the variable, as other players do

            error[unsafe-variable]: no positive condition binds the variable `?y`
              --> game.kif:2:40
              |
            2 | (<= (far ?x) (succ ?x 2) (not (near ?x ?y)) (not (true (cell ?z))))
              |                                        ^^ a negated condition does not bind it
              |
              = help: if no such `?y` is meant, define `(<= (some_near ?x) (near ?x ?y))` and negate that, or let `--lenient` read it so, as other players do; if it should have a value, check the spelling, or add a condition with it that is not under `not` or `distinct`

            error[unsafe-variable]: no positive condition binds the variable `?z`
              --> game.kif:2:62
              |
            2 | (<= (far ?x) (succ ?x 2) (not (near ?x ?y)) (not (true (cell ?z))))
              |                                                              ^^ a negated condition does not bind it
              |
              = help: if no such `?z` is meant, define `(<= some_cell (true (cell ?z)))` and negate that, or let `--lenient` read it so, as other players do; if it should have a value, check the spelling, or add a condition with it that is not under `not` or `distinct`"#]],
    );
}

#[test]
fn fluents_without_true() {
    check(
        "(<= (next (step 1)) (step ?x) (not busy) (succ ?x 2))\n(<= (next busy) (true busy))",
        expect![[r#"
            warning[undefined-relation]: the relation `step` has neither facts nor rules
              --> game.kif:1:21
              |
            1 | (<= (next (step 1)) (step ?x) (not busy) (succ ?x 2))
              |                     ^^^^^^^^^ never holds
              |
              = help: `step` holds in states: did you mean `(true (step ?x))`?

            warning[undefined-relation]: the relation `busy` has neither facts nor rules
              --> game.kif:1:36
              |
            1 | (<= (next (step 1)) (step ?x) (not busy) (succ ?x 2))
              |                                    ^^^^ never holds
              |
              = help: `busy` holds in states: did you mean `(true busy)`?"#]],
    );
}

#[test]
fn constants_with_the_name_of_a_variable() {
    // `n` is in one rule only, though an `or` makes two of it; `m` is elsewhere, too.
    check(
        "(p m) (q m)
(<= (p ?m) (true (step ?m)) (q m))
(<= (q ?n) (true (step ?n)) (or (p (f n)) (p 2)))",
        expect![[r#"
            warning[missing-question-mark]: the constant `n` occurs in this rule only
              --> game.kif:3:33
              |
            3 | (<= (q ?n) (true (step ?n)) (or (p (f n)) (p 2)))
              |                                 ^^^^^^^^^ the rule has the variable `?n`, too
              |
              = help: did you mean `?n`?"#]],
    );
}
