//! The view of a match in the terminal.

use propjit::matches::History;

/// How wide lines are, if words allow that.
const WIDTH: usize = 80;

/// The propositions that hold, many on a line.
pub(super) fn state(history: &History) -> String {
    let fluents = wrap(history.fluents(), 1);
    format!("\nafter {} joint moves:\n{fluents}", history.depth())
}

/// The first moves with their numbers.
pub(super) fn moves(moves: &[String], most: usize) -> String {
    let numbered = (1..).zip(moves).take(most);
    let numbered = numbered.map(|(number, text)| format!("{number:>3} {text}"));
    let text = format!("your moves:\n{}", wrap(numbered.collect(), 2));
    match moves.len() <= most {
        true => text,
        false => format!("{text}  ... `moves` lists all {}\n", moves.len()),
    }
}

/// What was entered, or its start if it is long, with nothing in it that moves a cursor.
pub(super) fn start(text: &str) -> String {
    let start: String = text.chars().take(WIDTH / 2).collect();
    start.replace(char::is_control, " ")
}

/// Words in columns at least `gap` blanks apart.
fn wrap(words: Vec<String>, gap: usize) -> String {
    let widths = words.iter().map(|word| word.chars().count());
    let column = widths.max().unwrap_or(0) + gap;
    let each_line = (WIDTH / column).max(1);
    let lines = words.chunks(each_line).map(|words| {
        let line: String = words.iter().map(|word| format!("{word:column$}")).collect();
        format!("  {}\n", line.trim_end())
    });
    lines.collect()
}
