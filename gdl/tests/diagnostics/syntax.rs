//! Parentheses, lists and names.

use expect_test::{Expect, expect};
use propjit_gdl::rules::Rules;

use super::{GAME, check, check_alone};

#[test]
fn no_messages() {
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
             = help: it contains only spaces and comments: is this the right file?"#]],
    );
    check_alone(
        " ; (role white)\n",
        expect![[r#"
            error[empty-file]: the rulesheet is empty
             = file: game.kif
             = help: it contains only spaces and comments: is this the right file?"#]],
    );
}

#[test]
fn binary_files() {
    check(
        "(a\0b)",
        expect![[r#"
            error[binary-file]: not UTF-8 text: a NUL byte at offset 2
             = file: game.kif
             = help: is this the right file? Save text as UTF-8"#]],
    );
    check_bytes(
        b"\xff\xfe(\0r\0o\0l\0e\0",
        expect![[r#"
        error[binary-file]: not UTF-8 text: this seems to be UTF-16
         = file: game.kif
         = help: save it as UTF-8, as `iconv -f utf-16 -t utf-8 old.kif > new.kif` does"#]],
    );
}

#[test]
fn other_encodings() {
    check_bytes(
        b"; caf\xe9\n(role wei\xdf) ; gr\xfc\xdfe\n",
        expect![[r#"
        error[binary-file]: not UTF-8 text: byte 0xdf outside of a comment
          --> game.kif:2:10
          |
        2 | (role weiß) ; grüße
          |          ^ no character of UTF-8
          |
          = help: is this the right file? Save text as UTF-8, as `iconv -f latin1 -t utf-8 old.kif > new.kif` does"#]],
    );
    check_bytes(
        b"% caf\xe9\nrole(r). /* \x93quotes\x94 */ q(\x92a). % \x85",
        expect![[r#"
            error[binary-file]: not UTF-8 text: byte 0x92 outside of a comment
              --> game.kif:2:27
              |
            2 | role(r). /* �quotes� */ q(�a). % �
              |                           ^ no character of UTF-8
              |
              = help: is this the right file? Save text as UTF-8, as `iconv -f latin1 -t utf-8 old.kif > new.kif` does"#]],
    );
}

fn check_bytes(bytes: &[u8], expected: Expect) {
    let error = Rules::parse_bytes("game.kif", bytes).unwrap_err();
    expected.assert_eq(&error.to_string());
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
              | ^ opened here and never closed
              .
            4 | (<= (p ?x) (q ?x))
              | - the next form starts before it is closed
              |
              = help: add the missing `)`, or remove a `(`"#]],
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
              | ^ opened here and never closed
            2 | (init (b)
              | - the next form starts before it is closed
              |
              = help: add the missing `)`, or remove a `(`

            error[unclosed-parenthesis]: this form lacks a `)`
              --> game.kif:2:1
              |
            2 | (init (b)
              | ^ opened here and never closed
            3 | (role c)
              | - the next form starts before it is closed
              |
              = help: add the missing `)`, or remove a `(`"#]],
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
              | opened here and never closed
              |
              = help: add the missing `)`, or remove a `(`"#]],
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
              = help: remove it, or add the `(` that belongs to it

            error[unmatched-parenthesis]: 3 `)` close nothing
              --> game.kif:2:6
              |
            2 | (q b)))) ; and so on
              | -    ^ every list before it is closed already
              | |     
              | the form before it starts here
              |
              = help: remove it, or add the `(` that belongs to it"#]],
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
              = help: a `)` may be missing before it"#]],
    );
}

#[test]
fn lists_without_a_name() {
    check(
        "(<= (p 1) () (q (f ())) ((q 1)) (q ((f) 1)))\n()",
        expect![[r#"
            error[empty-list]: an empty list has no meaning
              --> game.kif:1:11
              |
            1 | (<= (p 1) () (q (f ())) ((q 1)) (q ((f) 1)))
              |           ^^ nothing between the parentheses
              |
              = help: remove it, or add what is missing

            error[empty-list]: an empty list has no meaning
              --> game.kif:1:20
              |
            1 | (<= (p 1) () (q (f ())) ((q 1)) (q ((f) 1)))
              |                    ^^ nothing between the parentheses
              |
              = help: remove it, or add what is missing

            error[not-a-name]: a list where a name is expected
              --> game.kif:1:26
              |
            1 | (<= (p 1) () (q (f ())) ((q 1)) (q ((f) 1)))
              |                          ^^^^^ the first item of a list is the name of a relation or function
              |
              = help: remove a pair of parentheses, or write the missing name

            error[not-a-name]: a list where a name is expected
              --> game.kif:1:37
              |
            1 | (<= (p 1) () (q (f ())) ((q 1)) (q ((f) 1)))
              |                                     ^^^ the first item of a list is the name of a relation or function
              |
              = help: remove a pair of parentheses, or write the missing name

            error[empty-list]: an empty list has no meaning
              --> game.kif:2:1
              |
            2 | ()
              | ^^ nothing between the parentheses
              |
              = help: remove it, or add what is missing"#]],
    );
}

#[test]
fn variables_for_names() {
    check(
        "(?p 1)\n(<= (p 1) (?q 1) (q (?f 1)) ?x)",
        expect![[r#"
            error[not-a-name]: the variable `?p` where a name is expected
              --> game.kif:1:2
              |
            1 | (?p 1)
              |  ^^ a variable stands for a term, never for a relation or function

            error[not-a-name]: the variable `?q` where a name is expected
              --> game.kif:2:12
              |
            2 | (<= (p 1) (?q 1) (q (?f 1)) ?x)
              |            ^^ a variable stands for a term, never for a relation or function

            error[not-a-name]: the variable `?f` where a name is expected
              --> game.kif:2:22
              |
            2 | (<= (p 1) (?q 1) (q (?f 1)) ?x)
              |                      ^^ a variable stands for a term, never for a relation or function

            error[not-a-name]: the variable `?x` where a name is expected
              --> game.kif:2:29
              |
            2 | (<= (p 1) (?q 1) (q (?f 1)) ?x)
              |                             ^^ a variable stands for a term, never for a relation or function"#]],
    );
}

#[test]
fn bare_names() {
    check(
        "<= (p 1)",
        expect![[r#"
            error[misplaced-keyword]: `<=` outside parentheses
              --> game.kif:1:1
              |
            1 | <= (p 1)
              | ^^ a rule is a list that starts with this
              |
              = help: write `(<= head condition...)`"#]],
    );
    check(
        "Tic tac toe\n",
        expect![[r#"
            warning[bare-name]: nothing depends on the bare name `Tic`
              --> game.kif:1:1
              |
            1 | Tic tac toe
              | ^^^ read as a fact
              |
              = help: start comments with `;`

            warning[bare-name]: nothing depends on the bare name `tac`
              --> game.kif:1:5
              |
            1 | Tic tac toe
              |     ^^^ read as a fact
              |
              = help: start comments with `;`

            warning[bare-name]: nothing depends on the bare name `toe`
              --> game.kif:1:9
              |
            1 | Tic tac toe
              |         ^^^ read as a fact
              |
              = help: start comments with `;`"#]],
    );
}

#[test]
fn deep_lists() {
    let deep = format!("(p {}1{})\n", "(f ".repeat(300), ")".repeat(300));
    check(
        &deep,
        expect![[r#"
            error[nested-too-deeply]: lists are nested more than 200 levels deep
              --> game.kif:1:601
              |
            1 | ...(f (f (f (f (f (f (f (f (f (f (f (f (f (f (f (f (f (f (f (f (f (f (f (f (f (f (f (f (f (f (f (f (f (f (f (f (f (f (f (f (...
              |                                                                ^ this list is too deep
              |
              = note: game.kif:1:1: in the form that starts here
              = help: check the parentheses, or move parts of it to separate rules"#]],
    );
    let body = format!("(<= p {}q{})\n", "(not ".repeat(300), ")".repeat(300));
    check(
        &body,
        expect![[r#"
            error[nested-too-deeply]: lists are nested more than 200 levels deep
              --> game.kif:1:1002
              |
            1 | ...(not (not (not (not (not (not (not (not (not (not (not (not (not (not (not (not (not (not (not (not (not (not (not (not (...
              |                                                                ^ this list is too deep
              |
              = note: game.kif:1:1: in the form that starts here
              = help: check the parentheses, or move parts of it to separate rules"#]],
    );
}
