//! `propjit verify`: comparison of backends with traces and with each other.

use std::fmt;
use std::path::{Path, PathBuf};

use clap::ArgGroup;
use parking_lot::Mutex;
use propjit::Stop;
use propjit::game::load::Game;
use propjit::game::machine::Backend;
use propjit::lab::verify::suite::{self, SuiteCase, SuiteRow, SuiteStatus};
use propjit::lab::verify::{Difference, against};
use propjit::support::rng::{random_seed, streams};
use serde::Serialize;

use super::options::{
    BackendChoice, SetupArgs, game_name, in_range, seed, threads, warn_interpreter,
};
use super::output::{Failure, Output, show_progress};
use super::signals::stop_on_signals;

/// Compare backends with recorded traces, or with each other
#[derive(clap::Args)]
#[command(group = ArgGroup::new("with").args(["trace", "traces", "against"]).required(true))]
pub(super) struct Args {
    /// Rulesheet to read; `-` for standard input
    #[arg(required_unless_present = "games", conflicts_with = "games")]
    rulesheet: Option<PathBuf>,

    /// Trace whose matches to replay
    #[arg(long, value_name = "FILE", requires = "rulesheet")]
    trace: Option<PathBuf>,

    /// Folder of rulesheets, with NAME.kif for each trace NAME.json
    #[arg(long, value_name = "DIR", requires = "traces")]
    games: Option<PathBuf>,

    /// Folder of traces to replay
    #[arg(long, value_name = "DIR", requires = "games")]
    traces: Option<PathBuf>,

    /// Backend to compare with in random matches; auto, here and for --backend, is the fastest other one
    #[arg(long, value_name = "BACKEND", requires = "rulesheet")]
    against: Option<BackendChoice>,

    /// Number of matches with --against
    #[arg(long, default_value = "100", value_name = "N", conflicts_with_all = ["trace", "traces"], value_parser = |text: &str| in_range(text, 1, usize::MAX))]
    matches: usize,

    /// Maximum number of joint moves per match with --against
    #[arg(long, default_value = "1000", value_name = "N", conflicts_with_all = ["trace", "traces"], value_parser = |text: &str| in_range(text, 1, usize::MAX))]
    max_steps: usize,

    /// Seed of the random numbers with --against [default: random]
    #[arg(long, value_name = "N", conflicts_with_all = ["trace", "traces"], value_parser = seed)]
    seed: Option<u64>,

    /// Number of games to verify at a time with --games
    #[arg(long, default_value = "1", value_name = "N", conflicts_with = "rulesheet", value_parser = threads)]
    jobs: usize,

    #[command(flatten)]
    setup: SetupArgs,
}

/// Runs the requested comparison; fails if anything differs.
pub(super) fn run(args: &Args, output: &mut Output) -> Result<(), Failure> {
    let stop = stop_on_signals();
    match (&args.rulesheet, &args.trace, &args.games, &args.traces) {
        (Some(rulesheet), Some(trace), ..) => {
            let case = SuiteCase {
                game: game_name(rulesheet),
                rulesheet: rulesheet.clone(),
                trace: trace.clone(),
            };
            replay(args, &[case], &stop, output)
        }
        (_, _, Some(games), Some(traces)) => {
            let cases = suite::cases(games, traces).map_err(|error| {
                Failure::Work(format!("cannot list {}: {error}", traces.display()))
            })?;
            if cases.is_empty() {
                let traces = traces.display();
                return Err(Failure::Work(format!("{traces} has no traces (NAME.json)")));
            }
            replay(args, &cases, &stop, output)
        }
        (Some(rulesheet), ..) => side_by_side(args, rulesheet, &stop, output),
        _ => unreachable!("clap requires one of the combinations above"),
    }
}

#[derive(Serialize)]
struct Summary {
    passed: usize,
    failed: usize,
    gave_up: usize,
    interrupted: bool,
    games: Vec<SuiteRow>,
}

fn replay(
    args: &Args,
    cases: &[SuiteCase],
    stop: &Stop,
    output: &mut Output,
) -> Result<(), Failure> {
    let setup = args.setup.setup().with_stop(stop.clone());
    let text = !output.is_json();
    // Rows are printed as they come; the first failure to print ends the work.
    let printed = Mutex::new((output, Ok(())));
    let finished = |row: &SuiteRow| {
        let mut printed = printed.lock();
        if text && printed.1.is_ok() {
            printed.1 = printed.0.print(&format!("{}\n", RowText(row)));
            if printed.1.is_err() {
                stop.set();
            }
        }
    };
    let games = suite::run(cases, &setup, args.jobs, stop, finished);
    let (output, result) = printed.into_inner();
    result?;
    let count = |wanted: &[SuiteStatus]| {
        games
            .iter()
            .filter(|row| wanted.contains(&row.status))
            .count()
    };
    let summary = Summary {
        passed: count(&[SuiteStatus::Ok]),
        failed: count(&[SuiteStatus::Differs, SuiteStatus::Error]),
        gave_up: count(&[SuiteStatus::GaveUp]),
        interrupted: stop.is_set(),
        games,
    };
    output.result(&summary)?;
    match summary.failed == 0 && !summary.interrupted {
        true => Ok(()),
        false => Err(Failure::Told),
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Summary {
            passed,
            failed,
            gave_up,
            ..
        } = self;
        writeln!(f, "{passed} passed, {failed} failed, {gave_up} gave up")?;
        if self.interrupted {
            writeln!(f, "interrupted")?;
        }
        Ok(())
    }
}

