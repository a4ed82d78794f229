//! A game that hides information, with what suits it: found out once for all searches.

use std::sync::Arc;
use std::time::Duration;

use parking_lot::{Mutex, MutexGuard};
use propjit_stop::Stop;

use super::uncertainty::typical_uncertainty;
use crate::game::load::Game;
use crate::game::machine::MachineError;
use crate::proof::regret::{Equilibrium, RegretConfig, RegretError, RegretProgress, minimise};

/// The memory for solving a game before a match, in bytes.
const SOLVING_MEMORY: usize = 256 << 20;

/// The exploitability with which a game is solved well enough for play, as a part of the range of goals; and one that is as good
/// as none.
const GOOD_ENOUGH: f64 = 0.01;
const AS_GOOD_AS_NONE: f64 = 0.0002;

/// How long a search waits for another one before it looks again whether it is to stop.
const WAITING: Duration = Duration::from_millis(5);

/// A game that hides information. Searches of all roles share it: the first one that wants to know something finds it out,
/// others wait for that.
#[derive(Debug)]
pub struct HiddenGame {
    game: Arc<Game>,
    solution: Mutex<Solution>,
    /// How many states are possible for a role, typically.
    uncertainty: Mutex<Option<f64>>,
}

/// How far a game is solved.
#[derive(Debug)]
enum Solution {
    /// It was not tried, or a stop came too soon.
    Open,
    /// It is too large, or of another kind.
    OutOfReach,
    Found(Arc<Equilibrium>),
}

impl HiddenGame {
    /// A game of which nothing is found out yet.
    pub fn new(game: Arc<Game>) -> HiddenGame {
        HiddenGame {
            game,
            solution: Mutex::new(Solution::Open),
            uncertainty: Mutex::new(None),
        }
    }

    /// The game.
    pub fn game(&self) -> &Arc<Game> {
        &self.game
    }

    /// Returns an equilibrium of the game, if it is small enough to find one before the stop.
    pub(super) fn equilibrium(&self, stop: &Stop) -> Option<Arc<Equilibrium>> {
        let mut solution = lock(&self.solution, stop)?;
        if let Solution::Open = &*solution {
            *solution = solve(&self.game, stop);
        }
        match &*solution {
            Solution::Found(found) => Some(found.clone()),
            Solution::Open | Solution::OutOfReach => None,
        }
    }

    /// Returns how many states are possible for a role, typically; by what was found before the stop, if it comes.
    ///
    /// # Errors
    /// When a machine cannot go on.
    pub(super) fn uncertainty(&self, seed: u64, stop: &Stop) -> Result<Option<f64>, MachineError> {
        let Some(mut known) = lock(&self.uncertainty, stop) else {
            return Ok(None);
        };
        if known.is_some() {
            return Ok(*known);
        }
        let found = typical_uncertainty(&self.game, seed, stop)?;
        tracing::debug!(?found, "states that are possible for a role");
        if !stop.is_set() {
            *known = found;
        }
        Ok(found)
    }
}

/// Locks a mutex, unless a stop comes first.
fn lock<'a, T>(mutex: &'a Mutex<T>, stop: &Stop) -> Option<MutexGuard<'a, T>> {
    loop {
        if let Some(guard) = mutex.try_lock_for(WAITING) {
            return Some(guard);
        }
        if stop.is_set() {
            return None;
        }
    }
}

/// Solves a game, if that is possible before the stop.
fn solve(game: &Game, stop: &Stop) -> Solution {
    let Some(ground) = game.ground_game() else {
        return Solution::OutOfReach;
    };
    let ranges = ground.goal_ranges();
    let ranges = ground.players().map(|role| ranges[role.index()]);
    let range = f64::from(ranges.map(|(low, high)| high - low).min().unwrap_or(0));
    let config = RegretConfig::default()
        .with_memory(SOLVING_MEMORY)
        .with_iterations(u64::MAX)
        .with_exploitability(AS_GOOD_AS_NONE * range);
    match minimise(game, &config, stop, &RegretProgress::default()) {
        Ok(found) if found.exploitability <= GOOD_ENOUGH * range => {
            Solution::Found(Arc::new(found))
        }
        Ok(found) => {
            tracing::debug!(found.exploitability, "not solved well enough for play");
            Solution::Open
        }
        Err(error) => {
            tracing::debug!(%error, "not solved");
            match error {
                RegretError::Stopped { .. } => Solution::Open,
                _ => Solution::OutOfReach,
            }
        }
    }
}
