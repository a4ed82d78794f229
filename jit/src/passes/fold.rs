//! Constant folding: the circuit for inputs of which some are known.

use super::rebuild::rebuild_known;
use super::sweep::sweep;
use crate::circuit::{Circuit, Edge};
use crate::ternary::known_nodes;

/// The circuit for inputs of which some are known. It has the same inputs, but does not read
/// those; outputs that are known then are constants.
///
/// ```
/// use propjit_jit::circuit::{Builder, Edge};
/// use propjit_jit::passes::fold;
/// let mut builder = Builder::new(2);
/// let (a, b) = (builder.input(0), builder.input(1));
/// let both = builder.and(a, b);
/// let circuit = builder.finish(vec![both]);
/// assert_eq!(fold(&circuit, &[Some(false), None]).outputs(), [Edge::FALSE]);
/// assert_eq!(fold(&circuit, &[Some(true), None]).outputs(), [b]);
/// ```
///
/// # Panics
/// If the number of entries is not that of the inputs.
pub fn fold(circuit: &Circuit, inputs: &[Option<bool>]) -> Circuit {
    fold_without(circuit, inputs, &[])
}

/// As [`fold`], if these edges of the circuit are false, too.
///
/// # Panics
/// If the number of entries is not that of the inputs.
pub fn fold_without(circuit: &Circuit, inputs: &[Option<bool>], are_false: &[Edge]) -> Circuit {
    let mut known = known_nodes(circuit, inputs);
    for edge in are_false {
        known[edge.node().index()] = Some(edge.inverted());
    }
    sweep(&rebuild_known(circuit, |node| known[node.index()]))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::passes::testing::circuits;

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..Default::default() })]

        /// The outputs are the same if inputs have their known values, known inputs are not read,
        /// and outputs that are known by lanes are known to the fold.
        #[test]
        fn outputs_are_the_same_where_inputs_are_as_known(
            (circuit, _) in circuits(),
            seeds in prop::collection::vec(prop::option::weighted(0.4, any::<bool>()), 16),
        ) {
            let inputs = circuit.inputs().len();
            let known = &seeds[..inputs];
            let folded = fold(&circuit, known);
            prop_assert!(folded.gates() <= circuit.gates());
            for bits in 0..1u32 << inputs {
                let given: Vec<bool> = (0..inputs).map(|i| bits >> i & 1 == 1).collect();
                let real: Vec<bool> = (given.iter().zip(known))
                    .map(|(&given, known)| known.unwrap_or(given))
                    .collect();
                prop_assert_eq!(folded.evaluate(&given), circuit.evaluate(&real));
            }
            let bounds = crate::ternary::dual_rail(&circuit);
            let may = known.iter().map(|&known| known != Some(false));
            let must = known.iter().map(|&known| known == Some(true));
            let values = bounds.evaluate(&may.chain(must).collect::<Vec<_>>());
            let (may, must) = values.split_at(circuit.outputs().len());
            for ((edge, &may), &must) in folded.outputs().iter().zip(may).zip(must) {
                prop_assert!(may || !must);
                if may == must {
                    prop_assert_eq!(*edge, Edge::FALSE.invert_if(may));
                }
            }
        }
    }
}
