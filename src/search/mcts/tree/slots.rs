//! Edge slots: what the edges of a decision lead to, that is its depth and the roles that decide there, and
//! the state, or the goals if the match goes on no further.
//!
//! States that follow from one state are alike. If they have many words, one is written whole, and of each
//! other one the words that differ: in hex, with states of 110 words and a hundred successors, that takes a
//! tenth of the memory.

use super::arena::{get, set};
use super::node::Meta;
use super::words::AtomicU64;
use crate::game::machine::State;
use crate::game::machine::expansion::successor::{NodeInfo, Siblings, Turn};
use crate::game::vocabulary::state::ones;

/// States of fewer words are all written whole.
const MANY_WORDS: usize = 6;

/// How many words are compared at a time.
const COMPARED: usize = 8;

/// In a form that is written as a number: states are not whole.
const ALIKE: u32 = 1 << 22;

/// How states are written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Form {
    /// Whole. Each edge has this many words.
    Whole(usize),
    /// By what differs from the state that is written first, which has this many words. What each edge
    /// leads to has the length that it takes.
    Alike(usize),
}

/// The plan of the slots of some edges.
pub(in crate::search::mcts) struct SlotPlan {
    form: Form,
    /// The state that others are compared with, as a place; none if the match is over behind all edges.
    first: Option<usize>,
    /// The words in which states differ from that one, one state after the other.
    differing: Vec<u32>,
    /// For each edge, how many words there are up to the end of its slot.
    ends: Vec<usize>,
}

/// The slots of some edges.
#[derive(Clone, Copy, Debug)]
pub(in crate::search::mcts) struct Slots<'a> {
    form: Form,
    edges: usize,
    words: &'a [AtomicU64],
}

impl Form {
    /// Returns the number of words for `edges` edges, with `slots` words of slots in all if these have the
    /// lengths that they take.
    fn words(self, edges: usize, slots: impl FnOnce() -> usize) -> usize {
        match self {
            Form::Whole(each) => edges * each,
            Form::Alike(state) => edges.div_ceil(2) + state + slots(),
        }
    }

    /// A number of 23 bits.
    fn number(self) -> u32 {
        match self {
            Form::Whole(each) => each as u32,
            Form::Alike(state) => ALIKE | state as u32,
        }
    }

    fn from_number(number: u32) -> Form {
        let words = (number % ALIKE) as usize;
        match number & ALIKE {
            0 => Form::Whole(words),
            _ => Form::Alike(words),
        }
    }
}

impl SlotPlan {
    /// Plans the slots for edges that lead there, in a game with `roles` roles.
    pub(in crate::search::mcts) fn new(found: Siblings<'_>, roles: usize) -> SlotPlan {
        let (edges, state, goals) = (found.infos.len(), found.words(), roles.div_ceil(2));
        let whole = SlotPlan {
            form: Form::Whole(Meta::WORDS + state.max(goals)),
            first: None,
            differing: Vec::new(),
            ends: Vec::new(),
        };
        if state < MANY_WORDS {
            return whole;
        }
        let alike = SlotPlan::alike(found, goals);
        match alike.words(edges) < whole.words(edges) {
            true => alike,
            false => whole,
        }
    }

    /// Plans states by what differs from the first one; goals have `goals` words.
    fn alike(found: Siblings<'_>, goals: usize) -> SlotPlan {
        let is_over = |info: &NodeInfo| info.turn.is_end();
        let first = found.infos.iter().position(|info| !is_over(info));
        let which = found.words().div_ceil(64);
        let mut differing = Vec::new();
        let mut words = 0;
        let ends = found.infos.iter().enumerate().map(|(place, info)| {
            words += Meta::WORDS;
            words += match first.filter(|_| !is_over(info)) {
                None => goals,
                Some(first) => {
                    let before = differing.len();
                    add_differing(found.state(first), found.state(place), &mut differing);
                    which + differing.len() - before
                }
            };
            words
        });
        SlotPlan {
            form: Form::Alike(found.words()),
            first,
            ends: ends.collect(),
            differing,
        }
    }

    /// Returns the number of words for `edges` edges.
    pub(in crate::search::mcts) fn words(&self, edges: usize) -> usize {
        (self.form).words(edges, || self.ends.last().map_or(0, |&words| words))
    }

    /// The form as a number of 23 bits, with which [`Slots`] can be read.
    pub(in crate::search::mcts) fn number(&self) -> u32 {
        self.form.number()
    }

