//! Joint moves, and the remaining circuit of a game where one is made.

use propjit_jit::circuit::{Circuit, Edge, Node, conjuncts};
use propjit_jit::passes::fold;
use rustc_hash::FxHashMap;

use super::Invariant;
use super::net::Net;

/// The maximum number of joint moves that are not excluded by simple checks.
const MOST: usize = 1 << 10;

/// The maximum number of gates of the circuit times joint moves: it is folded for each.
const MAX_GATES: usize = 1 << 25;

/// A joint move, and the known values where it is made.
pub(crate) struct JointMove {
    /// The inputs of the moves.
    made: Vec<usize>,
    /// The values of base propositions.
    pub(super) known: FxHashMap<usize, bool>,
}

/// For each proposition, the groups with at most one true proposition.
type Groups<'a> = FxHashMap<usize, Vec<&'a [usize]>>;

impl JointMove {
    /// Returns the joint moves, without those that simple checks show to be illegal in all states in
    /// which the invariants hold. `None` if there are too many.
    pub(crate) fn all(net: &Net, invariants: &[Invariant]) -> Option<Vec<JointMove>> {
        let mut groups = Groups::default();
        for invariant in invariants {
            if let Invariant::ExactlyOne(group) | Invariant::AtMostOne(group) = invariant {
                let members = group.iter();
                members.for_each(|&base| groups.entry(base).or_default().push(group));
            }
        }
        let circuit = net.circuit;
        let (made, known) = (Vec::new(), FxHashMap::default());
        let mut found = vec![JointMove { made, known }];
        for (does, legal) in net.layout.does.iter().zip(&net.layout.legal) {
            let mut extended = Vec::new();
            for (made, output) in does.clone().zip(legal.clone()) {
                let Some(known) = conditions(circuit, circuit.outputs()[output], &groups) else {
                    continue;
                };
                let joined = found.iter().filter_map(|joint| joint.with(made, &known));
                extended.extend(joined);
                if extended.len() > MOST {
                    return None;
                }
            }
            found = extended;
        }
        (found.len() * circuit.nodes().len() <= MAX_GATES).then_some(found)
    }

    /// Returns the joint move with one more move, which is made where base propositions have these
    /// values.
    fn with(&self, made: usize, known: &FxHashMap<usize, bool>) -> Option<JointMove> {
        let agrees = |(base, value): (&usize, &bool)| {
            self.known.get(base).is_none_or(|other| other == value)
        };
        known.iter().all(agrees).then(|| {
            let mut all = self.known.clone();
            all.extend(known);
            JointMove {
                made: [&self.made[..], &[made]].concat(),
                known: all,
            }
        })
    }

    /// Returns what is left of the circuit.
    pub(crate) fn circuit(&self, net: &Net) -> Circuit {
        let circuit = net.circuit;
        let mut known = vec![None; circuit.inputs().len()];
        for (&base, &value) in &self.known {
            known[base] = Some(value);
        }
        for input in net.layout.does.iter().cloned().flatten() {
            known[input] = Some(self.made.contains(&input));
        }
        fold(circuit, &known)
    }

    /// Returns the premises where the moves are made, as edges of [what is left](JointMove::circuit) of
    /// the circuit: that they are legal, and that the match continues.
    pub(super) fn premises(&self, net: &Net, circuit: &Circuit) -> Vec<Edge> {
        let roles = net.layout.does.iter().zip(&net.layout.legal);
        let legal = roles.zip(&self.made).map(|((does, legal), made)| {
            let output = legal.start + made - does.start;
            circuit.outputs()[output]
        });
        let goes_on = !circuit.outputs()[net.layout.terminal];
        conjuncts(|node| circuit.node(node), legal.chain([goes_on]))
    }
}

/// Returns the values that base propositions have where the edge is true, found by simple checks and
/// the groups. `None` if it never is true.
fn conditions(circuit: &Circuit, edge: Edge, groups: &Groups) -> Option<FxHashMap<usize, bool>> {
    let mut known = FxHashMap::default();
    for condition in conjuncts(|node| circuit.node(node), [edge]) {
        let (base, value) = match circuit.node(condition.node()) {
            Node::Input(input) => (input.index(), !condition.inverted()),
            Node::False if !condition.inverted() => return None,
            _ => continue,
        };
        let exclusive = groups.get(&base).filter(|_| value).into_iter().flatten();
        let others = exclusive.flat_map(|group| group.iter());
        let others = others.filter(|&&other| other != base);
        let excluded = others.map(|&other| (other, false));
        for (base, value) in excluded.chain([(base, value)]) {
            if known.insert(base, value) == Some(!value) {
                return None;
            }
        }
    }
    Some(known)
}
