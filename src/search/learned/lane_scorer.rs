//! Scores of all children of a state, from the rows of their propositions.
//!
//! Children differ from their parent in few propositions, so that the sums of the network are kept for the parent, and
//! each child only adds what changes. What changes is read from rows, in which a proposition has a bit for each child:
//! no state is packed for that. Keys of states are found on the way (Zobrist, "A new hashing method with application
//! for game playing", 1970).

use std::sync::Arc;

use propjit_jit::{VectorWork, vectorised};

use super::evaluation::{self, Evaluation, ONE, Sums, add_direct, subtract_direct};
use super::inputs::{Counts, InputObserver};
use super::weights::{HIDDEN, Roles};

/// The logarithm of the odds, in units of this.
const LOGIT_BITS: u32 = 10;

/// Weights past the hidden layer have 16 bits after the point, the products of the others 19.
const DIRECT_BITS: u32 = 16;
const PRODUCT_BITS: u32 = 19;

/// Sums of the hidden units.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(align(64))]
struct Hidden([i16; HIDDEN]);

/// Where only chance plays, in the place of the role to move.
pub(in crate::search) const CHANCE: u8 = 2;

/// What the first role has more than the second, by the role to move.
type Direct = [i32; 2];

/// Scores the children of states in a game of two roles, not counting one that plays at random, by an evaluation.
#[derive(Debug)]
pub(in crate::search) struct LaneScorer {
    evaluation: Arc<Evaluation>,
    hidden: Vec<Hidden>,
    direct: Vec<Direct>,
    constant: Direct,
    /// The weights of the hidden units, by the role to move.
    outputs: [Hidden; 2],
    /// The key of each proposition.
    keys: Vec<u64>,
    /// The weights of the cells of tuples.
    cells: Vec<Direct>,
    /// Whether anything but propositions counts.
    has_counts: bool,
}

/// The sums for a state.
#[derive(Clone, Debug)]
pub(in crate::search) struct Accumulator {
    state: Vec<u64>,
    key: u64,
    hidden: Hidden,
    direct: Direct,
    counts: Counts,
}

/// The propositions in which children differ from their parent.
#[derive(Clone, Default, Debug)]
pub(in crate::search) struct ChangeLists {
    /// Those that change in all children.
    common: Vec<u32>,
    /// Those that change in each child, `stride` places for each.
    own: Vec<u32>,
    lengths: Vec<u32>,
    stride: usize,
}

/// The children of a state in lanes.
#[derive(Clone, Copy, Debug)]
pub(in crate::search) struct ChildRows<'a> {
    /// A row for each proposition, with a bit for each child.
    pub rows: &'a [u64],
    /// The number of words of a row.
    pub width: usize,
    /// Whether the first or the second role is to move in each child (0 or 1), or only [`CHANCE`]; any other number
    /// where the match is over, which has no score.
    pub movers: &'a [u8],
}

/// The scores of children: logarithms of the odds of the first role, a factor of e being 1024; and their keys.
#[derive(Clone, Default, Debug)]
pub(in crate::search) struct ChildScores {
    /// Zero where the match is over.
    pub values: Vec<i32>,
    /// The same for equal states, and nearly always different for others.
    pub keys: Vec<u64>,
}

/// The difference of the two outputs with the same role to move, halved: both have the same odds, reversed.
fn halved(own: i32, other: i32) -> i32 {
    (own - other) / 2
}

/// The outputs for the first and the second role that do not play at random, by which of them is to move.
fn columns(roles: Roles) -> [[usize; 2]; 2] {
    let both = || roles.each().take(2);
    let mut columns = [[0; 2]; 2];
    for (columns, to_move) in columns.iter_mut().zip(both()) {
        for (column, role) in columns.iter_mut().zip(both()) {
            *column = roles.column(to_move, role);
        }
    }
    columns
}