    /// Writes what the edges lead to.
    pub(in crate::search::mcts) fn write(&self, words: &[AtomicU64], found: Siblings<'_>) {
        let edges = found.infos.len();
        if let Form::Alike(state) = self.form {
            let (ends, rest) = words.split_at(edges.div_ceil(2));
            for (word, pair) in ends.iter().zip(self.ends.chunks(2)) {
                let end = |at: usize| pair.get(at).map_or(0, |&end| end as u64);
                set(word, end(1) << 32 | end(0));
            }
            if let Some(place) = self.first {
                write(&rest[..state], found.state(place));
            }
        }
        let slots = Slots::new(self.number(), edges, words);
        let mut left = &self.differing[..];
        for (place, info) in found.infos.iter().enumerate() {
            let (meta, rest) = slots.slot(place).split_at(Meta::WORDS);
            set(&meta[0], Meta::new(info).word());
            match (&info.turn, self.form) {
                (Turn::Over(goals), _) => write_goals(rest, goals),
                (turn, _) if turn.is_end() => write_goals(rest, &[]),
                (_, Form::Whole(_)) => write(rest, found.state(place)),
                (_, Form::Alike(state)) => {
                    let (which, own) = rest.split_at(state.div_ceil(64));
                    let (differing, after) = left.split_at(own.len());
                    write_differing(which, own, found.state(place), differing);
                    left = after;
                }
            }
        }
    }
}

impl<'a> Slots<'a> {
    /// Reads what `edges` edges lead to, which was written at the start of these words in the form with
    /// this number.
    pub(in crate::search::mcts) fn new(
        number: u32,
        edges: usize,
        words: &'a [AtomicU64],
    ) -> Slots<'a> {
        Slots {
            form: Form::from_number(number),
            edges,
            words,
        }
    }

    /// How many words there are.
    pub(in crate::search::mcts) fn words(self) -> usize {
        let slots = || self.edges.checked_sub(1).map_or(0, |last| self.end(last));
        self.form.words(self.edges, slots)
    }

    /// The state that an edge leads to, if the match is not over there.
    pub(in crate::search::mcts) fn state(self, place: usize, state: &mut State) -> Meta {
        let (meta, rest) = self.slot(place).split_at(Meta::WORDS);
        match self.form {
            Form::Whole(_) => state.assign_from(rest.iter().map(get)),
            Form::Alike(words) => {
                let first = &self.words[self.edges.div_ceil(2)..][..words];
                let (which, own) = rest.split_at(words.div_ceil(64));
                state.assign_from(first.iter().map(get));
                state.replace(ones(which.iter().map(get)).zip(own.iter().map(get)));
            }
        }
        Meta::from_word(get(&meta[0]))
    }

    /// Returns the depth of what an edge leads to, and the roles that decide there.
    pub(in crate::search::mcts) fn meta(self, place: usize) -> Meta {
        Meta::from_word(get(&self.slot(place)[0]))
    }

    /// The goal that a role has behind an edge where the match is over, if it has exactly one.
    pub(in crate::search::mcts) fn goal(self, place: usize, role: usize) -> f32 {
        let pair = get(&self.slot(place)[Meta::WORDS + role / 2]);
        f32::from_bits((pair >> (32 * (role % 2))) as u32)
    }

    fn slot(self, place: usize) -> &'a [AtomicU64] {
        match self.form {
            Form::Whole(each) => &self.words[place * each..][..each],
            Form::Alike(state) => {
                let start = place.checked_sub(1).map_or(0, |before| self.end(before));
                let slots = &self.words[self.edges.div_ceil(2) + state..];
                &slots[start..self.end(place)]
            }
        }
    }

    /// Returns the end of the slot of an edge, if they have the lengths that they take.
    fn end(self, place: usize) -> usize {
        (get(&self.words[place / 2]) >> (32 * (place % 2))) as u32 as usize
    }
}

/// Adds the places of the words in which a state differs from another one.
fn add_differing(from: &[u64], state: &[u64], differing: &mut Vec<u32>) {
    let mut add = |from: &[u64], state: &[u64], start: usize| {
        let pairs = from.iter().zip(state).zip(start as u32..);
        differing.extend(pairs.filter_map(|((from, word), at)| (from != word).then_some(at)));
    };
    let (parts, rest) = from.as_chunks::<COMPARED>();
    let (own_parts, own_rest) = state.as_chunks::<COMPARED>();
    for ((from, state), start) in parts.iter().zip(own_parts).zip((0..).step_by(COMPARED)) {
        // There are no branches, so that it is vectorised.
        let differ = from
            .iter()
            .zip(state)
            .fold(0, |differ, (from, word)| differ | from ^ word);
        if differ != 0 {
            add(from, state, start);
        }
    }
    add(rest, own_rest, COMPARED * parts.len());
}

