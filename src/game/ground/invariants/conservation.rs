//! Conserved totals: amounts that moves shift between places, such as seeds between pits, while
//! their sum never changes.
//!
//! The amount in a place is represented by a group of propositions. That one of each group is true, and
//! that the total never changes, depend on each other: no place overflows because there is no more than
//! the total, and the total is only known where each place has an amount. So both are proved together,
//! by induction, for one joint move after the other. With the moves known, most places keep what they
//! have, and the others depend on few: all amounts there that the total allows are tried.

use propjit_jit::circuit::{Circuit, Edge};
use propjit_jit::parallel;
use propjit_stop::Stop;
use rustc_hash::FxHashSet;

use super::cases::{Cases, LANES, Row};
use super::joint::JointMove;
use super::net::Net;
use super::{Invariant, Linear};
use crate::game::ground::counter::Counter;

/// The maximum number of nodes in the cone of a proposition that is examined by itself, and of its
/// inputs.
const MAX_NODES_ALONE: usize = 64;
const MAX_INPUTS_ALONE: usize = 8;

/// The maximum number of gates in all cases of one joint move, 256 cases at a time.
const MAX_GATES: usize = 1 << 27;

/// The maximum number of propositions in the cases of a joint move that belong to no place.
const MAX_OTHERS: usize = 8;

/// Places that each have an amount, with a total that never changes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Conserved {
    /// For each place, the propositions for the amounts 0, 1, 2, ...
    pub(crate) places: Vec<Vec<usize>>,
    /// The weight of each place's amount in the total. Zero: it does not count, but the
    /// others may depend on its having one value, such as the role to move.
    pub(crate) weights: Vec<usize>,
    /// The total.
    pub(crate) total: usize,
}

impl Conserved {
    /// Returns the claims: that one of the propositions of each place is true, and the total.
    fn claims(&self) -> Vec<Invariant> {
        let groups = self.places.iter().map(|place| {
            let mut group = place.clone();
            group.sort_unstable();
            Invariant::ExactlyOne(group)
        });
        let counted = self.weights.iter().zip(&self.places);
        let counted = counted.filter(|(weight, _)| **weight > 0);
        let terms = counted.map(|(&weight, place)| (weight as i64, Counter::Choice(place.clone())));
        // The value of a choice is one more than the amount.
        let more: usize = self.weights.iter().sum();
        let total = Invariant::Linear(Linear {
            terms: terms.collect(),
            constant: (self.total + more) as i64,
        });
        groups.chain([total]).collect()
    }

    /// Returns the claims if they hold in all states, without the places that do not count for the total and
    /// are not kept. Empty if the rest does not hold, if the proof is too expensive, or if `end` is set.
    pub(crate) fn prove(mut self, net: &Net, end: &Stop) -> Vec<Invariant> {
        loop {
            let claims = self.claims();
            if !claims.iter().all(|claim| claim.holds(net.game.initial())) {
                return Vec::new();
            }
            let Some(joint_moves) = JointMove::all(net, &claims) else {
                return Vec::new();
            };
            let lost = parallel::map(&joint_moves, |joint| match end.is_set() {
                true => (0..self.places.len()).collect(),
                false => Step::new(net, &self, joint).lost(),
            });
            let lost: FxHashSet<usize> = lost.into_iter().flatten().collect();
            tracing::debug!(
                joint_moves = joint_moves.len(),
                places = self.places.len(),
                lost = lost.len(),
                "a total is tried"
            );
            if lost.is_empty() {
                return claims;
            }
            if lost.iter().any(|&place| self.weights[place] > 0) {
                return Vec::new();
            }
            let mut kept = (0..).map(|place| !lost.contains(&place));
            self.weights.retain(|_| kept.next() == Some(true));
            let mut kept = (0..).map(|place| !lost.contains(&place));
            self.places.retain(|_| kept.next() == Some(true));
        }
    }
}

