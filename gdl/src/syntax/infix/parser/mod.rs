//! The parser of infix form: from tokens to a tree, with messages for what has no meaning.
//!
//! The tree is the one that the prefix form of the same rules has. After an error, parsing goes on with the next
//! statement: after a full stop, or at a line that starts no further right than the statement with the error.
//!
//! - this module: the grammar;
//! - `tokens`: the tokens of a text, and their places in lines;
//! - `builder`: forms as they are read, and the tree that is built of them;
//! - `messages`: messages about tokens that have no meaning where they are;
//! - `comments`: mistakes in comments.

mod builder;
mod comments;
mod messages;
mod tokens;

use rustc_hash::FxHashSet;

use super::lexer::{Lexer, Token, TokenKind};
use super::name::{constant_from_infix, variable_from_infix};
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::rules::MAX_PATTERN_DEPTH;
use crate::source::{Source, Span};
use crate::syntax::tree::Tree;
use builder::{Builder, Parsed};
use tokens::Tokens;

/// Parses a text of less than 4 GiB. Messages are added to `diagnostics`; statements with errors are left
/// out of the tree.
pub(in crate::syntax) fn parse(source: &Source, diagnostics: &mut Diagnostics) -> Tree {
    let (comments, tokens): (Vec<Token>, Vec<Token>) =
        Lexer::new(source.text()).partition(|token| token.kind == TokenKind::Comment);
    comments::check(source, &comments, &tokens, diagnostics);
    let variables = tokens.iter().filter(|t| t.kind == TokenKind::Variable);
    let parser = Parser {
        source,
        variables: variables.map(|token| source.slice(token.span)).collect(),
        tokens: Tokens::new(source, tokens),
        column: 0,
        first: Span::default(),
        in_body: false,
        depth: 0,
        anonymous: 0,
        diagnostics,
    };
    parser.tree()
}

/// The error of a statement, which has its message.
struct Reported;

struct Parser<'a> {
    source: &'a Source,
    /// The names of all variables of the text.
    variables: FxHashSet<&'a str>,
    tokens: Tokens<'a>,
    /// The indentation of the line in which the current statement starts.
    column: u32,
    /// The first token of the current statement.
    first: Span,
    /// Whether the tokens are those of conditions.
    in_body: bool,
    /// The number of enclosing parentheses and negations.
    depth: usize,
    /// The number of the last `_`.
    anonymous: usize,
    diagnostics: &'a mut Diagnostics,
}

