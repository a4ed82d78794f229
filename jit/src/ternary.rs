//! Three-valued logic: bounds of a circuit's wires when only some of its inputs are known.
//!
//! A wire's *bounds* are two truth values: whether it may be true, and whether it must be.
//! For an AND, both are the ANDs of the operands' ("dual-rail" logic: Bryant, "Boolean
//! analysis of MOS circuits", 1987). So bounds are computed by a circuit with two gates for
//! each, which [`dual_rail`] makes, and which is evaluated in lanes like any other.
//! [`known_nodes`] does the same for a single case and returns the value of each node.
//!
//! Bounds are right, but not always the narrowest: that two wires are each other's opposite
//! is forgotten as soon as both are unknown.
//!
//! A loop's bounds are found as its values are, from false upwards. Its values only grow
//! from round to round, so what must be true in some round remains so: where the bounds
//! do not change any more, they hold for all rounds to come.

use crate::circuit::{Builder, Circuit, Edge, Node};

/// Whether a wire may be true, and whether it must be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Bounds<T> {
    may: T,
    must: T,
}

impl Bounds<Edge> {
    fn invert_if(self, invert: bool) -> Bounds<Edge> {
        match invert {
            false => self,
            true => Bounds {
                may: !self.must,
                must: !self.may,
            },
        }
    }
}

/// The circuit of the bounds: with two inputs for each input `i` of `n`, `i` for whether it may
/// be true and `n + i` for whether it must be, and with two outputs for each output likewise.
///
/// ```
/// use propjit_jit::circuit::Builder;
/// use propjit_jit::ternary::dual_rail;
/// let mut builder = Builder::new(2);
/// let (a, b) = (builder.input(0), builder.input(1));
/// let both = builder.and(a, b);
/// let either = builder.or(a, b);
/// let bounds = dual_rail(&builder.finish(vec![both, either, !a]));
/// // The first input is unknown, the second is true.
/// let may = [true, true];
/// let must = [false, true];
/// let outputs = bounds.evaluate(&[may, must].concat());
/// assert_eq!(outputs[..3], [true, true, true]);
/// assert_eq!(outputs[3..], [false, true, false]);
/// ```
pub fn dual_rail(circuit: &Circuit) -> Circuit {
    let inputs = circuit.inputs().len();
    let mut builder = Builder::new(2 * inputs);
    let mut bounds = vec![
        Bounds {
            may: Edge::FALSE,
            must: Edge::FALSE,
        };
        circuit.nodes().len()
    ];
    let of = |bounds: &[Bounds<Edge>], edge: Edge| {
        bounds[edge.node().index()].invert_if(edge.inverted())
    };
    let mut loops = circuit.loops().iter().peekable();
    for at in 0..circuit.nodes().len() {
        if let Some(starting) = loops.peek().filter(|l| l.nodes.start as usize == at) {
            let count = starting.feedback.len();
            let variables = builder.begin_loop(2 * count);
            let (may, must) = variables.split_at(count);
            for ((&(node, _), &may), &must) in starting.feedback.iter().zip(may).zip(must) {
                bounds[node.index()] = Bounds { may, must };
            }
        }
        match circuit.nodes()[at] {
            Node::And(a, b) => {
                let (a, b) = (of(&bounds, a), of(&bounds, b));
                bounds[at] = Bounds {
                    may: builder.and(a.may, b.may),
                    must: builder.and(a.must, b.must),
                };
            }
            Node::Input(input) => {
                bounds[at] = Bounds {
                    may: builder.input(input.index()),
                    must: builder.input(inputs + input.index()),
                };
            }
            Node::False | Node::Feedback => {}
        }
        if let Some(ending) = loops.next_if(|l| l.nodes.end as usize == at + 1) {
            let sources = ending.feedback.iter();
            let sources = sources.map(|&(_, source)| of(&bounds, source));
            let (may, must): (Vec<_>, Vec<_>) = sources.map(|b| (b.may, b.must)).unzip();
            builder.end_loop(&[may, must].concat());
        }
    }
    let outputs = circuit.outputs().iter().map(|&edge| of(&bounds, edge));
    let (may, must): (Vec<_>, Vec<_>) = outputs.map(|b| (b.may, b.must)).unzip();
    builder.finish([may, must].concat())
}

/// Returns the value of each node, if it is the same for all values of the inputs that are not known.
///
/// # Panics
/// If the number of entries is not that of the inputs.
pub fn known_nodes(circuit: &Circuit, inputs: &[Option<bool>]) -> Vec<Option<bool>> {
    assert_eq!(
        inputs.len(),
        circuit.inputs().len(),
        "an entry for each input"
    );
    let mut bounds = vec![
        Bounds {
            may: false,
            must: false,
        };
        circuit.nodes().len()
    ];
    let mut at = 0;
    for a_loop in circuit.loops() {
        let (start, end) = (a_loop.nodes.start as usize, a_loop.nodes.end as usize);
        bound_nodes(circuit, at..start, inputs, &mut bounds);
        loop {
            bound_nodes(circuit, start..end, inputs, &mut bounds);
            let mut changed = false;
            let sources = a_loop.feedback.iter();
            let sources: Vec<_> = sources.map(|&(_, source)| of(&bounds, source)).collect();
            for (&(node, _), source) in a_loop.feedback.iter().zip(sources) {
                let feedback = &mut bounds[node.index()];
                let grown = Bounds {
                    may: feedback.may | source.may,
                    must: feedback.must | source.must,
                };
                changed |= std::mem::replace(feedback, grown) != grown;
            }
            if !changed {
                break;
            }
        }
        at = end;
    }
    bound_nodes(circuit, at..circuit.nodes().len(), inputs, &mut bounds);
    let bounds = bounds.into_iter();
    bounds
        .map(|Bounds { may, must }| (may == must).then_some(may))
        .collect()
}

fn of(bounds: &[Bounds<bool>], edge: Edge) -> Bounds<bool> {
    let Bounds { may, must } = bounds[edge.node().index()];
    match edge.inverted() {
        false => Bounds { may, must },
        true => Bounds {
            may: !must,
            must: !may,
        },
    }
}

/// Sets the bounds of gates and inputs in the range; feedback nodes keep theirs.
fn bound_nodes(
    circuit: &Circuit,
    nodes: std::ops::Range<usize>,
    inputs: &[Option<bool>],
    bounds: &mut [Bounds<bool>],
) {
    for at in nodes {
        bounds[at] = match circuit.nodes()[at] {
            Node::And(a, b) => {
                let (a, b) = (of(bounds, a), of(bounds, b));
                Bounds {
                    may: a.may && b.may,
                    must: a.must && b.must,
                }
            }
            Node::Input(input) => {
                let known = inputs[input.index()];
                Bounds {
                    may: known != Some(false),
                    must: known == Some(true),
                }
            }
            Node::False | Node::Feedback => continue,
        };
    }
}
