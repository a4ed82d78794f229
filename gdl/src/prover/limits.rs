//! What a query may cost, and the errors that say what it did cost.

use std::time::{Duration, Instant};

use thiserror::Error;

use crate::source::{Position, Source, Span};

/// The cost that one query may have. Rules over nested terms can have infinitely many
/// consequences, and finite ones can be too many; both end in
/// [`ProverError::Limit`].
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ProverLimits {
    /// Candidates tried for the conditions of rules, in one query.
    pub steps: u64,
    /// Wall-clock time of one query.
    pub time: Option<Duration>,
    /// Numbers (of 4 bytes) stored in the tables of memoised answers, those
    /// kept from earlier queries included.
    pub cells: usize,
    /// Ground terms in the table of terms. Terms are never forgotten.
    pub terms: usize,
}

impl ProverLimits {
    /// Sets [`ProverLimits::steps`].
    #[must_use]
    pub fn with_steps(mut self, steps: u64) -> Self {
        self.steps = steps;
        self
    }

    /// Sets [`ProverLimits::time`].
    #[must_use]
    pub fn with_time(mut self, time: impl Into<Option<Duration>>) -> Self {
        self.time = time.into();
        self
    }

    /// Sets [`ProverLimits::cells`].
    #[must_use]
    pub fn with_cells(mut self, cells: usize) -> Self {
        self.cells = cells;
        self
    }

    /// Sets [`ProverLimits::terms`].
    #[must_use]
    pub fn with_terms(mut self, terms: usize) -> Self {
        self.terms = terms;
        self
    }
}

impl Default for ProverLimits {
    /// Some 10 seconds of work and 1 GiB of memory.
    fn default() -> ProverLimits {
        ProverLimits {
            steps: 100_000_000,
            time: None,
            cells: 100_000_000,
            terms: 10_000_000,
        }
    }
}

/// A kind of limit that a query may hit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum ProverLimit {
    /// [`ProverLimits::steps`].
    Steps,
    /// [`ProverLimits::time`], in milliseconds.
    Milliseconds,
    /// [`ProverLimits::cells`].
    Cells,
    /// [`ProverLimits::terms`].
    Terms,
}

impl std::fmt::Display for ProverLimit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            ProverLimit::Steps => "evaluation steps",
            ProverLimit::Milliseconds => "milliseconds",
            ProverLimit::Cells => "table cells",
            ProverLimit::Terms => "terms",
        })
    }
}

/// A rule that an error speaks of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuleSite {
    /// The name of the source.
    pub source: String,
    /// Where the rule starts, for people.
    pub position: Position,
    /// Where the rule stands in the source.
    pub span: Span,
}

impl RuleSite {
    pub(super) fn new(source: &Source, span: Span) -> RuleSite {
        RuleSite {
            source: source.name().to_string(),
            position: source.position(span.start),
            span,
        }
    }
}

impl std::fmt::Display for RuleSite {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Position { line, column } = self.position;
        write!(f, "{}:{line}:{column}", self.source)
    }
}

/// Why a game cannot be proved with, or a query has no answer.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum ProverError {
    /// A query cost more than its [`ProverLimits`] allow.
    #[error("{rule}: the evaluation of this rule hit the limit of {allowed} {limit}")]
    Limit {
        /// Which limit.
        limit: ProverLimit,
        /// What the limit allows, in its unit.
        allowed: u64,
        /// The rule that was being evaluated.
        rule: Box<RuleSite>,
    },
    /// A variable of a head, of a negation or of `distinct` occurs in no
    /// positive condition of its rule.
    #[error("{rule}: the variable {variable} occurs in no positive condition of this rule")]
    UnsafeVariable {
        /// The variable's name.
        variable: String,
        /// The rule.
        rule: Box<RuleSite>,
    },
    /// Whether a ground atom holds depends on whether it does not hold. What the
    /// rules mean is then undefined.
    #[error("{rule}: a condition of this rule depends on its own negation")]
    Unstratified {
        /// A rule in the circle.
        rule: Box<RuleSite>,
    },
}

/// Why a proof stopped.
pub(super) enum Cause {
    Limit { limit: ProverLimit, allowed: u64 },
    Unstratified,
}

/// Counts what one query costs.
#[derive(Clone)]
pub(super) struct Meter {
    limits: ProverLimits,
    started: Instant,
    steps: u64,
    /// The step at which to look at the limits next.
    next_look: u64,
}

/// The memory in use when a step is taken.
pub(super) struct Usage {
    pub cells: usize,
    pub terms: usize,
}

/// How many steps pass between two looks at the clock and the memory.
const STEPS_PER_LOOK: u64 = 4096;

impl Meter {
    pub fn new(limits: ProverLimits) -> Meter {
        let next_look = STEPS_PER_LOOK.min(limits.steps);
        Meter {
            limits,
            started: Instant::now(),
            steps: 0,
            next_look,
        }
    }

    pub fn limits(&self) -> &ProverLimits {
        &self.limits
    }

    /// The steps since the query started.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// A new query starts.
    pub fn restart(&mut self) {
        *self = Meter::new(self.limits.clone());
    }

    /// Counts one step; the error is the limit that is hit.
    #[inline]
    pub fn step(&mut self, usage: impl FnOnce() -> Usage) -> Result<(), Cause> {
        self.steps += 1;
        if self.steps >= self.next_look {
            self.look(usage())
        } else {
            Ok(())
        }
    }

    #[cold]
    fn look(&mut self, usage: Usage) -> Result<(), Cause> {
        let limits = &self.limits;
        self.next_look = (self.steps + STEPS_PER_LOOK).min(limits.steps);
        let hit = |limit, allowed| Err(Cause::Limit { limit, allowed });
        if self.steps >= limits.steps {
            return hit(ProverLimit::Steps, limits.steps);
        }
        if usage.cells >= limits.cells {
            return hit(ProverLimit::Cells, limits.cells as u64);
        }
        if usage.terms >= limits.terms {
            return hit(ProverLimit::Terms, limits.terms as u64);
        }
        match limits.time {
            Some(time) if self.started.elapsed() >= time => {
                hit(ProverLimit::Milliseconds, time.as_millis() as u64)
            }
            _ => Ok(()),
        }
    }
}
