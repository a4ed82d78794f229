//! Searches for the best move.

use std::sync::Arc;

use propjit::game::load::SharedGame;
use propjit::search::chooser::{Search as Core, SearchConfig, SearchKind as CoreKind};
use propjit::search::mcts::EvaluationUse;
use propjit::{MctsConfig, SearchBudget};

use crate::error::{Failure, Status, call};
use crate::game::{Game, Stop, duration};
use crate::pointer::{exclusive, free, make, shared};
use crate::sized::{self, enumerator, may_grow};
use crate::state::State;

/// A search, with its results so far. One thread at a time may use it.
pub struct Search {
    game: Arc<SharedGame>,
    core: Core,
}

/// The results for a role.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct SearchReport {
    /// The size of the structure: see `PROPJIT_INIT`.
    pub size: usize,
    /// Whether there is a best move: not if there is no legal one, as in a terminal state.
    pub has_best: bool,
    /// Whether the value is proved.
    pub solved: bool,
    /// The best move.
    pub best: u32,
    /// The goal that the role can expect, or not a number if nothing was searched.
    pub value: f64,
    /// The number of nodes.
    pub nodes: u64,
    /// The number of matches that were played since the state was set.
    pub playouts: u64,
}
may_grow!(SearchReport, playouts);

/// A kind of search.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SearchKind {
    /// Minimax on a learned evaluation if it does better in trial matches; tree search otherwise, and without an
    /// evaluation.
    Auto = 0,
    /// Monte Carlo tree search.
    Mcts = 1,
    /// Minimax on a learned evaluation, in games of two roles in turns; tree search elsewhere.
    Minimax = 2,
}

const KINDS: [CoreKind; 3] = [CoreKind::Auto, CoreKind::Mcts, CoreKind::Minimax];

/// Options for searches.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct SearchOptions {
    /// The size of the structure: see `PROPJIT_INIT`.
    pub size: usize,
    /// The number of threads; 0 is one.
    pub threads: usize,
    /// The memory that the search may take, in bytes; 0 is the default.
    pub memory: usize,
    /// A `PropjitSearchKind`.
    pub kind: u32,
    /// The number of joint moves that a match may have; 0 is 10,000.
    pub max_steps: u32,
    /// Whether an evaluation of states is learned at first, for games of two to four roles.
    pub evaluation: bool,
    /// Whether a prover looks for forced wins beside the search, in games of two roles in turns.
    pub local: bool,
    /// The UCB exploration constant; 0 is the default, which depends on the search.
    pub exploration: f64,
    /// The seed of the random numbers: with one thread, the same one gives the same results for the same number of
    /// playouts.
    pub seed: u64,
}
may_grow!(SearchOptions, seed);

impl SearchOptions {
    fn config(&self) -> Result<SearchConfig, Failure> {
        let mut config = MctsConfig::default()
            .with_threads(Failure::check_threads(self.threads)?)
            .with_seed(self.seed)
            .with_local(self.local)
            .with_exploration(Some(self.exploration as f32).filter(|&constant| constant != 0.0))
            .with_evaluation(self.evaluation.then(EvaluationUse::default));
        if self.memory > 0 {
            config.memory = self.memory;
        }
        if self.max_steps > 0 {
            config.max_steps = self.max_steps;
        }
        let kind = enumerator("kind", self.kind, &KINDS)?;
        Ok(SearchConfig::default().with_kind(kind).with_mcts(config))
    }
}

/// The limits of a run of a search.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct SearchLimits {
    /// The size of the structure: see `PROPJIT_INIT`.
    pub size: usize,
    /// The time in seconds; 0 is no limit.
    pub seconds: f64,
    /// The number of playouts that end; 0 is no limit.
    pub playouts: u64,
    /// The number of nodes that are made; 0 is no limit.
    pub nodes: u64,
}
may_grow!(SearchLimits, nodes);

