//! Spelling: names that are nearly the same, as `leagl` and `legal`.

use crate::rules::Keyword;

/// Returns the keyword that a name seems to start with, and what was meant then, if the name has one argument
/// less: in `(rolewhite)` a blank is missing.
pub(super) fn run_together(name: &str, arity: usize) -> Option<(Keyword, String)> {
    let mut keywords = Keyword::ALL.into_iter();
    keywords.find_map(|keyword| {
        let rest = name.strip_prefix(keyword.name())?;
        let more = if arity > 0 { " ..." } else { "" };
        let meant = format!("({} {rest}{more})", keyword.name());
        (arity + 1 == keyword.arity() && !rest.is_empty()).then_some((keyword, meant))
    })
}

/// Returns whether the names differ by at most one typing error: a letter left out, added, replaced, or
/// exchanged with the next one; in names of eight letters or more, by two. The case of letters is
/// ignored.
///
/// Names of one or two letters are never alike.
pub(super) fn are_alike(a: &str, b: &str) -> bool {
    // There are many pairs of names in a large rulesheet, most of which differ in their letters: a slip is of two
    // letters at most.
    let letters = |name: &str| {
        let letters = name.bytes().map(|letter| letter.to_ascii_lowercase());
        letters.fold(0_u64, |set, letter| set | 1 << (letter % 64))
    };
    if a.is_ascii()
        && b.is_ascii()
        && (a.len().abs_diff(b.len()) > 2 || (letters(a) ^ letters(b)).count_ones() > 4)
    {
        return false;
    }
    let [a, b] = [a, b].map(|name| name.to_lowercase().chars().collect::<Vec<char>>());
    let shorter = a.len().min(b.len());
    let slips = if shorter >= 8 { 2 } else { 1 };
    shorter >= 3 && a.len().abs_diff(b.len()) <= slips && distance(&a, &b) <= slips
}

/// The number of letters to leave out, add, replace or exchange with the next one, none of them
/// twice (the optimal string alignment distance).
fn distance(a: &[char], b: &[char]) -> usize {
    // The last two rows of the table of distances between beginnings.
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, y) in b.iter().enumerate() {
            let replaced = last[j] + usize::from(x != y);
            let mut least = replaced.min(last[j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && *x == b[j - 1] && a[i - 1] == *y {
                least = least.min(before[j - 1] + 1);
            }
            row.push(least);
        }
        before = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}

#[cfg(test)]
mod tests {
    use super::are_alike;

    #[test]
    fn slips_are_seen() {
        for (a, b, alike) in [
            ("leagl", "legal", true),
            ("gaol", "goal", true),
            ("nxt", "next", true),
            ("Goals", "goal", true),
            ("termnial", "terminal", true),
            ("terminl", "terminal", true),
            ("trminl", "terminal", false),
            ("adjacentt", "adjecent", true),
            ("row", "col", false),
            ("ab", "ac", false),
            ("line", "long", false),
            ("", "abc", false),
        ] {
            assert_eq!(are_alike(a, b), alike, "{a} {b}");
            assert_eq!(are_alike(b, a), alike, "{b} {a}");
        }
    }
}
