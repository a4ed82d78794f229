//! Propositions that are constant in a phase: in all its reachable states.
//!
//! Where roles take turns, a step counter has half of its values in each phase, and marks that the
//! moving role sets with a number have half of the numbers. Such constants are found by ternary
//! simulation from the initial state, from phase to phase up to a fixpoint. A move may be made if
//! it may be legal.
//!
//! The states that agree with the constants of a phase are closed: after any legal moves, such a
//! state is followed by one that agrees with those of the next phase.
//!
//! The set of possible values of a wire only grows, so each is reconsidered only after a change of
//! one that it depends on: the time is linear in the size of the circuit.

use propjit_jit::circuit::{Circuit, Edge, Node, NodeId};
use propjit_stop::{Stop, Ticker};

use super::layout::Layout;
use super::phases::Phases;
use crate::game::vocabulary::state::State;

/// The propositions that are constant in each phase, and their values.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PhaseConstants(Vec<Vec<Option<bool>>>);

impl PhaseConstants {
    /// Finds the constants of a game with this circuit; `None` if `stop` is set before they are
    /// found.
    pub(super) fn find(
        circuit: &Circuit,
        layout: &Layout,
        phases: &Phases,
        initial: &State,
        stop: &Stop,
    ) -> PhaseConstants {
        let mut ticker = stop.ticker();
        if ticker.is_set() {
            return PhaseConstants::none(layout, phases);
        }
        let readers = Readers::new(circuit, layout);
        let mut simulation = Simulation::new(circuit, phases.period());
        let first = phases.of(initial).unwrap_or(0);
        for base in layout.bases.clone() {
            let value = Values::of(initial.contains(base));
            simulation.add(first, circuit.inputs()[base], value);
        }
        if !simulation.run(circuit, &readers, &mut ticker) {
            return PhaseConstants::none(layout, phases);
        }
        let values = (0..phases.period()).map(|phase| {
            let bases = layout.bases.clone();
            let values = bases.map(|base| simulation.of(phase, circuit.inputs()[base]).known());
            values.collect()
        });
        PhaseConstants(values.collect())
    }

    /// Returns constants of which none is known.
    fn none(layout: &Layout, phases: &Phases) -> PhaseConstants {
        PhaseConstants(vec![vec![None; layout.bases.len()]; phases.period()])
    }

    /// Returns, for each base proposition, its value in all states of the phase, if that is always
    /// the same.
    pub fn of(&self, phase: usize) -> &[Option<bool>] {
        &self.0[phase]
    }
}

/// The possible values of a wire found so far: a set of truth values.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Values {
    may_be_false: bool,
    may_be_true: bool,
}

impl Values {
    const NONE: Values = Values {
        may_be_false: false,
        may_be_true: false,
    };

    fn of(value: bool) -> Values {
        Values {
            may_be_false: !value,
            may_be_true: value,
        }
    }

    fn invert_if(self, invert: bool) -> Values {
        match invert {
            false => self,
            true => Values {
                may_be_false: self.may_be_true,
                may_be_true: self.may_be_false,
            },
        }
    }

    fn and(self, other: Values) -> Values {
        Values {
            may_be_false: self.may_be_false || other.may_be_false,
            may_be_true: self.may_be_true && other.may_be_true,
        }
    }

    fn or(self, other: Values) -> Values {
        Values {
            may_be_false: self.may_be_false || other.may_be_false,
            may_be_true: self.may_be_true || other.may_be_true,
        }
    }

    fn known(self) -> Option<bool> {
        (self.may_be_true != self.may_be_false).then_some(self.may_be_true)
    }
}

/// The readers of a node's value, with the time at which they read it.
#[derive(Clone, Copy)]
enum Reader {
    /// A gate, in the same state.
    Gate(NodeId),
    /// A node that may take the value, in the same state: a feedback node, or the move that has it
    /// as its legality.
    Choice(Edge, NodeId),
    /// A base proposition, in the next state.
    Next(Edge, NodeId),
}

