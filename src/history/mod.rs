//! A match as far as it was played, with the way back.
//!
//! A [`History`] plays joint moves with a machine and keeps the states between them. A
//! [`Script`] is joint moves as text, from a file or the command line, that a history
//! [follows](History::follow).

mod error;
mod script;

pub use error::{Place, ScriptError};
pub use script::Script;

use crate::machine::{MachineError, Move, RoleId, State, StateMachine};

/// A match from its first state to the current one.
pub struct History {
    machine: Box<dyn StateMachine>,
    /// The states before the current one, the first one first.
    past: Vec<State>,
    state: State,
}

impl History {
    /// A match in which nothing was played.
    ///
    /// # Errors
    /// When the machine cannot go on, as when the prover hits a limit; so for all methods.
    pub fn new(mut machine: Box<dyn StateMachine>) -> Result<History, MachineError> {
        Ok(History {
            state: machine.initial_state()?,
            past: Vec::new(),
            machine,
        })
    }

    /// The names of the roles in rulesheet order.
    pub fn roles(&self) -> &[String] {
        self.machine.roles()
    }

    /// How many joint moves were played.
    pub fn depth(&self) -> usize {
        self.past.len()
    }

    /// The canonical texts of the propositions that hold now, sorted bytewise.
    pub fn fluents(&self) -> Vec<String> {
        self.machine.fluents(&self.state)
    }

    /// Whether the match is over.
    pub fn is_over(&mut self) -> Result<bool, MachineError> {
        self.machine.is_terminal(&self.state)
    }

    /// The goal of each role in the current state; none where it has not exactly one value.
    pub fn goals(&mut self) -> Result<Vec<Option<i32>>, MachineError> {
        let History { machine, state, .. } = self;
        let roles = RoleId::first(machine.roles().len());
        roles
            .map(|role| match machine.goal(state, role) {
                Ok(goal) => Ok(Some(goal)),
                Err(MachineError::Goal { .. }) => Ok(None),
                Err(error) => Err(error),
            })
            .collect()
    }

    /// The legal moves of each role.
    pub fn legal(&mut self) -> Result<Vec<Vec<Move>>, MachineError> {
        let History { machine, state, .. } = self;
        let roles = RoleId::first(machine.roles().len());
        roles
            .map(|role| {
                let mut moves = Vec::new();
                machine.legal_moves(state, role, &mut moves)?;
                Ok(moves)
            })
            .collect()
    }

    /// The canonical text of a move.
    pub fn move_text(&self, role: RoleId, played: Move) -> String {
        self.machine.move_text(role, played)
    }

    /// The move that `text` spells, with blanks as one likes.
    ///
    /// # Errors
    /// [`MachineError::UnknownMove`] if it spells none.
    pub fn parse_move(&mut self, role: RoleId, text: &str) -> Result<Move, MachineError> {
        self.machine.parse_move(role, text)
    }

    /// Plays one move for each role.
    ///
    /// # Errors
    /// [`MachineError::IllegalMove`] for the first role whose move is not legal,
    /// [`MachineError::JointMove`] if there is not one move for each role.
    pub fn play(&mut self, joint: &[Move]) -> Result<(), MachineError> {
        let next = self.machine.next_state(&self.state, joint)?;
        self.past.push(std::mem::replace(&mut self.state, next));
        Ok(())
    }

    /// Goes back to where so many joint moves were played, unless fewer were.
    pub fn go_back(&mut self, depth: usize) {
        self.past.truncate(depth + 1);
        if self.past.len() > depth
            && let Some(state) = self.past.pop()
        {
            self.state = state;
        }
    }

    /// Plays all joint moves of a script.
    ///
    /// ```
    /// # use propjit::game::{Game, Setup};
    /// use propjit::history::{History, Script};
    ///
    /// # let rules = "(role player) (init (step 0)) (succ 0 1) (succ 1 2)
    /// #     (legal player wait) (legal player go)
    /// #     (<= (next (step ?m)) (true (step ?n)) (succ ?n ?m))
    /// #     (<= terminal (true (step 2))) (goal player 100)";
    /// # let game = Game::from_text("steps.kif", rules, &Setup::default())?;
    /// let mut history = History::new(game.machine(game.backend())?)?;
    /// history.follow(&Script::inline("wait; go"))?;
    /// assert!(history.is_over()?);
    /// history.go_back(1);
    /// let error = history.follow(&Script::inline("stay")).unwrap_err();
    /// assert_eq!(
    ///     error.to_string(),
    ///     "joint move 1: player may not play `stay` here; legal: wait, go",
    /// );
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// When the script cannot be followed; what comes before the error has been played.
    pub fn follow(&mut self, script: &Script) -> Result<(), ScriptError> {
        script.play(self)
    }
}
