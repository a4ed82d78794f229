//! Random matches on a state machine, one after the other, with observable states.

use std::fmt;

use propjit_stop::Stop;
use rand::RngExt;

use crate::game::machine::{MachineError, Move, RoleId, State, StateMachine};
use crate::support::rng::GameRng;

/// A match on a state machine, one joint move after the other. Its matches share their memory.
#[derive(Debug)]
pub struct MatchSteps {
    max_steps: usize,
    state: State,
    next: State,
    /// The legal moves of each role.
    legal: Vec<Vec<Move>>,
    /// The joint moves of the match, one after the other, and after them the one that is chosen.
    moves: Vec<Move>,
    /// The number of joint moves that were made.
    length: usize,
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

impl MatchSteps {
    /// Creates it for matches of this number of roles, and of at most `max_steps` joint moves.
    pub fn new(roles: usize, max_steps: usize) -> MatchSteps {
        MatchSteps {
            max_steps,
            state: State::new(),
            next: State::new(),
            legal: vec![Vec::new(); roles],
            moves: Vec::new(),
            length: 0,
        }
    }

    /// Starts a match in this state.
    pub fn start(&mut self, state: &State) {
        self.state.assign(state.words());
        self.moves.clear();
        self.length = 0;
    }

    /// Chooses a joint move: `pick` returns one of the legal moves of a role, of which there is one
    /// at least. Returns how the match ends if it ends here.
    ///
    /// # Errors
    /// When the machine cannot continue. The same can be tried again.
    pub fn choose(
        &mut self,
        machine: &mut dyn StateMachine,
        mut pick: impl FnMut(&[Move]) -> Move,
    ) -> Result<Option<RandomMatch>, MachineError> {
        self.moves.truncate(self.length * self.legal.len());
        if machine.is_terminal(&self.state)? {
            return Ok(Some(RandomMatch::Terminal));
        }
        if self.length >= self.max_steps {
            return Ok(Some(RandomMatch::Truncated));
        }
        for (role, legal) in RoleId::first(self.legal.len()).zip(&mut self.legal) {
            machine.legal_moves_unchecked(&self.state, role, legal)?;
            if legal.is_empty() {
                return Ok(Some(RandomMatch::Stuck(role)));
            }
            self.moves.push(pick(legal));
        }
        Ok(None)
    }

    /// Makes the joint move that was chosen.
    ///
    /// # Errors
    /// When the machine cannot continue; the match is then in the same state as before.
    pub fn advance(&mut self, machine: &mut dyn StateMachine) -> Result<(), MachineError> {
        let joint = &self.moves[self.length * self.legal.len()..];
        machine.next_state_unchecked(&self.state, joint, &mut self.next)?;
        std::mem::swap(&mut self.state, &mut self.next);
        self.length += 1;
        Ok(())
    }

    /// Returns the current state.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// Returns the legal moves of each role in the current state, once a joint move is chosen there.
    pub fn legal(&self) -> &[Vec<Move>] {
        &self.legal
    }

    /// Returns the joint move that is chosen, one move for each role in role order.
    pub fn joint(&self) -> &[Move] {
        &self.moves[self.length * self.legal.len()..]
    }

    /// Returns the number of joint moves that were made.
    pub fn length(&self) -> usize {
        self.length
    }

    /// Returns the moves that were made, one for each role in role order, joint move after joint move.
    pub fn moves(&self) -> &[Move] {
        &self.moves[..self.length * self.legal.len()]
    }

    /// Returns the joint moves that were made.
    pub fn history(&self) -> impl Iterator<Item = &[Move]> {
        self.moves().chunks(self.legal.len())
    }
}

/// Picks each of these moves with the same probability. A forced move takes no random number.
pub(super) fn pick(legal: &[Move], rng: &mut GameRng) -> Move {
    match *legal {
        [only] => only,
        _ => legal[rng.random_range(0..legal.len() as u32) as usize],
    }
}

/// Plays random matches from the initial state with a state machine.
pub struct RandomMatches {
    machine: Box<dyn StateMachine>,
    rng: GameRng,
    steps: MatchSteps,
}

/// Observes the states of a random match in which all roles have moves, before the joint move that is
/// chosen is made, with a machine to query and random numbers to use.
pub type Watch<'a> =
    dyn FnMut(&mut dyn StateMachine, &mut GameRng, &MatchSteps) -> Result<(), MachineError> + 'a;

impl RandomMatches {
    /// Creates matches of at most `max_steps` joint moves.
    pub fn new(machine: Box<dyn StateMachine>, max_steps: usize, rng: GameRng) -> RandomMatches {
        RandomMatches {
            steps: MatchSteps::new(machine.roles().len(), max_steps),
            machine,
            rng,
        }
    }

    /// Returns the machine that plays.
    pub fn machine(&mut self) -> &mut dyn StateMachine {
        &mut *self.machine
    }

    /// Returns the last match, and the machine that played it.
    pub fn last(&mut self) -> (&MatchSteps, &mut dyn StateMachine) {
        (&self.steps, &mut *self.machine)
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
        let RandomMatches {
            machine,
            rng,
            steps,
        } = self;
        let machine = &mut **machine;
        steps.start(&machine.initial_state()?);
        while !stop.is_set() {
            let end = steps.choose(machine, |legal| pick(legal, rng))?;
            if end.is_some() {
                return Ok(end);
            }
            watch(machine, rng, steps)?;
            steps.advance(machine)?;
        }
        Ok(None)
    }
}

impl fmt::Debug for RandomMatches {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RandomMatches")
            .field("steps", &self.steps)
            .finish_non_exhaustive()
    }
}
