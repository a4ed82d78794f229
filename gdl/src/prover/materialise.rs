//! Relations that depend on neither the state nor the moves, derived in advance.
//!
//! Their rules are replaced by the facts that follow. Looking up a fact costs
//! less than proving a goal, and the number of facts is known when the conditions of
//! other rules are ordered. A relation that is too large to be derived as a
//! whole (or infinite) keeps its rules: its goals are proved on demand.

use std::sync::Arc;

use propjit_stop::Stop;

use crate::rules::{Keyword, RelationId};
use crate::scc::components;
use crate::term::Terms;

use super::compile::compile;
use super::context::Context;
use super::definitions::{Definitions, callees};
use super::limits::ProverLimits;
use super::machine::Machine;
use super::program::{CallId, Facts, Origin, Program};
use super::shape::Shape;
use super::statistics::Statistics;
use super::whole::Whole;

/// The steps for deriving one relation.
const STEPS: u64 = 600_000;

/// The cells for deriving one relation.
const CELLS: usize = 4_000_000;

/// The new terms that one relation may make: those that make many are mostly infinite.
const TERMS: usize = 20_000;

/// The steps that all relations may take, including compilation.
const TOTAL_STEPS: u64 = 2_000_000;

/// Derives the relations that `roots` depend on and that are the same in all
/// states, each after those that it depends on. Ends when `stop` is set.
pub(super) fn materialise(
    definitions: &mut Definitions,
    statistics: &mut Statistics,
    terms: &mut Terms,
    roots: &[RelationId],
    stop: &Stop,
) {
    let mut steps_left = TOTAL_STEPS;
    for relation in static_relations(definitions, roots) {
        let arity = definitions.facts[relation.index()].arity;
        let context = Context {
            definitions,
            statistics,
            terms,
            whole: &Whole::none(definitions),
        };
        let calls = compile(&context, [(relation, vec![Shape::Free; arity])]);
        let compiled: usize = calls.iter().map(|call| call.clauses.len()).sum();
        let program = Program {
            calls,
            facts: Arc::clone(&definitions.facts),
        };
        let limits = ProverLimits {
            steps: STEPS.min(steps_left),
            time: None,
            cells: CELLS,
            terms: terms.len() + TERMS,
            stop: stop.clone(),
        };
        let mut machine = Machine::new(program, std::mem::take(terms), limits);
        let mut facts = Facts::new(arity);
        let result = machine.solve(CallId(0), &[], |row| facts.push(row.iter().copied()));
        let steps = machine.steps() + compiled as u64;
        *terms = machine.into_terms();
        if result.is_ok() {
            statistics.learn_facts(relation, &facts);
            definitions.set_facts(relation, facts);
        }
        steps_left = steps_left.saturating_sub(steps);
        if steps_left == 0 || stop.is_set() {
            return;
        }
    }
}

/// The relations with rules that depend on neither the state nor the moves, each
/// after those that it depends on.
fn static_relations(definitions: &Definitions, roots: &[RelationId]) -> Vec<RelationId> {
    let edges: Vec<Vec<u32>> = definitions
        .clauses
        .iter()
        .map(|rules| callees(rules))
        .collect();
    let successor = |node: u32, index: usize| edges.get(node as usize)?.get(index).copied();
    let roots = roots.iter().map(|root| root.0);
    let found = components(definitions.origins.len(), roots, successor);
    let mut changing = vec![false; definitions.origins.len()];
    changing[Keyword::True.relation().index()] = true;
    changing[Keyword::Does.relation().index()] = true;
    let mut order = Vec::new();
    for members in found.iter() {
        let reached = members
            .iter()
            .filter_map(|&member| edges.get(member as usize));
        if reached.flatten().any(|&callee| changing[callee as usize]) {
            members
                .iter()
                .for_each(|&member| changing[member as usize] = true);
        }
        let members = members.iter().map(|&member| RelationId(member));
        order.extend(members.filter(|member| {
            let derived = matches!(definitions.origins[member.index()], Origin::Clauses(_));
            derived && !changing[member.index()]
        }));
    }
    order
}
