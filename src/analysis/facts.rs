//! All facts about a game, and how they are found.

use std::sync::Arc;
use std::time::Duration;

use rustc_hash::FxHashSet;

use super::clock::{Clock, Deadline};
use super::composite::{self, Composite};
use super::goals;
use super::induction;
use super::inhibitors::{self, Inhibitor};
use super::latches::{self, Kind};
use super::net::Net;
use super::samples::Samples;
use super::{GoalLatch, GoalLatches, Invariant, Literal, Method, candidates};
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
    /// The most variables of one SAT solver: each takes some 300 bytes with its clauses, and
    /// each thread has up to two solvers.
    pub variables: u32,
}

impl Default for Config {
    /// Five seconds, two hundred thousand steps, a million variables.
    fn default() -> Config {
        Config {
            time: Duration::from_secs(5),
            steps: 200_000,
            seed: random_seed(),
            variables: 1_000_000,
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
    /// The goals that other literals exclude, for as long as they hold.
    pub goal_inhibitors: Vec<GoalLatch>,
    /// Groups of literals that never change again, though none of them is a latch.
    pub composites: Vec<Fact<Composite>>,
    /// Propositions that forbid others in the next state.
    pub inhibitors: Vec<Fact<Inhibitor>>,
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
    let net = &Net::new(game, config.variables);
    let mut stages = Stages {
        clock: Clock::start(config.time, stop),
        stages: Vec::new(),
    };
    let samples = Samples::play(game, config.steps, config.seed, &stages.until(0.15));
    stages.end("random matches", 0);

    let candidates = candidates::candidates(game, &samples, &stages.until(0.2));
    let tried: FxHashSet<Invariant> = candidates.iter().cloned().collect();
    let invariants = induction::prove(net, candidates, [0.4, 0.5].map(|part| stages.until(part)));
    let proved = invariants
        .iter()
        .filter(|&invariant| tried.contains(invariant));
    stages.end("invariants", tried.len() - proved.count());

    let mut is_constant = vec![false; net.layout.bases.len()];
    for invariant in &invariants {
        if let Invariant::Constant(literal) = invariant {
            is_constant[literal.proposition] = true;
        }
    }
    let varying: Vec<usize> = (0..is_constant.len())
        .filter(|&base| !is_constant[base])
        .collect();
    let literals = varying
        .iter()
        .flat_map(|&base| [true, false].map(|value| Literal::new(base, value)));
    let literals: Vec<Literal> = literals.collect();
    let kinds = latches::literals(net, &invariants, &samples, &literals, &stages.until(0.65));
    let kinds: Vec<(Literal, Kind)> = literals.into_iter().zip(kinds).collect();
    stages.end("latches", undecided(&kinds));

    let latches = latched(&kinds);
    let literals: Vec<Literal> = latches.iter().map(|latch| latch.what).collect();
    let end = stages.until(0.8);
    // A terminal state comes after another one, unless it is the first.
    let steps = !net.starts_terminal();
    let excluded = goals::excluded(net, &invariants, &samples, &literals, steps, &end);
    stages.end("goal latches", excluded.undecided);

    let goals = goal_literals(game);
    let edges = goals.iter().map(|goal| {
        net.goal(goal.role.index(), goal.goal)
            .invert_if(!goal.value)
    });
    let edges: Vec<_> = edges.collect();
    let goal_kinds = latches::edges(net, &invariants, &edges, &stages.until(0.85));
    let goal_kinds: Vec<(GoalLiteral, Kind)> = goals.into_iter().zip(goal_kinds).collect();
    stages.end("latched goals", undecided(&goal_kinds));

    let composites = composite::find(net, &invariants, &samples, &kinds, &stages.until(0.9));
    let unproved = composites
        .iter()
        .filter(|fact| fact.method == Method::Unproved);
    stages.end("composites", unproved.count());

    let known = inhibitors::Known::new(&invariants, &latches);
    let (inhibitors, open) = inhibitors::find(
        net,
        &invariants,
        &samples,
        &known,
        &varying,
        &stages.until(0.95),
    );
    stages.end("inhibitors", open);

    let others = kinds
        .iter()
        .filter(|(_, kind)| !matches!(kind, Kind::Latched(_)));
    let others: Vec<Literal> = others.map(|&(literal, _)| literal).collect();
    let inhibited = goals::excluded(
        net,
        &invariants,
        &samples,
        &others,
        false,
        &stages.until(1.0),
    );
    stages.end("goal inhibitors", inhibited.undecided);

    // What excludes all goals says that the match goes on.
    let some_goals = |inhibitor: &GoalLatch| {
        let goals = &game.propnet().roles[inhibitor.role.index()].goals;
        inhibitor.excluded.len() < goals.len()
    };
    let is_final = |&&(_, kind): &&(Literal, Kind)| kind == Kind::Final;
    Facts {
        steps: samples.steps,
        matches: samples.matches,
        finals: kinds
            .iter()
            .filter(is_final)
            .map(|&(literal, _)| literal)
            .collect(),
        latches,
        latched_goals: latched(&goal_kinds),
        goal_latches: GoalLatches::new(excluded.found),
        goal_inhibitors: inhibited.found.into_iter().filter(some_goals).collect(),
        composites,
        inhibitors,
        invariants,
        stages: stages.stages,
    }
}

fn latched<T: Copy>(kinds: &[(T, Kind)]) -> Vec<Fact<T>> {
    let latched = kinds.iter().filter_map(|&(what, kind)| match kind {
        Kind::Latched(method) => Some(Fact { what, method }),
        _ => None,
    });
    latched.collect()
}

fn undecided<T>(kinds: &[(T, Kind)]) -> usize {
    let undecided = kinds.iter().filter(|(_, kind)| *kind == Kind::Undecided);
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
    /// The end of this part of the time.
    fn until(&self, part: f64) -> Deadline {
        self.clock.part(part)
    }

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
