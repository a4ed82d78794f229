//! The reference evaluator, with one bit per node: the meaning of a circuit.

use super::{Circuit, Edge, Node};

impl Circuit {
    /// The outputs for these inputs. Slow and simple: the faster evaluators are tested
    /// against it.
    ///
    /// A loop is evaluated once more than it has feedback nodes, at most; this
    /// is enough for every monotone loop.
    ///
    /// # Panics
    /// If the number of values is not that of the inputs.
    pub fn evaluate(&self, inputs: &[bool]) -> Vec<bool> {
        assert_eq!(inputs.len(), self.inputs.len(), "a value for each input");
        let mut values = vec![false; self.nodes.len()];
        let mut at = 0;
        for a_loop in &self.loops {
            let (start, end) = (a_loop.nodes.start as usize, a_loop.nodes.end as usize);
            self.evaluate_nodes(at..start, inputs, &mut values);
            for _ in 0..=a_loop.feedback.len() {
                self.evaluate_nodes(start..end, inputs, &mut values);
                let news: Vec<bool> = (a_loop.feedback.iter())
                    .map(|&(_, source)| value(&values, source))
                    .collect();
                let mut changed = false;
                for (&(node, _), new) in a_loop.feedback.iter().zip(news) {
                    changed |= values[node.index()] != new;
                    values[node.index()] = new;
                }
                if !changed {
                    break;
                }
            }
            at = end;
        }
        self.evaluate_nodes(at..self.nodes.len(), inputs, &mut values);
        self.outputs.iter().map(|&e| value(&values, e)).collect()
    }

    /// Sets the values of gates and inputs in the range; feedback nodes keep theirs.
    fn evaluate_nodes(&self, nodes: std::ops::Range<usize>, inputs: &[bool], values: &mut [bool]) {
        for at in nodes {
            match self.nodes[at] {
                Node::And(a, b) => values[at] = value(values, a) && value(values, b),
                Node::Input(input) => values[at] = inputs[input.index()],
                Node::False | Node::Feedback => {}
            }
        }
    }
}

fn value(values: &[bool], edge: Edge) -> bool {
    values[edge.node().index()] != edge.inverted()
}

#[cfg(test)]
mod tests {
    use crate::circuit::Builder;

    #[test]
    fn reachability_is_a_least_fixpoint() {
        // Nodes 0 -> 1 -> 2 -> 0 in a circle, and input 3 switches 0 on.
        let mut g = Builder::new(4);
        let inputs: Vec<_> = (0..4).map(|i| g.input(i)).collect();
        let reached = g.begin_loop(3);
        let sources: Vec<_> = (0..3)
            .map(|i| {
                let step = g.and(reached[(i + 2) % 3], inputs[i]);
                if i == 0 { g.or(step, inputs[3]) } else { step }
            })
            .collect();
        g.end_loop(&sources);
        let circuit = g.finish(reached);
        assert_eq!(circuit.evaluate(&[true; 4]), [true; 3]);
        assert_eq!(circuit.evaluate(&[true, true, true, false]), [false; 3]);
        assert_eq!(
            circuit.evaluate(&[true, false, true, true]),
            [true, false, false]
        );
    }
}
