//! The messages about every kind of error, as the user sees them.

mod conventions;
mod infix;
mod keywords;
mod logic;
mod rendering;
mod syntax;

use expect_test::Expect;
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
