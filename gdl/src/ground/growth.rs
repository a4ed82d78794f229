//! Detection of endless growth: how deep terms are nested, and which rules nest them.
//!
//! There are finitely many functors, so a fixpoint that never ends makes terms that are nested ever deeper.
//! One that ends may nest terms, too: stacks of a limited height, lists that get shorter. So growth is detected by
//! a depth far beyond that of the rulesheet. If each term leads to several deeper ones, that depth is not
//! reached in the order of discovery, in which all less deep terms come first; but it is in an order in which
//! the newest facts come first: `Growth::is_probe_due` says when to look ahead in that order.

use super::limits::GroundLimits;
use crate::rules::{Pattern, Rule};
use crate::term::{TermId, Terms};

/// The increase of nesting depth from which on it pays to check whether terms grow without end.
const NOTABLE: u32 = 1;

/// The work after which the first look ahead pays off.
const FIRST_PROBE: u64 = 1 << 18;

/// The work after which the last look ahead takes place.
const LAST_PROBE: u64 = 1 << 22;

/// The depths of terms.
#[derive(Clone, Default)]
pub(crate) struct Growth {
    /// The depth of each term; that of a constant is 1.
    depths: Vec<u32>,
    /// The rule that made each term, of those that are applied now, from the first term that one of them made.
    makers: Vec<u32>,
    /// The first term that one of the rules made.
    first: usize,
    /// The greatest depth of a term, including the terms in rules.
    deepest: u32,
    /// The greatest depth when the rules began to be applied.
    deepest_before: u32,
    /// The work after which there is the next look ahead.
    next_probe: u64,
    /// The steps of a match in which terms may grow, on top of their growth in a state.
    steps: u32,
    /// The most growth in a step to which each rule contributes once: the sum of the depths of heads.
    growth_in_step: u32,
}

impl Growth {
    /// Records the terms that exist before these rules are applied.
    pub(super) fn begin(&mut self, terms: &Terms, rules: &[Rule]) {
        self.measure(terms);
        self.makers.clear();
        self.first = self.depths.len();
        self.growth_in_step = 0;
        for rule in rules {
            for pattern in &rule.head.args {
                self.deepest = self.deepest.max(self.depth(pattern));
                self.growth_in_step = self.growth_in_step.saturating_add(self.depth(pattern));
            }
        }
        self.deepest_before = self.deepest;
        self.next_probe = FIRST_PROBE;
    }

    /// Records the terms that a rule has made. Returns whether one of them is nested deeper than it may be.
    #[inline]
    pub(super) fn note(&mut self, terms: &Terms, rule: usize, limits: &GroundLimits) -> bool {
        if self.depths.len() == terms.len() {
            return false;
        }
        self.measure(terms);
        self.makers.resize(terms.len() - self.first, rule as u32);
        let in_steps = self.steps.saturating_mul(self.growth_in_step);
        self.deepest - self.deepest_before > limits.nesting.saturating_add(in_steps)
    }

    /// Lets terms grow in this number of steps of a match.
    pub(super) fn allow_steps(&mut self, steps: u64) {
        self.steps = u32::try_from(steps).unwrap_or(u32::MAX);
    }

    /// Returns whether it is time to look ahead for an end of the growth after this amount of work.
    #[inline]
    pub(super) fn is_probe_due(&mut self, work: u64) -> bool {
        if work < self.next_probe {
            return false;
        }
        self.next_probe = match self.next_probe {
            LAST_PROBE.. => u64::MAX,
            probe => 4 * probe,
        };
        self.deepest - self.deepest_before > NOTABLE
    }

    /// The greatest depth of a term.
    pub(super) fn deepest(&self) -> u32 {
        self.deepest
    }

    /// Returns the rule that made most of the terms nested in the deepest one: the others only
    /// pass them on.
    pub(super) fn rule(&self, terms: &Terms) -> Option<usize> {
        let mut term = terms.each().max_by_key(|term| self.depths[term.index()])?;
        let mut made = Vec::new();
        while term.index() >= self.first {
            let rule = self.makers[term.index() - self.first] as usize;
            if made.len() <= rule {
                made.resize(rule + 1, 0u32);
            }
            made[rule] += 1;
            let deepest = terms.args(term).iter();
            term = *deepest.max_by_key(|arg| self.depths[arg.index()])?;
        }
        (0..made.len()).max_by_key(|&rule| made[rule])
    }

    fn measure(&mut self, terms: &Terms) {
        for at in self.depths.len()..terms.len() {
            let args = terms.args(TermId::from_raw(at as u32)).iter();
            let below = args.map(|arg| self.depths[arg.index()]).max();
            let depth = 1 + below.unwrap_or(0);
            self.depths.push(depth);
            self.deepest = self.deepest.max(depth);
        }
    }

    fn depth(&self, pattern: &Pattern) -> u32 {
        match pattern {
            Pattern::Var(_) => 1,
            Pattern::Ground(term) => self.depths[term.index()],
            Pattern::Compound(_, args) => {
                1 + args.iter().map(|arg| self.depth(arg)).max().unwrap_or(0)
            }
        }
    }
}
