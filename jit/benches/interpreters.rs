//! Random play of breakthrough, the whole step and its parts.

use std::hint::black_box;
use std::sync::Arc;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use propjit_jit::lanes::random::LaneRandom;
use propjit_jit::lanes::select::Selector;
use propjit_jit::lanes::{Engine, LaneEvaluator, LaneProgram, Width};
use propjit_jit::scalar::ScalarInterpreter;

use breakthrough::Breakthrough;

mod breakthrough;

/// One game after the other, a move at a time.
struct ScalarPlay {
    game: Breakthrough,
    scalar: ScalarInterpreter,
    state: Vec<u64>,
    random: u64,
}

impl ScalarPlay {
    fn new() -> ScalarPlay {
        let game = Breakthrough::new(8);
        let mut play = ScalarPlay {
            scalar: ScalarInterpreter::new(&game.circuit),
            state: Vec::new(),
            random: 1,
            game,
        };
        play.restart();
        play
    }

    fn restart(&mut self) {
        self.state = vec![0; self.game.state.end.div_ceil(64)];
        for &bit in &self.game.start {
            self.state[bit / 64] |= 1 << (bit % 64);
        }
    }

    fn step(&mut self) {
        let Breakthrough {
            state,
            terminal,
            legal,
            does,
            ..
        } = &self.game;
        self.scalar.set_inputs(state.end, &self.state);
        self.scalar.settle();
        let outputs = self.scalar.outputs();
        if outputs[terminal / 64] >> (terminal % 64) & 1 == 1 {
            return self.restart();
        }
        let mut chosen = [0; 2];
        for player in 0..2 {
            self.random = self
                .random
                .wrapping_mul(0xd134_2543_de82_ef95)
                .wrapping_add(1);
            chosen[player] = does[player].start + nth(outputs, &legal[player], self.random);
        }
        for input in chosen {
            self.scalar.set_input(input, true);
        }
        self.scalar.settle();
        let words = self.state.len();
        self.state.copy_from_slice(&self.scalar.outputs()[..words]);
        for input in chosen {
            self.scalar.set_input(input, false);
        }
    }
}

/// A random one of the true bits in `range`, counted from its start.
fn nth(bits: &[u64], range: &std::ops::Range<usize>, random: u64) -> usize {
    let (first, last) = (range.start / 64, (range.end - 1) / 64);
    let word = |i: usize| {
        let mut word = bits[i];
        if i == first {
            word &= !0 << (range.start % 64);
        }
        if i == last {
            word &= !0 >> (63 - (range.end - 1) % 64);
        }
        word
    };
    let count: u32 = (first..=last).map(|i| word(i).count_ones()).sum();
    let mut k = (((random >> 32) * u64::from(count)) >> 32) as u32;
    for i in first..=last {
        let mut word = word(i);
        if k >= word.count_ones() {
            k -= word.count_ones();
            continue;
        }
        for _ in 0..k {
            word &= word - 1;
        }
        return 64 * i + word.trailing_zeros() as usize - range.start;
    }
    0
}

/// Many games at a time; those that have ended start again.
struct LanePlay {
    game: Breakthrough,
    lanes: LaneEvaluator,
    selector: Selector,
    random: LaneRandom,
}

impl LanePlay {
    fn new(width: Width) -> LanePlay {
        let game = Breakthrough::new(8);
        let program = Arc::new(LaneProgram::new(&game.circuit, &game.sections()));
        let mut lanes = LaneEvaluator::new(Engine::Interpreter(program, width));
        for &bit in &game.start {
            lanes.input_mut(bit).fill(!0);
        }
        let mut play = LanePlay {
            lanes,
            game,
            selector: Selector::new(),
            random: LaneRandom::new(1),
        };
        for _ in 0..100 {
            play.step();
        }
        play
    }

    fn choose(&mut self) {
        let width = self.lanes.width();
        let all = [!0; Width::MAX_WORDS];
        for player in 0..2 {
            let (legal, does) = self.lanes.outputs_and_inputs_mut(
                self.game.legal[player].clone(),
                self.game.does[player].clone(),
            );
            let all = &all[..width.words()];
            self.selector
                .select(width, legal, all, &mut self.random, does);
        }
    }

    fn step(&mut self) {
        self.lanes.evaluate(0);
        self.choose();
        self.lanes.evaluate(1);
        let words = self.lanes.width().words();
        let mut ended = [0; Width::MAX_WORDS];
        ended[..words].copy_from_slice(self.lanes.output(self.game.terminal));
        let state = self.game.state.clone();
        let (next, inputs) = self.lanes.outputs_and_inputs_mut(state.clone(), state);
        let rows = inputs.chunks_exact_mut(words).zip(next.chunks_exact(words));
        for (old, new) in rows {
            for (old, (new, ended)) in old.iter_mut().zip(new.iter().zip(&ended)) {
                *old = new & !ended;
            }
        }
        for &bit in &self.game.start {
            for (word, ended) in self.lanes.input_mut(bit).iter_mut().zip(&ended) {
                *word |= ended;
            }
        }
    }
}

fn scalar(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("scalar");
    group.throughput(Throughput::Elements(1));
    let mut play = ScalarPlay::new();
    group.bench_function("step", |bencher| bencher.iter(|| play.step()));
}

fn lanes(criterion: &mut Criterion) {
    for width in Width::ALL {
        let mut group = criterion.benchmark_group(format!("{} lanes", width.lanes()));
        group.throughput(Throughput::Elements(width.lanes() as u64));
        let mut play = LanePlay::new(width);
        group.bench_function("step", |bencher| bencher.iter(|| play.step()));
        group.bench_function("evaluate", |bencher| {
            bencher.iter(|| {
                play.lanes.evaluate(0);
                play.lanes.evaluate(1);
            });
        });
        group.bench_function("select", |bencher| {
            bencher.iter(|| {
                play.choose();
                black_box(&play.lanes);
            });
        });
    }
}

criterion_group!(benches, scalar, lanes);
criterion_main!(benches);
