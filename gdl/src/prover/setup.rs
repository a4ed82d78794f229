//! Set-up of provers.
//!
//! Rules are compiled several times: with statistics of a sample of play, and in trials of [`Whole`] relations.

use std::sync::Arc;

use crate::rules::Rules;

use super::compile::compile;
use super::context::Context;
use super::definitions::Definitions;
use super::error::ProverError;
use super::limits::ProverLimits;
use super::machine::Machine;
use super::materialise::materialise;
use super::program::{Origin, Program};
use super::queries::{Prover, Question};
use super::sample::{self, Sample};
use super::statistics::Statistics;
use super::whole::Whole;

/// A trial may take as many times the steps of the query that took most on demand, and some more.
const TRIAL: u64 = 4;
const TRIAL_MORE: u64 = 1000;

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
        materialise(
            &mut definitions,
            &mut statistics,
            &mut terms,
            &relations,
            &limits.stop,
        );
        let mut setup = Setup {
            definitions: &definitions,
            prover: Prover {
                machine: Machine::new(Program::default(), terms, limits.clone()),
                roles: rules.roles.clone(),
                source: rules.source.clone(),
            },
        };
        let on_demand = Whole::none(&definitions);
        let sampled = sample::limits(setup.prover.terms().len(), &limits.stop);
        let mut sample = setup.sample(&mut statistics, &on_demand, &sampled);
        if sample.is_cut() {
            // With statistics, it takes less to find out what may be played.
            sample = setup.sample(&mut statistics, &on_demand, &sampled);
        }
        setup.build_observed(&statistics, &on_demand, sampled.clone());
        // A query that hits its limits ends the replay.
        let _ = sample.replay(&mut setup.prover);
        statistics.learn_calls(setup.prover.machine.usage());
        setup.build_observed(&statistics, &on_demand, sampled.clone());
        let most = sample.replay(&mut setup.prover);
        let better = most
            .ok()
            .and_then(|most| setup.derive_whole(&sample, most, &statistics, sampled));
        let (statistics, whole) = better.unwrap_or((statistics, on_demand));
        setup.build(&statistics, &whole, limits);
        Ok(setup.prover)
    }
}

/// A prover that is compiled anew as more is known.
struct Setup<'a> {
    definitions: &'a Definitions<'a>,
    prover: Prover,
}

impl Setup<'_> {
    /// Compiles the rules for the queries of a match.
    fn build(&mut self, statistics: &Statistics, whole: &Whole, limits: ProverLimits) {
        let terms = std::mem::take(&mut self.prover.machine.terms);
        let context = Context {
            definitions: self.definitions,
            statistics,
            terms: &terms,
            whole,
        };
        let roots = Question::ALL.map(|question| (question.relation(), question.shapes()));
        let program = Program {
            calls: compile(&context, roots),
            facts: Arc::clone(&self.definitions.facts),
        };
        self.prover.machine = Machine::new(program, terms, limits);
    }

    /// Plays to learn statistics.
    fn sample(
        &mut self,
        statistics: &mut Statistics,
        whole: &Whole,
        limits: &ProverLimits,
    ) -> Sample {
        self.build_observed(statistics, whole, limits.clone());
        let sample = Sample::play(&mut self.prover);
        statistics.learn_states(sample.states(), self.prover.terms());
        statistics.learn_calls(self.prover.machine.usage());
        sample
    }

    /// Compiles the rules for a trial, which is observed.
    fn build_observed(&mut self, statistics: &Statistics, whole: &Whole, limits: ProverLimits) {
        self.build(statistics, whole, limits);
        self.prover.machine.store.observe();
    }

    /// Finds the relations for which it is cheaper to derive them whole than to prove their goals, which was just done
    /// for the sample, with `most` steps in a query. Returns them, with statistics for that, if there are any.
    fn derive_whole(
        &mut self,
        sample: &Sample,
        most: u64,
        statistics: &Statistics,
        limits: ProverLimits,
    ) -> Option<(Statistics, Whole)> {
        let mut statistics = statistics.clone();
        let on_demand = self.costs();
        let mut whole = Whole::candidates(self.definitions, self.prover.machine.usage());
        let limits = limits.with_steps(TRIAL * most + TRIAL_MORE);
        while !whole.is_empty() {
            self.build_observed(&statistics, &whole, limits.clone());
            let trial = sample.replay(&mut self.prover);
            let costs = self.costs();
            match trial {
                Ok(_) => {
                    whole.keep_better(&on_demand, &costs);
                    break;
                }
                Err(ProverError::Limit { .. }) => whole.remove_costliest(&costs),
                Err(_) => return None,
            }
        }
        if whole.is_empty() {
            return None;
        }
        statistics.learn_calls(self.prover.machine.usage());
        self.build_observed(&statistics, &whole, limits);
        sample.replay(&mut self.prover).ok()?;
        let sum = |costs: &[u64]| costs.iter().sum::<u64>();
        (sum(&self.costs()) < sum(&on_demand)).then_some((statistics, whole))
    }

    /// By component of relations: the costs that were observed.
    fn costs(&self) -> Vec<u64> {
        let mut costs = vec![0; self.definitions.components()];
        let calls = &self.prover.machine.program().calls;
        for (call, usage) in self.prover.machine.usage() {
            let origin = match call.origin {
                Origin::View(base) => calls[base.index()].origin,
                origin => origin,
            };
            if let Origin::Clauses(relation) = origin {
                costs[self.definitions.component_of[relation.index()]] += usage.cost();
            }
        }
        costs
    }
}
