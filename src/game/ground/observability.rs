//! Observability: whether what roles perceive tells them the whole state.
//!
//! Every role knows the initial state and its own moves. If it knows a state, and its percepts tell it the next one, whatever
//! the others play, it knows all states. That is asked of a SAT solver: two joint moves in one state, with the same move of the
//! role and the same percepts, that lead to different states.

use std::time::Duration;

use batsat::Lit;
use propjit_jit::circuit::{Builder, Circuit, Edge, Node};
use propjit_jit::passes::connect;
use propjit_stop::Stop;

use super::invariants::solver::Solver;
use super::layout::Layout;
use super::lowered_game::LoweredGame;
use crate::game::vocabulary::moves::RANDOM_ROLE;

/// The greatest number of nodes of a circuit, and the conflicts and the time of the solver. Beyond these, roles count as
/// uncertain.
const MAX_NODES: usize = 1_000_000;
const MAX_CONFLICTS: u64 = 20_000;
const TIME: Duration = Duration::from_secs(2);

/// Returns whether it is proved that all roles, but the one that plays at random, know each state by what they perceive.
pub(super) fn is_observable(game: &LoweredGame, stop: &Stop) -> bool {
    if game.lowered().nodes().len() > MAX_NODES {
        return false;
    }
    let pairs = MovePairs::new(game);
    let stop = stop.within(TIME);
    let mut solver = Solver::new(MAX_CONFLICTS, &stop);
    let Some(outputs) = pairs.encode(game.layout(), &mut solver, &stop) else {
        return false;
    };
    let [differ, terminal, same @ ..] = &outputs[..] else {
        unreachable!("the circuit has these outputs");
    };
    let roles = game.roles().iter().zip(same);
    let mut uncertain = roles.filter(|(role, _)| *role != RANDOM_ROLE);
    uncertain.all(|(_, &same)| solver.solve(&[*differ, !*terminal, same]) == Some(false))
}

/// A circuit of two joint moves in one state. The inputs are the state, and the moves of both.
struct MovePairs {
    /// The outputs are whether the next states differ, whether the state is terminal, and for each role, whether its move
    /// and its percepts are the same; then the legality of all moves.
    circuit: Circuit,
    /// The number of inputs for the state, and for one joint move.
    bases: usize,
    moves: usize,
}

impl MovePairs {
    fn new(game: &LoweredGame) -> MovePairs {
        let (layout, circuit) = (game.layout(), game.lowered());
        let bases = layout.bases.len();
        let moves = layout.inputs() - bases;
        let mut builder = Builder::new(bases + 2 * moves);
        let [one, other] = [0, 1].map(|number| {
            let first = bases + number * moves;
            let inputs = (0..bases).chain(first..first + moves);
            let inputs: Vec<Edge> = inputs.map(|input| builder.input(input)).collect();
            let outputs = connect(circuit, &mut builder, &inputs, |_, _| Vec::new());
            (inputs, outputs)
        });
        let mut differing = |places: &mut dyn Iterator<Item = (Edge, Edge)>| {
            let pairs: Vec<Edge> = places.map(|(a, b)| builder.xor(a, b)).collect();
            builder.or_all(&pairs)
        };
        let next = &mut layout.next.clone().map(|at| (one.1[at], other.1[at]));
        let mut outputs = vec![differing(next), one.1[layout.terminal]];
        for (does, percepts) in layout.does.iter().zip(&layout.percepts) {
            let own = does.clone().map(|at| (one.0[at], other.0[at]));
            let seen = percepts.clone().map(|at| (one.1[at], other.1[at]));
            outputs.push(!differing(&mut own.chain(seen)));
        }
        let legal = layout.legal.iter().cloned().flatten();
        outputs.extend(legal.map(|at| one.1[at]));
        MovePairs {
            circuit: builder.finish(outputs),
            bases,
            moves,
        }
    }

