//! Ground games: propositional network and circuit, with the data derived from these.

use std::ops::Deref;

use propjit_gdl::propnet::Propnet;
use propjit_stop::Stop;

use super::actions::Actions;
use super::derived::{Derived, Optimised};
use super::lowered_game::LoweredGame;
use super::move_marks::MoveMarks;
use super::phase_constants::PhaseConstants;
use super::phases::Phases;
use super::step_cost::StepCost;
use crate::support::fnv::Fnv64;

/// A game as propositional network and circuit, with data that is derived from these when it is first requested. All
/// threads share it.
#[derive(Debug)]
pub struct GroundGame {
    lowered: LoweredGame,
    derived: Derived,
}

impl GroundGame {
    /// Lowers the network to a circuit; none if `stop` is set before that is done. When it is set later, passes over
    /// that circuit end early.
    pub fn new(propnet: Propnet, stop: Stop) -> Option<GroundGame> {
        Some(GroundGame {
            lowered: LoweredGame::new(propnet, &stop)?,
            derived: Derived::new(stop),
        })
    }

    /// Returns the hash of the names of all roles, base propositions and [actions](Actions), in their order: what
    /// learners number is the same in games with the same hash.
    pub fn vocabulary_hash(&self) -> Fnv64 {
        let bases = 0..self.layout().bases.len();
        let bases = bases.map(|base| self.base_text(base));
        let actions = (0..self.actions().len()).map(|action| self.action_text(action));
        let roles = self.roles().iter().cloned();
        Fnv64::of_lines(roles.chain(bases).chain(actions))
    }

    /// Returns the circuit with the fewest gates, for backends that evaluate all of them.
    pub fn min_gates(&self) -> &Optimised {
        self.derived.min_gates(&self.lowered)
    }

    /// Returns the circuit in which the fewest gates change from step to step, for backends that
    /// evaluate only those.
    pub fn low_activity(&self) -> &Optimised {
        self.derived.low_activity(&self.lowered)
    }

    /// Returns the propositions that are periodic from the initial state on, in the circuit before
    /// any pass.
    pub fn phases(&self) -> &Phases {
        self.derived.phases(&self.lowered)
    }

    /// Returns the propositions that are constant in each phase, in the circuit before any pass.
    pub fn phase_constants(&self) -> &PhaseConstants {
        self.derived.phase_constants(&self.lowered)
    }

    /// Returns whether it is proved that all roles know each state by what they perceive, in a game with rules for that. The
    /// first call may take some seconds.
    pub fn is_observable(&self) -> bool {
        self.derived.is_observable(&self.lowered)
    }

    /// Returns the marks that moves leave in states, if all moves that roles choose among do.
    pub fn move_marks(&self) -> Option<&MoveMarks> {
        self.derived.move_marks(&self.lowered)
    }

    /// Returns the moves as numbered for learners.
    pub fn actions(&self) -> &Actions {
        self.derived.actions(&self.lowered)
    }

    /// Returns the canonical text of an [action](GroundGame::actions).
    ///
    /// # Panics
    /// If there are not as many actions.
    pub fn action_text(&self, action: usize) -> String {
        let terms = &self.propnet().terms;
        terms.text(self.actions().names()[action])
    }

    /// Returns the approximate cost of a step of a playout.
    pub fn cost(&self) -> StepCost {
        self.derived.cost(&self.lowered)
    }
}

/// A ground game gives access to the lowered game that it is derived from.
impl Deref for GroundGame {
    type Target = LoweredGame;
    fn deref(&self) -> &LoweredGame {
        &self.lowered
    }
}
