//! Lowering: from the propositional network to the circuit.
//!
//! [`Layout`] defines the meaning of the circuit's inputs and outputs.

use std::ops::Range;

use propjit_gdl::propnet::{Component, Gate, GateId, Propnet, Wire};
use propjit_jit::circuit::{Builder, Circuit, Edge};
use propjit_stop::{Stop, Ticker};

use super::layout::Layout;

/// Returns the circuit of a game, with the outputs given by `layout`. `None` if `stop` is set before
/// it is made.
pub fn lower(net: &Propnet, layout: &Layout, stop: &Stop) -> Option<Circuit> {
    let mut lowering = Lowering {
        ticker: stop.ticker(),
        net,
        layout,
        builder: Builder::new(layout.inputs()),
        // Overwritten before they are read, because gates come after their operands.
        edges: vec![Edge::FALSE; net.len()],
    };
    for component in net.components() {
        match component {
            Component::Single(gate) => lowering.gate(gate)?,
            Component::Recursive(gates) => lowering.recursion(gates)?,
        }
    }
    let mut outputs = vec![Edge::FALSE; layout.outputs];
    for (at, base) in layout.next.clone().zip(&net.bases) {
        outputs[at] = lowering.edge(base.next);
    }
    outputs[layout.terminal] = lowering.edge(net.terminal);
    for (role, percepts) in net.roles.iter().zip(&layout.percepts) {
        for (at, percept) in percepts.clone().zip(&role.percepts) {
            outputs[at] = lowering.edge(percept.wire);
        }
    }
    for (role, (legal, goals)) in net.roles.iter().zip(layout.legal.iter().zip(&layout.goals)) {
        for (at, played) in legal.clone().zip(&role.moves) {
            outputs[at] = lowering.edge(played.legal);
        }
        for (at, goal) in goals.clone().zip(&role.goals) {
            outputs[at] = lowering.edge(goal.wire);
        }
    }
    Some(lowering.builder.finish(outputs))
}

struct Lowering<'a> {
    net: &'a Propnet,
    layout: &'a Layout,
    builder: Builder,
    /// The edge of each gate of the network that was lowered so far.
    edges: Vec<Edge>,
    ticker: Ticker,
}

