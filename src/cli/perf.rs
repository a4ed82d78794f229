//! `propjit perf`: the process protocol of the gdl-perf benchmark
//! (<https://github.com/AlexLandau/gdl-perf>).

use std::fmt::Write;
use std::path::PathBuf;
use std::time::Duration;

use propjit::game::playout::{self, PlayoutConfig, PlayoutProgress};
use propjit::support::rng::random_seed;

use super::options::{SetupArgs, load, seconds};
use super::output::{Failure, cannot_write, message, writable};
use super::signals::stop_on_signals;

/// Measure random play for the gdl-perf benchmark
///
/// Writes the lines version=, millisecondsTaken=, numStateChanges= and numRollouts= to OUTFILE, or version= and
/// errorMessage=.
#[derive(clap::Args)]
pub(super) struct Args {
    /// Rulesheet to read; `-` for standard input
    rulesheet: PathBuf,

    /// File to write
    outfile: PathBuf,

    /// Time for random play
    #[arg(value_parser = seconds)]
    seconds: Duration,

    #[command(flatten)]
    setup: SetupArgs,
}

/// How long a match may be.
const MAX_STEPS: u32 = 10_000;

/// Plays on one thread and writes the figures.
pub(super) fn run(args: &Args) -> Result<(), Failure> {
    let mut lines = format!("version=propjit {}\n", env!("CARGO_PKG_VERSION"));
    writable(&args.outfile, [&args.rulesheet])?;
    let played = play(args);
    let _ = match &played {
        Ok(outcome) => write!(
            lines,
            "millisecondsTaken={}\nnumStateChanges={}\nnumRollouts={}\n",
            outcome.time.as_millis(),
            outcome.tally.state_changes,
            outcome.tally.rollouts(),
        ),
        // The protocol's values are single lines.
        Err(error) => writeln!(lines, "errorMessage={}", error.line()),
    };
    let written = std::fs::write(&args.outfile, lines);
    written.map_err(|error| cannot_write(&args.outfile, &error))?;
    played.map(|_| ())
}

fn play(args: &Args) -> Result<playout::PlayoutOutcome, Failure> {
    let stop = stop_on_signals();
    let setup = args
        .setup
        .setup_for(&args.rulesheet)
        .with_stop(stop.clone());
    let mut game = load(&args.rulesheet, &setup)?;
    let backend = args.setup.backend.0.unwrap_or(game.bulk_backend());
    game.prepare_playouts(backend)?;
    // Only play is measured.
    game.wait_for_code();
    let seed = random_seed();
    message(&format!("seed {seed}"));
    // The benchmark compares engines on one thread.
    let config = PlayoutConfig::default()
        .with_threads(1)
        .with_refill(args.setup.settings().refill)
        .with_seed(seed)
        .with_max_steps(MAX_STEPS)
        .with_time(Some(args.seconds));
    let progress = PlayoutProgress::default();
    Ok(playout::run(&game, backend, &config, &stop, &progress)?)
}
