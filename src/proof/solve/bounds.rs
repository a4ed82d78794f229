//! Known bounds of the value of each role, shared by all solvers.

use std::fmt;

use parking_lot::Mutex;
use serde::Serialize;

use crate::game::ground::GroundGame;
use crate::game::machine::{RANDOM_ROLE, RoleId};

use super::progress::SolveProgress;

/// By what a bound was proved.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum SolveMethod {
    /// There is no goal beyond it.
    Rules,
    /// The states of the game were enumerated.
    States,
    /// A match of the only role that was planned.
    Plan,
    /// A SAT solver, for matches of the only role.
    Satisfiability,
    /// Proof search.
    Proof,
    /// The states of each [factor](crate::proof::factors) of the game, and their combinations.
    Parts,
}

/// The known bounds of the value of a role: what it can force whatever the others do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RoleBounds {
    /// The role.
    pub role: RoleId,
    /// The least that the role can force, and the method that proved it.
    pub low: (i32, SolveMethod),
    /// The most that the others can hold the role to, and the method that proved it.
    pub high: (i32, SolveMethod),
    /// Whether the role gets no more than the least goal only because the others can keep the match
    /// from coming to an end.
    pub is_endless: bool,
}

impl RoleBounds {
    /// Whether the value is proved.
    pub fn is_solved(&self) -> bool {
        self.low.0 == self.high.0
    }

    /// Whether nothing is known but what goals there are.
    pub fn is_open(&self) -> bool {
        let rules = SolveMethod::Rules;
        !self.is_solved() && (self.low.1, self.high.1) == (rules, rules)
    }
}

/// The bounds of all roles but chance.
pub(super) struct AllBounds<'a> {
    bounds: Mutex<Vec<RoleBounds>>,
    progress: &'a SolveProgress,
}

impl AllBounds<'_> {
    /// Starts with the range of the goals.
    pub(super) fn new<'a>(game: &GroundGame, progress: &'a SolveProgress) -> AllBounds<'a> {
        let bounds = players(game).map(|role| {
            let goals = goals(game, role);
            RoleBounds {
                role,
                low: (goals[0], SolveMethod::Rules),
                high: (goals[goals.len() - 1], SolveMethod::Rules),
                is_endless: false,
            }
        });
        let all = AllBounds {
            bounds: Mutex::new(bounds.collect()),
            progress,
        };
        all.update(players(game).next(), |_| ());
        all
    }

    /// Returns the bounds of a role.
    pub(super) fn of(&self, role: RoleId) -> RoleBounds {
        let bounds = self.bounds.lock();
        let found = bounds.iter().find(|bounds| bounds.role == role);
        *found.expect("the role plays")
    }

    /// Returns the bounds of all roles.
    pub(super) fn all(&self) -> Vec<RoleBounds> {
        self.bounds.lock().clone()
    }

    /// Whether all values are proved.
    pub(super) fn is_solved(&self) -> bool {
        self.bounds.lock().iter().all(RoleBounds::is_solved)
    }

    /// Records that the role can force at least `value`.
    pub(super) fn raise(&self, role: RoleId, value: i32, method: SolveMethod) {
        self.update(Some(role), |bounds| {
            if value > bounds.low.0 {
                bounds.low = (value, method);
            }
        });
    }

    /// Records that the others can hold the role to `value`.
    pub(super) fn lower(&self, role: RoleId, value: i32, method: SolveMethod) {
        self.update(Some(role), |bounds| {
            if value < bounds.high.0 {
                bounds.high = (value, method);
            }
        });
    }

    /// The others can keep the match from coming to an end.
    pub(super) fn note_endless(&self, role: RoleId) {
        self.update(Some(role), |bounds| bounds.is_endless = true);
    }

    fn update(&self, role: Option<RoleId>, change: impl Fn(&mut RoleBounds)) {
        let mut all = self.bounds.lock();
        all.iter_mut()
            .filter(|bounds| Some(bounds.role) == role)
            .for_each(change);
        let bounds = all.iter().map(|bounds| (bounds.low.0, bounds.high.0));
        self.progress.note_bounds(bounds);
    }
}

/// All roles but chance.
pub(super) fn players(game: &GroundGame) -> impl Iterator<Item = RoleId> + '_ {
    let roles = RoleId::first(game.roles().len());
    roles.filter(|role| game.roles()[role.index()] != RANDOM_ROLE)
}

/// The roles but chance that may have different goals.
pub(super) fn valued(game: &GroundGame) -> impl Iterator<Item = RoleId> + '_ {
    players(game).filter(|&role| goals(game, role).len() > 1)
}

/// Returns the goals that a role may have, ascending; 0 is one of them, as the least possible result if
/// rules give none.
pub(super) fn goals(game: &GroundGame, role: RoleId) -> Vec<i32> {
    let goals = game.propnet().roles[role.index()].goals.iter();
    let mut goals: Vec<i32> = goals.map(|goal| goal.value).chain([0]).collect();
    goals.sort_unstable();
    goals.dedup();
    goals
}

/// Whether the goals of some role are too many for states to be valued by their places.
pub(super) fn has_too_many_goals(game: &GroundGame) -> bool {
    RoleId::first(game.roles().len()).any(|role| goals(game, role).len() >= usize::from(u16::MAX))
}

impl fmt::Display for SolveMethod {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            SolveMethod::Rules => "rules",
            SolveMethod::States => "states",
            SolveMethod::Plan => "plan",
            SolveMethod::Satisfiability => "SAT",
            SolveMethod::Proof => "proof",
            SolveMethod::Parts => "parts",
        })
    }
}
