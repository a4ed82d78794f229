//! Functions of counts: found, proved, tabulated, and resynthesised as adders.
//!
//! Rules that count (the pieces on a board, say) become circuits that enumerate all counts after
//! each proposition: many thousand gates to decide which of two roles has more of 64 cells.
//! [`restate`] finds wires that depend only on how many inputs of certain sets are true, and
//! resynthesises them as counters (carry-save adders) and the remaining decisions.
//!
//! 1. The wires that only the given outputs need get decision diagrams (`diagram`), if these
//!    are small. Variables are groups of inputs of which at most one is true, so that impossible
//!    assignments are not examined.
//! 2. Whether a diagram is a function of counts is easy to decide (`symmetry`), by a proof by
//!    enumeration; nothing is guessed.
//! 3. Wires above such functions are functions of the same counts, and of the other wires that they read:
//!    they are evaluated for all combinations, up to a limit (`tables`).
//! 4. The circuit gets counters, and each table becomes a diagram over their binary digits, a
//!    gate or three for each node (`rebuild`).

mod diagram;
mod rebuild;
mod symmetry;
mod tables;
mod variables;

use crate::circuit::{Circuit, Edge, InputId, NodeId};
use propjit_stop::Stop;

/// Inputs of which at most one is true.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Exclusive {
    /// The inputs.
    pub inputs: Vec<InputId>,
    /// Whether one of them is always true.
    pub is_exact: bool,
}

impl Exclusive {
    /// Returns the number of ways in which the inputs can be set: by the first or another one being
    /// true, or none, which is then the first way.
    pub fn values(&self) -> usize {
        self.inputs.len() + usize::from(!self.is_exact)
    }
}

/// A term that is counted: true if one of some inputs is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Term {
    /// Inputs of which one is true at most.
    pub inputs: Vec<InputId>,
    /// Whether it is true if none of these is, instead.
    pub is_inverted: bool,
}

/// A quantity that tables depend on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Quantity {
    /// The number of these that are true: from none to all.
    Count(Vec<Term>),
    /// The member of the group that is true: as many values as the group [has](Exclusive::values).
    Choice(Exclusive),
    /// The value of this node.
    Wire(NodeId),
}

impl Quantity {
    /// The number of values, which are from 0 on.
    pub fn values(&self) -> usize {
        match self {
            Quantity::Count(terms) => terms.len() + 1,
            Quantity::Choice(group) => group.values(),
            Quantity::Wire(_) => 2,
        }
    }
}

/// A node as a function of quantities.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Table {
    /// The node, in the circuit that was analysed.
    pub node: NodeId,
    /// The [quantities](Restatement::quantities) that it depends on.
    pub quantities: Vec<usize>,
    /// Its value for all combinations of their values, those of the first changing fastest;
    /// `None` for impossible combinations.
    pub values: Vec<Option<bool>>,
}

/// The functions of counts found in a circuit, and the resynthesised circuit.
#[derive(Clone, Debug)]
pub struct Restatement {
    /// The quantities.
    pub quantities: Vec<Quantity>,
    /// The functions of these.
    pub tables: Vec<Table>,
    /// The circuit with the same inputs and outputs, where tables that count take the place of
    /// gates; `None` if that would hardly be smaller.
    pub circuit: Option<Circuit>,
}

