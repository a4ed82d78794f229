//! Search for facts: stage after stage, each with its share of the time.

use std::cell::RefCell;
use std::time::Duration;

use rustc_hash::FxHashSet;

use super::all_facts::{AnalysisStage, Facts, GoalLiteral};
use super::config::AnalysisConfig;
use super::defined::DefinedEnds;
use super::fact::Fact;
use super::fact::ProofMethod;
use super::goal_latches::{GoalLatch, GoalLatches};
use super::goals::Excluded;
use super::inhibitors::Known;
use super::latches::{self, Kind};
use super::samples::Samples;
use super::time_budget::TimeBudget;
use super::{candidates, composite, counters, decided, goals, inhibitors, linear, totals};
use crate::game::engine::Engines;
use crate::game::ground::invariants::Invariant;
use crate::game::ground::invariants::induction;
use crate::game::ground::invariants::net::Net;
use crate::game::ground::{CountBounds, GoalBounds, GoalTables, GroundGame, Literal};
use crate::game::machine::RoleId;
use propjit_stop::Stop;

/// Finds facts until the time is over or `stop` is set; facts that are open then stay undecided.
pub fn find(engines: &Engines, config: &AnalysisConfig, stop: &Stop) -> Facts {
    let game = engines.game();
    let net = &Net::new(game, config.variables);
    let mut stages = Stages::start(config, stop);
    let samples = &samples(engines, config, &mut stages);
    let Foundations {
        invariants,
        kinds,
        latches,
        goal_tables,
        count_bounds,
        excluded,
        ends,
    } = foundations(game, net, samples, config.goal_tables, &mut stages);

    let goal_kinds = goal_kinds(net, &invariants, &stages.until(0.88));
    stages.end("latched goals", undecided(&goal_kinds));

    let (composites, left_out) =
        composite::find(net, &invariants, samples, &kinds, &stages.until(0.9));
    let unproved = composites
        .iter()
        .filter(|fact| fact.method == ProofMethod::Unproved);
    stages.end("composites", unproved.count() + left_out);

    let known = Known::new(&invariants, &latches);
    let propositions = varying(net, &invariants);
    let end = stages.until(0.95);
    let (inhibitors, open) =
        inhibitors::find(net, &invariants, samples, &known, &propositions, &end);
    stages.end("inhibitors", open);

    let others = kinds.iter();
    let others = others.filter(|(_, kind)| !matches!(kind, Kind::Latched(_)));
    let others: Vec<Literal> = others.map(|&(literal, _)| literal).collect();
    let end = stages.until(1.0);
    let inhibited = goals::excluded(net, &invariants, samples, &others, false, &end);
    stages.end("goal inhibitors", inhibited.undecided);

    // An inhibitor of all goals only shows that the match continues.
    let some_goals = |inhibitor: &GoalLatch| {
        let goals = &game.propnet().roles[inhibitor.role.index()].goals;
        inhibitor.excluded.len() < goals.len()
    };
    let finals = kinds.iter().filter(|(_, kind)| *kind == Kind::Final);
    let mut facts = Facts {
        steps: samples.steps,
        matches: samples.matches,
        sum: samples.sum(),
        finals: finals.map(|&(literal, _)| literal).collect(),
        goal_tables,
        latches,
        latched_goals: latched(&goal_kinds),
        defined_ends: ends,
        count_bounds,
        decided_per_mille: 0,
        goal_latches: GoalLatches::new(excluded.found),
        forced_goals: excluded.forced,
        goal_inhibitors: inhibited.found.into_iter().filter(some_goals).collect(),
        composites,
        inhibitors,
        invariants,
        stages: stages.stages,
        time_limit: config.time,
    };
    if let Some(bounds) = facts.goal_bounds(game) {
        facts.decided_per_mille = samples.per_mille(|state| bounds.decided(state).is_some());
    }
    facts
}

/// Finds only the goals that latches and counters leave, which takes a part of the time. `None` if
/// they exclude none.
pub fn find_goal_bounds(
    engines: &Engines,
    config: &AnalysisConfig,
    stop: &Stop,
) -> Option<GoalBounds> {
    let net = &Net::new(engines.game(), config.variables);
    let mut stages = Stages::start(config, stop);
    let samples = &samples(engines, config, &mut stages);
    let found = foundations(engines.game(), net, samples, false, &mut stages);
    let latches = GoalLatches::new(found.excluded.found);
    let masks = latches.masks().to_vec();
    let (latches, counts) = (masks.len(), found.count_bounds.is_some());
    let cut = stages.stages.iter().filter(|stage| stage.is_cut);
    let cut: Vec<&str> = cut.map(|stage| stage.name).collect();
    match cut[..] {
        _ if stop.is_set() => tracing::debug!(latches, counts, "goal bounds, interrupted"),
        [] => tracing::debug!(latches, counts, "goal bounds"),
        _ => {
            tracing::info!(latches, counts, ?cut, limit = ?config.time, "goal bounds, cut off by the time limit")
        }
    }
    let has_sum = samples.sum().is_some();
    let bounds = GoalBounds::new(net.game, masks, found.count_bounds, has_sum)?;
    found.ends?.restrict(bounds)
}

