//! Patterns: propositions that end a match together, and how many of them hold.
//!
//! In games of lines, a state is as good as the lines that are nearly complete and can still be completed. So
//! an evaluation has inputs for these beside the propositions: there is one for each pattern and each
//! number of its parts, from a half on, that holds while nothing excludes the others. It is a form of the
//! degree to which a goal is reached, by which Fluxplayer judged states (Schiffel and Thielscher, "Fluxplayer:
//! a successful general game player", 2007); but what it is worth is learned.

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use super::observer::InputObserver;
use crate::search::symmetry::Symmetry;

/// Propositions that end a match if they hold together.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::search) struct Pattern {
    /// The numbers of the propositions, at most [`Pattern::MAX_PARTS`].
    pub parts: Vec<usize>,
    /// Those that exclude some of them.
    pub blockers: Vec<usize>,
}

impl Pattern {
    /// The least and the greatest number of parts.
    pub(in crate::search::learned) const MIN_PARTS: usize = 3;
    pub(in crate::search::learned) const MAX_PARTS: usize = 8;

    /// The least number of parts that has an input.
    fn least(&self) -> usize {
        self.parts.len().div_ceil(2)
    }

    /// Returns the number of its inputs. All parts hold in terminal states only, which are never evaluated.
    fn inputs(&self) -> usize {
        self.parts.len() - self.least()
    }
}

/// The patterns of an evaluation, whose inputs come after those for the propositions.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Patterns {
    patterns: Vec<Pattern>,
    /// The inputs of each pattern.
    seen: Vec<SeenParts>,
    /// The number of propositions and of inputs of patterns.
    inputs: usize,
    /// For each proposition, the patterns in which it is.
    places: Vec<Vec<Place>>,
}

/// The inputs of a pattern.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct SeenParts {
    /// The first input.
    start: u32,
    /// It is true if this many parts hold, the next one if one more, and so on up to all but one.
    least: u16,
    /// The number of parts.
    parts: u16,
}

/// A pattern in which a proposition is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Place {
    pattern: u32,
    /// The contribution of a part to the pattern's count, or of a blocker.
    unit: u32,
}

/// For each pattern, how many of its parts hold, and times [`BLOCKER`], how many of its blockers.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(super) struct PatternCounts(Vec<u32>);

impl PatternCounts {
    /// Becomes the same as another one, in the memory that it has.
    pub(super) fn copy_from(&mut self, other: &PatternCounts) {
        self.0.clone_from(&other.0);
    }
}

/// A blocker counts as much as more parts than there are in any pattern.
const BLOCKER: u32 = 1 << 8;

impl Patterns {
    /// These patterns of a game of `bases` propositions.
    pub(super) fn new(bases: usize, patterns: Vec<Pattern>) -> Patterns {
        let mut places = vec![Vec::new(); bases];
        let (mut seen, mut inputs) = (Vec::new(), bases);
        for (pattern, number) in patterns.iter().zip(0..) {
            for (bases, unit) in [(&pattern.parts, 1), (&pattern.blockers, BLOCKER)] {
                let place = Place {
                    pattern: number,
                    unit,
                };
                bases.iter().for_each(|&base| places[base].push(place));
            }
            seen.push(SeenParts {
                start: inputs as u32,
                least: pattern.least() as u16,
                parts: pattern.parts.len() as u16,
            });
            inputs += pattern.inputs();
        }
        Patterns {
            patterns,
            seen,
            inputs,
            places,
        }
    }

    /// Returns whether such patterns of `bases` propositions make sense.
    pub(super) fn are_valid(bases: usize, patterns: &[Pattern]) -> bool {
        patterns.iter().all(|pattern| {
            let all = || pattern.parts.iter().chain(&pattern.blockers);
            let sizes = Pattern::MIN_PARTS..=Pattern::MAX_PARTS;
            sizes.contains(&pattern.parts.len()) && all().all(|&base| base < bases)
        })
    }

    pub(super) fn all(&self) -> &[Pattern] {
        &self.patterns
    }

    /// The number of propositions and of inputs of patterns.
    pub(super) fn inputs(&self) -> usize {
        self.inputs
    }

    /// The counts of a state in which no proposition holds.
    pub(super) fn no_counts(&self) -> PatternCounts {
        PatternCounts(vec![0; self.patterns.len()])
    }

    /// Changes counts as a proposition begins to hold, or ceases to.
    pub(super) fn count_base(&self, base: usize, holds: bool, counts: &mut PatternCounts) {
        for place in &self.places[base] {
            let count = &mut counts.0[place.pattern as usize];
            *count = changed_count(*count, place.unit, holds);
        }
    }

    /// Changes counts as a proposition begins to hold, or ceases to. Reports each input of a pattern that
    /// changes, and whether it is true then.
    #[inline(always)]
    pub(super) fn toggle(
        &self,
        base: usize,
        holds: bool,
        counts: &mut PatternCounts,
        observer: &mut impl InputObserver,
    ) {
        for place in &self.places[base] {
            let count = &mut counts.0[place.pattern as usize];
            let seen = self.seen[place.pattern as usize];
            let before = seen.input(*count);
            *count = changed_count(*count, place.unit, holds);
            let after = seen.input(*count);
            for (input, is_true) in [(before, false), (after, true)] {
                if let Some(input) = input {
                    observer.pattern(input, is_true);
                }
            }
        }
    }

