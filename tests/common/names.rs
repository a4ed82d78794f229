//! Rulesheets with other names.

use std::collections::HashMap;

/// A text with each word, but those that have a meaning, replaced by another one.
pub(crate) fn scrambled(text: &str, names: &mut HashMap<String, String>) -> String {
    const KEPT: [&str; 16] = [
        "role", "init", "true", "does", "legal", "next", "terminal", "goal", "base", "input",
        "distinct", "not", "or", "<=", "random", "sees",
    ];
    let mut found = String::new();
    for line in text.lines() {
        let line = line.split(';').next().unwrap_or_default();
        let line = line.replace('(', " ( ").replace(')', " ) ");
        for word in line.split_whitespace() {
            let is_name = word.starts_with(|c: char| c.is_alphabetic());
            if is_name && !KEPT.contains(&word) {
                // In another order than the names.
                let number = names.len();
                let name = names.entry(word.to_string());
                let name = name.or_insert_with(|| format!("w{}", (number * 7919 + 13) % 10007));
                found.push_str(name);
            } else {
                found.push_str(word);
            }
            found.push(' ');
        }
        found.push('\n');
    }
    found
}
