//! Infix syntax: the notation of logic programs, as textbooks and the games of Stanford's Gamemaster use it.
//!
//! ```text
//! legal(R,mark(M,N)) :- true(cell(M,N,b)) & true(control(R))
//! terminal :- line(x) | ~open
//! init(control(white)).
//! ```
//!
//! A statement is an atom, and after `:-` its conditions, joined by `&` (or a comma) and `|`, negated by `~` (or
//! `\+`). A full stop may end it. Variables start with a capital letter or `_`, which alone is a variable of its own
//! each time. Other names start with a small letter or a digit; those that do not are quoted. Comments
//! run from `%` or `;` to the end of the line, or from `/*` to `*/`.
//!
//! - `lexer`: from text to tokens;
//! - `parser`: from tokens to the tree that prefix form has for the same rules;
//! - `name`: spellings of names in both notations;
//! - `printer`: from forms to infix text.

mod lexer;
mod name;
mod parser;
mod printer;

use crate::source::Span;

pub(super) use lexer::{Lexer, TokenKind};
pub(super) use name::VariableNames;
pub(super) use parser::parse;
pub(super) use printer::{Unprintable, print, print_part};

/// The places of all tokens but comments.
pub(super) fn code(text: &str) -> impl Iterator<Item = Span> {
    let tokens = Lexer::new(text).filter(|token| token.kind != TokenKind::Comment);
    tokens.map(|token| token.span)
}

/// The places in a text of a name, as prefix form spells it.
pub(super) fn places<'a>(text: &'a str, name: &'a str) -> impl Iterator<Item = Span> + 'a {
    let tokens = Lexer::new(text).filter(move |token| {
        let token_text = &text[token.span.start as usize..token.span.end as usize];
        name::from_infix(token.kind, token_text).is_some_and(|found| found == name)
    });
    tokens.map(|token| token.span)
}
