//! Messages about tokens that have no meaning where they are.

use crate::diagnostic::{Code, Diagnostic, quote};
use crate::rules::MAX_PATTERN_DEPTH;
use crate::source::Span;
use crate::syntax::infix::lexer::{Token, TokenKind};
use crate::syntax::infix::name::Unspellable;

/// The `:-` of a rule is the last of its tokens.
pub(super) fn no_conditions(sign: Span) -> Diagnostic {
    Diagnostic::error(Code::UnexpectedToken, "a rule without conditions")
        .at(sign, "nothing follows it")
        .help("add the conditions, or remove it to state a fact")
}

/// The head before the `:-` of a rule is taken for a condition of the rule before, which starts at `before`.
pub(super) fn unfinished(before: Span, sign: Span) -> Diagnostic {
    Diagnostic::error(Code::UnexpectedToken, "the rule before is not finished")
        .at(sign, "the head before it is read as a condition")
        .also(before, "of the rule that starts here")
        .help("remove the last `&` of that rule, or write what is missing")
}

/// A condition follows another one without a sign.
pub(super) fn missing_and(condition: Span) -> Diagnostic {
    Diagnostic::error(Code::UnexpectedToken, "`&` is missing")
        .at(condition, "a condition, without `&` or `|` before it")
        .help("write `&` between conditions")
}

/// An argument follows another one without a comma.
pub(super) fn missing_comma(argument: Span) -> Diagnostic {
    Diagnostic::error(Code::UnexpectedToken, "a comma is missing")
        .at(argument, "an argument, without a comma before it")
        .help("separate arguments by commas")
}

/// A form is nested too deeply.
pub(super) fn too_deep(start: Span) -> Diagnostic {
    let message = format!("terms are nested more than {MAX_PATTERN_DEPTH} levels deep");
    Diagnostic::error(Code::NestedTooDeeply, message)
        .at(start, "this is too deep")
        .help("check the parentheses, or move parts of it to separate rules")
}

/// A parenthesis is not closed before the next token, if there is one.
pub(super) fn unclosed(open: Token, next: Option<Token>) -> Diagnostic {
    let mut unclosed = Diagnostic::error(Code::UnclosedParenthesis, "a `)` is missing")
        .at(open.span, "opened here and never closed");
    if let Some(next) = next {
        unclosed = unclosed.also(next.span, "not closed before this");
    }
    unclosed.help("add the missing `)`, or remove the `(`")
}

/// Prefix form has no such name.
pub(super) fn unspellable(text: &str, place: Span, why: Unspellable) -> Diagnostic {
    let remark = match why {
        Unspellable::Empty => "an empty name".to_string(),
        Unspellable::Variable => "a variable there, since it starts with `?`".to_string(),
        Unspellable::Character(' ') => "contains a blank".to_string(),
        Unspellable::Character(c) => format!("contains {c:?}"),
    };
    let message = format!("prefix form cannot spell the name {}", quote(text));
    Diagnostic::error(Code::NotAName, message)
        .at(place, remark)
        .help("players exchange moves in prefix form: choose a name without blanks, parentheses and semicolons")
}

/// The text ends after its last token, where something was expected.
pub(super) fn ends_early(last: Span, expected: &str) -> Diagnostic {
    Diagnostic::error(Code::UnexpectedToken, "the text ends too early")
        .at(last, format!("expected {expected} after this"))
}

/// A token stands where something else was expected. If `help` is empty, there is help with some kinds of tokens.
pub(super) fn unexpected(text: &str, token: Token, expected: &str, help: &str) -> Diagnostic {
    let found = quote(text);
    let (code, message, remark, own_help) = match token.kind {
        TokenKind::Close => (
            Code::UnmatchedParenthesis,
            format!("unexpected {found}"),
            format!("expected {expected}"),
            "remove it, or add the `(` that belongs to it",
        ),
        TokenKind::Unclosed => (
            Code::UnexpectedToken,
            "a quotation mark is missing".to_string(),
            "opened here, and not closed in this line".to_string(),
            "close it, or quote the mark itself by a backslash",
        ),
        TokenKind::Unknown => (
            Code::UnexpectedToken,
            format!("{found} has no meaning"),
            format!("expected {expected}"),
            match text.starts_with('?') {
                true => {
                    "variables start with a capital letter in infix form, and with `?` in prefix form"
                }
                false => "put names with such characters in quotation marks, as in `'left-hand'`",
            },
        ),
        _ => (
            Code::UnexpectedToken,
            format!("unexpected {found}"),
            format!("expected {expected}"),
            "",
        ),
    };
    let diagnostic = Diagnostic::error(code, message).at(token.span, remark);
    match (help, own_help) {
        ("", "") => diagnostic,
        ("", help) | (help, _) => diagnostic.help(help),
    }
}
