//! All facts about a game, and how they are found.

use std::sync::Arc;
use std::time::Duration;

use super::clock::Clock;
use super::goals;
use super::induction;
use super::latches::{self, Kind};
use super::samples::Samples;
use super::step::Net;
use super::{GoalLatches, Invariant, Literal, Method, candidates};
use crate::machine::{GroundGame, RoleId};
use crate::rng::random_seed;
use crate::stop::Stop;

/// What the analysis may cost.
#[derive(Clone, Debug)]
pub struct Config {
    /// How long it may take. A little more is needed to end.
    pub time: Duration,
    /// How many steps of random matches are looked at, at most.
    pub steps: u64,
    /// Where their random numbers come from.
    pub seed: u64,
    /// The most variables of one SAT solver: each takes some 200 bytes, and each
    /// thread has two solvers.
    pub variables: u32,
}

impl Default for Config {
    /// Five seconds, two hundred thousand steps, two million variables.
    fn default() -> Config {
        Config {
            time: Duration::from_secs(5),
            steps: 200_000,
            seed: random_seed(),
            variables: 2_000_000,
        }
    }
}

/// Something that was found, and how.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Fact<T> {
    /// What.
    pub what: T,
    /// How.
    pub method: Method,
}

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

/// A step of the analysis, and how long it took.
#[derive(Clone, Copy, Debug)]
pub struct Stage {
    /// The step's name.
    pub name: &'static str,
    /// How long it took.
    pub time: Duration,
    /// How many questions it left open.
    pub undecided: usize,
}

/// What is known of all states of a game.
#[derive(Clone, Debug)]
pub struct Facts {
    /// How many steps of random matches were looked at.
    pub steps: u64,
    /// How many matches ended among them.
    pub matches: u64,
    /// What holds in every state of every match.
    pub invariants: Vec<Invariant>,
    /// The literals that never change again once they hold, without constant ones.
    pub latches: Vec<Fact<Literal>>,
    /// The literals that hold in terminal states only, unless they are latched anyway.
    pub finals: Vec<Literal>,
    /// The goals, as they are in each state, that never change again.
    pub latched_goals: Vec<Fact<GoalLiteral>>,
    /// The goals that latches exclude.
    pub goal_latches: GoalLatches,
    /// What was done, in order.
    pub stages: Vec<Stage>,
}

impl Facts {
    /// The literals that hold in every state of every match.
    pub fn constants(&self) -> impl Iterator<Item = Literal> {
        let invariants = self.invariants.iter();
        invariants.filter_map(|invariant| match invariant {
            Invariant::Constant(literal) => Some(*literal),
            _ => None,
        })
    }
}

/// Finds facts until the time is over or the flag is set; then what is open stays open.
pub fn find(game: &Arc<GroundGame>, config: &Config, stop: &Stop) -> Facts {
    let clock = Clock::start(config.time, stop);
    let mut stages = Stages {
        clock,
        stages: Vec::new(),
    };
    let clock = Clock::start(config.time, stop);
    let net = &Net::new(game, config.variables);
    let samples = Samples::play(game, config.steps, config.seed, &clock.part(0.15));
    stages.end("random matches", 0);
    let candidates = candidates::candidates(game, &samples, &clock.part(0.25));
    stages.end("candidates", 0);
    let tried = candidates.len();
    let invariants = induction::prove(net, &[], candidates, &clock.part(0.5));
    stages.end("invariants", tried - invariants.len());
    let constants = invariants.iter().filter_map(|invariant| match invariant {
        Invariant::Constant(literal) => Some(literal.proposition),
        _ => None,
    });
    let mut is_constant = vec![false; net.layout.bases.len()];
    constants.for_each(|base| is_constant[base] = true);
    let varying: Vec<Literal> = Literal::all(is_constant.len())
        .filter(|literal| !is_constant[literal.proposition])
        .collect();
    let kinds = latches::literals(net, &invariants, &samples, &varying, &clock.part(0.7));
    let latches: Vec<Fact<Literal>> = varying.iter().zip(&kinds).filter_map(latched).collect();
    let finals = varying
        .iter()
        .zip(&kinds)
        .filter(|(_, kind)| **kind == Kind::Final);
    stages.end("latches", undecided(&kinds));
    let goals = goal_literals(game);
    let edges: Vec<_> = goals
        .iter()
        .map(|goal| {
            net.goal(goal.role.index(), goal.goal)
                .invert_if(!goal.value)
        })
        .collect();
    let goal_kinds = latches::edges(net, &invariants, &edges, &clock.part(0.8));
    stages.end("latched goals", undecided(&goal_kinds));
    let latched_literals: Vec<Literal> = latches.iter().map(|fact| fact.what).collect();
    let excluded = goals::excluded(
        net,
        &invariants,
        &samples,
        &latched_literals,
        &clock.part(1.0),
    );
    stages.end("goal latches", excluded.undecided);
    Facts {
        steps: samples.steps,
        matches: samples.matches,
        finals: finals.map(|(&literal, _)| literal).collect(),
        latches,
        latched_goals: goals.iter().zip(&goal_kinds).filter_map(latched).collect(),
        goal_latches: GoalLatches::new(excluded.found),
        invariants,
        stages: stages.stages,
    }
}

fn latched<T: Copy>((&what, &kind): (&T, &Kind)) -> Option<Fact<T>> {
    match kind {
        Kind::Latched(method) => Some(Fact { what, method }),
        _ => None,
    }
}

fn undecided(kinds: &[Kind]) -> usize {
    let undecided = kinds.iter().filter(|&&kind| kind == Kind::Undecided);
    undecided.count()
}

/// Each goal of each role, and its negation.
fn goal_literals(game: &GroundGame) -> Vec<GoalLiteral> {
    let roles = RoleId::first(game.roles().len()).zip(&game.propnet().roles);
    let goals =
        roles.flat_map(|(role, ports)| (0..ports.goals.len()).map(move |goal| (role, goal)));
    goals
        .flat_map(|(role, goal)| [true, false].map(|value| GoalLiteral { role, goal, value }))
        .collect()
}

struct Stages<'a> {
    clock: Clock<'a>,
    stages: Vec<Stage>,
}

impl Stages<'_> {
    fn end(&mut self, name: &'static str, undecided: usize) {
        let before: Duration = self.stages.iter().map(|stage| stage.time).sum();
        let time = self.clock.elapsed().saturating_sub(before);
        tracing::debug!(name, ?time, undecided, "analysis stage");
        self.stages.push(Stage {
            name,
            time,
            undecided,
        });
    }
}
