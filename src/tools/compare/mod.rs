//! All backends on one game: how fast each is, and whether they agree.
//!
//! Random matches are recorded with a reference machine, the scalar
//! interpreter, or the prover if the game could not be grounded. Every backend replays
//! them and has to say the same of every state. The states met on the way are then what
//! the [latency](Latency) of single questions is measured on; [throughput](Throughput) is that of random
//! playouts. [`plot`] draws a chart of it.
//!
//! A backend that differs from the reference is not measured: how fast it is wrong is
//! of no interest.

mod backend;
mod latency;
pub mod plot;
mod recording;
#[cfg(test)]
mod tests;
mod throughput;

use std::time::{Duration, Instant};

use propjit_jit::code::Code;
use serde::Serialize;

pub use backend::Contender;
use backend::Ready;
pub use latency::Latency;
use recording::Recording;
pub use throughput::Throughput;

use crate::game::Game;
use crate::machine::{Backend, MachineError};
use crate::rng::streams;
use crate::verify::Difference;
use propjit_stop::Stop;

/// How to compare.
#[derive(Clone, Debug)]
pub struct Config {
    /// For how long each backend plays; nothing else takes a slow backend longer.
    pub time: Duration,
    /// Where the random numbers come from.
    pub seed: u64,
    /// How many states are compared: those of random matches, the last one cut off.
    pub states: usize,
    /// How many joint moves a playout may have.
    pub max_steps: u32,
}

impl Default for Config {
    fn default() -> Config {
        Config {
            time: Duration::from_secs(2),
            seed: 0,
            states: 500,
            max_steps: 10_000,
        }
    }
}

/// All backends on one game.
#[derive(Clone, Debug, Serialize)]
pub struct Table {
    /// The backend that the others are compared with.
    pub reference: String,
    /// How many states there were to compare.
    pub states: usize,
    /// A row for each backend.
    pub rows: Vec<Row>,
    /// Whether a stop came; then rows are missing.
    pub interrupted: bool,
}

/// One backend.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    /// The backend's name.
    pub backend: String,
    /// What came of it.
    #[serde(flatten)]
    pub outcome: Outcome,
}

/// What came of trying a backend.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// It agrees with the reference.
    Measured(Figures),
    /// It says something else than the reference.
    Differs(Difference),
    /// It cannot be had for this game or on this CPU, or it gave up.
    Unavailable(String),
}

/// What was measured of a backend.
#[derive(Clone, Debug, Serialize)]
pub struct Figures {
    /// What the backend needs besides the propositional network, in seconds: passes over
    /// the circuit, programs, machine code for playouts and for single states.
    pub setup_seconds: f64,
    /// The machine code, of backends that have some.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<CodeFigures>,
    /// How many states were compared with the reference: of a slow backend not all.
    pub states_compared: usize,
    /// How long single questions take.
    pub latency: Latency,
    /// How fast it plays at random.
    pub playouts: Throughput,
    /// The ratio of its state changes a second to those of the scalar interpreter.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ratio_to_scalar: Option<f64>,
}

/// The machine code of a game.
#[derive(Clone, Debug, Serialize)]
pub struct CodeFigures {
    /// The code that plays at random.
    pub playouts: CodeSize,
    /// The code that answers single questions.
    pub states: CodeSize,
}

/// What a piece of machine code takes.
#[derive(Clone, Debug, Serialize)]
pub struct CodeSize {
    /// How long it took to compile.
    pub seconds: f64,
    /// Its length.
    pub bytes: usize,
    /// How many functions it is cut into.
    pub functions: usize,
}

impl CodeSize {
    fn of(code: &Code) -> CodeSize {
        CodeSize {
            seconds: code.time().as_secs_f64(),
            bytes: code.bytes(),
            functions: code.functions(),
        }
    }
}

impl Table {
    /// Whether no backend differs from the reference.
    pub fn agrees(&self) -> bool {
        let differs = |row: &Row| matches!(row.outcome, Outcome::Differs(_));
        !self.rows.iter().any(differs)
    }

    fn find_ratios(&mut self) {
        let speed = |row: &Row| Some(row.figures()?.playouts.state_changes_per_second);
        let scalar = Backend::Scalar.name();
        let scalar = self.rows.iter().find(|row| row.backend == scalar);
        let scalar = scalar.and_then(speed).filter(|&speed| speed > 0.0);
        for row in &mut self.rows {
            if let Outcome::Measured(figures) = &mut row.outcome {
                let speed = figures.playouts.state_changes_per_second;
                figures.ratio_to_scalar = scalar.map(|scalar| speed / scalar);
            }
        }
    }
}

impl Row {
    /// What was measured, if anything.
    pub fn figures(&self) -> Option<&Figures> {
        match &self.outcome {
            Outcome::Measured(figures) => Some(figures),
            _ => None,
        }
    }
}

/// Compares all backends on a game, telling by `now` which one's turn it is.
///
/// A stop ends the comparison with the rows that are complete.
///
/// # Errors
/// When the reference cannot play the game.
pub fn compare(
    game: &Game,
    config: &Config,
    stop: &Stop,
    mut now: impl FnMut(&str),
) -> Result<Table, MachineError> {
    let reference = Contender::Backend(game.backend());
    let mut ready = Ready::new(game, &reference)?;
    let rng = streams(config.seed).next().expect("streams do not end");
    now("recording matches");
    let recording = Recording::new(&mut *ready.machine, config, rng, stop)?;
    let mut reference_ready = Some(ready);
    let mut table = Table {
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
        table.rows.push(Row {
            backend: contender.to_string(),
            outcome: measured.unwrap_or_else(|error| Outcome::Unavailable(error.to_string())),
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
    config: &Config,
    stop: &Stop,
) -> Result<Outcome, MachineError> {
    let deadline = || Instant::now() + config.time;
    let replay = recording.replay(&mut *ready.machine, deadline(), stop)?;
    if let Some(difference) = replay.difference {
        return Ok(Outcome::Differs(difference));
    }
    if let Some(machine) = &mut ready.playing {
        let replay = recording.replay(&mut **machine, deadline(), stop)?;
        if let Some(difference) = replay.difference {
            return Ok(Outcome::Differs(difference));
        }
    }
    let latency = Latency::measure(
        &mut *ready.machine,
        &replay.positions,
        config.time / 8,
        stop,
    )?;
    Ok(Outcome::Measured(Figures {
        setup_seconds: ready.setup.as_secs_f64(),
        states_compared: replay.compared,
        latency,
        playouts: Throughput::measure(game, &ready.player, config, stop)?,
        code: ready.code,
        ratio_to_scalar: None,
    }))
}
