//! `propjit tune`: the settings that suit this CPU best.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use propjit::Stop;
use propjit::game::load::Game;
use propjit::game::machine::Backend;
use propjit::game::profile::{self, Cpu, Profile, Settings};
use propjit::lab::tools::tune::{self, Gain, Subject, TuneConfig, TuneOutcome, Tuned, Tuning};
use propjit::support::error_text::with_causes;
use propjit::support::rng::random_seed;
use serde::Serialize;

use super::options::{GroundArgs, game_name, seconds, seed};
use super::output::{Failure, Output, show_progress};
use super::signals::stop_on_signals;

/// Find the settings for the fastest random play on this CPU
///
/// Compares settings of code generation and execution and writes the best ones to a profile in the user's
/// configuration directory, for later runs. The environment variable PROPJIT_CONFIG sets another directory; `off`
/// disables profiles.
#[derive(clap::Args)]
pub(super) struct Args {
    /// Rulesheets of the games to play [default: games included with propjit]
    #[arg(value_name = "RULESHEET")]
    rulesheets: Vec<PathBuf>,

    /// Time limit
    #[arg(long, default_value = "60", value_name = "SECONDS", value_parser = seconds)]
    seconds: Duration,

    /// Seed of the random numbers [default: random]
    #[arg(long, value_name = "N", value_parser = seed)]
    seed: Option<u64>,

    /// Measure without writing the profile
    #[arg(long)]
    dry_run: bool,

    /// Print the current profile without measuring
    #[arg(long, conflicts_with_all = ["rulesheets", "seconds", "seed", "dry_run"])]
    show: bool,

    #[command(flatten)]
    ground: GroundArgs,
}

/// Tunes, prints the gains, and writes the profile; or prints the current one.
pub(super) fn run(args: &Args, output: &mut Output) -> Result<(), Failure> {
    let failed = |error| Failure::Work(with_causes(&error));
    let path = profile::path().map_err(failed)?;
    if args.show {
        let profile = profile::load().map_err(failed)?;
        return output.result(&Shown::new(path, profile));
    }
    // Errors should be reported before any measurement.
    if path.is_none() && !args.dry_run {
        let variable = profile::VARIABLE;
        let error = format!("profiles are disabled: {variable}=off; use --dry-run to measure only");
        return Err(Failure::Work(error));
    }
    if let Some(path) = path.as_ref().filter(|_| !args.dry_run) {
        Profile::can_write(path).map_err(failed)?;
    }
    let stop = stop_on_signals();
    let subjects = subjects(args, &stop)?;
    let config = TuneConfig::default()
        .with_time(args.seconds)
        .with_seed(args.seed.unwrap_or_else(random_seed));
    let doing = Arc::new(Mutex::new(String::new()));
    let shown = show_progress({
        let doing = doing.clone();
        move || doing.lock().clone()
    });
    let now = |what: &str| *doing.lock() = what.to_string();
    let tuned = tune::tune(&subjects, &config, &stop, now);
    drop(shown);
    let tuning = tuned.map_err(|error| match stop.is_set() {
        true => Failure::new("interrupted before any measurement"),
        false => Failure::Work(with_causes(&error)),
    })?;
    let profile = Profile::new(tuning.best.clone());
    let mut report = Report {
        seconds: config.time.as_secs_f64(),
        seed: config.seed,
        games: subjects.into_iter().map(|subject| subject.name).collect(),
        cpu: profile.cpu.clone(),
        tuning,
        written: None,
    };
    // The result that the defaults are best is news only if there is another profile.
    let is_news = |path: &PathBuf| report.has_won() || (report.is_complete() && path.exists());
    let mut written = Ok(());
    if let Some(path) = path.filter(|path| !args.dry_run && is_news(path)) {
        written = profile.write(&path).map_err(failed);
        report.written = written.is_ok().then(|| path.display().to_string());
    }
    // The measurements are printed even if the profile cannot be written.
    output.result(&report)?;
    written
}

