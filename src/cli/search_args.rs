//! Options of commands that search from a position, and the resulting position.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use propjit::Stop;
use propjit::game::load::Game;
use propjit::game::machine::{Backend, MachineError, RANDOM_ROLE, RoleId};
use propjit::game::position::History;
use propjit::search::SearchBudget;
use propjit::search::chooser::{Search, SearchConfig};
use propjit::search::mcts::{MctsConfig, wait_for_engines};

use super::option_flags::{Flag, OptionArgs, OptionFlags};
use super::options::{SetupArgs, in_range, seconds};
use super::output::{Failure, show_progress};
use super::picture::Pictures;
use super::position::PositionArgs;

/// A position of a game, and how to search it.
#[derive(clap::Args)]
pub(super) struct SearchArgs {
    /// Rulesheet to read; `-` for standard input
    rulesheet: PathBuf,

    #[command(flatten)]
    position: PositionArgs,

    #[command(flatten)]
    options: OptionArgs<SearchFlags>,

    /// Search by playouts alone: without an evaluation, minimax and the search for forced wins
    #[arg(long)]
    plain: bool,

    #[command(flatten)]
    setup: SetupArgs,
}

/// The options of searches.
struct SearchFlags;

impl OptionFlags for SearchFlags {
    const FLAGS: &'static [Flag] = &[
        Flag::new("threads").with_default("1, or the number that `propjit tune` has found"),
        Flag::new("memory"),
        Flag::new("seed").with_default("random"),
        Flag::new("search"),
        Flag::new("local"),
        Flag::new("no-local"),
        Flag::new("workers"),
        Flag::new("no-plan"),
        Flag::new("no-solve"),
        Flag::new("evaluation"),
        Flag::new("no-evaluation"),
    ];
}

/// How long to think.
#[derive(clap::Args)]
pub(super) struct BudgetArgs {
    /// Time limit of a search; it ends earlier if the value is proved [default: 5, or 1 for `propjit play`; no
    /// limit with --playouts]
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    seconds: Option<Duration>,

    /// Playout limit of a search
    #[arg(long, value_name = "N", value_parser = |text: &str| in_range(text, 1, u64::MAX))]
    pub(super) playouts: Option<u64>,
}

impl BudgetArgs {
    /// The most time, if that is limited: `default` if nothing is said.
    pub(super) fn time(&self, default: Duration) -> Option<Duration> {
        self.seconds.or(self.playouts.is_none().then_some(default))
    }

    /// The budget of a search that begins now.
    pub(super) fn start(&self, default: Duration, stop: &Stop) -> SearchBudget {
        let time = self.time(default);
        let deadline = time.and_then(|time| Instant::now().checked_add(time));
        SearchBudget::default()
            .with_playouts(self.playouts)
            .with_stop(stop.by(deadline))
    }
}

/// A position of a loaded game.
pub(super) struct Position {
    pub game: Arc<Game>,
    /// The backend to search with.
    pub backend: Backend,
    /// The match so far.
    pub history: History,
}

impl Position {
    /// The boards of the game. Looking for them ends when `stop` is set.
    pub(super) fn pictures(&self, stop: &Stop) -> Pictures {
        Pictures::new(&self.game, &io::stdout(), stop)
    }

    /// Waits for all parts that searches otherwise use as soon as they are ready: machine code,
    /// goal latches and decisive moves, unless `stop` is set before.
    pub(super) fn wait(&self, stop: &Stop) {
        let config = MctsConfig::default();
        let _shown = show_progress(|| "waiting for machine code".to_string());
        wait_for_engines(&self.game, self.backend, &config, stop);
    }
}

impl SearchArgs {
    /// Returns whether the rules or the moves so far come from standard input.
    pub(super) fn reads_standard_input(&self) -> bool {
        self.rulesheet == Path::new("-") || self.position.is_standard_input()
    }

    /// Loads the game and plays the moves so far. Fails soon after `stop` is set.
    pub(super) fn load(&self, stop: &Stop) -> Result<Position, Failure> {
        self.load_checked(stop, |_| Ok(()))
    }

    /// Like `load`, if `check` accepts the game.
    pub(super) fn load_checked(
        &self,
        stop: &Stop,
        check: impl FnOnce(&Game) -> Result<(), Failure>,
    ) -> Result<Position, Failure> {
        let prepare = |game: &mut Game, backend| game.prepare_search(backend).map(|()| backend);
        let (game, backend) =
            self.setup
                .load(&self.rulesheet, stop, Game::bulk_backend, prepare)?;
        check(&game)?;
        Ok(Position {
            history: self.position.position(&game)?,
            game: Arc::new(game),
            backend,
        })
    }

    /// The file with the rules.
    pub(super) fn rulesheet(&self) -> &Path {
        &self.rulesheet
    }

    /// Returns the number of the match in a file of records, if one was requested.
    pub(super) fn number(&self) -> Option<u64> {
        self.position.number()
    }

    /// Uses the file given as the rulesheet as a file of records of a game with these rules.
    pub(super) fn take_records(&mut self, rulesheet: PathBuf) -> Result<(), Failure> {
        let records = std::mem::replace(&mut self.rulesheet, rulesheet);
        self.position.follow(records)
    }

    /// Returns the configuration of the search, with a new seed if none was given. What was learned of the game before
    /// is of use unless a seed is given, by which the same search can be had again. If playouts are counted, nothing
    /// should depend on time.
    pub(super) fn config(&self, is_counted: bool) -> Result<SearchConfig, Failure> {
        let base = match self.plain || is_counted {
            true => SearchConfig::plain(),
            false => SearchConfig::default(),
        };
        let mcts = base.mcts.clone();
        let mcts = mcts
            .with_threads(self.setup.settings().threads)
            .with_keep(!self.options.is_given("seed"))
            .with_plan(!is_counted)
            .with_solve(!is_counted);
        self.options.search(base.with_mcts(mcts))
    }

    /// Makes a search in the game of this position; returns it with the seed of its random numbers. An evaluation is
    /// learned in this time at most, unless one is known.
    pub(super) fn search(
        &self,
        position: &Position,
        is_counted: bool,
        learning: Duration,
    ) -> Result<(Search, u64), Failure> {
        let config = self.config(is_counted)?;
        let config = config.with_learning_within(learning, false);
        let seed = config.mcts.seed;
        let search = Search::new(&position.game, position.backend, config)?;
        Ok((search, seed))
    }
}

/// The role of this name, or else the first that is not played by chance.
pub(super) fn find_role(roles: &[String], name: Option<&str>) -> Result<RoleId, Failure> {
    let at = match name {
        Some(name) => roles.iter().position(|role| role == name).ok_or_else(|| {
            let roles = roles.join(", ");
            Failure::Usage(format!("there is no role `{name}`; the roles are {roles}"))
        })?,
        // A game may have no other role.
        None => (roles.iter().position(|role| role != RANDOM_ROLE)).unwrap_or(0),
    };
    Ok(RoleId(at as u32))
}

/// Searches from the current state of the match.
pub(super) fn think(
    search: &mut Search,
    history: &History,
    budget: &SearchBudget,
) -> Result<(), MachineError> {
    search.set_stop(&budget.stop);
    // No match has 2^32 joint moves.
    search.set_position(history.position(), history.depth() as u32)?;
    tracing::info!(depth = history.depth(), "thinking");
    search.run(budget)
}