/// The readers of each node.
struct Readers {
    readers: Vec<Reader>,
    /// The end of the readers of each node.
    ends: Vec<usize>,
}

impl Readers {
    fn new(circuit: &Circuit, layout: &Layout) -> Readers {
        let output = |number: usize| circuit.outputs()[number];
        let nodes = circuit.nodes().iter().zip((0..).map(NodeId));
        let gates = nodes.flat_map(|(node, gate)| {
            let operands = match *node {
                Node::And(a, b) => [Some(a), Some(b)],
                _ => [None, None],
            };
            let operands = operands.into_iter().flatten();
            operands.map(move |edge| (edge.node(), Reader::Gate(gate)))
        });
        let feedback = circuit.loops().iter().flat_map(|a_loop| &a_loop.feedback);
        let feedback = feedback.map(|&(node, source)| (source, node));
        let moves = layout.does.iter().zip(&layout.legal);
        let moves = moves.flat_map(|(does, legal)| does.clone().zip(legal.clone()));
        let moves = moves.map(|(does, legal)| (output(legal), circuit.inputs()[does]));
        let choices = feedback.chain(moves);
        let choices = choices.map(|(edge, node)| (edge.node(), Reader::Choice(edge, node)));
        let bases = layout.bases.clone().zip(layout.next.clone());
        let bases = bases.map(|(base, next)| (output(next), circuit.inputs()[base]));
        let bases = bases.map(|(edge, node)| (edge.node(), Reader::Next(edge, node)));
        let mut all: Vec<(NodeId, Reader)> = gates.chain(choices).chain(bases).collect();
        all.sort_by_key(|&(node, _)| node);
        let mut ends = vec![0; circuit.nodes().len()];
        for &(node, _) in &all {
            ends[node.index()] += 1;
        }
        let mut end = 0;
        for count in &mut ends {
            end += *count;
            *count = end;
        }
        Readers {
            readers: all.into_iter().map(|(_, reader)| reader).collect(),
            ends,
        }
    }

    fn of(&self, node: NodeId) -> &[Reader] {
        let start = match node.index() {
            0 => 0,
            at => self.ends[at - 1],
        };
        &self.readers[start..self.ends[node.index()]]
    }
}

/// The values of each node in each phase that are known so far.
struct Simulation {
    values: Vec<Vec<Values>>,
    /// The nodes that have changed since their readers were updated.
    changed: Vec<(usize, NodeId)>,
}

impl Simulation {
    /// Starts with constants, and with nodes that only take the values of others: none of these may
    /// be true yet.
    fn new(circuit: &Circuit, period: usize) -> Simulation {
        let mut simulation = Simulation {
            values: vec![vec![Values::NONE; circuit.nodes().len()]; period],
            changed: Vec::new(),
        };
        let feedback = circuit.loops().iter().flat_map(|a_loop| &a_loop.feedback);
        let feedback: Vec<NodeId> = feedback.map(|&(node, _)| node).collect();
        for phase in 0..period {
            for &node in feedback.iter().chain([&Edge::FALSE.node()]) {
                simulation.add(phase, node, Values::of(false));
            }
        }
        simulation
    }

    fn of(&self, phase: usize, node: NodeId) -> Values {
        self.values[phase][node.index()]
    }

    fn edge(&self, phase: usize, edge: Edge) -> Values {
        self.of(phase, edge.node()).invert_if(edge.inverted())
    }

    /// Adds to the values that a node may have.
    fn add(&mut self, phase: usize, node: NodeId, values: Values) {
        let known = &mut self.values[phase][node.index()];
        let all = known.or(values);
        if std::mem::replace(known, all) != all {
            self.changed.push((phase, node));
        }
    }

