//! `propjit facts`: facts about all states of a game.

mod report;
mod words;

use std::path::PathBuf;
use std::time::Duration;

use propjit::game::facts::{self, AnalysisConfig};
use propjit::lab::inspection::{Inspection, InspectionConfig, inspect};
use propjit::lab::similarity::DynamicsConfig;
use propjit::support::rng::random_seed;

use super::dynamics;
use super::influence;
use super::options::{GroundArgs, game_name, in_range, load, not_ground, seconds, seed};
use super::output::{Failure, Output, show_progress};
use super::signals::stop_on_signals;
use super::time_limit::within;
use words::Words;

/// Prove invariants, latches and unreachable goals of a game
#[derive(clap::Args)]
pub(super) struct Args {
    /// Rulesheet to read; `-` for standard input
    rulesheet: PathBuf,

    /// Time limit for finding and proving facts
    #[arg(long, default_value = "5", value_name = "SECONDS", value_parser = seconds)]
    seconds: Duration,

    /// Maximum number of steps of random matches to examine
    #[arg(long, default_value = "200000", value_name = "N", value_parser = |text: &str| in_range(text, 1, u64::MAX))]
    steps: u64,

    /// Seed of the random numbers of these matches [default: random]
    #[arg(long, value_name = "N", value_parser = seed)]
    seed: Option<u64>,

    /// Also check the game with random matches, as `propjit validate --play` does
    #[arg(long, conflicts_with = "distances")]
    play: bool,

    /// Print only the influence distances from this move to others
    #[arg(long, value_name = "MOVE")]
    distances: Option<String>,

    /// Print only dynamics statistics: how much, and how unevenly, moves change the legal moves
    #[arg(long, conflicts_with_all = ["play", "distances"])]
    dynamic: bool,

    #[command(flatten)]
    ground: GroundArgs,
}

impl Args {
    /// Returns whether the output can be drawn.
    pub(super) fn is_drawn(&self) -> bool {
        self.distances.is_none() && !self.dynamic
    }
}

/// Finds facts and prints them.
pub(super) fn run(args: &Args, output: &mut Output) -> Result<(), Failure> {
    let stop = stop_on_signals();
    let setup = args.ground.setup().with_stop(stop.clone());
    // Circuits of the game are made on demand, and must not take longer than the work that needs them.
    let making = stop.by(None);
    let game = load(&args.rulesheet, &setup.clone().with_stop(making.clone()))?;
    let engines = game.engines();
    let engines = engines.ok_or_else(|| not_ground(&game, "facts"))?;
    let name = game_name(&args.rulesheet);
    if let Some(text) = &args.distances {
        let stop = stop.within(args.seconds);
        let nearest = influence::FromMove::new(engines.game(), name, text, &stop)?;
        return output.result(&nearest);
    }
    let seed = args.seed.unwrap_or_else(random_seed);
    if args.dynamic {
        let config = DynamicsConfig::default()
            .with_time(args.seconds)
            .with_seed(seed);
        let shown = show_progress(|| "playing".to_string());
        let report = dynamics::Report::new(&game, name, &config, &stop);
        drop(shown);
        return output.result(&report?);
    }
    let config = AnalysisConfig::default()
        .with_time(args.seconds)
        .with_steps(args.steps)
        .with_seed(seed);
    let shown = show_progress(|| "proving facts".to_string());
    let facts = facts::find(engines, &config, &stop);
    drop(shown);
    let play = args.play.then(|| {
        let _shown = show_progress(|| "playing".to_string());
        let config = InspectionConfig::default().with_seed(config.seed);
        inspect(&game, &setup, &config, &stop)
    });
    let play = play.transpose()?;
    let shown = show_progress(|| "computing influence distances".to_string());
    let influence = within(&making, args.seconds, || {
        influence::Report::new(engines.game(), &making)
    })?;
    drop(shown);
    let words = Words {
        game: engines.game(),
    };
    let mut report = words.report(&facts, influence, name, config.seed, stop.is_set());
    report.play = play;
    match output.is_dot() {
        true => output.print(&report.dot()),
        false => output.result(&report),
    }?;
    // Like `validate`.
    let is_wrong = |play: &Inspection| play.findings.iter().any(|finding| finding.is_error);
    match report.play.as_ref().is_some_and(is_wrong) {
        true => Err(Failure::Told),
        false => Ok(()),
    }
}
