//! Programs from definitions: the calls, and the dependencies between them.

use rustc_hash::FxHashMap;

use crate::rules::{Atom, RelationId};
use crate::scc::components;

use super::clause::{self, Calls};
use super::context::Context;
use super::program::{Call, CallId, Lifetime, Origin, Query, Test};
use super::shape::Shape;

/// The number of shapes of one derived relation from which on shapes no longer look
/// into compound arguments.
const DEEP_SHAPES: usize = 64;
/// The number of shapes of one derived relation from which on it is always called
/// with nothing known, which keeps the program linear in the rules.
const SHAPES: usize = 256;

/// The calls of `roots`, in their order, followed by those that they make.
/// The roots must differ.
pub(super) fn compile(
    context: &Context,
    roots: impl IntoIterator<Item = (RelationId, Vec<Shape>)>,
) -> Vec<Call> {
    let mut registry = Registry {
        context,
        caller: None,
        calls: Vec::new(),
        by_shape: FxHashMap::default(),
        shapes_of: FxHashMap::default(),
    };
    for (relation, shapes) in roots {
        registry.enter(relation, shapes);
    }
    // Compiling a call's clauses registers the calls that they make.
    let mut index = 0;
    while index < registry.calls.len() {
        if let Origin::Clauses(relation) = registry.calls[index].origin {
            registry.caller = Some(relation);
            let shapes = registry.calls[index].shapes.clone();
            registry.calls[index].clauses = context.definitions.clauses[relation.index()]
                .iter()
                .filter_map(|rule| clause::compile(rule, &shapes, context, &mut registry))
                .collect();
        }
        index += 1;
    }
    let mut calls = registry.calls;
    connect(&mut calls);
    calls
}

/// The calls found so far.
struct Registry<'a> {
    context: &'a Context<'a>,
    /// The relation whose clauses are being compiled.
    caller: Option<RelationId>,
    calls: Vec<Call>,
    by_shape: FxHashMap<(Origin, Vec<Shape>), CallId>,
    /// The number of shapes in which a relation is called.
    shapes_of: FxHashMap<RelationId, usize>,
}

impl Registry<'_> {
    fn enter(&mut self, relation: RelationId, shapes: Vec<Shape>) -> CallId {
        self.enter_from(self.context.origin(relation), relation, shapes)
    }

    fn enter_from(&mut self, origin: Origin, relation: RelationId, shapes: Vec<Shape>) -> CallId {
        let new = CallId(self.calls.len() as u32);
        let id = *self.by_shape.entry((origin, shapes.clone())).or_insert(new);
        if id == new {
            *self.shapes_of.entry(relation).or_default() += 1;
            self.calls.push(Call {
                origin,
                shapes,
                lifetime: match origin {
                    Origin::Moves => Lifetime::Move,
                    Origin::Fluents => Lifetime::State,
                    Origin::Facts(_) | Origin::Clauses(_) | Origin::View(_) => Lifetime::Match,
                },
                recursive: false,
                clauses: Vec::new(),
                is_whole: matches!(origin, Origin::Clauses(_)) && self.context.is_whole(relation),
                base_key: Vec::new(),
            });
        }
        id
    }
}

impl Calls for Registry<'_> {
    fn call(&mut self, atom: &Atom, shapes: Vec<Shape>) -> (CallId, Vec<Shape>) {
        let relation = atom.relation;
        if self.context.is_whole(relation) {
            let base = self.context.whole.shapes(relation, &shapes);
            let mutual = |caller| self.context.definitions.is_mutual(caller, relation);
            return match self.caller.is_some_and(mutual) || base == shapes {
                true => (self.enter(relation, base.clone()), base),
                false => (self.view(relation, &shapes, &base), shapes),
            };
        }
        let known = self.shapes_of.get(&atom.relation).copied().unwrap_or(0);
        let shapes = if known < DEEP_SHAPES || !self.context.is_derived(atom.relation) {
            shapes
        } else if known < SHAPES {
            shapes.iter().map(flat).collect()
        } else {
            // Known arguments still distinguish goals: there are no more such shapes than sets of arguments.
            let known = |shape: &Shape| match shape.is_known() {
                true => Shape::Bound,
                false => Shape::Free,
            };
            shapes.iter().map(known).collect()
        };
        (self.enter(atom.relation, shapes.clone()), shapes)
    }
}

impl Registry<'_> {
    /// The call that looks up rows of a relation derived in the shape `base`.
    fn view(&mut self, relation: RelationId, shapes: &[Shape], base: &[Shape]) -> CallId {
        let origin = Origin::View(self.enter(relation, base.to_vec()));
        let id = self.enter_from(origin, relation, shapes.to_vec());
        let mut column = 0;
        let mut key = Vec::new();
        for (shape, base) in shapes.iter().zip(base) {
            if *base == Shape::Bound {
                key.push(column);
            }
            column += shape.widths().0;
        }
        self.calls[id.index()].base_key = key;
        id
    }
}

/// A shape that does not look into the argument.
fn flat(shape: &Shape) -> Shape {
    match shape {
        Shape::Compound(..) if shape.is_known() => Shape::Bound,
        Shape::Compound(..) => Shape::Free,
        leaf => leaf.clone(),
    }
}

/// Finds the calls that depend on each other, and the lifetimes of their answers.
fn connect(calls: &mut [Call]) {
    let callees = |call: &Call| match call.origin {
        Origin::View(base) => vec![base.0],
        _ => queries(call).map(|query| query.call.0).collect(),
    };
    let edges: Vec<Vec<u32>> = calls.iter().map(callees).collect();
    let successor = |node: u32, index| edges[node as usize].get(index).copied();
    let found = components(calls.len(), 0..calls.len() as u32, successor);
    let component_of = found.component_of(calls.len());
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
                    query.same_component = component_of[query.call.index()] == component;
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
