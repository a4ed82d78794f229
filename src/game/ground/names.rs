//! Names of a game's roles, propositions and moves.

use std::sync::OnceLock;

use propjit_gdl::propnet::{Propnet, Role};
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
        let names = |of: &Role| numbers(of.moves.iter().map(|played| played.name));
        find_of_role(&self.moves, net, role, text, names)
            .map(Move)
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
        let names = |of: &Role| numbers(of.percepts.iter().map(|percept| percept.name));
        find_of_role(&self.percepts, net, role, text, names)
            .map(|number| number as usize)
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

/// Returns the number of what `text` spells in the table of a role. The tables of all roles are made when first needed.
fn find_of_role(
    tables: &OnceLock<Vec<FxHashMap<TermId, u32>>>,
    net: &Propnet,
    role: RoleId,
    text: &str,
    names: impl Fn(&Role) -> FxHashMap<TermId, u32>,
) -> Option<u32> {
    let tables = tables.get_or_init(|| net.roles.iter().map(names).collect());
    let term = find_term(&net.terms, text)?;
    tables[role.index()].get(&term).copied()
}

/// Returns the index of each term in a list.
fn numbers(terms: impl Iterator<Item = TermId>) -> FxHashMap<TermId, u32> {
    terms.zip(0..).collect()
}
