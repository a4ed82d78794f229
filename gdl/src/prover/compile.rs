//! From rules to a [`Program`]: which calls there are, and how they depend on
//! each other.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::rules::{Atom, Keyword, Literal, Pattern, RelationId, Rule, Rules, Var};
use crate::scc::components;
use crate::term::Symbol;

use super::clause::{self, Calls};
use super::limits::{ProverError, RuleSite};
use super::program::{Call, CallId, Facts, Lifetime, Origin, Program, Query, Roots, Test};
use super::shape::Shape;
use super::statistics::Statistics;

/// How many shapes a derived relation is called in before shapes stop looking
/// into compound arguments.
const DEEP_SHAPES: usize = 64;
/// How many shapes a derived relation is called in before it is always called
/// with nothing known. Keeps the program linear in the rules.
const SHAPES: usize = 256;

/// Compiles the rules of a game.
pub fn compile(rules: &Rules) -> Result<Program, ProverError> {
    for rule in &rules.rules {
        check_safe(rules, rule)?;
    }
    let definitions = Definitions::new(rules);
    let Definitions { facts, clauses, .. } = &definitions;
    let statistics = Statistics::new(
        definitions.origins.clone(),
        facts,
        &rules.terms,
        rules.roles.len(),
    );
    let mut registry = Registry {
        origins: &definitions.origins,
        calls: Vec::new(),
        by_shape: FxHashMap::default(),
        shapes_of: vec![0; definitions.origins.len()],
    };
    let roots = Roots {
        init: registry.root(Keyword::Init, &[Shape::Free]),
        next: registry.root(Keyword::Next, &[Shape::Free]),
        legal: registry.root(Keyword::Legal, &[Shape::Bound, Shape::Free]),
        goal: registry.root(Keyword::Goal, &[Shape::Bound, Shape::Free]),
        terminal: registry.root(Keyword::Terminal, &[]),
    };
    // Compiling a call's clauses registers the calls that they make.
    let mut index = 0;
    while index < registry.calls.len() {
        if let Origin::Clauses(relation) = registry.calls[index].origin {
            let shapes = registry.calls[index].shapes.clone();
            registry.calls[index].clauses = clauses[relation.index()]
                .iter()
                .filter_map(|rule| {
                    clause::compile(rule, &shapes, &rules.terms, &statistics, &mut registry)
                })
                .collect();
        }
        index += 1;
    }
    let mut calls = registry.calls;
    connect(&mut calls);
    Ok(Program {
        calls,
        facts: definitions.facts,
        roots,
    })
}

/// The rules by what they define.
struct Definitions<'a> {
    /// By relation; beyond the relations of the rulesheet, one more for the
    /// facts of each relation that has both facts and rules.
    origins: Vec<Origin>,
    /// By relation of the rulesheet.
    facts: Vec<Facts>,
    /// By relation of the rulesheet: its rules that have a body, and one that
    /// passes its facts on.
    clauses: Vec<Vec<std::borrow::Cow<'a, Rule>>>,
}

