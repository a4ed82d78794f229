//! Random choice of one true row per lane: what is chosen, and how often.

use std::ops::Range;
use std::sync::Arc;

use propjit_jit::circuit::{Builder, Edge, OutputId};
use propjit_jit::code::{Code, CodeConfig, Guards};
use propjit_jit::count_tree::{CountTree, count_bits};
use propjit_jit::evaluator::{Engine, LaneEvaluator};
use propjit_jit::lanes::draw::draw_below;
use propjit_jit::lanes::random::LaneRandom;
use propjit_jit::lanes::select::Selector;
use propjit_jit::lanes::{LaneProgram, Width};
use propjit_jit::section::Section;
use proptest::prelude::*;

fn bit(row: &[u64], lane: usize) -> bool {
    row[lane / 64] >> (lane % 64) & 1 == 1
}

/// Rows with each bit true with a probability of `2^-sparseness`.
fn matrix(rows: usize, width: Width, sparseness: u32, random: &mut LaneRandom) -> Vec<u64> {
    let mut matrix = vec![!0; rows * width.words()];
    let mut row = vec![0; width.words()];
    for _ in 0..sparseness {
        for words in matrix.chunks_mut(width.words()) {
            random.fill(&mut row);
            for (word, random) in words.iter_mut().zip(&row) {
                *word &= random;
            }
        }
    }
    matrix
}

proptest! {
    /// Exactly one true row in every lane that has one and is asked for, else none,
    /// whatever the same selector chose before.
    #[test]
    fn chooses_one_true_row(
        width in prop::sample::select(&Width::ALL[..]),
        rows in 0..200usize,
        choices in prop::collection::vec(0..12u32, 1..4),
        seed in any::<u64>(),
    ) {
        let mut random = LaneRandom::new(seed);
        let mut selector = Selector::new();
        let mut chosen = vec![0; rows * width.words()];
        for sparseness in choices {
            let from = matrix(rows, width, sparseness, &mut random);
            let mut lanes = vec![0; width.words()];
            random.fill(&mut lanes);
            let none = selector.select(width, &from, &lanes, &mut random, &mut chosen);
            let words = width.words();
            for lane in 0..width.lanes() {
                let true_rows = |matrix: &[u64]| -> Vec<usize> {
                    (0..rows).filter(|i| bit(&matrix[i * words..], lane)).collect()
                };
                let (possible, chosen) = (true_rows(&from), true_rows(&chosen));
                let asked = bit(&lanes, lane);
                prop_assert_eq!(bit(&none, lane), asked && possible.is_empty());
                prop_assert_eq!(chosen.len(), usize::from(asked && !possible.is_empty()));
                prop_assert!(chosen.iter().all(|row| possible.contains(row)));
            }
        }
    }
}

proptest! {
    /// Rows that are passed over, as they are false in all lanes, make no difference.
    #[test]
    fn passing_over_idle_rows_changes_nothing(
        width in prop::sample::select(&Width::ALL[..]),
        live in prop::collection::btree_set(0..400u32, 1..300),
        ends in prop::collection::btree_set(0..400u32, 0..12),
        idle in prop::collection::vec(any::<[bool; 3]>(), 1..4),
        tells in any::<bool>(),
        seed in any::<u64>(),
    ) {
        let rows = 400;
        let live: Vec<u32> = live.into_iter().collect();
        let ends: Vec<u32> = ends.into_iter().collect();
        let guarded: Vec<(usize, Range<u32>)> = ends
            .as_chunks::<2>().0
            .iter()
            .enumerate()
            .map(|(number, &[start, end])| (number % 3, start..end))
            .collect();
        let mut passing = Selector::among(live.clone()).with_guards(guarded.clone());
        let mut plain = Selector::among(live.clone());
        let mut random = LaneRandom::new(seed);
        let words = width.words();
        let mut chosen = [vec![0; rows * words], vec![0; rows * words]];
        for idle in idle {
            let mut from = matrix(rows, width, 3, &mut random);
            for row in 0..rows as u32 {
                let is_idle = guarded.iter().any(|(guard, run)| idle[*guard] && run.contains(&row));
                if is_idle || !live.contains(&row) {
                    from[row as usize * words..][..words].fill(0);
                }
            }
            let lanes = vec![!0; words];
            // A selector that is never informed of idle rows looks at all of them.
            if tells {
                passing.pass_over(|guard| idle[guard]);
            }
            let mut same = random.clone();
            let [first, second] = &mut chosen;
            let none = passing.select(width, &from, &lanes, &mut random, first);
            prop_assert_eq!(none, plain.select(width, &from, &lanes, &mut same, second));
            prop_assert_eq!(first, second);
            prop_assert_eq!(passing.listed(), plain.listed());
        }
    }
}

