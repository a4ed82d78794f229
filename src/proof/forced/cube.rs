//! Cubes: sets of states that agree on some base propositions.

use crate::game::ground::Literal;
use crate::game::vocabulary::state::ones;

/// The states in which some base propositions have given values: those of one
/// [phase](crate::game::ground::Phases), as words of packed [states](crate::game::machine::State).
///
/// A *win cube* promises that the role of the target can force it from every state in it, in at
/// most [`depth`](Cube::depth) joint moves; a *fail cube*, that it can force it from none of them
/// in that many.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Cube {
    /// The propositions that are given, and then, in as many words, those of them that hold.
    words: Box<[u64]>,
    won: bool,
    depth: u32,
    played: u32,
}

impl Cube {
    /// The depth of a fail cube for any number of joint moves.
    pub const ANY: u32 = u32::MAX;

    /// The states that agree with this one on the propositions of a mask. By the joint move with
    /// number `played` in its phase, the role wins.
    pub(super) fn new(mask: &[u64], state: &[u64], won: bool, depth: u32, played: u32) -> Cube {
        let values = mask.iter().zip(state).map(|(mask, state)| mask & state);
        Cube {
            words: mask.iter().copied().chain(values).collect(),
            won,
            depth,
            played,
        }
    }

    /// Returns the win cube of the states that agree on these literals, packed in `words` words.
    pub(super) fn win(literals: &[Literal], words: usize, depth: u32) -> Cube {
        let (mut mask, mut values) = (vec![0; words], vec![0; words]);
        for literal in literals {
            let (word, bit) = (literal.proposition / 64, literal.proposition % 64);
            mask[word] |= 1 << bit;
            values[word] |= u64::from(literal.value) << bit;
        }
        Cube::new(&mask, &values, true, depth, 0)
    }

    /// Whether it is a win cube.
    pub fn won(&self) -> bool {
        self.won
    }

    /// The number of joint moves: see [`Cube`].
    pub fn depth(&self) -> u32 {
        self.depth
    }

    /// In a win cube, the number of the joint move by which the role wins.
    pub(super) fn played(&self) -> u32 {
        self.played
    }

    /// The propositions that are given.
    pub fn mask(&self) -> &[u64] {
        self.words.split_at(self.words.len() / 2).0
    }

    /// Those of them that hold.
    pub fn values(&self) -> &[u64] {
        self.words.split_at(self.words.len() / 2).1
    }

    /// Whether the state is one of them.
    pub fn contains(&self, state: &[u64]) -> bool {
        let given = self.mask().iter().zip(self.values()).zip(state);
        let different = given.fold(0, |different, ((mask, values), state)| {
            different | ((state & mask) ^ values)
        });
        different == 0
    }

    /// Returns whether the other cube, with states that are all in this one, says nothing that this one
    /// does not say.
    pub(super) fn is_at_least(&self, other: &Cube) -> bool {
        match self.won {
            true => self.depth <= other.depth,
            false => self.depth >= other.depth,
        }
    }

    /// The literals that the states agree on.
    pub fn given(&self) -> impl Iterator<Item = Literal> {
        let value = |at: usize| self.values()[at / 64] >> (at % 64) & 1 == 1;
        ones(self.mask().iter().copied()).map(move |at| Literal::new(at, value(at)))
    }

    /// The number of propositions that are given.
    pub fn literals(&self) -> usize {
        count(self.mask())
    }
}

/// The number of bits that are set.
fn count(words: &[u64]) -> usize {
    words.iter().map(|word| word.count_ones() as usize).sum()
}
