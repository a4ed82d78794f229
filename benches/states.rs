//! Single questions about single states, legal moves, next state, goals; and all children
//! of a state.
//!
//! Each question is asked of all states of a random match, one after the other; the time
//! is that of the whole match, the throughput in states.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use propjit::game::machine::batch::Batch;
use propjit::game::machine::{Backend, Move, RoleId, State};
use propjit::support::rng::streams;

mod common;

use common::GAMES;

fn questions(criterion: &mut Criterion) {
    for name in GAMES {
        let game = common::load(name);
        for backend in Backend::ALL {
            // Elsewhere there is no code to measure.
            let Ok(mut machine) = game.machine(backend) else {
                continue;
            };
            let mut rng = streams(1).next().expect("streams do not end");
            let (steps, _) = common::random_match(&mut *machine, usize::MAX, &mut rng);
            let mut group = criterion.benchmark_group(format!("{name}, {backend}"));
            group.throughput(Throughput::Elements(steps.len() as u64));
            group.sample_size(20);
            let roles = RoleId::first(machine.roles().len());
            let (mut moves, mut values) = (Vec::new(), Vec::new());
            let mut next = State::new();
            group.bench_function("legal", |bencher| {
                bencher.iter(|| {
                    for (state, _) in &steps {
                        for role in roles.clone() {
                            machine
                                .legal_moves_unchecked(state, role, &mut moves)
                                .unwrap();
                        }
                    }
                });
            });
            group.bench_function("next", |bencher| {
                bencher.iter(|| {
                    for (state, joint) in &steps {
                        machine
                            .next_state_unchecked(state, joint, &mut next)
                            .unwrap();
                    }
                });
            });
            group.bench_function("goals", |bencher| {
                bencher.iter(|| {
                    for (state, _) in &steps {
                        for role in roles.clone() {
                            machine.goals(state, role, &mut values).unwrap();
                        }
                    }
                });
            });
        }
    }
}

/// All children of a state in one call.
fn children(criterion: &mut Criterion) {
    for name in GAMES {
        let game = common::load(name);
        let ground = common::ground(&game);
        let mut machine = game.machine(Backend::Scalar).unwrap();
        let mut rng = streams(1).next().expect("streams do not end");
        let (steps, _) = common::random_match(&mut *machine, usize::MAX, &mut rng);
        let engines = game.engines().expect("the game is ground");
        engines.wait();
        let mut batch = Batch::new(ground.clone(), engines.best());
        let mut group = criterion.benchmark_group(format!("{name}, children"));
        let expand = |state: &State, batch: &mut Batch| {
            let legal = batch.legal_moves(state);
            let count: usize = legal.iter().map(Vec::len).max().unwrap_or(0);
            // The moves of the role that has most; the others play their first one.
            let joints = (0..count).flat_map(|i| {
                let moves = legal.iter();
                moves.map(move |moves| *moves.get(i).unwrap_or(&moves[0]))
            });
            let joints: Vec<Move> = joints.collect();
            batch.children(state, &joints).len()
        };
        let children: usize = steps
            .iter()
            .map(|(state, _)| expand(state, &mut batch))
            .sum();
        group.throughput(Throughput::Elements(children as u64));
        group.bench_function("in lanes", |bencher| {
            bencher.iter(|| {
                steps
                    .iter()
                    .map(|(state, _)| expand(state, &mut batch))
                    .sum::<usize>()
            });
        });
    }
}

criterion_group!(benches, questions, children);
criterion_main!(benches);