/// Proves properties of the ends of matches within a few seconds, with invariants if these are needed, or until
/// stopped.
pub fn find_defined_ends(engines: &Engines, stop: &Stop) -> DefinedEnds {
    let game = engines.game();
    let config = AnalysisConfig::default();
    let net = &Net::new(game, config.variables);
    let ends = DefinedEnds::prove_with(game, net, &[], stop);
    if ends.are_all() || stop.is_set() {
        return ends;
    }
    let mut stages = Stages::start(&config, stop);
    let samples = &samples(engines, &config, &mut stages);
    let (invariants, _) = invariants(net, samples, &mut stages);
    DefinedEnds::prove_with(game, net, &invariants, &stages.until(1.0))
}

/// Plays random matches.
fn samples(engines: &Engines, config: &AnalysisConfig, stages: &mut Stages) -> Samples {
    let samples = Samples::play(engines, config.steps, config.seed, &stages.until(0.15));
    stages.end("random matches", 0);
    samples
}

/// The facts that others build on.
struct Foundations {
    invariants: Vec<Invariant>,
    /// The literals that are not constant.
    kinds: Vec<(Literal, Kind)>,
    latches: Vec<Fact<Literal>>,
    goal_tables: Option<GoalTables>,
    count_bounds: Option<CountBounds>,
    /// The goals that latches exclude.
    excluded: Excluded,
    /// How matches end, if goals are excluded.
    ends: Option<DefinedEnds>,
}

/// Finds the facts that others build on. Goal tables are searched for if configured, and where there are
/// counters.
fn foundations(
    game: &GroundGame,
    net: &Net,
    samples: &Samples,
    goal_tables: bool,
    stages: &mut Stages,
) -> Foundations {
    let (mut invariants, open) = invariants(net, samples, stages);
    let counters = counters::find(net, &invariants, &stages.until(0.55));
    let (found, open) = linear::find(
        net,
        &invariants,
        &open,
        samples,
        &counters,
        &stages.until(0.6),
    );
    strengthen(&mut invariants, found);
    stages.end("linear sums", open);
    let mut kinds = kinds(net, &invariants, samples, &stages.until(0.65));
    stages.end("latches", undecided(&kinds));
    constant_after_all(net, &mut invariants, &mut kinds);
    let latches = latched(&kinds);
    let held: FxHashSet<usize> = (latches.iter())
        .filter(|latch| latch.what.value)
        .map(|latch| latch.what.proposition)
        .collect();
    let may_count = !counters.is_empty() || linear::latched(net).next().is_some();
    let find_tables = || GoalTables::find(net.game, &invariants, &stages.until(0.7));
    let goal_tables = (goal_tables || may_count).then(find_tables).flatten();
    stages.end("goal tables", 0);
    let end = stages.until(0.75);
    let count_bounds = match &goal_tables {
        Some(tables) => decided::find(net, &invariants, tables, &counters, &held, &end),
        None => {
            stages.go_without_last();
            None
        }
    };
    stages.end("decided states", 0);
    let literals: Vec<Literal> = latches.iter().map(|latch| latch.what).collect();
    // A terminal state comes after another one, unless it is the first.
    let steps = !net.starts_terminal();
    let end = stages.until(0.8);
    let excluded = goals::excluded(net, &invariants, samples, &literals, steps, &end);
    stages.end("goal latches", excluded.undecided);
    let excludes = count_bounds.is_some() || !excluded.found.is_empty();
    let end = stages.until(0.85);
    let ends = excludes.then(|| DefinedEnds::prove_with(game, net, &invariants, &end));
    stages.end("ends", ends.as_ref().map_or(0, DefinedEnds::unproved));
    Foundations {
        invariants,
        kinds,
        latches,
        goal_tables,
        count_bounds,
        excluded,
        ends,
    }
}

/// Returns the invariants that can be proved, and the candidates that are left.
fn invariants(
    net: &Net,
    samples: &Samples,
    stages: &mut Stages,
) -> (Vec<Invariant>, Vec<Invariant>) {
    let mut candidates = candidates::candidates(net.game, samples, &stages.until(0.2));
    let totals = totals::find(net, &candidates, samples, &stages.until(0.3));
    candidates.retain(|candidate| !totals.contains(candidate));
    stages.end("totals", 0);
    let mut open = candidates.clone();
    let ends = [0.4, 0.5].map(|part| stages.until(part));
    let invariants = induction::prove(net, totals, candidates, ends);
    let proved: FxHashSet<&Invariant> = invariants.iter().collect();
    open.retain(|candidate| !proved.contains(candidate));
    stages.end("invariants", open.len());
    (invariants, open)
}

