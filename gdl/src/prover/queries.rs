//! Queries about a match: the initial state, legal moves, the next state and percepts, terminal states and
//! goals.

use std::fmt;

use propjit_stop::Stop;

use crate::rules::{Keyword, RelationId};
use crate::source::Source;
use crate::term::{TermId, Terms};

use super::error::{ProverError, RuleSite};
use super::frame::Halt;
use super::machine::Machine;
use super::meter::Cause;
use super::program::CallId;
use super::shape::Shape;

/// A kind of query.
#[derive(Clone, Copy)]
pub(super) enum Question {
    Initial,
    Terminal,
    Legal,
    Goal,
    Next,
    Percepts,
}

impl Question {
    pub(super) const ALL: [Question; 6] = [
        Question::Initial,
        Question::Terminal,
        Question::Legal,
        Question::Goal,
        Question::Next,
        Question::Percepts,
    ];

    pub(super) fn relation(self) -> RelationId {
        match self {
            Question::Initial => Keyword::Init.relation(),
            Question::Terminal => Keyword::Terminal.relation(),
            Question::Legal => Keyword::Legal.relation(),
            Question::Goal => Keyword::Goal.relation(),
            Question::Next => Keyword::Next.relation(),
            Question::Percepts => Keyword::Sees.relation(),
        }
    }

    pub(super) fn shapes(self) -> Vec<Shape> {
        match self {
            Question::Initial | Question::Next => vec![Shape::Free],
            Question::Terminal => vec![],
            Question::Legal | Question::Goal | Question::Percepts => {
                vec![Shape::Bound, Shape::Free]
            }
        }
    }

    /// The call of the question: a program's first calls are those of the questions.
    fn call(self) -> CallId {
        CallId(self as u32)
    }
}

/// An evaluator that plays a game from its rules, without grounding them.
///
/// States are sets of fluents: terms of [`Prover::terms`] without the `true`
/// around them, sorted by number, each once. Answers are kept as long as they
/// hold, so that repeated queries cost next to nothing. After an error, the
/// prover can be used further.
#[derive(Clone)]
pub struct Prover {
    pub(super) machine: Machine,
    pub(super) roles: Vec<TermId>,
    pub(super) source: Source,
}

impl fmt::Debug for Prover {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Prover")
            .field("source", &self.source.name())
            .field("roles", &self.roles.len())
            .finish_non_exhaustive()
    }
}

impl Prover {
    /// The terms of fluents and moves. The terms of the rules keep their numbers;
    /// others are added during play.
    pub fn terms(&self) -> &Terms {
        &self.machine.terms
    }

    /// The terms, for adding those of a state or a move given as text.
    pub fn terms_mut(&mut self) -> &mut Terms {
        &mut self.machine.terms
    }

    /// The roles in the order of the rulesheet.
    pub fn roles(&self) -> &[TermId] {
        &self.roles
    }

    /// The initial state. The state that queries are about is not changed.
    ///
    /// # Errors
    /// [`ProverError::Limit`], [`ProverError::Stopped`] or [`ProverError::Unstratified`], as for
    /// every query.
    pub fn initial_state(&mut self) -> Result<Vec<TermId>, ProverError> {
        self.answers(Question::Initial, &[])
    }

    /// Sets the state that later queries are about. Before the first call it is
    /// the empty state.
    pub fn set_state(&mut self, fluents: &[TermId]) {
        if fluents.is_sorted_by(|a, b| a < b) {
            self.machine.set_fluents(fluents);
        } else {
            let mut sorted = fluents.to_vec();
            sorted.sort_unstable();
            sorted.dedup();
            self.machine.set_fluents(&sorted);
        }
    }

    /// Whether the state is terminal.
    ///
    /// # Errors
    /// [`ProverError::Limit`], [`ProverError::Stopped`] or [`ProverError::Unstratified`], as for
    /// every query.
    pub fn is_terminal(&mut self) -> Result<bool, ProverError> {
        let call = Question::Terminal.call();
        let mut terminal = false;
        let result = self.machine.solve(call, &[], |_| terminal = true);
        result.map_err(|halt| self.error(&halt))?;
        Ok(terminal)
    }

