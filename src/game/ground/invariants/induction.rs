//! Simultaneous induction proofs of invariants.
//!
//! A candidate is proved when it holds at the start and, if all candidates hold in a state,
//! it holds after every joint move. Those that fail are removed, which may make others fail, and so on until none
//! does: the remaining ones are invariant (van Eijk, "Sequential equivalence checking based on structural
//! similarities", 2000, where the candidates are equivalences).

use std::ops::Range;

use batsat::Lit;
use propjit_jit::circuit::Edge;
use propjit_jit::parallel;
use rustc_hash::FxHashSet;

use super::Invariant;
use super::encoding;
use super::net::Net;
use super::step::{Scope, Step, Verdict, When};
use propjit_stop::Stop;

/// The effort with which candidates are tried.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Effort {
    /// How much of the game is encoded.
    pub(crate) scope: Scope,
    /// The maximum number of conflicts of the solver for one query.
    pub(crate) conflicts: u64,
    /// Whether to query the moves of a role one by one, and of the next role where that is not
    /// enough: easier queries, but many.
    pub(crate) by_move: bool,
}

impl Effort {
    const fn new(scope: Scope, conflicts: u64) -> Effort {
        Effort {
            scope,
            conflicts,
            by_move: false,
        }
    }
}

/// The efforts with which the candidates are tried, in order. Invariants that are easily proved
/// help with the rest.
const WAYS: [Effort; 2] = [
    Effort::new(Scope::Near, 500),
    Effort::new(Scope::Whole, 1000),
];

/// Returns the candidates, or weaker versions, that are proved invariant, and the known invariants.
/// Each effort has its time.
pub(crate) fn prove(
    net: &Net,
    known: Vec<Invariant>,
    mut candidates: Vec<Invariant>,
    ends: [Stop; WAYS.len()],
) -> Vec<Invariant> {
    candidates.retain(|candidate| candidate.holds(net.game.initial()));
    let mut proved = known;
    for (how, end) in WAYS.into_iter().zip(ends) {
        let found = fixpoint(net, &proved, candidates.clone(), how, &end);
        proved.extend(found);
        let known: FxHashSet<&Invariant> = proved.iter().collect();
        candidates.retain(|candidate| !known.contains(candidate));
    }
    // A weaker version may have been proved before.
    let weaker = proved
        .iter()
        .filter_map(|invariant| invariant.clone().weaker());
    let mut implied: FxHashSet<Invariant> = weaker.collect();
    proved.retain(|invariant| implied.insert(invariant.clone()));
    proved
}

/// Returns the largest set of candidates, or weaker versions, that moves keep as a whole, from
/// states in which the known invariants hold. They have to hold at the start.
pub(crate) fn fixpoint(
    net: &Net,
    known: &[Invariant],
    mut candidates: Vec<Invariant>,
    how: Effort,
    end: &Stop,
) -> Vec<Invariant> {
    loop {
        let assumed = [known, &candidates].concat();
        let threads = parallel::threads();
        let least = if how.by_move { 1 } else { 8 };
        let chunk = candidates.len().div_ceil(4 * threads).max(least);
        let keep = |chunk: &[Invariant]| keep(net, &assumed, chunk, how, end);
        let hold = parallel::flat_map_chunks(&candidates, chunk, keep);
        let held = hold.iter().filter(|&&holds| holds).count();
        tracing::debug!(?how, tried = hold.len(), held, "round of induction");
        if hold.iter().all(|&holds| holds) {
            return candidates;
        }
        if end.is_set() {
            // Those that hold were proved assuming others that may not.
            return Vec::new();
        }
        let tried = candidates.into_iter().zip(hold);
        let left = tried.filter_map(|(candidate, holds)| match holds {
            true => Some(candidate),
            false => candidate.weaker(),
        });
        let mut seen = FxHashSet::default();
        candidates = left.filter(|left| seen.insert(left.clone())).collect();
    }
}

/// Returns the candidates that hold after a step from a state in which the assumed ones do.
pub(crate) fn keep(
    net: &Net,
    assumed: &[Invariant],
    candidates: &[Invariant],
    how: Effort,
    end: &Stop,
) -> Vec<bool> {
    if end.is_set() {
        return vec![false; candidates.len()];
    }
    let Effort {
        scope, conflicts, ..
    } = how;
    let mut step = encoding::step_with(net, assumed, scope, conflicts, end);
    let holds = |candidate: &Invariant| {
        let mut premises = vec![encoding::violated_next(&mut step, candidate)];
        if scope == Scope::Whole {
            premises.push(step.edge(When::Now, !net.terminal()));
        }
        match how.by_move {
            true => is_impossible(net, &mut step, &premises, &net.layout.does),
            false => step.query(&premises) == Verdict::Impossible,
        }
    };
    candidates.iter().map(holds).collect()
}

/// Returns whether the premises are impossible with each move of the first of these roles, and,
/// where that is undecided, with each move of the next one.
fn is_impossible(net: &Net, step: &mut Step, premises: &[Lit], roles: &[Range<usize>]) -> bool {
    let Some((does, others)) = roles.split_first() else {
        return false;
    };
    does.clone().all(|input| {
        let made = step.edge(When::Now, Edge::from(net.circuit.inputs()[input]));
        let premises = [premises, &[made]].concat();
        match step.query(&premises) {
            Verdict::Impossible => true,
            Verdict::Possible => false,
            Verdict::Unknown => is_impossible(net, step, &premises, others),
        }
    })
}
