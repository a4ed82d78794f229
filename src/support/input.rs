//! Texts that users name: files, or `-` for standard input.

use std::fs;
use std::io::{self, Read};
use std::path::Path;

/// The name of standard input.
pub(crate) const STANDARD_INPUT: &str = "-";

/// Reads the text in a file, or in all of standard input, except for an incomplete character at the
/// end, as left by a process that was killed.
///
/// # Errors
/// When it cannot be read, or is no text.
pub fn read_text(path: &Path) -> io::Result<String> {
    let mut bytes = Vec::new();
    match path.to_str() {
        Some(STANDARD_INPUT) => io::stdin().read_to_end(&mut bytes)?,
        _ => fs::File::open(path)?.read_to_end(&mut bytes)?,
    };
    text(&bytes).map(str::to_string)
}

/// Returns the text in bytes, except for an incomplete character at the end, as left by a process
/// that was killed.
///
/// # Errors
/// When they are no text.
pub(crate) fn text(bytes: &[u8]) -> io::Result<&str> {
    str::from_utf8(bytes).or_else(|error| {
        let (text, rest) = bytes.split_at(error.valid_up_to());
        match error.error_len() {
            None => Ok(str::from_utf8(text).unwrap_or_default()),
            Some(_) => Err(io::Error::new(
                io::ErrorKind::InvalidData,
                format!(
                    "not UTF-8 text: byte {:#04x} at offset {}; is this the right file?",
                    rest[0],
                    text.len()
                ),
            )),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_text_is_told_with_its_place() {
        let whole = "(mark é)".as_bytes();
        assert_eq!(text(whole).unwrap(), "(mark é)");
        assert_eq!(text(&whole[..7]).unwrap(), "(mark ");
        let error = text(b"ab\xd4(").unwrap_err().to_string();
        assert!(error.contains("byte 0xd4 at offset 2"), "{error}");
    }
}
