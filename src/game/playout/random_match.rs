//! Sequential random matches with observable states.

use std::fmt;

use propjit_stop::Stop;
use rand::RngExt;

use crate::game::machine::{MachineError, Move, RoleId, State, StateMachine};
use crate::support::rng::GameRng;

/// Plays random matches from the initial state with a state machine.
pub struct RandomMatches {
    machine: Box<dyn StateMachine>,
    rng: GameRng,
    max_steps: usize,
    state: State,
    next: State,
    /// The legal moves of each role.
    legal: Vec<Vec<Move>>,
    /// The joint moves of the match, one after the other.
    moves: Vec<Move>,
}

/// The end of a random match.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RandomMatch {
    /// It reached a terminal state.
    Terminal,
    /// It was cut off at the limit of steps.
    Truncated,
    /// It reached a state that is not terminal, where this role has no legal move.
    Stuck(RoleId),
}

/// A state of a match in which all roles have moves, before they are made.
#[derive(Debug)]
pub struct MatchMoves<'a> {
    /// The number of joint moves before it.
    pub depth: usize,
    /// The state.
    pub state: &'a State,
    /// The legal moves of each role.
    pub legal: &'a [Vec<Move>],
    /// The joint move that is made.
    pub joint: &'a [Move],
}

/// Observes the states of a random match, with a machine to query and random numbers to use.
pub type Watch<'a> = dyn FnMut(&mut dyn StateMachine, &mut GameRng, &MatchMoves<'_>) -> Result<(), MachineError>
    + 'a;

impl RandomMatches {
    /// Creates matches of at most `max_steps` joint moves.
    pub fn new(machine: Box<dyn StateMachine>, max_steps: usize, rng: GameRng) -> RandomMatches {
        RandomMatches {
            legal: vec![Vec::new(); machine.roles().len()],
            machine,
            rng,
            max_steps,
            state: State::new(),
            next: State::new(),
            moves: Vec::new(),
        }
    }

    /// Returns the machine that plays.
    pub fn machine(&mut self) -> &mut dyn StateMachine {
        &mut *self.machine
    }

    /// Returns the state in which the last match ended.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// Returns the number of joint moves in the last match.
    pub fn length(&self) -> usize {
        self.moves.len() / self.legal.len()
    }

    /// Returns the joint moves of the last match, one move for each role in role order.
    pub fn history(&self) -> impl Iterator<Item = &[Move]> {
        self.moves.chunks(self.legal.len())
    }

    /// Plays a match, and calls `watch` on the states in it. Returns `None` if `stop` is set before
    /// it ends.
    ///
    /// # Errors
    /// When the machine cannot continue, or `watch` fails.
    pub fn play(
        &mut self,
        stop: &Stop,
        watch: &mut Watch<'_>,
    ) -> Result<Option<RandomMatch>, MachineError> {
        self.machine.set_stop(stop);
        let played = self.play_to_end(stop, watch);
        self.machine.set_stop(&Stop::new());
        match played {
            Err(error) if error.is_stopped() => Ok(None),
            played => played,
        }
    }

    fn play_to_end(
        &mut self,
        stop: &Stop,
        watch: &mut Watch<'_>,
    ) -> Result<Option<RandomMatch>, MachineError> {
        self.moves.clear();
        self.state = self.machine.initial_state()?;
        loop {
            if stop.is_set() {
                return Ok(None);
            }
            if self.machine.is_terminal(&self.state)? {
                return Ok(Some(RandomMatch::Terminal));
            }
            let depth = self.length();
            if depth >= self.max_steps {
                return Ok(Some(RandomMatch::Truncated));
            }
            let start = self.moves.len();
            for (role, legal) in RoleId::first(self.legal.len()).zip(&mut self.legal) {
                self.machine
                    .legal_moves_unchecked(&self.state, role, legal)?;
                if legal.is_empty() {
                    self.moves.truncate(start);
                    return Ok(Some(RandomMatch::Stuck(role)));
                }
                let choice = match legal.len() {
                    1 => 0,
                    count => self.rng.random_range(0..count as u32) as usize,
                };
                self.moves.push(legal[choice]);
            }
            let joint = &self.moves[start..];
            let seen = MatchMoves {
                depth,
                state: &self.state,
                legal: &self.legal,
                joint,
            };
            watch(&mut *self.machine, &mut self.rng, &seen)?;
            self.machine
                .next_state_unchecked(&self.state, joint, &mut self.next)?;
            std::mem::swap(&mut self.state, &mut self.next);
        }
    }
}

impl fmt::Debug for RandomMatches {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RandomMatches")
            .field("max_steps", &self.max_steps)
            .field("length", &self.length())
            .finish_non_exhaustive()
    }
}
