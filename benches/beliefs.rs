//! Beliefs: how many hypotheses a second survive an observation in the middle of a match.

use std::hint::black_box;
use std::sync::Arc;
use std::time::{Duration, Instant};

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use propjit::game::load::{Game, Setup};
use propjit::game::position::Position;
use propjit::search::beliefs::{Belief, BeliefConfig, Observation};
use propjit::support::rng::{GameRng, streams};
use propjit::{RoleId, Stop, gdl};
use rand::RngExt;

/// The games, and after how many joint moves they are in the middle.
const GAMES: [(&str, usize); 3] = [
    ("kriegTicTacToe", 6),
    ("darkBreakthrough", 24),
    ("phantomConnectFour", 12),
];

/// What the first role observes in the first joint moves of a random match that does not end before.
fn observations(game: &Game, count: usize, rng: &mut GameRng) -> Vec<Observation> {
    let ground = game.ground_game().expect("the game is ground");
    loop {
        let mut position: Position = game.start().expect("the game has a start");
        let mut all = Vec::new();
        while all.len() < count && !position.is_over().unwrap() {
            let roles = RoleId::first(position.roles().len());
            let joint = roles.map(|role| {
                let legal = position.legal_moves(role).unwrap();
                legal[rng.random_range(0..legal.len())]
            });
            let joint: Vec<_> = joint.collect();
            let observed = Observation::of_joint_move(ground, &position, RoleId(0), &joint);
            all.push(observed.unwrap());
            position.play(&joint).unwrap();
        }
        if all.len() == count && !position.is_over().unwrap() {
            return all;
        }
    }
}

fn beliefs(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("beliefs");
    group
        .sample_size(10)
        .measurement_time(Duration::from_secs(10));
    for (name, count) in GAMES {
        let rules = gdl::games::text(name).expect("a game of the project");
        let game = Game::from_text(name, rules, &Setup::default()).expect("it can be loaded");
        let engines: Arc<_> = game.engines().expect("it is ground").clone();
        engines.wait();
        let mut rng = streams(1).next().expect("streams do not end");
        let all = observations(&game, count, &mut rng);
        let (last, before) = all.split_last().expect("there are some");
        let stop = Stop::new();
        let until = |seed| {
            let config = BeliefConfig::default().with_seed(seed);
            let mut belief = Belief::new(&engines, RoleId(0), config);
            for observation in before {
                belief
                    .observe(observation, &stop)
                    .expect("the match is possible");
            }
            belief
        };
        let mut survived = until(0);
        survived
            .observe(last, &stop)
            .expect("the match is possible");
        let population = survived.population();
        println!(
            "{name}: {} hypotheses, effective size {:.0}, exact: {}",
            population.len(),
            population.effective_size(),
            survived.is_exact()
        );
        group.throughput(Throughput::Elements(population.len() as u64));
        group.bench_function(name, |bencher| {
            bencher.iter_custom(|times| {
                let mut taken = Duration::ZERO;
                for seed in 0..times {
                    let mut belief = until(seed);
                    let start = Instant::now();
                    let _ = black_box(belief.observe(last, &stop));
                    taken += start.elapsed();
                }
                taken
            });
        });
    }
    group.finish();
}

criterion_group!(benches, beliefs);
criterion_main!(benches);
