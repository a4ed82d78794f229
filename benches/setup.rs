//! From the rulesheet to something that plays: grounding, passes, programs, machine code.

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use propjit::game::engine::compile::{for_playouts, for_states};
use propjit::game::ground::sections::playout_sections;
use propjit_gdl::ground::{GroundLimits, ground};
use propjit_gdl::rules::Rules;
use propjit_jit::code::CodeConfig;
use propjit_jit::lanes::LaneProgram;
use propjit_jit::passes;
use propjit_jit::scalar::ScalarInterpreter;

mod common;

use common::GAMES;

fn grounding(criterion: &mut Criterion) {
    let mut parse = criterion.benchmark_group("parse");
    for name in GAMES {
        let game = common::load(name);
        let text = game.rules().source.text();
        parse.bench_function(name, |bencher| bencher.iter(|| Rules::parse(name, text)));
    }
    parse.finish();
    let mut group = criterion.benchmark_group("ground");
    for name in GAMES {
        let game = common::load(name);
        let limits = GroundLimits::default();
        group.bench_function(name, |bencher| {
            bencher.iter(|| ground(game.rules(), &limits));
        });
    }
}

fn circuits(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("passes");
    group.sample_size(10);
    for name in GAMES {
        let game = common::load(name);
        let game = common::ground(&game);
        let assumptions = game.layout().assumptions();
        let config = passes::PassConfig::default();
        group.bench_function(name, |bencher| {
            bencher.iter(|| passes::optimize(game.lowered(), &assumptions, &config));
        });
    }
}

fn programs(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("program");
    for name in GAMES {
        let game = common::load(name);
        let game = common::ground(&game);
        group.bench_function(BenchmarkId::new("scalar", name), |bencher| {
            bencher.iter(|| ScalarInterpreter::new(&game.low_activity().circuit));
        });
        let sections = playout_sections(game.layout());
        group.bench_function(BenchmarkId::new("lanes", name), |bencher| {
            bencher.iter(|| LaneProgram::new(&game.min_gates().circuit, &sections));
        });
    }
}

fn code(criterion: &mut Criterion) {
    for config in CodeConfig::supported() {
        let generator = config.generator.name();
        let title = format!("compile, {generator} {}", config.width.lanes());
        let mut group = criterion.benchmark_group(title);
        group.sample_size(10);
        for name in GAMES {
            let game = common::load(name);
            let game = common::ground(&game);
            group.bench_function(BenchmarkId::new("playouts", name), |bencher| {
                bencher.iter(|| for_playouts(game, &config));
            });
            group.bench_function(BenchmarkId::new("states", name), |bencher| {
                bencher.iter(|| for_states(game, &config));
            });
        }
    }
}

criterion_group!(benches, grounding, circuits, programs, code);
criterion_main!(benches);
