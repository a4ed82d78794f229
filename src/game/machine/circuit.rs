//! Machines over a game's circuit: their common parts, except the evaluation of the circuit, which
//! a [`CircuitEvaluator`] does.

use std::sync::Arc;

use super::{MachineError, Move, RoleId, State, StateMachine};
use crate::game::engine::Programs;
use crate::game::ground::{GroundGame, Port};

/// A way to evaluate a game's circuit for one state at a time.
pub trait CircuitEvaluator: Send {
    /// Creates an evaluator of the circuit of a game with these programs.
    ///
    /// # Errors
    /// When there is no such program.
    fn new(programs: &Programs) -> Result<Self, MachineError>
    where
        Self: Sized;

    /// Calls `found` with the index of each output of the port that is true in the state,
    /// ascending. The port's first output has index 0.
    fn for_each_true(&mut self, state: &State, port: Port, found: impl FnMut(usize));

    /// Sets `next` to the state after each role plays its move of `joint`.
    fn next_state(&mut self, state: &State, joint: &[Move], next: &mut State);

    /// Calls `found` with the index of each percept of a role that it perceives after each role plays its move of `joint`
    /// in the state, ascending.
    fn for_each_percept(
        &mut self,
        state: &State,
        joint: &[Move],
        role: RoleId,
        found: impl FnMut(usize),
    );
}

/// A ground game played with an evaluator.
#[derive(Debug)]
pub struct CircuitMachine<E> {
    game: Arc<GroundGame>,
    evaluator: E,
}

impl<E: CircuitEvaluator> CircuitMachine<E> {
    /// Creates a machine for a game with these programs.
    ///
    /// # Errors
    /// When there is no program that evaluates the circuit in this way.
    pub fn new(programs: &Programs) -> Result<CircuitMachine<E>, MachineError> {
        let evaluator = E::new(programs)?;
        Ok(CircuitMachine::with(programs.game().clone(), evaluator))
    }

    /// Creates a machine that plays the game with this evaluator, which was made for it.
    pub fn with(game: Arc<GroundGame>, evaluator: E) -> CircuitMachine<E> {
        CircuitMachine { game, evaluator }
    }
}

impl<E: CircuitEvaluator> StateMachine for CircuitMachine<E> {
    fn roles(&self) -> &[String] {
        self.game.roles()
    }

    fn initial_state(&mut self) -> Result<State, MachineError> {
        Ok(self.game.initial().clone())
    }

    fn is_terminal(&mut self, state: &State) -> Result<bool, MachineError> {
        let mut terminal = false;
        self.evaluator
            .for_each_true(state, Port::Terminal, |_| terminal = true);
        Ok(terminal)
    }

    fn legal_moves_unchecked(
        &mut self,
        state: &State,
        role: RoleId,
        moves: &mut Vec<Move>,
    ) -> Result<(), MachineError> {
        moves.clear();
        self.evaluator
            .for_each_true(state, Port::Legal(role), |i| moves.push(Move(i as u32)));
        Ok(())
    }

    fn goals(
        &mut self,
        state: &State,
        role: RoleId,
        values: &mut Vec<i32>,
    ) -> Result<(), MachineError> {
        let goals = &self.game.propnet().roles[role.index()].goals;
        values.clear();
        self.evaluator
            .for_each_true(state, Port::Goals(role), |i| values.push(goals[i].value));
        Ok(())
    }

    fn next_state_unchecked(
        &mut self,
        state: &State,
        joint: &[Move],
        next: &mut State,
    ) -> Result<(), MachineError> {
        self.evaluator.next_state(state, joint, next);
        Ok(())
    }

    fn percepts(
        &mut self,
        state: &State,
        joint: &[Move],
        role: RoleId,
    ) -> Result<Vec<String>, MachineError> {
        let net = self.game.propnet();
        let percepts = &net.roles[role.index()].percepts;
        let mut texts = Vec::new();
        (self.evaluator).for_each_percept(state, joint, role, |place| {
            texts.push(net.terms.text(percepts[place].name));
        });
        texts.sort_unstable();
        Ok(texts)
    }

    fn move_count(&self, role: RoleId) -> usize {
        self.game.layout().does[role.index()].len()
    }

    fn fluent_count(&self) -> usize {
        self.game.layout().bases.len()
    }

    fn move_text(&self, role: RoleId, played: Move) -> String {
        self.game.move_text(role, played)
    }

    fn parse_move(&mut self, role: RoleId, text: &str) -> Result<Move, MachineError> {
        Ok(self.game.parse_move(role, text)?)
    }

    fn fluents(&self, state: &State) -> Vec<String> {
        self.game.fluents(state)
    }

    fn parse_state(&mut self, fluents: &[&str]) -> Result<State, MachineError> {
        Ok(self.game.parse_state(fluents)?)
    }
}
