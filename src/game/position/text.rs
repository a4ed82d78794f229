//! Lenient parsing of moves spelled by other programs.
//!
//! A move may be spelled as in `ggp-base` and other players: with any blanks, `(noop)` for `noop`, and letters in
//! another case if the move is unambiguous. Text is compared with legal moves only, so that no text from the network is
//! ever entered in a table.

use propjit_gdl::syntax::{Lexer, TokenKind};

/// Returns the index of the move that `text` spells among moves in canonical text.
pub fn find_text(moves: &[String], text: &str) -> Option<usize> {
    // Text from this process is canonical.
    if let Some(at) = moves.iter().position(|played| played == text) {
        return Some(at);
    }
    let wanted = plain(text)?;
    let plain: Vec<Option<String>> = moves.iter().map(|played| plain(played)).collect();
    let same = |other: &Option<String>| other.as_ref() == Some(&wanted);
    if let Some(at) = plain.iter().position(same) {
        return Some(at);
    }
    let wanted = wanted.to_lowercase();
    let similar = |other: &Option<String>| {
        let other = other.as_ref();
        other.is_some_and(|other| other.to_lowercase() == wanted)
    };
    let mut found = plain.iter().enumerate().filter(|(_, other)| similar(other));
    match (found.next(), found.next()) {
        (Some((at, _)), None) => Some(at),
        _ => None,
    }
}

/// Returns the one term in `text` with single blanks, and constants without parentheses;
/// `None` if it is not one term.
fn plain(text: &str) -> Option<String> {
    let mut plain: Vec<&str> = Vec::new();
    // The start of each open list, and the number of forms in it.
    let mut open: Vec<(usize, usize)> = Vec::new();
    for token in Lexer::new(text) {
        let name = &text[token.span.start as usize..token.span.end as usize];
        if token.kind == TokenKind::Close {
            match open.pop()? {
                (_, 0) => return None,
                (start, 1) => plain[start] = "",
                _ => plain.push(")"),
            }
            continue;
        }
        match open.last_mut() {
            Some((_, forms)) => {
                if *forms > 0 {
                    plain.push(" ");
                }
                *forms += 1;
            }
            None if plain.is_empty() => {}
            None => return None,
        }
        if token.kind == TokenKind::Open {
            open.push((plain.len(), 0));
        }
        plain.push(name);
    }
    (open.is_empty() && !plain.is_empty()).then(|| plain.concat())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_of_moves() {
        let moves = ["noop", "(mark 1 2)", "(Mark 1 3)", "(mark 1 3)", "(go (a))"];
        let moves = moves.map(String::from);
        for (text, found) in [
            ("noop", Some(0)),
            (" ( NOOP ) ", Some(0)),
            ("((noop))", Some(0)),
            ("(mark(1)2) ; a comment", Some(1)),
            ("( MARK\n1\t2 )", Some(1)),
            ("( Mark 1 3 )", Some(2)),
            ("(mark 1  3)", Some(3)),
            // Ambiguous.
            ("(MARK 1 3)", None),
            ("(go a)", Some(4)),
            ("(go ((a)))", Some(4)),
            ("(mark 1)", None),
            ("(mark 12)", None),
            ("", None),
            ("()", None),
            ("(noop", None),
            ("noop)", None),
            ("noop noop", None),
            ("(mark 1 2) x", None),
        ] {
            assert_eq!(find_text(&moves, text), found, "{text:?}");
        }
    }

    #[test]
    fn depth_is_not_limited() {
        let deep = format!("{}0{}", "(s ".repeat(100_000), ")".repeat(100_000));
        let spaced = deep.replace('(', "( ");
        assert_eq!(find_text(&[deep], &spaced), Some(0));
        let wrapped = format!("{}noop{}", "(".repeat(500_000), ")".repeat(500_000));
        assert_eq!(find_text(&["noop".to_string()], &wrapped), Some(0));
    }
}
