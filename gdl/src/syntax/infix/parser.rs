//! The parser of infix form: from tokens to a tree, with messages for what has no meaning.
//!
//! The tree is the one that the prefix form of the same rules has. After an error, parsing goes on with the next
//! statement: after a full stop, or at a line that starts no further right than the statement with the error.

use rustc_hash::{FxHashMap, FxHashSet};

use super::lexer::{Lexer, Token, TokenKind};
use super::name::{Unspellable, constant_from_infix, variable_from_infix};
use crate::diagnostic::{Code, Diagnostic, Diagnostics, quote};
use crate::rules::MAX_PATTERN_DEPTH;
use crate::source::{Source, Span};
use crate::syntax::tree::{Node, NodeKind, Tree};

/// Parses a text of less than 4 GiB. Messages are added to `diagnostics`; statements with errors are left
/// out of the tree.
pub(in crate::syntax) fn parse(source: &Source, diagnostics: &mut Diagnostics) -> Tree {
    let (comments, tokens): (Vec<Token>, Vec<Token>) =
        Lexer::new(source.text()).partition(|token| token.kind == TokenKind::Comment);
    let variables = tokens.iter().filter(|t| t.kind == TokenKind::Variable);
    let mut parser = Parser {
        source,
        variables: variables.map(|token| source.slice(token.span)).collect(),
        tokens,
        at: 0,
        column: 0,
        first: Span::default(),
        in_body: false,
        depth: 0,
        anonymous: 0,
        builder: Builder::default(),
        diagnostics,
    };
    parser.report_open_comment(&comments);
    parser.warn_of_hidden_conditions(&comments);
    while let Some(token) = parser.peek() {
        parser.column = parser.indentation(token);
        parser.first = token.span;
        let start = parser.at;
        match parser.statement() {
            Ok(Some(statement)) => parser.builder.add(statement),
            Ok(None) => {}
            Err(Reported) => parser.skip_statement(start),
        }
    }
    Tree {
        source: source.clone(),
        nodes: parser.builder.nodes,
        spellings: parser.builder.spellings,
    }
}

/// The most tokens of a rule before a comment that are searched for the rule's beginning.
const MAX_LOOK_BACK: usize = 100;

/// The error of a statement, which has its message.
struct Reported;

/// A name or a list, as it is in prefix form.
enum Parsed {
    Name(Span),
    /// A name that prefix form spells otherwise.
    Spelled(Span, String),
    List(Span, Vec<Parsed>),
}

impl Parsed {
    fn span(&self) -> Span {
        match self {
            Parsed::Name(span) | Parsed::Spelled(span, _) | Parsed::List(span, _) => *span,
        }
    }

    /// The list of a connective or relation, whose sign stands at `sign`, and its arguments.
    fn apply(word: &str, sign: Span, args: Vec<Parsed>) -> Parsed {
        let span = args.iter().fold(sign, |span, arg| span.join(arg.span()));
        let word = Parsed::Spelled(sign, word.to_string());
        Parsed::List(span, std::iter::once(word).chain(args).collect())
    }
}

/// The nodes of the tree.
#[derive(Default)]
struct Builder {
    nodes: Vec<Node>,
    spellings: Vec<Box<str>>,
    numbers: FxHashMap<Box<str>, u32>,
}

impl Builder {
    /// Adds a form. The recursion is as deep as the form, whose depth is limited.
    fn add(&mut self, parsed: Parsed) {
        let at = self.nodes.len();
        let span = parsed.span();
        let kind = match &parsed {
            Parsed::Name(_) => NodeKind::Name,
            Parsed::Spelled(_, name) => NodeKind::Spelled(self.spelling(name)),
            Parsed::List(..) => NodeKind::List,
        };
        self.nodes.push(Node { span, end: 0, kind });
        if let Parsed::List(_, items) = parsed {
            items.into_iter().for_each(|item| self.add(item));
        }
        self.nodes[at].end = self.nodes.len() as u32;
    }

    fn spelling(&mut self, name: &str) -> u32 {
        if let Some(&number) = self.numbers.get(name) {
            return number;
        }
        let number = self.spellings.len() as u32;
        self.spellings.push(name.into());
        self.numbers.insert(name.into(), number);
        number
    }
}

struct Parser<'a> {
    source: &'a Source,
    /// The names of all variables of the text.
    variables: FxHashSet<&'a str>,
    tokens: Vec<Token>,
    at: usize,
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
    builder: Builder,
    diagnostics: &'a mut Diagnostics,
}

