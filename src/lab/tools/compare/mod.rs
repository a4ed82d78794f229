//! Comparison of all backends on one game: their speed, and whether they agree.
//!
//! Random matches are recorded with a reference machine, the scalar interpreter, or the prover if the
//! game could not be grounded. Every backend replays them and has to give the same results for every
//! state. The [latency](Latency) of single queries is measured on the states met on the way;
//! [throughput](Throughput) is that of random playouts. [`plot`] draws a chart of it.
//!
//! A backend that differs from the reference is not measured: the speed of wrong results is of no
//! interest.

mod backend;
mod code_figures;
mod config;
mod latency;
pub mod plot;
mod recording;
mod table;
#[cfg(test)]
mod tests;
mod throughput;

use std::time::Instant;

use propjit_stop::Stop;

pub use backend::Contender;
use backend::Ready;
pub use code_figures::{CodeFigures, CodeSize};
pub use config::CompareConfig;
pub use latency::Latency;
use recording::Recording;
pub use table::{CompareOutcome, CompareRow, CompareTable, Figures};
pub use throughput::Throughput;

use crate::game::load::Game;
use crate::game::machine::MachineError;
use crate::support::rng::streams;

/// Compares all backends on a game, calling `now` with the name of each as it begins.
///
/// A stop ends the comparison with the rows that are complete.
///
/// # Errors
/// When the reference cannot play the game.
pub fn compare(
    game: &Game,
    config: &CompareConfig,
    stop: &Stop,
    mut now: impl FnMut(&str),
) -> Result<CompareTable, MachineError> {
    let reference = Contender::Backend(game.backend());
    let mut ready = Ready::new(game, &reference)?;
    let rng = streams(config.seed).next().expect("streams do not end");
    now("recording matches");
    let recording = Recording::new(&mut *ready.machine, config, rng, stop)?;
    let mut reference_ready = Some(ready);
    let mut table = CompareTable {
        reference: reference.to_string(),
        states: recording.states(),
        rows: Vec::new(),
        interrupted: false,
    };
    for contender in Contender::all() {
        now(&contender.to_string());
        let ready = match contender == reference {
            true => reference_ready.take().map(Ok),
            false => None,
        };
        let ready = ready.unwrap_or_else(|| Ready::new(game, &contender));
        let measured = ready.and_then(|ready| measure(game, ready, &recording, config, stop));
        table.interrupted = stop.is_set();
        if table.interrupted {
            break;
        }
        table.rows.push(CompareRow {
            backend: contender.to_string(),
            outcome: measured
                .unwrap_or_else(|error| CompareOutcome::Unavailable(error.to_string())),
        });
    }
    table.find_ratios();
    Ok(table)
}

/// Lets a backend replay the recording, and measures it if it agrees.
fn measure(
    game: &Game,
    mut ready: Ready,
    recording: &Recording,
    config: &CompareConfig,
    stop: &Stop,
) -> Result<CompareOutcome, MachineError> {
    let deadline = || Instant::now() + config.time;
    let replay = recording.replay(&mut *ready.machine, deadline(), stop)?;
    if let Some(difference) = replay.difference {
        return Ok(CompareOutcome::Differs(difference));
    }
    if let Some(machine) = &mut ready.playing_machine {
        let replay = recording.replay(&mut **machine, deadline(), stop)?;
        if let Some(difference) = replay.difference {
            return Ok(CompareOutcome::Differs(difference));
        }
    }
    let latency = Latency::measure(
        &mut *ready.machine,
        &replay.positions,
        config.time / 8,
        stop,
    )?;
    Ok(CompareOutcome::Measured(Figures {
        setup_seconds: ready.setup.as_secs_f64(),
        states_compared: replay.compared,
        latency,
        playouts: Throughput::measure(game, &ready.playing, config, stop)?,
        code: ready.code,
        ratio_to_scalar: None,
    }))
}
