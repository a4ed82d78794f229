//! Parsing: from a rulesheet to checked [`Rules`].

use std::path::Path;

use crate::check;
use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::file::ReadError;
use crate::normalize::{self, Workspace};
use crate::reading::{self, Reading};
use crate::rules::Rules;
use crate::source::{Notation, Source};
use crate::syntax::{self, Form, Wrapper};

/// How rulesheets are read. By default, in the notation that they seem to be in, and as the specification says.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
#[non_exhaustive]
pub struct ReadOptions {
    /// The notation, if it is known.
    pub notation: Option<Notation>,
    /// Whether rules that the specification forbids, but that have a usual meaning, are accepted with a warning:
    /// conditions on the moves outside of `next`, which then never hold; rules that bind their variables
    /// only where conditions refer to them; variables that occur only under `not`, of which there must be none;
    /// `next`, `sees` and `init` in bodies, which mean what their rules derive; and rules for `legal`, `goal` and `sees`
    /// about any role.
    pub lenient: bool,
}

impl ReadOptions {
    /// Sets the notation.
    #[must_use]
    pub fn with_notation(self, notation: Option<Notation>) -> ReadOptions {
        ReadOptions { notation, ..self }
    }

    /// Sets whether some forbidden rules are accepted.
    #[must_use]
    pub fn with_lenient(self, lenient: bool) -> ReadOptions {
        ReadOptions { lenient, ..self }
    }
}

/// The rules of a game, and warnings about them.
#[derive(Clone, Debug)]
pub struct Parsed {
    /// The rules.
    pub rules: Rules,
    /// The warnings; there are no errors.
    pub warnings: Diagnostics,
}

impl Rules {
    /// Parses and checks a rulesheet. The name, usually the file's, is for
    /// messages.
    ///
    /// # Errors
    /// If the game is not defined, or if the text is larger than [`MAX_BYTES`](crate::MAX_BYTES); the value
    /// holds all errors and warnings.
    ///
    /// ```
    /// use propjit_gdl::Rules;
    ///
    /// let error = Rules::parse("coin.kif", "(role tosser)\n(init (up ?side))").unwrap_err();
    /// assert!(error.to_string().contains("coin.kif:2:11"));
    /// ```
    pub fn parse(name: &str, text: &str) -> Result<Parsed, Diagnostics> {
        Rules::parse_with(name, text, &ReadOptions::default())
    }

    /// As [`Rules::parse`], with options.
    ///
    /// # Errors
    /// As for [`Rules::parse`].
    pub fn parse_with(
        name: &str,
        text: &str,
        options: &ReadOptions,
    ) -> Result<Parsed, Diagnostics> {
        let source = Source::from_text(name, text, options.notation)?;
        parse_source(source, options)
    }

    /// Parses and checks a rulesheet that should be UTF-8.
    ///
    /// # Errors
    /// As [`Rules::parse`], and if the bytes are not UTF-8.
    pub fn parse_bytes(name: &str, bytes: &[u8]) -> Result<Parsed, Diagnostics> {
        let options = ReadOptions::default();
        let source = Source::from_bytes(name, bytes, options.notation)?;
        parse_source(source, &options)
    }

    /// Reads, parses and checks a rulesheet. The path `-` is standard input, which is read once
    /// and the same each time.
    ///
    /// # Errors
    /// As [`Rules::parse_bytes`], and if the file cannot be read.
    pub fn read(path: impl AsRef<Path>) -> Result<Parsed, ReadError> {
        Rules::read_with(path, &ReadOptions::default())
    }

    /// As [`Rules::read`], with options.
    ///
    /// # Errors
    /// As for [`Rules::read`].
    pub fn read_with(path: impl AsRef<Path>, options: &ReadOptions) -> Result<Parsed, ReadError> {
        let source = Source::read(path, options.notation)?;
        Ok(parse_source(source, options)?)
    }
}

fn parse_source(source: Source, options: &ReadOptions) -> Result<Parsed, Diagnostics> {
    let mut diagnostics = Diagnostics::new(source.clone());
    let tree = syntax::parse(&source, &mut diagnostics);
    let of_syntax = diagnostics.len();
    if let Some((wrapper, list)) = tree.wrapper() {
        diagnostics.push(wrapped(wrapper, list));
    }
    let is_complete = !diagnostics.has_errors();
    let is_plain = source.notation() == Notation::Prefix && diagnostics.is_empty();
    let Reading {
        reader,
        mut rules,
        declarations,
        ..
    } = reading::read(&tree, &diagnostics, options.lenient);
    let mut workspace = reader.workspace;
    let roles = check::find_roles(&rules, &mut workspace);
    check::check_dependencies(&rules, &reader.misplaced, options.lenient, &mut workspace);
    declarations.leave_out_wrong(&mut rules, &mut workspace);
    if options.lenient {
        let Workspace {
            relations, terms, ..
        } = &mut workspace;
        rules = normalize::without_moves_in_states(rules, relations, terms);
    }
    // The checks that follow are about missing things, and would report things left
    // out because of an error.
    if is_complete && tree.statements().next().is_none() {
        workspace.diagnostics.push(empty());
    } else if is_complete {
        check::check_keywords(reader.heads, &mut workspace);
    }
    if !workspace.diagnostics.has_errors() {
        check::check_uses(&rules, &roles, &mut workspace);
        check::check_usage(&rules, &mut workspace);
        check::check_constants(&rules, &mut workspace);
    }
    let Workspace {
        relations, terms, ..
    } = &mut workspace;
    normalize::without_derived_keywords(&mut rules, relations, terms);
    if source.notation() == Notation::Infix {
        // Messages about the meaning of rules are written in prefix form.
        workspace.diagnostics.rephrase(of_syntax, syntax::rephrase);
    }
    let rules = Rules {
        prefix: (!is_plain).then(|| tree.statements_text().into()),
        source,
        terms: workspace.terms,
        relations: workspace.relations.list,
        rules: rules.into_iter().map(|placed| placed.rule).collect(),
        roles,
    };
    let mut diagnostics = workspace.diagnostics;
    diagnostics.sort();
    match diagnostics.has_errors() {
        true => Err(diagnostics),
        false => Ok(Parsed {
            rules,
            warnings: diagnostics,
        }),
    }
}

fn wrapped(wrapper: Wrapper, list: Form<'_>) -> Diagnostic {
    let (message, help) = match wrapper {
        Wrapper::Parentheses => (
            "the rulesheet is in one more pair of parentheses",
            "remove the first and the last parenthesis: other players do not read this",
        ),
        Wrapper::Message => (
            "this is a message of the GGP protocol, not a rulesheet",
            "save the rules alone: other programs do not read this",
        ),
    };
    Diagnostic::warning(Code::WrappedRules, message)
        .at(list.span(), "the rules in it are read")
        .help(help)
}

fn empty() -> Diagnostic {
    Diagnostic::error(Code::EmptyFile, "the rulesheet is empty")
        .help("it contains only spaces and comments: is this the right file?")
}
