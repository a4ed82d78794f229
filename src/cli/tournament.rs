//! `propjit tournament`: matches of several players in several games.

use std::collections::BTreeMap;
use std::fmt::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use propjit::game::load::LoadError;
use propjit::play::matches::{
    Accepted, MatchEnd, MatchRecord, OpeningError, Openings, Pairing, PlayerFactory, Rating,
    RecordFile, RecordFileError, Rulesheet, SeriesHead, Sprt, SprtStatus, Standing, Tournament,
    TournamentError, TournamentGame, TournamentProgress, TournamentTable,
};
use propjit::support::error_text::with_causes;
use propjit::support::rng::random_seed;
use propjit_gdl::rules::Rules;
use serde::Serialize;

use super::contest::{ends, notes, unique_name, write_ends};
use super::options::{game_name, in_range, note_lenient, warn_prover};
use super::output::{Failure, Output, column_width, counted, live_text, message};
use super::series_args::SeriesArgs;
use super::signals::stop_on_signals;

/// Play a tournament of several players and games, with openings, ratings and sequential testing
#[derive(clap::Args)]
pub(super) struct Args {
    /// Rulesheets to read
    #[arg(required = true, value_name = "RULESHEET")]
    rulesheets: Vec<PathBuf>,

    /// Player, as for `propjit match`
    #[arg(long = "player", required = true, value_name = "SPEC")]
    players: Vec<PlayerFactory>,

    /// Pairing: round-robin, or gauntlet, in which the first player plays against each of the others; every
    /// player plays the games of one role
    #[arg(long, default_value = "round-robin", value_name = "PAIRING")]
    pairing: Pairing,

    /// Number of rounds; in each round, every pairing plays one opening of each game once per role, so that each
    /// player plays each role
    #[arg(long, default_value = "1", value_name = "N", value_parser = |text: &str| in_range(text, 1u64, 1_000_000))]
    rounds: u64,

    /// Openings: random:N for N random joint moves, or a file with one opening per line, its joint moves
    /// separated by semicolons, preceded by the game's name and a colon if there are several games
    #[arg(long, value_name = "OPENINGS")]
    openings: Option<String>,

    /// Number of matches to play at a time; each should have a processor for each thread of a player
    #[arg(long, default_value = "1", value_name = "N", value_parser = |text: &str| in_range(text, 1usize, 1024))]
    jobs: usize,

    /// Processors to bind each job to, with all threads and programs of its players (Linux only)
    #[arg(long, value_name = "N", value_parser = |text: &str| in_range(text, 1usize, 1024))]
    cores: Option<usize>,

    /// End when a sequential probability ratio test decides whether the first of two players is stronger by ELO1
    /// points (H1) or by ELO0 points (H0), with error probabilities ALPHA and BETA
    #[arg(long, value_name = "ELO0,ELO1,ALPHA,BETA", allow_hyphen_values = true)]
    sprt: Option<Sprt>,

    #[command(flatten)]
    series: SeriesArgs,
}

#[derive(Serialize)]
struct Report {
    games: Vec<String>,
    pairing: Pairing,
    rounds: u64,
    openings: String,
    jobs: usize,
    cores: Option<usize>,
    start_clock: f64,
    play_clock: f64,
    seed: u64,
    /// The number of matches of all rounds.
    of: u64,
    steps: usize,
    sprt: Option<Sprt>,
    interrupted: bool,
    /// How often matches ended in each way.
    ends: BTreeMap<MatchEnd, usize>,
    table: TournamentTable,
}

