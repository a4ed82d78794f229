//! The prover: answers the questions of a match from the rules themselves,
//! without grounding them.
//!
//! It is the reference that other backends are tested against, and what plays
//! the games that cannot be grounded. A state is a set of ground terms, and
//! rules are stratified Datalog with function symbols: recursion means
//! the least fixpoint.
//!
//! How it works, from the rulesheet to an answer:
//!
//! - `definitions` sorts the rules by what they define; `materialise` derives in
//!   advance what no state and no move can change.
//! - `shape`: a relation is compiled once for each *call shape*, that is, for
//!   what a caller knows of its arguments. `specialise` and `clause` turn a rule
//!   into a clause for one shape, `order` orders its conditions by `statistics` of
//!   a `sample` of play, and `compile` does it for all calls that a match makes.
//! - `machine` proves goals on demand, each once; `store` keeps their answers in
//!   `table`s as long as they hold: for a joint move, for a state, for ever.
//!   `extension` indexes what is given: facts, the state, the moves.
//! - `limits`: what a query may cost. No rulesheet makes the prover hang.
//!
//! ```
//! use propjit_gdl::prover::{ProverLimits, Prover};
//! use propjit_gdl::rules::Rules;
//!
//! let parsed = Rules::parse("switch.kif", "
//!     (role player) (init off)
//!     (legal player flip) (legal player wait)
//!     (<= (next on) (true off) (does player flip))
//!     (<= (next ?lamp) (true ?lamp) (does player wait))
//!     (<= terminal (true on))
//!     (<= (goal player 100) (true on)) (<= (goal player 0) (true off))
//! ")?;
//! let mut prover = Prover::new(&parsed.rules, ProverLimits::default())?;
//! let state = prover.initial_state()?;
//! prover.set_state(&state);
//! let moves = prover.legal_moves(0)?;
//! let names: Vec<String> = moves.iter().map(|&m| prover.terms().text(m)).collect();
//! assert_eq!(names, ["flip", "wait"]);
//! let next = prover.next_state(&moves[..1])?;
//! prover.set_state(&next);
//! assert!(prover.is_terminal()?);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod clause;
mod compile;
mod definitions;
mod extension;
mod limits;
mod machine;
mod materialise;
mod order;
mod program;
mod sample;
mod shape;
mod specialise;
mod statistics;
mod store;
mod table;

use std::sync::Arc;

use crate::rules::{Keyword, RelationId, Rules};
use crate::source::Source;
use crate::term::{TermId, Terms};

use compile::{Context, compile};
use definitions::Definitions;
use limits::Cause;
pub use limits::{ProverError, ProverLimit, ProverLimits, RuleSite};
use machine::{Halt, Machine};
use materialise::materialise;
use program::{CallId, Program};
use sample::sample;
use shape::Shape;
use statistics::Statistics;

/// What a match asks of the rules.
#[derive(Clone, Copy)]
enum Question {
    Initial,
    Terminal,
    Legal,
    Goal,
    Next,
}

impl Question {
    const ALL: [Question; 5] = [
        Question::Initial,
        Question::Terminal,
        Question::Legal,
        Question::Goal,
        Question::Next,
    ];

    fn relation(self) -> RelationId {
        match self {
            Question::Initial => Keyword::Init.relation(),
            Question::Terminal => Keyword::Terminal.relation(),
            Question::Legal => Keyword::Legal.relation(),
            Question::Goal => Keyword::Goal.relation(),
            Question::Next => Keyword::Next.relation(),
        }
    }

    fn shapes(self) -> Vec<Shape> {
        match self {
            Question::Initial | Question::Next => vec![Shape::Free],
            Question::Terminal => vec![],
            Question::Legal | Question::Goal => vec![Shape::Bound, Shape::Free],
        }
    }

    /// The program's first calls are those of the questions.
    fn call(self) -> CallId {
        CallId(self as u32)
    }
}

/// Plays a game straight from its rules.
///
/// States are sets of fluents: terms of [`Prover::terms`] without the `true`
/// around them, sorted by number, each once. Answers are kept as long as they
/// hold, so that asking again costs next to nothing. After an error the
/// prover can be asked on.
#[derive(Clone)]
pub struct Prover {
    machine: Machine,
    roles: Vec<TermId>,
    source: Source,
}