/// Adds the invariants found, and removes those that are weaker.
fn strengthen(invariants: &mut Vec<Invariant>, found: Vec<Invariant>) {
    let weaker: FxHashSet<Invariant> = (found.iter())
        .filter_map(|invariant| invariant.clone().weaker())
        .collect();
    invariants.retain(|invariant| !weaker.contains(invariant) && !found.contains(invariant));
    invariants.extend(found);
}

/// Returns the propositions that are not known to be constant.
fn varying(net: &Net, invariants: &[Invariant]) -> Vec<usize> {
    let mut varies = vec![true; net.layout.bases.len()];
    for invariant in invariants {
        if let Invariant::Constant(literal) = invariant {
            varies[literal.proposition] = false;
        }
    }
    (0..varies.len()).filter(|&base| varies[base]).collect()
}

/// Returns the kind of each literal that is not known to be constant.
fn kinds(
    net: &Net,
    invariants: &[Invariant],
    samples: &Samples,
    end: &Stop,
) -> Vec<(Literal, Kind)> {
    let both = |base| [true, false].map(|value| Literal::new(base, value));
    let literals: Vec<Literal> = varying(net, invariants)
        .into_iter()
        .flat_map(both)
        .collect();
    let kinds = latches::literals(net, invariants, samples, &literals, end);
    literals.into_iter().zip(kinds).collect()
}

/// Makes literals that are latched from the start constant: the proof of their constancy was not
/// finished, but that of the latch was.
fn constant_after_all(
    net: &Net,
    invariants: &mut Vec<Invariant>,
    kinds: &mut Vec<(Literal, Kind)>,
) {
    let initial = net.game.initial();
    let latched = latched(kinds).into_iter().map(|latch| latch.what);
    let constants: Vec<Literal> = latched.filter(|literal| literal.holds(initial)).collect();
    let is_constant: FxHashSet<usize> = constants.iter().map(|l| l.proposition).collect();
    kinds.retain(|(literal, _)| !is_constant.contains(&literal.proposition));
    invariants.extend(constants.into_iter().map(Invariant::Constant));
}

/// Returns the kind of each goal of each role, and of its negation.
fn goal_kinds(net: &Net, invariants: &[Invariant], end: &Stop) -> Vec<(GoalLiteral, Kind)> {
    let roles = net.layout.roles().zip(&net.game.propnet().roles);
    let goals =
        roles.flat_map(|(role, ports)| (0..ports.goals.len()).map(move |goal| (role, goal)));
    let both = |(role, goal): (RoleId, usize)| {
        [true, false].map(|value| GoalLiteral { role, goal, value })
    };
    let goals: Vec<GoalLiteral> = goals.flat_map(both).collect();
    let edge = |goal: &GoalLiteral| {
        let edge = net.goal(goal.role.index(), goal.goal);
        edge.invert_if(!goal.value)
    };
    let edges: Vec<_> = goals.iter().map(edge).collect();
    let kinds = latches::edges(net, invariants, &edges, end);
    goals.into_iter().zip(kinds).collect()
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

/// The completed stages, and the time for the following ones.
struct Stages<'a> {
    budget: TimeBudget<'a>,
    stages: Vec<AnalysisStage>,
    /// The stop tokens given to the current stage.
    ends: RefCell<Vec<Stop>>,
    /// Whether it lacks results of the previous stage because that was cut off.
    lacks: bool,
}

impl<'a> Stages<'a> {
    fn start(config: &AnalysisConfig, stop: &'a Stop) -> Stages<'a> {
        Stages {
            budget: TimeBudget::start(config.time, stop),
            stages: Vec::new(),
            ends: RefCell::default(),
            lacks: false,
        }
    }

    /// Returns a token for the end of this part of the time.
    fn until(&self, part: f64) -> Stop {
        let end = self.budget.part(part);
        self.ends.borrow_mut().push(end.clone());
        end
    }

    /// Records that the current stage does nothing, since the previous one found nothing.
    fn go_without_last(&mut self) {
        self.lacks = self.stages.last().is_some_and(|last| last.is_cut);
    }

    fn end(&mut self, name: &'static str, undecided: usize) {
        let before: Duration = self.stages.iter().map(|stage| stage.time).sum();
        let time = self.budget.elapsed().saturating_sub(before);
        let ends = self.ends.take();
        let is_cut = std::mem::take(&mut self.lacks) || ends.iter().any(Stop::was_noticed);
        tracing::debug!(name, ?time, undecided, is_cut, "analysis stage");
        self.stages.push(AnalysisStage {
            name,
            time,
            undecided,
            is_cut,
        });
    }
}