/// Plays and prints the table.
pub(super) fn run(args: &Args, output: &mut Output) -> Result<(), Failure> {
    let stop = stop_on_signals();
    let game = |path: &PathBuf| {
        let setup = args.series.setup.setup_for(path).with_stop(stop.clone());
        let parsed = Rules::read_with(path, &setup.reading).map_err(LoadError::from)?;
        note_lenient(&parsed.warnings);
        let name = path.to_string_lossy();
        let rulesheet = Rulesheet::parse(&name, parsed.rules.source.text(), setup);
        Ok(TournamentGame {
            name: game_name(path),
            rulesheet: Arc::new(rulesheet.map_err(Failure::new)?),
        })
    };
    let games = args.rulesheets.iter().map(game);
    let games = games.collect::<Result<Vec<_>, Failure>>()?;
    let config = args.series.match_config();
    let openings = args.openings.as_deref().map(Openings::read).transpose();
    let openings = openings.map_err(|error| match error {
        OpeningError::Depth(_) => Failure::Usage(error.to_string()),
        error => Failure::Work(with_causes(&error)),
    })?;
    let mut tournament = Tournament::new(args.players.clone(), games, config)
        .with_pairing(args.pairing)
        .with_rounds(args.rounds)
        .with_openings(openings.unwrap_or_default())
        .with_jobs(args.jobs)
        .with_cores(args.cores)
        .with_sprt(args.sprt)
        .with_name(unique_name("tournament"))
        .with_seed(args.series.seed.unwrap_or_else(random_seed));
    // Errors should be reported before anything is written.
    let of = tournament.matches()?;
    let mut file = record_file(args, &mut tournament)?;
    let played = file.as_ref().map(|file| file.played().clone());
    let played = played.unwrap_or_default();
    if !played.is_empty() {
        let recorded = counted(played.len(), "match is", "matches are");
        message(&format!("note: {recorded} already recorded"));
    }
    let live = live_text();
    live.show("grounding");
    for game in &tournament.games {
        let loaded = game.rulesheet.game();
        let loaded = loaded.map_err(|error| Failure::Work(with_causes(&error)))?;
        if let Some(reason) = loaded.grounding_error() {
            warn_prover(Some(&game.name), reason, "is the referee");
        }
    }
    let mut watch = |progress: &TournamentProgress<'_>| live.show(&Live(progress).to_string());
    let mut ended = |number, game, record: &MatchRecord| {
        if let Some(file) = &mut file {
            file.write(number, game, record);
        }
    };
    let results = tournament.play(played, &stop, &mut watch, &mut ended);
    drop(live);
    let results = results?;
    for note in notes(
        results
            .records
            .iter()
            .map(|(number, record)| (number + 1, record)),
    ) {
        message(&format!("note: {note}"));
    }
    let steps = results.records.values().map(|record| record.steps.len());
    let printed = output.result(&Report {
        games: tournament
            .games
            .iter()
            .map(|game| game.name.clone())
            .collect(),
        pairing: tournament.pairing,
        rounds: tournament.rounds,
        openings: tournament.openings.to_string(),
        jobs: tournament.jobs,
        cores: tournament.cores,
        start_clock: args.series.start_clock.as_secs_f64(),
        play_clock: args.series.play_clock.as_secs_f64(),
        seed: tournament.seed,
        of,
        steps: steps.sum(),
        sprt: tournament.sprt,
        interrupted: results.interrupted,
        ends: ends(results.records.values()),
        table: results.table,
    });
    // The records are written even if the table cannot be, and the other way round.
    file.map_or(Ok(()), RecordFile::finish)?;
    printed?;
    let remedy = results
        .failure
        .as_ref()
        .map(|_| "; use --forgiving to continue despite failures");
    match results.failure.or(results.error) {
        Some(why) => Err(Failure::Work(format!(
            "the tournament ended early: {why}{}",
            remedy.unwrap_or_default()
        ))),
        None => Ok(()),
    }
}

/// Opens the file for the records, if requested. A resumed tournament takes the seed from the file.
fn record_file(
    args: &Args,
    tournament: &mut Tournament,
) -> Result<Option<RecordFile>, RecordFileError> {
    let Some(path): Option<&Path> = args.series.output.as_deref() else {
        return Ok(None);
    };
    if !args.series.resume {
        return RecordFile::create(path, SeriesHead::of_tournament(tournament)).map(Some);
    }
    let file = RecordFile::resume(path, |seed| {
        if let (None, Some(seed)) = (args.series.seed, seed) {
            tournament.seed = seed;
        }
        SeriesHead::of_tournament(tournament)
    });
    file.map(Some)
}

impl From<TournamentError> for Failure {
    fn from(error: TournamentError) -> Failure {
        match error {
            TournamentError::Players { .. }
            | TournamentError::NoRole(_)
            | TournamentError::Sprt
            | TournamentError::Single(_)
            | TournamentError::Cores(_)
            | TournamentError::SameName(_) => Failure::Usage(error.to_string()),
            error => Failure::Work(with_causes(&error)),
        }
    }
}

/// The live display while matches are played.
struct Live<'a>(&'a TournamentProgress<'a>);

impl fmt::Display for Live<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let TournamentProgress {
            ended,
            of,
            running,
            table,
        } = self.0;
        write!(f, "{ended} of {of} matches")?;
        for (number, steps) in running.iter().take(8) {
            write!(f, "; match {}: move {steps}", number + 1)?;
        }
        if *ended > 0 {
            let mut text = String::new();
            write_table(&mut text, table)?;
            write!(f, "\n{}", text.trim_end())?;
        }
        Ok(())
    }
}

