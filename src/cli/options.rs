//! Options that several commands share.

use std::cell::OnceCell;
use std::fmt::Display;
use std::path::Path;
use std::str::FromStr;
use std::time::Duration;

use clap::{ArgAction, ValueEnum};
use propjit::Stop;
use propjit::game::engine::CodeOptions;
use propjit::game::engine::cache;
use propjit::game::load::{Game, LoadError, Setup};
use propjit::game::machine::{Backend, MachineError, UnknownBackend};
use propjit::game::profile::{self, MAX_THREADS, Settings};
use propjit::support::error_text::with_causes;
use propjit_gdl::ReadOptions;
use propjit_gdl::diagnostic::{Diagnostics, Severity};
use propjit_gdl::ground::{GroundError, GroundLimits};
use propjit_gdl::source::Notation;

use propjit_jit::code::cache::Cache;
use propjit_jit::code::{CodeConfig, PerfMap};
use propjit_jit::memory::is_available;

use super::output::{Failure, grounding_remedy, message, show_progress};

/// A backend, or the best one.
#[derive(Clone, Copy, Debug)]
pub(super) struct BackendChoice(pub Option<Backend>);

impl FromStr for BackendChoice {
    type Err = UnknownBackend;
    fn from_str(text: &str) -> Result<BackendChoice, UnknownBackend> {
        match text {
            "auto" => Ok(BackendChoice(None)),
            name => Ok(BackendChoice(Some(name.parse()?))),
        }
    }
}

/// The backend and what set-up may cost.
#[derive(clap::Args, Clone)]
pub(super) struct SetupArgs {
    /// Backend that evaluates the game: auto, prover, scalar, lanes or compiled. With auto, games that cannot be
    /// grounded use the prover
    #[arg(long, default_value = "auto", value_name = "BACKEND")]
    pub backend: BackendChoice,

    /// Neither load machine code from the cache nor store it there
    #[arg(long)]
    pub no_cache: bool,

    /// Time limit for compiling; if it is exceeded, the game is interpreted
    #[arg(long, default_value = "10", value_name = "SECONDS", value_parser = seconds)]
    compile_limit: Duration,

    /// Write the names of machine code to /tmp/perf-PID.map, where `perf` and other profilers look them up
    #[arg(long)]
    perf_map: bool,

    /// Ignore the profile written by `propjit tune`
    #[arg(long)]
    pub no_profile: bool,

    /// The settings that `propjit tune` has found, when first looked up.
    #[arg(skip)]
    settings: OnceCell<Settings>,

    #[command(flatten)]
    pub ground: GroundArgs,
}

/// The notation of rulesheets, or the one that they seem to be in.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(super) enum Syntax {
    /// The one that the text seems to be in
    Auto,
    /// As in `(<= terminal (true (step 20)))`
    Prefix,
    /// As in `terminal :- true(step(20))`
    Infix,
}

impl Syntax {
    /// Returns the notation, if it is given.
    pub(super) fn notation(self) -> Option<Notation> {
        match self {
            Syntax::Auto => None,
            Syntax::Prefix => Some(Notation::Prefix),
            Syntax::Infix => Some(Notation::Infix),
        }
    }
}

/// How rulesheets are read.
#[derive(clap::Args, Clone)]
pub(super) struct ReadArgs {
    /// Notation of the rulesheet
    #[arg(long, value_enum, default_value_t = Syntax::Auto, hide_possible_values = true, value_name = "auto|prefix|infix")]
    syntax: Syntax,

    /// Accept rules that the specification forbids where other players agree on their meaning
    #[arg(long, value_name = "BOOL", action = ArgAction::Set, num_args = 0..=1, require_equals = true, default_value = "false", default_missing_value = "true", hide_possible_values = true)]
    lenient: bool,
}

/// The commands that accept such rules by default: those that play.
pub(super) const LENIENT_COMMANDS: [&str; 4] = ["play", "serve", "view", "engine"];

impl ReadArgs {
    /// Returns the options of the reader.
    pub(super) fn options(&self) -> ReadOptions {
        ReadOptions::default()
            .with_notation(self.syntax.notation())
            .with_lenient(self.lenient)
    }
}

/// Informs the user of rules that were read though the specification forbids them.
pub(super) fn note_lenient(warnings: &Diagnostics) {
    let accepted = warnings.lenient().map(|warning| {
        let place = warning.primary.as_ref().map_or(0, |label| label.span.start);
        let line = warnings.source().position(place).line;
        format!("{} (line {line})", warning.message)
    });
    let accepted: Vec<String> = accepted.collect();
    if !accepted.is_empty() {
        let accepted = accepted.join("; ");
        message(&format!(
            "note: the specification forbids some rules, which are read as other players do: {accepted}"
        ));
    }
}