/// A step by a known joint move.
struct Step<'a> {
    net: &'a Net<'a>,
    conserved: &'a Conserved,
    joint: &'a JointMove,
    /// What is left of the circuit.
    circuit: Circuit,
}

impl<'a> Step<'a> {
    fn new(net: &'a Net<'a>, conserved: &'a Conserved, joint: &'a JointMove) -> Step<'a> {
        Step {
            net,
            conserved,
            joint,
            circuit: joint.circuit(net),
        }
    }

    /// Returns the places that may not have exactly one amount after the step, or all that count if
    /// their total may change, assuming the claims before it.
    fn lost(&self) -> Vec<usize> {
        let premises = self.joint.premises(self.net, &self.circuit);
        if premises.contains(&Edge::FALSE) {
            return Vec::new();
        }
        let Conserved {
            places, weights, ..
        } = self.conserved;
        let changed = (0..places.len()).filter(|&place| {
            let mut members = places[place].iter();
            !members.all(|&base| self.stays(base))
        });
        // Places that count are checked together, the others one by one.
        let (counted, others): (Vec<usize>, Vec<usize>) =
            changed.partition(|&place| weights[place] > 0);
        let parts = std::iter::once(counted).chain(others.into_iter().map(|place| vec![place]));
        let lost =
            parts.filter(|part| !part.is_empty() && !self.keeps(part, &premises).unwrap_or(false));
        lost.flatten().collect()
    }

    fn next(&self, base: usize) -> Edge {
        self.circuit.outputs()[self.net.layout.next.start + base]
    }

    /// Returns whether a small cone shows that a proposition stays unchanged.
    fn stays(&self, base: usize) -> bool {
        let next = self.next(base);
        if let Some(value) = self.joint.known.get(&base) {
            return next == Edge::FALSE.invert_if(*value);
        }
        if next == Edge::from(self.circuit.inputs()[base]) {
            return true;
        }
        let Some(mut cases) = Cases::new(&self.circuit, &[next], MAX_NODES_ALONE) else {
            return false;
        };
        let inputs = cases.inputs();
        let Some(own) = inputs.iter().position(|&input| input == base) else {
            return false;
        };
        if inputs.len() > MAX_INPUTS_ALONE {
            return false;
        }
        // In case number n the inputs have the values of the bits of n.
        let values = |at: usize| -> Row {
            let mut row = Row::default();
            for case in (0..LANES).filter(|case| case >> at & 1 == 1) {
                row[case / 64] |= 1 << (case % 64);
            }
            row
        };
        for (at, &input) in inputs.iter().enumerate() {
            cases.set(input, values(at));
        }
        cases.evaluate();
        cases.root(0) == values(own)
    }

    /// Returns whether the places that change keep the claims. `None` if the check is too
    /// expensive.
    fn keeps(&self, changed: &[usize], premises: &[Edge]) -> Option<bool> {
        let places = &self.conserved.places;
        let members = || changed.iter().flat_map(|&place| &places[place]);
        let mut roots: Vec<Edge> = members().map(|&base| self.next(base)).collect();
        let most = self.circuit.nodes().len();
        let read: FxHashSet<usize> = Cases::new(&self.circuit, &roots, most)?
            .inputs()
            .into_iter()
            .collect();
        let is_near = |place: &usize| {
            changed.contains(place) || places[*place].iter().any(|base| read.contains(base))
        };
        let near: Vec<usize> = (0..places.len()).filter(is_near).collect();
        let in_place: FxHashSet<usize> = near
            .iter()
            .flat_map(|&place| &places[place])
            .copied()
            .collect();
        let others: Vec<usize> = read
            .iter()
            .copied()
            .filter(|base| !in_place.contains(base))
            .collect();
        if others.len() > MAX_OTHERS {
            return None;
        }
        // Premises about inputs that are not enumerated are left out.
        let next_members = roots.len();
        let is_of_near = |premise: &&Edge| {
            let cone = Cases::new(&self.circuit, &[**premise], most);
            cone.is_some_and(|cone| {
                let mut inputs = cone.inputs().into_iter();
                inputs.all(|input| in_place.contains(&input) || others.contains(&input))
            })
        };
        roots.extend(premises.iter().filter(is_of_near));
        let mut trial = Trial {
            step: self,
            changed,
            next_members,
            premises: roots.len() - next_members,
            cases: Cases::new(&self.circuit, &roots, most)?,
            before: [0; LANES],
            filled: 0,
            gates: 0,
        };
        for values in 0..1usize << others.len() {
            let held = others
                .iter()
                .zip(0..)
                .filter(|(_, at)| values >> at & 1 == 1);
            let held: Vec<usize> = held.map(|(&base, _)| base).collect();
            if !trial.all(&near, self.conserved.total, 0, &mut held.clone())? {
                return Some(false);
            }
        }
        trial.holds_in_filled()
    }
}

