//! KIF syntax: a [`Tree`] of names and lists from text, and back.
//!
//! GDL is written in prefix form, in the notation of the Knowledge Interchange
//! Format: names, lists in parentheses, and comments from `;` to the end of the
//! line. Everything that `ggp-base` reads is read here: names of any characters
//! but blanks, parentheses and semicolons; blanks of every kind, byte order marks
//! and control characters among them; no line break at the end.
//!
//! The tree is flat (an array in preorder), so that text nested to any depth is
//! parsed, printed and dropped without recursion.

mod lexer;
mod parser;
mod printer;
mod tree;

pub use lexer::{Lexer, Token, TokenKind};
pub use parser::parse;
pub use tree::{Form, Forms, Tree};
