//! The throughput of random playouts.

use std::time::Duration;

use serde::Serialize;

use super::backend::Playing;
use super::config::CompareConfig;
use crate::game::load::Game;
use crate::game::machine::MachineError;
use crate::game::playout::{self, PlayoutOutcome, PlayoutProgress};
use propjit_stop::Stop;

/// The speed of random playouts on one thread.
#[derive(Clone, Debug, Serialize)]
pub struct Throughput {
    /// How many matches are played at a time.
    pub lanes: usize,
    /// Applications of a joint move.
    pub state_changes_per_second: f64,
    /// Matches played to their end.
    pub rollouts_per_second: f64,
}

/// The divisor of the time of the warm-up before the measurement.
const WARM_UP: u32 = 8;

impl Throughput {
    /// Plays for as long as the configuration says. Matches that run then are played to
    /// their end, unless that takes as long again.
    pub(super) fn measure(
        game: &Game,
        playing: &Playing,
        config: &CompareConfig,
        stop: &Stop,
    ) -> Result<Throughput, MachineError> {
        play(game, playing, config, config.time / WARM_UP, stop)?;
        let outcome = play(game, playing, config, config.time, stop)?;
        let seconds = outcome.time.as_secs_f64();
        Ok(Throughput {
            lanes: outcome.lanes,
            state_changes_per_second: outcome.tally.state_changes as f64 / seconds,
            rollouts_per_second: outcome.tally.rollouts() as f64 / seconds,
        })
    }
}

fn play(
    game: &Game,
    playing: &Playing,
    config: &CompareConfig,
    time: Duration,
    stop: &Stop,
) -> Result<PlayoutOutcome, MachineError> {
    let config = playout::PlayoutConfig::default()
        .with_seed(config.seed)
        .with_max_steps(config.max_steps)
        .with_time(Some(time));
    let progress = PlayoutProgress::default();
    let stop = &stop.within(2 * time);
    match playing {
        Playing::Backend(backend) => playout::run(game, *backend, &config, stop, &progress),
        Playing::Engine {
            game,
            engine,
            steps,
        } => playout::run_engine(game, engine, steps.as_ref(), &config, stop, &progress),
    }
}
