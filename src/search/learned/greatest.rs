//! The contents of parts of boards to which a learned evaluation gives most weight, for people to look at.

use std::collections::BTreeSet;

use super::evaluation::{DIRECT, Direct, Evaluation};
use crate::game::machine::RoleId;

/// What is on a few places together, with its weight.
#[derive(Clone, PartialEq, Debug)]
pub struct TupleWeight {
    /// The places.
    pub places: Vec<TuplePlace>,
    /// What it adds to the logarithm of the odds of the first role where each of two roles is to move; in games of more
    /// roles, a single number.
    pub where_to_move: Box<[f64]>,
}

/// A place, and what is there.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TuplePlace {
    /// The numbers of the propositions of what can be there.
    pub bases: Vec<usize>,
    /// The one that holds; none where none does.
    pub holds: Option<usize>,
}

impl TupleWeight {
    /// How much it matters, for an order.
    pub fn size(&self) -> f64 {
        self.where_to_move.iter().map(|weight| weight.abs()).sum()
    }
}

impl Evaluation {
    /// Returns the contents of places with the greatest weights, `count` of them at most, the greatest first. Of those that are alike
    /// by a symmetry of the game, and so have the same weights, only one is there.
    pub fn greatest_tuples(&self, count: usize) -> Vec<TupleWeight> {
        let weight = |direct: &Direct| -> Box<[f64]> {
            let movers = if self.roles().are_two() { 2 } else { 1 };
            let columns = RoleId::first(movers);
            let first = self.roles().first();
            let columns = columns.map(|to_move| self.roles().column(to_move, first));
            columns
                .map(|column| f64::from(direct[column]) / f64::from(DIRECT))
                .collect()
        };
        let mut first = 0;
        let mut found = Vec::new();
        let mut seen = BTreeSet::new();
        for tuple in self.inputs().tuples().all() {
            let contents: usize = tuple.0.iter().map(|place| place.len() + 1).product();
            for content in 0..contents {
                let direct = &self.cells[first + content];
                if seen.insert(*direct) {
                    let (places, where_to_move) = (places(&tuple.0, content), weight(direct));
                    found.push(TupleWeight {
                        places,
                        where_to_move,
                    });
                }
            }
            first += contents;
        }
        found.sort_by(|a, b| b.size().total_cmp(&a.size()));
        found.retain(|of| of.size() > 0.0);
        found.truncate(count);
        found
    }
}

/// The places of a tuple with the content that has this number.
fn places(tuple: &[Vec<usize>], mut content: usize) -> Vec<TuplePlace> {
    let places = tuple.iter().map(|bases| {
        let held = content % (bases.len() + 1);
        content /= bases.len() + 1;
        TuplePlace {
            bases: bases.clone(),
            holds: held.checked_sub(1).map(|at| bases[at]),
        }
    });
    places.collect()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::search::learned::inputs::{Inputs, Tuple};
    use crate::search::learned::weights::{Roles, Weights};

    #[test]
    fn the_greatest_come_first_and_once() {
        // Two places of two propositions each, and one of one.
        let tuples = vec![
            Tuple(vec![vec![0, 1], vec![2, 3]]),
            Tuple(vec![vec![4], vec![0, 1]]),
        ];
        let inputs = Arc::new(Inputs::new(5, Vec::new(), tuples));
        let mut weights = Weights::zero(&inputs);
        // Of the first tuple: 1 and 2; of the second: 4 alone, and as great as another.
        weights.cells[2 + 3] = [-2.0, 0.0, -1.0, 0.0];
        weights.cells[9 + 1] = [0.5, 0.0, 0.0, 0.0];
        weights.cells[9 + 2] = [0.5, 0.0, 0.0, 0.0];
        let evaluation = Evaluation::new(Roles::TWO, inputs, &weights);
        let found = evaluation.greatest_tuples(8);
        let held = |of: &TupleWeight| -> Vec<_> { of.places.iter().map(|at| at.holds).collect() };
        assert_eq!(found.len(), 2);
        assert_eq!(held(&found[0]), [Some(1), Some(2)]);
        assert_eq!(found[0].where_to_move[..], [-2.0, -1.0]);
        assert_eq!(held(&found[1]), [Some(4), None]);
        assert_eq!(evaluation.greatest_tuples(1), found[..1]);
    }
}
