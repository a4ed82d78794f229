//! The lexer of infix form: from text to tokens, comments among them.

use crate::source::Span;
use crate::syntax::lexer::is_blank;

/// The kind of a token.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::syntax) enum TokenKind {
    /// `(`
    Open,
    /// `)`
    Close,
    /// `,`
    Comma,
    /// `&`
    And,
    /// `|`
    Or,
    /// `~` or `\+`
    Not,
    /// `:-` or `<=`
    If,
    /// `=` or `==`
    Equal,
    /// `!=`, `\=` or `\==`
    Distinct,
    /// A full stop.
    Stop,
    /// A name or a number.
    Name,
    /// A name that starts with a capital letter or `_`.
    Variable,
    /// A name in single quotes, or a text in double quotes.
    Quoted,
    /// A quotation mark without another one on its line.
    Unclosed,
    /// A character without a meaning, or a name that prefix form only has.
    Unknown,
    /// `% ...`, `; ...` or `/* ... */`
    Comment,
}

impl TokenKind {
    /// Whether it is a name: of a constant or a variable, in quotes or not.
    pub(super) fn is_name(self) -> bool {
        matches!(
            self,
            TokenKind::Name | TokenKind::Variable | TokenKind::Quoted
        )
    }
}

/// A token with its place in the text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::syntax) struct Token {
    pub(in crate::syntax) kind: TokenKind,
    pub(in crate::syntax) span: Span,
}

/// The tokens of a text, from first to last.
#[derive(Clone, Debug)]
pub(in crate::syntax) struct Lexer<'a> {
    text: &'a str,
    at: usize,
    /// The number of parentheses that are open: a full stop ends no statement inside them.
    depth: usize,
}

/// The signs, longer ones before those that they start with.
const SIGNS: [(&str, TokenKind); 18] = [
    (":-", TokenKind::If),
    ("<=", TokenKind::If),
    ("<-", TokenKind::If),
    ("\\==", TokenKind::Distinct),
    ("\\=", TokenKind::Distinct),
    ("!==", TokenKind::Distinct),
    ("!=", TokenKind::Distinct),
    ("==", TokenKind::Equal),
    ("=", TokenKind::Equal),
    ("\\+", TokenKind::Not),
    ("~", TokenKind::Not),
    ("&&", TokenKind::And),
    ("&", TokenKind::And),
    ("||", TokenKind::Or),
    ("|", TokenKind::Or),
    ("(", TokenKind::Open),
    (")", TokenKind::Close),
    (",", TokenKind::Comma),
];

