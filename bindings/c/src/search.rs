//! Searches for the best move.

use std::sync::Arc;
use std::time::Duration;

use propjit::game::load::SharedGame;
use propjit::search::chooser::{Search as Core, SearchConfig};
use propjit::search::mcts::EvaluationUse;
use propjit::{MctsConfig, SearchBudget};

use crate::error::{Failure, Status, call};
use crate::game::{Game, Stop};
use crate::pointer::{exclusive, free, make, shared, write};
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
    /// Whether there is a best move: not if there is no legal one, as in a terminal state.
    pub has_best: bool,
    /// The best move.
    pub best: u32,
    /// Whether the value is proved.
    pub solved: bool,
    /// The goal that the role can expect, or not a number if nothing was searched.
    pub value: f64,
    /// The number of nodes.
    pub nodes: u64,
    /// The number of matches that were played since the state was set.
    pub playouts: u64,
}

/// Makes a search from the initial state, on `threads` threads, with `memory` bytes of memory (0 is
/// the default). With `evaluation`, an evaluation of states is learned at first.
///
/// # Safety
/// `game` points to a game; a pointer can be written to `search`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn propjit_search_new(
    game: *const Game,
    threads: usize,
    seed: u64,
    memory: usize,
    evaluation: bool,
    search: *mut *mut Search,
) -> Status {
    call(|| {
        // SAFETY: as promised by the caller.
        let game = &unsafe { shared(game) }?.0;
        let mut config = MctsConfig::default()
            .with_threads(Failure::check_threads(threads)?)
            .with_seed(seed)
            .with_evaluation(evaluation.then(EvaluationUse::default));
        if memory > 0 {
            config.memory = memory;
        }
        let start = || {
            let config = SearchConfig::default().with_mcts(config);
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
        let fluents = state.position.fluents();
        Ok(search.core.set_root_fluents(&fluents, depth)?)
    })
}

/// Searches until `seconds` have passed, `playouts` more playouts have ended, or `nodes` more nodes
/// were made, each without limit if it is 0; or until the token, which may be null, is set, or the
/// value is proved. Without any limit and token, nothing is searched.
///
/// # Safety
/// `search` points to a search that is not used otherwise meanwhile; `stop` is null or points to a
/// token.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn propjit_search_run(
    search: *mut Search,
    seconds: f64,
    playouts: u64,
    nodes: u64,
    stop: *const Stop,
) -> Status {
    call(|| {
        if seconds == 0.0 && playouts == 0 && nodes == 0 && stop.is_null() {
            return Err(Failure::argument("a search needs a limit or a token"));
        }
        // SAFETY: as promised by the caller.
        let (search, mut stop) = unsafe { (exclusive(search)?, Stop::part(stop)) };
        if seconds != 0.0 {
            let time = Duration::try_from_secs_f64(seconds);
            stop = stop.within(time.map_err(Failure::argument)?);
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
/// `search` points to a search that is not used otherwise meanwhile; `report` can be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn propjit_search_report(
    search: *mut Search,
    role: u32,
    report: *mut SearchReport,
) -> Status {
    call(|| {
        // SAFETY: as promised by the caller.
        let search = unsafe { exclusive(search) }?;
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
        let written = SearchReport {
            has_best: best.is_some(),
            best: best.map_or(0, |best| best.0),
            solved: known.solved,
            value: known.value.unwrap_or(f64::NAN),
            nodes: known.nodes as u64,
            playouts: known.playouts,
        };
        // SAFETY: as promised by the caller.
        unsafe { write(report, written) }
    })
}
