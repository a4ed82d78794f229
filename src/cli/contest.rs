//! `propjit match` (a keyword, hence the file's name): matches between players.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::io::{self, IsTerminal};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use propjit::game::load::LoadError;
use propjit::play::matches::{
    ErrorRecord, MatchEnd, MatchPosition, MatchRecord, PlayerFactory, RecordFile, RecordFileError,
    Rulesheet, Series, SeriesError, SeriesHead, SeriesResults, Standing,
};
use propjit::support::error_text::with_causes;
use propjit::support::rng::random_seed;
use propjit_gdl::rules::Rules;
use serde::Serialize;

use super::options::{game_name, in_range, note_lenient, warn_prover};
use super::output::{Failure, Output, column_width, counted, live_text, message};
use super::picture::Pictures;
use super::series_args::SeriesArgs;
use super::signals::stop_on_signals;

/// Play matches between players
#[derive(clap::Args)]
pub(super) struct Args {
    /// Rulesheet to read; `-` for standard input
    rulesheet: PathBuf,

    /// Player for a role, once per role in their order: `mcts`, `random`, `legal`, cmd:COMMAND for a program
    /// (docs/engines.md), or http://HOST:PORT for a GGP player. Options follow a colon, as in
    /// `mcts:threads=2,memory=512`; without `threads`, a player searches on one. The referee plays the role `random`
    #[arg(long = "player", required = true, value_name = "SPEC")]
    players: Vec<PlayerFactory>,

    /// Number of matches
    #[arg(long, default_value = "1", value_name = "N", value_parser = |text: &str| in_range(text, 1u64, 1_000_000))]
    games: u64,

    /// Rotate the roles of the players from match to match
    #[arg(long)]
    swap: bool,

    /// Play only the match with this number, starting at 1. A match depends only on its number and --seed, so a
    /// series can be split across machines
    #[arg(long, value_name = "N", value_parser = |text: &str| in_range(text, 1u64, 1_000_000))]
    only: Option<u64>,

    /// Show the board on stderr after each joint move; a terminal is updated in place
    #[arg(long)]
    board: bool,

    #[command(flatten)]
    series: SeriesArgs,
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

/// Plays and prints the standings.
pub(super) fn run(args: &Args, output: &mut Output) -> Result<(), Failure> {
    if let Some(only) = args.only.filter(|&only| only > args.games) {
        let why = format!("there is no match {only}: --games is {}", args.games);
        return Err(Failure::Usage(why));
    }
    let path = &args.rulesheet;
    let game = game_name(path);
    let stop = stop_on_signals();
    let setup = args.series.setup.setup_for(path).with_stop(stop.clone());
    let parsed = Rules::read_with(path, &setup.reading).map_err(LoadError::from)?;
    note_lenient(&parsed.warnings);
    let name = path.to_string_lossy();
    let rulesheet = Rulesheet::parse(&name, parsed.rules.source.text(), setup);
    let rulesheet = Arc::new(rulesheet.map_err(Failure::new)?);
    let config = args.series.match_config();
    let mut series = Series::new(args.players.clone(), config)
        .with_matches(args.games)
        .with_swap(args.swap)
        .with_only(args.only.map(|number| number - 1))
        .with_name(unique_name(&game))
        .with_seed(args.series.seed.unwrap_or_else(random_seed));
    // Errors should be reported before the game is grounded.
    series.roles(&rulesheet)?;
    let mut file = record_file(args, &game, &mut series, &rulesheet)?;
    let played = file.as_ref().map(|file| file.played().clone());
    let played = played.unwrap_or_default();
    if !played.is_empty() {
        let recorded = counted(played.len(), "match is", "matches are");
        message(&format!("note: {recorded} already recorded"));
    }
    let live = live_text();
    live.show("grounding");
    let loaded = rulesheet.game();
    let loaded = loaded.map_err(|error| Failure::Work(with_causes(&error)))?;
    if let Some(reason) = loaded.grounding_error() {
        warn_prover(None, reason, "is the referee");
    }
    let pictures = args
        .board
        .then(|| Pictures::new(&loaded, &io::stderr(), &stop));
    let progress = |number, at: &MatchPosition<'_>| {
        let steps = at.record.steps.len();
        let text = format!("match {} of {}, move {steps}", number + 1, args.games);
        let Some(pictures) = &pictures else {
            return live.show(&text);
        };
        let joint = at.record.last_moves().unwrap_or_default();
        let board = pictures.draw(&at.position.fluents());
        let text = format!("{text} {}\n{board}", joint.join(" | "));
        match io::stderr().is_terminal() {
            true => live.show(&text),
            false => message(&text),
        }
    };
    let mut ended = |number, record: &MatchRecord| {
        if args.board {
            live.keep();
        }
        if let Some(file) = &mut file {
            file.write(number, 0, record);
        }
    };
    let results = series.play_rest(&rulesheet, played, &stop, &progress, &mut ended);
    drop(live);
    let results = results?;
    let first = series.only.map_or(1, |number| number + 1);
    for note in notes((first..).zip(&results.records)) {
        message(&format!("note: {note}"));
    }
    let printed = output.result(&Report::new(game, &series, &results));
    // The records are written even if the table cannot be, and the other way round.
    file.map_or(Ok(()), RecordFile::finish)?;
    printed?;
    match results.failure {
        Some(failure) => Err(Failure::Work(format!(
            "the series ended early: {failure}; use --forgiving to continue despite failures"
        ))),
        None => Ok(()),
    }
}