/// A row of the table of games.
struct RowText<'a>(&'a SuiteRow);

impl fmt::Display for RowText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let row = self.0;
        let status = match row.status {
            SuiteStatus::Ok => "ok",
            SuiteStatus::Differs => "differs",
            SuiteStatus::GaveUp => "gave up",
            SuiteStatus::Error => "error",
        };
        let backend = row.backend.unwrap_or("-");
        write!(
            f,
            "{:<40} {status:<8} {backend:<7} {:>9.1} ms {:>6} states",
            row.game, row.setup_ms, row.steps
        )?;
        if let Some(difference) = &row.difference {
            write!(f, "  {difference}")?;
        }
        if let Some(note) = &row.note {
            write!(f, "  {}", note.trim_end())?;
        }
        Ok(())
    }
}

#[derive(Serialize)]
struct SideBySide {
    game: String,
    backend: &'static str,
    against: &'static str,
    /// The reason if the game is interpreted though it was to be compiled.
    #[serde(skip_serializing_if = "Option::is_none")]
    not_compiled: Option<String>,
    seed: u64,
    matches: usize,
    states: usize,
    difference: Option<Difference>,
    interrupted: bool,
}

fn side_by_side(
    args: &Args,
    rulesheet: &Path,
    stop: &Stop,
    output: &mut Output,
) -> Result<(), Failure> {
    let chosen = args.setup.backend.0;
    let against_chosen = args.against.and_then(|choice| choice.0);
    if let Some(backend) = chosen
        && chosen == against_chosen
    {
        return Err(Failure::Usage(format!(
            "--backend and --against are both {backend}; they must differ"
        )));
    }
    let mut setup = args.setup.clone();
    if chosen == Some(Backend::Prover) {
        // For the prover alone the game would not be grounded.
        setup.backend = BackendChoice(against_chosen);
    }
    let prepare = Game::prepare_or_interpret;
    let (mut game, _) = setup.load(rulesheet, stop, Game::backend, prepare)?;
    let (backend, other) = pair(&game, chosen, against_chosen)?;
    let backend = prepared(&mut game, backend, other)?;
    let other = prepared(&mut game, other, backend)?;
    // A failure to compile at the start was reported then.
    if chosen != Some(Backend::Compiled) {
        warn_interpreter(&game);
    }
    let (mut machine, mut expected) = (game.machine(backend)?, game.machine(other)?);
    let seed = args.seed.unwrap_or_else(random_seed);
    let mut rng = streams(seed).next().expect("streams do not end");
    let shown = show_progress(move || format!("{backend} against {other}"));
    let (one, two) = (&mut *machine, &mut *expected);
    let compared = against(one, two, args.matches, args.max_steps, &mut rng, stop)?;
    drop(shown);
    let report = SideBySide {
        game: game_name(rulesheet),
        backend: backend.name(),
        against: other.name(),
        not_compiled: game.not_compiled().map(ToString::to_string),
        seed,
        matches: compared.matches,
        states: compared.steps,
        difference: compared.difference,
        interrupted: stop.is_set(),
    };
    output.result(&report)?;
    match report.difference.is_none() && !report.interrupted {
        true => Ok(()),
        false => Err(Failure::Told),
    }
}

/// Returns the backend that is ready to be compared with another one when this one is wanted: the game is
/// interpreted if it cannot be compiled.
fn prepared(game: &mut Game, wanted: Backend, other: Backend) -> Result<Backend, Failure> {
    let ready = game.prepare_or_interpret(wanted)?;
    if ready != other {
        return Ok(ready);
    }
    game.prepare(Backend::Scalar)?;
    Ok(Backend::Scalar)
}

/// Returns the backends to compare: those that are chosen, and otherwise the fastest one that is
/// not the other.
fn pair(
    game: &Game,
    chosen: Option<Backend>,
    against: Option<Backend>,
) -> Result<(Backend, Backend), Failure> {
    let fastest_but = |other: Option<Backend>| {
        let mut fastest = [game.backend(), game.bulk_backend()].into_iter();
        fastest.find(|&backend| Some(backend) != other)
    };
    let backend = chosen.or_else(|| fastest_but(against));
    let other = against.or_else(|| fastest_but(backend));
    backend.zip(other).ok_or_else(|| {
        let why = "no backend to compare the prover with: the game was not grounded";
        Failure::Work(why.to_string())
    })
}

impl fmt::Display for SideBySide {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let SideBySide {
            game,
            backend,
            against,
            seed,
            matches,
            states,
            ..
        } = self;
        write!(
            f,
            "{game}: {backend} against {against}, seed {seed}: {matches} matches, {states} states: "
        )?;
        match &self.difference {
            Some(difference) => writeln!(f, "differs: {difference}"),
            None if self.interrupted => writeln!(f, "interrupted"),
            None => writeln!(f, "ok"),
        }
    }
}
