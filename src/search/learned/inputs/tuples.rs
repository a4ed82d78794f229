//! Tuples: a few places, whose contents together have a weight.
//!
//! Weights of the contents of many small parts of a board are learned fast, and say much (Krawiec and Szubert, "Learning
//! n-tuple networks for Othello by coevolutionary gradient search", 2011; Thill, Koch and Konen, "Reinforcement learning with
//! n-tuples on the game Connect-4", 2012). A content is a cell of a table; as a state changes, cells are found by additions.

use serde::{Deserialize, Serialize};

use super::observer::InputObserver;

/// Places whose contents are looked at together: for each of them the propositions of what can be there, of which at most
/// one holds.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub(in crate::search::learned) struct Tuple(pub Vec<Vec<usize>>);

impl Tuple {
    /// The number of contents, if it is not too great.
    fn contents(&self) -> Option<usize> {
        let mut places = self.0.iter();
        places.try_fold(1usize, |contents, place| {
            contents.checked_mul(place.len() + 1)
        })
    }
}

/// Tuples, and a number for each content of each of them, its cell.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(in crate::search::learned) struct Tuples {
    tuples: Vec<Tuple>,
    /// The cell of each tuple where no proposition holds.
    empty: Contents,
    cells: usize,
    /// The uses of each proposition, one proposition after the other, and where those of each end.
    uses: Vec<Use>,
    ends: Vec<u32>,
}

/// A tuple in which a proposition is, and by how much its cell is greater where that holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Use {
    tuple: u32,
    step: u32,
}

/// The cell of each tuple in a state.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(in crate::search::learned) struct Contents(Vec<u32>);

impl Contents {
    /// Becomes the same as another one, in the memory that it has.
    pub(in crate::search::learned) fn copy_from(&mut self, other: &Contents) {
        self.0.clone_from(&other.0);
    }
}

impl Tuples {
    /// The greatest number of cells of all tuples together.
    const MAX_CELLS: usize = 1 << 18;

    /// These tuples of a game of `bases` propositions.
    pub(super) fn new(bases: usize, tuples: Vec<Tuple>) -> Tuples {
        let mut by_base = vec![Vec::new(); bases];
        let (mut empty, mut cells) = (Vec::new(), 0);
        for (tuple, number) in tuples.iter().zip(0..) {
            let mut unit = 1;
            for place in &tuple.0 {
                for (&base, content) in place.iter().zip(1..) {
                    by_base[base].push(Use {
                        tuple: number,
                        step: content * unit,
                    });
                }
                unit *= place.len() as u32 + 1;
            }
            empty.push(cells);
            cells += unit;
        }
        let ends = by_base.iter().scan(0, |end, uses| {
            *end += uses.len() as u32;
            Some(*end)
        });
        Tuples {
            tuples,
            empty: Contents(empty),
            cells: cells as usize,
            ends: ends.collect(),
            uses: by_base.into_iter().flatten().collect(),
        }
    }

    /// Returns whether such tuples of `bases` propositions make sense.
    pub(in crate::search::learned) fn are_valid(bases: usize, tuples: &[Tuple]) -> bool {
        let sum = tuples.iter().try_fold(0usize, |sum, tuple| {
            sum.checked_add(tuple.contents()?)
                .filter(|&sum| sum <= Tuples::MAX_CELLS)
        });
        let mut parts = tuples.iter().flat_map(|tuple| &tuple.0).flatten();
        sum.is_some() && parts.all(|&base| base < bases)
    }

    pub(in crate::search::learned) fn all(&self) -> &[Tuple] {
        &self.tuples
    }

    /// The number of contents of all tuples together.
    pub(in crate::search::learned) fn cells(&self) -> usize {
        self.cells
    }

    /// The contents of a state in which no proposition holds.
    pub(super) fn empty(&self) -> Contents {
        self.empty.clone()
    }

    /// Finds the contents of a state in which exactly these propositions hold.
    #[inline(always)]
    pub(in crate::search::learned) fn find(
        &self,
        present: impl Iterator<Item = usize>,
        contents: &mut Contents,
    ) {
        contents.copy_from(&self.empty);
        for base in present {
            for of in self.uses(base) {
                contents.0[of.tuple as usize] += of.step;
            }
        }
    }

    /// The cells of all tuples.
    #[inline(always)]
    pub(in crate::search::learned) fn cells_of(
        &self,
        contents: &Contents,
    ) -> impl Iterator<Item = usize> {
        contents.0.iter().map(|&cell| self.cell(cell))
    }

