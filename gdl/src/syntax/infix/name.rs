//! Names in both notations: `?row` is `Row` in infix form, `Wplayer` is `'Wplayer'`.

use std::borrow::Cow;

use rustc_hash::{FxHashMap, FxHashSet};

use super::lexer::{Lexer, Token, TokenKind, is_name_part};
use crate::syntax::Form;
use crate::syntax::lexer::is_blank;

/// Why prefix form cannot spell a quoted name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Unspellable {
    Empty,
    /// It has a character that ends names there.
    Character(char),
    /// It would be a variable.
    Variable,
}

/// The prefix form of a token that is a name.
pub(super) fn from_infix(kind: TokenKind, text: &str) -> Option<Cow<'_, str>> {
    match kind {
        TokenKind::Name => Some(text.into()),
        TokenKind::Variable => Some(variable_from_infix(text).into()),
        TokenKind::Quoted => constant_from_infix(text).ok().map(Cow::from),
        _ => None,
    }
}

/// The prefix form of a variable. Different ones have different forms.
pub(super) fn variable_from_infix(name: &str) -> String {
    let mut chars = name.chars();
    match chars.next().and_then(small) {
        Some(first) => format!("?{first}{}", chars.as_str()),
        None => format!("?{name}"),
    }
}

/// The variable that has this prefix form, if one does.
fn variable_to_infix(name: &str) -> Option<String> {
    let name = name.strip_prefix('?')?;
    let mut chars = name.chars();
    let first = chars.next()?;
    if name == "_" || !name.chars().all(is_name_part) || small(first).is_some() {
        return None;
    }
    let capital = match first {
        '_' => '_',
        _ if first.is_uppercase() => first,
        _ => capital(first)?,
    };
    Some(format!("{capital}{}", chars.as_str()))
}

/// The small letter of a capital, if the capital can be told from it.
fn small(letter: char) -> Option<char> {
    let mut all = letter.to_lowercase();
    let small = all.next().filter(|_| letter.is_uppercase())?;
    let is_reversible = all.next().is_none() && capital(small) == Some(letter);
    is_reversible.then_some(small)
}

fn capital(letter: char) -> Option<char> {
    let mut all = letter.to_uppercase();
    let capital = all.next().filter(|&capital| capital != letter)?;
    all.next().is_none().then_some(capital)
}

/// The infix form of the name of a constant, function or relation.
pub(super) fn constant_to_infix(name: &str) -> Cow<'_, str> {
    let mut tokens = Lexer::new(name);
    if let Some(Token { kind, span }) = tokens.next()
        && (span.start, span.end as usize) == (0, name.len())
        && (kind == TokenKind::Name || kind == TokenKind::Quoted && name.starts_with('"'))
    {
        return name.into();
    }
    let escaped = name.replace('\\', "\\\\").replace('\'', "\\'");
    format!("'{escaped}'").into()
}

/// The prefix form of a quoted name. A text in double quotes keeps them, so that it differs from the name.
pub(super) fn constant_from_infix(quoted: &str) -> Result<String, Unspellable> {
    let name = match quoted.strip_prefix('\'') {
        Some(rest) => unescape(rest.strip_suffix('\'').unwrap_or(rest)),
        None => quoted.to_string(),
    };
    let ends_name = |&c: &char| matches!(c, '(' | ')' | ';') || is_blank(c);
    match name.chars().find(ends_name) {
        Some(c) => Err(Unspellable::Character(c)),
        None if name.is_empty() => Err(Unspellable::Empty),
        None if name.starts_with('?') => Err(Unspellable::Variable),
        None => Ok(name),
    }
}

/// The text between single quotes, without backslashes before characters and with single instead of doubled quotes.
fn unescape(text: &str) -> String {
    let mut name = String::new();
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' | '\'' => name.extend(chars.next()),
            _ => name.push(c),
        }
    }
    name
}

/// The infix names of the variables of a form.
pub(in crate::syntax) struct VariableNames<'a>(FxHashMap<&'a str, String>);

impl<'a> VariableNames<'a> {
    /// Gives each variable the name that is read as this one, or else one that no other has.
    pub(in crate::syntax) fn of(form: Form<'a>) -> VariableNames<'a> {
        let mut names: FxHashMap<&str, String> = FxHashMap::default();
        let mut others: Vec<&str> = Vec::new();
        for name in form.names().filter(|name| name.starts_with('?')) {
            match variable_to_infix(name) {
                Some(exact) => _ = names.insert(name, exact),
                None if others.contains(&name) => {}
                None => others.push(name),
            }
        }
        let mut used: FxHashSet<String> = names.values().cloned().collect();
        for name in others {
            let part = |c: char| if is_name_part(c) { c } else { '_' };
            let stem: String = name.chars().skip(1).map(part).collect();
            let mut chars = stem.chars();
            let stem = match chars.next() {
                Some(first) if first.is_uppercase() => stem,
                Some(first) if capital(first).is_some_and(char::is_uppercase) => {
                    capital(first).into_iter().chain(chars).collect()
                }
                _ => format!("V{stem}"),
            };
            let numbered = (2..).map(|number| format!("{stem}{number}"));
            let mut all = std::iter::once(stem.clone()).chain(numbered);
            let new = all.find(|new| used.insert(new.clone()));
            names.insert(name, new.unwrap_or_default());
        }
        VariableNames(names)
    }

    /// The infix form of a name.
    pub(super) fn spell<'n>(&'n self, name: &'n str) -> Cow<'n, str> {
        match self.0.get(name) {
            Some(variable) => variable.into(),
            None => constant_to_infix(name),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables() {
        for (infix, prefix) in [
            ("M", "?m"),
            ("Row2", "?row2"),
            ("_x", "?_x"),
            ("_1", "?_1"),
            ("É", "?é"),
            ("İ", "?İ"),
        ] {
            assert_eq!(variable_from_infix(infix), prefix);
            assert_eq!(variable_to_infix(prefix).as_deref(), Some(infix));
        }
        for prefix in ["?X", "?1", "?a-b", "?_", "?", "?ß"] {
            assert_eq!(variable_to_infix(prefix), None, "{prefix}");
        }
    }

    #[test]
    fn constants() {
        for (prefix, infix) in [
            ("cell", "cell"),
            ("3am", "3am"),
            ("-7", "-7"),
            ("62.5", "62.5"),
            ("Wplayer", "'Wplayer'"),
            ("a-b", "'a-b'"),
            ("a.b", "'a.b'"),
            ("it's", "'it\\'s'"),
            ("\\", "'\\\\'"),
            ("%", "'%'"),
            ("\"a\"", "\"a\""),
            ("\"", "'\"'"),
        ] {
            assert_eq!(constant_to_infix(prefix), infix);
            if infix.starts_with(['\'', '"']) {
                assert_eq!(constant_from_infix(infix).as_deref(), Ok(prefix));
            }
        }
        assert_eq!(constant_from_infix("'It''s'").as_deref(), Ok("It's"));
        for (quoted, why) in [
            ("''", Unspellable::Empty),
            ("'a b'", Unspellable::Character(' ')),
            ("\"a;\"", Unspellable::Character(';')),
            ("'?x'", Unspellable::Variable),
        ] {
            assert_eq!(constant_from_infix(quoted), Err(why));
        }
    }
}
