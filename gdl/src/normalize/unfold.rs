//! Unfolding: rules that bind their variables only where conditions refer to them.
//!
//! `(<= (apart ?x ?y ?m ?n) (distinct ?x ?m))` holds for any `?y` and `?n`, so `apart` has no list of facts. Where a rule
//! binds the arguments, a condition on `apart` means what its rules say of them: the conditions are replaced by the
//! bodies, `or`ed if there are several rules, and the relation is left out. Its safe rules, if there are any, get a
//! relation of their own.

use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::clause::{Clause, Condition, Formula, Spanned};
use super::relations::Relations;
use crate::rules::{Atom, Literal, Pattern, RelationId, Var};
use crate::source::Span;
use crate::term::{Symbol, Terms};

/// The most names and variables that a rule may have after unfolding.
const MAX_SIZE: usize = 100_000;

/// A clause, and whether it is one of those that are unfolded.
pub(crate) type Marked = (Clause<Formula>, bool);

/// Replaces conditions on the relations of marked clauses by their bodies. `None` if these depend on themselves, or if rules
/// become too large.
pub(crate) fn unfold(
    clauses: Vec<Marked>,
    relations: &mut Relations,
    terms: &mut Terms,
) -> Option<Vec<Clause<Formula>>> {
    let is_marked = clauses.iter().filter(|(_, is_marked)| *is_marked);
    let wanted: FxHashSet<RelationId> = is_marked.map(|(c, _)| c.head.value.relation).collect();
    let mut unfolder = Unfolder {
        definitions: FxHashMap::default(),
        added: Vec::new(),
        statement: Span::default(),
        relations,
        terms,
    };
    let mut kept = Vec::new();
    let mut waiting = Vec::new();
    for (mut clause, is_marked) in clauses {
        let relation = clause.head.value.relation;
        if is_marked {
            waiting.push(clause);
        } else {
            if wanted.contains(&relation) {
                clause.head.value.relation = unfolder.safe_part(relation);
            }
            kept.push(clause);
        }
    }
    // A relation can be unfolded once those that it depends on are.
    let mut open: FxHashSet<RelationId> = wanted;
    while !open.is_empty() {
        let blocked: FxHashSet<RelationId> = waiting
            .iter()
            .filter(|clause| mentions(&clause.body, &open))
            .map(|clause| clause.head.value.relation)
            .collect();
        let ready: FxHashSet<RelationId> = open.difference(&blocked).copied().collect();
        if ready.is_empty() {
            return None;
        }
        let (now, later): (Vec<_>, Vec<_>) = waiting
            .into_iter()
            .partition(|clause| ready.contains(&clause.head.value.relation));
        waiting = later;
        for clause in now {
            let relation = clause.head.value.relation;
            let clause = unfolder.clause(clause)?;
            let definition = unfolder.definitions.entry(relation).or_default();
            definition.clauses.push(Rc::new(clause));
        }
        open.retain(|relation| !ready.contains(relation));
    }
    let mut unfolded = Vec::with_capacity(kept.len());
    for clause in kept {
        let clause = unfolder.clause(clause)?;
        unfolded.append(&mut unfolder.added);
        unfolded.push(clause);
    }
    Some(unfolded)
}

/// Whether a body has a condition on one of the relations.
fn mentions(body: &[Formula], relations: &FxHashSet<RelationId>) -> bool {
    body.iter().any(|formula| match formula {
        Formula::Condition(condition) => match &condition.value {
            Condition::Literal(literal) => {
                let atom = literal.atom();
                atom.is_some_and(|atom| relations.contains(&atom.relation))
            }
            Condition::Equal(..) => false,
        },
        Formula::All(parts) | Formula::Any(Spanned { value: parts, .. }) => {
            mentions(parts, relations)
        }
    })
}

/// What stands for conditions on a relation.
#[derive(Default)]
struct Definition {
    /// The rules to unfold.
    clauses: Vec<Rc<Clause<Formula>>>,
    /// The relation that has the safe rules.
    safe: Option<RelationId>,
}

struct Unfolder<'a> {
    definitions: FxHashMap<RelationId, Definition>,
    /// Clauses of relations that stand for negated bodies.
    added: Vec<Clause<Formula>>,
    /// The place of the clause that is being unfolded.
    statement: Span,
    relations: &'a mut Relations,
    terms: &'a mut Terms,
}

