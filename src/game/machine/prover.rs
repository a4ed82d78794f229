//! The prover as a state machine: everything is derived from the rules on demand, without
//! preparation.
//!
//! Propositions and moves get their numbers when they are first met, so the numbers depend on
//! earlier queries and are valid for one machine only.

use propjit_gdl::prover::{Prover, ProverLimits};
use propjit_gdl::rules::Rules;
use propjit_gdl::term::TermId;
use propjit_stop::Stop;
use rustc_hash::FxHashMap;

use super::{MachineError, Move, RoleId, State, StateMachine, UnknownName};
use crate::game::vocabulary::terms::enter_term;

/// A game played by deriving from its rules.
#[derive(Debug)]
pub struct ProverMachine {
    prover: Prover,
    roles: Vec<String>,
    fluents: Numbering,
    /// The moves of each role.
    moves: Vec<Numbering>,
    /// The state that the prover holds; at first the empty one.
    current: State,
    /// Memory for the terms of a state or of a joint move.
    scratch: Vec<TermId>,
}

/// Terms numbered in the order in which they are met.
#[derive(Default, Debug)]
struct Numbering {
    terms: Vec<TermId>,
    numbers: FxHashMap<TermId, u32>,
}

impl Numbering {
    fn number(&mut self, term: TermId) -> u32 {
        *self.numbers.entry(term).or_insert_with(|| {
            self.terms.push(term);
            // There are fewer than 2^32 terms.
            self.terms.len() as u32 - 1
        })
    }
}

impl ProverMachine {
    /// Creates a machine for the game. `limits` apply to each query.
    ///
    /// # Errors
    /// When the rules cannot be evaluated at all.
    pub fn new(rules: &Rules, limits: ProverLimits) -> Result<ProverMachine, MachineError> {
        let prover = Prover::new(rules, limits)?;
        let roles = prover.roles().iter().map(|&role| prover.terms().text(role));
        let roles: Vec<String> = roles.collect();
        Ok(ProverMachine {
            moves: roles.iter().map(|_| Numbering::default()).collect(),
            roles,
            prover,
            fluents: Numbering::default(),
            current: State::new(),
            scratch: Vec::new(),
        })
    }

    /// Loads `state` into the prover.
    fn enter(&mut self, state: &State) {
        if self.current != *state {
            self.scratch.clear();
            let terms = state.iter().map(|i| self.fluents.terms[i]);
            self.scratch.extend(terms);
            self.prover.set_state(&self.scratch);
            self.current.assign(state.words());
        }
    }

    /// Collects the terms of the moves in `scratch`.
    fn collect_terms(&mut self, joint: &[Move]) {
        let moves = self.moves.iter().zip(joint);
        let terms = moves.map(|(numbering, played)| numbering.terms[played.index()]);
        self.scratch.clear();
        self.scratch.extend(terms);
    }
}

impl StateMachine for ProverMachine {
    fn roles(&self) -> &[String] {
        &self.roles
    }

    fn set_stop(&mut self, stop: &Stop) {
        self.prover.set_stop(stop.clone());
    }

    fn any_legal_move_unchecked(
        &mut self,
        state: &State,
        role: RoleId,
    ) -> Result<Option<Move>, MachineError> {
        self.enter(state);
        let legal = self.prover.any_legal_move(role.index())?;
        let numbering = &mut self.moves[role.index()];
        Ok(legal.map(|term| Move(numbering.number(term))))
    }

    fn initial_state(&mut self) -> Result<State, MachineError> {
        let initial = self.prover.initial_state()?;
        let numbers = initial
            .iter()
            .map(|&term| self.fluents.number(term) as usize);
        Ok(numbers.collect())
    }

    fn is_terminal(&mut self, state: &State) -> Result<bool, MachineError> {
        self.enter(state);
        Ok(self.prover.is_terminal()?)
    }

    fn legal_moves_unchecked(
        &mut self,
        state: &State,
        role: RoleId,
        moves: &mut Vec<Move>,
    ) -> Result<(), MachineError> {
        self.enter(state);
        let legal = self.prover.legal_moves(role.index())?;
        let numbering = &mut self.moves[role.index()];
        moves.clear();
        moves.extend(legal.iter().map(|&term| Move(numbering.number(term))));
        Ok(())
    }

    fn goals(
        &mut self,
        state: &State,
        role: RoleId,
        values: &mut Vec<i32>,
    ) -> Result<(), MachineError> {
        self.enter(state);
        let goals = self.prover.goals(role.index())?;
        let terms = self.prover.terms();
        let constants = goals.iter().filter(|&&goal| terms.args(goal).is_empty());
        values.clear();
        values.extend(
            constants.filter_map(|&goal| terms.name(terms.functor(goal)).parse::<i32>().ok()),
        );
        values.sort_unstable();
        Ok(())
    }

    fn next_state_unchecked(
        &mut self,
        state: &State,
        joint: &[Move],
        next: &mut State,
    ) -> Result<(), MachineError> {
        self.enter(state);
        self.collect_terms(joint);
        let fluents = self.prover.next_state(&self.scratch)?;
        next.clear();
        for &fluent in &fluents {
            next.insert(self.fluents.number(fluent) as usize);
        }
        Ok(())
    }

    fn percepts(
        &mut self,
        state: &State,
        joint: &[Move],
        role: RoleId,
    ) -> Result<Vec<String>, MachineError> {
        self.enter(state);
        self.collect_terms(joint);
        let percepts = self.prover.percepts(&self.scratch, role.index())?;
        let terms = self.prover.terms();
        let mut texts: Vec<String> = percepts.iter().map(|&term| terms.text(term)).collect();
        texts.sort_unstable();
        Ok(texts)
    }

    fn move_count(&self, role: RoleId) -> usize {
        self.moves[role.index()].terms.len()
    }

    fn fluent_count(&self) -> usize {
        self.fluents.terms.len()
    }

    fn move_text(&self, role: RoleId, played: Move) -> String {
        let term = self.moves[role.index()].terms[played.index()];
        self.prover.terms().text(term)
    }

    fn parse_move(&mut self, role: RoleId, text: &str) -> Result<Move, MachineError> {
        match enter_term(self.prover.terms_mut(), text) {
            Some(term) => Ok(Move(self.moves[role.index()].number(term))),
            None => Err(MachineError::UnknownName(UnknownName::Move {
                role: self.roles[role.index()].clone(),
                text: text.to_string(),
            })),
        }
    }

    fn fluents(&self, state: &State) -> Vec<String> {
        let terms = self.prover.terms();
        let texts = state.iter().map(|i| terms.text(self.fluents.terms[i]));
        let mut texts: Vec<String> = texts.collect();
        texts.sort_unstable();
        texts
    }

    fn parse_state(&mut self, fluents: &[&str]) -> Result<State, MachineError> {
        let mut state = State::new();
        for text in fluents {
            let term = enter_term(self.prover.terms_mut(), text)
                .ok_or_else(|| UnknownName::Fluent(text.to_string()))?;
            state.insert(self.fluents.number(term) as usize);
        }
        Ok(state)
    }
}
