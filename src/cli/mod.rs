//! The command line: one file per command.
//!
//! Results go to stdout, progress and messages to stderr. The exit code is 0 on
//! success, 1 when the work failed, 2 on wrong usage.
//! Signals end long work with the result so far, see `signals`.

mod analyze;
mod cache;
mod compare;
mod completions;
mod contest;
mod convert;
mod counters;
mod darkening;
mod disassemble;
mod dynamics;
mod engine;
mod factors;
mod facts;
mod groups;
mod heuristics;
mod hidden;
mod influence;
mod info;
mod manual;
mod option_flags;
mod options;
mod output;
mod perf;
mod perft;
mod picture;
mod play;
mod playout;
mod position;
mod prove;
mod ranking;
mod search_args;
mod series_args;
mod serve;
mod signals;
mod similarity;
mod solve;
mod stats;
mod time_limit;
mod tournament;
mod tune;
mod validate;
mod verify;
mod view;

use std::io::{self, IsTerminal};
use std::process::ExitCode;

use clap::{ArgAction, CommandFactory as _, FromArgMatches as _, Parser, Subcommand};
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;

use options::LENIENT_COMMANDS;
use output::{Failure, Format, Output};

/// The place in the help of options that all commands have: after a command's own, before `--help`.
const COMMON: usize = 900;

/// Play and analyse games described in the Game Description Language (GDL).
#[derive(Parser)]
#[command(name = "propjit", version)]
struct Cli {
    /// Output format of results
    #[arg(long, value_enum, default_value_t = Format::Text, global = true, display_order = COMMON)]
    format: Format,

    /// Log more to stderr; repeat for more detail. The environment variable PROPJIT_LOG sets filters
    #[arg(short, long, action = ArgAction::Count, global = true, display_order = COMMON)]
    verbose: u8,

    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Validate(validate::Args),
    Convert(convert::Args),
    Info(info::Args),
    Playout(playout::Args),
    Analyze(analyze::Args),
    Play(play::Args),
    Perft(perft::Args),
    Prove(prove::Args),
    Solve(solve::Args),
    Verify(verify::Args),
    Compare(compare::Args),
    Darkening(darkening::Args),
    Disassemble(disassemble::Args),
    Facts(facts::Args),
    Factors(factors::Args),
    Similarity(similarity::Args),
    Stats(stats::Args),
    Heuristics(heuristics::Args),
    #[command(name = "match")]
    Contest(contest::Args),
    Tournament(tournament::Args),
    Serve(serve::Args),
    View(view::Args),
    Engine(engine::Args),
    Perf(perf::Args),
    Tune(tune::Args),
    Cache(cache::Args),
    Completions(completions::Args),
    Manual(manual::Args),
}

/// Returns the description of the command line.
fn description() -> clap::Command {
    // This lets the parsers of numbers report what is wrong with a negative one.
    let command = Cli::command().mut_subcommands(|command| {
        command.mut_args(|arg| {
            let takes_values = arg.get_action().takes_values();
            arg.allow_negative_numbers(takes_values)
        })
    });
    LENIENT_COMMANDS.iter().fold(command, |command, name| {
        command.mut_subcommand(name, |command| {
            command.mut_arg("lenient", |arg| arg.default_value("true"))
        })
    })
}

