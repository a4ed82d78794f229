//! Mistakes in comments, by which rules would be lost silently.

use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::source::{Source, Span};
use crate::syntax::infix::lexer::{Lexer, Token, TokenKind};

/// The most tokens of a rule before a comment that are searched for the rule's beginning.
const MAX_LOOK_BACK: usize = 100;

/// Reports a comment without an end, and comments that look like conditions. The tokens are those of the text without
/// its comments.
pub(super) fn check(
    source: &Source,
    comments: &[Token],
    tokens: &[Token],
    diagnostics: &mut Diagnostics,
) {
    if let Some(last) = comments.last()
        && is_open(source.slice(last.span))
    {
        let start = Span {
            end: last.span.start + 2,
            ..last.span
        };
        let open = Diagnostic::error(Code::UnexpectedToken, "a comment has no end")
            .at(start, "all that follows is a comment")
            .help("write `*/` where it ends");
        diagnostics.push(open);
    }
    for comment in comments {
        if is_condition(source.slice(comment.span)) && follows_condition(*comment, tokens) {
            let hidden = Diagnostic::warning(Code::UnexpectedToken, "`;` starts a comment")
                .at(comment.span, "is not a condition")
                .help("write `|` for 'or'; start comments in rules with `%`");
            diagnostics.push(hidden);
        }
    }
}

/// Whether a comment lacks its end, so that it hides all that follows.
fn is_open(comment: &str) -> bool {
    comment.starts_with("/*") && !(comment.len() > 3 && comment.ends_with("*/"))
}

/// Whether a comment reads like a condition after Prolog's sign for 'or', which starts a comment here.
fn is_condition(comment: &str) -> bool {
    let Some(hidden) = comment.strip_prefix(';') else {
        return false;
    };
    let atom = hidden.trim_start().trim_start_matches(['~', '(']);
    let mut tokens = Lexer::new(atom);
    let (Some(name), Some(open)) = (tokens.next(), tokens.next()) else {
        return false;
    };
    (name.kind, name.span.start, open.kind) == (TokenKind::Name, 0, TokenKind::Open)
        && !atom[..open.span.start as usize].ends_with(' ')
}

/// Whether a comment stands after a condition of a rule.
fn follows_condition(comment: Token, tokens: &[Token]) -> bool {
    let before = tokens.partition_point(|token| token.span.end <= comment.span.start);
    let back = tokens[..before].iter().rev().take(MAX_LOOK_BACK);
    let mut back = back.map(|token| token.kind).peekable();
    let is_end = |kind: &TokenKind| matches!(kind, TokenKind::Close | TokenKind::Name);
    back.peek().is_some_and(is_end)
        && back.find(|kind| matches!(kind, TokenKind::If | TokenKind::Stop)) == Some(TokenKind::If)
}
