//! Untrusted text, made safe to print.

/// How many characters an excerpt has at most.
const MOST: usize = 60;

/// Returns whether a character changes the direction in which others are written.
fn is_directional(c: char) -> bool {
    matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Returns the text without characters that move a cursor, or change the order of others.
pub(crate) fn printable(text: &str) -> String {
    let shown = |c: char| {
        if c.is_control() || is_directional(c) {
            ' '
        } else {
            c
        }
    };
    text.chars().map(shown).collect()
}

/// Returns the text in printable form, without characters that move a cursor, or its start if it is
/// long.
pub fn excerpt(text: &str) -> String {
    match text.char_indices().nth(MOST) {
        None => printable(text),
        Some((end, _)) => format!("{}...", printable(&text[..end])),
    }
}
