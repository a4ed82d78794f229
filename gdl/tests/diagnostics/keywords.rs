//! Keywords: their places, arguments and dependencies.

use expect_test::expect;

use super::{check, check_alone};

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
              = help: choose another name if this is a relation of your own

            error[misplaced-keyword]: no rule can define `does`
              --> game.kif:2:5
              |
            2 | (<= (does white a) (true (step 1)))
              |     ^^^^^^^^^^^^^^ moves are chosen by the players
              |
              = help: choose another name if this is a relation of your own

            error[misplaced-keyword]: `or` cannot be the head of a rule
              --> game.kif:3:1
              |
            3 | (or (p) (q))
              | ^^^^^^^^^^^^ a connective, not a relation

            error[misplaced-keyword]: `not` cannot be the head of a rule
              --> game.kif:4:5
              |
            4 | (<= (not p) q)
              |     ^^^^^^^ a connective, not a relation

            error[misplaced-keyword]: `distinct` cannot be the head of a rule
              --> game.kif:5:5
              |
            5 | (<= distinct q)
              |     ^^^^^^^^ a connective, not a relation"#]],
    );
}

#[test]
fn keywords_in_bodies() {
    check(
        "(<= (p 1) (next (step 1)) (init (step 1)) (or) (not) (not p q) (distinct a) and)",
        expect![[r#"
            error[misplaced-keyword]: `next` in a body
              --> game.kif:1:11
              |
            1 | (<= (p 1) (next (step 1)) (init (step 1)) (or) (not) (not p q) (distinct a) and)
              |           ^^^^^^^^^^^^^^^ a condition cannot refer to the next state
              |
              = help: refer to the current state with `true`, or define a relation for both to depend on; or let `--lenient` read it as the state that follows, as other players do

            error[misplaced-keyword]: `init` in a body
              --> game.kif:1:27
              |
            1 | (<= (p 1) (next (step 1)) (init (step 1)) (or) (not) (not p q) (distinct a) and)
              |                           ^^^^^^^^^^^^^^^ a condition cannot refer to the initial state
              |
              = help: define a relation for both `init` and this to depend on; or let `--lenient` read it as the initial state, as other players do

            error[keyword-arity]: `or` takes at least 1 argument
              --> game.kif:1:43
              |
            1 | (<= (p 1) (next (step 1)) (init (step 1)) (or) (not) (not p q) (distinct a) and)
              |                                           ^^^^ none given
              |
              = help: write `(or condition...)`

            error[keyword-arity]: `not` takes 1 argument
              --> game.kif:1:48
              |
            1 | (<= (p 1) (next (step 1)) (init (step 1)) (or) (not) (not p q) (distinct a) and)
              |                                                ^^^^^ none given
              |
              = help: write `(not condition)`

            error[keyword-arity]: `not` takes 1 argument
              --> game.kif:1:54
              |
            1 | (<= (p 1) (next (step 1)) (init (step 1)) (or) (not) (not p q) (distinct a) and)
              |                                                      ^^^^^^^^^ 2 given
              |
              = help: did you mean `(not (p q))`?

            error[keyword-arity]: `distinct` takes 2 arguments
              --> game.kif:1:64
              |
            1 | (<= (p 1) (next (step 1)) (init (step 1)) (or) (not) (not p q) (distinct a) and)
              |                                                                ^^^^^^^^^^^^ 1 given
              |
              = help: write `(distinct term term)`

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
              |
              = help: write `(legal role move)`

            error[keyword-arity]: `goal` takes 2 arguments
              --> game.kif:2:11
              |
            2 | (<= (p 1) (goal white) role)
              |           ^^^^^^^^^^^^ 1 given
              |
              = help: write `(goal role number)`

            error[keyword-arity]: `role` takes 1 argument
              --> game.kif:2:24
              |
            2 | (<= (p 1) (goal white) role)
              |                        ^^^^ none given
              |
              = help: write `(role name)`

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
            warning[unused-relation]: nothing depends on the relation `p`
              --> game.kif:1:5
              |
            1 | (<= (p (does ?r ?m)) (does ?r ?m))
              |     ^^^^^^^^^^^^^^^^ has no effect
              |
              = help: check the spelling, or remove it

            warning[misplaced-keyword]: the keyword `does` is used as a function
              --> game.kif:1:8
              |
            1 | (<= (p (does ?r ?m)) (does ?r ?m))
              |        ^^^^^^^^^^^^ a term here, without the keyword's meaning
              |
              = help: if it is a condition, move it out of the other relation; if it is a function, choose another name

            warning[unused-relation]: nothing depends on the relation `q`
              --> game.kif:2:1
              |
            2 | (q next)
              | ^^^^^^^^ has no effect
              |
              = help: check the spelling, or remove it"#]],
    );
}

#[test]
fn arity_clashes() {
    check(
        "(p 1)\n(<= (q 1) (p 1 2))\n(p 1 2)\n(r (f 1))\n(r (f 1 2))\n(<= p (p 1))",
        expect![[r#"
            warning[unused-relation]: nothing depends on the relation `q`
              --> game.kif:2:5
              |
            2 | (<= (q 1) (p 1 2))
              |     ^^^^^ has no effect
              |
              = help: check the spelling, or remove it

            warning[arity-clash]: the relation `p` has 2 arguments here and 1 argument elsewhere
              --> game.kif:2:11
              |
            1 | (p 1)
              | ----- 1 argument at its first use
            2 | (<= (q 1) (p 1 2))
              |           ^^^^^^^ 2 arguments
              |
              = help: these are different despite the same name: check for a missing argument

            warning[unused-relation]: nothing depends on the relation `r`
              --> game.kif:4:1
              |
            4 | (r (f 1))
              | ^^^^^^^^^ has no effect
              |
              = help: check the spelling, or remove it

            warning[arity-clash]: the function `f` has 2 arguments here and 1 argument elsewhere
              --> game.kif:5:4
              |
            4 | (r (f 1))
              |    ----- 1 argument at its first use
            5 | (r (f 1 2))
              |    ^^^^^^^ 2 arguments
              |
              = help: these are different despite the same name: check for a missing argument

            warning[arity-clash]: the relation `p` has no arguments here and 1 argument elsewhere
              --> game.kif:6:5
              |
            1 | (p 1)
              | ----- 1 argument at its first use
              .
            6 | (<= p (p 1))
              |     ^ no arguments
              |
              = help: these are different despite the same name: check for a missing argument

            warning[unused-relation]: nothing depends on the relation `p`
              --> game.kif:6:5
              |
            6 | (<= p (p 1))
              |     ^ has no effect
              |
              = help: check the spelling, or remove it"#]],
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
              = help: it is a property of the state, independent of moves: store what it needs with `next`; or let `--lenient` read it as if nobody had moved, as other players do"#]],
    );
    check(
        "(<= (goal whit 100) (true (step 1)))",
        expect![[r#"
            warning[unknown-role]: `whit` is not a role
              --> game.kif:1:5
              |
            1 | (<= (goal whit 100) (true (step 1)))
              |     ^^^^^^^^^^^^^^^ there is no role with this name
              |
              = help: check the spelling, or add a `role` fact; a variable would be `?whit`"#]],
    );
}

#[test]
fn odd_goals() {
    check(
        "(goal white 101)",
        expect![[r#"
            warning[goal-value]: the goal 101 is not between 0 and 100
              --> game.kif:1:13
              |
            1 | (goal white 101)
              |             ^^^ the value of a state for a role
              |
              = help: goals are whole numbers from 0 to 100"#]],
    );
    check(
        "(goal white win)",
        expect![[r#"
            error[goal-value]: the goal `win` is not a number
              --> game.kif:1:13
              |
            1 | (goal white win)
              |             ^^^ the value of a state for a role
              |
              = help: goals are whole numbers from 0 to 100"#]],
    );
    check(
        "(goal white 99999999999)",
        expect![[r#"
            error[goal-value]: the goal `99999999999` is too far from 0
              --> game.kif:1:13
              |
            1 | (goal white 99999999999)
              |             ^^^^^^^^^^^ the value of a state for a role
              |
              = help: goals are whole numbers from 0 to 100"#]],
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
              = help: legal moves must be known before moves are chosen: use `true`; or let `--lenient` read it as if nobody had moved, as other players do

            error[forbidden-dependency]: `goal` depends on `does`
              --> game.kif:3:16
              |
            2 | (<= (goal black 1) (moved black))
              |                    ------------- `goal` depends on `moved` here
            3 | (<= (moved ?r) (does ?r noop))
              |                ^^^^^^^^^^^^^^ `does` is used here
              |
              = help: it is a property of the state, independent of moves: store what it needs with `next`; or let `--lenient` read it as if nobody had moved, as other players do

            warning[forbidden-dependency]: `base` depends on `does`
              --> game.kif:3:16
              |
            3 | (<= (moved ?r) (does ?r noop))
              |                ^^^^^^^^^^^^^^ `does` is used here
            4 | (<= (base a) (moved white))
              |              ------------- `base` depends on `moved` here
              |
              = help: it lists what is possible in any state, independently of states and moves; propjit does not rely on it"#]],
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
              = help: the initial state has no preceding state or move

            error[forbidden-dependency]: `role` depends on `true`
              --> game.kif:2:15
              |
            2 | (<= (role ?r) (true (step ?r)))
              |               ^^^^^^^^^^^^^^^^ `true` is used here
              |
              = help: the roles are the same in all states: define them by facts"#]],
    );
}

#[test]
fn missing_rules() {
    check_alone(
        "(p 1)",
        expect![[r#"
            error[missing-rules]: no rules for `role`: the game has no roles
             = file: game.kif
             = help: write `(role white)` for every player

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
    check_alone(
        "(role a)(role b)(init x)(legal a n)(<= (next x) (does a n))(<= terminal (true x))(goal a 1)",
        expect![[r#"
            error[missing-rules]: the role `b` never has a legal move
             = file: game.kif
             = help: every role needs a legal move in every state, even if it is only `noop`

            warning[missing-rules]: the role `b` has no goals
             = file: game.kif
             = help: every role needs exactly one goal in every terminal state, even if it is only 0"#]],
    );
    check_alone(
        "(role a)(int x)(<= (leagl a n) (true x))(<= (nxt x) (true x))(<= terminal (true x))(goal a 1)",
        expect![[r#"
            error[missing-rules]: no rules for `legal`: no role can move
             = file: game.kif
             = help: did you mean `legal` by `leagl`?

            warning[missing-rules]: no rules for `init`: the first state is empty
             = file: game.kif
             = help: did you mean `init` by `int`?

            warning[missing-rules]: no rules for `next`: every state after the first is empty
             = file: game.kif
             = help: did you mean `next` by `nxt`?"#]],
    );
}

/// What roles perceive follows from rules, and nothing follows from it.
#[test]
fn parentheses_that_are_missing_around_arguments() {
    check(
        "(init cell 1 ?x)\n(<= (p 1) (not true (step 1)) (does white mark 1 2) (not (p 2) (p 3)) (goal white 1 2))",
        expect![[r#"
            error[keyword-arity]: `init` takes 1 argument
              --> game.kif:1:1
              |
            1 | (init cell 1 ?x)
              | ^^^^^^^^^^^^^^^^ 3 given
              |
              = help: did you mean `(init (cell 1 ?x))`?

            error[keyword-arity]: `not` takes 1 argument
              --> game.kif:2:11
              |
            2 | (<= (p 1) (not true (step 1)) (does white mark 1 2) (not (p 2) (p 3)) (goal white 1 2))
              |           ^^^^^^^^^^^^^^^^^^^ 2 given
              |
              = help: did you mean `(not (true (step 1)))`?

            error[keyword-arity]: `does` takes 2 arguments
              --> game.kif:2:31
              |
            2 | (<= (p 1) (not true (step 1)) (does white mark 1 2) (not (p 2) (p 3)) (goal white 1 2))
              |                               ^^^^^^^^^^^^^^^^^^^^^ 4 given
              |
              = help: did you mean `(does white (mark 1 2))`?

            error[keyword-arity]: `not` takes 1 argument
              --> game.kif:2:53
              |
            2 | (<= (p 1) (not true (step 1)) (does white mark 1 2) (not (p 2) (p 3)) (goal white 1 2))
              |                                                     ^^^^^^^^^^^^^^^^^ 2 given
              |
              = help: write `(not condition)`

            error[keyword-arity]: `goal` takes 2 arguments
              --> game.kif:2:71
              |
            2 | ...(not true (step 1)) (does white mark 1 2) (not (p 2) (p 3)) (goal white 1 2))
              |                                                                ^^^^^^^^^^^^^^^^ 3 given
              |
              = help: write `(goal role number)`"#]],
    );
}

#[test]
fn percepts() {
    check("(<= (sees white (coin ?x)) (does white ?x))", expect![[""]]);
    check(
        "(<= (sees ?p) (role ?p))",
        expect![[r#"
            error[keyword-arity]: `sees` takes 2 arguments
              --> game.kif:1:5
              |
            1 | (<= (sees ?p) (role ?p))
              |     ^^^^^^^^^ 1 given
              |
              = help: write `(sees role percept)`"#]],
    );
    check(
        "(<= (sees ?r (does ?p ?m)) (role ?r) (does ?p ?m))",
        expect![[""]],
    );
    check(
        "(<= known (sees white bell))",
        expect![[r#"
            error[misplaced-keyword]: `sees` in a body
              --> game.kif:1:11
              |
            1 | (<= known (sees white bell))
              |           ^^^^^^^^^^^^^^^^^ a condition cannot refer to what a role perceives
              |
              = help: refer to the current state with `true`, or define a relation for both to depend on; or let `--lenient` read it as what the role perceives of this step, as other players do"#]],
    );
}

#[test]
fn other_signs_of_rules() {
    check(
        "(q 1)\n(<- (p 1) (q 1))",
        expect![[r#"
            warning[unused-relation]: nothing depends on the relation `q`
              --> game.kif:1:1
              |
            1 | (q 1)
              | ^^^^^ has no effect
              |
              = help: check the spelling, or remove it

            warning[near-miss]: `<-` is not the sign of a rule
              --> game.kif:2:1
              |
            2 | (<- (p 1) (q 1))
              | ^^^^^^^^^^^^^^^^ this is read as a fact
              |
              = help: write `(<= head condition...)`

            warning[unused-relation]: nothing depends on the relation `<-`
              --> game.kif:2:1
              |
            2 | (<- (p 1) (q 1))
              | ^^^^^^^^^^^^^^^^ has no effect
              |
              = help: check the spelling, or remove it"#]],
    );
}