impl LaneScorer {
    /// Scores by an evaluation for two roles that do not play at random.
    pub(in crate::search) fn new(evaluation: Arc<Evaluation>) -> LaneScorer {
        let columns = columns(evaluation.roles());
        let direct = |weights: &evaluation::Direct| {
            columns.map(|[own, other]| halved(weights[own], weights[other]))
        };
        let outputs = columns.map(|columns| {
            let [own, other] = columns.map(|at| evaluation.outputs[at]);
            let mut both = [0; HIDDEN];
            for (both, (own, other)) in both.iter_mut().zip(own.iter().zip(other)) {
                *both = halved(i32::from(*own), i32::from(other)) as i16;
            }
            Hidden(both)
        });
        LaneScorer {
            hidden: evaluation
                .weights
                .iter()
                .map(|sums| Hidden(sums.hidden))
                .collect(),
            direct: (evaluation.weights.iter())
                .map(|sums| direct(&sums.direct))
                .collect(),
            constant: direct(&evaluation.constant.direct),
            outputs,
            keys: (1..=evaluation.bases() as u64).map(mixed).collect(),
            cells: evaluation.cells.iter().map(direct).collect(),
            has_counts: evaluation.inputs().has_counts(),
            evaluation,
        }
    }

    /// The sums for the state in which no proposition holds.
    pub(in crate::search) fn accumulator(&self) -> Accumulator {
        let constant: &Sums = &self.evaluation.constant;
        let inputs = self.evaluation.inputs();
        let counts = inputs.no_counts();
        let mut direct = self.constant;
        for cell in inputs.tuples().cells_of(counts.contents()) {
            add_direct(&mut direct, &self.cells[cell]);
        }
        Accumulator {
            state: vec![0; self.evaluation.bases().div_ceil(64).max(1)],
            key: 0,
            hidden: Hidden(constant.hidden),
            direct,
            counts,
        }
    }

    /// Brings sums up to date for another packed state.
    pub(in crate::search) fn go_to(&self, sums: &mut Accumulator, state: &[u64]) {
        vectorised(GoTo {
            scorer: self,
            sums,
            state,
        });
    }

    /// Adds the scores of the children of the state that these sums are for.
    pub(in crate::search) fn score_children(
        &self,
        sums: &mut Accumulator,
        children: ChildRows<'_>,
        lists: &mut ChangeLists,
        scores: &mut ChildScores,
    ) {
        vectorised(ScoreChildren {
            scorer: self,
            sums,
            children,
            lists,
            scores,
        });
    }

    /// Adds the keys of the children of the state that these sums are for, without scores.
    pub(in crate::search) fn find_keys(
        &self,
        sums: &Accumulator,
        children: ChildRows<'_>,
        lists: &mut ChangeLists,
        scores: &mut ChildScores,
    ) {
        vectorised(FindKeys {
            scorer: self,
            sums,
            children,
            lists,
            scores,
        });
    }

    /// Adds the weights of a proposition, or takes them away, and those of the patterns and tuples that it changes.
    #[inline(always)]
    fn change(
        &self,
        base: usize,
        holds: bool,
        hidden: &mut Hidden,
        direct: &mut Direct,
        counts: &mut Counts,
    ) {
        self.add(base, holds, hidden, direct);
        if self.has_counts {
            let inputs = self.evaluation.inputs();
            let mut changes = LaneChanges {
                scorer: self,
                hidden,
                direct,
            };
            inputs.toggle(base, holds, counts, &mut changes);
        }
    }

    #[inline(always)]
    fn add(&self, input: usize, is_true: bool, hidden: &mut Hidden, direct: &mut Direct) {
        // Without a branch: what is taken away is added with the other sign.
        let sign = if is_true { 0 } else { -1i16 };
        for (sum, weight) in hidden.0.iter_mut().zip(self.hidden[input].0) {
            *sum = sum.wrapping_add((weight ^ sign).wrapping_sub(sign));
        }
        let sign = i32::from(sign);
        for (sum, weight) in direct.iter_mut().zip(self.direct[input]) {
            *sum = sum.wrapping_add((weight ^ sign).wrapping_sub(sign));
        }
    }

    #[inline(always)]
    fn output(&self, hidden: &Hidden, direct: Direct, mover: u8) -> i32 {
        // With chance, outputs do not depend on the role to move.
        let mover = usize::from(mover % CHANCE);
        let mut products = 0i32;
        for (&sum, &weight) in hidden.0.iter().zip(&self.outputs[mover].0) {
            products += i32::from(sum.clamp(0, ONE)) * i32::from(weight);
        }
        let direct = direct[mover];
        (direct + (products >> (PRODUCT_BITS - DIRECT_BITS))) >> (DIRECT_BITS - LOGIT_BITS)
    }
}

/// Brings sums up to date as inputs change.
struct LaneChanges<'a> {
    scorer: &'a LaneScorer,
    hidden: &'a mut Hidden,
    direct: &'a mut Direct,
}