proptest! {
    /// Numbers that are drawn below counts, and found by a circuit that counts, choose what a
    /// selector chooses with the same random bits, in every width.
    #[test]
    fn counting_circuits_choose_as_selectors(
        width in prop::sample::select(&Width::ALL[..]),
        rows in 0..200usize,
        sparseness in 0..8u32,
        seed in any::<u64>(),
    ) {
        let bits = count_bits(rows);
        let mut builder = Builder::new(rows + bits);
        let edges: Vec<Edge> = (0..rows).map(|at| builder.input(at)).collect();
        let number: Vec<Edge> = (rows..rows + bits).map(|at| builder.input(at)).collect();
        let tree = CountTree::new(&mut builder, &edges);
        let mut outputs = tree.total().to_vec();
        outputs.extend(tree.find(&mut builder, &number));
        let circuit = builder.finish(outputs);
        let section = |range: Range<usize>, after| Section {
            after,
            ..Section::alone(range.map(|at| OutputId(at as u32)).collect())
        };
        let sections = [section(0..bits, None), section(bits..bits + rows, Some(0))];
        let mut engines =
            vec![Engine::Interpreter(Arc::new(LaneProgram::new(&circuit, &sections)), width)];
        for config in CodeConfig::supported().filter(|config| config.width == width) {
            let code = Code::compile(&circuit, &sections, &Guards::default(), &config);
            engines.push(Engine::Code(Arc::new(code.unwrap())));
        }
        let mut random = LaneRandom::new(seed);
        let from = matrix(rows, width, sparseness, &mut random);
        let mut asked = vec![0; width.words()];
        random.fill(&mut asked);
        let mut chosen = vec![0; from.len()];
        let mut selecting = random.clone();
        let none = Selector::new().select(width, &from, &asked, &mut selecting, &mut chosen);
        for engine in engines {
            let mut lanes = LaneEvaluator::new(engine);
            let mut drawing = random.clone();
            lanes.inputs_mut(0..rows).copy_from_slice(&from);
            lanes.evaluate(0);
            let (counts, numbers) = lanes.outputs_and_inputs_mut(0..bits, rows..rows + bits);
            let nothing = draw_below(width, counts, &asked, &mut drawing, numbers);
            prop_assert_eq!(&nothing[..asked.len()], &none[..asked.len()]);
            lanes.evaluate(1);
            // Elsewhere, the circuit may choose anything.
            let found = lanes.outputs(bits..bits + rows).iter().zip(&from).enumerate();
            let found: Vec<u64> = found
                .map(|(at, (found, from))| found & from & asked[at % asked.len()])
                .collect();
            prop_assert_eq!(&found, &chosen);
            // The same random rows were taken.
            let mut next = [vec![0; width.words()], vec![0; width.words()]];
            drawing.fill(&mut next[0]);
            selecting.clone().fill(&mut next[1]);
            prop_assert_eq!(&next[0], &next[1]);
        }
    }
}

/// How often each of `cells` is hit, against the same expectation for all: the
/// chi-square statistic as a number of standard deviations from its mean, by
/// Wilson and Hilferty's approximation.
fn deviation(hits: &[u64]) -> f64 {
    let total: u64 = hits.iter().sum();
    let expected = total as f64 / hits.len() as f64;
    let terms = hits
        .iter()
        .map(|&hits| (hits as f64 - expected).powi(2) / expected);
    let chi_square: f64 = terms.sum();
    let freedom = (hits.len() - 1) as f64;
    let variance = 2.0 / (9.0 * freedom);
    ((chi_square / freedom).cbrt() - (1.0 - variance)) / variance.sqrt()
}

