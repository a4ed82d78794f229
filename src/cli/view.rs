//! `propjit view`: a match in the browser.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use propjit::game::load::Game;
use propjit::game::machine::RANDOM_ROLE;
use propjit::play::matches::{MoveRecord, RecordLine, ScriptError, read_records};
use propjit::play::view::{View, ViewConfig};
use propjit::support::error_text::with_causes;

use super::options::{game_name, port, seconds};
use super::output::{Failure, Output, message};
use super::search_args::{SearchArgs, find_role};
use super::signals::stop_on_signals;

/// Show a game or a match in the browser, and play it
///
/// RULESHEET can also be a file of match records written by `propjit match --output`, but not standard input; its
/// rulesheet is then searched for in the same folder and in the current one. The page is served to this machine only.
#[derive(clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    search: SearchArgs,

    /// Rulesheet for a file of match records [default: GAME.kif in its folder or the current one]
    #[arg(long, value_name = "FILE")]
    rules: Option<PathBuf>,

    /// Role that you play, which the page can change [default: the first]
    #[arg(long, value_name = "ROLE")]
    role: Option<String>,

    /// Time limit of a search for a move
    #[arg(long, default_value = "1", value_name = "SECONDS", value_parser = seconds)]
    seconds: Duration,

    /// Show the whole state and all moves in a game that hides information, too
    #[arg(long)]
    show_all: bool,

    /// Port to listen on; 0 for any free port
    #[arg(long, default_value = "9180", value_name = "PORT", value_parser = port)]
    port: u16,
}

/// Serves the page until Ctrl-C.
pub(super) fn run(mut args: Args, output: &mut Output) -> Result<(), Failure> {
    let stop = stop_on_signals();
    let record = record(&mut args)?;
    let check = |game: &Game| record.as_ref().map_or(Ok(()), |record| check(record, game));
    let position = (args.search.load_checked(&stop, check)).map_err(no_records)?;
    let name = game_name(args.search.rulesheet());
    let mut config = ViewConfig::new(&name, position.backend)
        .with_seconds(args.seconds)
        .with_show_all(args.show_all)
        .with_search(args.search.config(false)?)
        .with_stop(stop.clone());
    let roles = position.history.roles();
    match &record {
        Some(record) => config = with_record(config, record, position.history.depth()),
        None => {
            let person = find_role(roles, args.role.as_deref())?;
            let is_machine =
                |(at, role): (usize, &String)| at != person.index() && role != RANDOM_ROLE;
            config = config.with_machines(roles.iter().enumerate().map(is_machine).collect());
        }
    }
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, args.port));
    let view = View::start(address, position.game, position.history, config);
    let view = view.map_err(|error| Failure::Work(with_causes(&error)))?;
    if !stop.is_set() {
        let address = view.address();
        output.print(&format!("{name} is at http://{address}/ until Ctrl-C\n"))?;
    }
    while !stop.is_set() {
        thread::sleep(Duration::from_millis(50));
    }
    drop(view);
    message("stopped");
    Ok(())
}

/// Returns the match on record, if the file is one of records. The rules are then taken from
/// elsewhere.
fn record(args: &mut Args) -> Result<Option<RecordLine>, Failure> {
    let path = args.search.rulesheet().to_path_buf();
    // Data from a pipe can be read only once, and is taken as rules.
    let is_records = path.is_file()
        && std::fs::read(&path).is_ok_and(|text| text.trim_ascii_start().starts_with(b"{"));
    if !is_records {
        return match &args.rules {
            None => Ok(None),
            Some(_) => {
                let why = format!(
                    "--rules needs a file of records, and {} is not one",
                    path.display()
                );
                Err(Failure::Usage(why))
            }
        };
    }
    if args.role.is_some() {
        let why = format!(
            "--role needs a rulesheet, and {} is a file of records",
            path.display()
        );
        return Err(Failure::Usage(why));
    }
    let lines = read_records(&path).map_err(|error| Failure::Work(with_causes(&error)))?;
    let numbers: Vec<u64> = lines.iter().map(|line| line.number).collect();
    let number = args.search.number();
    // If the match is ambiguous, this is reported when the moves are read.
    let mut found = lines
        .into_iter()
        .filter(|line| number.is_none_or(|number| line.number == number));
    let line = found.next().ok_or_else(|| ScriptError::Match {
        file: path.clone(),
        number,
        numbers,
    })?;
    let rules = match &args.rules {
        Some(rules) => rules.clone(),
        None => find_rules(&path, &line.head.game)?,
    };
    args.search.take_records(rules)?;
    Ok(Some(line))
}

/// Returns the same failure, except that for rules that are records from a pipe, the message says
/// that they have to be in a file.
fn no_records(failure: Failure) -> Failure {
    match &failure {
        Failure::Rules(rules) if rules.source().text().trim_start().starts_with('{') => {
            let name = rules.source().name();
            Failure::Usage(format!(
                "{name} has records, which cannot be read from a pipe: use a file"
            ))
        }
        _ => failure,
    }
}

/// Finds the rulesheet of a game beside its records, or in the current folder.
fn find_rules(records: &Path, game: &str) -> Result<PathBuf, Failure> {
    let file = PathBuf::from(format!("{game}.kif"));
    let places = [records.with_file_name(&file), file.clone()];
    places.into_iter().find(|path| path.is_file()).ok_or_else(|| {
        let file = file.display();
        Failure::Work(format!(
            "no {file} beside the records or in the current folder; name the rulesheet of {game} with --rules"
        ))
    })
}

/// Fails unless the match was played by the rules of this game.
fn check(line: &RecordLine, game: &Game) -> Result<(), Failure> {
    match line.head.rulesheet == game.fingerprint() {
        true => Ok(()),
        false => Err(Failure::Work(format!(
            "the match was played with other rules of {}; name the rulesheet with --rules",
            line.head.game
        ))),
    }
}

/// Adds the players, and their expectations in the first joint moves.
fn with_record(config: ViewConfig, line: &RecordLine, count: usize) -> ViewConfig {
    let expected = |played: &MoveRecord| played.statistics.as_ref()?.get("value")?.as_f64();
    let steps = line.record.steps.iter().take(count);
    let expected = steps.map(|step| step.iter().map(expected).collect());
    let players = line.record.players.iter().cloned();
    let players = players.map(|player| Some(player.unwrap_or("random moves".to_string())));
    config
        .with_players(players.collect())
        .with_expected(expected.collect())
}
