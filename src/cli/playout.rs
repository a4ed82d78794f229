//! `propjit playout`: random matches for a given time.

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use propjit::game::load::Game;
use propjit::game::machine::RoleId;
use propjit::game::playout::{self, PlayoutConfig, PlayoutProgress};
use propjit::lab::inspection::{Example, find_stuck};
use propjit::support::rng::random_seed;
use serde::Serialize;

use super::options::{SetupArgs, game_name, in_range, seconds, seed, threads};
use super::output::{Failure, Output, counted, show_progress};
use super::signals::stop_on_signals;

/// Play random matches and measure their speed
#[derive(clap::Args)]
pub(super) struct Args {
    /// Rulesheet to read; `-` for standard input
    rulesheet: PathBuf,

    #[command(flatten)]
    setup: SetupArgs,

    /// Time in which matches are started; matches in progress at its end are completed, unless the prover takes
    /// too long [default: 5, or no limit with --count]
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    seconds: Option<Duration>,

    /// Wait for machine code before the first match; without this, play starts on the interpreter and switches
    /// when the code is ready
    #[arg(long)]
    wait: bool,

    /// Number of matches
    #[arg(long, value_name = "N", value_parser = |text: &str| in_range(text, 1, u64::MAX))]
    count: Option<u64>,

    /// Playout threads [default: 1, or the number chosen by `propjit tune`]
    #[arg(long, value_name = "T", value_parser = threads)]
    threads: Option<usize>,

    /// Seed of the random numbers; one thread with the same seed plays the same matches in the same order
    /// [default: random]
    #[arg(long, value_name = "N", value_parser = seed)]
    seed: Option<u64>,

    /// Maximum number of joint moves per match
    #[arg(long, default_value = "10000", value_name = "N", value_parser = |text: &str| in_range(text, 1, u32::MAX))]
    max_steps: u32,
}

/// For how long matches are started by default.
const DEFAULT_TIME: Duration = Duration::from_secs(5);

/// For how long to search for an example if some matches were stuck.
const SEARCH_TIME: Duration = Duration::from_secs(2);

#[derive(Serialize)]
struct Report {
    game: String,
    backend: &'static str,
    lanes: usize,
    threads: usize,
    seed: u64,
    setup_seconds: f64,
    /// The time to make the machine code, if it was ready in time.
    code_seconds: Option<f64>,
    /// The reason if the game is interpreted though it was to be compiled.
    #[serde(skip_serializing_if = "Option::is_none")]
    not_compiled: Option<String>,
    seconds: f64,
    state_changes: u64,
    rollouts: u64,
    state_changes_per_second: f64,
    rollouts_per_second: f64,
    mean_length: Option<f64>,
    roles: Vec<String>,
    mean_goals: Vec<Option<f64>>,
    goal_standard_errors: Vec<Option<f64>>,
    undefined_goals: Vec<u64>,
    truncated: u64,
    stuck: u64,
    given_up: u64,
    /// A match in which a role has no legal move, if one has none and another was found.
    stuck_example: Option<Stuck>,
    interrupted: bool,
}

/// A match that is stuck.
#[derive(Serialize)]
struct Stuck {
    /// The role without a legal move.
    role: String,
    #[serde(flatten)]
    example: Example,
}

