//! Grounding: from rules with variables to a propositional network.
//!
//! The stages, each a module:
//! 1. `relevance`: rules that nothing of interest depends on are dropped;
//!    relations that depend on neither state nor moves are found to be static.
//! 2. Static relations are evaluated. The `sizes` of the others are estimated, and large ones are restricted to what is
//!    in `demand`.
//! 3. `decompose`: rules are split so that they have fewer instances, which are estimated as well.
//! 4. `instantiate`: a fixpoint finds every atom that may ever hold and the
//!    ground rules for it, through `plan`s of indexed `join`s over the
//!    `database`. The result is a `program` of ground rules. `growth` finds terms that grow without end; if a
//!    `counter` ends every match, they are instantiated as far as a match may take them.
//! 5. `network`: the program becomes a [`Propnet`]; `recursion` finds which of its atoms are constant.
//!
//! ```
//! use propjit_gdl::{GroundLimits, Rules, ground};
//!
//! let parsed = Rules::parse("switch.kif", "
//!     (role player) (init off)
//!     (legal player flip) (legal player wait)
//!     (<= (next on) (true off) (does player flip))
//!     (<= (next ?lamp) (true ?lamp) (does player wait))
//!     (<= terminal (true on))
//!     (<= (goal player 100) (true on)) (<= (goal player 0) (true off))
//! ")?;
//! let (propnet, statistics) = ground(&parsed.rules, &GroundLimits::default())?;
//! assert_eq!(propnet.bases.len(), 2);
//! assert!(statistics.ground_rules > 2);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod counter;
mod database;
mod decompose;
mod demand;
mod error;
mod growth;
mod instantiate;
mod join;
mod limits;
mod network;
mod plan;
mod program;
mod recursion;
mod relevance;
mod sizes;

use std::time::{Duration, Instant};

use crate::propnet::Propnet;
use crate::rules::{Rule, Rules};

use database::{Database, Dependence};
use decompose::Decomposer;
use demand::Extent;
pub use error::GroundError;
use instantiate::Instantiation;
pub use limits::{GroundLimitKind, GroundLimits};
use program::GroundProgram;
use sizes::Sizes;

/// The size of a ground program, and the time that grounding took.
#[derive(Clone, Copy, Default, Debug)]
#[non_exhaustive]
pub struct GroundStatistics {
    /// The time to find atoms and ground rules.
    pub instantiation: Duration,
    /// The time to turn them into a network.
    pub construction: Duration,
    /// The number of atoms that may hold, of all relations.
    pub atoms: u64,
    /// The number of ground rules for atoms that depend on state or moves.
    pub ground_rules: u64,
    /// The number of conditions in those rules.
    pub conditions: u64,
}

/// Grounds a game.
///
/// If terms grow from step to step without end, but a counter ends every match, the network has the propositions that
/// can hold in a match of that length. A counter is a fluent such as `(step 7)` that one rule,
/// `(<= (next (step ?n)) (true (step ?m)) (succ ?m ?n))`, moves along facts to one that makes the state terminal.
///
/// # Errors
/// When a limit is hit, with the rule that took the most work; when terms grow without end, with
/// the rule that nests them; when it is stopped; or when a role's goal is not a number.
pub fn ground(
    rules: &Rules,
    limits: &GroundLimits,
) -> Result<(Propnet, GroundStatistics), GroundError> {
    let start = Instant::now();
    let program = match instantiate(rules, limits, None) {
        Err(growth @ GroundError::Growth { .. }) => match counter::longest_match(rules) {
            None => return Err(growth),
            longest => instantiate(rules, limits, longest).map_err(|error| match error {
                GroundError::Stopped if !limits.stop.is_set() => growth,
                error => error,
            })?,
        },
        program => program?,
    };
    let instantiation = start.elapsed();
    let mut statistics = GroundStatistics {
        instantiation,
        atoms: program.database.len() as u64,
        ground_rules: program.rules.len() as u64,
        conditions: program.rules.conditions() as u64,
        ..GroundStatistics::default()
    };
    let propnet = network::build(program, rules, limits)?;
    statistics.construction = start.elapsed() - instantiation;
    Ok((propnet, statistics))
}

/// Finds the ground rules; if `steps` are given, those for states that are reached in as many steps. That ends as if it
/// was stopped if they are too many: terms may grow in many ways.
fn instantiate(
    rules: &Rules,
    limits: &GroundLimits,
    steps: Option<u64>,
) -> Result<GroundProgram, GroundError> {
    let stop = limits.start();
    let is_static = relevance::static_relations(rules);
    let mut database = Database::new();
    for (relation, &is_static) in rules.relations.iter().zip(&is_static) {
        let dependence = match is_static {
            true => Dependence::Static,
            false => Dependence::Dynamic,
        };
        database.add_relation(relation.arity, dependence);
    }
    let (of_statics, of_others): (Vec<&Rule>, Vec<&Rule>) = relevance::relevant_rules(rules)
        .into_iter()
        .map(|index| &rules.rules[index])
        .partition(|rule| is_static[rule.head.relation.index()]);
    /// The work after which relations are restricted to what is demanded even where that does not promise much.
    const FIRST_ATTEMPT: u64 = 1 << 25;
    /// The work for states that are reached in a number of steps.
    const STEPWISE: u64 = 1 << 26;
    let enough = steps.map_or(u64::MAX, |_| STEPWISE);
    let (mut statics, mut others, mut all_others) = (Vec::new(), Vec::new(), Vec::new());
    let mut decomposer = Decomposer::default();
    for rule in of_statics {
        let sizes = Sizes::unknown(rule);
        decomposer.decompose(rule, sizes, &mut database, &mut statics, &stop);
    }
    let mut instantiation = Instantiation::new(
        rules.terms.clone(),
        database,
        &rules.source,
        limits,
        stop.clone(),
    );
    instantiation.limit_steps(steps);
    instantiation.run(&statics)?;
    // From here on, sizes of static relations are known.
    let (terms, database) = (&instantiation.terms, &mut instantiation.database);
    let sizes = Sizes::of(&of_others, terms, database);
    let plan = |extent: Extent, instantiation: &mut Instantiation, out: &mut Vec<Rule>| {
        let (terms, database) = (&instantiation.terms, &mut instantiation.database);
        let (rules, has_more) = demand::restrict(&of_others, &sizes, extent, terms, database);
        let rules: Vec<&Rule> = rules.iter().collect();
        let mut decomposer = decomposer.clone();
        for (rule, sizes) in rules.iter().zip(Sizes::of(&rules, terms, database)) {
            decomposer.decompose(rule, sizes, database, out, &stop);
        }
        has_more
    };
    let mut attempt = instantiation.clone();
    let has_more = plan(Extent::Promising, &mut attempt, &mut others);
    let most = if has_more { FIRST_ATTEMPT } else { enough };
    if attempt.run_for(&others, most)? {
        instantiation = attempt;
    } else {
        drop(attempt);
        plan(Extent::All, &mut instantiation, &mut all_others);
        if !instantiation.run_for(&all_others, enough)? {
            return Err(GroundError::Stopped);
        }
    }
    Ok(GroundProgram {
        terms: instantiation.terms,
        database: instantiation.database,
        rules: instantiation.ground_rules,
        roles: rules.roles.clone(),
    })
}
