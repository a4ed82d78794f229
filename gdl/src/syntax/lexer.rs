//! The lexer: from text to tokens, which are parentheses and names.

use crate::source::Span;

/// The kind of a token.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TokenKind {
    /// `(`
    Open,
    /// `)`
    Close,
    /// A name, a number, a variable or a keyword.
    Name,
}

/// A token with its place in the text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Token {
    /// The kind of the token.
    pub kind: TokenKind,
    /// The place of the token.
    pub span: Span,
}

/// The tokens of a text, from first to last. Every text has tokens: there are
/// no lexical errors.
#[derive(Clone, Debug)]
pub struct Lexer<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Lexer<'a> {
    /// The tokens of a text of less than 4 GiB.
    pub fn new(text: &'a str) -> Lexer<'a> {
        Lexer { text, at: 0 }
    }

    /// Moves over blanks and comments.
    fn skip_blanks(&mut self) {
        let mut chars = self.text[self.at..].char_indices();
        let mut in_comment = false;
        let rest = chars.find(|&(_, c)| {
            in_comment = (in_comment || c == ';') && !matches!(c, '\n' | '\r');
            !in_comment && !is_blank(c)
        });
        self.at = rest.map_or(self.text.len(), |(offset, _)| self.at + offset);
    }
}

/// Whether a character separates tokens without being one itself.
pub(super) fn is_blank(c: char) -> bool {
    const BYTE_ORDER_MARK: char = '\u{feff}';
    c.is_whitespace() || c.is_control() || c == BYTE_ORDER_MARK
}

impl Iterator for Lexer<'_> {
    type Item = Token;

    fn next(&mut self) -> Option<Token> {
        self.skip_blanks();
        let rest = &self.text[self.at..];
        let (kind, length) = match rest.chars().next()? {
            '(' => (TokenKind::Open, 1),
            ')' => (TokenKind::Close, 1),
            _ => {
                let end = rest.find(|c| matches!(c, '(' | ')' | ';') || is_blank(c));
                (TokenKind::Name, end.unwrap_or(rest.len()))
            }
        };
        let start = self.at;
        self.at += length;
        Some(Token {
            kind,
            span: Span::new(start..self.at),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(text: &str) -> Vec<&str> {
        let slice = |token: Token| &text[token.span.start as usize..token.span.end as usize];
        Lexer::new(text).map(slice).collect()
    }

    #[test]
    fn names_end_at_blanks_parentheses_and_comments() {
        assert_eq!(
            tokens("\u{feff}(<= p;x\r\n\t(q\u{a0}?x))é'\"; end"),
            ["(", "<=", "p", "(", "q", "?x", ")", ")", "é'\""]
        );
    }

    #[test]
    fn comments_end_at_any_line_break() {
        assert_eq!(tokens("a ; b (\rc ; d\nd;"), ["a", "c", "d"]);
    }
}
