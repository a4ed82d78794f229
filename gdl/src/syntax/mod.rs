//! Syntax: a [`Tree`] of names and lists from text, and back.
//!
//! GDL is written in prefix form, in the notation of the Knowledge Interchange
//! Format: names, lists in parentheses, and comments from `;` to the end of the
//! line. Everything that `ggp-base` reads is read here: names of any characters
//! but blanks, parentheses and semicolons; blanks of every kind, byte order marks
//! and control characters among them; no line break at the end. It is also written in infix
//! form, as logic programs are (see `infix`). The tree is the same, and keeps the places of both.
//!
//! The tree is flat (an array in preorder), so that text nested to any depth is
//! parsed, printed and dropped without recursion.

mod convert;
mod detect;
mod infix;
mod lexer;
mod parser;
mod printer;
mod rephrase;
mod tree;

use crate::diagnostic::Diagnostics;
use crate::source::{Notation, Source, Span};

pub use convert::convert;
pub use detect::notation_of;
pub use lexer::{Lexer, Token, TokenKind};
pub(crate) use rephrase::rephrase;
pub(crate) use tree::Wrapper;
pub use tree::{Form, Forms, Tree};

/// Parses a text of less than 4 GiB in its notation. Messages are added to `diagnostics`; forms with errors
/// are left out of the tree.
pub fn parse(source: &Source, diagnostics: &mut Diagnostics) -> Tree {
    match source.notation() {
        Notation::Prefix => parser::parse(source, diagnostics),
        Notation::Infix => infix::parse(source, diagnostics),
    }
}

/// The first of some places, in order, that is in a token, not in a comment or between tokens.
pub(crate) fn first_in_tokens(source: &Source, places: impl Iterator<Item = u32>) -> Option<u32> {
    let mut places = places.peekable();
    let mut first_in = |token: Span| {
        while places.next_if(|&place| place < token.start).is_some() {}
        places.next_if(|&place| place < token.end)
    };
    let text = source.text();
    match source.notation() {
        Notation::Prefix => Lexer::new(text).find_map(|token| first_in(token.span)),
        Notation::Infix => infix::code(text).find_map(first_in),
    }
}

/// The place where a name, as prefix form spells it, first occurs in a part of a text.
pub(crate) fn find_name(source: &Source, part: Span, name: &str) -> Option<Span> {
    places(source, part, name).next()
}

/// The place where it last occurs.
pub(crate) fn find_last_name(source: &Source, part: Span, name: &str) -> Option<Span> {
    places(source, part, name).last()
}

fn places<'a>(
    source: &'a Source,
    part: Span,
    name: &'a str,
) -> Box<dyn Iterator<Item = Span> + 'a> {
    let text = source.slice(part);
    let place = move |span: Span| Span {
        start: part.start + span.start,
        end: part.start + span.end,
    };
    match source.notation() {
        Notation::Prefix => Box::new(
            Lexer::new(text)
                .map(move |token| place(token.span))
                .filter(move |&span| source.slice(span) == name),
        ),
        Notation::Infix => Box::new(infix::places(text, name).map(place)),
    }
}
