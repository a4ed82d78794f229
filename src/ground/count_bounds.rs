//! The goals that counters leave to the roles of a game: plain data, for all who ask about many
//! states.

use super::counter::Counter;
use crate::moves::RoleId;
use crate::state::State;

/// Goals of roles that are out of reach once counters, which never decrease, have come to
/// certain values.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CountBounds {
    /// The counters.
    pub counters: Vec<Counter>,
    /// What their values exclude.
    pub exclusions: Vec<CountExclusion>,
}

/// Goals of a role that the values of counters exclude.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CountExclusion {
    /// The role.
    pub role: RoleId,
    /// The goals that are excluded, as indices into those of the role, ascending.
    pub goals: Vec<usize>,
    /// Each of these excludes them: for each counter, the value that it has to come to.
    pub cases: Vec<Vec<usize>>,
}

impl CountBounds {
    /// The values of the counters in a state.
    pub fn values(&self, state: &State) -> Vec<usize> {
        (self.counters.iter())
            .map(|counter| counter.value(state))
            .collect()
    }

    /// The exclusions, in their order, prepared for many states.
    pub(super) fn tests(&self) -> Vec<ExclusionTest> {
        let of_case = |case: &Vec<usize>| {
            let reached = self
                .counters
                .iter()
                .zip(case)
                .filter(|(_, value)| **value > 0);
            reached
                .map(|(counter, &value)| Reached::new(counter, value))
                .collect()
        };
        let tests = self.exclusions.iter().map(|exclusion| ExclusionTest {
            role: exclusion.role,
            cases: exclusion.cases.iter().map(of_case).collect(),
        });
        tests.collect()
    }
}

/// Tells of states whether counters exclude certain goals of a role.
#[derive(Clone, Debug)]
pub(super) struct ExclusionTest {
    pub(super) role: RoleId,
    cases: Vec<Vec<Reached>>,
}

impl ExclusionTest {
    /// Whether they exclude them in a state, of which these are the words.
    pub(super) fn excludes(&self, words: &[u64]) -> bool {
        let is_reached = |reached: &Reached| reached.is_in(words);
        self.cases.iter().any(|case| case.iter().all(is_reached))
    }
}

/// Whether a counter has come to a value: so many of some propositions hold.
#[derive(Clone, Debug)]
struct Reached {
    /// The propositions, packed like a state.
    propositions: Vec<u64>,
    least: u32,
}

impl Reached {
    fn new(counter: &Counter, value: usize) -> Reached {
        let (of, least) = match counter {
            Counter::Count(bases) => (&bases[..], value),
            Counter::Choice(order) => (&order[value - 1..], 1),
        };
        let propositions: State = of.iter().copied().collect();
        Reached {
            propositions: propositions.words().to_vec(),
            least: least as u32,
        }
    }

    fn is_in(&self, words: &[u64]) -> bool {
        let held = self.propositions.iter().zip(words);
        let held: u32 = held.map(|(mask, word)| (mask & word).count_ones()).sum();
        held >= self.least
    }
}