    /// The cells of the tuples in which a proposition that holds is, with those that they would have without it.
    pub(in crate::search::learned) fn cells_with(
        &self,
        base: usize,
        contents: &Contents,
    ) -> impl Iterator<Item = [usize; 2]> {
        self.uses(base).iter().map(|of| {
            let cell = contents.0[of.tuple as usize];
            [cell, cell.wrapping_sub(of.step)].map(|cell| self.cell(cell))
        })
    }

    /// Brings contents up to date as a proposition begins to hold, or ceases to. Reports the cells before and after of each
    /// tuple that it is in.
    #[inline(always)]
    pub(super) fn toggle(
        &self,
        base: usize,
        holds: bool,
        contents: &mut Contents,
        observer: &mut impl InputObserver,
    ) {
        // Without a branch: what is taken away is added with the other sign.
        let sign = if holds { 0 } else { u32::MAX };
        for of in self.uses(base) {
            let cell = &mut contents.0[of.tuple as usize];
            let before = *cell;
            *cell = cell.wrapping_add((of.step ^ sign).wrapping_sub(sign));
            observer.cell(self.cell(before), self.cell(*cell));
        }
    }

    /// The number of a cell. Should several propositions of a place hold, or for a moment between two states, it may be that of
    /// something else, but exists.
    #[inline(always)]
    fn cell(&self, number: u32) -> usize {
        (number as usize).min(self.cells - 1)
    }

    #[inline(always)]
    fn uses(&self, base: usize) -> &[Use] {
        let start = base.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.uses[start as usize..self.ends[base] as usize]
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;
    use crate::search::learned::inputs::observer::Unobserved;

    proptest! {
        /// From state to state, each tuple has a cell that depends on its contents only, and no other contents of any tuple
        /// have that. Where several propositions of a place hold, there are still cells.
        #[test]
        fn cells_follow_states(
            places in prop::collection::vec(prop::collection::btree_set(0usize..4, 1..4), 1..5),
            states in prop::collection::vec(prop::collection::vec(0usize..4, 4), 1..8),
            wild in prop::collection::btree_set(0usize..12, 0..12),
        ) {
            // Four places, each with three propositions.
            let place = |place: usize| (3 * place..3 * place + 3).collect::<Vec<_>>();
            let tuples = places.iter().map(|of| Tuple(of.iter().map(|&at| place(at)).collect()));
            let tuples: Vec<Tuple> = tuples.collect();
            prop_assert!(Tuples::are_valid(12, &tuples) && !Tuples::are_valid(11, &[Tuple(vec![vec![11]])]));
            let count = tuples.iter().map(|tuple| tuple.contents().unwrap()).sum::<usize>();
            let all = Tuples::new(12, tuples);
            prop_assert_eq!(all.cells(), count);
            let mut contents = all.empty();
            let mut before = BTreeSet::new();
            let mut seen: std::collections::BTreeMap<(usize, Vec<usize>), usize> = Default::default();
            let states: Vec<BTreeSet<usize>> = states
                .iter()
                .map(|of| {
                    let held = of.iter().enumerate().filter(|(_, content)| **content > 0);
                    held.map(|(place, content)| 3 * place + content - 1).collect()
                })
                .collect();
            for (number, state) in states.iter().chain([&wild, &states[0]]).enumerate() {
                for &base in before.symmetric_difference(state) {
                    let holds = state.contains(&base);
                    all.toggle(base, holds, &mut contents, &mut Unobserved);
                }
                before.clone_from(state);
                let mut alone = Contents::default();
                all.find(state.iter().copied(), &mut alone);
                prop_assert_eq!(&alone, &contents);
                if number == states.len() {
                    prop_assert!(all.cells_of(&contents).all(|cell| cell < count));
                    continue;
                }
                for (at, cell) in all.cells_of(&contents).enumerate() {
                    let of = places[at].iter().map(|&of| {
                        let held = place(of).into_iter().find(|base| state.contains(base));
                        held.map_or(0, |base| base - 3 * of + 1)
                    });
                    seen.insert((at, of.collect()), cell);
                }
                for &base in state {
                    let mut without = state.clone();
                    without.remove(&base);
                    all.find(without.into_iter(), &mut alone);
                    let cells: Vec<usize> = all.cells_of(&alone).collect();
                    let changed = all.cells_with(base, &contents);
                    prop_assert!(changed.into_iter().all(|[_, without]| cells.contains(&without)));
                }
            }
            let cells: BTreeSet<&usize> = seen.values().collect();
            prop_assert_eq!(cells.len(), seen.len());
        }
    }
}
