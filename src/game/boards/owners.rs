//! Owners of pieces: a piece that appears at the place named by a role's move belongs to that role.

use rustc_hash::FxHashMap;

use crate::game::machine::RoleId;

/// For each word of contents on a board, how often it appeared by moves of each role.
#[derive(Default)]
pub(super) struct Owners {
    appearances: FxHashMap<String, Vec<u32>>,
    roles: usize,
}

/// The fraction of the appearances of a word that must be by moves of one role.
const CLEAR: f64 = 0.9;

impl Owners {
    pub(super) fn new(roles: usize) -> Owners {
        Owners {
            appearances: FxHashMap::default(),
            roles,
        }
    }

    /// Records that contents appeared at the place named by the move of a role.
    pub(super) fn appeared(&mut self, content: &str, role: RoleId) {
        for word in content.split(' ') {
            let counts = self.appearances.entry(word.to_string());
            counts.or_insert_with(|| vec![0; self.roles])[role.index()] += 1;
        }
    }

    /// Returns the role to which something belongs, if one of its words indicates it.
    pub(super) fn owner(&self, content: &str) -> Option<RoleId> {
        content.split(' ').find_map(|word| {
            let counts = self.appearances.get(word)?;
            let all: u32 = counts.iter().sum();
            let most = RoleId::first(self.roles).zip(counts);
            let (role, &most) = most.max_by_key(|&(_, count)| count)?;
            (f64::from(most) >= CLEAR * f64::from(all)).then_some(role)
        })
    }
}
