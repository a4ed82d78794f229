//! Two ways to choose a legal move in each lane: by bit-sliced counting, as playouts do,
//! and by transposing the matrix of legal moves and taking a bit of each lane's column.
//!
//! Lanes have states of random matches, all with the same player to move.

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use propjit::game::ground::sections::section;
use propjit::support::rng::{GameRng, streams};
use propjit_jit::evaluator::{Engine, LaneEvaluator};
use propjit_jit::lanes::Width;
use propjit_jit::lanes::random::LaneRandom;
use propjit_jit::lanes::select::Selector;
use propjit_jit::lanes::transpose::{column_words, to_columns, to_rows};
use rand::RngExt;

mod common;

/// With 9 moves to 720 per role, of which few or many are legal.
const GAMES: [&str; 5] = [
    "ticTacToe",
    "connectFour",
    "breakthrough",
    "reversi",
    "fourPlayerHalma",
];

/// In each lane, one of the rows of `from` that are true, by way of columns.
fn choose_by_columns(
    width: Width,
    from: &[u64],
    columns: &mut [u64],
    rng: &mut GameRng,
    chosen: &mut [u64],
    last: &mut Vec<usize>,
) {
    last.drain(..).for_each(|word| chosen[word] = 0);
    to_columns(width, from, columns);
    let words = column_words(from.len() / width.words());
    for (lane, column) in columns.chunks_exact_mut(words).enumerate() {
        let count: u32 = column.iter().map(|word| word.count_ones()).sum();
        if count == 0 {
            continue;
        }
        let mut skip = rng.random_range(0..count);
        let mut first = 0;
        for word in column {
            if skip >= word.count_ones() {
                skip -= word.count_ones();
                first += 64;
                continue;
            }
            for _ in 0..skip {
                *word &= *word - 1;
            }
            let row = first + word.trailing_zeros() as usize;
            let at = row * width.words() + lane / 64;
            chosen[at] |= 1 << (lane % 64);
            last.push(at);
            break;
        }
    }
}

fn selection(criterion: &mut Criterion) {
    for name in GAMES {
        let game = common::load(name);
        let programs = game.engines().expect("the game is ground").programs();
        let layout = programs.game().layout();
        let width = Width::X256;
        let mut rng = streams(1).next().expect("streams do not end");
        let states = common::states(&game, width.lanes(), 4, &mut rng);
        let mut packed = Vec::new();
        for state in &states {
            packed.extend_from_slice(state.words());
            packed.resize(
                packed
                    .len()
                    .next_multiple_of(column_words(layout.bases.len())),
                0,
            );
        }
        let mut lanes = LaneEvaluator::new(Engine::Interpreter(programs.lane_program(), width));
        to_rows(width, &packed, lanes.inputs_mut(layout.bases.clone()));
        lanes.evaluate(section::STATE);

        let mut group = criterion.benchmark_group(name);
        group.throughput(Throughput::Elements(width.lanes() as u64));
        let legal = layout
            .legal
            .iter()
            .map(|legal| lanes.outputs(legal.clone()));
        let legal: Vec<&[u64]> = legal.collect();
        let mut chosen: Vec<Vec<u64>> = legal.iter().map(|rows| vec![0; rows.len()]).collect();
        let mut selectors = vec![Selector::new(); legal.len()];
        let mut random = LaneRandom::new(1);
        let all = vec![!0; width.words()];
        group.bench_function("counting", |bencher| {
            bencher.iter(|| {
                for ((rows, chosen), selector) in legal.iter().zip(&mut chosen).zip(&mut selectors)
                {
                    black_box(selector.select(width, rows, &all, &mut random, chosen));
                }
            });
        });
        let mut columns = Vec::new();
        let mut last = vec![Vec::new(); legal.len()];
        group.bench_function("columns", |bencher| {
            bencher.iter(|| {
                for ((rows, chosen), last) in legal.iter().zip(&mut chosen).zip(&mut last) {
                    columns.resize(width.lanes() * column_words(rows.len() / width.words()), 0);
                    choose_by_columns(width, rows, &mut columns, &mut rng, chosen, last);
                }
                black_box(&chosen);
            });
        });
    }
}

criterion_group!(benches, selection);
criterion_main!(benches);
