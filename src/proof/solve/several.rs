//! Games of several roles: enumeration of states and proof search, side by side or in turns.

use std::panic::resume_unwind;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use propjit_stop::Stop;

use crate::game::engine::Engines;
use crate::game::machine::expansion::team::ExpanderTeam;
use crate::support::threads;

use super::SolveConfig;
use super::bounds::{AllBounds, has_too_many_goals};
use super::enumeration::Enumeration;
use super::graph::Graph;
use super::progress::SolveProgress;
use super::proofs::{self, Findings};

/// The parts of the time that is left, in percent, for the enumeration of states: beside proof search, and
/// before it. The rest is for computing the values of these states.
const BESIDE: u32 = 85;
const BEFORE: u32 = 40;

/// When there is no time left, evaluations of what there is still have this.
const GRACE: Duration = Duration::from_secs(2);

/// Finds out what it can about the initial state until a stop comes.
pub(super) fn search(
    engines: &Arc<Engines>,
    graph: Graph,
    bounds: &AllBounds<'_>,
    config: &SolveConfig,
    (stop, progress): (&Stop, &SolveProgress),
) -> (Option<Enumeration>, Findings) {
    let enumerate = |(memory, threads), percent, stop: &Stop| {
        if has_too_many_goals(engines.game()) {
            return None;
        }
        let mut graph = graph;
        graph.grow(
            &mut ExpanderTeam::new(engines, threads),
            (memory, usize::MAX),
            &part(stop, percent),
            progress,
        );
        if bounds.is_solved() {
            return None;
        }
        let evaluating = evaluation(stop);
        Some(Enumeration::new(engines.game(), graph, bounds, &evaluating))
    };
    if config.threads < 2 {
        let enumeration = enumerate((config.memory, 1), BEFORE, stop);
        let findings = match is_complete(&enumeration) {
            true => Findings::default(),
            false => proofs::search(engines, bounds, (config.memory, 1), stop),
        };
        return (enumeration, findings);
    }
    let enumerating = config.threads / 2;
    let limits = (config.memory / 2, config.threads - enumerating);
    // The solver that knows all ends the work of the others.
    let over = stop.by(None);
    thread::scope(|scope| {
        let search = || {
            let findings = proofs::search(engines, bounds, limits, &over);
            if bounds.is_solved() {
                over.set();
            }
            findings
        };
        let proofs = threads::start_scoped_or_return(scope, "proofs", search);
        let enumeration = enumerate((config.memory / 2, enumerating), BESIDE, &over);
        if bounds.is_solved() || is_complete(&enumeration) {
            over.set();
        }
        let findings = match proofs {
            Ok(thread) => thread.join().unwrap_or_else(|panic| resume_unwind(panic)),
            Err(search) => search(),
        };
        (enumeration, findings)
    })
}

/// Whether all states are known: there is nothing more to find out about what is sure.
fn is_complete(enumeration: &Option<Enumeration>) -> bool {
    let graph = enumeration.as_ref().map(|enumeration| &enumeration.graph);
    graph.is_some_and(Graph::is_complete)
}

/// A token for a part of the time that is left, in percent.
pub(super) fn part(stop: &Stop, percent: u32) -> Stop {
    match stop.remaining() {
        Some(time) => stop.within(time * percent / 100),
        None => stop.by(None),
    }
}

/// A token to evaluate states: of what there is, something can be said even when the time is over.
fn evaluation(stop: &Stop) -> Stop {
    let left = stop.remaining().unwrap_or(Duration::MAX);
    match stop.is_set() || left < GRACE {
        true => Stop::new().within(GRACE),
        false => stop.by(None),
    }
}