/// How rulesheets are read, and the limits of grounding.
#[derive(clap::Args, Clone)]
pub(super) struct GroundArgs {
    #[command(flatten)]
    pub reading: ReadArgs,

    /// Time limit for grounding
    #[arg(long, default_value = "60", value_name = "SECONDS", value_parser = seconds)]
    pub setup_limit: Duration,

    /// Memory limit for grounding
    #[arg(long, default_value = "4096", value_name = "MIB", value_parser = |text: &str| in_range(text, 1u64, 1 << 30))]
    pub memory_limit: u64,
}

impl GroundArgs {
    pub(super) fn setup(&self) -> Setup {
        let limits = GroundLimits::default()
            .with_time(self.setup_limit)
            .with_bytes(self.memory_limit << 20);
        Setup::default()
            .with_reading(self.reading.options())
            .with_ground(limits)
    }
}

/// The failure of a command that works for ground games only.
pub(super) fn not_ground(game: &Game, what: &str) -> Failure {
    let reason = game.grounding_error();
    let reason = reason.map(|error| format!("{}; {}", with_causes(error), grounding_remedy(error)));
    let reason = reason.unwrap_or_default();
    Failure::Work(format!(
        "{what} are available only for games that can be grounded: {reason}"
    ))
}

/// Informs the user of the prover's role after grounding was given up, after the name of the game if there are
/// several.
pub(super) fn warn_prover(game: Option<&str>, reason: &GroundError, what: &str) {
    let game = game.map(|name| format!("{name}: ")).unwrap_or_default();
    let remedy = grounding_remedy(reason);
    message(&format!(
        "note: {game}{reason}; the prover {what}; {remedy}"
    ));
}

/// Informs the user that the game is interpreted, if there is no machine code of it though it was
/// wanted.
pub(super) fn warn_interpreter(game: &Game) {
    if let Some(reason) = game.not_compiled() {
        message(&format!(
            "note: {reason}; the game is interpreted; raise `--compile-limit` to allow more time"
        ));
    }
}

/// Makes the data that machines of a backend share, or those of another one if it cannot be made for that: returns
/// the backend that is ready.
pub(super) type Prepare = fn(&mut Game, Backend) -> Result<Backend, MachineError>;

impl SetupArgs {
    /// Returns the set-up for games without a code cache.
    pub(super) fn setup(&self) -> Setup {
        let code = CodeOptions::default().with_config(self.limited(CodeConfig::default()));
        let setup = self.ground.setup().with_backend(self.backend.0);
        setup.with_code(code)
    }

    /// Returns the set-up for the game with this rulesheet, with the code cache and the settings
    /// that suit this CPU.
    pub(super) fn setup_for(&self, rulesheet: &Path) -> Setup {
        self.setup().with_code(
            CodeOptions::default()
                .with_config(self.limited(self.settings().code()))
                .with_cache(self.cache())
                .with_name(game_name(rulesheet)),
        )
    }

    /// Returns the settings that suit this CPU best, if these are known. A profile that cannot be
    /// used is not a failure.
    pub(super) fn settings(&self) -> &Settings {
        self.settings.get_or_init(|| {
            if self.no_profile {
                return Settings::default();
            }
            let loaded = profile::load().unwrap_or_else(|error| {
                tracing::warn!("{}; defaults are used", with_causes(&error));
                None
            });
            loaded.map_or_else(Settings::default, |profile| profile.settings)
        })
    }

    /// Returns a configuration of code with the limit, and the map of symbols if one is wanted.
    fn limited(&self, config: CodeConfig) -> CodeConfig {
        let config = config.with_time(self.compile_limit);
        config.with_perf_map(self.perf_map())
    }

    /// Returns the map of symbols, if it is wanted. One that cannot be written is not a failure.
    fn perf_map(&self) -> Option<PerfMap> {
        if !self.perf_map {
            return None;
        }
        let opened = PerfMap::open();
        let named = |error| tracing::warn!("profilers will find no names: {error}");
        opened.map_err(named).ok()
    }

    /// Returns the code cache, unless it is switched off. One that cannot be used is not a failure.
    fn cache(&self) -> Option<Cache> {
        if self.no_cache {
            return None;
        }
        cache::open().unwrap_or_else(|error| {
            tracing::warn!("{}", with_causes(&error));
            None
        })
    }

    /// Loads a rulesheet for the chosen backend, or for the `best` one if none is chosen, calls
    /// `prepare` for it, and shows the user its warnings. Fails soon after `stop` is set.
    pub(super) fn load(
        &self,
        rulesheet: &Path,
        stop: &Stop,
        best: fn(&Game) -> Backend,
        prepare: Prepare,
    ) -> Result<(Game, Backend), Failure> {
        let game = self.read(rulesheet, stop)?;
        if let Some(reason) = game.grounding_error() {
            warn_prover(None, reason, "is used instead");
        }
        self.prepare(game, stop, best, prepare)
    }

