//! Errors of the prover, with the rules that they are about.

use thiserror::Error;

use crate::source::{Position, Source, Span};

use super::limits::ProverLimitKind;

/// The rule that an error is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuleSite {
    /// The name of the source.
    pub source: String,
    /// The human-readable position of the rule's start.
    pub position: Position,
    /// The place of the rule in the source.
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

/// The reason why a game cannot be evaluated, or why a query has no answer.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum ProverError {
    /// A query cost more than its [`ProverLimits`](super::ProverLimits) allow.
    #[error("{rule}: the evaluation of this rule reached the limit of {allowed} {limit}")]
    Limit {
        /// The limit.
        limit: ProverLimitKind,
        /// The value of the limit, in its unit.
        allowed: u64,
        /// The rule that was being evaluated.
        rule: Box<RuleSite>,
    },
    /// [`ProverLimits::stop`](super::ProverLimits::stop) was set.
    #[error("{rule}: stopped while this rule was evaluated")]
    Stopped {
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
    /// Whether a ground atom holds depends on whether it does not hold. The
    /// meaning of the rules is then undefined.
    #[error("{rule}: a condition of this rule depends on its own negation")]
    Unstratified {
        /// A rule in the circle.
        rule: Box<RuleSite>,
    },
}