impl Unfolder<'_> {
    fn safe_part(&mut self, relation: RelationId) -> RelationId {
        let arity = self.relations.list[relation.index()].arity;
        let definition = self.definitions.entry(relation).or_default();
        *definition
            .safe
            .get_or_insert_with(|| self.relations.auxiliary(self.terms, arity))
    }

    /// The clause without conditions on the relations that are defined so far.
    fn clause(&mut self, clause: Clause<Formula>) -> Option<Clause<Formula>> {
        let defined: FxHashSet<RelationId> = self.definitions.keys().copied().collect();
        if !mentions(&clause.body, &defined) {
            return Some(clause);
        }
        self.statement = clause.span;
        let mut variables: Vec<Symbol> = clause.variables.to_vec();
        let is_binding = |formula: &&Formula| match formula {
            Formula::Condition(Spanned {
                value: Condition::Literal(Literal::Positive(atom)),
                ..
            }) => !defined.contains(&atom.relation),
            _ => false,
        };
        let binding: Vec<Formula> = clause.body.iter().filter(is_binding).cloned().collect();
        let body = clause.body.into_iter();
        let body = body.map(|formula| self.formula(formula, &binding, &mut variables));
        let body: Vec<Formula> = body.collect();
        if body.iter().map(Formula::size).sum::<usize>() > MAX_SIZE {
            return None;
        }
        Some(Clause {
            head: clause.head,
            body,
            variables: variables.into(),
            span: clause.span,
        })
    }

    fn formula(
        &mut self,
        formula: Formula,
        binding: &[Formula],
        variables: &mut Vec<Symbol>,
    ) -> Formula {
        let mut parts = |parts: Vec<Formula>| {
            let parts = parts.into_iter();
            let parts = parts.map(|part| self.formula(part, binding, variables));
            parts.collect::<Vec<Formula>>()
        };
        let Spanned { value, span } = match formula {
            Formula::All(all) => return Formula::All(parts(all)),
            Formula::Any(Spanned { value, span }) => {
                let value = parts(value);
                return Formula::Any(Spanned { value, span });
            }
            Formula::Condition(condition) => condition,
        };
        let (atom, is_negative) = match &value {
            Condition::Literal(Literal::Positive(atom)) => (atom, false),
            Condition::Literal(Literal::Negative(atom)) => (atom, true),
            _ => return Formula::Condition(Spanned { value, span }),
        };
        let Some(definition) = self.definitions.get(&atom.relation) else {
            return Formula::Condition(Spanned { value, span });
        };
        let mut branches: Vec<Formula> = Vec::new();
        if let Some(safe) = definition.safe {
            let safe = Atom {
                relation: safe,
                args: atom.args.clone(),
            };
            branches.push(Formula::Condition(Spanned {
                value: Condition::Literal(Literal::Positive(safe)),
                span,
            }));
        }
        let mut has_locals = false;
        for clause in definition.clauses.clone() {
            let Instance { body, is_local } = instance(&clause, atom, variables, self.terms);
            has_locals |= is_local;
            let place = |condition| match condition {
                Formula::Condition(Spanned { value, .. }) => {
                    Formula::Condition(Spanned { value, span })
                }
                other => other,
            };
            branches.push(Formula::All(body.into_iter().map(place).collect()));
        }
        let any = |value| Formula::Any(Spanned { value, span });
        match (is_negative, has_locals) {
            (false, _) => any(branches),
            (true, false) => negation(any(branches), span),
            (true, true) => {
                // Variables of its own must have no values at all: that takes a relation.
                let mut args: Vec<Var> = Vec::new();
                atom.args.iter().for_each(|arg| {
                    arg.for_each_var(&mut |var| {
                        if !args.contains(&var) {
                            args.push(var);
                        }
                    });
                });
                let head = Atom {
                    relation: self.relations.auxiliary(self.terms, args.len()),
                    args: args.into_iter().map(Pattern::Var).collect(),
                };
                let body = binding.iter().cloned().chain([any(branches)]);
                self.added.push(Clause {
                    head: Spanned {
                        value: head.clone(),
                        span,
                    },
                    body: body.collect(),
                    variables: variables.as_slice().into(),
                    span: self.statement,
                });
                Formula::Condition(Spanned {
                    value: Condition::Literal(Literal::Negative(head)),
                    span,
                })
            }
        }
    }
}

/// The body of a rule for the arguments of a condition.
struct Instance {
    body: Vec<Formula>,
    /// Whether it has variables that are not in the head.
    is_local: bool,
}