impl Parser<'_> {
    fn peek(&self) -> Option<Token> {
        self.tokens.get(self.at).copied()
    }

    fn kind(&self) -> Option<TokenKind> {
        self.peek().map(|token| token.kind)
    }

    /// Moves over the next token if it is of this kind.
    fn next_if(&mut self, kind: TokenKind) -> Option<Token> {
        let token = self.peek().filter(|token| token.kind == kind)?;
        self.at += 1;
        Some(token)
    }

    /// The token before the next one.
    fn last(&self) -> Span {
        match self.at.checked_sub(1) {
            Some(at) => self.tokens[at].span,
            None => Span::default(),
        }
    }

    /// The number of bytes in a token's line before it.
    fn column_of(&self, token: Token) -> u32 {
        token.span.start - self.source.line(token.span.start).1.start
    }

    /// The number of bytes before the first character of a token's line that is not blank.
    fn indentation(&self, token: Token) -> u32 {
        let line = self.source.slice(self.source.line(token.span.start).1);
        (line.len() - line.trim_start().len()) as u32
    }

    /// Whether nothing but blanks stands before a token in its line.
    fn starts_line(&self, token: Token) -> bool {
        let start = self.source.line(token.span.start).1.start;
        let before = Span {
            start,
            end: token.span.start,
        };
        self.source.slice(before).trim().is_empty()
    }

    /// Whether the next token is of a statement of its own, as far as its place shows.
    fn may_start_statement(&self) -> bool {
        self.peek().is_none_or(|token| {
            let is_name = matches!(
                token.kind,
                TokenKind::Name | TokenKind::Quoted | TokenKind::Variable
            );
            is_name && self.starts_line(token) && self.column_of(token) <= self.column
        })
    }

    fn skip_statement(&mut self, start: usize) {
        self.at = self.at.max(start + 1);
        self.depth = 0;
        self.in_body = false;
        while !self.may_start_statement() {
            self.at += 1;
            if self.tokens[self.at - 1].kind == TokenKind::Stop {
                break;
            }
        }
    }

    fn statement(&mut self) -> Result<Option<Parsed>, Reported> {
        if self.next_if(TokenKind::Stop).is_some() {
            return Ok(None);
        }
        self.in_body = false;
        let head = self.literal()?;
        let Some(sign) = self.next_if(TokenKind::If) else {
            return match self.kind() {
                None | Some(TokenKind::Name | TokenKind::Quoted | TokenKind::Variable) => {
                    Ok(Some(head))
                }
                Some(TokenKind::Stop) => {
                    self.at += 1;
                    Ok(Some(head))
                }
                Some(TokenKind::And | TokenKind::Comma | TokenKind::Or) => {
                    let help = "write `head :- condition & condition`";
                    Err(self.unexpected("`:-` or the end of the fact", help))
                }
                Some(_) => Err(self.unexpected("`:-` or the end of the fact", "")),
            };
        };
        if matches!(self.kind(), None | Some(TokenKind::Stop)) {
            let diagnostic = Diagnostic::error(Code::UnexpectedToken, "a rule without conditions")
                .at(sign.span, "nothing follows it")
                .help("add the conditions, or remove it to state a fact");
            self.diagnostics.push(diagnostic);
            return Err(Reported);
        }
        self.in_body = true;
        let body = self.condition(true)?;
        if self.next_if(TokenKind::Stop).is_none()
            && !matches!(
                self.kind(),
                None | Some(TokenKind::Name | TokenKind::Quoted | TokenKind::Variable)
            )
        {
            return Err(match self.peek() {
                Some(next) if next.kind == TokenKind::If => self.unfinished(next),
                _ => self.unexpected("`&`, `|` or the end of the rule", ""),
            });
        }
        let mut args = vec![head];
        match body {
            // Conditions joined by `&` are those of the rule.
            Parsed::List(_, mut items) if is_word(&items[0], "and") => {
                args.extend(items.drain(1..));
            }
            body => args.push(body),
        }
        Ok(Some(Parsed::apply("<=", sign.span, args)))
    }

    /// Reports the `:-` of a rule whose head is taken for a condition of the rule before.
    fn unfinished(&mut self, sign: Token) -> Reported {
        let unfinished =
            Diagnostic::error(Code::UnexpectedToken, "the rule before is not finished")
                .at(sign.span, "the head before it is read as a condition")
                .also(self.first, "of the rule that starts here")
                .help("remove the last `&` of that rule, or write what is missing");
        self.diagnostics.push(unfinished);
        Reported
    }

    /// A condition with `|`, `&` and, unless it is an argument, commas.
    fn condition(&mut self, comma_is_and: bool) -> Result<Parsed, Reported> {
        let first = self.conjunction(comma_is_and)?;
        let Some(sign) = self.next_if(TokenKind::Or) else {
            return Ok(first);
        };
        let mut parts = vec![first, self.conjunction(comma_is_and)?];
        while self.next_if(TokenKind::Or).is_some() {
            parts.push(self.conjunction(comma_is_and)?);
        }
        Ok(Parsed::apply("or", sign.span, parts))
    }

    fn conjunction(&mut self, comma_is_and: bool) -> Result<Parsed, Reported> {
        let mut parts = vec![self.literal()?];
        let mut sign = None;
        loop {
            let joint = self.peek();
            match self.kind() {
                Some(TokenKind::And) => self.at += 1,
                Some(TokenKind::Comma) if comma_is_and => self.at += 1,
                _ if self.lacks_and() => {
                    let place = joint.map_or(self.last(), |token| token.span);
                    let missing = Diagnostic::error(Code::UnexpectedToken, "`&` is missing")
                        .at(place, "a condition, without `&` or `|` before it")
                        .help("write `&` between conditions");
                    self.diagnostics.push(missing);
                }
                _ => break,
            }
            sign = sign.or(joint);
            parts.push(self.literal()?);
        }
        Ok(match (sign, parts.pop()) {
            (None, Some(only)) => only,
            (sign, last) => {
                parts.extend(last);
                let sign = sign.map_or(self.last(), |sign| sign.span);
                Parsed::apply("and", sign, parts)
            }
        })
    }

    /// Whether the next token continues the conditions of a rule, with nothing to join them.
    fn lacks_and(&self) -> bool {
        let Some(token) = self.peek().filter(|_| self.in_body) else {
            return false;
        };
        match token.kind {
            TokenKind::Not | TokenKind::Open => true,
            TokenKind::Name | TokenKind::Quoted | TokenKind::Variable => {
                // No statement starts with these.
                let condition =
                    ["true", "does", "distinct"].contains(&self.source.slice(token.span));
                self.depth > 0 || condition || !self.starts_line(token)
            }
            _ => false,
        }
    }

    /// An atom, a negated condition, or one in parentheses.
    fn literal(&mut self) -> Result<Parsed, Reported> {
        if let Some(sign) = self.next_if(TokenKind::Not) {
            self.enter(sign.span)?;
            let negated = self.literal()?;
            self.depth -= 1;
            return Ok(Parsed::apply("not", sign.span, vec![negated]));
        }
        if let Some(open) = self.next_if(TokenKind::Open) {
            self.enter(open.span)?;
            let inner = self.condition(true)?;
            self.close(open, "`&`, `|` or `)`")?;
            return Ok(inner);
        }
        let name = self.name("a condition")?;
        let is_connective = ["not", "and", "or"]
            .iter()
            .any(|word| is_name(&name, word, self.source));
        if is_connective && self.kind() == Some(TokenKind::Open) {
            return self.arguments(name, |parser| parser.condition(false));
        }
        if is_name(&name, "not", self.source) && self.in_body && !self.ends_condition() {
            let sign = name.span();
            self.enter(sign)?;
            let negated = self.literal()?;
            self.depth -= 1;
            return Ok(Parsed::apply("not", sign, vec![negated]));
        }
        let left = self.applied(name)?;
        let (negated, sign) = match self.peek() {
            Some(token) if token.kind == TokenKind::Distinct => (false, token.span),
            Some(token) if token.kind == TokenKind::Equal => (true, token.span),
            _ => return Ok(left),
        };
        self.at += 1;
        let right = self.term()?;
        let distinct = Parsed::apply("distinct", sign, vec![left, right]);
        Ok(match negated {
            true => Parsed::apply("not", sign, vec![distinct]),
            false => distinct,
        })
    }

    /// Whether the next token cannot start a condition.
    fn ends_condition(&self) -> bool {
        !matches!(
            self.kind(),
            Some(TokenKind::Name | TokenKind::Quoted | TokenKind::Variable | TokenKind::Not)
        )
    }

    /// A name, which may have arguments.
    fn term(&mut self) -> Result<Parsed, Reported> {
        if let Some(open) = self.next_if(TokenKind::Open) {
            self.enter(open.span)?;
            let term = self.term()?;
            self.close(open, "`)`")?;
            return Ok(term);
        }
        let name = self.name("a term")?;
        self.applied(name)
    }

    /// A name that was read, with its arguments if it has some.
    fn applied(&mut self, name: Parsed) -> Result<Parsed, Reported> {
        match self.kind() {
            Some(TokenKind::Open) => self.arguments(name, Parser::term),
            _ => Ok(name),
        }
    }

    fn arguments(
        &mut self,
        name: Parsed,
        argument: impl Fn(&mut Self) -> Result<Parsed, Reported>,
    ) -> Result<Parsed, Reported> {
        let Some(open) = self.next_if(TokenKind::Open) else {
            return Ok(name);
        };
        self.enter(open.span)?;
        let start = name.span();
        let mut items = vec![name];
        let mut lacks_comma = false;
        if let Some(close) = self.next_if(TokenKind::Close) {
            self.depth -= 1;
            return Ok(Parsed::List(start.join(close.span), items));
        }
        loop {
            items.push(argument(self)?);
            match self.peek() {
                Some(token) if token.kind == TokenKind::Comma => self.at += 1,
                Some(token)
                    if matches!(
                        token.kind,
                        TokenKind::Name | TokenKind::Variable | TokenKind::Quoted
                    ) && !self.starts_line(token) =>
                {
                    // One message stands for all: the `)` may be missing instead.
                    if std::mem::replace(&mut lacks_comma, true) {
                        continue;
                    }
                    let missing = Diagnostic::error(Code::UnexpectedToken, "a comma is missing")
                        .at(token.span, "an argument, without a comma before it")
                        .help("separate arguments by commas");
                    self.diagnostics.push(missing);
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
        if self.depth <= MAX_PATTERN_DEPTH {
            return Ok(());
        }
        let message = format!("terms are nested more than {MAX_PATTERN_DEPTH} levels deep");
        let diagnostic = Diagnostic::error(Code::NestedTooDeeply, message)
            .at(start, "this is too deep")
            .help("check the parentheses, or move parts of it to separate rules");
        self.diagnostics.push(diagnostic);
        Err(Reported)
    }

    /// Moves over the `)` that belongs to `open`.
    fn close(&mut self, open: Token, expected: &str) -> Result<Token, Reported> {
        if let Some(close) = self.next_if(TokenKind::Close) {
            self.depth -= 1;
            return Ok(close);
        }
        let is_end = |kind| matches!(kind, TokenKind::Stop | TokenKind::If);
        let is_joint = |kind| matches!(kind, TokenKind::And | TokenKind::Or);
        let next = self.peek();
        let ends = next
            .is_none_or(|next| is_end(next.kind) || is_joint(next.kind) || self.starts_line(next));
        if !ends {
            return Err(self.unexpected(expected, ""));
        }
        let mut unclosed = Diagnostic::error(Code::UnclosedParenthesis, "a `)` is missing")
            .at(open.span, "opened here and never closed");
        if let Some(next) = next {
            unclosed = unclosed.also(next.span, "not closed before this");
        }
        let help = "add the missing `)`, or remove the `(`";
        self.diagnostics.push(unclosed.help(help));
        Err(Reported)
    }

    /// Reads a name, in its prefix form.
    fn name(&mut self, expected: &str) -> Result<Parsed, Reported> {
        let Some(token) = self.peek() else {
            return Err(self.unexpected(expected, ""));
        };
        let span = token.span;
        let text = self.source.slice(span);
        let parsed = match token.kind {
            TokenKind::Name => Parsed::Name(span),
            TokenKind::Variable if text == "_" => Parsed::Spelled(span, self.anonymous()),
            TokenKind::Variable => Parsed::Spelled(span, variable_from_infix(text)),
            TokenKind::Quoted => match constant_from_infix(text) {
                Ok(name) => Parsed::Spelled(span, name),
                Err(why) => return Err(self.unspellable(span, why)),
            },
            _ => return Err(self.unexpected(expected, "")),
        };
        self.at += 1;
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

    fn unspellable(&mut self, place: Span, why: Unspellable) -> Reported {
        let remark = match why {
            Unspellable::Empty => "an empty name".to_string(),
            Unspellable::Variable => "a variable there, since it starts with `?`".to_string(),
            Unspellable::Character(' ') => "contains a blank".to_string(),
            Unspellable::Character(c) => format!("contains {c:?}"),
        };
        let message = format!(
            "prefix form cannot spell the name {}",
            quote(self.source.slice(place))
        );
        let diagnostic = Diagnostic::error(Code::NotAName, message)
            .at(place, remark)
            .help("players exchange moves in prefix form: choose a name without blanks, parentheses and semicolons");
        self.diagnostics.push(diagnostic);
        Reported
    }

    /// Reports the next token, where something else was expected.
    fn unexpected(&mut self, expected: &str, help: &str) -> Reported {
        let Some(token) = self.peek() else {
            let diagnostic = Diagnostic::error(Code::UnexpectedToken, "the text ends too early")
                .at(self.last(), format!("expected {expected} after this"));
            self.diagnostics.push(diagnostic);
            return Reported;
        };
        let text = self.source.slice(token.span);
        let found = quote(text);
        let (code, message, remark, own_help) = match token.kind {
            TokenKind::Close => (
                Code::UnmatchedParenthesis,
                format!("unexpected {found}"),
                format!("expected {expected}"),
                "remove it, or add the `(` that belongs to it".to_string(),
            ),
            TokenKind::Unclosed => (
                Code::UnexpectedToken,
                "a quotation mark is missing".to_string(),
                "opened here, and not closed in this line".to_string(),
                "close it, or quote the mark itself by a backslash".to_string(),
            ),
            TokenKind::Unknown => (
                Code::UnexpectedToken,
                format!("{found} has no meaning"),
                format!("expected {expected}"),
                match text.starts_with('?') {
                    true => "variables start with a capital letter in infix form, and with `?` in prefix form".to_string(),
                    false => "put names with such characters in quotation marks, as in `'left-hand'`".to_string(),
                },
            ),
            _ => (
                Code::UnexpectedToken,
                format!("unexpected {found}"),
                format!("expected {expected}"),
                String::new(),
            ),
        };
        let diagnostic = Diagnostic::error(code, message).at(token.span, remark);
        let help = if help.is_empty() {
            own_help
        } else {
            help.to_string()
        };
        self.diagnostics.push(match help.is_empty() {
            true => diagnostic,
            false => diagnostic.help(help),
        });
        Reported
    }

    /// A comment without its end hides all that follows.
    fn report_open_comment(&mut self, comments: &[Token]) {
        let Some(last) = comments.last() else {
            return;
        };
        let text = self.source.slice(last.span);
        if text.starts_with("/*") && !(text.len() > 3 && text.ends_with("*/")) {
            let start = Span {
                end: last.span.start + 2,
                ..last.span
            };
            let diagnostic = Diagnostic::error(Code::UnexpectedToken, "a comment has no end")
                .at(start, "all that follows is a comment")
                .help("write `*/` where it ends");
            self.diagnostics.push(diagnostic);
        }
    }

    /// Prolog's sign for 'or' starts a comment here: conditions after it would be lost silently.
    fn warn_of_hidden_conditions(&mut self, comments: &[Token]) {
        for comment in comments {
            let text = self.source.slice(comment.span);
            let hidden = text.strip_prefix(';').map(str::trim_start);
            let Some(name) = hidden.map(|text| text.trim_start_matches(['~', '('])) else {
                continue;
            };
            let mut tokens = Lexer::new(name);
            let first = tokens.next().map(|token| (token.kind, token.span.start));
            let second = tokens.next();
            let is_atom = first == Some((TokenKind::Name, 0))
                && second.is_some_and(|token| token.kind == TokenKind::Open)
                && second.is_some_and(|token| !name[..token.span.start as usize].ends_with(' '));
            let before = self
                .tokens
                .partition_point(|token| token.span.end <= comment.span.start);
            let follows_condition = before.checked_sub(1).is_some_and(|at| {
                matches!(self.tokens[at].kind, TokenKind::Close | TokenKind::Name)
            });
            let in_rule = || {
                let mut back = self.tokens[..before].iter().rev().take(MAX_LOOK_BACK);
                let sign = back.find(|token| matches!(token.kind, TokenKind::If | TokenKind::Stop));
                sign.is_some_and(|token| token.kind == TokenKind::If)
            };
            if is_atom && follows_condition && in_rule() {
                let warning = Diagnostic::warning(Code::UnexpectedToken, "`;` starts a comment")
                    .at(comment.span, "is not a condition")
                    .help("write `|` for 'or'; start comments in rules with `%`");
                self.diagnostics.push(warning);
            }
        }
    }
}

/// Whether a form is the list of a connective.
fn is_word(form: &Parsed, word: &str) -> bool {
    matches!(form, Parsed::Spelled(_, name) if name == word)
}

/// Whether a form is this name.
fn is_name(form: &Parsed, name: &str, source: &Source) -> bool {
    matches!(form, Parsed::Name(span) if source.slice(*span) == name)
}
