//! Inhibitors, propositions that forbid others: `p` inhibits `q` if `q` is false in every state
//! that follows one with `p` (Genesereth and Thielscher, chapter 12).
//!
//! Inhibition that a proposition decides by itself is found for all pairs. Other pairs are tried if
//! random matches should often have shown `p` and then `q`, were the two independent, but never
//! did.

use propjit_jit::circuit::Edge;
use propjit_jit::parallel;
use rustc_hash::{FxHashMap, FxHashSet};

use super::fact::{Fact, ProofMethod};
use super::inquiry::Inquiry;
use super::samples::{Samples, count};
use super::structural::{Decided, LANES};
use crate::game::ground::Literal;
use crate::game::ground::invariants::Invariant;
use crate::game::ground::invariants::net::Net;
use crate::game::ground::invariants::step::{Verdict, When};
use crate::game::vocabulary::state::ones;
use propjit_stop::Stop;

/// The minimum expected number of occurrences of `p` and then `q`.
const EXPECTED: u64 = 16;

/// The maximum number of pairs that are tried.
const MOST: usize = 2000;

/// The maximum number of pairs that are searched for, to try the best of them.
const MAX_SEEN: usize = 500_000;

/// The maximum number of reported pairs that need no proof.
const MAX_STRUCTURAL: usize = 20_000;

/// A proposition that forbids another in the next state.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Inhibitor {
    /// The one that forbids.
    pub inhibitor: usize,
    /// The one that is false in the next state.
    pub inhibited: usize,
}

/// The facts that make an inhibitor trivial: at most one of a group is true, and a different one
/// after every step, as for the player to move.
pub(super) struct Known {
    /// The groups that each proposition belongs to.
    groups: FxHashMap<usize, Vec<usize>>,
    latched: FxHashSet<usize>,
}

impl Known {
    pub(super) fn new(invariants: &[Invariant], latches: &[Fact<Literal>]) -> Known {
        let mut groups: FxHashMap<usize, Vec<usize>> = FxHashMap::default();
        for (number, invariant) in invariants.iter().enumerate() {
            if let Invariant::ExactlyOne(group) | Invariant::AtMostOne(group) = invariant {
                for &base in group {
                    groups.entry(base).or_default().push(number);
                }
            }
        }
        let latched = latches.iter().filter(|latch| latch.what.value);
        Known {
            groups,
            latched: latched.map(|latch| latch.what.proposition).collect(),
        }
    }

    fn is_worthwhile(&self, pair: Inhibitor) -> bool {
        let of = |base: usize| self.groups.get(&base).map_or(&[][..], |groups| groups);
        let others = of(pair.inhibited);
        let mut groups = of(pair.inhibitor).iter();
        self.latched.contains(&pair.inhibitor) || !groups.any(|group| others.contains(group))
    }
}

/// Returns the inhibitors, in order, and the number of pairs that were not decided, or not even tried because of
/// the limit.
pub(super) fn find(
    net: &Net,
    invariants: &[Invariant],
    samples: &Samples,
    known: &Known,
    propositions: &[usize],
    end: &Stop,
) -> (Vec<Fact<Inhibitor>>, usize) {
    let mut found = structural(net, propositions, end);
    found.retain(|fact| known.is_worthwhile(fact.what));
    let decided: FxHashSet<Inhibitor> = found.iter().map(|fact| fact.what).collect();
    let mut pairs = seen(net, samples, propositions, end);
    pairs.retain(|&(_, pair)| known.is_worthwhile(pair) && !decided.contains(&pair));
    pairs.sort_by_key(|&(expected, pair)| (std::cmp::Reverse(expected), pair));
    let left_out = pairs.len().saturating_sub(MOST);
    pairs.truncate(MOST);
    // Those with the same next state need the same clauses.
    pairs.sort_by_key(|&(_, pair)| (pair.inhibited, pair.inhibitor));
    let of_chunk = |chunk: &[(u64, Inhibitor)]| {
        let mut inquiry = Inquiry::new(net, invariants, end);
        let verdict = |&(_, pair): &(u64, Inhibitor)| {
            let verdict = inquiry.query(|step| {
                let now = step.base(When::Now, pair.inhibitor);
                vec![now, step.base(When::Next, pair.inhibited)]
            });
            (pair, verdict)
        };
        chunk.iter().map(verdict).collect::<Vec<_>>()
    };
    let verdicts = parallel::flat_map_chunks(&pairs, 64, of_chunk);
    let with = |wanted| {
        verdicts
            .iter()
            .filter(move |(_, verdict)| *verdict == wanted)
    };
    found.extend(with(Verdict::Impossible).map(|&(what, _)| Fact {
        what,
        method: ProofMethod::Sat,
    }));
    found.sort_by_key(|fact| fact.what);
    (found, with(Verdict::Unknown).count() + left_out)
}

/// Returns the pairs in which the first decides the second by itself.
fn structural(net: &Net, propositions: &[usize], end: &Stop) -> Vec<Fact<Inhibitor>> {
    let mut found = Vec::new();
    for chunk in propositions.chunks(LANES) {
        if end.is_set() || found.len() >= MAX_STRUCTURAL {
            break;
        }
        let literals: Vec<Literal> = chunk.iter().map(|&base| Literal::new(base, true)).collect();
        let decided = Decided::by(net.circuit, &literals);
        for &inhibited in propositions {
            let next = net.next(inhibited);
            if next == Edge::FALSE {
                // The proposition is false next, whatever was true before.
                continue;
            }
            for lane in ones([decided.edge(next).1].into_iter()) {
                let inhibitor = chunk[lane];
                let what = Inhibitor {
                    inhibitor,
                    inhibited,
                };
                let method = ProofMethod::Structural;
                found.push(Fact { what, method });
            }
        }
    }
    found
}

/// Returns the pairs that should have been seen and were not, with their expected frequency.
fn seen(net: &Net, samples: &Samples, propositions: &[usize], end: &Stop) -> Vec<(u64, Inhibitor)> {
    if end.is_set() {
        return Vec::new();
    }
    let [before, after] = samples.rows(net.layout.bases.len());
    let steps = samples.kept().max(1) as u64;
    let after: Vec<(usize, u64, &Vec<u64>)> = propositions
        .iter()
        .map(|&base| (base, count(&after[base]), &after[base]))
        .collect();
    let mut found = Vec::new();
    for &inhibitor in propositions {
        if end.is_set() || found.len() >= MAX_SEEN {
            break;
        }
        let row = &before[inhibitor];
        let held = count(row);
        for &(inhibited, follows, next) in &after {
            let expected = held * follows / steps;
            if expected >= EXPECTED && row.iter().zip(next).all(|(now, next)| now & next == 0) {
                let pair = Inhibitor {
                    inhibitor,
                    inhibited,
                };
                found.push((expected, pair));
            }
        }
    }
    found
}
