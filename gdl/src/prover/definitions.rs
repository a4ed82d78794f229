//! Definitions: the rules of a game by the relation that they define, checked for safety.

use std::borrow::Cow;
use std::sync::Arc;

use rustc_hash::FxHashSet;

use crate::rules::{Atom, Keyword, Literal, Pattern, RelationId, Rule, Rules, Var};
use crate::scc::components;
use crate::term::Symbol;

use super::error::{ProverError, RuleSite};
use super::program::{Facts, Origin};

/// The facts and rules of each relation.
pub(super) struct Definitions<'a> {
    /// By relation; beyond the relations of the rulesheet, there is one more for
    /// the facts of each relation that has both facts and rules.
    pub origins: Vec<Origin>,
    /// By relation of the rulesheet.
    pub facts: Arc<Vec<Facts>>,
    /// By relation of the rulesheet: its rules that have a body, and one that
    /// derives its facts.
    pub clauses: Vec<Vec<Cow<'a, Rule>>>,
    /// By relation of the rulesheet: whether it depends on its own negation, as
    /// `goal` does in `(<= (goal robot 100) (not (goal robot 0)))`.
    pub negates_itself: Vec<bool>,
    /// By relation: the number of its component. Those in a component depend on each other.
    pub component_of: Vec<usize>,
}

impl<'a> Definitions<'a> {
    /// Sorts the rules of a game.
    ///
    /// # Errors
    /// If a rule is unsafe.
    pub(super) fn new(rules: &'a Rules) -> Result<Definitions<'a>, ProverError> {
        let count = rules.relations.len();
        let mut facts: Vec<Facts> = Vec::with_capacity(count);
        facts.extend(
            rules
                .relations
                .iter()
                .map(|relation| Facts::new(relation.arity)),
        );
        let mut clauses: Vec<Vec<Cow<Rule>>> = vec![Vec::new(); count];
        let mut first_fact: Vec<Option<&Rule>> = vec![None; count];
        let mut seen = FxHashSet::default();
        for rule in &rules.rules {
            check_safe(rules, rule)?;
            let relation = rule.head.relation.index();
            if !rule.body.is_empty() {
                clauses[relation].push(Cow::Borrowed(rule));
                continue;
            }
            first_fact[relation].get_or_insert(rule);
            if seen.insert(&rule.head) {
                facts[relation].push(rule.head.args.iter().map(|arg| match arg {
                    Pattern::Ground(term) => *term,
                    _ => unreachable!("a safe rule without a body has no variables"),
                }));
            }
        }
        let origin_of = |(index, clauses): (usize, &Vec<_>)| {
            let relation = RelationId(index as u32);
            match Rules::keyword(relation) {
                Some(Keyword::True) => Origin::Fluents,
                Some(Keyword::Does) => Origin::Moves,
                _ if clauses.is_empty() => Origin::Facts(relation),
                _ => Origin::Clauses(relation),
            }
        };
        let mut origins: Vec<Origin> = clauses.iter().enumerate().map(origin_of).collect();
        for (index, fact) in first_fact.into_iter().enumerate() {
            if let (Some(fact), Origin::Clauses(relation)) = (fact, origins[index]) {
                let facts_only = RelationId(origins.len() as u32);
                origins.push(Origin::Facts(relation));
                let name = rules.relations[index].name;
                clauses[index].push(Cow::Owned(rule_for_facts(fact, facts_only, name)));
            }
        }
        let (component_of, negates_itself) = dependencies(origins.len(), &clauses);
        Ok(Definitions {
            origins,
            facts: Arc::new(facts),
            negates_itself,
            component_of,
            clauses,
        })
    }

    /// The number of components.
    pub(super) fn components(&self) -> usize {
        self.component_of
            .iter()
            .map(|&last| last + 1)
            .max()
            .unwrap_or(0)
    }

    /// Whether a condition of a rule is positive, and its relation depends on the one that the rule derives.
    pub(super) fn is_recursive(&self, rule: &Rule, condition: &Literal) -> bool {
        matches!(condition, Literal::Positive(atom) if self.is_mutual(rule.head.relation, atom.relation))
    }

    /// Whether two relations depend on each other.
    pub(super) fn is_mutual(&self, one: RelationId, other: RelationId) -> bool {
        self.component_of[one.index()] == self.component_of[other.index()]
    }

    /// Replaces the rules of a relation by the facts that follow from them.
    pub(super) fn set_facts(&mut self, relation: RelationId, facts: Facts) {
        Arc::make_mut(&mut self.facts)[relation.index()] = facts;
        self.clauses[relation.index()].clear();
        self.origins[relation.index()] = Origin::Facts(relation);
    }
}

/// The number of the component of each relation, and whether a relation depends on its own negation.
fn dependencies(relations: usize, clauses: &[Vec<Cow<Rule>>]) -> (Vec<usize>, Vec<bool>) {
    let edges: Vec<Vec<u32>> = clauses.iter().map(|rules| callees(rules)).collect();
    // The additional relations of facts have no edges.
    let successor = |node: u32, index: usize| edges.get(node as usize)?.get(index).copied();
    let found = components(relations, 0..relations as u32, successor);
    let component_of = found.component_of(relations);
    let mut negates = vec![false; found.len()];
    for rule in clauses.iter().flatten() {
        let component = component_of[rule.head.relation.index()];
        negates[component] |= rule.body.iter().any(|literal| match literal {
            Literal::Negative(atom) => component_of[atom.relation.index()] == component,
            Literal::Positive(_) | Literal::Distinct(..) => false,
        });
    }
    let of_relations = component_of[..clauses.len()].iter();
    let negates_itself = of_relations.map(|&component| negates[component]).collect();
    (component_of, negates_itself)
}

/// The relations in the bodies of rules.
pub(super) fn callees(rules: &[Cow<Rule>]) -> Vec<u32> {
    let literals = rules.iter().flat_map(|rule| &rule.body);
    let atoms = literals.filter_map(Literal::atom);
    atoms.map(|atom| atom.relation.0).collect()
}

/// The rule that derives the relation of `fact` from the relation `facts`.
fn rule_for_facts(fact: &Rule, facts: RelationId, name: Symbol) -> Rule {
    let variables = 0..fact.head.args.len() as u32;
    let args: Vec<Pattern> = variables.map(|index| Pattern::Var(Var(index))).collect();
    Rule {
        variables: vec![name; args.len()],
        head: Atom {
            relation: fact.head.relation,
            args: args.clone(),
        },
        body: vec![Literal::Positive(Atom {
            relation: facts,
            args,
        })],
        span: fact.span,
    }
}

/// Checks that positive conditions bind all variables of a rule.
fn check_safe(rules: &Rules, rule: &Rule) -> Result<(), ProverError> {
    let mut bound = vec![false; rule.variables.len()];
    for literal in &rule.body {
        if let Literal::Positive(_) = literal {
            literal.for_each_var(&mut |var| bound[var.index()] = true);
        }
    }
    let mut unbound = None;
    let mut check = |var: Var| {
        if !bound[var.index()] {
            unbound.get_or_insert(var);
        }
    };
    for arg in &rule.head.args {
        arg.for_each_var(&mut check);
    }
    for literal in &rule.body {
        literal.for_each_var(&mut check);
    }
    match unbound {
        None => Ok(()),
        Some(var) => Err(ProverError::UnsafeVariable {
            variable: rules.terms.name(rule.variables[var.index()]).to_string(),
            rule: Box::new(RuleSite::new(&rules.source, rule.span)),
        }),
    }
}
