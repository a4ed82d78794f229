//! Texts that users name: files, or `-` for standard input.

use std::fs;
use std::io;
use std::path::Path;

/// The name of standard input.
pub(crate) const STANDARD_INPUT: &str = "-";

/// The text in a file, or all of standard input.
pub(crate) fn read_text(path: &Path) -> io::Result<String> {
    match path.to_str() {
        Some(STANDARD_INPUT) => io::read_to_string(io::stdin()),
        _ => fs::read_to_string(path),
    }
}