    /// The legal moves of a role (an index into [`Prover::roles`]), sorted by
    /// number, each once. There may be none.
    ///
    /// # Errors
    /// [`ProverError::Limit`], [`ProverError::Stopped`] or [`ProverError::Unstratified`], as for
    /// every query.
    pub fn legal_moves(&mut self, role: usize) -> Result<Vec<TermId>, ProverError> {
        self.answers(Question::Legal, &[self.roles[role]])
    }

    /// One of the legal moves of a role (an index into [`Prover::roles`]), if there is one: the
    /// first that is found. It costs far less than to find all of them where these are many.
    ///
    /// # Errors
    /// [`ProverError::Limit`], [`ProverError::Stopped`] or [`ProverError::Unstratified`], as for
    /// every query.
    pub fn any_legal_move(&mut self, role: usize) -> Result<Option<TermId>, ProverError> {
        let found = self
            .machine
            .solve_any(Question::Legal.call(), &[self.roles[role]]);
        found.map_err(|halt| self.error(&halt))
    }

    /// Sets the token that stops queries from now on: see [`ProverLimits::stop`](super::ProverLimits::stop).
    pub fn set_stop(&mut self, stop: Stop) {
        self.machine.set_stop(stop);
    }

    /// The values of the state for a role (an index into [`Prover::roles`]): all
    /// that the rules derive, of which there should be one in a terminal state.
    ///
    /// # Errors
    /// [`ProverError::Limit`], [`ProverError::Stopped`] or [`ProverError::Unstratified`], as for
    /// every query.
    pub fn goals(&mut self, role: usize) -> Result<Vec<TermId>, ProverError> {
        self.answers(Question::Goal, &[self.roles[role]])
    }

    /// The state after a joint move: one move for each role, in the order of
    /// the roles. The moves are not checked for legality.
    ///
    /// # Errors
    /// [`ProverError::Limit`], [`ProverError::Stopped`] or [`ProverError::Unstratified`], as for
    /// every query.
    pub fn next_state(&mut self, joint: &[TermId]) -> Result<Vec<TermId>, ProverError> {
        self.set_moves(joint);
        self.answers(Question::Next, &[])
    }

    /// What a role (an index into [`Prover::roles`]) perceives after a joint move: one move for each role, in the order of
    /// the roles. Percepts are sorted by number, each once.
    ///
    /// # Errors
    /// [`ProverError::Limit`], [`ProverError::Stopped`] or [`ProverError::Unstratified`], as for
    /// every query.
    pub fn percepts(&mut self, joint: &[TermId], role: usize) -> Result<Vec<TermId>, ProverError> {
        self.set_moves(joint);
        self.answers(Question::Percepts, &[self.roles[role]])
    }

    fn set_moves(&mut self, joint: &[TermId]) {
        let moves = self.roles.iter().zip(joint);
        self.machine
            .store
            .set_moves(moves.map(|(&role, &action)| [role, action]));
    }

    /// The rows of a goal that has one column.
    fn answers(&mut self, question: Question, key: &[TermId]) -> Result<Vec<TermId>, ProverError> {
        let call = question.call();
        let mut answers = Vec::new();
        let result = self
            .machine
            .solve(call, key, |row| answers.extend_from_slice(row));
        result.map_err(|halt| self.error(&halt))?;
        answers.sort_unstable();
        Ok(answers)
    }

    fn error(&self, halt: &Halt) -> ProverError {
        let clauses = &self.machine.program().calls[halt.call.index()].clauses;
        let span = clauses.get(halt.clause as usize).map(|clause| clause.span);
        let rule = Box::new(RuleSite::new(&self.source, span.unwrap_or_default()));
        match halt.cause {
            Cause::Limit { limit, allowed } => ProverError::Limit {
                limit,
                allowed,
                rule,
            },
            Cause::Unstratified => ProverError::Unstratified { rule },
            Cause::Stopped | Cause::Enough => ProverError::Stopped { rule },
        }
    }
}