/// Makes a search from the initial state.
///
/// # Safety
/// `game` points to a game, `options` is null or points to options; a pointer can be written to `search`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn propjit_search_new(
    game: *const Game,
    options: *const SearchOptions,
    search: *mut *mut Search,
) -> Status {
    call(|| {
        // SAFETY: as promised by the caller.
        let (game, options) = unsafe { (&shared(game)?.0, sized::options(options)?) };
        let config = options.config()?;
        let start = || {
            let core = Core::new(game.game(), game.game().bulk_backend(), config)?;
            let game = game.clone();
            Ok(Search { game, core })
        };
        // SAFETY: as promised by the caller.
        unsafe { make(search, start) }
    })
}

/// Frees a search. A null pointer is ignored.
///
/// # Safety
/// It is null, or was made by this library and not freed yet.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn propjit_search_free(search: *mut Search) {
    // SAFETY: as promised by the caller.
    unsafe { free(search) }
}

/// Searches from another state from now on, which comes after `depth` joint moves.
///
/// # Safety
/// `search` points to a search that is not used otherwise meanwhile, `state` to a state of its
/// game.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn propjit_search_set_root(
    search: *mut Search,
    state: *const State,
    depth: u32,
) -> Status {
    call(|| {
        // SAFETY: as promised by the caller.
        let (search, state) = unsafe { (exclusive(search)?, shared(state)?) };
        state.require_of(&search.game)?;
        let fluents = state.position.fluents();
        Ok(search.core.set_root_fluents(&fluents, depth)?)
    })
}

/// Searches until one of the limits is reached, the token is set, or the value is proved. Either limits or a token may
/// be null.
///
/// # Safety
/// `search` points to a search that is not used otherwise meanwhile; `limits` is null or points to limits, `stop` is
/// null or points to a token.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn propjit_search_run(
    search: *mut Search,
    limits: *const SearchLimits,
    stop: *const Stop,
) -> Status {
    call(|| {
        // SAFETY: as promised by the caller.
        let limits = unsafe { sized::options(limits) }?;
        let SearchLimits {
            seconds,
            playouts,
            nodes,
            ..
        } = limits;
        if seconds == 0.0 && playouts == 0 && nodes == 0 && stop.is_null() {
            return Err(Failure::argument("a search needs a limit or a token"));
        }
        // SAFETY: as promised by the caller.
        let (search, mut stop) = unsafe { (exclusive(search)?, Stop::part(stop)) };
        if seconds != 0.0 {
            stop = stop.within(duration(seconds)?);
        }
        let some = |limit: u64| Some(limit).filter(|&limit| limit > 0);
        let budget = SearchBudget::default()
            .with_playouts(some(playouts))
            .with_nodes(some(nodes))
            .with_stop(stop);
        Ok(search.core.run(&budget)?)
    })
}

/// Returns the results for a role so far.
///
/// # Safety
/// `search` points to a search that is not used otherwise meanwhile; `report` points to a structure with its
/// size.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn propjit_search_report(
    search: *mut Search,
    role: u32,
    report: *mut SearchReport,
) -> Status {
    call(|| {
        // SAFETY: as promised by the caller.
        let (search, report) = unsafe { (exclusive(search)?, sized::place(report)?) };
        let role = search.game.role(role)?;
        let known = search.core.report(role);
        let best = match known.best {
            // The moves of a search are identified by their text.
            Some(best) => {
                let text = search.core.move_text(role, best);
                let game = &search.game;
                Some(game.query(|machine| machine.parse_move(role, &text))?)
            }
            None => None,
        };
        report.write(SearchReport {
            size: size_of::<SearchReport>(),
            has_best: best.is_some(),
            best: best.map_or(0, |best| best.0),
            solved: known.solved,
            value: known.value.unwrap_or(f64::NAN),
            nodes: known.nodes as u64,
            playouts: known.playouts,
        });
        Ok(())
    })
}