impl InputObserver for LaneChanges<'_> {
    #[inline(always)]
    fn pattern(&mut self, input: usize, is_true: bool) {
        self.scorer.add(input, is_true, self.hidden, self.direct);
    }

    #[inline(always)]
    fn cell(&mut self, before: usize, after: usize) {
        let cells = &self.scorer.cells;
        subtract_direct(self.direct, &cells[before]);
        add_direct(self.direct, &cells[after]);
    }
}

impl Accumulator {
    /// Becomes the same as another one, in the memory that it has.
    pub(in crate::search) fn copy_from(&mut self, other: &Accumulator) {
        self.state.clone_from(&other.state);
        self.counts.copy_from(&other.counts);
        (self.key, self.hidden, self.direct) = (other.key, other.hidden, other.direct);
    }

    /// Is for another packed state with this key from now on, without the sums: until it becomes the same as another one, it
    /// only serves to [find keys](LaneScorer::find_keys).
    pub(in crate::search) fn set_state(&mut self, state: &[u64], key: u64) {
        self.state.copy_from_slice(state);
        self.key = key;
    }

    /// The packed state.
    pub(in crate::search) fn state(&self) -> &[u64] {
        &self.state
    }

    /// The key of the state.
    pub(in crate::search) fn key(&self) -> u64 {
        self.key
    }
}

/// A number that looks random (the finaliser of SplitMix64: Steele, Lea and Flood, "Fast splittable pseudorandom
/// number generators", 2014).
fn mixed(number: u64) -> u64 {
    let mut mixed = number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ mixed >> 31
}

/// To bring sums up to date.
struct GoTo<'a> {
    scorer: &'a LaneScorer,
    sums: &'a mut Accumulator,
    state: &'a [u64],
}

impl VectorWork for GoTo<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let GoTo {
            scorer,
            sums,
            state,
        } = self;
        let Accumulator {
            state: before,
            key,
            hidden,
            direct,
            counts,
        } = sums;
        for (at, (before, &word)) in before.iter_mut().zip(state).enumerate() {
            let mut changed = *before ^ word;
            *before = word;
            while changed != 0 {
                let bit = changed.trailing_zeros() as usize;
                changed &= changed - 1;
                let base = 64 * at + bit;
                *key ^= scorer.keys[base];
                scorer.change(base, word >> bit & 1 != 0, hidden, direct, counts);
            }
        }
    }
}

/// To score children.
struct ScoreChildren<'a> {
    scorer: &'a LaneScorer,
    sums: &'a mut Accumulator,
    children: ChildRows<'a>,
    lists: &'a mut ChangeLists,
    scores: &'a mut ChildScores,
}

impl VectorWork for ScoreChildren<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let ScoreChildren {
            scorer,
            sums,
            children,
            lists,
            scores,
        } = self;
        lists.read(&sums.state, children);
        let counts = &mut sums.counts;
        let (mut hidden, mut direct) = (sums.hidden, sums.direct);
        scorer.add_keys(sums.key, lists, &mut scores.keys);
        for &change in &lists.common {
            let (base, holds) = unpacked(change);
            scorer.change(base, holds, &mut hidden, &mut direct, counts);
        }
        for (lane, &mover) in children.movers.iter().enumerate() {
            if mover > CHANCE {
                scores.values.push(0);
                continue;
            }
            let changes = lists.of(lane);
            // In copies, which can stay in registers.
            let (mut hidden, mut direct) = (hidden, direct);
            for &change in changes {
                let (base, holds) = unpacked(change);
                scorer.change(base, holds, &mut hidden, &mut direct, counts);
            }
            scores.values.push(scorer.output(&hidden, direct, mover));
            if scorer.has_counts {
                scorer.restore(changes, counts);
            }
        }
        if scorer.has_counts {
            scorer.restore(&lists.common, counts);
        }
    }
}

/// To find the keys of children.
struct FindKeys<'a> {
    scorer: &'a LaneScorer,
    sums: &'a Accumulator,
    children: ChildRows<'a>,
    lists: &'a mut ChangeLists,
    scores: &'a mut ChildScores,
}

impl VectorWork for FindKeys<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        self.lists.read(&self.sums.state, self.children);
        let (key, keys) = (self.sums.key, &mut self.scores.keys);
        self.scorer.add_keys(key, self.lists, keys);
    }
}

