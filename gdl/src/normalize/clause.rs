//! Clauses: rules between forms and [`Rule`](crate::rules::Rule)s.

use std::rc::Rc;

use crate::rules::{Atom, Literal, Pattern, Var};
use crate::source::Span;
use crate::term::Symbol;

/// A value with its place in the source.
#[derive(Clone, Debug)]
pub(crate) struct Spanned<T> {
    pub(crate) value: T,
    pub(crate) span: Span,
}

/// A condition without `and` and `or`.
#[derive(Clone, Debug)]
pub(crate) enum Condition {
    Literal(Literal),
    /// Both are the same term: `(not (distinct s t))`.
    Equal(Pattern, Pattern),
}

/// A body in negation normal form: `not` stands before atoms only. The nesting
/// depth is limited as that of the forms is.
#[derive(Clone, Debug)]
pub(crate) enum Formula {
    Condition(Spanned<Condition>),
    All(Vec<Formula>),
    Any(Spanned<Vec<Formula>>),
}

/// `head` holds if `body` does.
#[derive(Clone, Debug)]
pub(crate) struct Clause<Body> {
    pub(crate) head: Spanned<Atom>,
    pub(crate) body: Vec<Body>,
    /// The names of the variables; not all of them need to occur.
    pub(crate) variables: Rc<[Symbol]>,
    pub(crate) span: Span,
}

/// A clause without `or`.
pub(crate) type Conjunction = Clause<Spanned<Condition>>;

impl Condition {
    pub(crate) fn for_each_var(&self, visit: &mut impl FnMut(Var)) {
        match self {
            Condition::Literal(literal) => literal.for_each_var(visit),
            Condition::Equal(a, b) => {
                a.for_each_var(visit);
                b.for_each_var(visit);
            }
        }
    }

    fn size(&self) -> usize {
        let size = |patterns: &[Pattern]| patterns.iter().map(Pattern::size).sum::<usize>();
        1 + match self {
            Condition::Literal(Literal::Positive(atom) | Literal::Negative(atom)) => {
                size(&atom.args)
            }
            Condition::Literal(Literal::Distinct(a, b)) | Condition::Equal(a, b) => {
                a.size() + b.size()
            }
        }
    }
}

impl Formula {
    pub(crate) fn for_each_var(&self, visit: &mut impl FnMut(Var)) {
        match self {
            Formula::Condition(condition) => condition.value.for_each_var(visit),
            Formula::All(parts) | Formula::Any(Spanned { value: parts, .. }) => {
                parts.iter().for_each(|part| part.for_each_var(visit));
            }
        }
    }

    /// Whether there is an `or` in it.
    pub(crate) fn has_or(&self) -> bool {
        match self {
            Formula::Condition(_) => false,
            Formula::All(parts) => parts.iter().any(Formula::has_or),
            Formula::Any(_) => true,
        }
    }

    /// The number of conditions, names and variables.
    pub(crate) fn size(&self) -> usize {
        match self {
            Formula::Condition(condition) => condition.value.size(),
            Formula::All(parts) | Formula::Any(Spanned { value: parts, .. }) => {
                1 + parts.iter().map(Formula::size).sum::<usize>()
            }
        }
    }
}
