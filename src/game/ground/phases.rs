//! Phases: propositions that alternate with a small period, whatever is played.
//!
//! In most games with alternating moves `(control white)` is true in every second state and
//! `(control black)` in the others. The gates for the role that is not to move are then constant,
//! if all matches that are played together are in the same phase.
//!
//! A proposition is *autonomous* if no move has an influence on it, however indirect: its next
//! value depends on autonomous propositions only. Together with those that it depends on, it is
//! a machine without input. If that machine has returned to its initial state after `p` steps, it
//! does so again after each further `p` steps.
//!
//! Influence is derived from the circuit's structure, and recursion counts as an influence. So the
//! results also hold in unreachable states, and after illegal moves.

use propjit_jit::circuit::{Circuit, Edge, Node, NodeId, NodeSet};

use super::layout::Layout;
use crate::game::vocabulary::state::State;

/// The maximum period.
const LONGEST: usize = 8;

/// The propositions that are periodic from the initial state on, and their values.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Phases {
    bases: Vec<usize>,
    /// The propositions of `bases` that hold in each phase.
    cycle: Vec<State>,
}

impl Phases {
    /// Returns phases without periodic propositions: there is one phase, and every state is in it.
    pub fn none() -> Phases {
        Phases {
            bases: Vec::new(),
            cycle: vec![State::new()],
        }
    }

    /// Finds the phases of a game with this circuit.
    ///
    /// The period is the one up to eight that is a multiple of the periods of as many
    /// propositions as possible, and the smallest of these. The other propositions, those
    /// that never change, and those that depend on recursion, are left out.
    pub(super) fn find(circuit: &Circuit, layout: &Layout, initial: &State) -> Phases {
        let is_touched = |input: &usize| !layout.bases.contains(input);
        let inputs = (0..circuit.inputs().len()).filter(is_touched);
        let inputs = inputs.map(|input| circuit.inputs()[input]);
        let autonomous = Untouched::by(circuit, layout, inputs);
        let bases = autonomous.bases();
        let run = autonomous.run(&bases, initial);
        // For each number of steps, the propositions that have then returned to their initial
        // value, together with all that they depend on.
        let returned: Vec<Vec<usize>> = (0..=LONGEST)
            .map(|steps| {
                let changed = |base: &usize| run[steps].contains(*base) != run[0].contains(*base);
                let changed = bases.iter().copied().filter(changed);
                autonomous
                    .without(changed.map(|base| circuit.inputs()[base]))
                    .bases()
            })
            .collect();
        let changes = |base: usize| {
            run.iter()
                .any(|s| s.contains(base) != run[0].contains(base))
        };
        let periodic = |period: usize| returned[period].iter().filter(|&&base| changes(base));
        let period = (1..=LONGEST)
            .rev()
            .max_by_key(|&period| periodic(period).count())
            .unwrap_or(1);
        let bases: Vec<usize> = periodic(period).copied().collect();
        let of_those = |state: &State| {
            let holding = bases.iter().copied();
            holding.filter(|&base| state.contains(base)).collect()
        };
        Phases {
            cycle: run[..period].iter().map(of_those).collect(),
            bases,
        }
    }

    /// Returns the number of steps after which the periodic propositions are all as before: 1 if
    /// there are none.
    pub fn period(&self) -> usize {
        self.cycle.len()
    }

    /// Returns the periodic propositions, ascending: numbers of base propositions, which are
    /// inputs of the circuit with the same numbers. Each is false in some phase.
    pub fn bases(&self) -> &[usize] {
        &self.bases
    }

    /// Returns the propositions of [`bases`](Phases::bases) that hold in each phase.
    pub fn each(&self) -> &[State] {
        &self.cycle
    }

    /// Returns for each of the circuit's `inputs` inputs the value in this phase, if it is one of
    /// the [`bases`](Phases::bases).
    pub fn known(&self, phase: usize, inputs: usize) -> Vec<Option<bool>> {
        let mut known = vec![None; inputs];
        for &base in &self.bases {
            known[base] = Some(self.cycle[phase].contains(base));
        }
        known
    }