impl LaneScorer {
    /// Adds the keys of the children of a state with this key, which have these changes.
    #[inline(always)]
    fn add_keys(&self, key: u64, lists: &ChangeLists, keys: &mut Vec<u64>) {
        let changed = |key: u64, changes: &[u32]| {
            let bases = changes.iter().map(|&change| unpacked(change).0);
            bases.fold(key, |key, base| key ^ self.keys[base])
        };
        let common = changed(key, &lists.common);
        let children = 0..lists.lengths.len();
        keys.extend(children.map(|lane| changed(common, lists.of(lane))));
    }

    /// Takes changes back from the counts.
    #[inline(always)]
    fn restore(&self, changes: &[u32], counts: &mut Counts) {
        for &change in changes {
            let (base, holds) = unpacked(change);
            self.evaluation.inputs().count_base(base, !holds, counts);
        }
    }
}

fn packed(base: usize, holds: bool) -> u32 {
    (base as u32) << 1 | u32::from(holds)
}

#[inline(always)]
fn unpacked(change: u32) -> (usize, bool) {
    ((change >> 1) as usize, change & 1 != 0)
}

impl ChangeLists {
    /// The changes of a child that are not those of all.
    #[inline(always)]
    fn of(&self, lane: usize) -> &[u32] {
        &self.own[lane * self.stride..][..self.lengths[lane] as usize]
    }

    /// Reads in which propositions the children differ from a packed state.
    #[inline(always)]
    fn read(&mut self, state: &[u64], children: ChildRows<'_>) {
        let count = children.movers.len();
        self.stride = self.stride.max(16);
        loop {
            self.common.clear();
            self.lengths.clear();
            self.lengths.resize(count, 0);
            self.own.resize(self.stride * count, 0);
            if self.try_read(state, children) {
                return;
            }
            self.stride *= 2;
        }
    }

