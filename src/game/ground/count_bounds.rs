//! Goals that counters leave to the roles of a game: plain data, for callers that query many
//! states.

use rustc_hash::FxHashMap;
use serde::Serialize;

use super::counter::Counter;
use crate::game::vocabulary::moves::RoleId;
use crate::game::vocabulary::state::State;

/// Goals of roles that are out of reach once counters, which never decrease, have reached certain
/// values.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct CountBounds {
    /// The counters.
    pub counters: Vec<Counter>,
    /// The goals that their values exclude.
    pub exclusions: Vec<CountExclusion>,
}

/// Goals of a role that the values of counters exclude.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct CountExclusion {
    /// The role.
    pub role: RoleId,
    /// The goals that are excluded, as indices into those of the role, ascending.
    pub goals: Vec<usize>,
    /// Each of these excludes them: for each counter, the value that it has to reach.
    pub cases: Vec<Vec<usize>>,
}

impl CountBounds {
    /// Returns the values of the counters in a state.
    pub fn values(&self, state: &State) -> Vec<usize> {
        (self.counters.iter())
            .map(|counter| counter.value(state))
            .collect()
    }
}

/// A set of goals of a role, a bit for each: of the first ones, if there are more.
pub(super) type GoalSet = u128;

/// Returns the set of the goals with these numbers.
pub(super) fn goal_set(goals: &[usize]) -> GoalSet {
    let bits = goals.iter().filter(|&&goal| goal < GoalSet::BITS as usize);
    bits.fold(0, |set, goal| set | 1 << goal)
}

/// A lookup table of the goals that counters exclude, indexed by the values of the counters.
#[derive(Clone, Debug)]
pub(super) struct ExclusionTable {
    readers: Vec<Reader>,
    /// For all values of the counters, those of the first changing fastest, the index of the set.
    places: Vec<u32>,
    /// For each role, the goals that are excluded. The first of these lists excludes none.
    sets: Vec<Vec<GoalSet>>,
}

impl ExclusionTable {
    pub(super) fn new(bounds: &CountBounds, roles: usize) -> ExclusionTable {
        let nothing = vec![0; roles];
        let mut numbers = FxHashMap::from_iter([(nothing.clone(), 0)]);
        let mut sets = vec![nothing];
        let sizes = bounds.counters.iter().map(|counter| counter.most() + 1);
        let sizes: Vec<usize> = sizes.collect();
        let place = |at: usize| {
            let mut rest = at;
            let values: Vec<usize> = sizes
                .iter()
                .map(|size| {
                    let value = rest % size;
                    rest /= size;
                    value
                })
                .collect();
            let is_reached =
                |case: &Vec<usize>| values.iter().zip(case).all(|(v, least)| v >= least);
            let mut excluded = vec![0; roles];
            for exclusion in &bounds.exclusions {
                if exclusion.cases.iter().any(is_reached) {
                    excluded[exclusion.role.index()] |= goal_set(&exclusion.goals);
                }
            }
            let next = sets.len() as u32;
            *numbers.entry(excluded).or_insert_with_key(|excluded| {
                sets.push(excluded.clone());
                next
            })
        };
        let places = (0..sizes.iter().product()).map(place).collect();
        ExclusionTable {
            readers: bounds.counters.iter().map(Reader::new).collect(),
            places,
            sets,
        }
    }

    /// Returns, for each role, the goals that are excluded in the state with these words; `None` if
    /// none are.
    pub(super) fn excluded(&self, words: &[u64]) -> Option<&[GoalSet]> {
        let (mut at, mut stride) = (0, 1);
        for reader in &self.readers {
            at += stride * reader.value(words);
            stride *= reader.values;
        }
        let set = self.places[at] as usize;
        (set > 0).then(|| &self.sets[set][..])
    }
}

/// Reads the value of a [`Counter`] off the words of states.
#[derive(Clone, Debug)]
struct Reader {
    is_choice: bool,
    /// The number of values.
    values: usize,
    /// The words with propositions of the counter, and the masks of their bits.
    masks: Vec<(usize, u64)>,
    /// For a choice, the value for each bit of these words.
    of_bit: Vec<u16>,
}

impl Reader {
    fn new(counter: &Counter) -> Reader {
        let bases = counter.propositions();
        let packed: State = bases.iter().copied().collect();
        let masks = packed.words().iter().copied().enumerate();
        let masks: Vec<(usize, u64)> = masks.filter(|(_, mask)| *mask != 0).collect();
        let mut of_bit = vec![0; 64 * masks.len()];
        for (base, value) in bases.iter().zip(1..) {
            let at = masks.iter().position(|(word, _)| *word == base / 64);
            of_bit[64 * at.expect("it is in a word") + base % 64] = value;
        }
        Reader {
            is_choice: matches!(counter, Counter::Choice(_)),
            values: counter.most() + 1,
            masks,
            of_bit,
        }
    }

    fn value(&self, words: &[u64]) -> usize {
        let held = self
            .masks
            .iter()
            .map(|&(word, mask)| match words.get(word) {
                Some(word) => word & mask,
                None => 0,
            });
        if !self.is_choice {
            return held.map(|held| held.count_ones() as usize).sum();
        }
        let mut last = 0;
        for (mut held, of_bit) in held.zip(self.of_bit.chunks_exact(64)) {
            while held != 0 {
                last = last.max(of_bit[held.trailing_zeros() as usize]);
                held &= held - 1;
            }
        }
        usize::from(last)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_says_what_the_cases_say() {
        let counters = vec![
            Counter::Count(vec![1, 70, 3]),
            Counter::Choice(vec![66, 0, 65, 2]),
        ];
        let exclusion = |role, goals: &[usize], cases: &[[usize; 2]]| CountExclusion {
            role: RoleId(role),
            goals: goals.to_vec(),
            cases: cases.iter().map(|case| case.to_vec()).collect(),
        };
        let bounds = CountBounds {
            counters,
            exclusions: vec![
                exclusion(0, &[0, 2], &[[2, 0], [0, 3]]),
                exclusion(1, &[1], &[[1, 2]]),
                exclusion(0, &[1], &[[3, 4]]),
            ],
        };
        let table = ExclusionTable::new(&bounds, 2);
        for bits in 0..1u32 << 7 {
            let bases = [0, 1, 2, 3, 65, 66, 70];
            let held = bases.into_iter().enumerate();
            let held = held.filter(|(at, _)| bits >> at & 1 == 1);
            let state: State = held.map(|(_, base)| base).collect();
            let values = bounds.values(&state);
            let mut expected = [0; 2];
            for exclusion in &bounds.exclusions {
                let is_reached = |case: &Vec<usize>| {
                    values.iter().zip(case).all(|(value, least)| value >= least)
                };
                if exclusion.cases.iter().any(is_reached) {
                    expected[exclusion.role.index()] |= goal_set(&exclusion.goals);
                }
            }
            let found = table.excluded(state.words()).unwrap_or(&[0, 0]);
            assert_eq!(found, expected, "{state:?}");
        }
    }
}
