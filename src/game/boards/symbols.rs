//! Short names for the contents of a board.

use std::collections::{BTreeMap, BTreeSet};

/// The length of names that fit into a cell unabbreviated.
const SHORT: usize = 2;

/// Returns a different symbol of one or two characters for each of these, as long as there are
/// enough.
pub(super) fn symbols(contents: &BTreeSet<String>) -> BTreeMap<String, String> {
    let is_short = |content: &&String| content.chars().count() <= SHORT;
    let mut taken: BTreeSet<String> = contents.iter().filter(is_short).cloned().collect();
    let mut all = BTreeMap::new();
    for content in contents {
        let symbol = match is_short(&content) {
            true => content.clone(),
            false => {
                let mut names = abbreviations(content);
                let free = names.find(|name| !taken.contains(name));
                free.unwrap_or_else(|| content.clone())
            }
        };
        taken.insert(symbol.clone());
        all.insert(content.clone(), symbol);
    }
    all
}

/// Abbreviations of some words, the best one first: of `white knight`, `wk`, `wn`, `wi` and so on.
fn abbreviations(content: &str) -> impl Iterator<Item = String> {
    let is_number = content.chars().all(|c| c.is_ascii_digit() || c == '-');
    let whole = is_number.then(|| content.to_string());
    let words = words(content);
    let first = words.first().and_then(|word| word.chars().next());
    let first = first.unwrap_or('?');
    let (single, rest) = match &words[..] {
        [.., last] if words.len() > 1 => (None, last.to_lowercase().chars().collect()),
        [word] => (
            Some(first.to_string()),
            word.chars().skip(1).collect::<Vec<char>>(),
        ),
        _ => (None, Vec::new()),
    };
    let pairs = rest
        .into_iter()
        .map(move |second| format!("{first}{second}"));
    let numbered = (1..100).map(move |number| format!("{first}{number}"));
    whole.into_iter().chain(single).chain(pairs).chain(numbered)
}

/// Returns the words in a text, also those of `whiteKnight`.
fn words(text: &str) -> Vec<&str> {
    let ends = |part: &str| -> Vec<usize> {
        let letters = part.char_indices().zip(part.chars().skip(1));
        let humps = letters.filter(|&((_, a), b)| a.is_lowercase() && b.is_uppercase());
        let ends = humps.map(|((at, a), _)| at + a.len_utf8());
        ends.chain([part.len()]).collect()
    };
    let parts = text.split(|c: char| !c.is_alphanumeric());
    let words = parts.flat_map(|part| {
        let mut start = 0;
        let words = ends(part).into_iter().map(move |end| {
            let word = &part[start..end];
            start = end;
            word
        });
        words.filter(|word| !word.is_empty())
    });
    words.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn symbols_differ() {
        for (contents, expected) in [
            (&["white", "black", "b"][..], &["w", "bl", "b"][..]),
            (&["white king", "white knight"], &["wk", "wn"]),
            (&["white", "whale"], &["wh", "w"]),
            (&["whiteKing", "white"], &["wk", "w"]),
            (&["120", "7", "red"], &["120", "7", "r"]),
        ] {
            let all = contents.iter().map(|c| c.to_string()).collect();
            let symbols = symbols(&all);
            let found: Vec<&str> = contents.iter().map(|c| symbols[*c].as_str()).collect();
            assert_eq!(found, expected);
        }
    }
}
