//! Limits of the cost of one query to the prover.

use std::time::Duration;

use propjit_stop::Stop;

/// The limits of the cost of one query. Rules over nested terms can have infinitely many
/// consequences, and finite ones can be too many; both cases end in
/// [`ProverError::Limit`](super::ProverError::Limit).
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ProverLimits {
    /// Steps: candidates that are tried for the conditions of rules, in one query.
    pub steps: u64,
    /// Wall-clock time of one query.
    pub time: Option<Duration>,
    /// Numbers (of 4 bytes) stored in the tables of memoised answers, including those
    /// kept from earlier queries.
    pub cells: usize,
    /// Ground terms in the table of terms. Terms are never forgotten.
    pub terms: usize,
    /// Ends queries early, and the compilation of the rules, with
    /// [`ProverError::Stopped`](super::ProverError::Stopped).
    pub stop: Stop,
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

    /// Sets [`ProverLimits::stop`].
    #[must_use]
    pub fn with_stop(mut self, stop: Stop) -> Self {
        self.stop = stop;
        self
    }
}

impl Default for ProverLimits {
    /// About 10 seconds of work and 1 GiB of memory.
    fn default() -> ProverLimits {
        ProverLimits {
            steps: 100_000_000,
            time: None,
            cells: 100_000_000,
            terms: 10_000_000,
            stop: Stop::new(),
        }
    }
}

/// A kind of limit that a query may hit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum ProverLimitKind {
    /// [`ProverLimits::steps`].
    Steps,
    /// [`ProverLimits::time`], in milliseconds.
    Milliseconds,
    /// [`ProverLimits::cells`].
    Cells,
    /// [`ProverLimits::terms`].
    Terms,
}

impl std::fmt::Display for ProverLimitKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            ProverLimitKind::Steps => "evaluation steps",
            ProverLimitKind::Milliseconds => "milliseconds",
            ProverLimitKind::Cells => "table cells",
            ProverLimitKind::Terms => "terms",
        })
    }
}
