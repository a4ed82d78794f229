//! Candidates for invariants: facts that held in all random matches.
//!
//! Groups of propositions of which one is true come from two sources. Names: propositions that
//! differ in some arguments only, as `(cell 1 1 ?)`. Samples: for a proposition, others that are
//! true in exactly those states in which it is false. None of this is assumed before it is proved.

use std::collections::BTreeMap;

use rustc_hash::{FxHashMap, FxHashSet};

use super::samples::{Samples, count};
use crate::game::ground::Literal;
use crate::game::ground::LoweredGame;
use crate::game::ground::invariants::Invariant;
use propjit_stop::Stop;

/// The number of leading arguments that may differ.
const MAX_ARGUMENTS: usize = 5;

/// The maximum number of propositions in all groups together: each adds a clause or two to every
/// query.
const MAX_MEMBERS: usize = 20_000;

/// Facts that held in all random matches and are worth a proof.
pub(super) fn candidates(game: &LoweredGame, samples: &Samples, end: &Stop) -> Vec<Invariant> {
    let propositions = game.propnet().bases.len();
    let literals = Literal::all(propositions);
    let mut found: Vec<Invariant> = literals
        .filter(|&literal| !samples.was_seen(!literal))
        .map(Invariant::Constant)
        .collect();
    let rows = &samples.rows(propositions)[1];
    let all = &samples.all();
    let has_both = |&base: &usize| {
        samples.was_seen(Literal::new(base, true)) && samples.was_seen(Literal::new(base, false))
    };
    let varying: Vec<usize> = (0..propositions).filter(has_both).collect();
    found.extend(equivalences(&varying, rows, all));
    let mut groups = Groups {
        rows,
        all,
        found: Vec::new(),
    };
    // A proposition that was never true may be true in a match that was not sampled.
    let not_always = |&base: &usize| samples.was_seen(Literal::new(base, false));
    let not_always: Vec<usize> = (0..propositions).filter(not_always).collect();
    groups.add_named(game, &not_always);
    groups.add_seen(&varying, end);
    // Those of which one is always true, and small ones, are the most useful.
    groups
        .found
        .sort_by_key(|(group, is_exact)| (!is_exact, group.len()));
    let mut members = 0;
    let groups = groups.found.into_iter().take_while(|(group, _)| {
        members += group.len();
        members <= MAX_MEMBERS
    });
    found.extend(groups.map(|(group, is_exact)| match is_exact {
        true => Invariant::ExactlyOne(group),
        false => Invariant::AtMostOne(group),
    }));
    let mut seen = FxHashSet::default();
    found.retain(|candidate| seen.insert(candidate.clone()));
    found
}

/// Returns pairs of propositions with equal or complementary rows.
fn equivalences(varying: &[usize], rows: &[Vec<u64>], all: &[u64]) -> Vec<Invariant> {
    let mut first: FxHashMap<Vec<u64>, Literal> = FxHashMap::default();
    let mut found = Vec::new();
    for &base in varying {
        // Of a row and its complement, the one with the first bit clear.
        let value = rows[base].first().is_some_and(|word| word & 1 == 0);
        let row = match value {
            true => rows[base].clone(),
            false => complement(&rows[base], all),
        };
        let literal = Literal::new(base, value);
        match first.get(&row) {
            Some(&before) if before.value == literal.value => {
                found.push(Invariant::Equivalent(before, literal));
            }
            Some(before) => {
                found.push(Invariant::ExactlyOne(vec![before.proposition, base]));
            }
            None => {
                first.insert(row, literal);
            }
        }
    }
    found
}

fn complement(row: &[u64], all: &[u64]) -> Vec<u64> {
    row.iter().zip(all).map(|(word, all)| !word & all).collect()
}

/// Groups of which at most one proposition was ever true.
struct Groups<'a> {
    rows: &'a [Vec<u64>],
    all: &'a [u64],
    /// The groups, each with whether one proposition was true in every state.
    found: Vec<(Vec<usize>, bool)>,
}

impl Groups<'_> {
    /// Adds the largest groups of propositions with names that differ in some arguments only.
    fn add_named(&mut self, game: &LoweredGame, varying: &[usize]) {
        let net = game.propnet();
        // Keyed by the set of differing arguments, the functor, and the other arguments.
        let mut named: BTreeMap<(u32, Vec<u32>), Vec<usize>> = BTreeMap::new();
        for &base in varying {
            let name = net.bases[base].name;
            let args = net.terms.args(name);
            let functor = net.terms.functor(name).index() as u32;
            for open in 1u32..1 << args.len().min(MAX_ARGUMENTS) {
                let fixed = args
                    .iter()
                    .enumerate()
                    .filter(|&(at, _)| at >= MAX_ARGUMENTS || open >> at & 1 == 0);
                let mut key = vec![functor, args.len() as u32];
                key.extend(fixed.map(|(_, arg)| arg.raw()));
                named.entry((open, key)).or_default().push(base);
            }
        }
        let mut named: Vec<Vec<usize>> = named
            .into_values()
            .filter(|group| group.len() > 1)
            .collect();
        named.sort_by_key(|group| std::cmp::Reverse(group.len()));
        let mut covered: FxHashMap<usize, Vec<usize>> = FxHashMap::default();
        for group in named {
            let of_first = covered.get(&group[0]);
            let is_part = of_first.is_some_and(|groups| {
                let mut groups = groups.iter();
                groups.any(|&at| {
                    group
                        .iter()
                        .all(|base| self.found[at].0.binary_search(base).is_ok())
                })
            });
            if is_part {
                continue;
            }
            if let Some(union) = self.union(&group) {
                for &base in &group {
                    covered.entry(base).or_default().push(self.found.len());
                }
                self.found.push((group, union == count(self.all)));
            }
        }
    }

    /// Adds a group of which exactly one was true for each proposition that is in none.
    fn add_seen(&mut self, varying: &[usize], end: &Stop) {
        let exact = self.found.iter().filter(|(_, is_exact)| *is_exact);
        let mut covered: FxHashSet<usize> = exact.flat_map(|(group, _)| group).copied().collect();
        let mut by_count: Vec<usize> = varying.to_vec();
        by_count.sort_by_key(|&base| std::cmp::Reverse(count(&self.rows[base])));
        for &base in varying {
            if end.is_set() {
                break;
            }
            if covered.contains(&base) {
                continue;
            }
            let mut group = vec![base];
            let mut rest = complement(&self.rows[base], self.all);
            for &other in &by_count {
                let row = &self.rows[other];
                if count(row) > 0 && row.iter().zip(&rest).all(|(row, rest)| row & !rest == 0) {
                    group.push(other);
                    rest.iter_mut()
                        .zip(row)
                        .for_each(|(rest, row)| *rest &= !row);
                }
            }
            if count(&rest) == 0 && group.len() > 1 {
                group.sort_unstable();
                covered.extend(&group);
                self.found.push((group, true));
            }
        }
    }

    /// Returns in how many states one of the group is true, if there are never two.
    fn union(&self, group: &[usize]) -> Option<u64> {
        let mut union = vec![0; self.rows[group[0]].len()];
        for &base in group {
            for (union, word) in union.iter_mut().zip(&self.rows[base]) {
                if *union & word != 0 {
                    return None;
                }
                *union |= word;
            }
        }
        Some(count(&union))
    }
}