impl Parser<'_> {
    fn tree(mut self) -> Tree {
        let mut builder = Builder::default();
        while let Some(token) = self.tokens.peek() {
            self.column = self.tokens.indentation(token);
            self.first = token.span;
            match self.statement() {
                Ok(Some(statement)) => builder.add(statement),
                Ok(None) => {}
                Err(Reported) => self.skip_statement(),
            }
        }
        builder.tree(self.source)
    }

    /// Whether the next token is of a statement of its own, as far as its place shows.
    fn may_start_statement(&self) -> bool {
        self.tokens.peek().is_none_or(|token| {
            token.kind.is_name()
                && self.tokens.starts_line(token)
                && self.tokens.column(token) <= self.column
        })
    }

    /// Moves over the rest of the current statement, which has an error.
    fn skip_statement(&mut self) {
        if self
            .tokens
            .peek()
            .is_some_and(|next| next.span == self.first)
        {
            self.tokens.advance();
        }
        self.depth = 0;
        self.in_body = false;
        while !self.may_start_statement() {
            let is_stop = self.tokens.kind() == Some(TokenKind::Stop);
            self.tokens.advance();
            if is_stop {
                break;
            }
        }
    }

    fn statement(&mut self) -> Result<Option<Parsed>, Reported> {
        if self.tokens.next_if(TokenKind::Stop).is_some() {
            return Ok(None);
        }
        self.in_body = false;
        let head = self.literal()?;
        if let Some(sign) = self.tokens.next_if(TokenKind::If) {
            return Ok(Some(self.rule(head, sign.span)?));
        }
        if self.ends_statement() {
            return Ok(Some(head));
        }
        let help = match self.tokens.kind() {
            Some(TokenKind::And | TokenKind::Comma | TokenKind::Or) => {
                "write `head :- condition & condition`"
            }
            _ => "",
        };
        Err(self.unexpected("`:-` or the end of the fact", help))
    }

    /// Reads the conditions of a rule, after its `:-`.
    fn rule(&mut self, head: Parsed, sign: Span) -> Result<Parsed, Reported> {
        if matches!(self.tokens.kind(), None | Some(TokenKind::Stop)) {
            return Err(self.report(messages::no_conditions(sign)));
        }
        self.in_body = true;
        let body = self.condition(true)?;
        if !self.ends_statement() {
            return Err(match self.tokens.peek() {
                Some(next) if next.kind == TokenKind::If => {
                    self.report(messages::unfinished(self.first, next.span))
                }
                _ => self.unexpected("`&`, `|` or the end of the rule", ""),
            });
        }
        let mut args = vec![head];
        match body {
            // Conditions joined by `&` are those of the rule.
            Parsed::List(_, mut items) if items[0].is_word("and") => {
                args.extend(items.drain(1..));
            }
            body => args.push(body),
        }
        Ok(Parsed::apply("<=", sign, args))
    }

    /// Whether the statement ends before the next token. Moves over its full stop.
    fn ends_statement(&mut self) -> bool {
        self.tokens.next_if(TokenKind::Stop).is_some()
            || self.tokens.kind().is_none_or(TokenKind::is_name)
    }

    /// A condition with `|`, `&` and, unless it is an argument, commas.
    fn condition(&mut self, comma_is_and: bool) -> Result<Parsed, Reported> {
        let first = self.conjunction(comma_is_and)?;
        let Some(sign) = self.tokens.next_if(TokenKind::Or) else {
            return Ok(first);
        };
        let mut parts = vec![first, self.conjunction(comma_is_and)?];
        while self.tokens.next_if(TokenKind::Or).is_some() {
            parts.push(self.conjunction(comma_is_and)?);
        }
        Ok(Parsed::apply("or", sign.span, parts))
    }

    fn conjunction(&mut self, comma_is_and: bool) -> Result<Parsed, Reported> {
        let first = self.literal()?;
        let Some(sign) = self.next_and(comma_is_and) else {
            return Ok(first);
        };
        let mut parts = vec![first, self.literal()?];
        while self.next_and(comma_is_and).is_some() {
            parts.push(self.literal()?);
        }
        Ok(Parsed::apply("and", sign, parts))
    }

    /// Moves over the sign that joins two conditions, and returns its place. If it is missing, that is reported, and its
    /// place is that of the second condition.
    fn next_and(&mut self, comma_is_and: bool) -> Option<Span> {
        let token = self.tokens.peek()?;
        match token.kind {
            TokenKind::And => self.tokens.advance(),
            TokenKind::Comma if comma_is_and => self.tokens.advance(),
            _ if self.lacks_and(token) => {
                self.diagnostics.push(messages::missing_and(token.span));
            }
            _ => return None,
        }
        Some(token.span)
    }

    /// Whether a token continues the conditions of a rule, with nothing to join them.
    fn lacks_and(&self, token: Token) -> bool {
        let starts_condition = match token.kind {
            TokenKind::Not | TokenKind::Open => true,
            kind if kind.is_name() => {
                // No statement starts with these.
                let words = ["true", "does", "distinct"];
                self.depth > 0
                    || words.contains(&self.source.slice(token.span))
                    || !self.tokens.starts_line(token)
            }
            _ => false,
        };
        self.in_body && starts_condition
    }

    /// An atom, a negated condition, or one in parentheses.
    fn literal(&mut self) -> Result<Parsed, Reported> {
        if let Some(sign) = self.tokens.next_if(TokenKind::Not) {
            return self.negation(sign.span);
        }
        if let Some(open) = self.tokens.next_if(TokenKind::Open) {
            self.enter(open.span)?;
            let inner = self.condition(true)?;
            self.close(open, "`&`, `|` or `)`")?;
            return Ok(inner);
        }
        let name = self.name("a condition")?;
        let is = |word| name.is_name(word, self.source);
        let is_not = is("not");
        if (is_not || is("and") || is("or")) && self.tokens.kind() == Some(TokenKind::Open) {
            return self.arguments(name, |parser| parser.condition(false));
        }
        if is_not && self.in_body && self.starts_negated() {
            return self.negation(name.span());
        }
        let left = self.arguments(name, Parser::term)?;
        let (negated, sign) = match self.tokens.peek() {
            Some(token) if token.kind == TokenKind::Distinct => (false, token.span),
            Some(token) if token.kind == TokenKind::Equal => (true, token.span),
            _ => return Ok(left),
        };
        self.tokens.advance();
        let right = self.term()?;
        let distinct = Parsed::apply("distinct", sign, vec![left, right]);
        Ok(match negated {
            true => Parsed::apply("not", sign, vec![distinct]),
            false => distinct,
        })
    }

    /// The negation of the condition that follows the sign.
    fn negation(&mut self, sign: Span) -> Result<Parsed, Reported> {
        self.enter(sign)?;
        let negated = self.literal()?;
        self.depth -= 1;
        Ok(Parsed::apply("not", sign, vec![negated]))
    }

    /// Whether the next token can start what the word `not` negates.
    fn starts_negated(&self) -> bool {
        let next = self.tokens.kind();
        next.is_some_and(|kind| kind.is_name() || kind == TokenKind::Not)
    }

    /// A name, which may have arguments.
    fn term(&mut self) -> Result<Parsed, Reported> {
        if let Some(open) = self.tokens.next_if(TokenKind::Open) {
            self.enter(open.span)?;
            let term = self.term()?;
            self.close(open, "`)`")?;
            return Ok(term);
        }
        let name = self.name("a term")?;
        self.arguments(name, Parser::term)
    }

    /// A name that was read, with its arguments if it has some.
    fn arguments(
        &mut self,
        name: Parsed,
        argument: impl Fn(&mut Self) -> Result<Parsed, Reported>,
    ) -> Result<Parsed, Reported> {
        let Some(open) = self.tokens.next_if(TokenKind::Open) else {
            return Ok(name);
        };
        self.enter(open.span)?;
        let start = name.span();
        let mut items = vec![name];
        let mut lacks_comma = false;
        if let Some(close) = self.tokens.next_if(TokenKind::Close) {
            self.depth -= 1;
            return Ok(Parsed::List(start.join(close.span), items));
        }
        loop {
            items.push(argument(self)?);
            match self.tokens.peek() {
                Some(token) if token.kind == TokenKind::Comma => self.tokens.advance(),
                Some(token) if token.kind.is_name() && !self.tokens.starts_line(token) => {
                    // One message stands for all: the `)` may be missing instead.
                    if !std::mem::replace(&mut lacks_comma, true) {
                        self.diagnostics.push(messages::missing_comma(token.span));
                    }
                }
                _ => break,
            }
        }
        let close = self.close(open, "`,` or `)`")?;
        Ok(Parsed::List(start.join(close.span), items))
    }

    /// Counts a nested form.
    fn enter(&mut self, start: Span) -> Result<(), Reported> {
        self.depth += 1;
        match self.depth <= MAX_PATTERN_DEPTH {
            true => Ok(()),
            false => Err(self.report(messages::too_deep(start))),
        }
    }

    /// Moves over the `)` that belongs to `open`.
    fn close(&mut self, open: Token, expected: &str) -> Result<Token, Reported> {
        if let Some(close) = self.tokens.next_if(TokenKind::Close) {
            self.depth -= 1;
            return Ok(close);
        }
        let is_end = |kind| matches!(kind, TokenKind::Stop | TokenKind::If);
        let is_joint = |kind| matches!(kind, TokenKind::And | TokenKind::Or);
        let next = self.tokens.peek();
        let ends = next.is_none_or(|next| {
            is_end(next.kind) || is_joint(next.kind) || self.tokens.starts_line(next)
        });
        Err(match ends {
            true => self.report(messages::unclosed(open, next)),
            false => self.unexpected(expected, ""),
        })
    }

    /// Reads a name, in its prefix form.
    fn name(&mut self, expected: &str) -> Result<Parsed, Reported> {
        let Some(Token { kind, span }) = self.tokens.peek() else {
            return Err(self.unexpected(expected, ""));
        };
        let text = self.source.slice(span);
        let parsed = match kind {
            TokenKind::Name => Parsed::Name(span),
            TokenKind::Variable if text == "_" => Parsed::Spelled(span, self.anonymous()),
            TokenKind::Variable => Parsed::Spelled(span, variable_from_infix(text)),
            TokenKind::Quoted => match constant_from_infix(text) {
                Ok(name) => Parsed::Spelled(span, name),
                Err(why) => {
                    return Err(self.report(messages::unspellable(text, span, why)));
                }
            },
            _ => return Err(self.unexpected(expected, "")),
        };
        self.tokens.advance();
        Ok(parsed)
    }

    /// A variable that occurs nowhere else.
    fn anonymous(&mut self) -> String {
        loop {
            self.anonymous += 1;
            let name = format!("_{}", self.anonymous);
            if !self.variables.contains(&*name) {
                return variable_from_infix(&name);
            }
        }
    }

    /// Reports the next token, where something else was expected.
    fn unexpected(&mut self, expected: &str, help: &str) -> Reported {
        self.report(match self.tokens.peek() {
            Some(token) => {
                let text = self.source.slice(token.span);
                messages::unexpected(text, token, expected, help)
            }
            None => messages::ends_early(self.tokens.last(), expected),
        })
    }

    fn report(&mut self, message: Diagnostic) -> Reported {
        self.diagnostics.push(message);
        Reported
    }
}