/// A true distribution exceeds this with a probability of 3e-7 per test. Seeds are
/// fixed, so tests fail always or never.
const LIMIT: f64 = 5.0;

/// Lanes with every number of true rows, each row hit equally often, in every lane.
#[test]
fn rows_are_equally_likely() {
    for width in Width::ALL {
        let (rows, words) = (37, width.words());
        // Lane `l` has every row true but the first `l % rows`.
        let mut from = vec![0; rows * words];
        for lane in 0..width.lanes() {
            for row in lane % rows..rows {
                from[row * words + lane / 64] |= 1 << (lane % 64);
            }
        }
        let mut random = LaneRandom::new(2026);
        let mut selector = Selector::new();
        let mut chosen = vec![0; rows * words];
        let all = vec![!0; words];
        let mut hits = vec![vec![0u64; rows]; rows];
        let mut lane_hits = vec![[0u64; 2]; width.lanes()];
        for _ in 0..4_000_000 / width.lanes() {
            selector.select(width, &from, &all, &mut random, &mut chosen);
            for (row, words) in chosen.chunks(words).enumerate() {
                for (w, &word) in words.iter().enumerate() {
                    let mut word = word;
                    while word != 0 {
                        let lane = 64 * w + word.trailing_zeros() as usize;
                        word &= word - 1;
                        hits[lane % rows][row] += 1;
                        let left = rows - lane % rows;
                        if left.is_multiple_of(2) {
                            let upper = row - lane % rows >= left / 2;
                            lane_hits[lane][usize::from(upper)] += 1;
                        }
                    }
                }
            }
        }
        for (skipped, hits) in hits.iter().enumerate().take(rows - 1) {
            let deviation = deviation(&hits[skipped..]);
            assert!(
                deviation < LIMIT,
                "{width:?}, {skipped} skipped: {deviation}"
            );
        }
        for (lane, hits) in lane_hits.iter().enumerate().filter(|(_, hits)| hits[0] > 0) {
            assert!(deviation(hits) < LIMIT, "{width:?}, lane {lane}: {hits:?}");
        }
    }
}

/// The choices in neighbouring lanes, in lanes of neighbouring words and in one
/// lane at successive times are independent: all pairs are equally likely.
#[test]
fn lanes_and_times_are_independent() {
    const ROWS: usize = 6;
    let width = Width::X256;
    let from = vec![!0; ROWS * width.words()];
    let all = vec![!0; width.words()];
    let mut random = LaneRandom::new(1997);
    let mut selector = Selector::new();
    let mut chosen = vec![0; from.len()];
    let mut before = vec![0; width.lanes()];
    let mut pairs = [[0u64; ROWS * ROWS]; 3];
    for _ in 0..20_000 {
        selector.select(width, &from, &all, &mut random, &mut chosen);
        let row = |lane| (0..ROWS).find(|i| bit(&chosen[i * width.words()..], lane));
        let now: Vec<usize> = (0..width.lanes()).filter_map(row).collect();
        for lane in 0..width.lanes() {
            let others = [now[(lane + 1) % 256], now[(lane + 64) % 256], before[lane]];
            for (pairs, other) in pairs.iter_mut().zip(others) {
                pairs[now[lane] * ROWS + other] += 1;
            }
        }
        before = now;
    }
    for pairs in &pairs {
        assert!(deviation(pairs) < LIMIT, "{pairs:?}");
    }
}

/// A row that is given twice would be listed twice, and there is room for each once.
#[test]
#[should_panic = "live rows are rows, ascending"]
fn live_rows_are_given_once() {
    let mut selector = Selector::among(vec![0, 0]);
    let (mut random, mut chosen) = (LaneRandom::new(1), [0]);
    selector.select(Width::X64, &[!0], &[!0], &mut random, &mut chosen);
}
