//! Known wins, for a search of another kind that queries single states.

use std::sync::Arc;

use parking_lot::RwLock;

use super::cube::Cube;
use super::message::ProofWins;
use super::store::{Depths, Store};
use crate::game::circuits::reasons::Target;
use crate::game::ground::GroundGame;
use crate::game::machine::State;
use crate::game::vocabulary::moves::RoleId;

/// The number of cubes for each target and phase at which they are forgotten, unless these take too much memory before.
const MAX_CUBES: usize = 1 << 17;

/// States from which roles can force goals, as reported by [provers](super). All threads may query and add.
#[derive(Debug)]
pub struct KnownWins {
    game: Arc<GroundGame>,
    targets: RwLock<Vec<Known>>,
}

/// The known wins of a target.
#[derive(Debug)]
struct Known {
    target: Target,
    ceilings: Vec<(RoleId, i32)>,
    /// By phase.
    wins: Vec<RwLock<Store>>,
}

impl KnownWins {
    /// Nothing is known of the game yet.
    pub fn new(game: Arc<GroundGame>) -> KnownWins {
        KnownWins {
            game,
            targets: RwLock::default(),
        }
    }

    /// Adds wins.
    pub fn add(&self, wins: &ProofWins) {
        let is_known = |known: &Known| known.target == wins.target;
        if !self.targets.read().iter().any(is_known) {
            let phases = 0..self.game.phases().period();
            self.targets.write().push(Known {
                target: wins.target,
                ceilings: wins.ceilings.clone(),
                wins: phases.map(|_| RwLock::new(Store::new())).collect(),
            });
        }
        let targets = self.targets.read();
        let known = targets.iter().find(|known| is_known(known));
        let known = known.expect("it was added");
        let words = self.game.layout().bases.len().div_ceil(64);
        let most = MAX_CUBES.min(Store::most_cubes(words));
        for win in &wins.cubes {
            let mut store = known.wins[win.phase].write();
            if store.len() >= most {
                *store = Store::new();
            }
            store.insert(Arc::new(Cube::win(&win.literals, words, win.depth)));
        }
    }

    /// Returns what a role can force from a state, and the proved upper bounds of the others then; if
    /// several roles can force something, for one of them.
    pub fn look_up(&self, state: &State) -> Option<(Target, Vec<(RoleId, i32)>)> {
        let targets = self.targets.read();
        if targets.is_empty() {
            return None;
        }
        let phase = self.game.phases().of(state)?;
        let is_won = |known: &&Known| {
            let wins = known.wins[phase].read();
            wins.cube_of(Depths::AtMost(u32::MAX), state.words())
                .is_some()
        };
        let known = targets.iter().find(is_won)?;
        Some((known.target, known.ceilings.clone()))
    }
}
