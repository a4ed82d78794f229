//! Parsing of ground terms: moves that people type, saved states.

use propjit_gdl::term::{TermId, Terms};

/// A name that does not belong to the game.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum UnknownName {
    /// The text spells no move of the role in any state.
    #[error("{role} does not have a move `{text}`")]
    Move {
        /// The role's name.
        role: String,
        /// The text as given.
        text: String,
    },
    /// The text spells nothing that the role may perceive.
    #[error("{role} can never perceive `{text}`")]
    Percept {
        /// The role's name.
        role: String,
        /// The text as given.
        text: String,
    },
    /// The text spells no proposition of the game.
    #[error("`{0}` is not a proposition of the game")]
    Fluent(String),
}

/// Reads one ground term with any blanks. `None` if the text is not exactly one term, or if
/// `find` does not know a part of it.
///
/// `find` returns the term with a functor and arguments. As everywhere in GDL,
/// `(p)` is `p`.
fn read_term(
    text: &str,
    mut find: impl FnMut(&str, &[TermId]) -> Option<TermId>,
) -> Option<TermId> {
    // An explicit stack, for terms nested deeper than the call stack.
    let mut open: Vec<(&str, Vec<TermId>)> = Vec::new();
    let mut done = None;
    let mut tokens = tokens(text);
    while let Some(token) = tokens.next() {
        if done.is_some() {
            return None;
        }
        let term = match token {
            "(" => {
                let functor = tokens.next().filter(|&name| name != "(" && name != ")")?;
                open.push((functor, Vec::new()));
                continue;
            }
            ")" => {
                let (functor, args) = open.pop()?;
                find(functor, &args)?
            }
            constant => find(constant, &[])?,
        };
        match open.last_mut() {
            Some((_, args)) => args.push(term),
            None => done = Some(term),
        }
    }
    done.filter(|_| open.is_empty())
}

/// Splits text into parentheses and names.
pub(crate) fn tokens(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        rest = rest.trim_start();
        let first = rest.chars().next()?;
        let end = match first {
            '(' | ')' => 1,
            _ => rest
                .find(|c: char| c == '(' || c == ')' || c.is_whitespace())
                .unwrap_or(rest.len()),
        };
        let (token, after) = rest.split_at(end);
        rest = after;
        Some(token)
    })
}

/// Returns the term that `text` spells if it is in the table.
pub(crate) fn find_term(terms: &Terms, text: &str) -> Option<TermId> {
    read_term(text, |name, args| {
        terms.find(terms.find_symbol(name)?, args)
    })
}

/// Returns the term that `text` spells, entered in the table if it is new. `None` if it does not
/// spell one.
pub(crate) fn enter_term(terms: &mut Terms, text: &str) -> Option<TermId> {
    read_term(text, |name, args| {
        let functor = terms.symbol(name);
        Some(terms.term(functor, args))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blanks_do_not_matter() {
        let mut terms = Terms::new();
        let term = enter_term(&mut terms, " ( move(cell 1 2)\t( cell  1 3 ) )\n").unwrap();
        assert_eq!(terms.text(term), "(move (cell 1 2) (cell 1 3))");
        assert_eq!(
            find_term(&terms, "(move (cell 1 2) (cell 1 3))"),
            Some(term)
        );
        assert_eq!(find_term(&terms, "(noop)"), None);
        let noop = enter_term(&mut terms, "noop").unwrap();
        assert_eq!(find_term(&terms, "(noop)"), Some(noop));
    }

    #[test]
    fn only_single_terms_are_read() {
        for bad in [
            "", " ", "()", "(", ")", "a b", "(a", "a)", "(a) (b)", "((a) b)", "(a b))",
        ] {
            assert_eq!(enter_term(&mut Terms::new(), bad), None, "{bad:?}");
        }
    }

    #[test]
    fn depth_is_not_limited() {
        let text = format!("{}0{}", "(s ".repeat(1_000_000), ")".repeat(1_000_000));
        let mut terms = Terms::new();
        let term = enter_term(&mut terms, &text).unwrap();
        assert_eq!(terms.text(term), text);
    }
}
