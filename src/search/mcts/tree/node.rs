//! The nodes of the tree, and what is known of them, in words that all threads may change.
//!
//! Each word by itself is right at any time. That two of them, such as a sum and the number
//! of visits, are of different moments does no harm.

use std::sync::atomic::Ordering;

use super::arena::{Block, get, set};
use super::words::AtomicU64;
use crate::game::machine::RoleId;
use crate::game::machine::expansion::successor::{NodeInfo, Turn};
use crate::search::learned::{Roles, Shares};

/// A node: the block that it is in.
pub(in crate::search::mcts) type NodeId = Block;

/// The least and the most that a role can still get, if all roles play as well as can be.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(in crate::search::mcts) struct Bounds {
    pub low: f32,
    pub high: f32,
}

impl Bounds {
    /// Returns the bounds known at first, by the lowest and the highest goal of each role.
    pub(in crate::search::mcts) fn of_goals(ranges: Vec<(i32, i32)>) -> Box<[Bounds]> {
        let ranges = ranges.into_iter().map(|(low, high)| Bounds {
            low: low as f32,
            high: high as f32,
        });
        ranges.collect()
    }

    /// A value that is known.
    pub(in crate::search::mcts) fn exact(value: f32) -> Bounds {
        Bounds {
            low: value,
            high: value,
        }
    }

    /// Whether the value is known.
    pub(in crate::search::mcts) fn are_exact(self) -> bool {
        is_exact(self.low.into(), self.high.into())
    }

    fn to_word(self) -> u64 {
        u64::from(self.high.to_bits()) << 32 | u64::from(self.low.to_bits())
    }

    fn from_word(word: u64) -> Bounds {
        Bounds {
            low: f32::from_bits(word as u32),
            high: f32::from_bits((word >> 32) as u32),
        }
    }
}

/// The values that each of two to four roles can expect, as shares of the ranges of their goals, in
/// 65,534ths.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::search::mcts) struct Expected([u16; Roles::MOST]);

impl Expected {
    /// Nothing is known yet.
    pub(in crate::search::mcts) const UNKNOWN: Expected = Expected([u16::MAX; Roles::MOST]);

    /// The units of shares: one half is a whole number of them.
    const ONE: f32 = 65_534.0;

    pub(in crate::search::mcts) fn new(shares: Shares) -> Expected {
        Expected(shares.map(|share| (share * Expected::ONE + 0.5) as u16))
    }

    /// Whether something is known.
    pub(in crate::search::mcts) fn is_known(self) -> bool {
        self != Expected::UNKNOWN
    }

    pub(in crate::search::mcts) fn of(self, role: RoleId) -> f32 {
        f32::from(self.0[role.index()]) / Expected::ONE
    }

    pub(in crate::search::mcts) fn to_word(self) -> u64 {
        let [a, b, c, d] = self.0.map(u64::from);
        a | b << 16 | c << 32 | d << 48
    }

    pub(in crate::search::mcts) fn from_word(word: u64) -> Expected {
        Expected([0, 16, 32, 48].map(|shift| (word >> shift) as u16))
    }
}

/// Whether what lies between these is known. Means of goals are compared, hence the tolerance.
pub(in crate::search::mcts) fn is_exact(low: f64, high: f64) -> bool {
    high - low < 1e-4
}

/// The role or roles that decide.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::search::mcts) enum Decider {
    /// No role decides: the match does not continue.
    Nobody,
    /// One role.
    One(RoleId),
    /// Several roles at once.
    Several,
}

/// The depth of a state, and the roles that decide there, in a word with upper 8 bits of 0.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::search::mcts) struct Meta(u64);

/// If no role decides, instead of the role that does: that some goals are not known, and of which roles, a
/// bit each.
const OPEN: u32 = 1 << 23;
/// And that this is as the match was not followed to its end.
const CUT: u32 = 1 << 22;
/// The last of the bits is for all roles that have none of their own.
const LAST_OPEN: u32 = 21;

impl Meta {
    pub(in crate::search::mcts) const WORDS: usize = 1;

