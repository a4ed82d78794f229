//! Matches of one evaluation against another, by greedy decisions.

use std::sync::Arc;

use propjit_stop::Stop;
use rand::Rng;

use super::evaluation::Evaluation;
use super::match_play::MAX_STEPS;
use super::policy::Policy;
use super::self_play::{NoOutcome, SelfPlay};
use super::trial::TESTING;
use crate::game::engine::MatchEngines;
use crate::game::machine::MachineError;
use crate::search::expansion::lanes_evaluator;
use crate::support::rng;
use crate::support::statistics::Moments;

/// Returns what the first of two evaluations of a game gets against the second one in matches with about
/// this many decisions in all, in which roles change: its share of the range of goals, or with more than
/// two roles, the share of the pairs of one of its own roles and another one in which its own gets more.
/// Returns nothing if a stop comes, or no role has a choice.
///
/// Both choose what is best after one move; that is no search, but a few seconds show what would take
/// searches hours. The same seed gives the same result.
///
/// # Errors
/// When the machine cannot go on.
pub fn compare(
    engines: &MatchEngines,
    evaluations: [&Arc<Evaluation>; 2],
    decisions: u64,
    seed: u64,
    stop: &Stop,
) -> Result<Option<Moments<f64>>, MachineError> {
    let mut streams = rng::streams(seed);
    let mut stream = || streams.next().expect("streams do not end");
    let mut evaluator = lanes_evaluator(engines, MAX_STEPS, stream().next_u64());
    let roles = evaluations[0].roles();
    let mut play = SelfPlay::new(&mut *evaluator, roles, stream())?;
    if play.is_over_at_once() {
        return Ok(None);
    }
    let policies = evaluations.map(Policy::Evaluation);
    match play.play(policies, decisions, TESTING, None, stop) {
        Ok(outcome) => Ok(Some(outcome.score)),
        Err(NoOutcome::Stopped) => Ok(None),
        Err(NoOutcome::Machine(error)) => Err(error),
    }
}
