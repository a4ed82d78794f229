//! Achievable goals: the goal values that are still possible from a state on.
//!
//! A goal value that can never hold again, whatever is played ([`ternary`](crate::game::circuits::darkening::ternary)),
//! is out of reach. The remaining values include every value that a match from there may end with.
//! It allows MCTS to stop early: where the least and greatest value of every role are equal,
//! nothing remains to be decided (see the Sancho team's post "Goal Latches", 2014).
//!
//! # Ends without a goal
//!
//! A match may end without giving a role exactly one value: in a terminal state in which no
//! value holds, or several; in a state where some role has no legal move; or never, so that it is cut off. Here all of
//! these count as 0, so 0 is among the values as long as such an end is not excluded. (The value that
//! [searches](crate::proof::unproved) assign to it proves nothing.) The rules of GDL exclude it, but rulesheets break
//! them. The bounds exclude some cases: a role that has exactly one value for ever has it in any terminal state, and a
//! role with a move that is always legal is never stuck. Beyond that it takes a proof about the whole game, or trust:
//! these are [`Promises`].
//!
//! Proofs about the whole game ([`GoalLatches`]) are added: they cover facts that bounds miss, such
//! as that only one of two propositions can hold.

use std::fmt;
use std::sync::Arc;

use propjit_jit::lanes::Width;

use super::goal_latches::GoalLatches;
use crate::game::circuits::darkening::ternary::{Fixpoint, TernaryCircuit};
use crate::game::ground::GroundGame;
use crate::game::machine::{RoleId, State};
use crate::game::vocabulary::lane_mask::LaneMask;

/// Promises about how the matches of a game end, by proof or on trust.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Promises {
    /// In every reachable terminal state, each role has exactly one goal value.
    pub goals: bool,
    /// In every other reachable state, each role has a legal move.
    pub moves: bool,
    /// Every match ends, before it is cut off.
    pub ends: bool,
}

impl Promises {
    /// The requirements of GDL on every game ("Game Description Language
    /// specification", Love et al. 2008, section 9).
    pub const WELL_FORMED: Promises = Promises {
        goals: true,
        moves: true,
        ends: true,
    };
}

/// Finds the goals that are still possible, for as many states at a time as there are lanes.
pub struct Achievable {
    game: Arc<GroundGame>,
    fixpoint: Fixpoint,
    promises: Promises,
    latches: GoalLatches,
    possible: PossibleGoals,
}

/// The goals that are possible from some states on, a lane each.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct PossibleGoals {
    /// The goal values of each role.
    goals: Vec<Vec<Goal>>,
    /// For each role, the lanes in which a match may end without a goal.
    none: Vec<LaneMask>,
}

/// A goal value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Goal {
    value: i32,
    /// The lanes in which it is possible.
    possible: LaneMask,
}

impl fmt::Debug for Achievable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Achievable")
            .field("promises", &self.promises)
            .finish_non_exhaustive()
    }
}

impl Achievable {
    /// Creates it for a game with these bounds.
    pub fn new(
        game: Arc<GroundGame>,
        bounds: &TernaryCircuit,
        width: Width,
        promises: Promises,
    ) -> Self {
        Achievable {
            fixpoint: Fixpoint::new(game.clone(), bounds, width),
            promises,
            latches: GoalLatches::default(),
            possible: PossibleGoals::default(),
            game,
        }
    }

    /// Returns the same, also excluding the goals that these latches exclude.
    pub fn with_latches(self, latches: GoalLatches) -> Achievable {
        Achievable { latches, ..self }
    }

    /// Returns the maximum number of states.
    pub fn lanes(&self) -> usize {
        self.fixpoint.lanes()
    }

    /// Returns the goals that are possible from these states on, in their order.
    ///
    /// # Panics
    /// If there are more states than lanes.
    pub fn of<'a, States>(&mut self, states: States) -> &PossibleGoals
    where
        States: IntoIterator<Item = &'a State, IntoIter: Clone>,
    {
        let states = states.into_iter();
        self.fixpoint.explore(states.clone());
        let all = self.fixpoint.filled();
        let unended = self.without_end();
        let roles = self.game.propnet().roles.iter();
        (self.possible.goals, self.possible.none) = roles
            .zip(RoleId::first(self.game.roles().len()))
            .map(|(role, id)| {
                let (mut several, mut some) = (LaneMask::default(), LaneMask::default());
                let (mut certain, mut goals) = (LaneMask::default(), Vec::new());
                for (goal, bounds) in role.goals.iter().zip(self.fixpoint.goals(id)) {
                    several = several.or(some.and(bounds.may));
                    some = some.or(bounds.may);
                    certain = certain.or(bounds.must);
                    goals.push(Goal {
                        value: goal.value,
                        possible: bounds.may.and(all),
                    });
                }
                let undefined = match self.promises.goals {
                    true => LaneMask::default(),
                    false => {
                        let defined = certain.and_not(several);
                        self.fixpoint.terminal().may.and_not(defined)
                    }
                };
                (goals, undefined.or(unended).and(all))
            })
            .unzip();
        for (lane, state) in states.enumerate() {
            for (role, goal) in self.latches.excluded(state) {
                let goal = &mut self.possible.goals[role.index()][goal];
                goal.possible.remove(lane);
            }
        }
        &self.possible
    }

    /// Returns the lanes in which a match may end otherwise than in a terminal state.
    fn without_end(&self) -> LaneMask {
        let over = self.fixpoint.terminal().must;
        let mut stuck = LaneMask::default();
        if !self.promises.moves {
            let all = self.fixpoint.filled();
            for role in RoleId::first(self.game.roles().len()) {
                let always = self.fixpoint.legal(role).map(|legal| legal.must);
                stuck = stuck.or(all.and_not(always.fold(LaneMask::default(), LaneMask::or)));
            }
        }
        let endless = match self.promises.ends {
            true => LaneMask::default(),
            false => self.fixpoint.filled(),
        };
        stuck.or(endless).and_not(over)
    }
}

impl PossibleGoals {
    /// Returns the lanes in which a role may get a goal value, given by its index among the role's
    /// values.
    pub fn possible(&self, role: RoleId, goal: usize) -> LaneMask {
        self.goals[role.index()][goal].possible
    }

    /// Returns the lanes in which a match may end without a goal for the role, which counts as 0.
    pub fn none(&self, role: RoleId) -> LaneMask {
        self.none[role.index()]
    }

    /// Returns the values that a role may get from the state in this lane on, ascending. Each value
    /// that a match from there can end with is among them, 0 included if a match can end
    /// without one.
    pub fn values(&self, role: RoleId, lane: usize) -> Vec<i32> {
        let goals = self.goals[role.index()].iter();
        let possible = goals.filter(|goal| goal.possible.contains(lane));
        let mut values: Vec<i32> = possible.map(|goal| goal.value).collect();
        if self.none(role).contains(lane) {
            values.push(0);
        }
        values.sort_unstable();
        values.dedup();
        values
    }

    /// Returns the least and the greatest of the [`values`](PossibleGoals::values); `None` if there
    /// are none, because promises are broken.
    pub fn range(&self, role: RoleId, lane: usize) -> Option<(i32, i32)> {
        let none = self.none(role).contains(lane).then_some(0);
        let goals = self.goals[role.index()].iter();
        let possible = goals.filter(|goal| goal.possible.contains(lane));
        let values = possible.map(|goal| goal.value).chain(none);
        values.fold(None, |range, value| {
            let (least, greatest) = range.unwrap_or((value, value));
            Some((value.min(least), value.max(greatest)))
        })
    }
}
