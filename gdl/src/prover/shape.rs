//! Call shapes: the parts of a relation's arguments that a caller knows.
//!
//! A rule is compiled once for every shape in which it is called, so that the
//! machine never tests at run time whether a variable is bound. A shape looks
//! into compound arguments: `(true (cell 3 ?y b))` is a call of `true` with the
//! shape `(cell Bound Free Bound)`, whose *key* is `3 b` and whose *rows* have
//! one column, the values of `?y`. Neither ever stores the term `(cell ...)`.

use crate::term::{Symbol, TermId, Terms};

/// The depth to which shapes follow compound terms. Deeper structure is matched at
/// run time, so that recursive terms need finitely many shapes.
pub(super) const MAX_SHAPE_DEPTH: usize = 2;

/// The parts of one argument that a caller knows, and those that it wants.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) enum Shape {
    /// The caller supplies the term: a column of the key.
    Bound,
    /// The caller wants the term: a column of the rows.
    Free,
    /// The caller only wants to know whether there is such a term: no column at all.
    Any,
    /// Every call has this ground term here: no column either.
    Constant(TermId),
    /// The caller knows the functor, and these parts of the arguments.
    Compound(Symbol, Vec<Shape>),
}

impl Shape {
    /// Whether the caller knows the whole argument.
    pub(super) fn is_known(&self) -> bool {
        match self {
            Shape::Bound | Shape::Constant(_) => true,
            Shape::Free | Shape::Any => false,
            Shape::Compound(_, args) => args.iter().all(Shape::is_known),
        }
    }

    /// The numbers of columns that the argument has in the key and in the rows.
    pub(super) fn widths(&self) -> (usize, usize) {
        match self {
            Shape::Bound => (1, 0),
            Shape::Free => (0, 1),
            Shape::Any | Shape::Constant(_) => (0, 0),
            Shape::Compound(_, args) => widths(args),
        }
    }
}

/// The numbers of [`Shape::Bound`] and of [`Shape::Free`] leaves: the widths of
/// the keys and of the rows.
pub(super) fn widths(shapes: &[Shape]) -> (usize, usize) {
    let each = shapes.iter().map(Shape::widths);
    each.fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1))
}

/// Appends the parts of `values` that `shapes` names to `key` and to `row`.
/// False (with parts of them appended) if a functor differs.
pub(super) fn split(
    terms: &Terms,
    shapes: &[Shape],
    values: &[TermId],
    key: &mut Vec<TermId>,
    row: &mut Vec<TermId>,
) -> bool {
    shapes
        .iter()
        .zip(values)
        .all(|(shape, &value)| match shape {
            Shape::Bound => {
                key.push(value);
                true
            }
            Shape::Free => {
                row.push(value);
                true
            }
            Shape::Any => true,
            Shape::Constant(constant) => value == *constant,
            Shape::Compound(functor, args) => {
                terms.functor(value) == *functor
                    && terms.args(value).len() == args.len()
                    && split(terms, args, terms.args(value), key, row)
            }
        })
}