/// A machine for the questions of a match.
fn build(
    definitions: &Definitions,
    statistics: &Statistics,
    terms: Terms,
    limits: ProverLimits,
) -> Machine {
    let context = Context {
        definitions,
        statistics,
        terms: &terms,
    };
    let roots = Question::ALL.map(|question| (question.relation(), question.shapes()));
    let program = Program {
        calls: compile(&context, roots),
        facts: Arc::clone(&definitions.facts),
    };
    Machine::new(program, terms, limits)
}

impl Prover {
    /// Compiles the rules. Every later query has the budget `limits`.
    ///
    /// # Errors
    /// [`ProverError::UnsafeVariable`]. [`Rules`] that were checked when they were
    /// parsed are safe.
    pub fn new(rules: &Rules, limits: ProverLimits) -> Result<Prover, ProverError> {
        let mut definitions = Definitions::new(rules)?;
        let mut statistics = Statistics::new(&definitions.facts, rules.roles.len());
        let mut terms = rules.terms.clone();
        let relations = Question::ALL.map(Question::relation);
        materialise(&mut definitions, &mut statistics, &mut terms, &relations);
        let mut prover = Prover {
            machine: build(&definitions, &statistics, terms, sample::LIMITS),
            roles: rules.roles.clone(),
            source: rules.source.clone(),
        };
        for limits in [sample::LIMITS, limits] {
            let states = sample(&mut prover);
            statistics.learn_states(&states, prover.terms());
            statistics.learn_calls(prover.machine.usage());
            let terms = prover.machine.into_terms();
            prover.machine = build(&definitions, &statistics, terms, limits);
        }
        Ok(prover)
    }

    /// The terms of fluents and moves. The terms of the rules keep their numbers;
    /// others are added as play goes on.
    pub fn terms(&self) -> &Terms {
        &self.machine.terms
    }

    /// The terms, to add those of a state or a move given as text.
    pub fn terms_mut(&mut self) -> &mut Terms {
        &mut self.machine.terms
    }

    /// The roles in the order of the rulesheet.
    pub fn roles(&self) -> &[TermId] {
        &self.roles
    }

    /// The initial state. The state that queries are about stays as it is.
    ///
    /// # Errors
    /// [`ProverError::Limit`] or [`ProverError::Unstratified`], as for every query.
    pub fn initial_state(&mut self) -> Result<Vec<TermId>, ProverError> {
        self.answers(Question::Initial, &[])
    }

    /// Sets the state that later queries are about; before the first call it is
    /// the empty one.
    pub fn set_state(&mut self, fluents: &[TermId]) {
        if fluents.is_sorted_by(|a, b| a < b) {
            self.machine.store.set_fluents(fluents);
        } else {
            let mut sorted = fluents.to_vec();
            sorted.sort_unstable();
            sorted.dedup();
            self.machine.store.set_fluents(&sorted);
        }
    }

    /// Whether the state is terminal.
    ///
    /// # Errors
    /// [`ProverError::Limit`] or [`ProverError::Unstratified`], as for every query.
    pub fn is_terminal(&mut self) -> Result<bool, ProverError> {
        let call = Question::Terminal.call();
        let mut terminal = false;
        let result = self.machine.solve(call, &[], |_| terminal = true);
        result.map_err(|halt| self.error(&halt))?;
        Ok(terminal)
    }

    /// The legal moves of a role (an index into [`Prover::roles`]), sorted by
    /// number, each once. None at all is possible.
    ///
    /// # Errors
    /// [`ProverError::Limit`] or [`ProverError::Unstratified`], as for every query.
    pub fn legal_moves(&mut self, role: usize) -> Result<Vec<TermId>, ProverError> {
        self.answers(Question::Legal, &[self.roles[role]])
    }

    /// The values of the state for a role (an index into [`Prover::roles`]): all
    /// that the rules give, of which there should be one in a terminal state.
    ///
    /// # Errors
    /// [`ProverError::Limit`] or [`ProverError::Unstratified`], as for every query.
    pub fn goals(&mut self, role: usize) -> Result<Vec<TermId>, ProverError> {
        self.answers(Question::Goal, &[self.roles[role]])
    }

    /// The state after a joint move: one move for each role, in the order of
    /// the roles. Whether the moves are legal is not asked.
    ///
    /// # Errors
    /// [`ProverError::Limit`] or [`ProverError::Unstratified`], as for every query.
    pub fn next_state(&mut self, joint: &[TermId]) -> Result<Vec<TermId>, ProverError> {
        let moves = self.roles.iter().zip(joint);
        self.machine
            .store
            .set_moves(moves.map(|(&role, &action)| [role, action]));
        self.answers(Question::Next, &[])
    }

    /// The rows, of one column, of a goal.
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
        }
    }
}
