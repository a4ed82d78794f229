//! Text that somebody else has written, as it may be shown.

/// How many characters an excerpt has at most.
const MOST: usize = 60;

/// The text with nothing in it that moves a cursor.
pub(crate) fn printable(text: &str) -> String {
    let shown = |c: char| if c.is_control() { ' ' } else { c };
    text.chars().map(shown).collect()
}

/// The text as it may be shown, with nothing in it that moves a cursor, or its start if it is long.
pub fn excerpt(text: &str) -> String {
    match text.char_indices().nth(MOST) {
        None => printable(text),
        Some((end, _)) => format!("{}...", printable(&text[..end])),
    }
}
