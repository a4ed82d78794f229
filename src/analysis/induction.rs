//! Proofs of invariants, all together.
//!
//! A candidate is proved when it holds at the start and, if all candidates hold in a state,
//! it holds after every joint move. Those that fail are taken out, which may make others fail, and so on until none
//! does: what is left is invariant (van Eijk, "Sequential equivalence checking based on
//! structural similarities", 2000, where the candidates are equivalences).

use batsat::Lit;
use rayon::prelude::*;

use super::clock::Deadline;
use super::invariant::Invariant;
use super::step::{Net, Step, Verdict, When};

/// How hard one candidate is tried.
const CONFLICTS: u64 = 2000;

/// Those of the candidates, or what is weaker, that are invariant for sure.
pub(super) fn prove(net: &Net, mut candidates: Vec<Invariant>, end: &Deadline) -> Vec<Invariant> {
    candidates.retain(|candidate| candidate.holds(net.game.initial()));
    loop {
        let chunk = candidates
            .len()
            .div_ceil(4 * rayon::current_num_threads())
            .max(8);
        let chunks = candidates.par_chunks(chunk);
        let hold: Vec<bool> = chunks
            .flat_map_iter(|chunk| keep(net, &candidates, chunk, end))
            .collect();
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
fn keep(net: &Net, assumed: &[Invariant], candidates: &[Invariant], end: &Deadline) -> Vec<bool> {
    let mut step = Step::new(net, assumed, CONFLICTS, end);
    let goes_on = step.edge(When::Now, !net.terminal());
    let mut holds = vec![true; candidates.len()];
    let violated: Vec<Lit> = candidates
        .iter()
        .map(|candidate| candidate.violated_next(&mut step))
        .collect();
    for at in 0..candidates.len() {
        if !holds[at] {
            continue;
        }
        match step.ask(&[violated[at], goes_on]) {
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
