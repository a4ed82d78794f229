//! Composite latches of several propositions: `p or q`, `p and q`, one of a group.
//!
//! "While no individual proposition in the group is a latch, it is possible that the group
//! as a whole might constitute a latch" (Genesereth and Thielscher, chapter 12). There are
//! too many groups to ask a solver about all of them. So the candidates are those that did not
//! break in random matches though they came to hold often enough; candidates that are not proved
//! are reported as such.

use batsat::Lit;
use propjit_jit::parallel;
use rustc_hash::FxHashSet;

use super::fact::{Fact, ProofMethod};
use super::inquiry::Inquiry;
use super::latches::{self, Kind};
use super::samples::{Samples, count};
use crate::game::ground::invariants::Invariant;
use crate::game::ground::invariants::encoding;
use crate::game::ground::invariants::net::Net;
use crate::game::ground::invariants::step::{Step, When};
use crate::game::ground::{GroundGame, Literal};
use crate::game::machine::State;
use propjit_stop::Stop;

/// One in this many kept steps must begin in a state where a candidate holds, and as many in one
/// where it does not.
const SUPPORT: u64 = 32;

/// The maximum number of candidates that are tried.
const MOST: usize = 128;

/// The maximum number of candidates that are searched for, to try the best of them.
const MAX_FOUND: usize = 4096;

/// The maximum number of pairs of propositions that are tried of which one has held from the start on.
const MAX_LASTING: usize = 32;

/// Several literals, none of which is a latch.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Composite {
    /// One of them holds, or more.
    Any(Vec<Literal>),
    /// All of them hold.
    All(Vec<Literal>),
}

impl Composite {
    /// Returns whether it holds in a state.
    pub fn holds(&self, state: &State) -> bool {
        match self {
            Composite::Any(literals) => literals.iter().any(|literal| literal.holds(state)),
            Composite::All(literals) => literals.iter().all(|literal| literal.holds(state)),
        }
    }

    /// Returns its text in the rulesheet's terms: `(or (cell 1 1 x) (not (cell 1 2 o)))`.
    pub fn text(&self, game: &GroundGame) -> String {
        let (word, literals) = match self {
            Composite::Any(literals) => ("or", literals),
            Composite::All(literals) => ("and", literals),
        };
        let literals: Vec<String> = literals.iter().map(|literal| literal.text(game)).collect();
        format!("({word} {})", literals.join(" "))
    }

    pub(super) fn lit(&self, step: &mut Step, when: When) -> Lit {
        let (literals, any) = match self {
            Composite::Any(literals) => (literals, true),
            Composite::All(literals) => (literals, false),
        };
        let lits = literals
            .iter()
            .map(|&literal| encoding::encoded(step, when, literal) ^ any);
        let lits: Vec<Lit> = lits.collect();
        step.and_all(&lits) ^ any
    }
}

/// Returns the composite latches that were proved, the undecided ones, and the number of further candidates that
/// were not tried because of the limit.
pub(super) fn find(
    net: &Net,
    invariants: &[Invariant],
    samples: &Samples,
    kinds: &[(Literal, Kind)],
    end: &Stop,
) -> (Vec<Fact<Composite>>, usize) {
    if end.is_set() {
        return (Vec::new(), 0);
    }
    let (found, left_out) = Search::new(net, samples, kinds).run(invariants, end);
    let of_chunk = |chunk: &[Composite]| {
        let mut inquiry = Inquiry::new(net, invariants, end);
        let fact = |what: &Composite| {
            let kind = latches::kind(&mut inquiry, |step, when| what.lit(step, when));
            let method = match kind {
                Kind::Latched(method) => method,
                Kind::Final => return None,
                Kind::Free | Kind::Undecided => ProofMethod::Unproved,
            };
            let what = what.clone();
            Some(Fact { what, method })
        };
        chunk.iter().filter_map(fact).collect::<Vec<_>>()
    };
    (parallel::flat_map_chunks(&found, 16, of_chunk), left_out)
}

/// A bit for each kept step: whether something holds before it, and after it.
type Rows = [Vec<u64>; 2];

/// A search for candidates in the kept steps.
struct Search {
    /// The literals that are no latches, with their rows.
    literals: Vec<(Literal, Rows)>,
    /// The rows, before the steps, of latches and of candidates: what holds in the same states as
    /// these adds nothing new.
    known: FxHashSet<Vec<u64>>,
    /// The set of all kept steps.
    all: Vec<u64>,
    /// Candidates, with the number of steps in which they hold.
    found: Vec<(u64, Composite)>,
    /// Candidates that hold in all of them: "one of p or q is always true" in the book's example.
    lasting: Vec<Composite>,
}