/// Opens the file for the records, if requested. A resumed series takes the seed from the file.
fn record_file(
    args: &Args,
    game: &str,
    series: &mut Series,
    rulesheet: &Rulesheet,
) -> Result<Option<RecordFile>, RecordFileError> {
    let Some(path) = &args.series.output else {
        return Ok(None);
    };
    if !args.series.resume {
        let head = SeriesHead::new(game, series, rulesheet);
        return RecordFile::create(path, vec![head]).map(Some);
    }
    let file = RecordFile::resume(path, |seed| {
        if let (None, Some(seed)) = (args.series.seed, seed) {
            series.seed = seed;
        }
        vec![SeriesHead::new(game, series, rulesheet)]
    });
    file.map(Some)
}

/// Describes the first error of each player in numbered matches, and why matches could not go on.
pub(super) fn notes<'a>(records: impl Iterator<Item = (u64, &'a MatchRecord)>) -> Vec<String> {
    let mut notes = Vec::new();
    let mut told = BTreeSet::new();
    for (number, record) in records {
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
            let what = kind.describe(text, step.is_some());
            notes.push(format!(
                "{player} as {role}, match {number}, {when}: {what}"
            ));
        }
        // A player that failed too often is reported as an error.
        let failure = record.failure.as_ref();
        let failure = failure.filter(|_| record.end != MatchEnd::Abandoned);
        notes.extend(failure.map(|failure| format!("match {number}: {failure}")));
    }
    notes
}

impl From<SeriesError> for Failure {
    fn from(error: SeriesError) -> Failure {
        match error {
            SeriesError::Players { .. } => Failure::Usage(error.to_string()),
            error => Failure::Work(with_causes(&error)),
        }
    }
}

impl From<RecordFileError> for Failure {
    fn from(error: RecordFileError) -> Failure {
        Failure::Work(with_causes(&error))
    }
}

/// Returns a unique name for matches, so that a remote player does not mistake them for one that it
/// still plays: the game's name, without characters that are special in KIF, and the time.
pub(super) fn unique_name(game: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
    let game: String = game.chars().map(plain).collect();
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    format!("{game}.{}", now.unwrap_or_default().as_millis())
}

impl Report {
    fn new(game: String, series: &Series, results: &SeriesResults) -> Report {
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
            ends: ends(&results.records),
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
        let width = column_width(width.max().unwrap_or_default().max("player".len()));
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
        write_ends(f, &self.ends)?;
        let undefined: u64 = self.standings.iter().map(|s| s.undefined).sum();
        if undefined > 0 {
            writeln!(f, "{undefined} goals were undefined in terminal states")?;
        }
        Ok(())
    }
}

/// How often matches ended in each way.
pub(super) fn ends<'a>(
    records: impl IntoIterator<Item = &'a MatchRecord>,
) -> BTreeMap<MatchEnd, usize> {
    let mut ends = BTreeMap::new();
    for record in records {
        *ends.entry(record.end).or_default() += 1;
    }
    ends
}

/// Writes how many matches did not end as they should.
pub(super) fn write_ends(
    f: &mut fmt::Formatter<'_>,
    ends: &BTreeMap<MatchEnd, usize>,
) -> fmt::Result {
    for (end, count) in ends {
        let what = match end {
            MatchEnd::Terminal => continue,
            MatchEnd::Truncated => "cut off at the limit of joint moves",
            MatchEnd::Stuck => "ended where a role had no legal move",
            MatchEnd::Interrupted => "interrupted",
            MatchEnd::Failed => "ended where the game could not be evaluated",
            MatchEnd::Abandoned => "abandoned because of a player",
        };
        writeln!(f, "{count} of them {what}")?;
    }
    Ok(())
}
