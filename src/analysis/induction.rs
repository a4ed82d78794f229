//! Proofs of invariants, all together.
//!
//! A candidate is proved when it holds at the start and, if all candidates hold in a state,
//! it holds after every joint move. Those that fail are taken out, which may make others fail, and so on until none
//! does: what is left is invariant (van Eijk, "Sequential equivalence checking based on
//! structural similarities", 2000, where the candidates are equivalences).

use batsat::Lit;
use rayon::prelude::*;
use rustc_hash::FxHashSet;

use super::clock::Deadline;
use super::invariant::Invariant;
use super::step::{Net, Scope, Step, Verdict, When};

/// How hard one candidate is tried, in conflicts of the solver: there are many.
const CONFLICTS: u64 = 1000;

/// Those of the candidates, or what is weaker, that are invariant for sure. First those
/// whose reasons are near at hand, in half the time at most.
pub(super) fn prove(
    net: &Net,
    mut candidates: Vec<Invariant>,
    half: &Deadline,
    end: &Deadline,
) -> Vec<Invariant> {
    candidates.retain(|candidate| candidate.holds(net.game.initial()));
    let mut proved = fixpoint(net, &[], candidates.clone(), Scope::Near, half);
    let known: FxHashSet<&Invariant> = proved.iter().collect();
    candidates.retain(|candidate| !known.contains(candidate));
    let others = fixpoint(net, &proved, candidates, Scope::Whole, end);
    proved.extend(others);
    // What is weaker may have been proved before.
    let strongest = proved
        .iter()
        .filter_map(|invariant| invariant.clone().weaker());
    let implied: FxHashSet<Invariant> = strongest.collect();
    proved.retain(|invariant| !implied.contains(invariant));
    proved
}

/// The largest set of the candidates, or of what is weaker, that moves keep as a whole.
fn fixpoint(
    net: &Net,
    known: &[Invariant],
    mut candidates: Vec<Invariant>,
    scope: Scope,
    end: &Deadline,
) -> Vec<Invariant> {
    loop {
        let assumed = [known, &candidates].concat();
        let threads = rayon::current_num_threads();
        let chunk = candidates.len().div_ceil(4 * threads).max(8);
        let chunks = candidates.par_chunks(chunk);
        let keep = |chunk| keep(net, &assumed, chunk, scope, end);
        let hold: Vec<bool> = chunks.flat_map_iter(keep).collect();
        tracing::debug!(
            ?scope,
            tried = hold.len(),
            held = hold.iter().filter(|&&h| h).count(),
            "round of induction"
        );
        if end.passed() {
            // Those that seemed to hold were proved with the help of others that may not.
            return Vec::new();
        }
        if hold.iter().all(|&holds| holds) {
            return candidates;
        }
        let tried = candidates.into_iter().zip(hold);
        let left = tried.filter_map(|(candidate, holds)| match holds {
            true => Some(candidate),
            false => candidate.weaker(),
        });
        candidates = left.collect();
    }
}

/// Which of the candidates hold after a step from a state in which the assumed ones do.
fn keep(
    net: &Net,
    assumed: &[Invariant],
    candidates: &[Invariant],
    scope: Scope,
    end: &Deadline,
) -> Vec<bool> {
    let mut step = Step::new(net, assumed, scope, CONFLICTS, end);
    let mut holds = vec![true; candidates.len()];
    let violated: Vec<Lit> = candidates
        .iter()
        .map(|candidate| candidate.violated_next(&mut step))
        .collect();
    for at in 0..candidates.len() {
        if !holds[at] {
            continue;
        }
        let mut premises = vec![violated[at]];
        if scope == Scope::Whole {
            premises.push(step.edge(When::Now, !net.terminal()));
        }
        match step.ask(&premises) {
            Verdict::Impossible => {}
            Verdict::Unknown => holds[at] = false,
            Verdict::Possible => {
                for (&lit, holds) in violated.iter().zip(&mut holds) {
                    *holds &= !step.was_true(lit);
                }
            }
        }
    }
    holds
}
