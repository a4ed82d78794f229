//! Features of a state: its propositions, and pairs of them.

use crate::state::ones;

/// What an evaluation looks at. A state has a feature or not. Features are numbered: first come
/// the base propositions, then pairs of these, which a state has if both hold.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Features {
    bases: usize,
    /// Two propositions each, ascending.
    pairs: Vec<[u32; 2]>,
    /// The pairs by either of their propositions.
    partners: Vec<Partner>,
    /// For each proposition where its partners start, and last where they end.
    starts: Vec<u32>,
}

/// A pair that a proposition is in.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Partner {
    /// The other proposition.
    pub other: u32,
    /// The number of the pair as a feature.
    pub feature: u32,
}

impl Features {
    /// This number of propositions, and pairs of different ones, ascending.
    ///
    /// # Panics
    /// If there are no such propositions.
    pub fn new(bases: usize, pairs: Vec<[u32; 2]>) -> Features {
        let mut starts = vec![0; bases + 1];
        for &base in pairs.iter().flatten() {
            starts[base as usize + 1] += 1;
        }
        for base in 0..bases {
            starts[base + 1] += starts[base];
        }
        let mut ends = starts.clone();
        let mut partners = vec![Partner::default(); 2 * pairs.len()];
        for (&[a, b], feature) in pairs.iter().zip(bases as u32..) {
            for (base, other) in [(a, b), (b, a)] {
                let end = &mut ends[base as usize];
                partners[*end as usize] = Partner { other, feature };
                *end += 1;
            }
        }
        Features {
            bases,
            pairs,
            partners,
            starts,
        }
    }

    /// The number of propositions.
    pub fn bases(&self) -> usize {
        self.bases
    }

    /// The pairs.
    pub fn pairs(&self) -> &[[u32; 2]] {
        &self.pairs
    }

    /// The number of features.
    pub fn len(&self) -> usize {
        self.bases + self.pairs.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The propositions of a feature: one or two.
    pub fn propositions(&self, feature: usize) -> Vec<usize> {
        match feature.checked_sub(self.bases) {
            None => vec![feature],
            Some(pair) => self.pairs[pair].iter().map(|&base| base as usize).collect(),
        }
    }

    /// The pairs that a proposition is in.
    pub fn pairs_of(&self, base: usize) -> &[Partner] {
        &self.partners[self.starts[base] as usize..self.starts[base + 1] as usize]
    }

    /// Adds the features that a state has to those `found`.
    pub(super) fn find(&self, state: &[u64], found: &mut Vec<u32>) {
        for base in ones(state.iter().copied()) {
            found.push(base as u32);
            for partner in self.pairs_of(base) {
                let other = partner.other as usize;
                if other > base && state[other / 64] >> (other % 64) & 1 == 1 {
                    found.push(partner.feature);
                }
            }
        }
    }
}
