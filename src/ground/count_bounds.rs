//! The goals that counters leave to the roles of a game: plain data, for all who ask about many
//! states.

use propjit_jit::circuit::{Builder, Edge};

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

    /// An edge that is true where counters exclude the goals, where `base` has the edge of each
    /// proposition.
    pub fn edge(
        &self,
        builder: &mut Builder,
        base: impl Fn(&Builder, usize) -> Edge,
        exclusion: &CountExclusion,
    ) -> Edge {
        let mut any = Edge::FALSE;
        for case in &exclusion.cases {
            let mut all = Edge::TRUE;
            for (counter, &value) in self.counters.iter().zip(case) {
                let reached = counter.at_least(builder, &base, value);
                all = builder.and(all, reached);
            }
            any = builder.or(any, all);
        }
        any
    }
}

impl CountExclusion {
    /// Whether the goals are excluded once the counters have these values.
    pub fn excludes(&self, values: &[usize]) -> bool {
        let is_reached =
            |case: &Vec<usize>| case.iter().zip(values).all(|(case, value)| value >= case);
        self.cases.iter().any(is_reached)
    }
}