/// Plays and prints the figures.
pub(super) fn run(args: &Args, output: &mut Output) -> Result<(), Failure> {
    let setup = &args.setup;
    let stop = stop_on_signals();
    let prepare = |game: &mut Game, backend| game.prepare_playouts(backend).map(|()| backend);
    let (mut game, backend) = setup.load(&args.rulesheet, &stop, Game::bulk_backend, prepare)?;
    if args.wait {
        game.wait_for_code();
    }
    let unlimited = args.count.is_some().then_some(args.seconds);
    let config = PlayoutConfig::default()
        .with_threads(args.threads.unwrap_or(setup.settings().threads))
        .with_refill(setup.settings().refill)
        .with_seed(args.seed.unwrap_or_else(random_seed))
        .with_max_steps(args.max_steps)
        .with_time(unlimited.unwrap_or(args.seconds.or(Some(DEFAULT_TIME))))
        .with_rollouts(args.count);
    let progress = PlayoutProgress::default();
    let shown = show_progress({
        let progress = progress.clone();
        move || format!("{} matches", progress.rollouts())
    });
    let outcome = playout::run(&game, backend, &config, &stop, &progress)?;
    drop(shown);
    let tally = &outcome.tally;
    let stuck_example = match tally.stuck {
        0 => None,
        _ => {
            let steps = config.max_steps as usize;
            let found = find_stuck(&game, config.seed, steps, SEARCH_TIME, &stop);
            found.unwrap_or_else(|error| {
                tracing::info!(%error, "no stuck match found");
                None
            })
        }
    };
    let elapsed = outcome.time.as_secs_f64();
    let roles = game.rules().roles.iter();
    let role_name = |role: RoleId| game.rules().terms.text(game.rules().roles[role.index()]);
    output.result(&Report {
        game: game_name(&args.rulesheet),
        backend: backend.name(),
        lanes: outcome.lanes,
        threads: config.threads,
        seed: config.seed,
        setup_seconds: game.setup_time().as_secs_f64(),
        code_seconds: code_time(&game),
        not_compiled: game.not_compiled().map(ToString::to_string),
        seconds: elapsed,
        state_changes: tally.state_changes,
        rollouts: tally.rollouts(),
        state_changes_per_second: tally.state_changes as f64 / elapsed,
        rollouts_per_second: tally.rollouts() as f64 / elapsed,
        mean_length: tally.lengths.mean(),
        roles: roles.map(|&role| game.rules().terms.text(role)).collect(),
        mean_goals: tally
            .goals
            .iter()
            .map(|goals| goals.values.mean())
            .collect(),
        goal_standard_errors: tally
            .goals
            .iter()
            .map(|goals| goals.values.standard_error())
            .collect(),
        undefined_goals: tally.goals.iter().map(|goals| goals.undefined).collect(),
        truncated: tally.truncated,
        stuck: tally.stuck,
        given_up: tally.given_up,
        stuck_example: stuck_example.map(|(role, example)| Stuck {
            role: role_name(role),
            example,
        }),
        interrupted: outcome.stopped,
    })
}

/// Returns the time to make the machine code that was played with.
fn code_time(game: &Game) -> Option<f64> {
    let time = game.engines()?.for_playouts().code_time()?;
    Some(time.as_secs_f64())
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Report { game, backend, .. } = self;
        writeln!(
            f,
            "{game} on {backend}, {}, {}, seed {}",
            counted(self.lanes, "lane", "lanes"),
            counted(self.threads, "thread", "threads"),
            self.seed
        )?;
        writeln!(f, "set-up        {:>14.3} s", self.setup_seconds)?;
        if let Some(seconds) = self.code_seconds {
            writeln!(f, "code after    {seconds:>14.3} s")?;
        }
        writeln!(f, "time          {:>14.3} s", self.seconds)?;
        writeln!(
            f,
            "state changes {:>14}   {:>14.0} /s",
            self.state_changes, self.state_changes_per_second
        )?;
        writeln!(
            f,
            "rollouts      {:>14}   {:>14.0} /s",
            self.rollouts, self.rollouts_per_second
        )?;
        if let Some(length) = self.mean_length {
            writeln!(f, "mean length   {length:>14.2}")?;
        }
        let means = self.mean_goals.iter().zip(&self.goal_standard_errors);
        for (role, (mean, error)) in self.roles.iter().zip(means) {
            match (mean, error) {
                (Some(mean), Some(error)) => {
                    writeln!(f, "mean goal     {mean:>14.2} \u{b1} {error:.2}   {role}")?;
                }
                (Some(mean), None) => writeln!(f, "mean goal     {mean:>14.2}   {role}")?,
                (None, _) => writeln!(f, "mean goal     {:>14}   {role}", "none")?,
            }
        }
        let undefined = self.undefined_goals.iter().sum();
        for (count, what) in [
            (self.truncated, "matches were cut off at the limit of steps"),
            (self.stuck, "matches ended where a role had no legal move"),
            (
                self.given_up,
                "matches were abandoned because the prover took too long: the means may be biased",
            ),
            (undefined, "goals were undefined in terminal states"),
        ] {
            if count > 0 {
                writeln!(f, "{count} {what}")?;
            }
        }
        if let Some(Stuck { role, example }) = &self.stuck_example {
            writeln!(f, "for example, {role} has no legal move")?;
            writeln!(f, "{example}")?;
        }
        if self.interrupted {
            writeln!(f, "interrupted")?;
        }
        Ok(())
    }
}
