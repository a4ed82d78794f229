//! Set-up of provers.
//!
//! Rules are compiled three times, the second and third time with statistics of a sample of play.

use std::sync::Arc;

use crate::rules::Rules;
use crate::term::Terms;

use super::compile::compile;
use super::context::Context;
use super::definitions::Definitions;
use super::error::ProverError;
use super::limits::ProverLimits;
use super::machine::Machine;
use super::materialise::materialise;
use super::program::Program;
use super::queries::{Prover, Question};
use super::sample::{self, sample};
use super::statistics::Statistics;

impl Prover {
    /// Compiles the rules. Every later query may cost at most `limits`.
    ///
    /// # Errors
    /// [`ProverError::UnsafeVariable`]. [`Rules`] that were checked when they were
    /// parsed are safe. A compilation that is [stopped](ProverLimits::stop) gives a prover whose
    /// every proof is.
    pub fn new(rules: &Rules, limits: ProverLimits) -> Result<Prover, ProverError> {
        let mut definitions = Definitions::new(rules)?;
        let mut statistics = Statistics::new(&definitions.facts, rules.roles.len());
        let mut terms = rules.terms.clone();
        let relations = Question::ALL.map(Question::relation);
        let stop = &limits.stop;
        materialise(
            &mut definitions,
            &mut statistics,
            &mut terms,
            &relations,
            stop,
        );
        let sampled = sample::limits(terms.len(), stop);
        let mut prover = Prover {
            machine: build(&definitions, &statistics, terms, sampled.clone()),
            roles: rules.roles.clone(),
            source: rules.source.clone(),
        };
        for limits in [sampled, limits.clone()] {
            let states = sample(&mut prover);
            statistics.learn_states(&states, prover.terms());
            statistics.learn_calls(prover.machine.usage());
            let terms = prover.machine.into_terms();
            prover.machine = build(&definitions, &statistics, terms, limits);
        }
        Ok(prover)
    }
}

/// A machine for the queries of a match.
fn build(
    definitions: &Definitions,
    statistics: &Statistics,
    terms: Terms,
    limits: ProverLimits,
) -> Machine {
    let context = Context {
        definitions,
        statistics,
        terms: &terms,
    };
    let roots = Question::ALL.map(|question| (question.relation(), question.shapes()));
    let program = Program {
        calls: compile(&context, roots),
        facts: Arc::clone(&definitions.facts),
    };
    Machine::new(program, terms, limits)
}
