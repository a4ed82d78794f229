//! Rules specialised for one call shape.

use crate::rules::{Atom, Literal, Pattern, Rule, Var};
use crate::term::{TermId, Terms};

use super::shape::Shape;

/// A rule whose head has the structure of a call shape: where the
/// shape has a compound, so does the head.
pub(super) struct Specialised {
    /// The arguments of the head at the shape's bound leaves, from left to right.
    pub given: Vec<Pattern>,
    /// The arguments of the head at the shape's free leaves, from left to right.
    pub wanted: Vec<Pattern>,
    /// The body.
    pub body: Vec<Literal>,
    /// The number of variables, those of the rule first.
    pub variables: usize,
}

/// Specialises a rule for a call shape; `None` if its head can never match.
pub(super) fn specialise(rule: &Rule, shapes: &[Shape], terms: &Terms) -> Option<Specialised> {
    let mut substitution = Substitution {
        terms,
        bindings: vec![None; rule.variables.len()],
    };
    substitution.unify_all(shapes, &rule.head.args)?;
    let mut result = Specialised {
        given: Vec::new(),
        wanted: Vec::new(),
        body: rule.body.iter().map(|l| substitution.literal(l)).collect(),
        variables: substitution.bindings.len(),
    };
    for (shape, arg) in shapes.iter().zip(&rule.head.args) {
        result.add_leaves(shape, substitution.apply(arg), terms);
    }
    Some(result)
}

impl Specialised {
    fn add_leaves(&mut self, shape: &Shape, arg: Pattern, terms: &Terms) {
        match (shape, arg) {
            (Shape::Bound, arg) => self.given.push(arg),
            (Shape::Free, arg) => self.wanted.push(arg),
            (Shape::Any | Shape::Constant(_), _) => {}
            (Shape::Compound(_, shapes), Pattern::Compound(_, args)) => {
                for (shape, arg) in shapes.iter().zip(args) {
                    self.add_leaves(shape, arg, terms);
                }
            }
            (Shape::Compound(_, shapes), Pattern::Ground(term)) => {
                for (shape, arg) in shapes.iter().zip(ground_args(terms, term)) {
                    self.add_leaves(shape, arg, terms);
                }
            }
            (Shape::Compound(..), Pattern::Var(_)) => {
                unreachable!("unification gave the variable the shape's structure")
            }
        }
    }
}

fn ground_args(terms: &Terms, term: TermId) -> Vec<Pattern> {
    terms
        .args(term)
        .iter()
        .map(|&arg| Pattern::Ground(arg))
        .collect()
}

/// The values of the variables of a rule. Only shapes add structure, and they
/// are shallow, so the depth of recursion is bounded by that of patterns.
struct Substitution<'a> {
    terms: &'a Terms,
    bindings: Vec<Option<Pattern>>,
}

impl Substitution<'_> {
    fn unify(&mut self, shape: &Shape, arg: &Pattern) -> Option<()> {
        match (shape, arg) {
            (Shape::Bound | Shape::Free | Shape::Any, _) => Some(()),
            (_, Pattern::Var(var)) => {
                if let Some(bound) = self.bindings[var.index()].clone() {
                    return self.unify(shape, &bound);
                }
                let structure = self.structure(shape);
                self.bindings[var.index()] = Some(structure);
                Some(())
            }
            (Shape::Constant(constant), Pattern::Ground(term)) => (constant == term).then_some(()),
            (&Shape::Constant(constant), Pattern::Compound(functor, args)) => {
                let shapes = self.terms.args(constant).iter();
                let shapes: Vec<Shape> = shapes.map(|&arg| Shape::Constant(arg)).collect();
                let same = self.terms.functor(constant) == *functor;
                same.then(|| self.unify_all(&shapes, args))?
            }
            (Shape::Compound(name, shapes), Pattern::Compound(functor, args)) => {
                (name == functor).then(|| self.unify_all(shapes, args))?
            }
            (Shape::Compound(name, shapes), &Pattern::Ground(term)) => {
                let args = ground_args(self.terms, term);
                let same = self.terms.functor(term) == *name;
                same.then(|| self.unify_all(shapes, &args))?
            }
        }
    }

    fn unify_all(&mut self, shapes: &[Shape], args: &[Pattern]) -> Option<()> {
        if shapes.len() != args.len() {
            return None;
        }
        let mut pairs = shapes.iter().zip(args);
        pairs.try_for_each(|(shape, arg)| self.unify(shape, arg))
    }

    /// A shape as a pattern, with a new variable at each leaf that is not a constant.
    fn structure(&mut self, shape: &Shape) -> Pattern {
        match shape {
            Shape::Constant(constant) => Pattern::Ground(*constant),
            Shape::Compound(functor, shapes) => {
                let args = shapes.iter().map(|shape| self.structure(shape)).collect();
                Pattern::Compound(*functor, args)
            }
            _ => {
                self.bindings.push(None);
                Pattern::Var(Var(self.bindings.len() as u32 - 1))
            }
        }
    }

    fn apply(&self, pattern: &Pattern) -> Pattern {
        match pattern {
            Pattern::Var(var) => match &self.bindings[var.index()] {
                Some(bound) => self.apply(bound),
                None => pattern.clone(),
            },
            Pattern::Ground(_) => pattern.clone(),
            Pattern::Compound(functor, args) => {
                Pattern::Compound(*functor, args.iter().map(|arg| self.apply(arg)).collect())
            }
        }
    }

    fn literal(&self, literal: &Literal) -> Literal {
        match literal {
            Literal::Positive(atom) => Literal::Positive(self.atom(atom)),
            Literal::Negative(atom) => Literal::Negative(self.atom(atom)),
            Literal::Distinct(a, b) => Literal::Distinct(self.apply(a), self.apply(b)),
        }
    }

    fn atom(&self, atom: &Atom) -> Atom {
        Atom {
            relation: atom.relation,
            args: atom.args.iter().map(|arg| self.apply(arg)).collect(),
        }
    }
}
