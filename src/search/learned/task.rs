//! Background learning on a thread beside a search.

use std::sync::Arc;
use std::time::Instant;

use propjit_stop::Stop;

use super::config::HeuristicConfig;
use super::evaluation::Evaluation;
use super::learn::Heuristic;
use super::store::Known;
use super::trust::{Trust, TrustedEvaluation};
use crate::game::engine::MatchEngines;
use crate::game::load::Game;
use crate::support::background::Background;
use crate::support::pause::Pause;

/// Whether learning goes on when there is an evaluation.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum LearnOn {
    /// It does not.
    #[default]
    Never,
    /// Beside all else, for up to 8 times as long in all. It takes a core.
    Beside,
    /// Only while a caller [waits](HeuristicTask::learn_until) for it, up to 4 times as long in all for
    /// what is trusted fully, and once more for what is not trusted at all.
    Between,
}

/// A background task that loads a game's evaluation, or learns it and keeps it for the next time.
/// It ends when it is dropped.
#[derive(Debug)]
pub struct HeuristicTask {
    /// The result of learning the game, if any.
    found: Background<Option<Known>>,
    stop: Stop,
    game: Game,
    engines: MatchEngines,
    config: HeuristicConfig,
}

impl HeuristicTask {
    /// Starts the thread, for a ground game that these engines are of.
    pub fn start(game: &Game, engines: &MatchEngines, config: &HeuristicConfig) -> HeuristicTask {
        let config = HeuristicConfig {
            pause: Pause::default(),
            ..config.clone()
        };
        HeuristicTask::begin(game, engines, config, find)
    }

    /// Goes on with the learning when the thread is done, for as long as it has taken so far. Nothing if it is
    /// not done, if there is nothing to go on with, or if that has been learned for long enough.
    pub fn resume(self, how: LearnOn) -> Option<HeuristicTask> {
        let known = self.found.get()?.clone()?;
        let most = how.most_times(known.trust)?;
        if known.evaluation.is_none() || known.time >= most * self.config.time {
            return None;
        }
        let pause = Pause::default();
        if how == LearnOn::Between {
            pause.begin();
        }
        let config = HeuristicConfig {
            pause,
            // Other matches than before.
            seed: self.config.seed.wrapping_add(1),
            ..self.config.clone()
        };
        let task = HeuristicTask::begin(
            &self.game,
            &self.engines,
            config,
            move |game, engines, config, stop| {
                let config = config.clone().with_time(known.time).with_known(Some(known));
                learn_on(game, engines, &config, stop)
            },
        );
        Some(task)
    }

    fn begin(
        game: &Game,
        engines: &MatchEngines,
        config: HeuristicConfig,
        make: impl FnOnce(&Game, &MatchEngines, &HeuristicConfig, &Stop) -> Option<Known>
        + Send
        + 'static,
    ) -> HeuristicTask {
        let stop = Stop::new();
        let own = (game.clone(), engines.clone(), config.clone());
        let until = stop.clone();
        // Even if the thread cannot be started.
        let end = engines.engines().analysis_pause().end_in_any_case();
        let make = move || {
            let _end = end;
            make(&own.0, &own.1, &own.2, &until)
        };
        HeuristicTask {
            found: Background::start("heuristic", || None, make),
            stop,
            game: game.clone(),
            engines: engines.clone(),
            config,
        }
    }

    /// Returns the evaluation, if the thread is done: nothing if there is none that helps.
    pub fn found(&self) -> Option<Option<TrustedEvaluation>> {
        let found = self.found.get()?;
        Some(found.as_ref().and_then(Known::admitted))
    }

    /// Returns the evaluation, if the thread is done, whether it helps or not.
    pub fn evaluation(&self) -> Option<Arc<Evaluation>> {
        self.found.get()?.as_ref()?.evaluation.clone()
    }

    /// Waits until the thread is done, or a stop comes.
    pub fn wait_or_stop(&self, stop: &Stop) {
        self.found.wait_or_stop(stop);
    }