    /// Adds the inputs of patterns that are true in the state in which exactly these propositions hold, with
    /// counts of a state without any, which they are again then.
    pub(super) fn add_inputs(
        &self,
        present: &[usize],
        counts: &mut PatternCounts,
        found: &mut Vec<u32>,
    ) {
        for &base in present {
            self.count_base(base, true, counts);
        }
        for place in present.iter().flat_map(|&base| &self.places[base]) {
            // Each pattern once: its count is forgotten then.
            let count = std::mem::take(&mut counts.0[place.pattern as usize]);
            let input = self.seen[place.pattern as usize].input(count);
            found.extend(input.map(|input| input as u32));
        }
    }

    /// Returns the image of each input under a symmetry; nothing if the image of a pattern is none.
    pub(super) fn images(&self, symmetry: &Symmetry) -> Option<Vec<u32>> {
        let sorted = |mut parts: Vec<usize>| {
            parts.sort_unstable();
            parts
        };
        let starts = self.patterns.iter().zip(&self.seen);
        let starts = starts.map(|(pattern, seen)| (sorted(pattern.parts.clone()), seen.start));
        let starts: FxHashMap<Vec<usize>, u32> = starts.collect();
        let bases = (0..self.places.len()).map(|base| symmetry.base(base) as u32);
        let mut images: Vec<u32> = bases.collect();
        for pattern in &self.patterns {
            let parts = pattern.parts.iter().map(|&base| symmetry.base(base));
            let start = *starts.get(&sorted(parts.collect()))?;
            images.extend((start..).take(pattern.inputs()));
        }
        Some(images)
    }
}

/// Returns a count after something of weight `unit` begins to hold, or ceases to.
fn changed_count(count: u32, unit: u32, holds: bool) -> u32 {
    match holds {
        true => count.wrapping_add(unit),
        false => count.wrapping_sub(unit),
    }
}

impl SeenParts {
    /// The input that is true with this count.
    fn input(self, count: u32) -> Option<usize> {
        let is_seen = count >= u32::from(self.least) && count < u32::from(self.parts);
        is_seen.then(|| (self.start + count - u32::from(self.least)) as usize)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The inputs that are true.
    #[derive(Default)]
    struct Found(std::collections::BTreeSet<usize>);

    impl InputObserver for Found {
        fn pattern(&mut self, input: usize, is_true: bool) {
            let is_new = match is_true {
                true => self.0.insert(input),
                false => self.0.remove(&input),
            };
            assert!(is_new);
        }

        fn cell(&mut self, _: usize, _: usize) {
            unreachable!("patterns have no cells");
        }
    }

    proptest! {
        /// From state to state, the inputs are those that the state has by itself.
        #[test]
        fn inputs_follow_states(
            patterns in prop::collection::vec(
                (prop::collection::btree_set(0usize..12, 3..6), prop::collection::btree_set(0usize..12, 0..3)),
                0..6,
            ),
            states in prop::collection::vec(prop::collection::btree_set(0usize..12, 0..12), 1..6),
        ) {
            let pattern = |(parts, blockers): (_, _)| Pattern {
                parts: Vec::from_iter::<std::collections::BTreeSet<usize>>(parts),
                blockers: Vec::from_iter::<std::collections::BTreeSet<usize>>(blockers),
            };
            let all = Patterns::new(12, patterns.into_iter().map(pattern).collect());
            prop_assert!(Patterns::are_valid(12, all.all()));
            let (mut counts, mut none) = (all.no_counts(), all.no_counts());
            let mut before = std::collections::BTreeSet::new();
            let mut found = Found::default();
            for state in states {
                let mut change = |base: usize, holds| all.toggle(base, holds, &mut counts, &mut found);
                before.difference(&state).for_each(|&base| change(base, false));
                state.difference(&before).for_each(|&base| change(base, true));
                let mut expected = std::collections::BTreeSet::new();
                for (number, pattern) in all.all().iter().enumerate() {
                    let held = pattern.parts.iter().filter(|base| state.contains(base)).count();
                    let is_open = !pattern.blockers.iter().any(|base| state.contains(base));
                    let least = pattern.parts.len().div_ceil(2);
                    if is_open && held >= least && held < pattern.parts.len() {
                        expected.insert(all.seen[number].start as usize + held - least);
                    }
                }
                prop_assert_eq!(&found.0, &expected);
                let present: Vec<usize> = state.iter().copied().collect();
                let mut added = Vec::new();
                all.add_inputs(&present, &mut none, &mut added);
                prop_assert!(none.0.iter().all(|&count| count == 0));
                added.sort_unstable();
                let added: Vec<usize> = added.into_iter().map(|input| input as usize).collect();
                prop_assert_eq!(added, expected.into_iter().collect::<Vec<_>>());
                before = state;
            }
        }
    }
}