    /// Returns the phase of a state: the initial state is in phase 0, and from phase `i` every move
    /// leads to phase `i + 1`, modulo the period. No match from the initial state reaches a state
    /// without a phase.
    pub fn of(&self, state: &State) -> Option<usize> {
        self.cycle.iter().position(|phase| {
            let mut bases = self.bases.iter();
            bases.all(|&base| phase.contains(base) == state.contains(base))
        })
    }
}

/// The nodes that are not influenced by some nodes, within a step or from step to step.
struct Untouched<'a> {
    circuit: &'a Circuit,
    layout: &'a Layout,
    /// The nodes, ascending: no operand comes after its gate.
    nodes: Vec<NodeId>,
    /// All others.
    touched: NodeSet,
}

impl<'a> Untouched<'a> {
    /// Returns the nodes that are not influenced by these nodes, which include all inputs but base
    /// propositions, nor by recursion.
    fn by(
        circuit: &'a Circuit,
        layout: &'a Layout,
        sources: impl Iterator<Item = NodeId>,
    ) -> Untouched<'a> {
        let feedback = circuit.loops().iter().flat_map(|l| &l.feedback);
        let touched = circuit.influence(sources.chain(feedback.map(|&(node, _)| node)));
        let nodes = (0..circuit.nodes().len() as u32).map(NodeId);
        let untouched = Untouched {
            circuit,
            layout,
            nodes: nodes.filter(|&node| !touched.contains(node)).collect(),
            touched,
        };
        untouched.after_any_steps()
    }

    /// Returns those of them that are not influenced by these nodes either.
    fn without(&self, touched: impl Iterator<Item = NodeId>) -> Untouched<'a> {
        let mut all = self.touched.clone();
        touched.for_each(|node| {
            all.insert(node);
        });
        let untouched = Untouched {
            nodes: self.nodes.clone(),
            touched: all,
            ..*self
        };
        untouched.after_any_steps()
    }

    /// Returns those of them that are not influenced by the others through any number of steps.
    fn after_any_steps(mut self) -> Untouched<'a> {
        // A sweep goes through all gates of a step. There may be as many sweeps as step counters
        // have values, so each of them only visits the nodes that are left.
        loop {
            let before = self.nodes.len();
            let mut nodes = std::mem::take(&mut self.nodes);
            nodes.retain(|&node| {
                let is_touched = !self.contains(node)
                    || match self.circuit.nodes()[node.index()] {
                        Node::And(a, b) => [a, b].iter().any(|edge| !self.contains(edge.node())),
                        Node::Input(base) => !self.contains(self.next(base.index()).node()),
                        Node::False | Node::Feedback => false,
                    };
                if is_touched {
                    self.touched.insert(node);
                }
                !is_touched
            });
            self.nodes = nodes;
            if self.nodes.len() == before {
                return self;
            }
        }
    }

    fn contains(&self, node: NodeId) -> bool {
        !self.touched.contains(node)
    }

    /// Returns the next value of a base proposition.
    fn next(&self, base: usize) -> Edge {
        self.circuit.outputs()[self.layout.next.start + base]
    }

    /// Returns the base propositions among them, ascending.
    fn bases(&self) -> Vec<usize> {
        let bases = self.layout.bases.clone();
        bases
            .filter(|&base| self.contains(self.circuit.inputs()[base]))
            .collect()
    }

    /// Returns which of the given base propositions, which are among them, hold initially and in
    /// each of the following states.
    fn run(&self, bases: &[usize], initial: &State) -> Vec<State> {
        let mut values = vec![false; self.circuit.nodes().len()];
        let first: State = (bases.iter().copied())
            .filter(|&base| initial.contains(base))
            .collect();
        let step = |state: &State| {
            let value =
                |values: &[bool], edge: Edge| values[edge.node().index()] != edge.inverted();
            for &node in &self.nodes {
                values[node.index()] = match self.circuit.nodes()[node.index()] {
                    Node::And(a, b) => value(&values, a) && value(&values, b),
                    Node::Input(input) => state.contains(input.index()),
                    Node::False | Node::Feedback => false,
                };
            }
            let next = |base: &usize| value(&values, self.next(*base));
            Some(bases.iter().copied().filter(next).collect())
        };
        std::iter::successors(Some(first), step)
            .take(LONGEST + 1)
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use propjit_gdl::ground::{GroundLimits, ground};
    use propjit_gdl::rules::Rules;

    use crate::game::ground::GroundGame;
    use propjit_stop::Stop;

    use super::*;

    fn game(rules: &str) -> GroundGame {
        let role = "(role r) (legal r a) (legal r b) (goal r 0) (<= terminal (true never))
            (<= (next never) (true never) (does r a)) (init once)";
        let rules = Rules::parse("test.kif", &format!("{role} {rules}"))
            .unwrap()
            .rules;
        let (propnet, _) = ground(&rules, &GroundLimits::default()).unwrap();
        GroundGame::new(propnet, Stop::new()).unwrap()
    }

    fn names(game: &GroundGame) -> Vec<String> {
        let bases = game.phases().bases().iter().copied().collect();
        game.fluents(&bases)
    }

    #[test]
    fn taking_turns_is_periodic() {
        let game = game(
            "(init (control x)) (init (mark 1)) (succ x y) (succ y z) (succ z x)
             (<= (next (control ?b)) (true (control ?a)) (succ ?a ?b))
             (<= (next (mark 1)) (does r a)) (<= (next (mark 2)) (true (mark 1)))",
        );
        let phases = game.phases();
        assert_eq!(phases.period(), 3);
        assert_eq!(names(&game), ["(control x)", "(control y)", "(control z)"]);
        assert_eq!(phases.of(game.initial()), Some(0));
        let state = |fluents: &[&str]| game.parse_state(fluents).unwrap();
        assert_eq!(phases.of(&state(&["(control z)", "(mark 2)"])), Some(2));
        assert_eq!(phases.of(&state(&["(control x)", "(control z)"])), None);
        assert_eq!(phases.of(&state(&[])), None);
    }

    #[test]
    fn counters_and_moves_are_not() {
        // A counter that stops, a turn that a move can keep, and propositions that depend on it.
        let game = game(
            "(init (step 1)) (succ 1 2) (succ 2 3) (succ 3 4)
             (<= (next (step ?b)) (true (step ?a)) (succ ?a ?b))
             (init (control x))
             (<= (next (control x)) (true (control y)))
             (<= (next (control y)) (true (control x)) (does r a))
             (<= (next (control x)) (true (control x)) (does r b))
             (<= (next follows) (true (control y)))",
        );
        assert_eq!(*game.phases(), Phases::none());
        assert_eq!(game.phases().of(game.initial()), Some(0));
    }

    #[test]
    fn what_is_periodic_only_later_or_depends_on_such_is_not() {
        // `late` alternates once `once` is gone; `odd` would, but for `late`.
        let game = game(
            "(<= (next late) (not (true late)) (not (true once)))
             (<= (next odd) (not (true odd)) (not (true late)))
             (init (tick 0)) (<= (next (tick 1)) (true (tick 0))) (<= (next (tick 0)) (true (tick 1)))",
        );
        assert_eq!(names(&game), ["(tick 0)", "(tick 1)"]);
        assert_eq!(game.phases().period(), 2);
    }

    #[test]
    fn the_period_is_a_common_multiple_up_to_eight() {
        let ring = |name: &str, length: usize| -> String {
            let steps = (0..length).map(|i| {
                let next = (i + 1) % length;
                format!("(<= (next ({name} {next})) (true ({name} {i})))")
            });
            format!("(init ({name} 0)) {}", steps.collect::<String>())
        };
        let period = |lengths: &[usize]| {
            let rings = lengths.iter().zip(["a", "b", "c"]);
            let rules: String = rings.map(|(&length, name)| ring(name, length)).collect();
            let game = game(&rules);
            (game.phases().period(), game.phases().bases().len())
        };
        assert_eq!(period(&[2, 3]), (6, 5));
        assert_eq!(period(&[4, 8]), (8, 12));
        assert_eq!(period(&[9]), (1, 0));
        assert_eq!(period(&[3, 5]), (5, 5));
        assert_eq!(period(&[2, 3, 5]), (5, 5), "as many as with 6, and shorter");
    }
}
