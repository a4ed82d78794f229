//! Term skeletons: decomposition of terms into their shape, which they share with others, and their
//! constants.
//!
//! The shape of `(cell 1 (pos 2) x)` is `(cell _ (pos _) _)`; its constants are `1`, `2` and `x`. So
//! all cells have the same shape, however the rules nest their parts.

use crate::game::vocabulary::terms::tokens;

/// A decomposed term: equal shapes have the same number of constants.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Shaped<'a> {
    pub(crate) shape: String,
    pub(crate) constants: Vec<&'a str>,
}

impl<'a> Shaped<'a> {
    /// Returns the parts of a ground term in canonical text.
    pub(crate) fn of(text: &'a str) -> Shaped<'a> {
        let mut shape = String::new();
        let mut constants = Vec::new();
        let mut is_functor = true;
        for token in tokens(text) {
            match token {
                "(" | ")" => shape.push_str(token),
                functor if is_functor => shape.push_str(functor),
                constant => {
                    shape.push_str(" _");
                    constants.push(constant);
                }
            }
            is_functor = token == "(";
        }
        Shaped { shape, constants }
    }
}

/// Returns the name in front of a shape.
pub(crate) fn functor(shape: &str) -> &str {
    let name = shape.trim_start_matches('(');
    let end = name.find(['(', ')', ' ']).unwrap_or(name.len());
    &name[..end]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terms_come_apart() {
        for (text, shape, constants) in [
            ("(cell 1 2 x)", "(cell _ _ _)", &["1", "2", "x"][..]),
            ("(on (pos a b) w)", "(on(pos _ _) _)", &["a", "b", "w"]),
            ("ended", "ended", &[]),
            ("(f (g))", "(f(g))", &[]),
        ] {
            let shaped = Shaped::of(text);
            assert_eq!(shaped.shape, shape);
            assert_eq!(shaped.constants, constants);
        }
        assert_eq!(functor("(on(pos _ _) _)"), "on");
        assert_eq!(functor("ended"), "ended");
    }
}
