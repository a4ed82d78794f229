//! Random matches, in which all that can be asked of a state is compared.

use propjit::game::machine::{Backend, Move, RoleId, State, StateMachine};
use rand::Rng;
use rand::seq::IndexedRandom;

use super::{Oracle, TooMuch};

/// A machine that is compared, and the state of the match in its numbers.
pub(super) struct Compared {
    backend: Backend,
    machine: Box<dyn StateMachine>,
    state: State,
}

/// How many states were compared, and in how many of them the match was over.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Tally {
    pub(super) states: usize,
    pub(super) ends: usize,
    pub(super) stuck: usize,
    /// How many percepts there were.
    pub(super) percepts: usize,
}

impl Tally {
    pub(super) fn add(&mut self, other: Tally) {
        self.states += other.states;
        self.ends += other.ends;
        self.stuck += other.stuck;
        self.percepts += other.percepts;
    }
}

/// Why a comparison ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Ended {
    /// There was no work left.
    TooMuch,
    /// Something differs.
    Differs(String),
}

impl From<TooMuch> for Ended {
    fn from(_: TooMuch) -> Ended {
        Ended::TooMuch
    }
}

impl Compared {
    pub(super) fn new(backend: Backend, machine: Box<dyn StateMachine>) -> Compared {
        Compared {
            backend,
            machine,
            state: State::new(),
        }
    }

    fn same<T: PartialEq + std::fmt::Debug>(
        &self,
        what: &str,
        own: T,
        expected: &T,
    ) -> Result<(), Ended> {
        match own == *expected {
            true => Ok(()),
            false => Err(Ended::Differs(format!(
                "{what} on {}: {own:?}, not {expected:?}",
                self.backend
            ))),
        }
    }

    fn error(&self, error: impl std::fmt::Display) -> Ended {
        Ended::Differs(format!("{} fails: {error}", self.backend))
    }

    /// Compares all that is known of the state that the interpreter is in.
    fn compare(
        &mut self,
        oracle: &Oracle,
        fluents: &Vec<String>,
        legal: &[Vec<String>],
    ) -> Result<(), Ended> {
        self.same("propositions", self.machine.fluents(&self.state), fluents)?;
        let is_terminal = self.machine.is_terminal(&self.state);
        let is_terminal = is_terminal.map_err(|error| self.error(error))?;
        self.same("terminal", is_terminal, &oracle.is_terminal())?;
        for ((role, &term), expected) in RoleId::first(legal.len()).zip(oracle.roles()).zip(legal) {
            let mut goals = Vec::new();
            let asked = self.machine.goals(&self.state, role, &mut goals);
            asked.map_err(|error| self.error(error))?;
            self.same("goals", goals, &oracle.goals(term))?;
            // No role is to move where the match is over.
            if !is_terminal {
                let mut moves = Vec::new();
                let asked = self.machine.legal_moves(&self.state, role, &mut moves);
                asked.map_err(|error| self.error(error))?;
                let texts = moves
                    .iter()
                    .map(|&played| self.machine.move_text(role, played));
                let mut texts: Vec<String> = texts.collect();
                texts.sort_unstable();
                self.same("legal moves", texts, expected)?;
            }
        }
        Ok(())
    }

    /// Goes to the state after a joint move, and compares what the roles perceive of it.
    fn play(&mut self, joint: &[&String], percepts: &[Vec<String>]) -> Result<(), Ended> {
        let moves = RoleId::first(joint.len()).zip(joint);
        let moves: Result<Vec<Move>, _> = moves
            .map(|(role, text)| self.machine.parse_move(role, text))
            .collect();
        let moves = moves.map_err(|error| self.error(error))?;
        for (role, expected) in RoleId::first(joint.len()).zip(percepts) {
            let found = self.machine.percepts(&self.state, &moves, role);
            let found = found.map_err(|error| self.error(error))?;
            self.same("percepts", found, expected)?;
        }
        let next = self.machine.next_state(&self.state, &moves);
        self.state = next.map_err(|error| self.error(error))?;
        Ok(())
    }
}

/// Plays random matches, each limited to this number of steps, until something differs.
pub(super) fn compare(
    oracle: &mut Oracle,
    machines: &mut [Compared],
    (matches, steps): (usize, usize),
    rng: &mut impl Rng,
) -> (Tally, Result<(), Ended>) {
    let mut tally = Tally::default();
    let mut play = || {
        let roles = oracle.role_names();
        for compared in machines.iter() {
            compared.same("roles", compared.machine.roles().to_vec(), &roles)?;
        }
        for _ in 0..matches {
            let mut state = oracle.initial();
            for compared in machines.iter_mut() {
                let initial = compared.machine.initial_state();
                compared.state = initial.map_err(|error| compared.error(error))?;
            }
            for step in 0..=steps {
                oracle.enter(&state)?;
                let fluents = oracle.texts(&state);
                let legal = oracle.legal_texts();
                for compared in machines.iter_mut() {
                    compared.compare(oracle, &fluents, &legal)?;
                }
                tally.states += 1;
                if oracle.is_terminal() {
                    tally.ends += 1;
                    break;
                }
                let joint: Option<Vec<&String>> =
                    legal.iter().map(|moves| moves.choose(rng)).collect();
                let Some(joint) = joint else {
                    tally.stuck += 1;
                    break;
                };
                if step == steps {
                    break;
                }
                let terms: Vec<_> = joint.iter().map(|text| oracle.term(text)).collect();
                state = oracle.play(&terms)?;
                let percepts = oracle.percept_texts();
                tally.percepts += percepts.iter().map(Vec::len).sum::<usize>();
                for compared in machines.iter_mut() {
                    compared.play(&joint, &percepts)?;
                }
            }
        }
        Ok(())
    };
    let ended = play();
    (tally, ended)
}
