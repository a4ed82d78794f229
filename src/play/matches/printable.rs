//! Text that somebody else has written, as it may be shown.

/// How many characters an excerpt has at most.
const MOST: usize = 60;

/// Whether a character changes the direction in which others are written.
fn is_directional(c: char) -> bool {
    matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// The text with nothing in it that moves a cursor, or changes the order of characters.
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

/// The text as it may be shown, with nothing in it that moves a cursor, or its start if it is long.
pub fn excerpt(text: &str) -> String {
    match text.char_indices().nth(MOST) {
        None => printable(text),
        Some((end, _)) => format!("{}...", printable(&text[..end])),
    }
}
