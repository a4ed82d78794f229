//! Engine tiers: one that is available at once, and the best one when it is ready.
//!
//! Interpreting the circuit as it was lowered takes almost no preparation. Meanwhile a
//! background thread optimises the circuit and compiles it, or loads the code from the cache. No
//! thread waits.

use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use propjit_jit::evaluator::Engine;
use propjit_stop::Stop;

use super::programs::Programs;
use crate::support::background::Background;

/// The delay before the first engine is made, because code from the cache, and that of small games,
/// is ready sooner.
const PATIENCE: Duration = Duration::from_millis(5);

/// The engines for the whole circuit of a game, all of equal width. Clones share them.
#[derive(Clone, Debug)]
pub(super) struct Tiers {
    first: Arc<OnceLock<Engine>>,
    programs: Arc<Programs>,
    best: Background<Best>,
}

/// The final engine, after which no better one comes: none if the first one stays, because no caller waits for a
/// better one any more, or there is no thread to make it.
#[derive(Debug)]
struct Best {
    engine: Option<Engine>,
    /// The time that it took to make it.
    time: Duration,
}

impl Tiers {
    /// Makes the first engine, and starts to make the best one.
    pub(super) fn start(programs: &Arc<Programs>) -> Tiers {
        let start = Instant::now();
        let made = move |engine| Best {
            engine,
            time: start.elapsed(),
        };
        let best = Background::start("compiler", move || made(None), {
            let programs = programs.clone();
            move || {
                let best = made(best_engine(&programs));
                tracing::debug!(time = ?best.time, "the best engine is ready");
                best
            }
        });
        let best_so_far = best.wait_until(start + PATIENCE);
        let is_there = best_so_far.is_some_and(|best| best.engine.is_some());
        let first = OnceLock::new();
        let stop = &programs.options().config.stop;
        if !is_there && let Some(made) = programs.unoptimised_interpreter_until(stop) {
            first.get_or_init(|| made);
        }
        Tiers {
            first: Arc::new(first),
            programs: programs.clone(),
            best,
        }
    }

    /// Returns the best engine that is ready.
    pub(super) fn engine(&self) -> &Engine {
        let best = self.best.get().and_then(|best| best.engine.as_ref());
        // It exists, unless it was stopped before it was made.
        let first = || {
            self.first
                .get_or_init(|| self.programs.unoptimised_interpreter())
        };
        best.unwrap_or_else(first)
    }

    /// Returns whether the best engine is ready.
    pub(super) fn is_ready(&self) -> bool {
        self.best.get().is_some()
    }

    /// Returns how long it took to compile or load machine code, if it is ready.
    pub(super) fn code_time(&self) -> Option<Duration> {
        let best = self.best.get()?;
        matches!(best.engine, Some(Engine::Code(_))).then_some(best.time)
    }

    /// Waits for the best engine.
    pub(super) fn wait(&self) {
        self.best.wait();
    }

    /// Does the same, or until stopped. Returns whether the engine is ready.
    pub(super) fn wait_or_stop(&self, stop: &Stop) -> bool {
        self.best.wait_or_stop(stop).is_some()
    }
}

/// Makes machine code; or, if there is none, the interpreter with the optimised circuit. Returns `None` if
/// that is stopped.
fn best_engine(programs: &Programs) -> Option<Engine> {
    match programs.playout_code() {
        Ok(code) => Some(Engine::Code(code)),
        Err(_) if programs.options().config.stop.is_set() => {
            tracing::debug!("machine code no longer needed");
            None
        }
        Err(error) => {
            tracing::warn!(%error, "the game remains interpreted");
            Some(programs.interpreter_as_wide_as_code())
        }
    }
}
