//! `propjit compare`: the speed of each backend on a game, and whether they agree.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use propjit::Stop;
use propjit::game::load::{Game, LoadError};
use propjit::lab::tools::compare::{
    self, CompareConfig, CompareOutcome, CompareTable, Figures, plot,
};
use propjit::support::rng::random_seed;
use propjit_gdl::rules::Rules;
use serde::Serialize;

use super::options::{GroundArgs, game_name, seconds, seed};
use super::output::{Failure, Output, cannot_write, show_progress, writable};
use super::signals::stop_on_signals;

/// Measure all backends and check that they agree
#[derive(clap::Args)]
pub(super) struct Args {
    /// Rulesheets to read
    #[arg(required = true, value_name = "RULESHEET")]
    rulesheets: Vec<PathBuf>,

    /// Time for random play on each backend
    #[arg(long, default_value = "2", value_name = "SECONDS", value_parser = seconds)]
    seconds: Duration,

    /// Write a bar chart of state changes per second to this file (SVG)
    #[arg(long, value_name = "FILE")]
    plot: Option<PathBuf>,

    /// Seed of the random numbers [default: random]
    #[arg(long, value_name = "N", value_parser = seed)]
    seed: Option<u64>,

    #[command(flatten)]
    ground: GroundArgs,
}

#[derive(Serialize)]
struct Report {
    seconds: f64,
    seed: u64,
    games: Vec<Entry>,
    /// None if no two backends were compared.
    agree: Option<bool>,
    interrupted: bool,
}

#[derive(Serialize)]
struct Entry {
    game: String,
    #[serde(flatten)]
    table: CompareTable,
}

/// Measures and prints a table for each game; fails if a backend differs.
pub(super) fn run(args: &Args, output: &mut Output) -> Result<(), Failure> {
    // Errors should be reported before any measurement.
    for path in &args.rulesheets {
        let reading = args.ground.reading.options();
        Rules::read_with(path, &reading).map_err(|error| Failure::from(LoadError::from(error)))?;
    }
    let plot = args.plot.as_deref();
    if let Some(path) = plot {
        writable(path, &args.rulesheets)?;
    }
    let config = CompareConfig::default()
        .with_time(args.seconds)
        .with_seed(args.seed.unwrap_or_else(random_seed));
    let stop = stop_on_signals();
    let mut report = Report {
        seconds: config.time.as_secs_f64(),
        seed: config.seed,
        games: Vec::new(),
        agree: None,
        interrupted: false,
    };
    let mut failure = None;
    for path in &args.rulesheets {
        let entry = match measure(path, args, &config, &stop) {
            Ok(Some(entry)) => entry,
            Err(error) if !stop.is_set() => {
                failure = Some(error);
                break;
            }
            Ok(None) | Err(_) => {
                report.interrupted = true;
                break;
            }
        };
        report.interrupted |= entry.table.interrupted;
        if !output.is_json() {
            output.print(&entry.to_string())?;
        }
        report.games.push(entry);
        if report.interrupted {
            break;
        }
    }
    if report.interrupted && report.games.is_empty() {
        return Err(Failure::new("interrupted before any comparison"));
    }
    let games = report.games.iter();
    let agree = games.filter_map(|entry| entry.table.agrees());
    report.agree = agree.reduce(|all, one| all && one);
    // The picture is drawn even if the reader of the tables is gone; errors come after results.
    let printed = output.result(&report);
    let agree = report.agree;
    if let Some(path) = plot {
        let tables = report.games.into_iter().map(|e| (e.game, e.table));
        let picture = plot::svg(&tables.collect::<Vec<_>>()).map_err(Failure::new)?;
        std::fs::write(path, picture).map_err(|error| cannot_write(path, &error))?;
    }
    printed?;
    match (failure, agree) {
        (Some(failure), _) => Err(failure),
        (None, Some(false)) => Err(Failure::Told),
        (None, _) => Ok(()),
    }
}

/// Measures a game and returns its table; none if it was stopped before there is anything in it.
fn measure(
    path: &Path,
    args: &Args,
    config: &CompareConfig,
    stop: &Stop,
) -> Result<Option<Entry>, Failure> {
    let game = game_name(path);
    let doing = Arc::new(Mutex::new("grounding".to_string()));
    let shown = show_progress({
        let (game, doing) = (game.clone(), doing.clone());
        move || format!("{game}: {}", doing.lock())
    });
    let setup = args.ground.setup().with_stop(stop.clone());
    let loaded = match Game::load(path, &setup) {
        Err(LoadError::Stopped) => return Ok(None),
        loaded => loaded?,
    };
    let now = |what: &str| *doing.lock() = what.to_string();
    let table = compare::compare(&loaded, config, stop, now)?;
    drop(shown);
    Ok((!table.rows.is_empty()).then_some(Entry { game, table }))
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let agree = match self.agree {
            None => "no two backends were compared",
            Some(true) if self.interrupted => "the backends compared so far agree",
            Some(true) => "all backends agree",
            Some(false) => "BACKENDS DIFFER: see above",
        };
        writeln!(f, "{agree}; {} s each, seed {}", self.seconds, self.seed)?;
        if self.interrupted {
            writeln!(f, "interrupted")?;
        }
        Ok(())
    }
}

