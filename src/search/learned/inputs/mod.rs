//! Inputs of an evaluation: propositions, patterns of them that end matches, and the contents of parts of boards.
//!
//! - `patterns`: lines that are nearly complete.
//! - `tuples`: the contents of a few places together.

mod observer;
mod patterns;
mod tuples;

use crate::search::symmetry::Symmetry;
pub(super) use observer::InputObserver;
use observer::Unobserved;
pub(super) use patterns::Pattern;
use patterns::{PatternCounts, Patterns};
pub(super) use tuples::{Contents, Tuple, Tuples};

/// The inputs of an evaluation. The first ones are the propositions, after which come those of patterns; cells of tuples
/// have numbers of their own.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(in crate::search) struct Inputs {
    bases: usize,
    patterns: Patterns,
    tuples: Tuples,
}

/// What of a state the inputs depend on beside its propositions.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Counts {
    patterns: PatternCounts,
    contents: Contents,
}

impl Counts {
    /// Becomes the same as another one, in the memory that it has.
    pub(super) fn copy_from(&mut self, other: &Counts) {
        self.patterns.copy_from(&other.patterns);
        self.contents.copy_from(&other.contents);
    }

    /// The cell of each tuple.
    pub(super) fn contents(&self) -> &Contents {
        &self.contents
    }
}

impl Inputs {
    /// Returns the inputs of a game of `bases` propositions, with these patterns and tuples of them.
    pub(super) fn new(bases: usize, patterns: Vec<Pattern>, tuples: Vec<Tuple>) -> Inputs {
        Inputs {
            bases,
            patterns: Patterns::new(bases, patterns),
            tuples: Tuples::new(bases, tuples),
        }
    }

    /// Returns the propositions of a game only.
    pub(in crate::search) fn plain(bases: usize) -> Inputs {
        Inputs::new(bases, Vec::new(), Vec::new())
    }

    /// Returns whether such patterns and tuples of `bases` propositions make sense.
    pub(super) fn are_valid(bases: usize, patterns: &[Pattern], tuples: &[Tuple]) -> bool {
        Patterns::are_valid(bases, patterns) && Tuples::are_valid(bases, tuples)
    }

    /// The number of propositions.
    pub(super) fn bases(&self) -> usize {
        self.bases
    }

    pub(super) fn patterns(&self) -> &[Pattern] {
        self.patterns.all()
    }

    pub(super) fn tuples(&self) -> &Tuples {
        &self.tuples
    }

    /// The number of inputs without cells.
    pub(in crate::search) fn count(&self) -> usize {
        self.patterns.inputs()
    }

    /// The counts of a state in which no proposition holds.
    pub(super) fn no_counts(&self) -> Counts {
        Counts {
            patterns: self.patterns.no_counts(),
            contents: self.tuples.empty(),
        }
    }

    /// Whether anything but propositions counts.
    pub(super) fn has_counts(&self) -> bool {
        self.count() > self.bases || self.tuples.cells() > 0
    }

    /// Changes counts as a proposition begins to hold, or ceases to.
    #[inline(always)]
    pub(super) fn count_base(&self, base: usize, holds: bool, counts: &mut Counts) {
        self.patterns.count_base(base, holds, &mut counts.patterns);
        (self.tuples).toggle(base, holds, &mut counts.contents, &mut Unobserved);
    }

    /// Changes counts as a proposition begins to hold, or ceases to. Reports how inputs other than propositions change.
    #[inline(always)]
    pub(super) fn toggle(
        &self,
        base: usize,
        holds: bool,
        counts: &mut Counts,
        observer: &mut impl InputObserver,
    ) {
        (self.patterns).toggle(base, holds, &mut counts.patterns, observer);
        (self.tuples).toggle(base, holds, &mut counts.contents, observer);
    }

    /// Adds the inputs of patterns that are true in the state in which exactly these propositions hold, with
    /// counts of a state without any, which they are again then.
    pub(super) fn add_patterns(
        &self,
        present: &[usize],
        counts: &mut Counts,
        found: &mut Vec<u32>,
    ) {
        self.patterns
            .add_inputs(present, &mut counts.patterns, found);
    }

    /// Returns the image of each input that is no cell under a symmetry; nothing if the image of a pattern is none.
    pub(super) fn images(&self, symmetry: &Symmetry) -> Option<Vec<u32>> {
        self.patterns.images(symmetry)
    }
}