fn instance(
    clause: &Clause<Formula>,
    atom: &Atom,
    variables: &mut Vec<Symbol>,
    terms: &mut Terms,
) -> Instance {
    // A variable of the clause is an argument, or a new variable of the rule.
    let mut values: FxHashMap<Var, Pattern> = FxHashMap::default();
    let mut equal = Vec::new();
    for (parameter, argument) in clause.head.value.args.iter().zip(&atom.args) {
        match parameter {
            Pattern::Var(var) if !values.contains_key(var) => {
                values.insert(*var, argument.clone());
            }
            _ => equal.push((parameter, argument)),
        }
    }
    let mut of_head: FxHashSet<Var> = FxHashSet::default();
    for arg in &clause.head.value.args {
        arg.for_each_var(&mut |var| _ = of_head.insert(var));
    }
    let mut is_local = false;
    let mut new = |var: Var| {
        let value = values.entry(var).or_insert_with(|| {
            variables.push(clause.variables[var.index()]);
            is_local = true;
            Pattern::Var(Var(variables.len() as u32 - 1))
        });
        value.clone()
    };
    let span = clause.head.span;
    let mut body: Vec<Formula> = Vec::new();
    for (parameter, argument) in equal {
        let value = Condition::Equal(substitute(parameter, &mut new, terms), argument.clone());
        body.push(Formula::Condition(Spanned { value, span }));
    }
    let conditions = clause.body.iter();
    body.extend(conditions.map(|formula| substituted(formula, &mut new, terms)));
    Instance { body, is_local }
}

fn substituted(
    formula: &Formula,
    value: &mut impl FnMut(Var) -> Pattern,
    terms: &mut Terms,
) -> Formula {
    match formula {
        Formula::All(parts) => {
            let parts = parts.iter().map(|part| substituted(part, value, terms));
            Formula::All(parts.collect())
        }
        Formula::Any(Spanned { value: parts, span }) => {
            let parts = parts.iter().map(|part| substituted(part, value, terms));
            Formula::Any(Spanned {
                value: parts.collect(),
                span: *span,
            })
        }
        Formula::Condition(Spanned {
            value: condition,
            span,
        }) => {
            let mut pattern = |pattern: &Pattern| substitute(pattern, value, terms);
            let condition = match condition {
                Condition::Equal(a, b) => Condition::Equal(pattern(a), pattern(b)),
                Condition::Literal(Literal::Distinct(a, b)) => {
                    Condition::Literal(Literal::Distinct(pattern(a), pattern(b)))
                }
                Condition::Literal(Literal::Positive(atom)) => {
                    let args = atom.args.iter().map(pattern).collect();
                    let relation = atom.relation;
                    Condition::Literal(Literal::Positive(Atom { relation, args }))
                }
                Condition::Literal(Literal::Negative(atom)) => {
                    let args = atom.args.iter().map(pattern).collect();
                    let relation = atom.relation;
                    Condition::Literal(Literal::Negative(Atom { relation, args }))
                }
            };
            Formula::Condition(Spanned {
                value: condition,
                span: *span,
            })
        }
    }
}

fn substitute(
    pattern: &Pattern,
    value: &mut impl FnMut(Var) -> Pattern,
    terms: &mut Terms,
) -> Pattern {
    match pattern {
        Pattern::Var(var) => value(*var),
        Pattern::Ground(term) => Pattern::Ground(*term),
        Pattern::Compound(functor, args) => {
            let args = args.iter().map(|arg| substitute(arg, value, terms));
            let args = args.collect();
            Pattern::apply(terms, *functor, args)
        }
    }
}

/// The negation of a formula without variables of its own.
fn negation(formula: Formula, span: Span) -> Formula {
    let all = |parts: Vec<Formula>| parts.into_iter().map(|part| negation(part, span)).collect();
    match formula {
        Formula::All(parts) => Formula::Any(Spanned {
            value: all(parts),
            span,
        }),
        Formula::Any(parts) => Formula::All(all(parts.value)),
        Formula::Condition(Spanned { value, span }) => {
            let value = match value {
                Condition::Equal(a, b) => Condition::Literal(Literal::Distinct(a, b)),
                Condition::Literal(Literal::Distinct(a, b)) => Condition::Equal(a, b),
                Condition::Literal(Literal::Positive(atom)) => {
                    Condition::Literal(Literal::Negative(atom))
                }
                Condition::Literal(Literal::Negative(atom)) => {
                    Condition::Literal(Literal::Positive(atom))
                }
            };
            Formula::Condition(Spanned { value, span })
        }
    }
}