    pub(in crate::search::mcts) fn new(info: &NodeInfo) -> Meta {
        let all_open = OPEN | (CUT - 1);
        let decider = match &info.turn {
            Turn::Over(goals) => {
                let open = goals.iter().zip(0..).filter(|(goal, _)| goal.is_none());
                open.fold(0, |bits, (_, role)| bits | OPEN | open_bit(role))
            }
            Turn::Stuck => all_open,
            Turn::Cut => all_open | CUT,
            Turn::Several => 1,
            Turn::One(role) => 2 + role.0,
        };
        Meta(u64::from(info.depth) | u64::from(decider) << 32)
    }

    /// Returns whether, if no role decides, the goal of a role is not known.
    pub(in crate::search::mcts) fn is_open(self, role: RoleId) -> bool {
        let decider = (self.0 >> 32) as u32;
        decider & OPEN != 0 && decider & open_bit(role.0) != 0
    }

    /// Whether the match was not followed to its end.
    pub(in crate::search::mcts) fn is_cut(self) -> bool {
        (self.0 >> 32) as u32 & (OPEN | CUT) == OPEN | CUT
    }

    pub(in crate::search::mcts) fn word(self) -> u64 {
        self.0
    }

    pub(in crate::search::mcts) fn from_word(word: u64) -> Meta {
        Meta(word)
    }

    /// How many joint moves were made before.
    pub(in crate::search::mcts) fn depth(self) -> u32 {
        self.0 as u32
    }

    /// Returns the role that decides, unless several do or none.
    pub(in crate::search::mcts) fn role(self) -> Option<RoleId> {
        match self.decider() {
            Decider::One(role) => Some(role),
            Decider::Several | Decider::Nobody => None,
        }
    }

    pub(in crate::search::mcts) fn decider(self) -> Decider {
        match (self.0 >> 32) as u32 {
            0 | OPEN.. => Decider::Nobody,
            1 => Decider::Several,
            role => Decider::One(RoleId(role - 2)),
        }
    }
}

/// The bit that says that the goal of a role is not known.
fn open_bit(role: u32) -> u32 {
    1 << role.min(LAST_OPEN)
}

/// How far a node is looked into.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::search::mcts) enum Stage {
    /// It is not known what may be played.
    Unexpanded = 0,
    /// A thread is about to find out.
    Expanding = 1,
    /// It is known.
    Expanded = 2,
}

// The words of a node. Sums, bounds and the state follow.
// With two roles, all but the state is in one line of memory.
/// See [`Meta`]; from bit 56 on how often the bounds have changed.
const META: usize = 0;
/// The block with what may be played; from bit 32 on the stage, and from bit 40 on how many
/// words the state has.
const INSIDE: usize = 1;
/// Visits; from bit 40 on evaluations under way that start here.
const COUNTS: usize = 2;
/// The values that the roles can expect, if there are two to four: see [`Expected`].
const EXPECTED: usize = 3;
const SUMS: usize = 4;

const STAGE_SHIFT: u32 = 32;
const STATE_SHIFT: u32 = 40;
/// One change of the bounds.
const CHANGE: u64 = 1 << 56;
/// One evaluation under way.
const PENDING: u64 = 1 << 40;
/// The units of sums.
const UNIT: f32 = (1 << 20) as f32;

/// A node, to read and to change.
#[derive(Clone, Copy, Debug)]
pub(in crate::search::mcts) struct Node<'a> {
    words: &'a [AtomicU64],
    /// The goals that each role can have in the game.
    ranges: &'a [Bounds],
}

