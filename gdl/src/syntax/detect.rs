//! Detection of the notation of a text.

use super::infix;
use crate::source::Notation;

/// The notation that a text is most likely in.
///
/// Statements of infix form start with a name, never with a parenthesis. Beyond that, what only one of
/// the forms has is counted: `(` directly after a name and `,` or `:-`, or else `(` after a blank and `?x`. Comments
/// with `%` decide where that is even.
///
/// ```
/// use propjit_gdl::source::Notation;
/// use propjit_gdl::syntax::notation_of;
/// assert_eq!(notation_of("(role white)"), Notation::Prefix);
/// assert_eq!(notation_of("% coin\nrole(white)"), Notation::Infix);
/// ```
pub fn notation_of(text: &str) -> Notation {
    use infix::TokenKind as Kind;
    let (mut prefix, mut infix) = (0, 0);
    // The end and the kind of the token before.
    let mut last: Option<(u32, Kind)> = None;
    let mut is_marked = false;
    for token in infix::Lexer::new(text) {
        let rest = &text[token.span.start as usize..];
        match token.kind {
            Kind::Comment => {
                is_marked |= rest.starts_with('%');
                continue;
            }
            Kind::Open => match last {
                None => return Notation::Prefix,
                Some((end, Kind::Name | Kind::Variable | Kind::Quoted))
                    if end == token.span.start =>
                {
                    infix += 1;
                }
                Some((_, Kind::Name | Kind::Variable | Kind::Close | Kind::Unknown)) => prefix += 1,
                // A group of conditions.
                Some(_) => {}
            },
            Kind::Comma => infix += 1,
            Kind::If => match rest.starts_with(":-") {
                true => infix += 1,
                false => prefix += 1,
            },
            Kind::Unknown if rest.starts_with('?') => prefix += 1,
            _ => {}
        }
        last = Some((token.span.end, token.kind));
    }
    match infix > prefix || infix == prefix && is_marked {
        true => Notation::Infix,
        false => Notation::Prefix,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notations() {
        use Notation::{Infix, Prefix};
        for (text, notation) in [
            ("", Prefix),
            ("; (role x)\n(role x)", Prefix),
            ("((role x) (role y))", Prefix),
            ("(not(true(cell ?m ?n b)))(or(p)(q))", Prefix),
            ("busy\n(role x)", Prefix),
            ("Tic tac toe, the game\n(role x)(role o)(init (a))", Prefix),
            ("role x)\n(role y)", Prefix),
            (
                "init(cell 1 1 b)\n(init(cell 1 2 b))(<= (p ?x) (q ?x))",
                Prefix,
            ),
            ("; role(x)\n\nrole(x)", Infix),
            ("role(x).", Infix),
            ("terminal :- ~open", Infix),
            ("p :- (q | r) & s", Infix),
            ("open", Prefix),
            ("% the game\nopen", Infix),
            ("legal(R,mark(M,N)) <= true(cell(M,N,b)) & (a | b)", Infix),
            (
                "legal(R, mark(M, N)) <= true(cell(M, N, b)) & (a | b)",
                Infix,
            ),
        ] {
            assert_eq!(notation_of(text), notation, "{text}");
        }
    }
}
