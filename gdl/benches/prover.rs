//! Random play by the prover: states a second, for games that stay with it or are hard for it.
//!
//! The moves are chosen before time is taken, by their text, so that all versions of the prover answer for the same
//! states. In each, it is asked whether the match is over, for the legal moves of all roles, and for the next state; at
//! the end of a match, for the goals.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use propjit_gdl::{Prover, ProverLimits, Rules, TermId, games};
use propjit_test_support::shared;

/// Games of the project's own.
const OWN: [&str; 3] = ["chess", "reversi", "sudoku"];

/// Public games that cannot be grounded in a minute, or only by a trick: combinations of orders, deals of cards, lists.
const SHARED: [&str; 3] = [
    "games-field/bonaparte",
    "games-field/small_dominion",
    "games/laikLee_hex",
];

/// The states of each game. A match of many moves is cut off.
const STATES: usize = 200;
const LONGEST_MATCH: usize = 100;

/// A match: its states with the joint moves that are played in them, and its last state.
struct Match {
    steps: Vec<(Vec<TermId>, Vec<TermId>)>,
    last: Vec<TermId>,
}

fn random_match(prover: &mut Prover, random: &mut impl FnMut() -> usize) -> Match {
    let mut state = prover.initial_state().expect("within limits");
    let mut steps = Vec::new();
    while steps.len() < LONGEST_MATCH {
        prover.set_state(&state);
        if prover.is_terminal().expect("within limits") {
            break;
        }
        let joint = (0..prover.roles().len()).map(|role| {
            let mut moves = prover.legal_moves(role).expect("within limits");
            moves.sort_by_cached_key(|&term| prover.terms().text(term));
            moves[random() % moves.len()]
        });
        let joint: Vec<TermId> = joint.collect();
        let next = prover.next_state(&joint).expect("within limits");
        steps.push((std::mem::replace(&mut state, next), joint));
    }
    Match { steps, last: state }
}

fn replay(prover: &mut Prover, played: &Match) -> usize {
    let mut answers = 0;
    let roles = prover.roles().len();
    for (state, joint) in &played.steps {
        prover.set_state(state);
        answers += usize::from(prover.is_terminal().expect("within limits"));
        for role in 0..roles {
            answers += prover.legal_moves(role).expect("within limits").len();
        }
        answers += prover.next_state(joint).expect("within limits").len();
    }
    prover.set_state(&played.last);
    for role in 0..roles {
        answers += prover.goals(role).expect("within limits").len();
    }
    answers
}

fn measure(criterion: &mut Criterion, name: &str, rules: &Rules) {
    let mut prover = Prover::new(rules, ProverLimits::default()).expect("a sound game");
    let mut seed = 1_u64;
    let mut random = || {
        // Numerical Recipes' generator.
        seed = seed
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as usize
    };
    let mut matches = Vec::new();
    let mut states = 0;
    while states < STATES {
        let played = random_match(&mut prover, &mut random);
        states += played.steps.len() + 1;
        matches.push(played);
    }
    let mut group = criterion.benchmark_group("prover");
    group
        .sample_size(10)
        .throughput(Throughput::Elements(states as u64));
    group.bench_function(name, |bencher| {
        bencher.iter(|| {
            matches
                .iter()
                .map(|played| replay(&mut prover, played))
                .sum::<usize>()
        });
    });
    group.finish();
}

fn random_play(criterion: &mut Criterion) {
    for name in OWN {
        let text = games::text(name).expect("the project has such a game");
        let parsed = Rules::parse(name, text).expect("a valid rulesheet");
        measure(criterion, name, &parsed.rules);
    }
    let Some(shared) = shared() else { return };
    for name in SHARED {
        let parsed =
            Rules::read(shared.join(name).with_extension("kif")).expect("a valid rulesheet");
        measure(criterion, name, &parsed.rules);
    }
}

fn set_up(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("prover set-up");
    group.sample_size(10);
    for name in OWN {
        let text = games::text(name).expect("the project has such a game");
        let parsed = Rules::parse(name, text).expect("a valid rulesheet");
        group.bench_function(name, |bencher| {
            bencher.iter(|| Prover::new(&parsed.rules, ProverLimits::default()));
        });
    }
    group.finish();
}

criterion_group!(benches, random_play, set_up);
criterion_main!(benches);
