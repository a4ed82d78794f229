//! Parsing: from a rulesheet to checked [`Rules`].

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use crate::check;
use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::normalize::{self, Workspace};
use crate::reading::{self, Reading};
use crate::rules::Rules;
use crate::source::{Notation, Source};
use crate::syntax::{self, Form, Wrapper, notation_of};

/// The size of the largest rulesheet that is read: 64 MiB.
pub const MAX_BYTES: usize = 64 << 20;

/// How rulesheets are read. By default, in the notation that they seem to be in, and as the specification says.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
#[non_exhaustive]
pub struct ReadOptions {
    /// The notation, if it is known.
    pub notation: Option<Notation>,
    /// Whether rules that the specification forbids, but that have a usual meaning, are accepted with a warning:
    /// conditions on the moves outside of `next`, which then never hold, and rules that bind their variables
    /// only where conditions refer to them.
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

/// The reason why a file could not be read as a rulesheet.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReadError {
    /// The file could not be read.
    #[error("cannot read {path}")]
    Io {
        /// The file.
        path: PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },
    /// The file does not define a game. The error prints like the output of a compiler.
    #[error(transparent)]
    Invalid(#[from] Diagnostics),
}

impl Rules {
    /// Parses and checks a rulesheet. The name, usually the file's, is for
    /// messages.
    ///
    /// # Errors
    /// If the game is not defined, or if the text is larger than [`MAX_BYTES`]; the value
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
        if text.len() > MAX_BYTES {
            return Err(too_large(name));
        }
        if let Some(at) = text.bytes().position(|byte| byte == 0) {
            return Err(binary(name, at, "a NUL byte"));
        }
        let notation = options.notation.unwrap_or_else(|| notation_of(text));
        let source = Source::new(name, text).with_notation(notation);
        let (rules, mut diagnostics) = parse_source(source, options);
        diagnostics.sort();
        match diagnostics.has_errors() {
            true => Err(diagnostics),
            false => Ok(Parsed {
                rules,
                warnings: diagnostics,
            }),
        }
    }

    /// Parses and checks a rulesheet that should be UTF-8.
    ///
    /// # Errors
    /// As [`Rules::parse`], and if the bytes are not UTF-8.
    pub fn parse_bytes(name: &str, bytes: &[u8]) -> Result<Parsed, Diagnostics> {
        Rules::parse_bytes_with(name, bytes, &ReadOptions::default())
    }

    fn parse_bytes_with(
        name: &str,
        bytes: &[u8],
        options: &ReadOptions,
    ) -> Result<Parsed, Diagnostics> {
        if bytes.len() > MAX_BYTES {
            return Err(too_large(name));
        }
        match std::str::from_utf8(bytes) {
            Ok(text) => Rules::parse_with(name, text, options),
            Err(error) => {
                let at = error.valid_up_to();
                Err(binary(name, at, &format!("byte {:#04x}", bytes[at])))
            }
        }
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
        let path = path.as_ref();
        let io_error = |source| ReadError::Io {
            path: path.to_path_buf(),
            source,
        };
        let bytes = match path.to_str() {
            Some("-") => Cow::Borrowed(standard_input().map_err(io_error)?),
            _ => Cow::Owned(File::open(path).and_then(read_limited).map_err(io_error)?),
        };
        let name = path.to_string_lossy();
        Ok(Rules::parse_bytes_with(&name, &bytes, options)?)
    }
}

/// Reads a rulesheet, or enough of it to know that it is too large.
fn read_limited(input: impl Read) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    input.take(MAX_BYTES as u64 + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// The rulesheet on standard input. It is kept, since it can be read only once.
fn standard_input() -> io::Result<&'static [u8]> {
    static INPUT: Mutex<Option<&[u8]>> = Mutex::new(None);
    let mut input = INPUT.lock().unwrap_or_else(PoisonError::into_inner);
    match *input {
        Some(bytes) => Ok(bytes),
        None => Ok(input.insert(read_limited(io::stdin())?.leak())),
    }
}

fn too_large(name: &str) -> Diagnostics {
    whole_file(
        name,
        Diagnostic::error(
            Code::TooLarge,
            format!("the rulesheet is larger than {} MiB", MAX_BYTES >> 20),
        )
        .help("the rulesheets of known games are smaller than 1 MiB: is this the right file?"),
    )
}

fn binary(name: &str, at: usize, what: &str) -> Diagnostics {
    whole_file(
        name,
        Diagnostic::error(
            Code::BinaryFile,
            format!("not UTF-8 text: {what} at offset {at}"),
        )
        .help("is this the right file? Save text as UTF-8"),
    )
}

/// A message about a whole file, whose text is not shown.
fn whole_file(name: &str, diagnostic: Diagnostic) -> Diagnostics {
    let mut diagnostics = Diagnostics::new(Source::new(name, ""));
    diagnostics.push(diagnostic);
    diagnostics
}

fn parse_source(source: Source, options: &ReadOptions) -> (Rules, Diagnostics) {
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
    let heads = reader.heads;
    let mut workspace = reader.workspace;
    let roles = check::find_roles(&rules, &mut workspace);
    check::check_dependencies(&rules, options.lenient, &mut workspace);
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
        check::check_keywords(heads, &mut workspace);
    }
    if !workspace.diagnostics.has_errors() {
        check::check_uses(&rules, &roles, &mut workspace);
        check::check_usage(&rules, &mut workspace);
    }
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
    (rules, workspace.diagnostics)
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