/// Finds tables for wires that only `roots` need, but not `others`, and resynthesises the circuit
/// with them, if that pays off. The outputs keep their values for all inputs of which at most
/// one of each group is true, or exactly one where the group says so.
///
/// Counted are inputs below `inputs`. Groups must not overlap. `None` if there are no such
/// functions, if it takes too much to find them, or if `stop` is set.
///
/// ```
/// use propjit_jit::circuit::{Builder, Edge};
/// use propjit_jit::counts::{Quantity, restate};
/// use propjit_jit::Stop;
/// // Whether exactly three of eight inputs are true, by enumeration.
/// let mut builder = Builder::new(8);
/// let mut exactly = vec![Edge::TRUE];
/// for input in 0..8 {
///     let input = builder.input(input);
///     exactly.push(Edge::FALSE);
///     for n in (0..exactly.len()).rev() {
///         let one_more = if n > 0 { builder.and(exactly[n - 1], input) } else { Edge::FALSE };
///         let as_many = builder.and(exactly[n], !input);
///         exactly[n] = builder.or(one_more, as_many);
///     }
/// }
/// let circuit = builder.finish(vec![exactly[3]]);
/// let found = restate(&circuit, &[exactly[3]], &[], 8, &[], &Stop::new()).unwrap();
/// let [Quantity::Count(terms)] = &found.quantities[..] else { panic!() };
/// assert_eq!(terms.len(), 8);
/// let exactly_three = |n| (found.tables[0].values[n] == Some(true)) ^ exactly[3].inverted();
/// assert!((0..=8).all(|n| exactly_three(n) == (n == 3)));
/// ```
pub fn restate(
    circuit: &Circuit,
    roots: &[Edge],
    others: &[Edge],
    inputs: usize,
    groups: &[Exclusive],
    stop: &Stop,
) -> Option<Restatement> {
    let (quantities, tables) = tables::find(circuit, roots, others, inputs, groups, stop)?;
    let circuit = rebuild::rebuild(circuit, &quantities, &tables);
    Some(Restatement {
        quantities,
        tables,
        circuit,
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::circuit::{Builder, NodeSet};

    /// A board of cells that are empty or have one of two colours, and a goal that depends on how
    /// many have which, by enumeration of all counts after each cell.
    struct Board {
        circuit: Circuit,
        groups: Vec<Exclusive>,
    }

    impl Board {
        fn new(cells: usize, wire: bool, goal: impl Fn(usize, usize) -> bool) -> Board {
            let mut builder = Builder::new(2 * cells + 1);
            let mut exactly = vec![vec![Edge::FALSE; cells + 1]; cells + 1];
            exactly[0][0] = Edge::TRUE;
            for cell in 0..cells {
                let [first, second] = [0, 1].map(|colour| builder.input(2 * cell + colour));
                let empty = builder.and(!first, !second);
                let before = exactly.clone();
                for a in 0..=cell + 1 {
                    for b in 0..=cell + 1 - a {
                        let mut ways = vec![builder.and(before[a][b], empty)];
                        if a > 0 {
                            ways.push(builder.and(before[a - 1][b], first));
                        }
                        if b > 0 {
                            ways.push(builder.and(before[a][b - 1], second));
                        }
                        exactly[a][b] = builder.or_all(&ways);
                    }
                }
            }
            let counts = (0..=cells).flat_map(|a| (0..=cells - a).map(move |b| (a, b)));
            let wanted = counts.filter(|&(a, b)| goal(a, b));
            let wanted: Vec<Edge> = wanted.map(|(a, b)| exactly[a][b]).collect();
            let wanted = builder.or_all(&wanted);
            let output = match wire {
                true => builder.and(wanted, builder.input(2 * cells)),
                false => wanted,
            };
            let pair = |cell: usize| Exclusive {
                inputs: [0, 1].map(|c| InputId((2 * cell + c) as u32)).to_vec(),
                is_exact: false,
            };
            Board {
                circuit: builder.finish(vec![output]),
                groups: (0..cells).map(pair).collect(),
            }
        }

        fn restate(&self) -> Option<Restatement> {
            let (circuit, groups) = (&self.circuit, &self.groups);
            let cells = 2 * groups.len();
            restate(circuit, circuit.outputs(), &[], cells, groups, &Stop::new())
        }
    }

    fn gates(circuit: &Circuit) -> usize {
        let outputs = circuit.outputs().iter().copied();
        circuit.extend_cone(&mut NodeSet::empty(circuit), outputs)
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, cases: 40, ..Default::default() })]

        #[test]
        fn restated_circuits_have_the_same_outputs(
            cells in 6usize..14,
            wire: bool,
            table in prop::collection::vec(any::<bool>(), 15 * 15),
            boards in prop::collection::vec(prop::collection::vec(0usize..3, 14), 50),
        ) {
            let board = Board::new(cells, wire, |a, b| table[a * 15 + b]);
            let Some(found) = board.restate() else { return Ok(()) };
            let restated = found.circuit.unwrap_or(board.circuit.clone());
            for colours in boards {
                for wire in [false, true] {
                    let mut inputs = vec![false; 2 * cells + 1];
                    inputs[2 * cells] = wire;
                    for (cell, &colour) in colours.iter().take(cells).enumerate() {
                        if colour > 0 {
                            inputs[2 * cell + colour - 1] = true;
                        }
                    }
                    prop_assert_eq!(restated.evaluate(&inputs), board.circuit.evaluate(&inputs));
                }
            }
        }
    }

    #[test]
    fn who_has_more_takes_counters_and_a_comparison() {
        let board = Board::new(30, true, |a, b| a > b);
        let found = board.restate().unwrap();
        let counts = found
            .quantities
            .iter()
            .filter_map(|quantity| match quantity {
                Quantity::Count(terms) => Some(terms.len()),
                _ => None,
            });
        assert_eq!(counts.collect::<Vec<_>>(), [30, 30]);
        let before = gates(&board.circuit);
        let after = gates(&found.circuit.unwrap());
        // Fifty adders of seven gates, and 100 at most for the comparison.
        assert!(
            after < 500 && before > 5000,
            "{before} gates became {after}"
        );
    }

    #[test]
    fn what_is_not_symmetric_is_left_alone() {
        let mut board = Board::new(12, false, |a, _| a > 5);
        let mut builder = Builder::extend(&board.circuit);
        // One cell counts for nothing unless another one is empty.
        let odd = builder.and(builder.input(0), !builder.input(2));
        let output = builder.and(board.circuit.outputs()[0], odd);
        board.circuit = builder.finish(vec![output]);
        let found = board.restate().unwrap();
        let whole = found
            .tables
            .iter()
            .find(|table| table.node == output.node());
        if let Some(table) = whole {
            let wires = |&number: &usize| matches!(found.quantities[number], Quantity::Wire(_));
            assert!(table.quantities.iter().any(wires));
        }
        let stopped = Stop::new();
        stopped.set();
        let circuit = &board.circuit;
        let none = restate(circuit, circuit.outputs(), &[], 24, &board.groups, &stopped);
        assert!(none.is_none());
    }
}
