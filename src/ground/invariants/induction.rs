//! Proofs of invariants, all together.
//!
//! A candidate is proved when it holds at the start and, if all candidates hold in a state,
//! it holds after every joint move. Those that fail are taken out, which may make others fail, and so on until none
//! does: what is left is invariant (van Eijk, "Sequential equivalence checking based on
//! structural similarities", 2000, where the candidates are equivalences).

use rayon::prelude::*;
use rustc_hash::FxHashSet;

use super::Invariant;
use super::encoding;
use super::net::Net;
use super::step::{Scope, Verdict, When};
use propjit_stop::Stop;

/// How the candidates are tried: how much of the game is looked at, and how hard, in
/// conflicts of the solver. What is easily proved helps with the rest.
const WAYS: [(Scope, u64); 2] = [(Scope::Near, 500), (Scope::Whole, 1000)];

/// Those of the candidates, or of what is weaker, that are invariant for sure. Each way of
/// trying has its time.
pub(crate) fn prove(
    net: &Net,
    mut candidates: Vec<Invariant>,
    ends: [Stop; WAYS.len()],
) -> Vec<Invariant> {
    candidates.retain(|candidate| candidate.holds(net.game.initial()));
    let mut proved = Vec::new();
    for (how, end) in WAYS.into_iter().zip(ends) {
        let found = fixpoint(net, &proved, candidates.clone(), how, &end);
        proved.extend(found);
        let known: FxHashSet<&Invariant> = proved.iter().collect();
        candidates.retain(|candidate| !known.contains(candidate));
    }
    // What is weaker than another may have been proved before it.
    let weaker = proved
        .iter()
        .filter_map(|invariant| invariant.clone().weaker());
    let mut implied: FxHashSet<Invariant> = weaker.collect();
    proved.retain(|invariant| implied.insert(invariant.clone()));
    proved
}

/// The largest set of the candidates, or of what is weaker, that moves keep as a whole.
fn fixpoint(
    net: &Net,
    known: &[Invariant],
    mut candidates: Vec<Invariant>,
    how: (Scope, u64),
    end: &Stop,
) -> Vec<Invariant> {
    loop {
        let assumed = [known, &candidates].concat();
        let threads = rayon::current_num_threads();
        let chunk = candidates.len().div_ceil(4 * threads).max(8);
        let chunks = candidates.par_chunks(chunk);
        let keep = |chunk| keep(net, &assumed, chunk, how, end);
        let hold: Vec<bool> = chunks.flat_map_iter(keep).collect();
        let held = hold.iter().filter(|&&holds| holds).count();
        tracing::debug!(?how, tried = hold.len(), held, "round of induction");
        if hold.iter().all(|&holds| holds) {
            return candidates;
        }
        if end.is_set() {
            // Those that hold were proved with the help of others that may not.
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

/// The candidates that hold after a step from a state in which the assumed ones do.
fn keep(
    net: &Net,
    assumed: &[Invariant],
    candidates: &[Invariant],
    (scope, conflicts): (Scope, u64),
    end: &Stop,
) -> Vec<bool> {
    if end.is_set() {
        return vec![false; candidates.len()];
    }
    let mut step = encoding::step_with(net, assumed, scope, conflicts, end);
    let holds = |candidate: &Invariant| {
        let mut premises = vec![encoding::violated_next(&mut step, candidate)];
        if scope == Scope::Whole {
            premises.push(step.edge(When::Now, !net.terminal()));
        }
        step.ask(&premises) == Verdict::Impossible
    };
    candidates.iter().map(holds).collect()
}
