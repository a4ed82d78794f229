//! Similarity of positions: of all pairs of many by continuations, and of two by their game trees.
//!
//! Positions are those of random matches, 20 joint moves after the start.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use propjit::Stop;
use propjit::lab::similarity::{Comparison, Measure, SimilarityConfig};
use propjit::support::rng::streams;

mod common;

/// How many positions are compared with each other.
const POSITIONS: usize = 256;

/// The joint moves before a position.
const BEFORE: usize = 20;

fn similarity(criterion: &mut Criterion) {
    for name in ["breakthrough", "chess"] {
        let game = common::load(name);
        let engines = game.engines().unwrap();
        engines.start();
        engines.wait();
        let mut rng = streams(1).next().expect("streams do not end");
        let positions = common::states(&game, POSITIONS, BEFORE, &mut rng);
        let comparison = |measure, depth| {
            let config = SimilarityConfig::default()
                .with_measure(measure)
                .with_depth(depth);
            Comparison::new(&game, config, &Stop::new()).unwrap()
        };
        let mut group = criterion.benchmark_group(name);
        group.sample_size(10);

        // With the sets of moves, which are made once for each position.
        let mut continuations = comparison(Measure::Continuations, 1);
        group.throughput(Throughput::Elements((POSITIONS * POSITIONS) as u64));
        group.bench_function("continuations of all pairs", |bencher| {
            bencher.iter(|| {
                let sets = continuations.move_sets(&positions);
                let all = (0..POSITIONS).flat_map(|a| (0..POSITIONS).map(move |b| (a, b)));
                all.filter_map(|(a, b)| sets.similarity(a, &sets, b))
                    .sum::<f64>()
            });
        });
        group.throughput(Throughput::Elements(1));
        let [a, b] = [&positions[0], &positions[1]];
        group.bench_function("structural similarity", |bencher| {
            bencher.iter(|| continuations.structural(a, b).unwrap());
        });
        let mut edits = comparison(Measure::TreeEdit, 2);
        group.bench_function("tree-edit similarity at depth 2", |bencher| {
            bencher.iter(|| edits.similarity(a, b).unwrap());
        });
        group.finish();
    }
}

criterion_group!(benches, similarity);
criterion_main!(benches);