impl fmt::Display for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let CompareTable {
            reference,
            states,
            rows,
            ..
        } = &self.table;
        writeln!(
            f,
            "{}: {states} states of random matches, compared with {reference}",
            self.game
        )?;
        writeln!(
            f,
            "{:<14}{:>10}{:>10}{:>10}{:>10}{:>10}{:>10}{:>17}{:>13}{:>10}",
            "backend",
            "set-up",
            "compile",
            "code",
            "legal",
            "next",
            "goal",
            "state changes/s",
            "rollouts/s",
            "x scalar"
        )?;
        for row in rows {
            write!(f, "{:<14}", row.backend)?;
            match &row.outcome {
                CompareOutcome::Measured(figures) => writeln!(f, "{}", Line(figures))?,
                CompareOutcome::Differs(difference) => writeln!(f, "  DIFFERS: {difference}")?,
                CompareOutcome::Unavailable(reason) => {
                    writeln!(f, "  none: {}", reason.trim_end())?
                }
            }
        }
        writeln!(f)
    }
}

/// The figures of a row.
struct Line<'a>(&'a Figures);

impl fmt::Display for Line<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let figures = self.0;
        let code = figures.code.as_ref().map(|code| &code.playouts);
        let latency = &figures.latency;
        for time in [Some(figures.setup_seconds), code.map(|code| code.seconds)] {
            write!(f, "{:>10}", or_none(time, duration))?;
        }
        write!(
            f,
            "{:>10}",
            or_none(code.map(|code| code.bytes as f64), size)
        )?;
        for time in [
            latency.legal_seconds,
            latency.next_seconds,
            latency.goal_seconds,
        ] {
            write!(f, "{:>10}", or_none(time, duration))?;
        }
        write!(
            f,
            "{:>17.0}{:>13.0}{:>10}",
            figures.playouts.state_changes_per_second,
            figures.playouts.rollouts_per_second,
            or_none(figures.ratio_to_scalar, ratio)
        )
    }
}

fn or_none(value: Option<f64>, text: impl FnOnce(f64) -> String) -> String {
    value.map_or("-".to_string(), text)
}

/// Seconds with three digits and a fitting unit.
pub(super) fn duration(seconds: f64) -> String {
    scaled(
        seconds * 1e9,
        &[("ns", 1e3), ("us", 1e3), ("ms", 1e3), ("s", f64::INFINITY)],
    )
}

/// Bytes with three digits and a fitting unit.
fn size(bytes: f64) -> String {
    scaled(
        bytes,
        &[("B", 1024.0), ("KiB", 1024.0), ("MiB", f64::INFINITY)],
    )
}

/// A number in the first unit of which there are fewer than the next one holds.
fn scaled(mut number: f64, units: &[(&str, f64)]) -> String {
    let mut unit = "";
    for &(name, next) in units {
        unit = name;
        if number < next {
            break;
        }
        number /= next;
    }
    format!("{} {unit}", three_digits(number))
}

fn ratio(ratio: f64) -> String {
    three_digits(ratio)
}

fn three_digits(number: f64) -> String {
    let decimals = match number {
        0.0..9.995 => 2,
        9.995..99.95 => 1,
        _ => 0,
    };
    format!("{number:.decimals$}")
}

#[cfg(test)]
mod tests {
    use propjit::lab::tools::compare::CompareRow;
    use propjit::lab::verify::Difference;

    use super::*;

    #[test]
    fn rows_without_figures_say_why() {
        let row = |backend: &str, outcome| CompareRow {
            backend: backend.to_string(),
            outcome,
        };
        let difference = Difference {
            what: "terminal".to_string(),
            role: None,
            match_number: 1,
            step: 7,
            expected: "true".to_string(),
            got: "false".to_string(),
        };
        let table = CompareTable {
            reference: "scalar".to_string(),
            states: 500,
            rows: vec![
                row("cranelift 64", CompareOutcome::Differs(difference)),
                row(
                    "avx2 256",
                    CompareOutcome::Unavailable("no AVX2".to_string()),
                ),
            ],
            interrupted: false,
        };
        let game = "chess".to_string();
        let text = Entry { game, table }.to_string();
        let lines: Vec<&str> = text.lines().skip(2).collect();
        assert_eq!(
            lines,
            [
                "cranelift 64    DIFFERS: match 1 step 7: terminal: expected true, got false",
                "avx2 256        none: no AVX2",
                "",
            ]
        );
    }

    #[test]
    fn quantities_have_three_digits_and_a_unit() {
        assert_eq!(duration(0.0), "0.00 ns");
        assert_eq!(duration(12.34e-9), "12.3 ns");
        assert_eq!(duration(0.99995e-3), "1000 us");
        assert_eq!(duration(0.0501), "50.1 ms");
        assert_eq!(duration(7200.0), "7200 s");
        assert_eq!(size(1023.0), "1023 B");
        assert_eq!(size(1536.0), "1.50 KiB");
        assert_eq!(size(9.03 * 1024.0 * 1024.0), "9.03 MiB");
    }
}
