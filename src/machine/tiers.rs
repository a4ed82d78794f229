//! Playing at once, and faster when machine code is ready.
//!
//! Interpreting the circuit as it was lowered takes almost no preparation. Meanwhile a
//! thread of its own optimises the circuit and compiles it, or loads the code from the
//! cache; whoever plays switches to it when that is done. Nobody waits.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, OnceLock};
use std::thread;
use std::time::{Duration, Instant};

use propjit_jit::evaluator::Engine;

use propjit_jit::lanes::LaneProgram;

use super::GroundGame;
use super::compiled::playout_sections;

/// For so long the first engine is not made, because code from the cache, and that of
/// small games, is there sooner.
const PATIENCE: Duration = Duration::from_millis(5);

/// The engines for a game's playouts, all of equal width.
#[derive(Debug)]
pub struct Tiers {
    first: Option<Engine>,
    best: Arc<OnceLock<Best>>,
}

/// The engine that there is nothing better to come after.
#[derive(Debug)]
struct Best {
    engine: Engine,
    /// How long it took to be made.
    time: Duration,
}

impl Tiers {
    /// Makes the first engine, and starts to make the best one.
    pub(super) fn start(game: &Arc<GroundGame>) -> Tiers {
        let best = Arc::new(OnceLock::new());
        let make = {
            let (game, best) = (game.clone(), best.clone());
            let start = Instant::now();
            move || {
                // Others wait for it, whatever happens here.
                let made = catch_unwind(AssertUnwindSafe(|| best_engine(&game)));
                let engine = made.unwrap_or_else(|_| first_engine(&game));
                let time = start.elapsed();
                tracing::debug!(?time, "the best engine is ready");
                // Nobody else sets it.
                let _ = best.set(Best { engine, time });
            }
        };
        let thread = thread::Builder::new().name("compiler".to_string());
        let (done, is_done) = std::sync::mpsc::channel::<()>();
        let spawned = thread.spawn({
            let make = make.clone();
            move || {
                make();
                drop(done);
            }
        });
        if spawned.is_err() {
            make();
        }
        // An error tells that the thread is done, or was never started.
        let _ = is_done.recv_timeout(PATIENCE);
        let first = best.get().is_none().then(|| first_engine(game));
        Tiers { first, best }
    }

    /// The best engine there is by now.
    pub fn engine(&self) -> &Engine {
        match (self.best(), &self.first) {
            (Some(best), _) => best,
            (None, Some(first)) => first,
            (None, None) => unreachable!("one of them was there from the start"),
        }
    }

    /// The best engine there will be, if it is ready.
    pub fn best(&self) -> Option<&Engine> {
        self.best.get().map(|best| &best.engine)
    }

    /// How long it took to make machine code, or to load it, if it is ready.
    pub fn code_time(&self) -> Option<Duration> {
        let best = self.best.get()?;
        matches!(best.engine, Engine::Code(_)).then_some(best.time)
    }

    /// Waits for the best engine.
    pub fn wait(&self) {
        self.best.wait();
    }
}

/// Machine code; or, if there is none, the interpreter with the optimised circuit.
fn best_engine(game: &GroundGame) -> Engine {
    match game.playout_code() {
        Ok(code) => Engine::Code(code),
        Err(error) => {
            match game.code_options().config.stop.is_set() {
                true => tracing::debug!("nobody waits for machine code any more"),
                false => tracing::warn!(%error, "the game stays interpreted"),
            }
            let width = game.code_options().config.width;
            Engine::Interpreter(game.lane_program(), width)
        }
    }
}

fn first_engine(game: &GroundGame) -> Engine {
    let sections = playout_sections(game.layout());
    let program = LaneProgram::new(game.lowered(), &sections);
    Engine::Interpreter(Arc::new(program), game.code_options().config.width)
}
