//! Conversion of rulesheets between notations, with their comments.
//!
//! Each statement starts a line. Comments and blank lines stay where they are as far as statements do; comments
//! within a statement stand before or after the condition that they stood at.

use super::infix::{self, Unprintable, VariableNames};
use super::tree::Form;
use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::source::{Notation, Source, Span};

/// Longer rules have a line for each condition.
const LONGEST_LINE: usize = 100;
const INDENTATION: &str = "    ";

/// The text of a rulesheet in the notation `to`, in a standard layout. Rules are not checked, only their syntax.
///
/// ```
/// use propjit_gdl::source::{Notation, Source};
/// use propjit_gdl::syntax::convert;
/// let source = Source::new("coin.kif", "(init (coin up)) ; at first\n(<= terminal (true (coin ?x)) (last ?x))");
/// let text = convert(&source, Notation::Infix)?;
/// assert_eq!(text, "init(coin(up)) % at first\nterminal :- true(coin(X)) & last(X)\n");
/// # Ok::<(), propjit_gdl::Diagnostics>(())
/// ```
///
/// # Errors
/// If the text has errors of syntax, or a form that the other notation does not have.
pub fn convert(source: &Source, to: Notation) -> Result<String, Diagnostics> {
    let mut diagnostics = Diagnostics::new(source.clone());
    let tree = super::parse(source, &mut diagnostics);
    if diagnostics.has_errors() {
        return Err(diagnostics);
    }
    let mut writer = Writer {
        source,
        to,
        comments: comments(source).into_iter().peekable(),
        out: String::new(),
        last: None,
    };
    for form in tree.statements() {
        let is_readable = to == Notation::Prefix || is_infix(form);
        let written = match is_readable {
            true => writer.statement(form),
            false => Err(Unprintable(form.span())),
        };
        if let Err(Unprintable(place)) = written {
            diagnostics.push(
                Diagnostic::error(Code::NotAName, format!("{to} form cannot express this"))
                    .at(place, "not a name, or a name with arguments"),
            );
        }
    }
    if diagnostics.has_errors() {
        return Err(diagnostics);
    }
    writer.comments_before(u32::MAX, "");
    // Nothing ends a statement in infix form but the start of another one, which forms that are no rules do not show.
    let written = Source::new(source.name(), &writer.out).with_notation(to);
    let mut of_written = Diagnostics::new(written.clone());
    super::parse(&written, &mut of_written);
    if of_written.has_errors() {
        let message = format!("{to} form cannot express this rulesheet");
        let help = "some statements are no rules: `propjit validate` names them";
        diagnostics.push(Diagnostic::error(Code::NotAName, message).help(help));
        return Err(diagnostics);
    }
    Ok(writer.out)
}

/// Whether infix form can express a statement: if it can be printed, and is then read as one statement. Forms that are no
/// rules, such as connectives without conditions, may not be.
fn is_infix(form: Form<'_>) -> bool {
    // What cannot be printed has a place of its own.
    let Ok(text) = infix::print(form) else {
        return true;
    };
    let source = Source::new("statement", &text).with_notation(Notation::Infix);
    let mut diagnostics = Diagnostics::new(source.clone());
    let tree = super::parse(&source, &mut diagnostics);
    !diagnostics.has_errors() && tree.statements().count() == 1
}

/// Adds a condition, or those that it joins by `and`.
fn add_joint<'a>(condition: Form<'a>, parts: &mut Vec<Form<'a>>) {
    let mut open = vec![condition];
    while let Some(form) = open.pop() {
        let mut items = form.items();
        let word = items.next().and_then(|first| first.name());
        let before = open.len();
        let joins = |word: &str| {
            let is_only = word.eq_ignore_ascii_case("or") && form.len() == 2;
            word.eq_ignore_ascii_case("and") || is_only
        };
        if word.is_some_and(joins) {
            open.extend(items);
            open[before..].reverse();
        }
        // One that joins nothing is an atom.
        if open.len() == before {
            parts.push(form);
        }
    }
}

/// The comments of a text, in order.
fn comments(source: &Source) -> Vec<Span> {
    let text = source.text();
    match source.notation() {
        Notation::Infix => infix::Lexer::new(text)
            .filter(|token| token.kind == infix::TokenKind::Comment)
            .map(|token| token.span)
            .collect(),
        Notation::Prefix => {
            let mut found = Vec::new();
            let mut at = 0;
            while let Some(start) = text[at..].find(';').map(|offset| at + offset) {
                let rest = &text[start..];
                at = start + rest.find(['\n', '\r']).unwrap_or(rest.len());
                found.push(Span::new(start..at));
            }
            found
        }
    }
}

