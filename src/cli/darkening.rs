//! `propjit darkening`: the gain of machine code that is specialised for the rest of a match.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use propjit::game::engine::MatchEngines;
use propjit::game::machine::{Backend, MachineError};
use propjit::lab::tools::darkening::plot;
use propjit::lab::tools::darkening::{
    DarkeningConfig, DarkeningRow, DarkeningTable, measure, random_match,
};
use propjit::support::rng::{random_seed, streams};
use serde::Serialize;

use super::compare::duration;
use super::options::{SetupArgs, game_name, in_range, seconds, seed};
use super::output::{Failure, Output, cannot_write, show_progress, writable};
use super::position::PositionArgs;
use super::signals::stop_on_signals;

/// Measure the effect of specialised machine code, move by move
#[derive(clap::Args)]
pub(super) struct Args {
    /// Rulesheet to read; `-` for standard input
    rulesheet: PathBuf,

    #[command(flatten)]
    position: PositionArgs,

    /// Continue with random moves after the given ones [default if no moves are given]
    #[arg(long)]
    random_match: bool,

    /// Seed of the random numbers [default: random]
    #[arg(long, value_name = "N", value_parser = seed)]
    seed: Option<u64>,

    /// Time for playouts from each state of the match
    #[arg(long, default_value = "0.5", value_name = "SECONDS", value_parser = seconds)]
    seconds: Duration,

    /// Maximum number of joint moves of the match
    #[arg(long, default_value = "10000", value_name = "N", value_parser = |text: &str| in_range(text, 1, u32::MAX))]
    max_steps: u32,

    /// Write a chart of remaining gates and speed-ups to this file (SVG)
    #[arg(long, value_name = "FILE")]
    plot: Option<PathBuf>,

    #[command(flatten)]
    setup: SetupArgs,
}

#[derive(Serialize)]
struct Report {
    game: String,
    seed: u64,
    #[serde(flatten)]
    table: DarkeningTable,
    /// The row halfway through the match.
    halfway: Option<DarkeningRow>,
}

/// Measures and prints a row for each state.
pub(super) fn run(args: &Args, output: &mut Output) -> Result<(), Failure> {
    let plot = args.plot.as_deref();
    if let Some(path) = plot {
        writable(path, [&args.rulesheet])?;
    }
    let stop = stop_on_signals();
    let game = args.setup.load_ground(&args.rulesheet, &stop)?;
    let backend = Backend::Compiled;
    let engines = game.engines().ok_or(MachineError::NotGround { backend })?;
    let seed = args.seed.unwrap_or_else(random_seed);
    let history = args.position.position(&game)?;
    let mut states: Vec<_> = history.states().cloned().collect();
    if args.random_match || states.len() == 1 {
        let from = states.pop().expect("a match has a first state");
        let mut machine = game.machine(game.backend())?;
        let mut rng = streams(seed).next().expect("streams do not end");
        let most = (args.max_steps as usize).saturating_sub(states.len());
        states.extend(random_match(&mut *machine, &from, most, &mut rng)?);
    } else if history.is_over()? {
        states.pop();
    }
    let config = DarkeningConfig::default()
        .with_time(args.seconds)
        .with_seed(seed);
    let mut engines = MatchEngines::new(engines.clone());
    if let Some(decisive) = game.decisive() {
        engines = engines.with_decisive(decisive.clone());
    }
    let engines = engines.with_darkening();
    let done = Arc::new(AtomicUsize::new(0));
    let shown = show_progress({
        let (done, all) = (done.clone(), states.len());
        move || format!("state {} of {all}", done.load(Ordering::Relaxed) + 1)
    });
    let now = |depth| done.store(depth, Ordering::Relaxed);
    let table = measure(&engines, &states, &config, &stop, now)?;
    drop(shown);
    let report = Report {
        game: game_name(&args.rulesheet),
        seed,
        halfway: table.halfway().cloned(),
        table,
    };
    // The picture is drawn even if the reader of the table is gone.
    let printed = output.result(&report);
    if let Some(path) = plot {
        let picture = plot::svg(&report.game, &report.table).map_err(Failure::new)?;
        std::fs::write(path, picture).map_err(|error| cannot_write(path, &error))?;
    }
    printed
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let table = &self.table;
        writeln!(
            f,
            "{}: {} base propositions, {} moves, {} gates, {} code, {} lanes, seed {}",
            self.game, table.bases, table.moves, table.gates, table.form, table.lanes, self.seed
        )?;
        if !table.cut_passes.is_empty() {
            writeln!(
                f,
                "passes that reached their time limit, so there are more gates than necessary: {}",
                table.cut_passes.join(", ")
            )?;
        }
        writeln!(
            f,
            "{:>5}{:>8}{:>8}{:>9}{:>7}{:>11}{:>11}{:>13}{:>13}{:>8}",
            "depth",
            "bases",
            "moves",
            "gates",
            "dark",
            "analysis",
            "compile",
            "playouts/s",
            "darkened",
            "times"
        )?;
        for row in &table.rows {
            writeln!(
                f,
                "{:>5}{:>8}{:>8}{:>9}{:>6.0}%{:>11}{:>11}{:>13.0}{:>13.0}{:>8.2}",
                row.depth,
                row.dark_bases,
                row.dark_moves,
                row.gates,
                100.0 * table.dark_share(row),
                duration(row.analysis_seconds),
                duration(row.compile_seconds),
                row.whole_rollouts_per_second,
                row.dark_rollouts_per_second,
                row.speedup
            )?;
        }
        if let Some(row) = &self.halfway {
            writeln!(
                f,
                "halfway, after {} joint moves, {:.0}% of the gates are dark, and playouts are {:.2} times as fast",
                row.depth,
                100.0 * table.dark_share(row),
                row.speedup
            )?;
        }
        if table.interrupted {
            writeln!(f, "interrupted")?;
        }
        Ok(())
    }
}