    /// Adds clauses for the circuit, in which both joint moves are legal; none if stopped before that is done. Loops may have
    /// any fixpoint: that allows more than the game does. Returns the literals of the outputs.
    fn encode(&self, layout: &Layout, solver: &mut Solver, stop: &Stop) -> Option<Vec<Lit>> {
        let mut lits: Vec<Lit> = Vec::with_capacity(self.circuit.nodes().len());
        let of = |lits: &[Lit], edge: Edge| lits[edge.node().index()] ^ edge.inverted();
        let mut ticker = stop.ticker();
        for &node in self.circuit.nodes() {
            if ticker.is_set() {
                return None;
            }
            let lit = match node {
                Node::False => !solver.truth(),
                Node::Input(_) | Node::Feedback => solver.variable(),
                Node::And(a, b) => solver.and_all(&[of(&lits, a), of(&lits, b)]),
            };
            lits.push(lit);
        }
        for &(node, source) in self.circuit.loops().iter().flat_map(|of| &of.feedback) {
            let (lit, source) = (lits[node.index()], of(&lits, source));
            solver.clause(&[!lit, source]);
            solver.clause(&[lit, !source]);
        }
        let outputs = self.circuit.outputs();
        let outputs: Vec<Lit> = outputs.iter().map(|&edge| of(&lits, edge)).collect();
        let legal = &outputs[2 + layout.does.len()..];
        for number in 0..2 {
            for does in layout.does.iter().filter(|does| !does.is_empty()) {
                let mut made = !solver.truth();
                for at in does.clone() {
                    let input = self.circuit.inputs()[at + number * self.moves];
                    let lit = lits[input.index()];
                    made = solver.exclusive(made, lit);
                    solver.clause(&[!lit, legal[at - self.bases]]);
                }
                solver.clause(&[made]);
            }
        }
        Some(outputs)
    }
}

#[cfg(test)]
mod tests {
    use propjit_gdl::ground::{GroundLimits, ground};
    use propjit_gdl::rules::Rules;

    use super::*;

    /// Two roles put coins on a table, one after the other.
    fn is_seen(sees: &str) -> bool {
        let rules = format!(
            "(role a) (role b) (init (turn a)) (coin 1) (coin 2)
             (<= (legal ?r (put ?c)) (true (turn ?r)) (coin ?c))
             (<= (legal a noop) (true (turn b))) (<= (legal b noop) (true (turn a)))
             (<= (next (turn b)) (true (turn a))) (<= (next (turn a)) (true (turn b)))
             (<= (next (lies ?r ?c)) (does ?r (put ?c)))
             (<= (next (lies ?r ?c)) (true (lies ?r ?c)))
             (<= terminal (true (lies a 1)) (true (lies b 2)))
             (goal a 0) (goal b 100) {sees}"
        );
        is_known(&rules)
    }

    /// Whether the roles of a game know each state.
    fn is_known(rules: &str) -> bool {
        let rules = Rules::parse("test.kif", rules).unwrap().rules;
        let (net, _) = ground(&rules, &GroundLimits::default()).unwrap();
        let game = LoweredGame::new(net, &Stop::new()).unwrap();
        is_observable(&game, &Stop::new())
    }

    #[test]
    fn roles_that_see_all_moves_know_the_state() {
        assert!(is_seen("(<= (sees ?r (did ?q ?m)) (role ?r) (does ?q ?m))"));
        // Of `noop`, nothing has to be seen.
        assert!(is_seen(
            "(<= (sees ?r (put ?q ?c)) (role ?r) (does ?q (put ?c)))"
        ));
    }

    #[test]
    fn roles_that_miss_something_do_not() {
        assert!(!is_seen("(<= (sees a (did ?q ?m)) (does ?q ?m))"));
        assert!(!is_seen(
            "(<= (sees ?r (did ?q)) (role ?r) (does ?q (put ?c)))"
        ));
        assert!(!is_seen("(sees a nothing)"));
    }

    /// What makes no difference need not be seen.
    #[test]
    fn moves_without_effect_need_not_be_seen() {
        let rules = "(role a) (role b) (init on) (legal a wait) (legal b left) (legal b right)
             (<= (next on) (true on)) (<= terminal (not (true on))) (goal a 0) (goal b 0) (sees a something)";
        assert!(is_known(rules));
    }
}
