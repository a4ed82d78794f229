//! Messages about rules in infix form, in that form.

use expect_test::expect;

use super::check_alone;

/// A game without an error, to follow the lines that have one.
const GAME: &str = "
role(white) role(black) init(step(1)) succ(1,2)
legal(R,noop) :- role(R)
next(step(N)) :- true(step(M)) & succ(M,N)
terminal :- true(step(2))
goal(R,50) :- role(R)
";

fn check(text: &str, expected: expect_test::Expect) {
    check_alone(&format!("{text}{GAME}"), expected);
}

#[test]
fn right_rules_have_no_messages() {
    check("", expect![[""]]);
}

#[test]
fn mistakes_of_syntax() {
    check(
        "init(cell(1 1,b))\nbusy :- true(step(1) & q\nq :- role(W) true(step(1))\nq :- q)\nq :- .\nr(?x)\nr('a b').\nleft-hand(1)\nq & s :- q",
        expect![[r#"
            error[unexpected-token]: a comma is missing
              --> game.kif:1:13
              |
            1 | init(cell(1 1,b))
              |             ^ an argument, without a comma before it
              |
              = help: separate arguments by commas

            error[unclosed-parenthesis]: a `)` is missing
              --> game.kif:2:13
              |
            2 | busy :- true(step(1) & q
              |             ^        - not closed before this
              |             |         
              |             opened here and never closed
              |
              = help: add the missing `)`, or remove the `(`

            error[unexpected-token]: `&` is missing
              --> game.kif:3:14
              |
            3 | q :- role(W) true(step(1))
              |              ^^^^ a condition, without `&` or `|` before it
              |
              = help: write `&` between conditions

            error[unmatched-parenthesis]: unexpected `)`
              --> game.kif:4:7
              |
            4 | q :- q)
              |       ^ expected `&`, `|` or the end of the rule
              |
              = help: remove it, or add the `(` that belongs to it

            error[unexpected-token]: a rule without conditions
              --> game.kif:5:3
              |
            5 | q :- .
              |   ^^ nothing follows it
              |
              = help: add the conditions, or remove it to state a fact

            error[unexpected-token]: `?x` has no meaning
              --> game.kif:6:3
              |
            6 | r(?x)
              |   ^^ expected a term
              |
              = help: variables start with a capital letter in infix form, and with `?` in prefix form

            error[not-a-name]: prefix form cannot spell the name `'a b'`
              --> game.kif:7:3
              |
            7 | r('a b').
              |   ^^^^^ contains a blank
              |
              = help: players exchange moves in prefix form: choose a name without blanks, parentheses and semicolons

            error[unexpected-token]: `-hand` has no meaning
              --> game.kif:8:5
              |
            8 | left-hand(1)
              |     ^^^^^ expected `:-` or the end of the fact
              |
              = help: put names with such characters in quotation marks, as in `'left-hand'`

            error[unexpected-token]: unexpected `&`
              --> game.kif:9:3
              |
            9 | q & s :- q
              |   ^ expected `:-` or the end of the fact
              |
              = help: write `head :- condition & condition`"#]],
    );
}

#[test]
fn rules_that_do_not_end() {
    check(
        "q :- role(W) &\nr :- q\ns :- t(\n",
        expect![[r#"
            error[unexpected-token]: the rule before is not finished
              --> game.kif:2:3
              |
            1 | q :- role(W) &
              | - of the rule that starts here
            2 | r :- q
              |   ^^ the head before it is read as a condition
              |
              = help: remove the last `&` of that rule, or write what is missing

            error[unclosed-parenthesis]: a `)` is missing
              --> game.kif:3:7
              |
            3 | s :- t(
              |       ^ opened here and never closed
              .
            6 | legal(R,noop) :- role(R)
              | ----- not closed before this
              |
              = help: add the missing `)`, or remove the `(`

            error[unexpected-token]: a comma is missing
              --> game.kif:5:13
              |
            5 | role(white) role(black) init(step(1)) succ(1,2)
              |             ^^^^ an argument, without a comma before it
              |
              = help: separate arguments by commas"#]],
    );
}

#[test]
fn mistakes_of_meaning() {
    check(
        "next(free(I)) :- true(step(I)) & ~true(cell(I,_)) & ~true(cell(M,I))\nCell(X) :- role(X)\nlegal(R,stay) :- does(R,stay) & role(R)",
        expect![[r#"
            error[unsafe-variable]: no positive condition binds the variable `_1`
              --> game.kif:1:35
              |
            1 | next(free(I)) :- true(step(I)) & ~true(cell(I,_)) & ~true(cell(M,I))
              |                                   ^^^^^^^^^^^^^^^ a negated condition does not bind it
              |
              = help: if no such `_1` is meant, define `some_cell(I) :- true(cell(I,_1))` and negate that, or let `--lenient` read it so, as other players do; if it should have a value, check the spelling, or add a condition with it that is not under `~` or `distinct`

            error[unsafe-variable]: no positive condition binds the variable `M`
              --> game.kif:1:64
              |
            1 | next(free(I)) :- true(step(I)) & ~true(cell(I,_)) & ~true(cell(M,I))
              |                                                                ^ a negated condition does not bind it
              |
              = help: if no such `M` is meant, define `some_cell(I) :- true(cell(M,I))` and negate that, or let `--lenient` read it so, as other players do; if it should have a value, check the spelling, or add a condition with it that is not under `~` or `distinct`

            error[not-a-name]: the variable `Cell` where a name is expected
              --> game.kif:2:1
              |
            2 | Cell(X) :- role(X)
              | ^^^^ a variable stands for a term, never for a relation or function
              |
              = help: names start with a small letter; put others in quotation marks

            error[forbidden-dependency]: `legal` depends on `does`
              --> game.kif:3:18
              |
            3 | legal(R,stay) :- does(R,stay) & role(R)
              |                  ^^^^^^^^^^^^ `does` is used here
              |
              = help: legal moves must be known before moves are chosen: use `true`; or let `--lenient` read it as if nobody had moved, as other players do"#]],
    );
}

#[test]
fn advice_is_in_the_same_notation() {
    check_alone(
        "role(x)",
        expect![[r#"
        error[missing-rules]: no rules for `legal`: no role can move
         = file: game.kif
         = help: write `legal(white,noop) :- true(control(black))` and the like

        error[missing-rules]: no rules for `terminal`: no match ends
         = file: game.kif
         = help: write `terminal :- true(step(20))` and the like

        error[missing-rules]: no rules for `goal`: no role can win
         = file: game.kif
         = help: write `goal(white,100) :- line(x)` and the like

        warning[missing-rules]: no rules for `init`: the first state is empty
         = file: game.kif
         = help: write `init(control(white))` and the like

        warning[missing-rules]: no rules for `next`: every state after the first is empty
         = file: game.kif
         = help: write `next(control(black)) :- true(control(white))` and the like"#]],
    );
    check(
        "p(X) :- q(X) | ~r(X) ; s(X)",
        expect![[r#"
        error[unsafe-variable]: no positive condition binds the variable `X`
          --> game.kif:1:3
          |
        1 | p(X) :- q(X) | ~r(X) ; s(X)
          |   ^ unbound in the head, in a branch of an `|`
          |
          = help: add a condition with `X` that is not under `~` or `distinct`, or check the spelling; or let `--lenient` read it where conditions bind the variable, as other players do

        warning[unexpected-token]: `;` starts a comment
          --> game.kif:1:22
          |
        1 | p(X) :- q(X) | ~r(X) ; s(X)
          |                      ^^^^^^ is not a condition
          |
          = help: write `|` for 'or'; start comments in rules with `%`"#]],
    );
}

#[test]
fn values_and_variables_are_marked() {
    check(
        "goal(white,62.5) :- true(step(2))\nnext(free(I)) :- true(step(I)) & ~true(cell(M,I))\nbase(cell(I,M)) :- succ(I,I)",
        expect![[r#"
            error[unsafe-variable]: no positive condition binds the variable `M`
              --> game.kif:2:45
              |
            2 | next(free(I)) :- true(step(I)) & ~true(cell(M,I))
              |                                             ^ a negated condition does not bind it
              |
              = help: if no such `M` is meant, define `some_cell(I) :- true(cell(M,I))` and negate that, or let `--lenient` read it so, as other players do; if it should have a value, check the spelling, or add a condition with it that is not under `~` or `distinct`

            warning[unsafe-variable]: no positive condition binds the variable `M`
              --> game.kif:3:13
              |
            3 | base(cell(I,M)) :- succ(I,I)
              |             ^ unbound in the head
              |
              = help: add a condition with `M` that is not under `~` or `distinct`, or check the spelling"#]],
    );
}
