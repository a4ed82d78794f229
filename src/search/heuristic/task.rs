//! Learning on a thread beside a search.

use propjit_stop::Stop;

use super::learn::{Heuristic, HeuristicConfig};
use super::store::Known;
use super::trust::{Trust, TrustedEvaluation};
use crate::background::Background;
use crate::engine::MatchEngines;
use crate::machine::RoleId;

/// A background task that loads a game's evaluation, or learns it and keeps it for the next time.
/// It ends when it is dropped.
#[derive(Debug)]
pub struct HeuristicTask {
    found: Background<Option<TrustedEvaluation>>,
    stop: Stop,
}

impl HeuristicTask {
    /// Starts the thread; `random` is the role that plays at random, if there is one.
    pub fn start(
        engines: &MatchEngines,
        random: Option<RoleId>,
        config: &HeuristicConfig,
    ) -> HeuristicTask {
        let stop = Stop::new();
        let (engines, config, until) = (engines.clone(), config.clone(), stop.clone());
        let make = move || find(&engines, random, &config, &until);
        HeuristicTask {
            found: Background::start("heuristic", || None, make),
            stop,
        }
    }

    /// The evaluation, if the thread is done: nothing if there is none that is of use.
    pub fn found(&self) -> Option<Option<&TrustedEvaluation>> {
        self.found.get().map(Option::as_ref)
    }

    /// Waits until the thread is done.
    pub fn wait(&self) -> Option<&TrustedEvaluation> {
        self.found.wait().as_ref()
    }
}

impl Drop for HeuristicTask {
    fn drop(&mut self) {
        self.stop.set();
    }
}

/// How many times as long as there is now something is learned that is of little use or none, before it is given up:
/// once more, as the first time may have been on a busy machine. With each trial it becomes likelier that
/// what is of no use is admitted by chance.
const MOST_TIMES: u32 = 2;

/// The evaluation of a game, if there is one that is of use: that which is kept, unless it was
/// learned for much less time than there is now. What is of little use or none is learned on once more.
fn find(
    engines: &MatchEngines,
    random: Option<RoleId>,
    config: &HeuristicConfig,
    stop: &Stop,
) -> Option<TrustedEvaluation> {
    let game = engines.engines().game();
    let known = Known::load(game).unwrap_or_else(|error| {
        tracing::warn!(%error, "the evaluation is learned anew");
        None
    });
    if let Some(known) = &known {
        let enough = match known.trust {
            Some(Trust::Full) => config.time / 2,
            _ => MOST_TIMES * config.time,
        };
        if known.time >= enough {
            return known.admitted();
        }
    }
    engines.wait();
    let config = config.clone().with_known(known);
    let learned = Heuristic::learn(engines, random, &config, stop);
    let learned = learned.inspect_err(|error| tracing::warn!(%error, "nothing was learned"));
    let learned = learned.ok()?;
    if let Err(error) = learned.keep(game, &config) {
        tracing::warn!(%error, "the evaluation is not kept");
    }
    learned.admitted()
}
