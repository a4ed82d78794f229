//! All facts about a game.

use std::time::Duration;

use super::composite::Composite;
use super::defined::DefinedEnds;
use super::fact::Fact;
use super::goal_latches::{ForcedGoal, GoalLatch, GoalLatches};
use super::inhibitors::Inhibitor;
use crate::game::ground::invariants::Invariant;
use crate::game::ground::{CountBounds, GoalBounds, GoalTables, GroundGame, Literal};
use crate::game::machine::RoleId;

/// A goal value of a role that the role has, or one that it does not have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct GoalLiteral {
    /// The role.
    pub role: RoleId,
    /// The index of the value among the role's goals.
    pub goal: usize,
    /// Whether the role has it.
    pub value: bool,
}

/// A stage of the analysis, with its time.
#[derive(Clone, Copy, Debug)]
pub struct AnalysisStage {
    /// The stage's name.
    pub name: &'static str,
    /// How long it took.
    pub time: Duration,
    /// How many queries it left open.
    pub undecided: usize,
    /// Whether it was cut off, because its share of the time was over or it was stopped: there may be more facts
    /// than it found.
    pub is_cut: bool,
}

/// The facts about all states of a game.
#[derive(Clone, Debug)]
pub struct Facts {
    /// How many steps of random matches were sampled.
    pub steps: u64,
    /// How many matches ended among them.
    pub matches: u64,
    /// The sum of all roles' goals if it was the same at the end of each of these, and there were
    /// at least 30. This is not a proof.
    pub sum: Option<i64>,
    /// The goals that depend on counts and counters only, and the sum of goals, if that is proved to
    /// be fixed.
    pub goal_tables: Option<GoalTables>,
    /// The invariants, which hold in every state of every match.
    pub invariants: Vec<Invariant>,
    /// The literals that never change again once they hold, without constant ones.
    pub latches: Vec<Fact<Literal>>,
    /// The literals that hold in terminal states only and are not latched.
    pub finals: Vec<Literal>,
    /// The goals, as functions of the state, that never change again.
    pub latched_goals: Vec<Fact<GoalLiteral>>,
    /// The goals that latches exclude.
    pub goal_latches: GoalLatches,
    /// How matches end, if latches or counters exclude goals.
    pub defined_ends: Option<DefinedEnds>,
    /// The goals that counters exclude.
    pub count_bounds: Option<CountBounds>,
    /// How many of a thousand steps of the random matches began in states in which latches and
    /// counters leave one goal to each role.
    pub decided_per_mille: usize,
    /// The goals that latches ensure.
    pub forced_goals: Vec<ForcedGoal>,
    /// The goals that other literals exclude where a match ends: no match ends with the goal in a
    /// state in which the literal holds.
    pub goal_inhibitors: Vec<GoalLatch>,
    /// Groups of literals that never change again, though none of them is a latch.
    pub composites: Vec<Fact<Composite>>,
    /// Propositions that forbid others in the next state.
    pub inhibitors: Vec<Fact<Inhibitor>>,
    /// The stages of the analysis, in order.
    pub stages: Vec<AnalysisStage>,
    /// The time limit of all stages together.
    pub time_limit: Duration,
}

impl Facts {
    /// Returns the goals that latches and counters leave; `None` if they exclude none, or if it is not proved that
    /// matches [end](DefinedEnds) as GDL requires.
    pub fn goal_bounds(&self, game: &GroundGame) -> Option<GoalBounds> {
        let masks = self.goal_latches.masks().to_vec();
        let bounds = GoalBounds::new(game, masks, self.count_bounds.clone(), self.sum.is_some());
        self.defined_ends.as_ref()?.restrict(bounds?)
    }

    /// Returns the stages that were cut off: there may be more facts than they found.
    pub fn cut(&self) -> impl Iterator<Item = &AnalysisStage> {
        self.stages.iter().filter(|stage| stage.is_cut)
    }

    /// Returns the literals that hold in every state of every match.
    pub fn constants(&self) -> impl Iterator<Item = Literal> {
        let invariants = self.invariants.iter();
        invariants.filter_map(|invariant| match invariant {
            Invariant::Constant(literal) => Some(*literal),
            _ => None,
        })
    }
}