    /// Runs until nothing changes, or until stopped. Returns whether it was completed.
    fn run(&mut self, circuit: &Circuit, readers: &Readers, ticker: &mut Ticker) -> bool {
        while let Some((phase, node)) = self.changed.pop() {
            if ticker.is_set() {
                return false;
            }
            for &reader in readers.of(node) {
                match reader {
                    Reader::Gate(gate) => {
                        if let Node::And(a, b) = circuit.node(gate) {
                            let both = self.edge(phase, a).and(self.edge(phase, b));
                            self.add(phase, gate, both);
                        }
                    }
                    Reader::Choice(source, to) => {
                        let taken = self.edge(phase, source).or(Values::of(false));
                        self.add(phase, to, taken);
                    }
                    Reader::Next(source, base) => {
                        let next = (phase + 1) % self.values.len();
                        self.add(next, base, self.edge(phase, source));
                    }
                }
            }
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use propjit_gdl::games::BY_SIZE;

    use crate::game::load::{Game, Setup};

    fn constants(text: &str) -> Vec<Vec<String>> {
        let game = Game::from_text("test", text, &Setup::default()).unwrap();
        let game = game.ground_game().unwrap();
        let phases = 0..game.phases().period();
        let of_phase = phases.map(|phase| {
            let values = game.phase_constants().of(phase).iter().enumerate();
            let mut names: Vec<String> = values
                .filter_map(|(base, value)| {
                    let name = game.fluents(&[base].into_iter().collect()).remove(0);
                    value.map(|value| if value { name } else { format!("not {name}") })
                })
                .collect();
            names.sort_unstable();
            names
        });
        of_phase.collect()
    }

    /// Two roles take turns to add their mark with the number of the step, or wait.
    const TURNS: &str =
        "(role x) (role o) (init (control x)) (init (step 1)) (other x o) (other o x)
         (succ 1 2) (succ 2 3) (succ 3 4)
         (<= (legal ?p mark) (true (control ?p))) (<= (legal ?p wait) (role ?p))
         (<= (next (control ?q)) (true (control ?p)) (other ?p ?q))
         (<= (next (step ?b)) (true (step ?a)) (succ ?a ?b))
         (<= (next (marked ?a)) (does ?p mark) (true (step ?a)))
         (<= (next (marked ?a)) (true (marked ?a)))
         (<= terminal (true (step 4))) (<= (goal ?p 50) (role ?p))";

    #[test]
    fn every_other_number_is_impossible() {
        let expected = [
            [
                "(control x)",
                "not (control o)",
                "not (step 2)",
                "not (step 4)",
            ],
            [
                "(control o)",
                "not (control x)",
                "not (step 1)",
                "not (step 3)",
            ],
        ];
        assert_eq!(constants(TURNS), expected);
    }

    #[test]
    fn nothing_is_constant_after_some_move() {
        // A role that waits may change the mark of the previous step.
        let more = "(<= (next (step ?a)) (true (step ?a)) (does ?p wait))";
        let expected = [
            ["(control x)", "not (control o)"],
            ["(control o)", "not (control x)"],
        ];
        assert_eq!(constants(&format!("{TURNS} {more}")), expected);
    }

    /// All states of random matches agree with the constants of their phases.
    #[test]
    fn matches_keep_to_the_constants() {
        for (name, text) in BY_SIZE {
            let game = Game::from_text(name, text, &Setup::default()).unwrap();
            let ground = game.ground_game().unwrap();
            let mut machine = game.machine(crate::Backend::Scalar).unwrap();
            let (mut state, mut moves) = (machine.initial_state().unwrap(), Vec::new());
            for step in 0..60_usize {
                let phase = ground.phases().of(&state).unwrap();
                for (base, value) in ground.phase_constants().of(phase).iter().enumerate() {
                    assert!(
                        value.is_none_or(|value| value == state.contains(base)),
                        "{name}: {:?} in step {step}",
                        ground.fluents(&[base].into_iter().collect())
                    );
                }
                if machine.is_terminal(&state).unwrap() {
                    break;
                }
                let mut joint = Vec::new();
                for role in ground.layout().roles() {
                    machine.legal_moves(&state, role, &mut moves).unwrap();
                    joint.push(moves[(7 * step + 3) % moves.len()]);
                }
                state = machine.next_state(&state, &joint).unwrap();
            }
        }
    }
}
