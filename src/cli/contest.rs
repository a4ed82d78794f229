//! `propjit match` (a keyword, hence the file's name): matches between players.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use parking_lot::Mutex;
use propjit::game::LoadError;
use propjit::matches::{
    ErrorRecord, MatchConfig, MatchEnd, MatchRecord, PlayerErrorKind, PlayerFactory, Rulesheet,
    Series, SeriesError, SeriesResults, Standing,
};
use propjit::rng::random_seed;
use propjit_gdl::rules::Rules;
use serde::Serialize;

use super::options::{SetupArgs, game_name, in_range, seconds};
use super::output::{Failure, Output, describe, message, show_progress, stop_on_ctrl_c};

/// Let players play matches against each other
#[derive(clap::Args)]
pub(super) struct Args {
    /// The file with the rules
    rulesheet: PathBuf,

    /// A player for each role, in the order of roles: `mcts`, `random`, `legal`, or http://HOST:PORT for
    /// one that speaks the GGP protocol; with options as in `mcts:threads=2,memory=512`. The referee itself plays the role
    /// `random`
    #[arg(long = "player", required = true, value_name = "SPEC")]
    players: Vec<PlayerFactory>,

    /// The number of matches
    #[arg(long, default_value = "1", value_name = "N", value_parser = |text: &str| in_range(text, 1u64, 1_000_000))]
    games: u64,

    /// Time to prepare. Players elsewhere may need whole seconds
    #[arg(long, default_value = "10", value_name = "SECONDS", value_parser = seconds)]
    start_clock: Duration,

    /// Time for each move
    #[arg(long, default_value = "5", value_name = "SECONDS", value_parser = seconds)]
    play_clock: Duration,

    /// Players change their roles from match to match
    #[arg(long)]
    swap: bool,

    /// The seed of the random moves [default: another one each time]
    #[arg(long, value_name = "N")]
    seed: Option<u64>,

    /// Cut matches off after this many joint moves
    #[arg(long, default_value = "10000", value_name = "N", value_parser = |text: &str| in_range(text, 1usize, 1_000_000))]
    max_steps: usize,

    /// Write records of the matches to this file, as JSON
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,

    #[command(flatten)]
    setup: SetupArgs,
}

#[derive(Serialize)]
struct Report {
    game: String,
    start_clock: f64,
    play_clock: f64,
    seed: u64,
    matches: usize,
    steps: usize,
    ends: BTreeMap<MatchEnd, usize>,
    standings: Vec<Standing>,
    interrupted: bool,
}

/// The content of the file that `--output` names.
#[derive(Serialize)]
struct Records<'a> {
    #[serde(flatten)]
    report: &'a Report,
    records: &'a [MatchRecord],
}

/// Plays and prints the standings.
pub(super) fn run(args: &Args, output: &mut Output) -> Result<(), Failure> {
    let path = &args.rulesheet;
    let game = game_name(path);
    let rules = Rules::read(path).map_err(LoadError::from)?.rules;
    let stop = stop_on_ctrl_c();
    let setup = args.setup.setup_for(path).with_stop(stop.clone());
    let name = path.to_string_lossy();
    let rulesheet = Rulesheet::parse(&name, rules.source.text(), setup);
    let rulesheet = Arc::new(rulesheet.map_err(Failure::new)?);
    let config = MatchConfig::new(args.start_clock, args.play_clock).with_max_steps(args.max_steps);
    let series = Series::new(args.players.clone(), config)
        .with_matches(args.games)
        .with_swap(args.swap)
        .with_name(unique_name(&game))
        .with_seed(args.seed.unwrap_or_else(random_seed));
    // What is wrong should be known before the game is grounded.
    series.roles(&rulesheet)?;
    let file = args.output.as_deref();
    file.map_or(Ok(()), |file| write(file, ""))?;
    let status = Arc::new(Mutex::new("grounding".to_string()));
    let shown = show_progress({
        let status = status.clone();
        move || status.lock().clone()
    });
    let loaded = rulesheet.game().map_err(Failure::new)?;
    if let Some(reason) = loaded.gave_up() {
        message(&format!("note: {reason}; the prover is the referee"));
    }
    let results = series.play(&rulesheet, &stop, &|number, steps| {
        let now = format!("match {} of {}, move {steps}", number + 1, args.games);
        *status.lock() = now;
    });
    drop(shown);
    let results = results?;
    for note in notes(&results.records) {
        message(&format!("note: {note}"));
    }
    let report = Report::new(game, &series, &results);
    if let Some(file) = file {
        let records = Records {
            report: &report,
            records: &results.records,
        };
        let json = serde_json::to_string_pretty(&records).map_err(Failure::new)?;
        write(file, &format!("{json}\n"))?;
    }
    output.result(&report)
}

