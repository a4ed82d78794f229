//! Propositions that go round in a small circle, whatever is played.
//!
//! In most games with alternating moves `(control white)` is true in every second
//! state and `(control black)` in the others. All that is computed for the player who
//! is not to move is then known beforehand, if all the matches of a playout are in the
//! same phase.
//!
//! A proposition is *autonomous* if no move has an influence on it, however indirect:
//! its next value depends on autonomous propositions only. With those that it depends
//! on it is a machine without input, and if that machine is after `p` steps where it
//! started, it will be so for ever after each `p` steps.
//!
//! Influence is read off the circuit's structure. So a proposition that is found here
//! also goes its way in states that no match reaches, and after moves that are not legal.

use propjit_jit::circuit::{Circuit, Node, NodeId};

use super::State;
use super::lower::Layout;

/// The longest period that is looked for.
const LONGEST: usize = 8;

/// The propositions that are periodic from the initial state on, and their values.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Phases {
    bases: Vec<usize>,
    /// The propositions of `bases` that hold in each phase.
    cycle: Vec<State>,
}

impl Phases {
    /// No periodic propositions: there is one phase, and every state is in it.
    pub fn none() -> Phases {
        Phases {
            bases: Vec::new(),
            cycle: vec![State::new()],
        }
    }

    /// The phases of a game with this circuit.
    ///
    /// The period is the one up to eight that is a multiple of the periods of as many
    /// propositions as possible, and the smallest of these. The other propositions, and
    /// those that never change, are left out.
    pub(super) fn find(circuit: &Circuit, layout: &Layout, initial: &State) -> Phases {
        let influence = Influence::new(circuit, layout);
        let node = |input: usize| circuit.inputs()[input].index();
        let mut influenced = vec![false; circuit.nodes().len()];
        influence.spread(
            &mut influenced,
            layout.does.iter().cloned().flatten().map(node),
        );
        let autonomous: Vec<usize> = (layout.bases.clone())
            .filter(|&base| !influenced[node(base)])
            .collect();
        if autonomous.is_empty() {
            return Phases::none();
        }
        let run = run(circuit, layout, &autonomous, initial);
        // By number of steps, those that are then where they started, as is all that
        // they depend on.
        let returned: Vec<Vec<usize>> = (0..=LONGEST)
            .map(|steps| {
                let mut moved = influenced.clone();
                let changed = |base: &usize| run[steps].contains(*base) != run[0].contains(*base);
                let changed = autonomous.iter().copied().filter(changed);
                influence.spread(&mut moved, changed.map(node));
                let returned = autonomous.iter().copied();
                returned.filter(|&base| !moved[node(base)]).collect()
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
        let cycle = run[..period].iter();
        Phases {
            cycle: cycle
                .map(|state| {
                    bases
                        .iter()
                        .copied()
                        .filter(|&base| state.contains(base))
                        .collect()
                })
                .collect(),
            bases,
        }
    }

    /// After how many steps the periodic propositions are all as before; 1 if there are none.
    pub fn period(&self) -> usize {
        self.cycle.len()
    }

    /// The periodic propositions, ascending: numbers of base propositions, which are
    /// inputs of the circuit with the same numbers. Each is false in some phase.
    pub fn bases(&self) -> &[usize] {
        &self.bases
    }

    /// In which phase a state is: the initial state is in phase 0, and from phase `i`
    /// every move leads to phase `i + 1`, modulo the period. No match that starts in the
    /// initial state comes to a state without a phase.
    pub fn of(&self, state: &State) -> Option<usize> {
        self.cycle.iter().position(|phase| {
            let mut bases = self.bases.iter();
            bases.all(|&base| phase.contains(base) == state.contains(base))
        })
    }
}

/// The initial state's and its successors' autonomous propositions.
fn run(circuit: &Circuit, layout: &Layout, autonomous: &[usize], initial: &State) -> Vec<State> {
    let step = |state: &State| {
        // What they become does not depend on the other inputs.
        let mut inputs = vec![false; layout.inputs()];
        state.iter().for_each(|base| inputs[base] = true);
        let outputs = circuit.evaluate(&inputs);
        let next = |base: &usize| outputs[layout.next.start + base];
        Some(autonomous.iter().copied().filter(next).collect())
    };
    let first = |base: &usize| initial.contains(*base);
    let first: State = autonomous.iter().copied().filter(first).collect();
    std::iter::successors(Some(first), step)
        .take(LONGEST + 1)
        .collect()
}

/// Which nodes have an influence on which, within a step and from step to step.
struct Influence {
    /// Where the targets of each node start, and at last how many there are.
    starts: Vec<u32>,
    targets: Vec<u32>,
}

impl Influence {
    fn new(circuit: &Circuit, layout: &Layout) -> Influence {
        let operands = circuit
            .nodes()
            .iter()
            .zip(0..)
            .flat_map(|(node, to)| match *node {
                Node::And(a, b) => vec![(a.node(), to), (b.node(), to)],
                _ => Vec::new(),
            });
        let feedback = circuit.loops().iter().flat_map(|l| &l.feedback);
        let feedback = feedback.map(|&(to, source)| (source.node(), to.0));
        let steps = layout.next.clone().zip(layout.bases.clone());
        let steps = steps.map(|(next, base)| {
            let NodeId(to) = circuit.inputs()[base];
            (circuit.outputs()[next].node(), to)
        });
        let mut pairs: Vec<(NodeId, u32)> = operands.chain(feedback).chain(steps).collect();
        pairs.sort_unstable();
        let mut starts = vec![0; circuit.nodes().len() + 1];
        for (from, _) in &pairs {
            starts[from.index() + 1] += 1;
        }
        for at in 1..starts.len() {
            starts[at] += starts[at - 1];
        }
        Influence {
            starts,
            targets: pairs.into_iter().map(|(_, to)| to).collect(),
        }
    }

    /// Marks the nodes `from` and all that they have an influence on, but does not go on
    /// from nodes that are marked already.
    fn spread(&self, marked: &mut [bool], from: impl Iterator<Item = usize>) {
        let mut left: Vec<usize> = from.collect();
        while let Some(node) = left.pop() {
            if !std::mem::replace(&mut marked[node], true) {
                let targets = self.starts[node] as usize..self.starts[node + 1] as usize;
                left.extend(self.targets[targets].iter().map(|&to| to as usize));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use propjit_gdl::ground::{Limits, ground};
    use propjit_gdl::rules::Rules;

    use crate::machine::GroundGame;

    use super::*;
    use crate::machine::CodeOptions;

    fn game(rules: &str) -> GroundGame {
        let role = "(role r) (legal r a) (legal r b) (goal r 0) (<= terminal (true never))
            (<= (next never) (true never) (does r a)) (init once)";
        let rules = Rules::parse("test.kif", &format!("{role} {rules}"))
            .unwrap()
            .rules;
        GroundGame::new(
            ground(&rules, &Limits::default()).unwrap().0,
            CodeOptions::default(),
        )
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
        // A counter that stops, a turn that a move can keep, and what follows from it.
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
