//! `propjit serve`: a player for game managers.

use std::net::{IpAddr, SocketAddr};
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use propjit::play::ggp::{
    DEFAULT_PORT, Server, ServerLimits, Session, SessionConfig, listen_remedy,
};
use propjit::play::matches::PlayerFactory;
use propjit::play::players::{SpecError, with_all_cores};

use super::option_flags::{Flag, OptionArgs, OptionFlags};
use super::options::{SetupArgs, in_range, port, seconds};
use super::output::{Failure, Output, message};
use super::signals::stop_on_signals;

/// Play matches for a game manager that speaks the GGP protocol
#[derive(clap::Args)]
pub(super) struct Args {
    /// Port to listen on; 0 for any free port
    #[arg(long, default_value_t = DEFAULT_PORT, value_name = "PORT", value_parser = port)]
    port: u16,

    /// Address to listen on; 0.0.0.0 accepts connections from any machine
    #[arg(long, default_value = "127.0.0.1", value_name = "ADDRESS")]
    bind: IpAddr,

    /// Name of the player
    #[arg(long, default_value = "propjit", value_name = "NAME", value_parser = kif_name)]
    name: String,

    /// Player with options, as in `mcts:threads=2`; see `propjit match --help`
    #[arg(long, default_value = "mcts", value_name = "SPEC")]
    player: String,

    #[command(flatten)]
    options: OptionArgs<ServeFlags>,

    /// Safety margin before the end of each clock, in milliseconds
    #[arg(long, default_value = "500", value_name = "MS", value_parser = |text: &str| in_range(text, 0u64, 1_000_000))]
    margin: u64,

    /// Write a log of each match to a file in this folder, one line of JSON per request
    #[arg(long, value_name = "DIR")]
    log: Option<PathBuf>,

    /// Time after which a match whose manager is silent can be replaced by another
    #[arg(long, default_value = "60", value_name = "SECONDS", value_parser = seconds)]
    patience: Duration,

    #[command(flatten)]
    setup: SetupArgs,
}

/// The options that may also be given as options of the player.
struct ServeFlags;

impl OptionFlags for ServeFlags {
    const FLAGS: &'static [Flag] = &[
        Flag::new("threads").with_default("as in --player, or one less than there are cores"),
        Flag::new("memory").with_default("as in --player, or 1024"),
    ];
}

impl Args {
    /// Returns the player with all its options.
    fn player(&self) -> Result<PlayerFactory, String> {
        let mut text = self.player.clone();
        let is_elsewhere = ["cmd:", "http:"].iter().any(|kind| text.starts_with(kind));
        for (option, value) in self.options.given() {
            let option = option.name;
            if is_elsewhere {
                return Err(format!(
                    "--{option} is for built-in players; {text} is not one of them"
                ));
            }
            let separator = if text.contains(':') { ',' } else { ':' };
            text = format!("{text}{separator}{option}={value}");
        }
        let cores = thread::available_parallelism().map_or(1, NonZero::get);
        with_all_cores(&text, cores)
            .parse()
            .map_err(|error: SpecError| error.to_string())
    }
}

/// A name that is one name in KIF, too.
fn kif_name(text: &str) -> Result<String, String> {
    let is_name = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    match !text.is_empty() && text.chars().all(is_name) {
        true => Ok(text.to_string()),
        false => Err("must be letters, digits, `-`, `_` and `.`".to_string()),
    }
}

/// Serves until Ctrl-C.
pub(super) fn run(args: &Args, output: &mut Output) -> Result<(), Failure> {
    let stop = stop_on_signals();
    let player = args.player().map_err(Failure::Usage)?;
    if let Some(folder) = &args.log {
        std::fs::create_dir_all(folder).map_err(|error| {
            Failure::Work(format!(
                "cannot use the folder {}: {error}",
                folder.display()
            ))
        })?;
    }
    let config = SessionConfig::new(player)
        .with_name(args.name.clone())
        .with_margin(Duration::from_millis(args.margin))
        .with_setup(args.setup.setup_for(Path::new("served")))
        .with_log(args.log.clone())
        .with_patience(args.patience);
    let address = SocketAddr::new(args.bind, args.port);
    let server = Server::start(address, Session::new(config), ServerLimits::default());
    let server = server.map_err(|error| {
        let remedy = listen_remedy(&error);
        Failure::Work(format!("cannot listen at {address}: {error}{remedy}"))
    })?;
    output.print(&format!(
        "{} listens at http://{}\n",
        args.name,
        server.address()
    ))?;
    while !stop.is_set() {
        thread::sleep(Duration::from_millis(50));
        server.reap_abandoned();
    }
    drop(server);
    message("stopped");
    Ok(())
}