/// The first error of each player, and why matches could not go on.
fn notes(records: &[MatchRecord]) -> Vec<String> {
    let mut notes = Vec::new();
    let mut told = BTreeSet::new();
    for (record, number) in records.iter().zip(1..) {
        for ErrorRecord {
            step,
            role,
            kind,
            text,
        } in &record.errors
        {
            let mut seats = record.roles.iter().zip(&record.players);
            let player = seats.find(|(name, _)| *name == role);
            let player = player.and_then(|(_, player)| player.as_deref());
            let player = player.unwrap_or(role);
            if !told.insert(player) {
                continue;
            }
            let when = step.map_or("at the start".to_string(), |step| {
                format!("move {}", step + 1)
            });
            let what = match (step, kind) {
                (Some(_), PlayerErrorKind::Illegal) => format!("`{text}` is not legal"),
                _ => text.clone(),
            };
            notes.push(format!(
                "{player} as {role}, match {number}, {when}: {what}"
            ));
        }
        notes.extend(
            record
                .failure
                .as_ref()
                .map(|failure| format!("match {number}: {failure}")),
        );
    }
    notes
}

impl From<SeriesError> for Failure {
    fn from(error: SeriesError) -> Failure {
        match error {
            SeriesError::Players { .. } => Failure::Usage(error.to_string()),
            error => Failure::Work(describe(&error)),
        }
    }
}

fn write(file: &Path, text: &str) -> Result<(), Failure> {
    std::fs::write(file, text)
        .map_err(|error| Failure::Work(format!("cannot write {}: {error}", file.display())))
}

/// A name for matches that no others have, so that a player elsewhere does not take them for one
/// that it still plays: the game's name, without what KIF would read as something else, and
/// the time.
fn unique_name(game: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
    let game: String = game.chars().map(plain).collect();
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    format!("{game}.{}", now.unwrap_or_default().as_millis())
}

impl Report {
    fn new(game: String, series: &Series, results: &SeriesResults) -> Report {
        let mut ends = BTreeMap::new();
        for record in &results.records {
            *ends.entry(record.end).or_default() += 1;
        }
        Report {
            game,
            start_clock: series.config.start_clock.as_secs_f64(),
            play_clock: series.config.play_clock.as_secs_f64(),
            seed: series.seed,
            matches: results.records.len(),
            steps: results
                .records
                .iter()
                .map(|record| record.steps.len())
                .sum(),
            ends,
            standings: results.standings.clone(),
            interrupted: results.interrupted,
        }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plural = if self.matches == 1 { "" } else { "es" };
        writeln!(
            f,
            "{}: {} match{plural}, {} moves, clocks {} s and {} s, seed {}",
            self.game, self.matches, self.steps, self.start_clock, self.play_clock, self.seed
        )?;
        let width = self.standings.iter().map(|standing| standing.player.len());
        let width = width.max().unwrap_or_default().max("player".len());
        writeln!(
            f,
            "{:<width$}{:>7}{:>7}{:>7}{:>9}{:>17}{:>11}{:>10}{:>9}{:>9}",
            "player",
            "wins",
            "draws",
            "losses",
            "score",
            "95%",
            "mean goal",
            "time-outs",
            "illegal",
            "failures"
        )?;
        for standing in &self.standings {
            let score = standing.score.map(|score| format!("{:.1}%", 100.0 * score));
            let interval = standing
                .interval
                .map(|(low, high)| format!("{:.1}% to {:.1}%", 100.0 * low, 100.0 * high));
            let goal = standing.mean_goal.map(|goal| format!("{goal:.2}"));
            let or_none = |text: Option<String>| text.unwrap_or("-".to_string());
            writeln!(
                f,
                "{:<width$}{:>7}{:>7}{:>7}{:>9}{:>17}{:>11}{:>10}{:>9}{:>9}",
                standing.player,
                standing.wins,
                standing.draws,
                standing.losses,
                or_none(score),
                or_none(interval),
                or_none(goal),
                standing.timeouts,
                standing.illegal,
                standing.failures,
            )?;
        }
        for (end, count) in &self.ends {
            let what = match end {
                MatchEnd::Terminal => continue,
                MatchEnd::Truncated => "cut off at the limit of moves",
                MatchEnd::Stuck => "ended where a role had no legal move",
                MatchEnd::Interrupted => "interrupted",
                MatchEnd::Failed => "ended where the game could not be evaluated",
            };
            writeln!(f, "{count} of them {what}")?;
        }
        let undefined: u64 = self.standings.iter().map(|s| s.undefined).sum();
        if undefined > 0 {
            writeln!(f, "{undefined} goals were undefined in terminal states")?;
        }
        Ok(())
    }
}
