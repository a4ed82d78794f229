//! Trials of engines: how much faster steps of playouts are with one than with another.

use std::time::{Duration, Instant};

use propjit_jit::evaluator::LaneEvaluator;
use rand::RngExt;

use crate::game::engine::valid_engine::ValidEngine;
use crate::game::ground::GroundGame;
use crate::game::ground::sections::section;
use crate::support::rng::streams;

/// The time for a trial, unless the least number of turns takes longer. The engines take turns, so that other work on the
/// machine disturbs one as much as the other.
const TIME: Duration = Duration::from_millis(2);

/// The least number of turns. The first ones warm up the caches.
const TURNS: usize = 4;

/// An engine with this speed-up is slower, whatever the trial's error is.
pub(super) const SLOWER: f64 = 0.9;

/// The number of steps in a turn.
const STEPS: usize = 4;

/// Returns by which factor a step of playouts takes less time with the second engine than with the first one, at random
/// inputs. What playouts do between steps is left out.
pub(super) fn speedup(game: &GroundGame, engines: [&ValidEngine; 2]) -> f64 {
    let mut runners = engines.map(|engine| Runner::new(game, engine));
    let mut best = [Duration::MAX; 2];
    let start = Instant::now();
    for turn in 0.. {
        if turn >= TURNS && start.elapsed() >= TIME {
            break;
        }
        for (runner, best) in runners.iter_mut().zip(&mut best) {
            *best = runner.turn().min(*best);
        }
    }
    let [before, after] = best.map(|time| time.as_secs_f64().max(f64::EPSILON));
    before / after
}

/// The steps of one engine.
struct Runner {
    evaluator: LaneEvaluator,
    /// Random inputs.
    inputs: Vec<u64>,
    /// The sections of a step.
    sections: Vec<usize>,
}

impl Runner {
    fn new(game: &GroundGame, engine: &ValidEngine) -> Runner {
        const STEP: [usize; 2] = [section::STATE, section::NEXT];
        let (engine, inputs, sections) = match engine.steps() {
            Some(steps) => {
                let layout = &steps.layout;
                let of_phases = layout.phases.iter();
                let sections =
                    of_phases.flat_map(|phase| STEP.map(|part| phase.first_section + part));
                (steps.engine.clone(), layout.inputs(), sections.collect())
            }
            None => {
                let (engine, _) = engine.clone().into_parts();
                (engine, game.layout().inputs(), STEP.to_vec())
            }
        };
        let mut rng = streams(0).next().expect("streams do not end");
        let words = inputs * engine.width().words();
        Runner {
            evaluator: LaneEvaluator::new(engine),
            inputs: (0..words).map(|_| rng.random()).collect(),
            sections,
        }
    }

    /// Returns the time for some steps.
    fn turn(&mut self) -> Duration {
        // Next states may have been written in their place.
        let words = self.evaluator.width().words();
        let inputs = 0..self.inputs.len() / words;
        self.evaluator
            .inputs_mut(inputs)
            .copy_from_slice(&self.inputs);
        let start = Instant::now();
        for _ in 0..STEPS {
            for &section in &self.sections {
                self.evaluator.evaluate(section);
            }
        }
        start.elapsed()
    }
}
