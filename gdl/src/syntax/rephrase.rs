//! Messages about infix text, whose examples are written in prefix form at first.

use super::{infix, parser};
use crate::diagnostic::Diagnostics;
use crate::source::Source;

/// Puts what a message has in backquotes into infix form, as far as it is a form: names of relations, variables,
/// connectives and whole rules.
pub(crate) fn rephrase(message: &str) -> String {
    let mut pieces = message.split('`');
    let mut text = pieces.next().unwrap_or_default().to_string();
    while let Some(piece) = pieces.next() {
        text.push('`');
        text.push_str(&translate(piece).unwrap_or_else(|| piece.to_string()));
        if let Some(between) = pieces.next() {
            text.push('`');
            text.push_str(between);
        }
    }
    text
}

/// The infix form of a single form. `None` if the text is something else.
fn translate(piece: &str) -> Option<String> {
    match piece {
        "<=" => return Some(":-".to_string()),
        "and" => return Some("&".to_string()),
        "or" => return Some("|".to_string()),
        "not" => return Some("~".to_string()),
        _ => {}
    }
    // Of `(<= head condition...)`, the dots are those of more conditions.
    let (piece, more) = match piece.strip_suffix("...)") {
        Some(start) => (format!("{start})"), " & ..."),
        None => (piece.to_string(), ""),
    };
    let source = Source::new("message", &piece);
    let mut diagnostics = Diagnostics::new(source.clone());
    let tree = parser::parse(&source, &mut diagnostics);
    let mut forms = tree.forms();
    let (form, None) = (forms.next()?, forms.next()) else {
        return None;
    };
    // An option or a directive.
    if !diagnostics.is_empty() || form.name().is_some_and(|name| name.starts_with(['-', '#'])) {
        return None;
    }
    Some(infix::print(form).ok()? + more)
}

#[cfg(test)]
mod tests {
    use super::rephrase;

    #[test]
    fn pieces_in_backquotes_change() {
        for (message, expected) in [
            ("no `?m` binds", "no `M` binds"),
            (
                "write `(<= head condition...)`",
                "write `head :- condition & ...`",
            ),
            (
                "`(<= (p ?x) (or (q ?x) (not r)))`, `or` of it",
                "`p(X) :- q(X) | ~r`, `|` of it",
            ),
            ("`--lenient` plays `a b`", "`--lenient` plays `a b`"),
            ("`)` closes `(p`", "`)` closes `(p`"),
            ("odd `mark", "odd `mark"),
        ] {
            assert_eq!(rephrase(message), expected);
        }
    }
}