/// All amounts of some places in a step.
struct Trial<'a> {
    step: &'a Step<'a>,
    /// The places that may change.
    changed: &'a [usize],
    /// The number of propositions that give the next amounts of these, and the number of premises; both
    /// are roots of the cases.
    next_members: usize,
    premises: usize,
    cases: Cases,
    /// For each case, the sum of the changed places.
    before: [usize; LANES],
    /// The number of cases that were not yet evaluated.
    filled: usize,
    /// The gates of all cases so far.
    gates: usize,
}

impl Trial<'_> {
    /// Returns whether the claims are kept with all amounts in these places that sum to at most
    /// `left`. The changed places before them have `before` together, and the propositions given
    /// hold. `None` if there are too many cases.
    fn all(
        &mut self,
        places: &[usize],
        left: usize,
        before: usize,
        held: &mut Vec<usize>,
    ) -> Option<bool> {
        let Some((&place, others)) = places.split_first() else {
            held.iter()
                .for_each(|&base| self.cases.set_true(base, self.filled));
            self.before[self.filled] = before;
            self.filled += 1;
            return match self.filled {
                LANES => self.holds_in_filled(),
                _ => Some(true),
            };
        };
        let Conserved {
            places, weights, ..
        } = self.step.conserved;
        let known = &self.step.joint.known;
        let members = places[place].iter().enumerate();
        let held_already = members
            .clone()
            .find(|(_, base)| known.get(base) == Some(&true));
        for (amount, &base) in members {
            let weighted = amount * weights[place];
            let is_excluded = known.get(&base) == Some(&false)
                || held_already.is_some_and(|(held, _)| held != amount);
            if weighted > left || is_excluded {
                continue;
            }
            let counts = self.changed.contains(&place);
            let before = before + if counts { weighted } else { 0 };
            held.push(base);
            let holds = self.all(others, left - weighted, before, held)?;
            held.pop();
            if !holds {
                return Some(false);
            }
        }
        Some(true)
    }

    /// Returns whether the claims are kept in the collected cases, and clears these.
    fn holds_in_filled(&mut self) -> Option<bool> {
        self.gates += self.cases.size();
        if self.gates > MAX_GATES {
            return None;
        }
        self.cases.evaluate();
        let filled = std::mem::take(&mut self.filled);
        let mut open: Row = std::array::from_fn(|word| match filled.saturating_sub(64 * word) {
            rest @ 0..64 => (1 << rest) - 1,
            _ => !0,
        });
        for premise in 0..self.premises {
            let holds = self.cases.root(self.next_members + premise);
            open.iter_mut()
                .zip(holds)
                .for_each(|(open, holds)| *open &= holds);
        }
        let mut after = [0; LANES];
        let mut root = 0;
        let mut is_kept = true;
        for &place in self.changed {
            let Conserved {
                places, weights, ..
            } = self.step.conserved;
            let (mut one, mut two) = (Row::default(), Row::default());
            for amount in 0..places[place].len() {
                let holds = self.cases.root(root);
                root += 1;
                for word in 0..open.len() {
                    two[word] |= one[word] & holds[word];
                    one[word] |= holds[word];
                    let mut rest = holds[word] & open[word];
                    while rest != 0 {
                        after[64 * word + rest.trailing_zeros() as usize] +=
                            amount * weights[place];
                        rest &= rest - 1;
                    }
                }
            }
            is_kept &= (0..open.len()).all(|word| open[word] & (two[word] | !one[word]) == 0);
        }
        is_kept &= (0..LANES)
            .filter(|case| open[case / 64] >> (case % 64) & 1 == 1)
            .all(|case| after[case] == self.before[case]);
        self.cases.clear();
        Some(is_kept)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::load::{Game, Setup};

    /// Returns how many places are proved to have one amount, where seeds move between three and a
    /// coin is turned by each move. `more` are further rules.
    fn proved(total: usize, weights: [usize; 3], more: &str) -> Option<usize> {
        let rules = format!(
            "(role r) (pit a) (pit b) (pit c) (init (has a 3)) (init (has b 0)) (init (has c 1)) (init heads)
             (succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4)
             (<= (legal r (move ?p ?q)) (pit ?p) (pit ?q) (distinct ?p ?q) (not (true (has ?p 0))))
             (<= (next (has ?p ?m)) (does r (move ?p ?q)) (true (has ?p ?n)) (succ ?m ?n))
             (<= (next (has ?q ?n)) (does r (move ?p ?q)) (true (has ?q ?m)) (succ ?m ?n))
             (<= (changes ?p) (does r (move ?p ?q))) (<= (changes ?q) (does r (move ?p ?q)))
             (<= (next (has ?p ?n)) (true (has ?p ?n)) (not (changes ?p)))
             (<= (next heads) (true tails)) (<= (next tails) (true heads))
             (<= (next odd) (true heads)) (<= (next odd) (true odd)) (<= (next even) (true even)) (init even)
             (<= terminal (true (has a 0)) (true (has b 0))) (goal r 0) {more}"
        );
        let game = Game::from_text("seeds.kif", &rules, &Setup::default()).unwrap();
        let ground = game.ground_game().unwrap();
        let base = |name: &str| ground.parse_state(&[name]).unwrap().iter().next().unwrap();
        let place =
            |pit| -> Vec<usize> { (0..5).map(|n| base(&format!("(has {pit} {n})"))).collect() };
        let coin = [["heads", "tails"], ["even", "odd"]].map(|sides| sides.map(base).to_vec());
        let conserved = Conserved {
            places: ["a", "b", "c"].map(place).into_iter().chain(coin).collect(),
            weights: weights.into_iter().chain([0, 0]).collect(),
            total,
        };
        let claims = conserved.prove(&Net::new(ground, 1_000_000), &Stop::new());
        (claims.iter()).for_each(|claim| assert!(claim.holds(ground.initial())));
        claims.len().checked_sub(1)
    }

    #[test]
    fn what_moves_shift_is_conserved() {
        // The coin shows one of its sides; even and odd both hold after a step.
        assert_eq!(proved(4, [1, 1, 1], ""), Some(4));
        assert_eq!(proved(8, [2, 2, 2], ""), Some(4));
    }

    #[test]
    fn what_moves_change_is_not_conserved() {
        assert_eq!(proved(5, [1, 1, 2], ""), None);
        assert_eq!(proved(5, [1, 1, 1], ""), None);
        let lost =
            "(legal r drop) (<= (changes a) (does r drop)) (<= (next (has a 0)) (does r drop))";
        assert_eq!(proved(4, [1, 1, 1], lost), None);
        let full = "(<= (legal r (move ?p ?p)) (pit ?p))";
        assert_eq!(proved(4, [1, 1, 1], full), None);
        // Additions in terminal states only, in which no move is made, do not matter.
        let late = "(<= (next (has b 4)) (true (has a 0)) (true (has b 0)))";
        assert_eq!(proved(4, [1, 1, 1], late), Some(4));
        let early = "(<= (next (has b 4)) (true (has a 0)))";
        assert_eq!(proved(4, [1, 1, 1], early), None);
    }
}