/// Writes these values, and 0 in what is left of the words.
fn write(words: &[AtomicU64], values: &[u64]) {
    let values = values.iter().copied().chain(std::iter::repeat(0));
    words
        .iter()
        .zip(values)
        .for_each(|(word, value)| set(word, value));
}

/// Writes goals, two in a word.
fn write_goals(words: &[AtomicU64], goals: &[Option<i32>]) {
    for (word, pair) in words.iter().zip(goals.chunks(2)) {
        let goal = |at: usize| pair.get(at).copied().flatten();
        let bits = |at: usize| goal(at).map_or(0, |goal| (goal as f32).to_bits());
        set(word, u64::from(bits(1)) << 32 | u64::from(bits(0)));
    }
}

/// Writes at which of these places, ascending, a state has words of its own, a bit for each, and then these words.
fn write_differing(which: &[AtomicU64], own: &[AtomicU64], state: &[u64], differing: &[u32]) {
    let mut left = differing;
    for (word, end) in which.iter().zip((64..).step_by(64)) {
        let (here, after) = left.split_at(left.partition_point(|&at| at < end));
        set(word, here.iter().fold(0, |bits, at| bits | 1 << (at % 64)));
        left = after;
    }
    for (word, &at) in own.iter().zip(differing) {
        set(word, state[at as usize]);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::game::machine::RoleId;
    use crate::game::machine::expansion::successor::Successors;

    proptest! {
        /// States and goals are read as they were written, however much states differ.
        #[test]
        fn what_was_written_is_read(
            roles in 1usize..=4,
            from in prop::collection::vec(any::<u64>(), 1..150),
            edges in prop::collection::vec(
                (prop::bool::weighted(0.2), prop::collection::vec((0usize..150, any::<u64>()), 0..12)),
                1..20,
            ),
        ) {
            let goals: Box<[Option<i32>]> = (0..roles).map(|role| Some(role as i32 - 1)).collect();
            let mut found = Successors::default();
            for (depth, (is_over, changes)) in (3..).zip(&edges) {
                let mut state = from.clone();
                changes.iter().for_each(|(at, word)| state[at % from.len()] ^= word);
                let turn = if *is_over { Turn::Over(goals.clone()) } else { Turn::One(RoleId(1)) };
                found.extend(&state, [NodeInfo { depth, turn }]);
            }
            let found = found.all();
            let plan = SlotPlan::new(found, roles);
            let whole = edges.len() * (Meta::WORDS + from.len().max(roles.div_ceil(2)));
            prop_assert!(plan.words(edges.len()) <= whole);
            let words: Vec<AtomicU64> = (0..plan.words(edges.len())).map(|_| AtomicU64::new(!0)).collect();
            plan.write(&words, found);
            let slots = Slots::new(plan.number(), edges.len(), &words);
            prop_assert_eq!(slots.words(), words.len());
            for (place, info) in found.infos.iter().enumerate() {
                if matches!(info.turn, Turn::Over(_)) {
                    let read = (0..roles).map(|role| Some(slots.goal(place, role) as i32));
                    let read: Vec<Option<i32>> = read.collect();
                    prop_assert_eq!(&read[..], &goals[..]);
                } else {
                    let mut state = State::new();
                    prop_assert_eq!(slots.state(place, &mut state), Meta::new(info));
                    prop_assert_eq!(state, found.to_state(place));
                }
            }
        }
    }

    /// Successors of large states that differ in one word take a few words each.
    #[test]
    fn large_states_that_are_alike_take_little() {
        let mut found = Successors::default();
        for place in 0..100 {
            let mut state = [7; 110];
            state[place] = 8;
            let turn = Turn::One(RoleId(0));
            found.extend(&state, [NodeInfo { depth: 1, turn }]);
        }
        // Two that differ from the first one, which of the 110 these are, and the depth.
        let most = 50 + 110 + 100 * (2 + 2 + 1);
        assert!(SlotPlan::new(found.all(), 2).words(100) <= most);
    }
}
