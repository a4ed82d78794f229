//! Names of a game's roles, propositions and moves.

use std::sync::OnceLock;

use propjit_gdl::propnet::Propnet;
use propjit_gdl::term::TermId;
use rustc_hash::FxHashMap;

use crate::game::vocabulary::moves::{Move, RoleId};
use crate::game::vocabulary::state::State;
use crate::game::vocabulary::terms::{UnknownName, find_term};

/// The roles' names, and numbers by name. The names of propositions and moves themselves
/// are in the network.
pub(super) struct Names {
    roles: Vec<String>,
    /// The numbers of the base propositions, when first looked up.
    bases: OnceLock<FxHashMap<TermId, u32>>,
    /// The numbers of the moves of each role, when first looked up.
    moves: OnceLock<Vec<FxHashMap<TermId, u32>>>,
    /// The numbers of the percepts of each role, when first looked up.
    percepts: OnceLock<Vec<FxHashMap<TermId, u32>>>,
}

impl Names {
    pub(super) fn new(net: &Propnet) -> Names {
        let roles = net.roles.iter().map(|role| net.terms.text(role.name));
        Names {
            roles: roles.collect(),
            bases: OnceLock::new(),
            moves: OnceLock::new(),
            percepts: OnceLock::new(),
        }
    }

    /// Returns the names of the roles.
    pub(super) fn roles(&self) -> &[String] {
        &self.roles
    }

    /// Returns the number of the move that `text` spells.
    pub(super) fn find_move(
        &self,
        net: &Propnet,
        role: RoleId,
        text: &str,
    ) -> Result<Move, UnknownName> {
        let moves = self.moves.get_or_init(|| {
            let roles = net.roles.iter();
            roles
                .map(|role| numbers(role.moves.iter().map(|played| played.name)))
                .collect()
        });
        find_term(&net.terms, text)
            .and_then(|term| moves[role.index()].get(&term))
            .map(|&number| Move(number))
            .ok_or_else(|| UnknownName::Move {
                role: self.roles[role.index()].clone(),
                text: text.to_string(),
            })
    }

    /// Returns the number of the percept that `text` spells.
    pub(super) fn find_percept(
        &self,
        net: &Propnet,
        role: RoleId,
        text: &str,
    ) -> Result<usize, UnknownName> {
        let percepts = self.percepts.get_or_init(|| {
            let roles = net.roles.iter();
            roles
                .map(|role| numbers(role.percepts.iter().map(|percept| percept.name)))
                .collect()
        });
        find_term(&net.terms, text)
            .and_then(|term| percepts[role.index()].get(&term))
            .map(|&number| number as usize)
            .ok_or_else(|| UnknownName::Percept {
                role: self.roles[role.index()].clone(),
                text: text.to_string(),
            })
    }

    /// Returns the state in which exactly these propositions hold.
    pub(super) fn find_state(&self, net: &Propnet, fluents: &[&str]) -> Result<State, UnknownName> {
        let bases = self
            .bases
            .get_or_init(|| numbers(net.bases.iter().map(|base| base.name)));
        let found = fluents.iter().map(|text| {
            find_term(&net.terms, text)
                .and_then(|term| bases.get(&term))
                .map(|&number| number as usize)
                .ok_or_else(|| UnknownName::Fluent(text.to_string()))
        });
        found.collect()
    }
}

/// Returns the index of each term in a list.
fn numbers(terms: impl Iterator<Item = TermId>) -> FxHashMap<TermId, u32> {
    terms.zip(0..).collect()
}