impl<'a> Node<'a> {
    /// The node at the start of these words.
    pub(in crate::search::mcts) fn new(words: &'a [AtomicU64], ranges: &'a [Bounds]) -> Node<'a> {
        Node { words, ranges }
    }

    /// How many words a node has.
    pub(in crate::search::mcts) fn words(roles: usize, state: usize) -> usize {
        SUMS + 2 * roles + state
    }

    /// Makes it a node without visits, in which each role can get this.
    pub(in crate::search::mcts) fn init(
        self,
        meta: Meta,
        state: &[u64],
        goal_bounds: impl Fn(RoleId) -> Bounds,
    ) {
        let (sums, rest) = self.words[SUMS..].split_at(self.ranges.len());
        let (bounds, rest) = rest.split_at(self.ranges.len());
        // The bounds known from the start are news to nodes above.
        let mut changes = 0;
        for ((role, word), range) in RoleId::first(self.ranges.len())
            .zip(bounds)
            .zip(self.ranges)
        {
            let bounds = goal_bounds(role);
            set(word, bounds.to_word());
            changes |= if bounds == *range { 0 } else { CHANGE };
        }
        set(&self.words[META], meta.word() | changes);
        set(&self.words[INSIDE], (state.len() as u64) << STATE_SHIFT);
        set(&self.words[COUNTS], 0);
        set(&self.words[EXPECTED], Expected::UNKNOWN.to_word());
        sums.iter().for_each(|sum| set(sum, 0));
        for (word, value) in rest.iter().zip(state) {
            set(word, *value);
        }
    }

    pub(in crate::search::mcts) fn meta(self) -> Meta {
        Meta::from_word(get(&self.words[META]) % CHANGE)
    }

    /// The words of the state.
    pub(in crate::search::mcts) fn state(self) -> impl ExactSizeIterator<Item = u64> + use<'a> {
        let length = (get(&self.words[INSIDE]) >> STATE_SHIFT) as usize;
        let words = &self.words[SUMS + 2 * self.ranges.len()..][..length];
        words.iter().map(get)
    }

    /// Whether these are the words of the state.
    pub(in crate::search::mcts) fn is_state(self, words: &[u64]) -> bool {
        self.state().len() == words.len() && self.state().eq(words.iter().copied())
    }

    /// Returns the stage of its expansion, and the block of its decision.
    pub(in crate::search::mcts) fn inside(self) -> (Stage, Block) {
        let word = self.words[INSIDE].load(Ordering::Acquire);
        let stage = match (word >> STAGE_SHIFT) as u8 {
            0 => Stage::Unexpanded,
            1 => Stage::Expanding,
            _ => Stage::Expanded,
        };
        (stage, Block(word as u32))
    }

    /// Claims the right to find out what may be played; only one thread gets it.
    pub(in crate::search::mcts) fn claim(self) -> bool {
        let free = get(&self.words[INSIDE]) >> STATE_SHIFT << STATE_SHIFT;
        let claimed = free | (Stage::Expanding as u64) << STAGE_SHIFT;
        let word = &self.words[INSIDE];
        word.compare_exchange(free, claimed, Ordering::Relaxed, Ordering::Relaxed)
            .is_ok()
    }

    /// Sets what the thread that claimed the node has found out, which is in the block.
    pub(in crate::search::mcts) fn set_inside(self, stage: Stage, inside: Block) {
        let state = get(&self.words[INSIDE]) >> STATE_SHIFT << STATE_SHIFT;
        let word = state | (stage as u64) << STAGE_SHIFT | u64::from(inside.0);
        self.words[INSIDE].store(word, Ordering::Release);
    }

    /// How many evaluations were made in this node and below.
    pub(in crate::search::mcts) fn visits(self) -> u64 {
        get(&self.words[COUNTS]) % PENDING
    }

    /// Whether evaluations were made or are under way that started here.
    pub(in crate::search::mcts) fn is_touched(self) -> bool {
        get(&self.words[COUNTS]) != 0
    }

    /// An evaluation starts here.
    pub(in crate::search::mcts) fn begin(self) {
        self.words[COUNTS].fetch_add(PENDING, Ordering::Relaxed);
    }

    /// An evaluation that started here ends.
    pub(in crate::search::mcts) fn end(self) {
        self.words[COUNTS].fetch_sub(PENDING, Ordering::Relaxed);
    }

    /// Adds the values that evaluations had for each role.
    pub(in crate::search::mcts) fn add<'v>(
        self,
        evaluations: impl ExactSizeIterator<Item = &'v [f32]> + Clone,
    ) {
        for (role, (sum, range)) in self.words[SUMS..].iter().zip(self.ranges).enumerate() {
            let values = evaluations
                .clone()
                .map(|values| range.to_unit(values[role]) * UNIT);
            sum.fetch_add(values.map(|value| value as u64).sum(), Ordering::Relaxed);
        }
        self.words[COUNTS].fetch_add(evaluations.len() as u64, Ordering::Relaxed);
    }

    /// Returns what the roles can expect by an evaluation of the states below.
    pub(in crate::search::mcts) fn expected(self) -> Expected {
        Expected::from_word(get(&self.words[EXPECTED]))
    }

    /// Sets what the roles can expect.
    pub(in crate::search::mcts) fn expect(self, expected: Expected) {
        set(&self.words[EXPECTED], expected.to_word());
    }

    /// The bounds of what a role can still get.
    pub(in crate::search::mcts) fn bounds(self, role: RoleId) -> Bounds {
        Bounds::from_word(get(self.bounds_word(role)))
    }

    /// Whether it is known what each role gets.
    pub(in crate::search::mcts) fn is_solved(self) -> bool {
        RoleId::first(self.ranges.len()).all(|role| self.bounds(role).are_exact())
    }

    /// A role can get no more and no less than this. Returns whether that is news.
    pub(in crate::search::mcts) fn narrow(self, role: RoleId, bounds: Bounds) -> bool {
        let both = |word| {
            let known = Bounds::from_word(word);
            let low = known.low.max(bounds.low);
            let high = known.high.min(bounds.high).max(low);
            let both = Bounds { low, high }.to_word();
            (both != word).then_some(both)
        };
        let word = self.bounds_word(role);
        let changed = word.fetch_update(Ordering::Relaxed, Ordering::Relaxed, both);
        if changed.is_ok() {
            // A thread that sees this sees the bounds, too, and need not look again.
            self.words[META].fetch_add(CHANGE, Ordering::Release);
        }
        changed.is_ok()
    }

    /// Forgets all that is proved except this.
    pub(in crate::search::mcts) fn reset(self, goal_bounds: impl Fn(RoleId) -> Bounds) {
        for role in RoleId::first(self.ranges.len()) {
            set(self.bounds_word(role), goal_bounds(role).to_word());
        }
    }

    /// How often the bounds have changed, modulo 256.
    pub(in crate::search::mcts) fn changes(self) -> u8 {
        (self.words[META].load(Ordering::Acquire) / CHANGE) as u8
    }

    /// The mean of a role's evaluations within what it can still get; none without visits,
    /// unless the value is known.
    pub(in crate::search::mcts) fn mean(self, role: RoleId) -> Option<f32> {
        let Bounds { low, high } = self.bounds(role);
        let range = self.ranges[role.index()];
        match self.visits() {
            0 => self.bounds(role).are_exact().then_some(low),
            visits => {
                let mean = self.mean_of(role, visits);
                let mean = range.low + mean * (range.high - range.low);
                Some(mean.clamp(low, high))
            }
        }
    }

    /// As [`mean`](Node::mean), as a share of the range of the role's goals; 0 if there is none.
    pub(in crate::search::mcts) fn mean_in_units(self, role: RoleId) -> f32 {
        let (bounds, range) = (self.bounds(role), self.ranges[role.index()]);
        match self.visits() {
            0 if bounds.are_exact() => range.to_unit(bounds.low),
            0 => 0.0,
            visits if bounds == range => self.mean_of(role, visits),
            visits => {
                let (low, high) = (range.to_unit(bounds.low), range.to_unit(bounds.high));
                self.mean_of(role, visits).clamp(low, high)
            }
        }
    }

    /// Returns the mean of a role's `visits` evaluations, as a share of the range of its goals.
    fn mean_of(self, role: RoleId, visits: u64) -> f32 {
        let sum = get(&self.words[SUMS + role.index()]) as f64;
        (sum / (f64::from(UNIT) * visits as f64)) as f32
    }

    fn bounds_word(self, role: RoleId) -> &'a AtomicU64 {
        &self.words[SUMS + self.ranges.len() + role.index()]
    }
}

impl Bounds {
    /// A value as a share of this range.
    pub(in crate::search::mcts) fn to_unit(self, value: f32) -> f32 {
        let width = self.high - self.low;
        if width > 0.0 {
            (value - self.low) / width
        } else {
            0.0
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Any expectation fits a word, and is known whatever it is.
        #[test]
        fn expected_shares_are_kept(shares in prop::array::uniform4(0.0f32..=1.0)) {
            let expected = Expected::new(shares);
            prop_assert!(expected.is_known());
            prop_assert_eq!(Expected::from_word(expected.to_word()), expected);
            for (role, share) in RoleId::first(4).zip(shares) {
                prop_assert!((expected.of(role) - share).abs() < 1e-5);
            }
        }
    }

    #[test]
    fn proved_shares_are_exact() {
        let shares = [0.0, 0.5, 1.0, 0.0];
        let expected = Expected::new(shares);
        assert_eq!(
            RoleId::first(4)
                .map(|role| expected.of(role))
                .collect::<Vec<_>>(),
            shares
        );
        assert!(!Expected::from_word(Expected::UNKNOWN.to_word()).is_known());
    }
}