/// Runs the command that the arguments of the process ask for.
pub(super) fn main() -> ExitCode {
    let matches = groups::grouped(description()).get_matches();
    let cli = Cli::from_arg_matches(&matches).unwrap_or_else(|error| error.exit());
    log_to_stderr(&cli);
    let mut output = Output::new(cli.format);
    let is_drawn = matches!(&cli.command, Command::Facts(args) if args.is_drawn());
    let is_table = matches!(cli.command, Command::Stats(_));
    let without_json = match cli.command {
        Command::Play(_) => {
            Some("play is interactive and has no JSON output; use `propjit analyze`")
        }
        Command::Serve(_)
        | Command::View(_)
        | Command::Perf(_)
        | Command::Convert(_)
        | Command::Completions(_)
        | Command::Manual(_) => {
            Some("this command prints no results and does not support `--format json`")
        }
        _ => None,
    };
    let without_json = without_json.filter(|_| output.is_json());
    let done = match cli.command {
        _ if let Some(why) = without_json => Err(Failure::Usage(why.to_string())),
        _ if output.is_dot() && !is_drawn => Err(Failure::Usage(
            "only `propjit facts` without `--distances` and `--dynamic` supports `--format dot`; use `propjit info --dot FILE` for the network"
                .to_string(),
        )),
        _ if output.is_csv() && !is_table => Err(Failure::Usage(
            "only `propjit stats` supports `--format csv`".to_string(),
        )),
        Command::Validate(args) => validate::run(&args, &mut output),
        Command::Convert(args) => convert::run(&args, &mut output),
        Command::Info(args) => info::run(&args, &mut output),
        Command::Playout(args) => playout::run(&args, &mut output),
        Command::Analyze(args) => analyze::run(&args, &mut output),
        Command::Play(args) => play::run(&args, &mut output),
        Command::Perft(args) => perft::run(&args, &mut output),
        Command::Prove(args) => prove::run(&args, &mut output),
        Command::Solve(args) => solve::run(&args, &mut output),
        Command::Verify(args) => verify::run(&args, &mut output),
        Command::Compare(args) => compare::run(&args, &mut output),
        Command::Darkening(args) => darkening::run(&args, &mut output),
        Command::Disassemble(args) => disassemble::run(&args, &mut output),
        Command::Facts(args) => facts::run(&args, &mut output),
        Command::Factors(args) => factors::run(&args, &mut output),
        Command::Similarity(args) => similarity::run(&args, &mut output),
        Command::Stats(args) => stats::run(&args, &mut output),
        Command::Heuristics(args) => heuristics::run(&args, &mut output),
        Command::Contest(args) => contest::run(&args, &mut output),
        Command::Tournament(args) => tournament::run(&args, &mut output),
        Command::Serve(args) => serve::run(&args, &mut output),
        Command::View(args) => view::run(args, &mut output),
        Command::Engine(args) => engine::run(&args),
        Command::Perf(args) => perf::run(&args),
        Command::Tune(args) => tune::run(&args, &mut output),
        Command::Cache(args) => cache::run(&args, &mut output),
        Command::Completions(args) => completions::run(&args, &mut output),
        Command::Manual(args) => manual::run(&args),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        // The reader of the results has closed the pipe, and knows that it has not read them all.
        Err(Failure::Pipe | Failure::Told) => ExitCode::FAILURE,
        Err(Failure::Rules(diagnostics)) => {
            output::show_diagnostics(&diagnostics);
            ExitCode::FAILURE
        }
        Err(Failure::Work(error)) => {
            output::message(&format!("error: {}", error.trim_end()));
            ExitCode::FAILURE
        }
        Err(Failure::Usage(error)) => {
            output::message(&format!("error: {error}"));
            ExitCode::from(2)
        }
    }
}

fn log_to_stderr(cli: &Cli) {
    let default = match cli.verbose {
        0 => LevelFilter::WARN,
        1 => LevelFilter::INFO,
        2 => LevelFilter::DEBUG,
        _ => LevelFilter::TRACE,
    };
    let mut filter = Targets::new().with_default(default);
    if matches!(cli.command, Command::Serve(_)) {
        // The log of a server shows the matches that are played, and their seeds.
        filter = filter.with_target(
            "propjit::play::ggp::session",
            default.max(LevelFilter::INFO),
        );
    }
    if let Some(wanted) = std::env::var_os("PROPJIT_LOG") {
        match wanted.to_string_lossy().parse() {
            Ok(wanted) => filter = wanted,
            Err(error) => output::message(&format!(
                "warning: PROPJIT_LOG is ignored: {error}; use a list such as propjit=debug"
            )),
        }
    }
    let lines = tracing_subscriber::fmt::layer()
        .with_writer(io::stderr)
        // It is no failure if the reader of the log is gone.
        .log_internal_errors(false)
        .with_ansi(io::stderr().is_terminal());
    tracing_subscriber::registry()
        .with(filter)
        .with(lines)
        .init();
}