impl<'a> Definitions<'a> {
    fn new(rules: &'a Rules) -> Definitions<'a> {
        use std::borrow::Cow;

        let count = rules.relations.len();
        let mut facts: Vec<Facts> = Vec::with_capacity(count);
        facts.extend(rules.relations.iter().map(|relation| Facts {
            arity: relation.arity,
            ..Facts::default()
        }));
        let mut clauses: Vec<Vec<Cow<Rule>>> = vec![Vec::new(); count];
        let mut first_fact: Vec<Option<&Rule>> = vec![None; count];
        let mut seen = FxHashSet::default();
        for rule in &rules.rules {
            let relation = rule.head.relation.index();
            if !rule.body.is_empty() {
                clauses[relation].push(Cow::Borrowed(rule));
                continue;
            }
            first_fact[relation].get_or_insert(rule);
            if seen.insert(&rule.head) {
                let facts = &mut facts[relation];
                facts.count += 1;
                facts
                    .values
                    .extend(rule.head.args.iter().map(|arg| match arg {
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
                clauses[index].push(Cow::Owned(pass_on(fact, facts_only, name)));
            }
        }
        Definitions {
            origins,
            facts,
            clauses,
        }
    }
}

/// The rule that what the relation `facts` has, the relation of `fact` has too.
fn pass_on(fact: &Rule, facts: RelationId, name: Symbol) -> Rule {
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

/// The calls found so far.
struct Registry<'a> {
    origins: &'a [Origin],
    calls: Vec<Call>,
    by_shape: FxHashMap<(Origin, Vec<Shape>), CallId>,
    /// By relation: in how many shapes it is called.
    shapes_of: Vec<usize>,
}

impl Registry<'_> {
    fn root(&mut self, keyword: Keyword, shapes: &[Shape]) -> CallId {
        self.enter(keyword.relation(), shapes.to_vec())
    }

    fn enter(&mut self, relation: RelationId, shapes: Vec<Shape>) -> CallId {
        let origin = self.origins[relation.index()];
        let new = CallId(self.calls.len() as u32);
        let id = *self.by_shape.entry((origin, shapes.clone())).or_insert(new);
        if id == new {
            self.shapes_of[relation.index()] += 1;
            self.calls.push(Call {
                origin,
                shapes,
                lifetime: match origin {
                    Origin::Moves => Lifetime::Move,
                    Origin::Fluents => Lifetime::State,
                    Origin::Facts(_) | Origin::Clauses(_) => Lifetime::Match,
                },
                recursive: false,
                clauses: Vec::new(),
            });
        }
        id
    }
}

impl Calls for Registry<'_> {
    fn call(&mut self, atom: &Atom, shapes: Vec<Shape>) -> (CallId, Vec<Shape>) {
        let origin = self.origins[atom.relation.index()];
        let known = self.shapes_of[atom.relation.index()];
        let derived = matches!(origin, Origin::Clauses(_));
        let shapes = if !derived || known < DEEP_SHAPES {
            shapes
        } else if known < SHAPES {
            shapes.iter().map(flat).collect()
        } else {
            vec![Shape::Free; shapes.len()]
        };
        (self.enter(atom.relation, shapes.clone()), shapes)
    }
}

/// A shape that does not look into the argument.
fn flat(shape: &Shape) -> Shape {
    fn known(shape: &Shape) -> bool {
        match shape {
            Shape::Bound => true,
            Shape::Free | Shape::Any => false,
            Shape::Compound(_, args) => args.iter().all(known),
        }
    }
    match shape {
        Shape::Compound(..) if known(shape) => Shape::Bound,
        Shape::Compound(..) => Shape::Free,
        leaf => leaf.clone(),
    }
}

/// Checks that positive conditions bind all variables that need it.
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
    rule.head
        .args
        .iter()
        .for_each(|arg| arg.for_each_var(&mut check));
    rule.body
        .iter()
        .for_each(|literal| literal.for_each_var(&mut check));
    match unbound {
        None => Ok(()),
        Some(var) => Err(ProverError::UnsafeVariable {
            variable: rules.terms.name(rule.variables[var.index()]).to_string(),
            rule: Box::new(RuleSite::new(&rules.source, rule.span)),
        }),
    }
}

/// Finds out which calls depend on each other, and how long their answers hold.
fn connect(calls: &mut [Call]) {
    let edges: Vec<Vec<u32>> = calls
        .iter()
        .map(|call| queries(call).map(|query| query.call.0).collect())
        .collect();
    let successor = |node: u32, index| edges[node as usize].get(index).copied();
    let found = components(calls.len(), 0..calls.len() as u32, successor);
    let mut component_of = vec![0; calls.len()];
    for (component, members) in found.iter().enumerate() {
        for &member in members {
            component_of[member as usize] = component;
        }
    }
    for (component, members) in found.iter().enumerate() {
        let mut lifetime = Lifetime::Match;
        let mut recursive = false;
        for &member in members {
            lifetime = lifetime.max(calls[member as usize].lifetime);
            for &callee in &edges[member as usize] {
                lifetime = lifetime.max(calls[callee as usize].lifetime);
                recursive |= component_of[callee as usize] == component;
            }
        }
        for &member in members {
            let call = &mut calls[member as usize];
            call.lifetime = lifetime;
            call.recursive = recursive;
            for step in call.clauses.iter_mut().flat_map(|clause| &mut clause.steps) {
                if let Test::Present(query) = &mut step.test {
                    query.inner = component_of[query.call.index()] == component;
                }
            }
        }
    }
}

fn queries(call: &Call) -> impl Iterator<Item = &Query> {
    let steps = call.clauses.iter().flat_map(|clause| &clause.steps);
    steps.filter_map(|step| match &step.test {
        Test::Present(query) | Test::Absent(query) => Some(query),
        Test::Distinct(..) => None,
    })
}
