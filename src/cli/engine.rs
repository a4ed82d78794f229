//! `propjit engine`: searches over the line protocol.

use std::io;
use std::path::Path;
use std::time::Duration;

use propjit::game::load::Game;
use propjit::play::line_protocol::{LineServerConfig, serve_lines};
use propjit::search::chooser::SearchConfig;
use propjit::support::error_text::with_causes;

use super::option_flags::{Flag, OptionArgs, OptionFlags};
use super::options::{SetupArgs, in_range, seconds};
use super::output::Failure;
use super::signals::stop_on_signals;

/// Answer requests about positions on standard input and output, in JSON Lines (docs/engines.md)
#[derive(clap::Args)]
pub(super) struct Args {
    /// Time limit of a move, for requests without one
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    seconds: Option<Duration>,

    /// Node limit of a move, for requests without one
    #[arg(long, value_name = "N", value_parser = |text: &str| in_range(text, 1u64, u64::MAX))]
    nodes: Option<u64>,

    /// Playout limit of a move, for requests without one
    #[arg(long, value_name = "N", value_parser = |text: &str| in_range(text, 1u64, u64::MAX))]
    playouts: Option<u64>,

    #[command(flatten)]
    options: OptionArgs<EngineFlags>,

    #[command(flatten)]
    setup: SetupArgs,
}

/// The options of searches.
struct EngineFlags;

impl OptionFlags for EngineFlags {
    const FLAGS: &'static [Flag] = &[
        Flag::new("threads"),
        Flag::new("memory"),
        Flag::new("seed").with_default("random"),
        Flag::new("search"),
        Flag::new("no-local"),
        Flag::new("no-evaluation"),
    ];
}

/// Serves until the input ends.
pub(super) fn run(args: &Args) -> Result<(), Failure> {
    let stop = stop_on_signals();
    let [search, counted] = [SearchConfig::default(), SearchConfig::plain()];
    let config = LineServerConfig::default()
        .with_search(args.options.search(search)?)
        .with_counted_search(args.options.search(counted)?)
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
