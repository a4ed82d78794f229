//! Literals that never change again once they hold.
//!
//! A literal is latched if it holds in the next state whenever it holds in a state,
//! whatever is played. Matches end in terminal states, so what would follow from those does
//! not count; a literal that holds in terminal states only is *final*, which makes it no
//! latch. "Goal Latches" (Sancho's blog, 2014) gives `not X and c` as the form of a negative
//! latch; that is none, for `c` may become true later. `X and c` is meant.

use propjit_jit::circuit::Edge;
use rayon::prelude::*;

use super::clock::Deadline;
use super::invariant::{self, Invariant};
use super::samples::Samples;
use super::step::{Net, Step, Verdict, When};
use super::structural::{Decided, LANES};
use super::{Literal, Method};

/// How hard one literal is tried.
pub(super) const CONFLICTS: u64 = 20_000;

/// What was found out about a property of states.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    /// It is latched.
    Latched(Method),
    /// It holds in terminal states only.
    Final,
    /// It can come and go, in some state in which the invariants hold.
    Free,
    /// There was no time to find out.
    Undecided,
}

/// The kind of each literal.
pub(super) fn literals(
    net: &Net,
    invariants: &[Invariant],
    samples: &Samples,
    literals: &[Literal],
    end: &Deadline,
) -> Vec<Kind> {
    let chunks = literals.par_chunks(LANES);
    let of_chunk = |chunk: &[Literal]| {
        let decided = Decided::by(net.circuit, chunk);
        let mut step: Option<Step> = None;
        let kind = |(lane, &literal): (usize, &Literal)| {
            if samples.was_lost(literal) {
                return Kind::Free;
            }
            let next = net.next(literal.proposition).invert_if(!literal.value);
            if decided.edge(next).0 >> lane & 1 == 1 {
                return Kind::Latched(Method::Structural);
            }
            let step = step.get_or_insert_with(|| Step::new(net, invariants, CONFLICTS, end));
            let now = invariant::of(step, When::Now, literal);
            let next = invariant::of(step, When::Next, literal);
            kind(net, step, now, next)
        };
        chunk.iter().enumerate().map(kind).collect::<Vec<_>>()
    };
    chunks.flat_map_iter(of_chunk).collect()
}

/// The kind of each of these edges, which depend on the state alone.
pub(super) fn edges(
    net: &Net,
    invariants: &[Invariant],
    edges: &[Edge],
    end: &Deadline,
) -> Vec<Kind> {
    let edges = edges.par_chunks(8);
    let of_chunk = |chunk: &[Edge]| {
        let mut step = Step::new(net, invariants, CONFLICTS, end);
        let kind = |&edge: &Edge| {
            let now = step.edge(When::Now, edge);
            let next = step.edge(When::Next, edge);
            kind(net, &mut step, now, next)
        };
        chunk.iter().map(kind).collect::<Vec<_>>()
    };
    edges.flat_map_iter(of_chunk).collect()
}

/// The kind of what is `now` in a state and `next` in the next one.
pub(super) fn kind(net: &Net, step: &mut Step, now: batsat::Lit, next: batsat::Lit) -> Kind {
    let goes_on = step.edge(When::Now, !net.terminal());
    match step.ask(&[now, !next, goes_on]) {
        Verdict::Possible => return Kind::Free,
        Verdict::Unknown => return Kind::Undecided,
        Verdict::Impossible if !step.was_needed(goes_on) => return Kind::Latched(Method::Sat),
        Verdict::Impossible => {}
    }
    match step.ask(&[now, goes_on]) {
        Verdict::Possible => return Kind::Latched(Method::Sat),
        Verdict::Unknown => return Kind::Undecided,
        Verdict::Impossible => {}
    }
    // Even a final literal may be kept by the rules alone.
    match step.ask(&[now, !next]) {
        Verdict::Impossible => Kind::Latched(Method::Sat),
        _ => Kind::Final,
    }
}
