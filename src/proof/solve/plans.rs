//! Games of one role, by the planner.

use std::sync::Arc;
use std::time::Duration;

use propjit_stop::Stop;

use crate::game::engine::Engines;
use crate::game::machine::RoleId;
use crate::proof::plan::{Plan, PlanLimits, PlanMethod, Planner};

use super::SolveConfig;
use super::bounds::{AllBounds, SolveMethod};
use super::progress::SolveProgress;
use crate::proof::unproved::Unproved;

/// The only role.
const ROLE: RoleId = RoleId(0);

/// The most steps of a match that is looked for: as many as there may be time for.
const MAX_STEPS: usize = 10_000_000;

/// How often it is looked what has been found out.
const PERIOD: Duration = Duration::from_millis(5);

/// Plans until the value is known, there is nothing more to find out, or a stop comes. Gives the best match that was
/// found, and what keeps the value from being proved.
pub(super) fn search(
    engines: &Arc<Engines>,
    bounds: &AllBounds<'_>,
    config: &SolveConfig,
    (stop, progress): (&Stop, &SolveProgress),
) -> (Option<Plan>, Vec<Unproved>) {
    let limits = PlanLimits::default()
        .with_memory(config.memory)
        .with_steps(MAX_STEPS)
        .with_threads(config.threads);
    let planner = Planner::start(engines, engines.game().initial(), limits);
    planner.resume();
    loop {
        // Before what is known is read: what is found in between would be lost.
        let is_done = planner.is_done();
        let known = planner.known();
        progress.note_states(known.progress.states as usize, known.progress.steps as u32);
        let found = known.plan.as_ref();
        bounds.raise(ROLE, known.low, SolveMethod::Plan);
        if let Some(proof) = known.proof {
            let method = match proof {
                PlanMethod::Search => SolveMethod::States,
                PlanMethod::Satisfiability => SolveMethod::Satisfiability,
                PlanMethod::Parts => SolveMethod::Parts,
            };
            bounds.lower(ROLE, known.high, method);
        }
        if known.is_solved() || is_done || stop.is_set() {
            return (found.map(|(plan, _)| plan.clone()), known.unproved);
        }
        planner.wait(PERIOD);
    }
}