impl Lowering<'_> {
    fn edge(&self, wire: Wire) -> Edge {
        self.edges[wire.gate.index()].invert_if(wire.inverted)
    }

    /// Lowers a gate, unless stopped.
    fn gate(&mut self, id: GateId) -> Option<()> {
        if self.ticker.is_set() {
            return None;
        }
        let edges = |wires: &[Wire]| {
            wires
                .iter()
                .map(|&wire| self.edge(wire))
                .collect::<Vec<_>>()
        };
        self.edges[id.index()] = match self.net.gate(id) {
            Gate::Constant(value) => Edge::FALSE.invert_if(value),
            Gate::Base(index) => self.builder.input(self.layout.bases.start + index as usize),
            Gate::Does { role, index } => {
                let does = &self.layout.does[role as usize];
                self.builder.input(does.start + index as usize)
            }
            Gate::And(wires) => {
                let edges = edges(wires);
                self.builder.and_all(&edges)
            }
            Gate::Or(wires) => {
                let edges = edges(wires);
                self.builder.or_all(&edges)
            }
        };
        Some(())
    }

    /// Lowers gates that depend on each other cyclically to a loop. Those that are read before
    /// their turn go through feedback nodes. `None` if stopped.
    ///
    /// The order is from the last gate to the first, because the network has gates
    /// before those that they read: so a loop settles in several times fewer rounds.
    fn recursion(&mut self, gates: Range<u32>) -> Option<()> {
        let mut feedback: Vec<GateId> = Vec::new();
        for gate in gates.clone().map(GateId) {
            if let Gate::And(wires) | Gate::Or(wires) = self.net.gate(gate) {
                let read = wires.iter().map(|wire| wire.gate);
                feedback.extend(read.filter(|read| (gates.start..=gate.0).contains(&read.0)));
            }
        }
        feedback.sort_unstable();
        feedback.dedup();
        let variables = self.builder.begin_loop(feedback.len());
        for (gate, variable) in feedback.iter().zip(variables) {
            self.edges[gate.index()] = variable;
        }
        gates
            .rev()
            .map(GateId)
            .try_for_each(|gate| self.gate(gate))?;
        let sources: Vec<Edge> = feedback
            .iter()
            .map(|gate| self.edges[gate.index()])
            .collect();
        self.builder.end_loop(&sources);
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use propjit_gdl::ground::{GroundLimits, ground};
    use propjit_gdl::rules::Rules;
    use propjit_jit::circuit::OutputId;
    use propjit_jit::scalar::ScalarInterpreter;

    use super::*;
    use crate::game::ground::Port;

    /// A token walks on a ring with a chord; `near` are the places it can reach soon, by recursion.
    const WALK: &str = "
        (role walker) (role watcher)
        (link a b) (link b c) (link c a) (link b d)
        (init (at a))
        (<= (near ?x ?y) (link ?x ?y) (not (true (closed ?y))))
        (<= (near ?x ?z) (near ?x ?y) (near ?y ?z))
        (<= (legal walker (go ?y)) (true (at ?x)) (near ?x ?y))
        (<= (legal walker (close ?y)) (true (at ?x)) (link ?x ?y))
        (legal watcher watch)
        (<= (next (at ?y)) (does walker (go ?y)))
        (<= (next (at ?x)) (true (at ?x)) (does walker (close ?y)))
        (<= (next (closed ?x)) (true (closed ?x)))
        (<= (next (closed ?x)) (does walker (close ?x)))
        (<= terminal (true (at d)))
        (<= (goal walker 100) (true (at d)))
        (<= (goal walker 0) (not (true (at d))))
        (goal watcher 50)
    ";

    fn walk() -> Propnet {
        let rules = Rules::parse("walk.kif", WALK).unwrap().rules;
        ground(&rules, &GroundLimits::default()).unwrap().0
    }

    #[test]
    fn every_group_of_outputs_has_words_of_its_own() {
        let layout = Layout::new(&walk());
        let ports = layout
            .roles()
            .flat_map(|role| [Port::Legal(role), Port::Goals(role)])
            .chain([Port::Terminal]);
        let mut words: Vec<_> = ports
            .map(|port| layout.outputs_of(port))
            .chain([layout.next.clone()])
            .flat_map(|outputs| outputs.start / 64..outputs.end.div_ceil(64))
            .collect();
        words.sort_unstable();
        assert_eq!(words, (0..layout.outputs.div_ceil(64)).collect::<Vec<_>>());
        assert_eq!(layout.next.start, 0);
    }

    #[test]
    fn recursion_becomes_loops_with_the_least_fixpoint() {
        let net = walk();
        let layout = Layout::new(&net);
        let circuit = lower(&net, &layout, &Stop::new()).unwrap();
        assert_eq!(circuit.inputs().len(), layout.inputs());
        assert!(!circuit.loops().is_empty());
        let base = |name: &str| {
            net.bases
                .iter()
                .position(|b| net.terms.text(b.name) == name)
        };
        let legal_at = |facts: &[&str]| {
            let mut scalar = ScalarInterpreter::new(&circuit);
            for name in facts {
                scalar.set_input(layout.bases.start + base(name).unwrap(), true);
            }
            scalar.settle();
            let moves = layout.legal[0].clone().zip(&net.roles[0].moves);
            let legal = moves.filter(|&(at, _)| scalar.output(OutputId(at as u32)));
            let mut texts: Vec<_> = legal.map(|(_, m)| net.terms.text(m.name)).collect();
            texts.sort();
            texts
        };
        let all = ["(close b)", "(go a)", "(go b)", "(go c)", "(go d)"];
        assert_eq!(legal_at(&["(at a)"]), all);
        assert_eq!(legal_at(&["(at a)", "(closed b)"]), ["(close b)"]);
        assert_eq!(
            legal_at(&["(at a)", "(closed c)"]),
            ["(close b)", "(go b)", "(go d)"]
        );
    }

    #[test]
    fn a_stop_ends_it() {
        let net = walk();
        let stop = Stop::new();
        stop.set();
        assert!(lower(&net, &Layout::new(&net), &stop).is_none());
    }

    #[test]
    fn each_role_makes_one_move_and_that_is_legal() {
        let layout = Layout::new(&walk());
        let assumptions = layout.assumptions();
        let sizes: Vec<usize> = assumptions.exactly_one.iter().map(Vec::len).collect();
        assert_eq!(
            sizes,
            layout.does.iter().map(Range::len).collect::<Vec<_>>()
        );
        assert_eq!(assumptions.implies.len(), sizes.iter().sum::<usize>());
    }
}
