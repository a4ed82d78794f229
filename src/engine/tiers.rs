//! Two tiers of engines: one to begin with at once, and the best one when it is ready.
//!
//! Interpreting the circuit as it was lowered takes almost no preparation. Meanwhile a
//! background thread optimises the circuit and compiles it, or loads the code from the
//! cache. Nobody waits.

use std::sync::Arc;
use std::time::{Duration, Instant};

use propjit_jit::evaluator::Engine;
use propjit_stop::Stop;

use super::programs::Programs;
use crate::background::Background;

/// The time for which the first engine is not made, because code from the cache, and that of
/// small games, is ready sooner.
const PATIENCE: Duration = Duration::from_millis(5);

/// The engines for the whole circuit of a game, all of equal width. Clones share them.
#[derive(Clone, Debug)]
pub(super) struct Tiers {
    first: Option<Engine>,
    best: Background<Best>,
}

/// The engine after which no better one comes.
#[derive(Debug)]
struct Best {
    engine: Engine,
    /// How long it took to make.
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
        let best = Background::start(
            "compiler",
            {
                let programs = programs.clone();
                move || made(programs.unoptimised_interpreter())
            },
            {
                let programs = programs.clone();
                move || {
                    let best = made(best_engine(&programs));
                    tracing::debug!(time = ?best.time, "the best engine is ready");
                    best
                }
            },
        );
        let is_there = best.wait_until(start + PATIENCE).is_some();
        let first = (!is_there).then(|| programs.unoptimised_interpreter());
        Tiers { first, best }
    }

    /// The best engine that there is by now.
    pub(super) fn engine(&self) -> &Engine {
        match (self.best.get(), &self.first) {
            (Some(best), _) => &best.engine,
            (None, Some(first)) => first,
            (None, None) => unreachable!("one of them was there from the start"),
        }
    }

    /// Whether the best engine is ready.
    pub(super) fn is_ready(&self) -> bool {
        self.best.get().is_some()
    }

    /// How long it took to compile or load machine code, if it is ready.
    pub(super) fn code_time(&self) -> Option<Duration> {
        let best = self.best.get()?;
        matches!(best.engine, Engine::Code(_)).then_some(best.time)
    }

    /// Waits for the best engine.
    pub(super) fn wait(&self) {
        self.best.wait();
    }

    /// The same, unless a stop comes before. Whether it is there.
    pub(super) fn wait_unless(&self, stop: &Stop) -> bool {
        self.best.wait_unless(stop).is_some()
    }
}

/// Machine code; or, if there is none, the interpreter with the optimised circuit.
fn best_engine(programs: &Programs) -> Engine {
    match programs.playout_code() {
        Ok(code) => Engine::Code(code),
        Err(error) => {
            match programs.options().config.stop.is_set() {
                true => tracing::debug!("nobody waits for machine code any more"),
                false => tracing::warn!(%error, "the game stays interpreted"),
            }
            programs.interpreter_as_wide_as_code()
        }
    }
}
