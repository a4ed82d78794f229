//! The tokens of a text without its comments, and their places in lines.

use crate::source::{Source, Span};
use crate::syntax::infix::lexer::{Token, TokenKind};

/// The tokens of a text, and which of them is the next.
pub(super) struct Tokens<'a> {
    source: &'a Source,
    tokens: Vec<Token>,
    at: usize,
}

impl<'a> Tokens<'a> {
    pub(super) fn new(source: &'a Source, tokens: Vec<Token>) -> Tokens<'a> {
        Tokens {
            source,
            tokens,
            at: 0,
        }
    }

    pub(super) fn peek(&self) -> Option<Token> {
        self.tokens.get(self.at).copied()
    }

    /// The kind of the next token.
    pub(super) fn kind(&self) -> Option<TokenKind> {
        self.peek().map(|token| token.kind)
    }

    /// Moves over the next token.
    pub(super) fn advance(&mut self) {
        self.at += 1;
    }

    /// Moves over the next token if it is of this kind.
    pub(super) fn next_if(&mut self, kind: TokenKind) -> Option<Token> {
        let token = self.peek().filter(|token| token.kind == kind)?;
        self.advance();
        Some(token)
    }

    /// The place of the token before the next one.
    pub(super) fn last(&self) -> Span {
        match self.at.checked_sub(1) {
            Some(at) => self.tokens[at].span,
            None => Span::default(),
        }
    }

    /// The number of bytes in a token's line before it.
    pub(super) fn column(&self, token: Token) -> u32 {
        token.span.start - self.line(token).start
    }

    /// The number of bytes before the first character of a token's line that is not blank.
    pub(super) fn indentation(&self, token: Token) -> u32 {
        let line = self.source.slice(self.line(token));
        (line.len() - line.trim_start().len()) as u32
    }

    /// Whether nothing but blanks stands before a token in its line.
    pub(super) fn starts_line(&self, token: Token) -> bool {
        let before = Span {
            start: self.line(token).start,
            end: token.span.start,
        };
        self.source.slice(before).trim().is_empty()
    }

    /// The line in which a token starts.
    fn line(&self, token: Token) -> Span {
        self.source.line(token.span.start).1
    }
}
