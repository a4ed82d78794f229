//! Output arrays of environments.

use propjit_jit::lanes::transpose::column_words;
use propjit_jit::lanes::unpack::to_bytes;

use super::shape::Shape;
use super::unpack::{to_floats, to_packed};

/// Arrays of the caller, which receive the outputs of each environment, one environment after the
/// other.
///
/// With `n` environments, `p` [players](Shape::players), `a` [actions](Shape::actions) and as many
/// [actors](Shape::actors) `k`:
#[derive(Debug)]
pub struct Outputs<'a> {
    /// The state.
    pub observation: Observation<'a>,
    /// Whether each action is legal, 1 or 0: `n * k * a`.
    pub legal: &'a mut [u8],
    /// The number of legal actions: `n * k`.
    pub legal_counts: &'a mut [i32],
    /// The number of the player with a choice, the first player if none has one, and -1 if several
    /// have: `n`.
    pub current: &'a mut [i32],
    /// The goals of the players where a match ended with the last step in a terminal state, not a
    /// number where a goal is undefined, and zero elsewhere: `n * p`.
    pub rewards: &'a mut [f32],
    /// Whether a match ended with the last step in a terminal state, 1 or 0: `n`.
    pub terminated: &'a mut [u8],
    /// Whether a match was truncated with the last step, because it was too long or a role had no
    /// legal move, 1 or 0: `n`.
    pub truncated: &'a mut [u8],
}

/// The base propositions of each environment, in one of several forms.
#[derive(Debug)]
pub enum Observation<'a> {
    /// A bit each, the lowest of a byte first; each environment starts with a byte.
    Bits(&'a mut [u8]),
    /// A byte each, 1 or 0.
    Bytes(&'a mut [u8]),
    /// A number each, 1 or 0.
    Floats(&'a mut [f32]),
}

impl Observation<'_> {
    fn reborrow(&mut self) -> Observation<'_> {
        match self {
            Observation::Bits(bits) => Observation::Bits(bits),
            Observation::Bytes(bytes) => Observation::Bytes(bytes),
            Observation::Floats(floats) => Observation::Floats(floats),
        }
    }

    /// Returns the number of elements.
    fn len(&self) -> usize {
        match self {
            Observation::Bits(bits) => bits.len(),
            Observation::Bytes(bytes) => bytes.len(),
            Observation::Floats(floats) => floats.len(),
        }
    }

    /// Returns the number of elements that an environment has.
    fn width(&self, propositions: usize) -> usize {
        match self {
            Observation::Bits(_) => propositions.div_ceil(8),
            Observation::Bytes(_) | Observation::Floats(_) => propositions,
        }
    }

    /// Writes states of a game with `propositions` base propositions. Each has as many words as
    /// these need, in which bit `i % 64` of word `i / 64` is proposition `i`.
    ///
    /// # Panics
    /// If there are not as many observations as states.
    pub fn write(&mut self, propositions: usize, states: &[u64]) {
        if propositions == 0 {
            return;
        }
        let width = self.width(propositions);
        let words = column_words(propositions);
        let each = states.chunks_exact(words);
        match self {
            Observation::Bits(bits) => {
                let places = each.zip(bits.chunks_exact_mut(width));
                places.for_each(|(state, bits)| to_packed(state, bits));
            }
            Observation::Bytes(bytes) => {
                to_bytes(&[states], propositions, bytes);
            }
            Observation::Floats(floats) => {
                let places = each.zip(floats.chunks_exact_mut(width));
                places.for_each(|(state, floats)| to_floats(state, floats));
            }
        }
    }
}

impl<'a> Observation<'a> {
    /// Splits off the arrays of the first `count` environments, which must exist.
    fn split_off(&mut self, count: usize, propositions: usize) -> Observation<'a> {
        let length = count * self.width(propositions);
        match self {
            Observation::Bits(bits) => Observation::Bits(first(bits, length)),
            Observation::Bytes(bytes) => Observation::Bytes(first(bytes, length)),
            Observation::Floats(floats) => Observation::Floats(first(floats, length)),
        }
    }
}

/// Splits off and returns the first `length` elements.
fn first<'a, T>(all: &mut &'a mut [T], length: usize) -> &'a mut [T] {
    let first = all.split_off_mut(..length);
    first.expect("lengths are checked beforehand")
}

impl<'a> Outputs<'a> {
    /// Returns the same arrays, borrowed for a shorter time.
    pub fn reborrow(&mut self) -> Outputs<'_> {
        Outputs {
            observation: self.observation.reborrow(),
            legal: self.legal,
            legal_counts: self.legal_counts,
            current: self.current,
            rewards: self.rewards,
            terminated: self.terminated,
            truncated: self.truncated,
        }
    }

    /// # Panics
    /// If the arrays do not have the lengths described.
    pub(super) fn check(&self, shape: &Shape) {
        let (n, actors) = (shape.environments, shape.actors());
        let lengths = [
            self.observation.len(),
            self.legal.len(),
            self.legal_counts.len(),
            self.current.len(),
            self.rewards.len(),
            self.terminated.len(),
            self.truncated.len(),
        ];
        let expected = [
            n * self.observation.width(shape.propositions),
            n * actors * shape.actions,
            n * actors,
            n,
            n * shape.players.len(),
            n,
            n,
        ];
        assert_eq!(lengths, expected, "arrays for {n} environments");
    }

    /// Splits off the arrays of the first `count` environments, which must exist.
    pub(super) fn split_off(&mut self, count: usize, shape: &Shape) -> Outputs<'a> {
        let (actors, players) = (shape.actors(), shape.players.len());
        Outputs {
            observation: self.observation.split_off(count, shape.propositions),
            legal: first(&mut self.legal, count * actors * shape.actions),
            legal_counts: first(&mut self.legal_counts, count * actors),
            current: first(&mut self.current, count),
            rewards: first(&mut self.rewards, count * players),
            terminated: first(&mut self.terminated, count),
            truncated: first(&mut self.truncated, count),
        }
    }
}
