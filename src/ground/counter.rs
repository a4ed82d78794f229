//! Counters: numbers that are read off a state.

use propjit_jit::circuit::{Builder, Edge};
use propjit_jit::count_tree::CountTree;

use crate::state::State;

/// A number that is read off a state.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Counter {
    /// How many of these propositions hold.
    Count(Vec<usize>),
    /// The place, from 1 on, of the last of these propositions that holds; 0 if none does. As a
    /// rule it is the only one.
    Choice(Vec<usize>),
}

impl Counter {
    /// The propositions.
    pub fn propositions(&self) -> &[usize] {
        match self {
            Counter::Count(bases) | Counter::Choice(bases) => bases,
        }
    }

    /// Lists of propositions: the value is in how many of them one holds, or more.
    pub fn terms(&self) -> impl Iterator<Item = &[usize]> {
        let bases = self.propositions();
        let is_choice = matches!(self, Counter::Choice(_));
        (0..bases.len()).map(move |place| match is_choice {
            true => &bases[place..],
            false => &bases[place..=place],
        })
    }

    /// The greatest value.
    pub fn most(&self) -> usize {
        self.propositions().len()
    }

    /// The value in a state.
    pub fn value(&self, state: &State) -> usize {
        let holds = |base: &&usize| state.contains(**base);
        match self {
            Counter::Count(bases) => bases.iter().filter(holds).count(),
            Counter::Choice(bases) => {
                let last = bases.iter().rposition(|base| state.contains(*base));
                last.map_or(0, |place| place + 1)
            }
        }
    }

    /// An edge that is true if the value is at least this one, where `base` has the edge of each
    /// proposition.
    pub fn at_least(
        &self,
        builder: &mut Builder,
        base: impl Fn(&Builder, usize) -> Edge,
        value: usize,
    ) -> Edge {
        let Some(before) = value.checked_sub(1) else {
            return Edge::TRUE;
        };
        let edges: Vec<Edge> = (self.propositions().iter())
            .map(|&proposition| base(builder, proposition))
            .collect();
        match self {
            Counter::Choice(_) => builder.or_all(edges.get(before..).unwrap_or_default()),
            Counter::Count(_) => {
                let tree = CountTree::new(builder, &edges);
                let digits = tree.total().iter().enumerate();
                // From the least digit on: whether what is left of both is not less.
                let mut reached = Edge::TRUE;
                for (place, &digit) in digits {
                    reached = match value >> place & 1 {
                        0 => builder.or(digit, reached),
                        _ => builder.and(digit, reached),
                    };
                }
                match value >> tree.total().len() {
                    0 => reached,
                    _ => Edge::FALSE,
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_circuit_and_the_terms_agree_with_the_value() {
        let order = vec![3, 0, 2, 4, 1];
        for counter in [Counter::Count(order.clone()), Counter::Choice(order)] {
            for value in 0..=counter.most() + 3 {
                let mut builder = Builder::new(5);
                let edge = counter.at_least(&mut builder, |builder, at| builder.input(at), value);
                let circuit = builder.finish(vec![edge]);
                for bits in 0..32u32 {
                    let inputs: Vec<bool> = (0..5).map(|at| bits >> at & 1 == 1).collect();
                    let state: State = (0..5).filter(|&at| inputs[at]).collect();
                    let holds = |term: &&[usize]| term.iter().any(|&at| inputs[at]);
                    assert_eq!(counter.terms().filter(holds).count(), counter.value(&state));
                    let is_reached = counter.value(&state) >= value;
                    assert_eq!(
                        circuit.evaluate(&inputs),
                        [is_reached],
                        "{counter:?} {value}"
                    );
                }
            }
        }
    }
}
