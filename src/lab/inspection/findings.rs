//! Findings: errors and oddities of a game.

use std::fmt;

use serde::Serialize;

use super::example::Example;

/// A kind of finding.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum FindingKind {
    /// The rules cannot be evaluated, as with a recursion that never ends.
    NotEvaluated,
    /// A role has no legal move in a state that is not terminal.
    NoLegalMove,
    /// A role has no goal in a terminal state.
    NoGoal,
    /// A role has several goals in a terminal state.
    SeveralGoals,
    /// A match does not end.
    NeverEnds,
    /// No match was over in the available time, so that nothing is known of ends, goals and moves.
    NoMatch,
    /// The game could not be grounded, so that it is played by the prover.
    NotGrounded,
    /// A fluent that play reaches and `base` does not declare.
    UndeclaredFluent,
    /// A move that play reaches and `input` does not declare.
    UndeclaredMove,
    /// A role does not know by its percepts whether it may play a move.
    UnknownMoves,
    /// A goal that no match gives.
    UnreachedGoal,
    /// A move that is never legal.
    UnreachedMove,
    /// A rule with conditions that never hold.
    DeadRule,
    /// It is not known which rules are dead.
    DeadRulesUnknown,
}

impl FindingKind {
    /// The name of the kind, such as `no-legal-move`.
    pub fn name(self) -> &'static str {
        match self {
            FindingKind::NotEvaluated => "not-evaluated",
            FindingKind::NoLegalMove => "no-legal-move",
            FindingKind::NoGoal => "no-goal",
            FindingKind::SeveralGoals => "several-goals",
            FindingKind::NeverEnds => "never-ends",
            FindingKind::NoMatch => "no-match",
            FindingKind::NotGrounded => "not-grounded",
            FindingKind::UndeclaredFluent => "undeclared-fluent",
            FindingKind::UndeclaredMove => "undeclared-move",
            FindingKind::UnknownMoves => "unknown-moves",
            FindingKind::UnreachedGoal => "unreached-goal",
            FindingKind::UnreachedMove => "unreached-move",
            FindingKind::DeadRule => "dead-rule",
            FindingKind::DeadRulesUnknown => "dead-rules-unknown",
        }
    }
}

/// The evidence for a finding.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Proof {
    /// There is an example.
    Example,
    /// It holds in all matches.
    Proved,
    /// It held in all matches that were played.
    Seen,
}

/// An error or oddity of a game.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Finding {
    /// Its kind.
    pub kind: FindingKind,
    /// Whether the language forbids it ("Game Description Language specification", Love et al.
    /// 2008, section 9). If not, it is odd.
    pub is_error: bool,
    /// The role that it is about, if it is about one.
    pub role: Option<String>,
    /// A description, in one sentence.
    pub message: String,
    /// The evidence.
    pub proof: Proof,
    /// The number of matches with it, if that was counted.
    pub matches: Option<u64>,
    /// The first example.
    pub example: Option<Example>,
    /// The line in the rulesheet, from 1, of a rule.
    pub line: Option<usize>,
}

impl Finding {
    /// A finding that is known in this way, without an example.
    pub(super) fn new(kind: FindingKind, proof: Proof, message: String) -> Finding {
        Finding {
            kind,
            is_error: false,
            role: None,
            message,
            proof,
            matches: None,
            example: None,
            line: None,
        }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let severity = if self.is_error { "error" } else { "warning" };
        write!(f, "{severity}[{}]: {}", self.kind.name(), self.message)?;
        match self.proof {
            Proof::Proved => write!(f, " (proved)")?,
            Proof::Seen => write!(f, " (not proved)")?,
            Proof::Example => {}
        }
        if let Some(example) = &self.example {
            write!(f, "\n{example}")?;
        }
        Ok(())
    }
}
