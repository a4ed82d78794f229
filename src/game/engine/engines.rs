//! The engines of a game.

use std::fmt;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use super::decisive::DecisiveEngine;
use super::options::CodeOptions;
use super::programs::Programs;
use super::steps::Steps;
use super::tiers::Tiers;
use super::valid_engine::ValidEngine;
use crate::game::ground::{GoalBounds, GroundGame};
use crate::support::background::Background;
use crate::support::pause::Pause;
use propjit_stop::Stop;

/// The engines of a game, which all its threads share. None is made before it is requested.
///
/// They have 256 lanes at most. A search that expands and plays out more leaves at a time chooses worse
/// moves: with 512 lanes it makes a tenth more nodes, and scored 39% of 40 matches of connect four and
/// amazons. For random matches alone there are [others](Engines::for_playouts).
pub struct Engines {
    programs: Arc<Programs>,
    /// Options for engines with more lanes, if requested.
    wide: Option<CodeOptions>,
    for_playouts: OnceLock<Arc<Engines>>,
    tiers: OnceLock<Tiers>,
    steps: OnceLock<Steps>,
    /// The engine for playouts with decisive moves.
    decisive: OnceLock<DecisiveEngine>,
    analysis_pause: Pause,
}

impl Engines {
    /// Creates it without engines. Machine code will be made as the options say, but for no more
    /// than 256 lanes unless it is [for playouts](Engines::for_playouts).
    pub fn new(game: Arc<GroundGame>, options: CodeOptions) -> Engines {
        let narrow = options.config.clone().at_most_256_lanes();
        let wide = (narrow.width != options.config.width).then(|| options.clone());
        Engines {
            wide,
            ..Engines::as_wide(game, options.with_config(narrow))
        }
    }

    /// Creates it without engines, for the width that the options say.
    fn as_wide(game: Arc<GroundGame>, options: CodeOptions) -> Engines {
        Engines {
            programs: Arc::new(Programs::new(game, options)),
            wide: None,
            for_playouts: OnceLock::new(),
            tiers: OnceLock::new(),
            steps: OnceLock::new(),
            decisive: Default::default(),
            analysis_pause: Pause::default(),
        }
    }

    /// Returns the game.
    pub fn game(&self) -> &Arc<GroundGame> {
        self.programs.game()
    }

    /// Returns the programs for the whole circuit.
    pub fn programs(&self) -> &Arc<Programs> {
        &self.programs
    }

    /// Returns the engines for random matches alone, with as many lanes as the options say. They are
    /// the same ones if that is no more than 256.
    pub fn for_playouts(self: &Arc<Engines>) -> &Arc<Engines> {
        let Some(options) = &self.wide else {
            return self;
        };
        let make = || Arc::new(Engines::as_wide(self.game().clone(), options.clone()));
        self.for_playouts.get_or_init(make)
    }

    /// Returns the best engine that is ready for the whole circuit. The first call starts to
    /// make a better one in the background.
    pub fn best(&self) -> ValidEngine {
        self.tiers().engine().clone().into()
    }

    /// Returns how many bytes the rows take in a thread that evaluates the best engine that is
    /// ready.
    pub(crate) fn row_bytes(&self) -> usize {
        let engine = self.tiers().engine();
        engine.rows() * engine.width().words() * size_of::<u64>()
    }

    /// Returns an engine for the whole circuit that takes no preparation: the [best](Engines::best)
    /// one if that was requested before, or else the simplest one.
    pub fn immediate(&self) -> ValidEngine {
        match self.tiers.get() {
            Some(tiers) => tiers.engine().clone().into(),
            None => self.programs.unoptimised_interpreter().into(),
        }
    }

    /// Starts to make the best engine for the whole circuit in the background, and makes one
    /// to begin with.
    pub fn start(&self) {
        self.tiers();
    }

    /// Waits until there will be no better engine for the whole circuit, nor for its random steps
    /// if these were requested.
    pub fn wait(&self) {
        self.tiers().wait();
        if let Some(steps) = self.steps.get() {
            steps.wait();
        }
    }

    /// Does the same, or until stopped. Returns whether all are ready.
    pub fn wait_or_stop(&self, stop: &Stop) -> bool {
        self.tiers().wait_or_stop(stop)
            && self
                .steps
                .get()
                .is_none_or(|steps| steps.wait_or_stop(stop))
    }

    /// Returns whether the [best](Engines::best) engine was requested.
    pub fn is_started(&self) -> bool {
        self.tiers.get().is_some()
    }

    /// Returns how long it took to compile or load the machine code of the best engine for the
    /// whole circuit; `None` if there is none yet.
    pub fn code_time(&self) -> Option<Duration> {
        self.tiers.get()?.code_time()
    }

    /// Returns the pause that the analysis of goal bounds, and provers beside searches, wait for
    /// before they begin.
    pub(crate) fn analysis_pause(&self) -> &Pause {
        &self.analysis_pause
    }

    /// Returns the engine for playouts with decisive moves, which the first call starts to make,
    /// with regard to the goal latches that will be found, if any.
    pub(crate) fn decisive(&self, latches: &Background<Option<GoalBounds>>) -> &DecisiveEngine {
        let start = || DecisiveEngine::start(&self.programs, self.tiers(), latches);
        self.decisive.get_or_init(start)
    }

    /// Returns the engine for random steps, which the first call starts to make.
    pub(crate) fn steps(&self) -> &Steps {
        let start = || Steps::start(&self.programs, self.tiers());
        self.steps.get_or_init(start)
    }

    /// Returns whether there will be no better engine for the whole circuit than the current one.
    pub(super) fn is_best(&self) -> bool {
        self.tiers().is_ready()
    }

    /// Returns the engines for the whole circuit.
    pub(super) fn tiers(&self) -> &Tiers {
        self.tiers.get_or_init(|| Tiers::start(&self.programs))
    }
}

impl fmt::Debug for Engines {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Engines")
            .field("programs", &self.programs)
            .field("code_time", &self.code_time())
            .finish_non_exhaustive()
    }
}
