//! The parser: from tokens to a tree, with messages for parentheses that do not match.
//!
//! A missing `)` swallows everything after it. If a text ends inside a form,
//! parsing therefore starts again at that form, and now takes `(<=`, and `(init` or
//! `(role` at the start of a line, as the start of the next form, which they nearly
//! always are. So each form that lacks a `)` gets its own message.

use super::lexer::{Lexer, Token, TokenKind};
use super::tree::{Node, NodeKind, Tree};
use crate::diagnostic::{Code, Diagnostic, Diagnostics, quote};
use crate::source::{Source, Span};

/// Parses a text of less than 4 GiB. Messages are added to `diagnostics`; forms
/// whose parentheses do not match are left out of the tree.
pub(super) fn parse(source: &Source, diagnostics: &mut Diagnostics) -> Tree {
    let mut parser = Parser {
        source,
        nodes: Vec::new(),
        open: Vec::new(),
        resynchronise: false,
        last_form: None,
        unmatched: None,
        diagnostics,
    };
    let mut tokens = Lexer::new(source.text());
    let mut form_start = tokens.clone();
    loop {
        if parser.open.is_empty() {
            form_start = tokens.clone();
        }
        if let Some(token) = tokens.next() {
            parser.token(token);
        } else if !parser.open.is_empty() && !parser.resynchronise {
            parser.resynchronise = true;
            parser.drop_open_form();
            tokens = form_start.clone();
        } else {
            break;
        }
    }
    parser.finish();
    Tree {
        source: source.clone(),
        nodes: parser.nodes,
        spellings: Vec::new(),
    }
}

struct Parser<'a> {
    source: &'a Source,
    nodes: Vec<Node>,
    /// The indices of the lists that are open, outermost first.
    open: Vec<u32>,
    /// Whether a form may be treated as unclosed because the next one starts.
    resynchronise: bool,
    /// The opening parenthesis of the last form at the top level that was closed.
    last_form: Option<Span>,
    /// A run of `)` without their `(`.
    unmatched: Option<Unmatched>,
    diagnostics: &'a mut Diagnostics,
}

struct Unmatched {
    first: Span,
    count: usize,
    /// The opening parenthesis of the form before.
    form: Option<Span>,
}

impl Parser<'_> {
    fn token(&mut self, token: Token) {
        match token.kind {
            TokenKind::Open => {
                self.open.push(self.nodes.len() as u32);
                self.push(token.span, NodeKind::List);
            }
            TokenKind::Close => match self.open.pop() {
                Some(list) => {
                    let end = self.nodes.len() as u32;
                    let node = &mut self.nodes[list as usize];
                    if self.open.is_empty() {
                        self.last_form = Some(node.span);
                    }
                    node.end = end;
                    node.span.end = token.span.end;
                }
                None => {
                    let run = self.unmatched.get_or_insert(Unmatched {
                        first: token.span,
                        count: 0,
                        form: self.last_form,
                    });
                    run.count += 1;
                    return;
                }
            },
            TokenKind::Name => {
                if self.resynchronise && self.open.len() > 1 && self.starts_form(token) {
                    self.start_form_here();
                }
                self.name(token.span);
            }
        }
        self.report_unmatched();
    }

    /// Adds a name. Of `(<=terminal`, the sign and the head are two.
    fn name(&mut self, span: Span) {
        let text = self.source.slice(span);
        let is_first = self
            .open
            .last()
            .is_some_and(|&list| list as usize + 1 == self.nodes.len());
        let mut rest = span;
        if is_first && text.len() > 2 && text.starts_with("<=") {
            rest.start += 2;
            self.push(
                Span {
                    end: rest.start,
                    ..span
                },
                NodeKind::Name,
            );
        }
        let inner = self.source.slice(rest).char_indices().skip(1);
        let mut inner = inner.skip_while(|&(_, c)| c != '?');
        let variable = inner.next().filter(|_| inner.next().is_some());
        let missing = match variable {
            Some((at, _)) => Some(rest.start + at as u32),
            None => (rest != span).then_some(rest.start),
        };
        if let Some(start) = missing {
            let place = Span { start, ..span };
            let is_read = match variable {
                Some(_) => format!("{} is read as one name", quote(self.source.slice(rest))),
                None => "read as the head of a rule".to_string(),
            };
            let warning = Diagnostic::warning(Code::MissingBlank, "a blank is missing")
                .at(place, is_read)
                .help("write a blank before it");
            self.diagnostics.push(warning);
        }
        self.push(rest, NodeKind::Name);
    }

    fn push(&mut self, span: Span, kind: NodeKind) {
        self.nodes.push(Node {
            span,
            end: self.nodes.len() as u32 + 1,
            kind,
        });
    }

    /// Whether a name just after `(` shows that the list is a form of its own.
    fn starts_form(&self, name: Token) -> bool {
        let list = self.open[self.open.len() - 1] as usize;
        if list + 1 != self.nodes.len() {
            return false;
        }
        let text = self.source.slice(name.span);
        let starts_line = || {
            let open = self.nodes[list].span.start;
            self.source.line(open).1.start == open
        };
        text.starts_with("<=")
            || (text.eq_ignore_ascii_case("init") || text.eq_ignore_ascii_case("role"))
                && starts_line()
    }

    /// Drops the form that is open and makes its last list a form.
    fn start_form_here(&mut self) {
        let list = self.nodes[self.open[self.open.len() - 1] as usize].span;
        self.report_unclosed(Some(list));
        self.drop_open_form();
        self.open.push(self.nodes.len() as u32);
        self.push(list, NodeKind::List);
    }

    fn drop_open_form(&mut self) {
        self.nodes.truncate(self.open[0] as usize);
        self.open.clear();
    }

    fn finish(&mut self) {
        self.report_unmatched();
        if !self.open.is_empty() {
            self.report_unclosed(None);
            self.drop_open_form();
        }
    }

    /// Reports the form that is open, with the place where the next one starts.
    fn report_unclosed(&mut self, next: Option<Span>) {
        let form = self.nodes[self.open[0] as usize].span;
        // The list in which the next form starts is not one that lacks a `)`.
        let missing = self.open.len() - usize::from(next.is_some());
        let mut diagnostic = Diagnostic::error(
            Code::UnclosedParenthesis,
            match missing {
                1 => "this form lacks a `)`".to_string(),
                n => format!("this form lacks {n} `)`"),
            },
        )
        .at(form, "opened here and never closed");
        if let Some(next) = next {
            diagnostic = diagnostic.also(next, "the next form starts before it is closed");
        } else if missing > 1 {
            let innermost = self.nodes[self.open[missing - 1] as usize].span;
            diagnostic = diagnostic.also(innermost, "the innermost list that is never closed");
        }
        self.diagnostics
            .push(diagnostic.help("add the missing `)`, or remove a `(`"));
    }

    fn report_unmatched(&mut self) {
        let Some(Unmatched { first, count, form }) = self.unmatched.take() else {
            return;
        };
        let message = match count {
            1 => "this `)` closes nothing".to_string(),
            n => format!("{n} `)` close nothing"),
        };
        let mut diagnostic = Diagnostic::error(Code::UnmatchedParenthesis, message)
            .at(first, "every list before it is closed already");
        if let Some(form) = form {
            diagnostic = diagnostic.also(form, "the form before it starts here");
        }
        self.diagnostics
            .push(diagnostic.help("remove it, or add the `(` that belongs to it"));
    }
}