    /// Loads a rulesheet for work that needs a ground game, like [`load`](SetupArgs::load).
    pub(super) fn load_ground(&self, rulesheet: &Path, stop: &Stop) -> Result<Game, Failure> {
        let game = self.read(rulesheet, stop)?;
        match (game.ground_game(), game.grounding_error()) {
            (Some(_), _) if stop.is_set() => Err(LoadError::Stopped.into()),
            (Some(_), _) => Ok(game),
            (None, Some(reason)) => Err(Failure::Work(format!(
                "this command needs a ground game, and {}; {}",
                with_causes(reason),
                grounding_remedy(reason)
            ))),
            (None, None) => Err(Failure::Usage(
                "this command needs a ground game: omit `--backend prover`".to_string(),
            )),
        }
    }

    /// Reads a rulesheet, and shows the user its warnings.
    fn read(&self, rulesheet: &Path, stop: &Stop) -> Result<Game, Failure> {
        let setup = self.setup_for(rulesheet).with_stop(stop.clone());
        let game = load(rulesheet, &setup)?;
        let warnings = game.warnings().count(Severity::Warning);
        if warnings > 0 {
            let path = rulesheet.display();
            tracing::info!("{warnings} warnings: see `propjit validate {path}`");
        }
        Ok(game)
    }

    /// Calls `prepare` for the chosen backend or the `best` one.
    pub(super) fn prepare(
        &self,
        mut game: Game,
        stop: &Stop,
        best: fn(&Game) -> Backend,
        prepare: Prepare,
    ) -> Result<(Game, Backend), Failure> {
        let backend = self.backend.0.unwrap_or(best(&game));
        let shown = show_progress(|| "preparing".to_string());
        let prepared = prepare(&mut game, backend);
        drop(shown);
        if stop.is_set() {
            // The preparation is incomplete.
            return Err(LoadError::Stopped.into());
        }
        let backend = prepared?;
        if backend != Backend::Compiled {
            warn_interpreter(&game);
        }
        Ok((game, backend))
    }
}

/// Loads a rulesheet, and shows progress meanwhile.
pub(super) fn load(rulesheet: &Path, setup: &Setup) -> Result<Game, LoadError> {
    let name = game_name(rulesheet);
    let shown = show_progress(move || format!("loading {name}"));
    let game = Game::load(rulesheet, setup)?;
    drop(shown);
    note_lenient(game.warnings());
    Ok(game)
}

/// The name of the game in a file: the file's name without folder and extension.
pub(super) fn game_name(rulesheet: &Path) -> String {
    if rulesheet == Path::new("-") {
        return "stdin".to_string();
    }
    let stem = rulesheet.file_stem().unwrap_or(rulesheet.as_os_str());
    stem.to_string_lossy().into_owned()
}

/// Seconds, more than none.
pub(super) fn seconds(text: &str) -> Result<Duration, String> {
    let seconds: f64 = text.parse().map_err(|_| "not a number".to_string())?;
    match Duration::try_from_secs_f64(seconds) {
        Ok(time) if !time.is_zero() && seconds <= MAX_SECONDS => Ok(time),
        _ => Err(format!(
            "must be more than 0 and at most {MAX_SECONDS} seconds"
        )),
    }
}

/// Some thirty years.
const MAX_SECONDS: f64 = 1e9;

/// The seed of random numbers.
pub(super) fn seed(text: &str) -> Result<u64, String> {
    in_range(text, 0, u64::MAX)
}

/// Parses the port to listen at; 0 is any that is free.
pub(super) fn port(text: &str) -> Result<u16, String> {
    in_range(text, 0, u16::MAX)
}

/// The number of threads that an option may ask for.
pub(super) fn threads(text: &str) -> Result<usize, String> {
    in_range(text, 1, MAX_THREADS)
}

/// The memory that an option may ask for, in MiB: as much as the system gives.
pub(super) fn mebibytes(text: &str) -> Result<usize, String> {
    let mebibytes = in_range(text, 1usize, 1 << 30)?;
    match is_available(mebibytes << 20) {
        true => Ok(mebibytes),
        false => Err("the system does not provide that much memory: ask for less".to_string()),
    }
}

/// A number within limits, with an error that names them.
pub(super) fn in_range<T: FromStr + PartialOrd + Display>(
    text: &str,
    low: T,
    high: T,
) -> Result<T, String> {
    match text.parse::<T>() {
        Ok(number) if number >= low && number <= high => Ok(number),
        _ => Err(format!("must be a whole number from {low} to {high}")),
    }
}
