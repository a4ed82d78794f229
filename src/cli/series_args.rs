//! The common arguments of `match` and `tournament`.

use std::path::PathBuf;
use std::time::Duration;

use propjit::play::matches::MatchConfig;

use super::options::{SetupArgs, in_range, seconds, seed};

/// How matches are played, and where their records go.
#[derive(clap::Args)]
pub(super) struct SeriesArgs {
    /// Time for preparation before the first move; remote players may need whole seconds
    #[arg(long, default_value = "10", value_name = "SECONDS", value_parser = seconds)]
    pub(super) start_clock: Duration,

    /// Time for each move
    #[arg(long, default_value = "5", value_name = "SECONDS", value_parser = seconds)]
    pub(super) play_clock: Duration,

    /// Seed of the random numbers [default: random]
    #[arg(long, value_name = "N", value_parser = seed)]
    pub(super) seed: Option<u64>,

    /// Maximum number of joint moves per match
    #[arg(long, default_value = "10000", value_name = "N", value_parser = |text: &str| in_range(text, 1usize, 1_000_000))]
    max_steps: usize,

    /// Append a JSON record of each match to this file when the match ends
    #[arg(long, value_name = "FILE")]
    pub(super) output: Option<PathBuf>,

    /// Resume the series recorded in the --output file: play only the missing matches
    #[arg(long, requires = "output")]
    pub(super) resume: bool,

    /// Substitute random moves for a failing player, however often it fails; without this, the series ends if a
    /// player refuses a match or fails several times in a row
    #[arg(long)]
    forgiving: bool,

    #[command(flatten)]
    pub(super) setup: SetupArgs,
}

impl SeriesArgs {
    /// Returns the configuration of each match.
    pub(super) fn match_config(&self) -> MatchConfig {
        MatchConfig::new(self.start_clock, self.play_clock)
            .with_max_steps(self.max_steps)
            .with_forgiving(self.forgiving)
    }
}
