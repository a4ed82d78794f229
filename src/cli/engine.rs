//! `propjit engine`: tree search over the line protocol.

use std::io;
use std::path::Path;
use std::time::Duration;

use propjit::game::load::Game;
use propjit::play::line_protocol::{LineServerConfig, serve_lines};
use propjit::search::mcts::MctsConfig;
use propjit::support::error_text::with_causes;
use propjit::support::rng::random_seed;

use super::options::{SetupArgs, in_range, mebibytes, seconds, seed, threads};
use super::output::Failure;
use super::signals::stop_on_signals;

/// Answer requests about positions on standard input and output, as JSON Lines: load, position,
/// apply, legal, go, stop (docs/engines.md)
#[derive(clap::Args)]
pub(super) struct Args {
    /// The most time for a move, where a request does not name any
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    seconds: Option<Duration>,

    /// The most nodes for a move, where a request does not name any
    #[arg(long, value_name = "N", value_parser = |text: &str| in_range(text, 1u64, u64::MAX))]
    nodes: Option<u64>,

    /// The most playouts for a move, where a request does not name any
    #[arg(long, value_name = "N", value_parser = |text: &str| in_range(text, 1u64, u64::MAX))]
    playouts: Option<u64>,

    /// Threads to think on
    #[arg(long, default_value = "1", value_name = "T", value_parser = threads)]
    threads: usize,

    /// Memory for the search tree
    #[arg(long, default_value = "1024", value_name = "MIB", value_parser = mebibytes)]
    memory: usize,

    /// The seed of the random numbers [default: another one each time]
    #[arg(long, value_name = "N", value_parser = seed)]
    seed: Option<u64>,

    #[command(flatten)]
    setup: SetupArgs,
}

/// Serves until the input ends.
pub(super) fn run(args: &Args) -> Result<(), Failure> {
    let stop = stop_on_signals();
    let search = MctsConfig::default()
        .with_threads(args.threads)
        .with_memory(args.memory << 20)
        .with_seed(args.seed.unwrap_or_else(random_seed));
    let config = LineServerConfig::default()
        .with_search(search)
        .with_backend(args.setup.backend.0)
        .with_time(args.seconds)
        .with_nodes(args.nodes)
        .with_playouts(args.playouts);
    let setup = |name: &str| {
        args.setup
            .setup_for(Path::new(name))
            .with_stop(stop.clone())
    };
    let mut load = |name: &str, rules: &str| {
        Game::from_text(name, rules, &setup(name)).map_err(|error| with_causes(&error))
    };
    let served = serve_lines(io::stdin(), io::stdout(), &config, &mut load, &stop);
    served.map_err(|error| match error.kind() {
        io::ErrorKind::BrokenPipe => Failure::Pipe,
        _ => Failure::Work(format!("cannot write the replies: {error}")),
    })
}
