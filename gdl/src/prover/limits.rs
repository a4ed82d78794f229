//! What a query may cost, and the errors that say what it did cost.

use std::time::{Duration, Instant};

use thiserror::Error;

use crate::source::{Position, Source, Span};

/// What one query may cost. Rules over nested terms can have infinitely many
/// consequences, and finite ones can be too many; both end in
/// [`ProverError::Limit`].
#[derive(Clone, Debug)]
pub struct Limits {
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

impl Default for Limits {
    /// Some 10 seconds of work and 1 GiB of memory.
    fn default() -> Limits {
        Limits {
            steps: 100_000_000,
            time: None,
            cells: 100_000_000,
            terms: 10_000_000,
        }
    }
}

/// The kind of limit that a query hit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LimitKind {
    /// [`Limits::steps`].
    Steps,
    /// [`Limits::time`], in milliseconds.
    Milliseconds,
    /// [`Limits::cells`].
    Cells,
    /// [`Limits::terms`].
    Terms,
}

impl std::fmt::Display for LimitKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            LimitKind::Steps => "evaluation steps",
            LimitKind::Milliseconds => "milliseconds",
            LimitKind::Cells => "table cells",
            LimitKind::Terms => "terms",
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
pub enum ProverError {
    /// A query cost more than its [`Limits`] allow.
    #[error("{rule}: the evaluation of this rule hit the limit of {allowed} {limit}")]
    Limit {
        /// Which limit.
        limit: LimitKind,
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
    Limit { limit: LimitKind, allowed: u64 },
    Unstratified,
}

/// Counts what one query costs.
#[derive(Clone)]
pub(super) struct Meter {
    limits: Limits,
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
    pub fn new(limits: Limits) -> Meter {
        let next_look = STEPS_PER_LOOK.min(limits.steps);
        Meter {
            limits,
            started: Instant::now(),
            steps: 0,
            next_look,
        }
    }

    pub fn limits(&self) -> &Limits {
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
            return hit(LimitKind::Steps, limits.steps);
        }
        if usage.cells >= limits.cells {
            return hit(LimitKind::Cells, limits.cells as u64);
        }
        if usage.terms >= limits.terms {
            return hit(LimitKind::Terms, limits.terms as u64);
        }
        match limits.time {
            Some(time) if self.started.elapsed() >= time => {
                hit(LimitKind::Milliseconds, time.as_millis() as u64)
            }
            _ => Ok(()),
        }
    }
}
