//! Random playouts on one thread: the whole, and the parts that a step over all lanes has.
//!
//! The throughput is in matches for the whole and for steps, and in lanes for the parts.

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use propjit::Stop;
use propjit::game::engine::StepEngine;
use propjit::game::engine::compile::for_playouts;
use propjit::game::ground::GroundGame;
use propjit::game::ground::sections::section;
use propjit::game::machine::Backend;
use propjit::game::playout::{
    self, PlayoutConfig, PlayoutProgress, PlayoutRunner, Playouts, RunLimits,
};
use propjit_jit::code::CodeConfig;
use propjit_jit::evaluator::{Engine, LaneEvaluator};
use propjit_jit::lanes::Width;
use propjit_jit::lanes::random::LaneRandom;
use propjit_jit::lanes::select::Selector;

mod common;

use common::GAMES;

fn playouts(criterion: &mut Criterion) {
    for backend in [Backend::Scalar, Backend::Lanes, Backend::Compiled] {
        let mut group = criterion.benchmark_group(format!("playouts, {backend}"));
        group.sample_size(10);
        // Many times the lanes, lest the last matches leave most lanes idle.
        let rollouts = match backend {
            Backend::Scalar => 50,
            _ => 16_384,
        };
        group.throughput(Throughput::Elements(rollouts));
        for name in GAMES {
            let game = common::load(name);
            let config = PlayoutConfig::default()
                .with_seed(1)
                .with_max_steps(1000)
                .with_rollouts(Some(rollouts));
            let (stop, progress) = (Stop::new(), PlayoutProgress::default());
            group.bench_function(name, |bencher| {
                bencher.iter(|| playout::run(&game, backend, &config, &stop, &progress));
            });
        }
    }
}

/// Whole steps in machine code, with moves chosen among the rows of legal ones, and in the circuit.
fn steps(criterion: &mut Criterion) {
    for name in GAMES {
        let game = common::load(name);
        let programs = game.engines().expect("the game is ground").programs();
        let ground = programs.game();
        let code = programs.playout_code();
        let engine = Engine::Code(code.unwrap_or_else(|error| panic!("{error}")));
        let steps = StepEngine::compiled(programs).unwrap_or_else(|error| panic!("{error}"));
        let selecting = || Playouts::new(ground.clone(), engine.clone(), 1000, 1);
        let drawing = selecting().with_steps(&steps);
        let mut group = criterion.benchmark_group(format!("{name} steps"));
        group.sample_size(20);
        // Many times the lanes, lest the last matches leave most lanes idle.
        let rollouts = 16_384;
        group.throughput(Throughput::Elements(rollouts));
        for (title, mut runner) in [("among rows", selecting()), ("in the circuit", drawing)] {
            group.bench_function(title, |bencher| {
                bencher.iter(|| {
                    runner.queue_mut().add(ground.initial(), Some(rollouts));
                    let played = runner.play(&RunLimits::default());
                    played.expect("circuits hit no limit");
                    runner.queue_mut().take_finished().is_some()
                });
            });
        }
    }
}

/// Lanes in the middle of random matches.
struct Lanes<'a> {
    game: &'a GroundGame,
    lanes: LaneEvaluator,
    selector: Selector,
    random: LaneRandom,
}

/// How many joint moves are played: fewer than any match of the games has.
const STEPS: usize = 5;

impl<'a> Lanes<'a> {
    fn new(game: &'a GroundGame, engine: Engine) -> Lanes<'a> {
        let mut lanes = Lanes {
            game,
            lanes: LaneEvaluator::new(engine),
            selector: Selector::new(),
            random: LaneRandom::new(1),
        };
        for base in game.initial().iter() {
            lanes
                .lanes
                .input_mut(game.layout().bases.start + base)
                .fill(!0);
        }
        for step in 0..=STEPS {
            lanes.evaluate();
            lanes.select();
            lanes.lanes.evaluate(section::NEXT);
            if step < STEPS {
                let layout = game.layout();
                let (next, bases) = lanes
                    .lanes
                    .outputs_and_inputs_mut(layout.next.clone(), layout.bases.clone());
                bases.copy_from_slice(next);
            }
        }
        lanes
    }

    fn evaluate(&mut self) {
        self.lanes.evaluate(section::STATE);
        self.lanes.evaluate(section::NEXT);
    }

    /// Chooses a move for each role.
    fn select(&mut self) {
        let width = self.lanes.width();
        let all = [!0; Width::MAX_WORDS];
        let layout = self.game.layout();
        for (legal, does) in layout.legal.iter().zip(&layout.does) {
            let (legal, does) = self
                .lanes
                .outputs_and_inputs_mut(legal.clone(), does.clone());
            let all = &all[..width.words()];
            self.selector
                .select(width, legal, all, &mut self.random, does);
        }
    }
}

fn parts(criterion: &mut Criterion) {
    for name in GAMES {
        let game = common::load(name);
        let programs = game.engines().expect("the game is ground").programs();
        let game = programs.game();
        let interpreted = Width::ALL.map(|width| {
            let engine = Engine::Interpreter(programs.lane_program(), width);
            (format!("interpreter {}", width.lanes()), engine)
        });
        let compiled = CodeConfig::supported().map(|config| {
            let code = for_playouts(game, &config).unwrap_or_else(|error| panic!("{error}"));
            let title = format!("{} {}", config.generator.name(), config.width.lanes());
            (title, Engine::Code(code.into()))
        });
        for (title, engine) in interpreted.into_iter().chain(compiled) {
            let mut group = criterion.benchmark_group(format!("{name} step"));
            group.throughput(Throughput::Elements(engine.width().lanes() as u64));
            group.sample_size(20);
            let choices = matches!(engine, Engine::Interpreter(..));
            let mut lanes = Lanes::new(game, engine);
            group.bench_function(BenchmarkId::new("evaluate", &title), |bencher| {
                bencher.iter(|| lanes.evaluate());
            });
            // How moves are chosen depends on the width alone.
            if choices {
                let lanes_of = format!("{} lanes", lanes.lanes.width().lanes());
                group.bench_function(BenchmarkId::new("select", lanes_of), |bencher| {
                    bencher.iter(|| lanes.select());
                });
            }
        }
    }
}

criterion_group!(benches, playouts, steps, parts);
criterion_main!(benches);