/// The table of all games.
fn write_table(f: &mut impl fmt::Write, table: &TournamentTable) -> fmt::Result {
    let players = table.standings.iter();
    let width = players.map(|standing| standing.player.chars().count());
    let width = column_width(width.max().unwrap_or_default().max("player".len()));
    writeln!(
        f,
        "{:<width$}{:>7}{:>7}{:>7}{:>7}{:>9}{:>17}{:>15}",
        "player", "games", "wins", "draws", "losses", "score", "95%", "Elo"
    )?;
    let mut order: Vec<usize> = (0..table.standings.len()).collect();
    let score = |place: &usize| table.standings[*place].score.unwrap_or_default();
    order.sort_by(|a, b| score(b).total_cmp(&score(a)));
    for place in order {
        let standing = &table.standings[place];
        let rating = table.ratings.as_ref().map(|ratings| ratings[place]);
        // Adding zero makes -0 positive.
        let elo = rating
            .map(|Rating { elo, margin }| format!("{:+.0} \u{b1} {margin:.0}", elo.round() + 0.0));
        let score = standing.score.map(|score| format!("{:.1}%", 100.0 * score));
        let interval = standing
            .interval
            .map(|(low, high)| format!("{:.1}% to {:.1}%", 100.0 * low, 100.0 * high));
        let or_none = |text: Option<String>| text.unwrap_or("-".to_string());
        writeln!(
            f,
            "{:<width$}{:>7}{:>7}{:>7}{:>7}{:>9}{:>17}{:>15}",
            standing.player,
            standing.matches,
            standing.wins,
            standing.draws,
            standing.losses,
            or_none(score),
            or_none(interval),
            or_none(elo),
        )?;
    }
    if let Some(status) = &table.sprt {
        writeln!(f, "{}", SprtText(status))?;
    }
    Ok(())
}

/// The state of a test, as text.
struct SprtText<'a>(&'a SprtStatus);

impl fmt::Display for SprtText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let SprtStatus {
            pairs,
            llr,
            lower,
            upper,
            accepted,
        } = self.0;
        let verdict = match accepted {
            Some(Accepted::H0) => "H0 is accepted",
            Some(Accepted::H1) => "H1 is accepted",
            None => "undecided",
        };
        write!(
            f,
            "SPRT: {verdict} after {}; logarithm of the likelihood ratio {llr:.2} \
             between {lower:.2} and {upper:.2}",
            counted(*pairs, "pair", "pairs")
        )
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let table = &self.table;
        write!(
            f,
            "{}: {} of {} matches, {} moves, clocks {} s and {} s, seed {}",
            self.games.join(", "),
            table.matches,
            self.of,
            self.steps,
            self.start_clock,
            self.play_clock,
            self.seed
        )?;
        match self.openings.as_str() {
            "none" => writeln!(f)?,
            openings => writeln!(f, ", openings {openings}")?,
        }
        let mut text = String::new();
        write_table(&mut text, table)?;
        f.write_str(&text)?;
        if self.games.len() > 1 {
            write_games(f, &table.games)?;
        }
        write_ends(f, &self.ends)?;
        let sum = |count: fn(&Standing) -> u64| table.standings.iter().map(count).sum::<u64>();
        for (count, what) in [
            (sum(|standing| standing.timeouts), "times a player was late"),
            (sum(|standing| standing.illegal), "moves were not legal"),
            (sum(|standing| standing.failures), "times a player failed"),
            (
                sum(|standing| standing.undefined),
                "goals were undefined in terminal states",
            ),
        ] {
            if count > 0 {
                writeln!(f, "{count} {what}")?;
            }
        }
        if self.interrupted {
            writeln!(f, "interrupted")?;
        }
        Ok(())
    }
}

/// The score of each player in each game.
fn write_games(f: &mut fmt::Formatter<'_>, games: &BTreeMap<String, Vec<Standing>>) -> fmt::Result {
    let width = games.keys().map(|name| name.chars().count()).max();
    let width = column_width(width.unwrap_or_default());
    for (name, standings) in games {
        let mut line = format!("{name:<width$}");
        for standing in standings {
            let score = standing.score.map(|score| format!("{:.1}%", 100.0 * score));
            let score = score.unwrap_or("-".to_string());
            write!(
                line,
                "  {} {score} of {}",
                standing.player, standing.matches
            )?;
        }
        writeln!(f, "{line}")?;
    }
    Ok(())
}
