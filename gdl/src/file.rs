//! Rulesheet files: read as text, within a limit of size.
//!
//! Text is UTF-8. Files of other encodings are read nevertheless if they differ from it only in comments.

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::source::{Notation, Source, Span};
use crate::syntax::{self, notation_of};

/// The size of the largest rulesheet that is read: 64 MiB.
pub const MAX_BYTES: usize = 64 << 20;

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
    /// The file is no text, or does not define a game. The error prints like the output of a compiler.
    #[error(transparent)]
    Invalid(#[from] Diagnostics),
}

impl Source {
    /// Reads a rulesheet without parsing it, in the given notation or the one that it seems to be in. The path `-` is
    /// standard input, which is read once and the same each time.
    ///
    /// # Errors
    /// If the file cannot be read, is larger than [`MAX_BYTES`], or is not UTF-8 text outside of comments.
    pub fn read(path: impl AsRef<Path>, notation: Option<Notation>) -> Result<Source, ReadError> {
        let path = path.as_ref();
        let io_error = |source| ReadError::Io {
            path: path.to_path_buf(),
            source,
        };
        let bytes = match path.to_str() {
            Some("-") => Cow::Borrowed(standard_input().map_err(io_error)?),
            _ if path.is_dir() => {
                let message = "it is a folder: name a rulesheet in it";
                return Err(io_error(io::Error::new(
                    io::ErrorKind::IsADirectory,
                    message,
                )));
            }
            _ => Cow::Owned(File::open(path).and_then(read_limited).map_err(io_error)?),
        };
        let name = path.to_string_lossy();
        Ok(Source::from_bytes(&name, &bytes, notation)?)
    }

    /// The rulesheet of bytes that should be UTF-8.
    pub(crate) fn from_bytes(
        name: &str,
        bytes: &[u8],
        notation: Option<Notation>,
    ) -> Result<Source, Diagnostics> {
        if bytes.len() > MAX_BYTES {
            return Err(too_large(name));
        }
        match std::str::from_utf8(bytes) {
            Ok(text) => Source::from_text(name, text, notation),
            Err(_) if is_utf16(bytes) => Err(utf16(name)),
            Err(_) => Source::from_other_encoding(name, bytes, notation),
        }
    }

    /// The rulesheet of bytes that are UTF-8 except for some bytes. In comments these are read as Latin-1.
    fn from_other_encoding(
        name: &str,
        bytes: &[u8],
        notation: Option<Notation>,
    ) -> Result<Source, Diagnostics> {
        let mut text = String::with_capacity(bytes.len());
        // The bytes that are not UTF-8, with their places in the text.
        let mut strange: Vec<(u32, u8)> = Vec::new();
        for chunk in bytes.utf8_chunks() {
            text.push_str(chunk.valid());
            for &byte in chunk.invalid() {
                strange.push((text.len() as u32, byte));
                // Where Latin-1 has control characters, other encodings have letters and quotation marks.
                text.push(match byte {
                    0x80..0xa0 => char::REPLACEMENT_CHARACTER,
                    _ => char::from(byte),
                });
            }
        }
        let source = Source::from_text(name, &text, notation)?;
        let places = strange.iter().map(|&(place, _)| place);
        let Some(start) = syntax::first_in_tokens(&source, places) else {
            return Ok(source);
        };
        let (_, byte) = strange[strange.partition_point(|&(place, _)| place < start)];
        let length = text[start as usize..]
            .chars()
            .next()
            .map_or(0, char::len_utf8);
        let place = Span::new(start as usize..start as usize + length);
        let mut diagnostics = Diagnostics::new(source);
        diagnostics.push(
            Diagnostic::error(
                Code::BinaryFile,
                format!("not UTF-8 text: byte {byte:#04x} outside of a comment"),
            )
            .at(place, "no character of UTF-8")
            .help("is this the right file? Save text as UTF-8, as `iconv -f latin1 -t utf-8 old.kif > new.kif` does"),
        );
        Err(diagnostics)
    }

    /// The rulesheet of a text of any size.
    pub(crate) fn from_text(
        name: &str,
        text: &str,
        notation: Option<Notation>,
    ) -> Result<Source, Diagnostics> {
        if text.len() > MAX_BYTES {
            return Err(too_large(name));
        }
        if let Some(at) = text.bytes().position(|byte| byte == 0) {
            return Err(binary(name, at, "a NUL byte"));
        }
        let notation = notation.unwrap_or_else(|| notation_of(text));
        Ok(Source::new(name, text).with_notation(notation))
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

/// Whether bytes start with the byte order mark of UTF-16.
fn is_utf16(bytes: &[u8]) -> bool {
    bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff])
}

fn utf16(name: &str) -> Diagnostics {
    whole_file(
        name,
        Diagnostic::error(Code::BinaryFile, "not UTF-8 text: this seems to be UTF-16")
            .help("save it as UTF-8, as `iconv -f utf-16 -t utf-8 old.kif > new.kif` does"),
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
