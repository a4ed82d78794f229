//! State expansion: the queries of a search about a game, whatever the backend.
//!
//! An [`Evaluator`] answers for many states in one call. There are two: `lanes`, which evaluates as many
//! states at a time as there are lanes, always on the best available engine; and `serial`, which queries a
//! state machine for one state after the other.

mod backend;
mod lanes;
mod serial;

use propjit_stop::Stop;

use crate::game::machine::expansion::legal::LegalMoves;
use crate::game::machine::expansion::successor::{Expansions, Successor, Successors, Transition};
use crate::game::machine::{MachineError, Move, RoleId, State};
use crate::game::playout::PlayoutRunner;

pub use backend::evaluator;
pub(crate) use backend::lanes_evaluator;

/// The queries of one thread of a search about a game.
///
/// States and moves are those of the machines of ground games; those of the prover are known
/// only to the evaluator that gave them.
pub trait Evaluator: Send {
    /// Sets what ends questions from now on: see
    /// [`StateMachine::set_stop`](crate::game::machine::StateMachine::set_stop).
    fn set_stop(&mut self, stop: &Stop) {
        let _ = stop;
    }

    /// Returns the runner of random matches.
    fn runner(&mut self) -> &mut dyn PlayoutRunner;

    /// Has random matches played one after the other from now on, or not any more, if the first one is over
    /// sooner then than with others beside it. The [runner](Evaluator::runner) is another one from then on;
    /// none may have jobs. Returns whether matches are played so.
    fn hurry(&mut self, is_wanted: bool) -> bool {
        let _ = is_wanted;
        false
    }

    /// The state in which exactly these propositions hold: how states come from other
    /// machines, of any backend.
    ///
    /// # Errors
    /// [`MachineError::UnknownName`] if one is not a proposition of the game.
    fn parse_state(&mut self, fluents: &[&str]) -> Result<State, MachineError>;

    /// The canonical text of a move.
    fn move_text(&mut self, role: RoleId, played: Move) -> String;

    /// The lowest and the highest goal of each role, those that count for undefined ones
    /// included.
    fn goal_ranges(&mut self) -> Vec<(i32, i32)>;

    /// Returns the cost of a step of a playout, in gates evaluated for all lanes: see
    /// [`StepCost`](crate::game::ground::StepCost). Gates for finding decisive moves do not count.
    fn step_cost(&mut self) -> f64;

    /// The legal moves of each role: none in a terminal state.
    ///
    /// # Errors
    /// When the machine cannot go on.
    fn legal_moves(&mut self, state: &State) -> Result<Vec<Vec<Move>>, MachineError>;

    /// The state that follows from a joint move.
    ///
    /// # Errors
    /// When the machine cannot go on.
    fn next_state(&mut self, state: &State, joint: &[Move]) -> Result<State, MachineError>;

    /// Returns the first state from this one on, which comes after `depth` joint moves, in which some role
    /// decides.
    ///
    /// # Errors
    /// When the machine cannot go on.
    fn skip_forced_moves(&mut self, state: &State, depth: u32) -> Result<Successor, MachineError>;

    /// The legal moves of each role, in each of the states, none of which is terminal, or in the
    /// first few if those have very many.
    ///
    /// # Errors
    /// When the machine cannot go on.
    fn legal_moves_of(&mut self, states: &[(&State, u32)]) -> Result<LegalMoves, MachineError>;

    /// Returns the successors of joint moves, which are given one after the other: one in each of these
    /// states, which come with the number of joint moves before them. If a stop comes, returns only the
    /// first few.
    ///
    /// # Errors
    /// When the machine cannot go on.
    fn follow_all(
        &mut self,
        parents: &[(&State, u32)],
        joints: &[Move],
        stop: &Stop,
    ) -> Result<Successors, MachineError>;

    /// The state in which every match starts.
    ///
    /// # Errors
    /// When the machine cannot go on.
    fn initial_state(&mut self) -> Result<State, MachineError> {
        self.runner().initial_state()
    }

    /// Returns the successor of each of several joint moves; if a stop comes, only the first few.
    ///
    /// # Errors
    /// When the machine cannot go on.
    fn follow(
        &mut self,
        transitions: &[Transition<'_>],
        stop: &Stop,
    ) -> Result<Successors, MachineError> {
        let joints = transitions.iter().flat_map(|transition| transition.joint);
        let joints: Vec<Move> = joints.copied().collect();
        let parents = transitions.iter();
        let parents = parents.map(|transition| (transition.state, transition.depth));
        let parents: Vec<_> = parents.collect();
        self.follow_all(&parents, &joints, stop)
    }

    /// Returns the legal moves and successors of each of several states, which come with the number of
    /// joint moves before them. States have very many moves in some games, so it is for the first few
    /// states only, but for one at least, unless a stop comes.
    ///
    /// # Errors
    /// When the machine cannot go on.
    fn expand(
        &mut self,
        states: &[(&State, u32)],
        stop: &Stop,
    ) -> Result<Expansions, MachineError> {
        let legal = self.legal_moves_of(states)?;
        let mut joints = Vec::new();
        let mut parents = Vec::new();
        let mut ends = Vec::with_capacity(legal.len());
        for (at, &parent) in states[..legal.len()].iter().enumerate() {
            legal.get(at).add_decisions(&mut joints);
            parents.resize(joints.len() / legal.roles(), parent);
            ends.push(parents.len());
        }
        let successors = self.follow_all(&parents, &joints, stop)?;
        Ok(Expansions::new(legal, successors, ends))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::load::{Game, Setup};
    use crate::game::machine::Backend;
    use crate::support::rng;

    /// How many of five equal states are expanded where there are `digits` squared moves, and
    /// what each of them leads to.
    fn expanded(digits: usize, backend: Backend, stop: &Stop) -> Vec<usize> {
        let digits: String = (0..digits)
            .map(|digit| format!("(digit {digit})"))
            .collect();
        let rules = format!(
            "(role r) {digits} (init start)
             (<= (legal r (say ?a ?b)) (digit ?a) (digit ?b))
             (<= (next (said ?a)) (does r (say ?a ?b)))
             (<= terminal (true (said 0))) (goal r 100)"
        );
        let game = Game::from_text("digits.kif", &rules, &Setup::default()).unwrap();
        let rng = rng::streams(1).next().unwrap();
        let mut evaluator = evaluator(&game, backend, None, 100, rng).unwrap();
        let state = evaluator.initial_state().unwrap();
        let found = evaluator.expand(&[(&state, 0); 5], stop).unwrap();
        let successors = |at| found.get(at).successors.infos.len();
        (0..found.len()).map(successors).collect()
    }

    #[test]
    fn states_with_very_many_moves_are_expanded_a_few_at_a_time() {
        for backend in [Backend::Scalar, Backend::Lanes] {
            assert_eq!(expanded(10, backend, &Stop::new()), [100; 5]);
            assert_eq!(expanded(150, backend, &Stop::new()), [22_500; 2]);
            let stop = Stop::new();
            stop.set();
            assert_eq!(expanded(10, backend, &stop), [0; 0]);
        }
    }
}
