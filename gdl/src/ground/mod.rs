//! Grounding: from rules with variables to a propositional network.
//!
//! The stages, each a module:
//! 1. `relevance`: rules that nothing of interest depends on are dropped;
//!    what depends on neither state nor moves is found to be static.
//! 2. `decompose`: rules are split so that they have fewer variables.
//! 3. `instantiate`: a fixpoint finds every atom that may ever hold and the
//!    ground rules for it, through `plan`s of indexed `join`s over the
//!    `database`.
//! 4. The `program` of ground rules becomes a [`Propnet`].

mod database;
mod decompose;
mod instantiate;
mod join;
mod plan;
mod program;
mod relevance;

use propjit_stop::Stop;
use std::time::{Duration, Instant};

use thiserror::Error;

use crate::propnet::{BuildError, Propnet};
use crate::rules::{Relation, Rules};
use crate::term::{TermId, Terms};

pub(crate) use database::{AtomId, Database};
pub(crate) use program::{Condition, GroundRules, RulesByHead};

/// The time and memory that grounding may take.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct GroundLimits {
    /// Wall-clock time.
    pub time: Option<Duration>,
    /// Memory for atoms and ground rules, in bytes, as estimated from the
    /// sizes of tables.
    pub bytes: u64,
    /// The number of ground rules.
    pub ground_rules: u64,
    /// A token that ends grounding early, with [`GroundError::Stopped`].
    pub stop: Stop,
}

impl GroundLimits {
    /// Sets [`GroundLimits::time`].
    #[must_use]
    pub fn with_time(mut self, time: impl Into<Option<Duration>>) -> Self {
        self.time = time.into();
        self
    }

    /// Sets [`GroundLimits::bytes`].
    #[must_use]
    pub fn with_bytes(mut self, bytes: u64) -> Self {
        self.bytes = bytes;
        self
    }

    /// Sets [`GroundLimits::ground_rules`].
    #[must_use]
    pub fn with_ground_rules(mut self, ground_rules: u64) -> Self {
        self.ground_rules = ground_rules;
        self
    }

    /// Sets [`GroundLimits::stop`].
    #[must_use]
    pub fn with_stop(mut self, stop: Stop) -> Self {
        self.stop = stop;
        self
    }
}

impl Default for GroundLimits {
    /// One minute, 4 GiB, 2^32 ground rules, and a token of its own.
    fn default() -> GroundLimits {
        GroundLimits {
            time: Some(Duration::from_secs(60)),
            bytes: 4 << 30,
            ground_rules: u64::from(u32::MAX),
            stop: Stop::new(),
        }
    }
}

/// The limit that stopped grounding, with its value.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
#[non_exhaustive]
pub enum GroundLimit {
    /// [`GroundLimits::time`].
    #[error("time limit of {:.1} s", .0.as_secs_f64())]
    Time(Duration),
    /// [`GroundLimits::bytes`].
    #[error("memory limit of {} MiB", .0 >> 20)]
    Bytes(u64),
    /// [`GroundLimits::ground_rules`].
    #[error("limit of {0} ground rules")]
    GroundRules(u64),
    /// More atoms than can be numbered.
    #[error("limit of {0} atoms")]
    Atoms(u64),
}

/// Conditions number atoms in 31 bits; half of that leaves room until the next check.
const MAX_ATOMS: u64 = 1 << 30;

/// Why a game cannot be grounded.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[non_exhaustive]
pub enum GroundError {
    /// A limit was hit.
    #[error(
        "grounding hit the {kind} after {atoms} atoms and {ground_rules} ground rules, \
         most of them for the rule at {source_name}:{line}: {rule}"
    )]
    Limit {
        /// Which limit.
        kind: GroundLimit,
        /// The rulesheet's name.
        source_name: String,
        /// The line of the rule that took the most work.
        line: usize,
        /// The beginning of that rule.
        rule: String,
        /// How many atoms there were.
        atoms: u64,
        /// How many ground rules there were.
        ground_rules: u64,
    },
    /// [`GroundLimits::stop`] was set.
    #[error("grounding was stopped")]
    Stopped,
    /// The ground rules do not make a network.
    #[error(transparent)]
    Build(#[from] BuildError),
}

/// The sizes of a ground program, and the time that grounding took.
#[derive(Clone, Copy, Default, Debug)]
#[non_exhaustive]
pub struct GroundStatistics {
    /// Time to find atoms and ground rules.
    pub instantiation: Duration,
    /// Time to turn them into a network.
    pub construction: Duration,
    /// Atoms that may hold, of all relations.
    pub atoms: u64,
    /// Ground rules for what depends on state or moves.
    pub ground_rules: u64,
    /// Conditions in those rules.
    pub conditions: u64,
}

/// The result of instantiation.
pub(crate) struct GroundProgram {
    pub terms: Terms,
    pub database: Database,
    pub rules: GroundRules,
    pub roles: Vec<TermId>,
}

/// Grounds a game.
///
/// # Errors
/// When a limit is hit, with the rule that took the most work; when it is stopped; or when
/// a role's goal is not a number.
pub fn ground(
    rules: &Rules,
    limits: &GroundLimits,
) -> Result<(Propnet, GroundStatistics), GroundError> {
    let start = Instant::now();
    let program = instantiate(rules, limits, start)?;
    let instantiation = start.elapsed();
    let mut statistics = GroundStatistics {
        instantiation,
        atoms: program.database.len() as u64,
        ground_rules: program.rules.len() as u64,
        conditions: program.rules.conditions() as u64,
        ..GroundStatistics::default()
    };
    let propnet = crate::propnet::build(program, limits)?;
    statistics.construction = start.elapsed() - instantiation;
    Ok((propnet, statistics))
}

fn instantiate(
    rules: &Rules,
    limits: &GroundLimits,
    start: Instant,
) -> Result<GroundProgram, GroundError> {
    let mut terms = rules.terms.clone();
    let mut relations: Vec<Relation> = rules.relations.clone();
    let mut is_static = relevance::static_relations(rules);
    let relevant = relevance::relevant_rules(rules);
    let mut split = Vec::new();
    let mut decomposer = decompose::Decomposer::new(&mut terms, &mut relations, &mut is_static);
    for index in relevant {
        decomposer.decompose(rules.rules[index].clone(), &mut split);
    }
    let deadline = limits.time.map(|time| start + time);
    let mut instantiation = instantiate::Instantiation::new(
        &split,
        &relations,
        &is_static,
        terms,
        &rules.source,
        limits,
        deadline,
    );
    instantiation.run()?;
    Ok(GroundProgram {
        terms: instantiation.terms,
        database: instantiation.database,
        rules: instantiation.ground_rules,
        roles: rules.roles.clone(),
    })
}