    /// As [`wait_or_stop`](HeuristicTask::wait_or_stop); the thread learns no more until it is waited for again.
    pub fn learn_until(&self, stop: &Stop) {
        self.config.pause.end();
        self.wait_or_stop(stop);
        self.config.pause.begin();
    }

    /// Waits until the thread is done.
    pub fn wait(&self) -> Option<TrustedEvaluation> {
        self.config.pause.end();
        self.found.wait().as_ref().and_then(Known::admitted)
    }
}

impl Drop for HeuristicTask {
    fn drop(&mut self) {
        self.stop.set();
        self.config.pause.end();
    }
}

impl LearnOn {
    /// Returns how many times as long as the first time is learned in all, with an evaluation that is
    /// trusted that far. Between searches, learning has the time of searches, and is for evaluations that
    /// surely help.
    fn most_times(self, trust: Option<Trust>) -> Option<u32> {
        match (self, trust) {
            (LearnOn::Beside, Some(_)) => Some(8),
            (LearnOn::Beside, None) | (LearnOn::Between, Some(Trust::Full)) => Some(4),
            // The first time, the machine may have been busy.
            (LearnOn::Between, None) => Some(MAX_TIMES),
            (LearnOn::Never | LearnOn::Between, _) => None,
        }
    }
}

/// How many times as long as the time available now an evaluation that helps little or not is learned,
/// before it is given up: once more, as the first time may have been on a busy machine. With each trial it
/// becomes likelier that an evaluation that does not help is admitted by chance.
const MAX_TIMES: u32 = 2;

/// Finds the evaluation of a game: that which is kept, unless it was learned for much less time than there
/// is now. One that helps little or not is learned on once more.
fn find(
    game: &Game,
    engines: &MatchEngines,
    config: &HeuristicConfig,
    stop: &Stop,
) -> Option<Known> {
    let known = match config.keeps {
        true => Known::load(engines.engines().game()).unwrap_or_else(|error| {
            tracing::warn!(%error, "the evaluation will be learned afresh");
            None
        }),
        false => None,
    };
    if let Some(known) = &known {
        let enough = match known.trust {
            Some(Trust::Full) => config.time / 2,
            _ => MAX_TIMES * config.time,
        };
        if known.time >= enough {
            return Some(known.clone());
        }
    }
    let start = Instant::now();
    // Other findings about the game meanwhile, such as decisive moves, are needed in the trial only.
    engines.engines().wait();
    // The caller that gives the time wants to know the result after it.
    let left = config.time.saturating_sub(start.elapsed());
    let time = left.max(config.time / 2);
    let config = config.clone().with_known(known);
    let learned = learn(game, engines, &config.clone().with_time(time), stop)?;
    Some(keep(learned, engines, &config))
}

/// The evaluation of a game from which more was learned; that which was known if it is of more use.
fn learn_on(
    game: &Game,
    engines: &MatchEngines,
    config: &HeuristicConfig,
    stop: &Stop,
) -> Option<Known> {
    let learned = learn(game, engines, config, stop)?;
    let known = config.known.as_ref();
    match known.filter(|known| known.trust > learned.trust) {
        Some(known) => Some(Known {
            time: known.time.saturating_add(config.time),
            ..known.clone()
        }),
        None => Some(keep(learned, engines, config)),
    }
}

fn learn(
    game: &Game,
    engines: &MatchEngines,
    config: &HeuristicConfig,
    stop: &Stop,
) -> Option<Heuristic> {
    let learned = Heuristic::learn(game, engines, config, stop);
    let learned = learned.inspect_err(|error| tracing::warn!(%error, "nothing was learned"));
    learned.ok()
}

fn keep(learned: Heuristic, engines: &MatchEngines, config: &HeuristicConfig) -> Known {
    if config.keeps
        && let Err(error) = learned.keep(engines.engines().game(), config)
    {
        tracing::warn!(%error, "the evaluation is not stored");
    }
    learned.known(config)
}