impl<'a> Lexer<'a> {
    /// The tokens of a text of less than 4 GiB.
    pub(in crate::syntax) fn new(text: &'a str) -> Lexer<'a> {
        Lexer {
            text,
            at: 0,
            depth: 0,
        }
    }

    /// Returns the kind and the length of the token that a text starts with.
    fn token(&self, rest: &str) -> (TokenKind, usize) {
        let first = rest.chars().next().unwrap_or(' ');
        if let Some(length) = comment(rest) {
            return (TokenKind::Comment, length);
        }
        if let Some(&(sign, kind)) = SIGNS.iter().find(|(sign, _)| rest.starts_with(sign)) {
            return (kind, sign.len());
        }
        if first == '\'' || first == '"' {
            return match quoted(rest) {
                Some(length) => (TokenKind::Quoted, length),
                None => (TokenKind::Unclosed, line_length(rest)),
            };
        }
        if let Some(length) = number(rest) {
            return (TokenKind::Name, length);
        }
        if first.is_alphanumeric() || first == '_' {
            let is_variable = first.is_uppercase() || first == '_';
            let kind = match is_variable {
                true => TokenKind::Variable,
                false => TokenKind::Name,
            };
            return (kind, self.name_length(rest));
        }
        if first == '.' {
            return (TokenKind::Stop, 1);
        }
        // `?x` is one mistake.
        let after = &rest[first.len_utf8()..];
        let name = after.find(|c| !is_name_part(c)).unwrap_or(after.len());
        (TokenKind::Unknown, first.len_utf8() + name)
    }

    /// The length of a name. Between parentheses, full stops within are parts of it.
    fn name_length(&self, rest: &str) -> usize {
        let mut chars = rest.char_indices().peekable();
        while let Some((at, c)) = chars.next() {
            let is_inner_stop = c == '.'
                && self.depth > 0
                && chars.peek().is_some_and(|&(_, next)| is_name_part(next));
            if !is_name_part(c) && !is_inner_stop {
                return at;
            }
        }
        rest.len()
    }
}

/// Whether a character can stand in a name after its first one.
pub(super) fn is_name_part(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// The length of the number that a text starts with: digits, maybe with a sign and a fraction, and no
/// letters after them.
fn number(text: &str) -> Option<usize> {
    let digits = |from: usize| {
        let rest = &text[from..];
        rest.find(|c: char| !c.is_ascii_digit())
            .unwrap_or(rest.len())
    };
    let sign = usize::from(text.starts_with(['-', '+']));
    let whole = digits(sign);
    if whole == 0 {
        return None;
    }
    let mut end = sign + whole;
    if text[end..].starts_with('.') {
        match digits(end + 1) {
            0 => {}
            fraction => end += 1 + fraction,
        }
    }
    let is_name = text[end..].starts_with(is_name_part);
    (!is_name).then_some(end)
}

/// The length of a comment at the start of a text.
fn comment(text: &str) -> Option<usize> {
    if let Some(block) = text.strip_prefix("/*") {
        let end = block.find("*/").map(|at| 2 + at + 2);
        return Some(end.unwrap_or(text.len()));
    }
    text.starts_with(['%', ';']).then(|| line_length(text))
}

/// The length of the rest of a line, without its end.
fn line_length(text: &str) -> usize {
    text.find(['\n', '\r']).unwrap_or(text.len())
}

/// The length of a quoted name at the start of a text, quotation marks included. In it, a backslash stands
/// before quotation marks and backslashes, and quotation marks may be doubled.
fn quoted(text: &str) -> Option<usize> {
    let mark = text.chars().next()?;
    let mut chars = text.char_indices().skip(1).peekable();
    while let Some((at, c)) = chars.next() {
        match c {
            '\n' | '\r' => return None,
            '\\' => _ = chars.next(),
            _ if c == mark => match chars.next_if(|&(_, next)| next == mark) {
                Some(_) => {}
                None => return Some(at + 1),
            },
            _ => {}
        }
    }
    None
}

impl Iterator for Lexer<'_> {
    type Item = Token;

    fn next(&mut self) -> Option<Token> {
        let rest = &self.text[self.at..];
        let start = rest.find(|c| !is_blank(c))?;
        let (kind, length) = self.token(&rest[start..]);
        match kind {
            TokenKind::Open => self.depth += 1,
            TokenKind::Close => self.depth = self.depth.saturating_sub(1),
            TokenKind::Stop | TokenKind::If => self.depth = 0,
            _ => {}
        }
        let start = self.at + start;
        self.at = start + length;
        Some(Token {
            kind,
            span: Span::new(start..self.at),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(text: &str) -> Vec<(TokenKind, &str)> {
        let slice = |token: Token| {
            let Span { start, end } = token.span;
            (token.kind, &text[start as usize..end as usize])
        };
        Lexer::new(text).map(slice).collect()
    }

    #[test]
    fn every_kind_of_token() {
        use TokenKind::*;
        assert_eq!(
            tokens("p(X,_y) :- ~q & \\+r|a\\=b,c=1 .% end\n; too"),
            [
                (Name, "p"),
                (Open, "("),
                (Variable, "X"),
                (Comma, ","),
                (Variable, "_y"),
                (Close, ")"),
                (If, ":-"),
                (Not, "~"),
                (Name, "q"),
                (And, "&"),
                (Not, "\\+"),
                (Name, "r"),
                (Or, "|"),
                (Name, "a"),
                (Distinct, "\\="),
                (Name, "b"),
                (Comma, ","),
                (Name, "c"),
                (Equal, "="),
                (Name, "1"),
                (Stop, "."),
                (Comment, "% end"),
                (Comment, "; too"),
            ]
        );
        assert_eq!(
            tokens("/* a\n */'It''s' \"a b\" 'x ?y"),
            [
                (Comment, "/* a\n */"),
                (Quoted, "'It''s'"),
                (Quoted, "\"a b\""),
                (Unclosed, "'x ?y"),
            ]
        );
        assert_eq!(tokens("?x#"), [(Unknown, "?x"), (Unknown, "#")]);
    }

    #[test]
    fn full_stops() {
        use TokenKind::*;
        assert_eq!(
            tokens("a.b"),
            [(Name, "a"), (Stop, "."), (Name, "b")],
            "the end of a statement"
        );
        assert_eq!(tokens("p(a.b).")[2], (Name, "a.b"));
        assert_eq!(tokens("62.5."), [(Name, "62.5"), (Stop, ".")]);
        assert_eq!(tokens("-7 3am"), [(Name, "-7"), (Name, "3am")]);
    }
}