struct Writer<'a, C: Iterator<Item = Span>> {
    source: &'a Source,
    to: Notation,
    /// The comments that have not been written.
    comments: std::iter::Peekable<C>,
    out: String,
    /// The end of what was written last, in the source.
    last: Option<u32>,
}

impl<C: Iterator<Item = Span>> Writer<'_, C> {
    fn statement(&mut self, form: Form<'_>) -> Result<(), Unprintable> {
        let span = form.span();
        self.comments_before(span.start, "");
        self.start_line(span.start);
        let one_line = match self.to {
            Notation::Prefix => form.to_string(),
            Notation::Infix => infix::print(form)?,
        };
        let names = VariableNames::of(form);
        let text = |(number, part): (usize, &Form<'_>)| match self.to {
            Notation::Prefix => Ok(part.to_string()),
            Notation::Infix => infix::print_part(*part, &names, number == 0),
        };
        let is_rule = form.items().next().and_then(|first| first.name()) == Some("<=");
        let mut parts: Vec<Form<'_>> = Vec::new();
        for part in form.items().skip(1).filter(|_| is_rule) {
            match self.to {
                Notation::Infix if !parts.is_empty() => add_joint(part, &mut parts),
                _ => parts.push(part),
            }
        }
        let end = parts.last().map_or(span.end, |part| part.span().end);
        let has_comment = self.comments.peek().is_some_and(|c| c.start < end);
        if parts.len() < 2 || !has_comment && one_line.chars().count() <= LONGEST_LINE {
            self.out.push_str(&one_line);
            self.end_statement(end, span.end);
            return Ok(());
        }
        let texts = parts.iter().enumerate().map(text);
        let texts = texts.collect::<Result<Vec<String>, Unprintable>>()?;
        for (number, (part, text)) in parts.iter().zip(&texts).enumerate() {
            let is_last = number + 1 == parts.len();
            if number > 0 {
                // Comments in a part stand before it.
                self.comments_before(part.span().end, INDENTATION);
                self.out.push('\n');
                self.out.push_str(INDENTATION);
            }
            match self.to {
                Notation::Prefix => {
                    let (open, close) = (["", "(<= "][usize::from(number == 0)], ["", ")"]);
                    self.out.push_str(open);
                    self.out.push_str(text);
                    self.out.push_str(close[usize::from(is_last)]);
                }
                Notation::Infix => {
                    self.out.push_str(text);
                    self.out.push_str(match (number, is_last) {
                        (_, true) => "",
                        (0, _) => " :-",
                        _ => " &",
                    });
                }
            }
            self.last = Some(part.span().end);
        }
        self.end_statement(end, span.end);
        Ok(())
    }

    /// Writes the comments between the last part of a statement and its end.
    fn end_statement(&mut self, last: u32, end: u32) {
        self.last = Some(last);
        self.comments_before(end, "");
        self.last = Some(end);
    }

    /// Writes the comments that start before a place: those after something in its line, others in lines of their
    /// own.
    fn comments_before(&mut self, end: u32, indentation: &str) {
        while let Some(comment) = self.comments.next_if(|comment| comment.start < end) {
            let lines = comment_lines(self.source.slice(comment), self.to);
            let line = |at: u32| self.source.line(at).0;
            let trails = self
                .last
                .is_some_and(|last| line(last) == line(comment.start));
            if let ([only], true) = (&lines[..], trails) {
                self.out.push(' ');
                self.out.push_str(only);
            } else {
                for text in &lines {
                    self.start_line(comment.start);
                    self.last = Some(comment.start);
                    self.out.push_str(indentation);
                    self.out.push_str(text);
                }
            }
            self.last = Some(comment.end);
        }
        if end == u32::MAX && !self.out.is_empty() {
            self.out.push('\n');
        }
    }

    /// Starts a line for what starts here in the source, after as many empty ones as stand before it there.
    fn start_line(&mut self, start: u32) {
        let Some(last) = self.last else {
            return;
        };
        let line = |at: u32| self.source.line(at).0;
        let lines = line(start).saturating_sub(line(last));
        self.out.push_str(&"\n".repeat(lines.max(1)));
    }
}

/// The lines of a comment, in the other notation.
fn comment_lines(comment: &str, to: Notation) -> Vec<String> {
    let mark = match to {
        Notation::Prefix => ";",
        Notation::Infix => "%",
    };
    if let Some(block) = comment.strip_prefix("/*") {
        let block = block.strip_suffix("*/").unwrap_or(block).trim();
        let lines = block.lines().flat_map(|line| line.split('\r'));
        return lines
            .map(|line| format!("{mark} {}", line.trim()).trim_end().to_string())
            .collect();
    }
    let text = comment.trim_start_matches([';', '%']);
    let marks = mark.repeat(comment.len() - text.len());
    vec![format!("{marks}{}", text.trim_end())]
}
