//! Programs: the rules of a game compiled for the machine, as calls, clauses and their steps.

use std::sync::Arc;

use smallvec::SmallVec;

use crate::rules::RelationId;
use crate::source::Span;
use crate::term::{Symbol, TermId, Terms};

use super::shape::Shape;

/// The number of a call in [`Program::calls`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct CallId(pub u32);

impl CallId {
    pub(super) fn index(self) -> usize {
        self.0 as usize
    }
}

/// The lifetime of a call's answers.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Lifetime {
    /// For ever: the answers do not depend on the state.
    Match = 0,
    /// As long as the state.
    State = 1,
    /// As long as the joint move.
    Move = 2,
}

/// The origin of a call's answers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Origin {
    /// The clauses of a relation.
    Clauses(RelationId),
    /// The facts of a relation.
    Facts(RelationId),
    /// The current state: the relation `true`.
    Fluents,
    /// The current joint move: the relation `does`.
    Moves,
    /// The rows of another call of the same relation, which derives them for several goals of this one.
    View(CallId),
}

/// A relation called in one shape.
pub(super) struct Call {
    pub origin: Origin,
    pub shapes: Vec<Shape>,
    pub lifetime: Lifetime,
    /// Whether answers depend on answers of the same call, maybe through others.
    pub recursive: bool,
    /// For [`Origin::Clauses`] only.
    pub clauses: Vec<Clause>,
    /// Whether the relation is derived [whole](super::whole).
    pub is_whole: bool,
    /// For [`Origin::View`] only: the columns of the key that are the key of the other call.
    pub base_key: Vec<usize>,
}

/// A rule compiled for one call shape. Its variables are slots.
pub(super) struct Clause {
    /// The rule, for messages.
    pub span: Span,
    /// The way to match the key.
    pub key: Vec<Match>,
    pub steps: Vec<Step>,
    /// The row that follows.
    pub row: Vec<TermTemplate>,
    /// The number of slots.
    pub slots: usize,
    /// The last step that binds a slot of the row, or [`NONE`](super::table::NONE): after an answer,
    /// another success of any later step gives the same answer again.
    pub resume: u32,
}

/// A condition of a clause.
pub(super) struct Step {
    pub test: Test,
    /// The step to return to when this one fails: the last one before it that
    /// may succeed in another way, or [`NONE`](super::table::NONE).
    pub back: u32,
}

/// The test of a step.
pub(super) enum Test {
    /// There is a row; each binds slots, unless `once`.
    Present(Query),
    /// There is no row.
    Absent(Query),
    /// The terms differ.
    Distinct(TermTemplate, TermTemplate),
}

/// A goal, and the way to match its rows.
pub(super) struct Query {
    pub call: CallId,
    pub key: Vec<TermTemplate>,
    pub row: Vec<Match>,
    /// Whether nothing is bound, so that one row is enough.
    pub once: bool,
    /// Whether the condition is positive and the called goals may depend on the goal
    /// that calls: the two are then proved together.
    pub same_component: bool,
}

/// A template for making a term.
#[derive(Clone, Debug)]
pub(super) enum TermTemplate {
    Slot(u32),
    Constant(TermId),
    Compound(Symbol, Vec<TermTemplate>),
}

/// A pattern for matching a term, with the slots for its parts.
#[derive(Clone, Debug)]
pub(super) enum Match {
    Skip,
    Bind(u32),
    Equal(u32),
    Constant(TermId),
    Compound(Symbol, Vec<Match>),
}

/// The facts of a relation: distinct rows in the order of the source.
#[derive(Clone)]
pub(super) struct Facts {
    pub arity: usize,
    pub count: usize,
    pub values: Vec<TermId>,
}

impl Facts {
    /// No facts yet.
    pub(super) fn new(arity: usize) -> Facts {
        Facts {
            arity,
            count: 0,
            values: Vec::new(),
        }
    }

    /// Adds a row, which must be new.
    pub(super) fn push(&mut self, row: impl IntoIterator<Item = TermId>) {
        self.count += 1;
        self.values.extend(row);
    }
    /// The rows. Those of a relation without arguments are empty.
    pub(super) fn rows(&self) -> impl Iterator<Item = &[TermId]> {
        (0..self.count).map(|row| &self.values[row * self.arity..][..self.arity])
    }
}

/// A game, compiled.
#[derive(Default)]
pub(super) struct Program {
    pub calls: Vec<Call>,
    /// By relation.
    pub facts: Arc<Vec<Facts>>,
}

impl TermTemplate {
    /// The term, entered in `terms` if it is new. Recursion is bounded by the
    /// depth of patterns.
    #[inline]
    pub(super) fn build(&self, terms: &mut Terms, slots: &[TermId]) -> TermId {
        match self {
            TermTemplate::Slot(slot) => slots[*slot as usize],
            TermTemplate::Constant(term) => *term,
            TermTemplate::Compound(functor, args) => build_compound(*functor, args, terms, slots),
        }
    }
}

#[inline(never)]
fn build_compound(
    functor: Symbol,
    args: &[TermTemplate],
    terms: &mut Terms,
    slots: &[TermId],
) -> TermId {
    let args: SmallVec<[TermId; 8]> = args.iter().map(|arg| arg.build(terms, slots)).collect();
    terms.term(functor, &args)
}

impl Match {
    /// Whether `term` matches; binds slots on the way.
    #[inline]
    fn matches(&self, terms: &Terms, term: TermId, slots: &mut [TermId]) -> bool {
        match self {
            Match::Skip => true,
            Match::Bind(slot) => {
                slots[*slot as usize] = term;
                true
            }
            Match::Equal(slot) => slots[*slot as usize] == term,
            Match::Constant(constant) => *constant == term,
            Match::Compound(functor, args) => compound_matches(*functor, args, terms, term, slots),
        }
    }

    /// Whether the terms, of which there are as many, match one by one.
    #[inline]
    pub(super) fn all_match(
        matches: &[Match],
        terms: &Terms,
        values: &[TermId],
        slots: &mut [TermId],
    ) -> bool {
        let mut pairs = matches.iter().zip(values);
        pairs.all(|(one, &value)| one.matches(terms, value, slots))
    }

    /// Calls `visit` for every slot that is bound.
    pub(super) fn for_each_bind(&self, visit: &mut impl FnMut(u32)) {
        match self {
            Match::Bind(slot) => visit(*slot),
            Match::Compound(_, args) => args.iter().for_each(|arg| arg.for_each_bind(visit)),
            Match::Skip | Match::Equal(_) | Match::Constant(_) => {}
        }
    }
}

#[inline(never)]
fn compound_matches(
    functor: Symbol,
    args: &[Match],
    terms: &Terms,
    term: TermId,
    slots: &mut [TermId],
) -> bool {
    let values = terms.args(term);
    terms.functor(term) == functor
        && values.len() == args.len()
        && Match::all_match(args, terms, values, slots)
}

impl TermTemplate {
    /// Calls `visit` for every slot that is read.
    pub(super) fn for_each_slot(&self, visit: &mut impl FnMut(u32)) {
        match self {
            TermTemplate::Slot(slot) => visit(*slot),
            TermTemplate::Constant(_) => {}
            TermTemplate::Compound(_, args) => args.iter().for_each(|arg| arg.for_each_slot(visit)),
        }
    }
}

impl Step {
    /// Whether the step may succeed in another way after it succeeded once.
    pub(super) fn has_choice(&self) -> bool {
        matches!(&self.test, Test::Present(query) if !query.once)
    }
}
