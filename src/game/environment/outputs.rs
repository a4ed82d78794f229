//! Output arrays of environments.

use propjit_jit::lanes::transpose::column_words;
use propjit_jit::lanes::unpack::{to_bytes, to_floats};

use super::packed::to_packed;
use super::shape::Shape;

/// Arrays of the caller, which receive the outputs of each environment, one environment after the
/// other.
///
/// With `n` environments, `p` [players](Shape::players), `a` [actions](Shape::actions), `k` [actors](Shape::actors) and
/// `o` [observers](Shape::observers):
#[derive(Debug)]
pub struct Outputs<'a> {
    /// What the current player observes, or each of several observers: `n * o` observations. Where several players have
    /// a choice though there is one observer, or none has one since the match is over, it is the first player's.
    pub observation: Observation<'a>,
    /// Whether each action is legal, 1 or 0: `n * k * a`.
    pub legal: &'a mut [u8],
    /// The number of legal actions: `n * k`.
    pub legal_counts: &'a mut [i32],
    /// The number of the player that has a choice, [`SEVERAL`] if several have, and [`OVER`] where a match is over
    /// and not followed by another one yet: `n`.
    pub current: &'a mut [i32],
    /// The rewards of the players where a match ended with the last step in a terminal state, not a number where a goal
    /// is undefined, and zero elsewhere: `n * p`.
    pub rewards: &'a mut [f32],
    /// Whether a match ended with the last step in a terminal state, 1 or 0: `n`.
    pub terminated: &'a mut [u8],
    /// Whether a match was truncated with the last step, because it was too long or a role had no
    /// legal move, 1 or 0: `n`.
    pub truncated: &'a mut [u8],
    /// The last states of matches that ended with the last step, if the environments
    /// [keep them](super::EnvironmentConfig::finals).
    pub finals: Option<Finals<'a>>,
}

/// Arrays about the last states of matches, shaped like those in [`Outputs`]. They are written only where a match ended
/// with the last step and another one follows at once, and keep what they had elsewhere.
#[derive(Debug)]
pub struct Finals<'a> {
    /// What is observed: `n * o` observations.
    pub observation: Observation<'a>,
    /// Whether each action is legal, 1 or 0, none in a terminal state: `n * k * a`.
    pub legal: &'a mut [u8],
    /// The number of the player that has a choice, [`SEVERAL`] or, in a terminal state, [`OVER`]: `n`.
    pub current: &'a mut [i32],
}

/// The current player where several have a choice.
pub const SEVERAL: i32 = -1;

/// The current player where a match is over and not followed by another one.
pub const OVER: i32 = -2;

/// The elements of each observation, in one of several forms.
#[derive(Debug)]
pub enum Observation<'a> {
    /// A bit each, the lowest of a byte first; each observation starts with a byte.
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

    /// Returns the number of items that an observation has.
    fn width(&self, elements: usize) -> usize {
        match self {
            Observation::Bits(_) => elements.div_ceil(8),
            Observation::Bytes(_) | Observation::Floats(_) => elements,
        }
    }

    /// Writes observations with this number of elements. Each has as many words as these need, in which bit `i % 64` of
    /// word `i / 64` is element `i`.
    ///
    /// # Panics
    /// If there are not as many observations as there is room for.
    pub fn write(&mut self, elements: usize, observations: &[u64]) {
        self.write_sets(elements, &[observations]);
    }

    /// Writes the observations of several observers: the first ones of all of them, then the second ones, and so on.
    pub(super) fn write_sets(&mut self, elements: usize, sets: &[&[u64]]) {
        if elements == 0 {
            return;
        }
        match self {
            Observation::Bits(bits) => {
                let (words, width) = (column_words(elements), elements.div_ceil(8));
                for (number, set) in sets.iter().enumerate() {
                    let places = bits
                        .chunks_exact_mut(width)
                        .skip(number)
                        .step_by(sets.len());
                    let columns = set.chunks_exact(words).zip(places);
                    columns.for_each(|(column, bits)| to_packed(column, bits));
                }
            }
            Observation::Bytes(bytes) => to_bytes(sets, elements, bytes),
            Observation::Floats(floats) => to_floats(sets, elements, floats),
        }
    }

    /// Returns the place of one observation.
    fn one(&mut self, number: usize, elements: usize) -> Observation<'_> {
        let width = self.width(elements);
        let place = number * width..(number + 1) * width;
        match self {
            Observation::Bits(bits) => Observation::Bits(&mut bits[place]),
            Observation::Bytes(bytes) => Observation::Bytes(&mut bytes[place]),
            Observation::Floats(floats) => Observation::Floats(&mut floats[place]),
        }
    }
}

impl<'a> Observation<'a> {
    /// Splits off the arrays of the first `count` observations, which must exist.
    fn split_off(&mut self, count: usize, elements: usize) -> Observation<'a> {
        let length = count * self.width(elements);
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

impl<'a> Finals<'a> {
    /// Returns the same arrays, borrowed for a shorter time.
    fn reborrow(&mut self) -> Finals<'_> {
        Finals {
            observation: self.observation.reborrow(),
            legal: self.legal,
            current: self.current,
        }
    }

    /// Splits off the arrays of the first `count` environments, which must exist.
    fn split_off(&mut self, count: usize, shape: &Shape) -> Finals<'a> {
        Finals {
            observation: (self.observation).split_off(count * shape.observers(), shape.elements),
            legal: first(&mut self.legal, count * shape.actors() * shape.actions),
            current: first(&mut self.current, count),
        }
    }

    /// Writes what is observed in an environment: the words of each observer.
    pub(super) fn write_observation<'b>(
        &mut self,
        shape: &Shape,
        environment: usize,
        observations: impl Iterator<Item = &'b [u64]>,
    ) {
        for (observer, words) in observations.enumerate() {
            let number = environment * shape.observers() + observer;
            self.observation
                .one(number, shape.elements)
                .write(shape.elements, words);
        }
    }
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
            finals: self.finals.as_mut().map(Finals::reborrow),
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
        let observations = n * shape.observers();
        let expected = [
            observations * self.observation.width(shape.elements),
            n * actors * shape.actions,
            n * actors,
            n,
            n * shape.players.len(),
            n,
            n,
        ];
        assert_eq!(lengths, expected, "arrays for {n} environments");
        if let Some(finals) = &self.finals {
            let lengths = [
                finals.observation.len(),
                finals.legal.len(),
                finals.current.len(),
            ];
            let width = finals.observation.width(shape.elements);
            let expected = [observations * width, expected[1], n];
            assert_eq!(
                lengths, expected,
                "arrays for the last states of {n} environments"
            );
        }
    }

    /// Splits off the arrays of the first `count` environments, which must exist.
    pub(super) fn split_off(&mut self, count: usize, shape: &Shape) -> Outputs<'a> {
        let (actors, players) = (shape.actors(), shape.players.len());
        Outputs {
            observation: (self.observation).split_off(count * shape.observers(), shape.elements),
            legal: first(&mut self.legal, count * actors * shape.actions),
            legal_counts: first(&mut self.legal_counts, count * actors),
            current: first(&mut self.current, count),
            rewards: first(&mut self.rewards, count * players),
            terminated: first(&mut self.terminated, count),
            truncated: first(&mut self.truncated, count),
            finals: self
                .finals
                .as_mut()
                .map(|finals| finals.split_off(count, shape)),
        }
    }
}