impl Search {
    fn new(net: &Net, samples: &Samples, kinds: &[(Literal, Kind)]) -> Search {
        let rows = samples.rows(net.layout.bases.len());
        let all = samples.all();
        let row = |literal: Literal| -> Rows {
            [0, 1].map(|when| {
                let row = rows[when][literal.proposition].iter().zip(&all);
                row.map(|(word, all)| if literal.value { *word } else { !word & all })
                    .collect()
            })
        };
        let is_latch = |kind: Kind| matches!(kind, Kind::Latched(_));
        let latches = kinds.iter().filter(|(_, kind)| is_latch(*kind));
        let others = kinds.iter().filter(|(_, kind)| !is_latch(*kind));
        Search {
            known: latches
                .map(|&(literal, _)| row(literal)[0].clone())
                .collect(),
            literals: others
                .map(|&(literal, _)| (literal, row(literal)))
                .collect(),
            all,
            found: Vec::new(),
            lasting: Vec::new(),
        }
    }

    /// Returns the candidates, those that hold most often first, then those that always do; and how many are left out.
    fn run(mut self, invariants: &[Invariant], end: &Stop) -> (Vec<Composite>, usize) {
        self.groups(invariants);
        self.pairs(end);
        self.found
            .sort_by_key(|&(count, _)| std::cmp::Reverse(count));
        let left_out = [
            self.found.len().saturating_sub(MOST),
            self.lasting.len().saturating_sub(MAX_LASTING),
        ];
        self.found.truncate(MOST);
        self.lasting.truncate(MAX_LASTING);
        let kept = self.found.into_iter().map(|(_, composite)| composite);
        (kept.chain(self.lasting).collect(), left_out.iter().sum())
    }

    /// Adds candidates from groups of which at most one is true: that one of them is.
    fn groups(&mut self, invariants: &[Invariant]) {
        for invariant in invariants {
            let Invariant::AtMostOne(group) = invariant else {
                continue;
            };
            let members: Vec<usize> = (0..self.literals.len())
                .filter(|&at| {
                    let literal = self.literals[at].0;
                    literal.value && group.binary_search(&literal.proposition).is_ok()
                })
                .collect();
            if members.len() == group.len() && group.len() > 2 {
                let rows = [0, 1].map(|when| {
                    let mut union = vec![0; self.all.len()];
                    for &member in &members {
                        let row = &self.literals[member].1[when];
                        union
                            .iter_mut()
                            .zip(row)
                            .for_each(|(union, word)| *union |= word);
                    }
                    union
                });
                let literals = members.iter().map(|&member| self.literals[member].0);
                self.add(Composite::Any(literals.collect()), &rows);
            }
        }
    }

    /// Adds pairs, with `or` and `and`.
    fn pairs(&mut self, end: &Stop) {
        for first in 0..self.literals.len() {
            if end.is_set() || self.found.len() >= MAX_FOUND {
                break;
            }
            for second in first + 1..self.literals.len() {
                let [(a, rows_a), (b, rows_b)] = [&self.literals[first], &self.literals[second]];
                if a.proposition == b.proposition {
                    continue;
                }
                let pair = || vec![*a, *b];
                let kept = |join: fn(u64, u64) -> u64| {
                    let words = 0..self.all.len();
                    let at =
                        |when: usize, word: usize| join(rows_a[when][word], rows_b[when][word]);
                    let breaks = |word: usize| at(0, word) & !at(1, word) != 0;
                    let row = |when: usize| words.clone().map(|word| at(when, word)).collect();
                    (!words.clone().any(breaks)).then(|| [0, 1].map(row))
                };
                let any = kept(|a, b| a | b).map(|rows| (Composite::Any(pair()), rows));
                // With negated ones, it is an implication or that both cannot hold, of which there are many.
                if a.value
                    && b.value
                    && let Some((composite, [before, _])) = &any
                    && *before == self.all
                {
                    self.lasting.push(composite.clone());
                }
                let all = kept(|a, b| a & b).map(|rows| (Composite::All(pair()), rows));
                for (composite, rows) in any.into_iter().chain(all) {
                    self.add(composite, &rows);
                }
            }
        }
    }

    /// Adds a candidate, if it did not break and is worth it.
    fn add(&mut self, composite: Composite, rows: &Rows) {
        let [before, after] = rows;
        let holds = count(before);
        let all = count(&self.all);
        let is_rare = SUPPORT * holds.min(all - holds) < all;
        let breaks = before
            .iter()
            .zip(after)
            .any(|(before, after)| before & !after != 0);
        if !is_rare && !breaks && self.known.insert(before.clone()) {
            self.found.push((holds, composite));
        }
    }
}