/// The games to play.
fn subjects(args: &Args, stop: &Stop) -> Result<Vec<Subject>, Failure> {
    if args.rulesheets.is_empty() {
        return Ok(Subject::built_in()?);
    }
    let backend = Some(Backend::Compiled);
    let setup = args
        .ground
        .setup()
        .with_backend(backend)
        .with_stop(stop.clone());
    let subject = |path: &PathBuf| {
        let game = Game::load(path, &setup)?;
        Ok(Subject::new(game_name(path), &game)?)
    };
    args.rulesheets.iter().map(subject).collect()
}

/// The profile in use. As text it is a profile, with comments, that can be edited and used.
#[derive(Serialize)]
struct Shown {
    /// Its path; none if profiles are switched off.
    path: Option<String>,
    /// Whether the settings are those of a profile, and not the defaults.
    tuned: bool,
    #[serde(flatten)]
    profile: Profile,
}

impl Shown {
    fn new(path: Option<PathBuf>, profile: Option<Profile>) -> Shown {
        Shown {
            path: path.map(|path| path.display().to_string()),
            tuned: profile.is_some(),
            profile: profile.unwrap_or_else(|| Profile::new(Settings::default())),
        }
    }
}

impl fmt::Display for Shown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.path, self.tuned) {
            (Some(path), true) => writeln!(f, "# {path}:")?,
            (Some(path), false) => writeln!(f, "# no profile ({path}); the defaults:")?,
            (None, _) => {
                let variable = profile::VARIABLE;
                writeln!(f, "# profiles are disabled: {variable}=off; the defaults:")?;
            }
        }
        write!(f, "{}", self.profile)
    }
}

#[derive(Serialize)]
struct Report {
    seconds: f64,
    seed: u64,
    games: Vec<String>,
    cpu: Cpu,
    #[serde(flatten)]
    tuning: Tuning,
    /// The profile that was written.
    written: Option<String>,
}

impl Report {
    fn has_won(&self) -> bool {
        self.tuning.best != self.tuning.defaults
    }

    /// Returns whether all settings were tried.
    fn is_complete(&self) -> bool {
        self.tuning.left.is_empty() && !self.tuning.interrupted
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tuning = &self.tuning;
        let games = self.games.join(", ");
        writeln!(f, "{}; {games}; seed {}", self.cpu.model, self.seed)?;
        for tuned in &tuning.parameters {
            write_tuned(f, tuned)?;
        }
        if !tuning.left.is_empty() {
            writeln!(f, "no time for {}: raise --seconds", tuning.left.join(", "))?;
        }
        for check in &tuning.checks {
            let threads = match check.against.threads {
                1 => "1 thread".to_string(),
                threads => format!("{threads} threads"),
            };
            let rival = format!("over the defaults, {threads}");
            writeln!(f, "{rival:<30}{}", Ratio(&check.gain))?;
            for (game, ratio) in self.games.iter().zip(&check.gain.games) {
                writeln!(f, "{:<15}{game:<15}{ratio:.3}", "")?;
            }
        }
        if tuning.interrupted {
            writeln!(f, "interrupted")?;
        }
        if !self.has_won() {
            writeln!(f, "no improvement over the defaults")?;
        }
        match &self.written {
            Some(path) => writeln!(f, "written to {path}:")?,
            None => writeln!(f, "no profile was written:")?,
        }
        write!(f, "{}", tuning.best)
    }
}

fn write_tuned(f: &mut fmt::Formatter<'_>, tuned: &Tuned) -> fmt::Result {
    let kept = |value: &str| if value == tuned.chosen { "  *" } else { "" };
    let Tuned {
        parameter, before, ..
    } = tuned;
    writeln!(f, "{parameter:<14} {before:<14} 1{}", kept(before))?;
    for candidate in &tuned.candidates {
        write!(f, "{:<14} {:<14} ", "", candidate.value)?;
        match &candidate.outcome {
            TuneOutcome::Gain(gain) => writeln!(f, "{}{}", Ratio(gain), kept(&candidate.value))?,
            TuneOutcome::Unavailable(reason) => writeln!(f, "none: {reason}")?,
        }
    }
    Ok(())
}

/// A ratio with its standard error.
struct Ratio<'a>(&'a Gain);

impl fmt::Display for Ratio<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Gain { ratio, error, .. } = self.0;
        write!(f, "{ratio:.3} \u{b1} {:.3}", ratio * error)
    }
}