    /// Reads the changes. Returns whether there was room for all.
    #[inline(always)]
    fn try_read(&mut self, state: &[u64], children: ChildRows<'_>) -> bool {
        let (count, width) = (children.movers.len(), children.width);
        // Bits beyond the last child are meaningless.
        let last = !0 >> (width * 64 - count);
        for (base, row) in children.rows.chunks_exact(width).enumerate() {
            let held = state[base / 64] >> (base % 64) & 1 != 0;
            let before = if held { !0 } else { 0 };
            let changed = |at: usize| {
                let filled = if at + 1 == width { last } else { !0u64 };
                ((row[at] ^ before) & filled, filled)
            };
            if (0..width).all(|at| changed(at).0 == 0) {
                continue;
            }
            if count > 1 && (0..width).all(|at| changed(at).0 == changed(at).1) {
                self.common.push(packed(base, !held));
                continue;
            }
            for at in 0..width {
                let (mut changed, _) = changed(at);
                while changed != 0 {
                    let lane = 64 * at + changed.trailing_zeros() as usize;
                    changed &= changed - 1;
                    let length = &mut self.lengths[lane];
                    if *length as usize == self.stride {
                        return false;
                    }
                    self.own[lane * self.stride + *length as usize] = packed(base, !held);
                    *length += 1;
                }
            }
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;
    use crate::game::machine::RoleId;
    use crate::search::learned::evaluation::Scorer;
    use crate::search::learned::inputs::{Inputs, Pattern, Tuple};
    use crate::search::learned::weights::{InputWeights, Roles, Weights};

    const BASES: usize = 100;

    fn input() -> impl Strategy<Value = InputWeights> {
        let direct = prop::array::uniform4(-3.0f32..3.0);
        let hidden = prop::array::uniform32(-1.0f32..1.0);
        (direct, hidden).prop_map(|(direct, hidden)| InputWeights { direct, hidden })
    }

    fn words(state: &BTreeSet<usize>) -> Vec<u64> {
        let mut words = vec![0; BASES.div_ceil(64)];
        state
            .iter()
            .for_each(|base| words[base / 64] |= 1 << (base % 64));
        words
    }

    proptest! {
        /// Scores of children are those of their states, by the other way to compute them, and so are keys.
        #[test]
        fn children_have_the_scores_of_their_states(
            parents in prop::collection::vec(prop::collection::btree_set(0..BASES, 0..40), 1..3),
            random in prop::option::of((0u32..3).prop_map(RoleId)),
            changes in prop::collection::vec((0u8..4, prop::collection::vec(0..BASES, 0..20)), 1..140),
            common in prop::collection::vec(0..BASES, 0..3),
            parts in prop::collection::vec(prop::collection::btree_set(0..BASES, 3..6), 0..4),
            tuples in prop::collection::vec(prop::collection::vec(0..BASES / 2, 2..4), 0..8),
            constant in input(),
            weights in prop::collection::vec(input(), 3),
            outputs in prop::array::uniform4(prop::array::uniform32(-3.0f32..3.0)),
        ) {
            let pattern = |parts: BTreeSet<usize>| Pattern {
                parts: parts.into_iter().collect(),
                blockers: vec![0],
            };
            // Places with two propositions each.
            let tuple = |places: Vec<usize>| {
                let places = places.into_iter().map(|place| vec![2 * place, 2 * place + 1]);
                Tuple(places.collect())
            };
            let patterns = parts.into_iter().map(pattern).collect();
            let inputs = Inputs::new(BASES, patterns, tuples.into_iter().map(tuple).collect());
            let inputs = Arc::new(inputs);
            let mut all = weights.iter().cycle();
            let mut next = || *all.next().unwrap();
            let weights = Weights {
                constant,
                inputs: (0..inputs.count()).map(|_| next()).collect(),
                outputs,
                cells: (0..inputs.tuples().cells()).map(|at| next().direct.map(|weight| weight / (1 + at % 7) as f32)).collect(),
            };
            let roles = Roles::new(if random.is_some() { 3 } else { 2 }, random).unwrap();
            let players: Vec<RoleId> = roles.each().collect();
            let evaluation = Arc::new(Evaluation::new(roles, inputs, &weights));
            let scorer = LaneScorer::new(evaluation.clone());
            let mut sums = scorer.accumulator();
            let mut lists = ChangeLists::default();
            for parent in &parents {
                scorer.go_to(&mut sums, &words(parent));
                let children = changes.iter().map(|(_, changes)| {
                    let mut child = parent.clone();
                    for base in changes.iter().chain(&common) {
                        if !child.remove(base) {
                            child.insert(*base);
                        }
                    }
                    child
                });
                let children: Vec<BTreeSet<usize>> = children.collect();
                let width = children.len().div_ceil(64);
                // Bits beyond the last child are anything.
                let mut rows = vec![!0; BASES * width];
                for (lane, child) in children.iter().enumerate() {
                    for base in (0..BASES).filter(|base| !child.contains(base)) {
                        rows[base * width + lane / 64] &= !(1 << (lane % 64));
                    }
                }
                let movers: Vec<u8> = changes.iter().map(|(mover, _)| *mover).collect();
                let rows = ChildRows { rows: &rows, width, movers: &movers };
                let mut scores = ChildScores::default();
                let before = sums.clone();
                scorer.score_children(&mut sums, rows, &mut lists, &mut scores);
                prop_assert_eq!(&before.counts.clone(), &sums.counts);
                let mut keys = ChildScores::default();
                let mut alone = scorer.accumulator();
                alone.set_state(&words(parent), sums.key());
                scorer.find_keys(&alone, rows, &mut lists, &mut keys);
                prop_assert_eq!(&keys.keys, &scores.keys);
                for (lane, child) in children.iter().enumerate() {
                    let mut own = scorer.accumulator();
                    scorer.go_to(&mut own, &words(child));
                    prop_assert_eq!(scores.keys[lane], own.key());
                    if movers[lane] > CHANCE {
                        prop_assert_eq!(scores.values[lane], 0);
                        continue;
                    }
                    let mover = movers[lane];
                    prop_assert_eq!(scores.values[lane], scorer.output(&own.hidden, own.direct, mover));
                    let mut other = Scorer::new(evaluation.clone());
                    let role = *players.get(usize::from(mover)).or(random.as_ref()).unwrap_or(&players[0]);
                    let log_odds = other.log_odds(words(child).into_iter(), role);
                    let [first, second] = [0, 1].map(|player| log_odds[players[player].index()]);
                    let expected = (first - second) / 2.0 * (1 << LOGIT_BITS) as f32;
                    let found = scores.values[lane] as f32;
                    prop_assert!((found - expected).abs() < 8.0, "{} and {}", found, expected);
                }
            }
        }
    }
}
