//! Values of games, proved: what each role can force whatever the others do.
//!
//! The *value* of a role is the goal that it can force against all others, when they know its moves
//! beforehand; the others can hold it to the *upper bound*, if it knows theirs. Where one role decides at a
//! time, these are the same. A match that goes on for ever is worth the least goal to the role that is
//! valued. The worth of an end in which a role has not exactly one goal, or in which some role has no legal
//! move though it is not terminal, is [not known](crate::proof::unproved): no bound rests on it. Nor is
//! anything known that a role could force if rules have `sees` and hide the state.
//!
//! Where roles do not see the whole state, or move at the same time, so that values are not proved, there are the expected goals of mixed
//! strategies beside that: see [`regret`](crate::proof::regret).
//!
//! - `graph`: all states, enumerated in lanes, within the memory limit; `values`: their values, by sweeps to
//!   the least fixpoint, which is retrograde analysis; `split`: the order of choice; `strategy`: the choices;
//!   `enumeration`: what follows for the initial state.
//! - `expectation`: expected goals in games with chance.
//! - `plans`: games of one role, by the [planner](crate::proof::plan).
//! - `parts`: games of two roles that fall into [factors](crate::proof::factors); `nim`: those in which both
//!   have the same moves.
//! - `proofs`: games with too many states, by [proof search](crate::proof::forced); `extraction`: the
//!   strategies that it knows. `mixed`: mixed strategies for moves at the same time. `several` has enumeration and proof search at the same time.
//! - `state_values`: the values of all states of a small game, for players; `outlook`: how to play
//!   among moves of equal value.
//! - `bounds`: what is known by now; `progress`: the same for observers.
//! - `claims`: [certificates](crate::proof::certificate), which rules alone can check.
//!
//! Retrograde analysis with bounds for states that were not expanded: Thompson, "Retrograde
//! Analysis of Certain Endgames", 1986; for sets of goals as fixpoints, Grädel, Thomas and Wilke
//! (eds.), "Automata, Logics, and Infinite Games", 2002, chapter 2.
//!
//! ```
//! use propjit::game::load::{Game, Setup};
//! use propjit::proof::solve::{SolveConfig, SolveProgress, solve};
//! use propjit::Stop;
//! let rules = propjit::gdl::games::text("ticTacToe").unwrap();
//! let game = Game::from_text("ticTacToe.kif", rules, &Setup::default())?;
//! let solved = solve(&game, &SolveConfig::default(), &Stop::new(), &SolveProgress::default())?;
//! assert!(solved.bounds.iter().all(|role| (role.low.0, role.high.0) == (50, 50)));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod bounds;
mod claims;
mod enumeration;
mod expectation;
mod extraction;
mod graph;
mod mixed;
mod nim;
mod outlook;
mod parts;
mod plans;
mod progress;
mod proofs;
mod several;
mod solved;
mod split;
mod state_values;
mod strategy;
mod values;

use propjit_stop::Stop;

use crate::game::ground::GroundGame;
use crate::game::load::Game;
use crate::game::machine::expansion::Expander;
use crate::game::machine::expansion::team::ExpanderTeam;
use crate::game::machine::{Backend, MachineError, RoleId};
use crate::proof::regret::{RegretConfig, minimise};
use crate::proof::unproved::Unproved;
use crate::support::setters::setters;

use bounds::{AllBounds, players, valued};
pub use bounds::{RoleBounds, SolveMethod};
pub use expectation::ExpectedValue;
use graph::{Graph, Undefined};
pub use progress::SolveProgress;
pub use solved::{CertificateError, Solved};
pub(crate) use state_values::StateValues;

/// The number of states that are enumerated before anything else is tried: they leave strategies that can
/// be checked.
const FEW_STATES: usize = 20_000;

/// The part of the time, in percent, for games that fall into parts.
const PARTS: u32 = 30;

/// The limits of solving.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct SolveConfig {
    /// About how much memory it may take, in bytes.
    pub memory: usize,
    /// The number of threads that work. A planner, for games of one role, has two at least.
    pub threads: usize,
    /// The most iterations of [regret minimisation](crate::proof::regret).
    pub iterations: u64,
    /// The exploitability at which it ends, in goals.
    pub exploitability: f64,
}

impl SolveConfig {
    setters! {
        with_memory(memory: usize);
        with_threads(threads: usize);
        with_iterations(iterations: u64);
        with_exploitability(exploitability: f64);
    }

    /// The limits of regret minimisation.
    fn regret(&self) -> RegretConfig {
        RegretConfig::default()
            .with_memory(self.memory)
            .with_iterations(self.iterations)
            .with_exploitability(self.exploitability)
    }
}

impl Default for SolveConfig {
    /// On two threads in 2 GiB, with the defaults of [`RegretConfig`].
    fn default() -> SolveConfig {
        let regret = RegretConfig::default();
        SolveConfig {
            memory: regret.memory,
            threads: 2,
            iterations: regret.iterations,
            exploitability: regret.exploitability,
        }
    }
}

/// Finds out the value of each role but chance, or bounds of it, until all is known, there is no
/// memory left for more, or a stop comes.
///
/// # Errors
/// If the game cannot be grounded.
pub fn solve<'a>(
    game: &'a Game,
    config: &SolveConfig,
    stop: &Stop,
    progress: &SolveProgress,
) -> Result<Solved<'a>, MachineError> {
    let backend = Backend::Compiled;
    let engines = game.engines().ok_or(MachineError::NotGround { backend })?;
    tracing::debug!("solving");
    let ground = engines.game();
    let bounds = AllBounds::new(ground, progress);
    let mut solved = Solved::new(game, engines);
    if game.hides_information() {
        let found = minimise(game, &config.regret(), stop, progress.regret());
        if found.is_err() {
            solved.unproved.push(Unproved::HiddenInformation);
        }
        solved.equilibrium = Some(found);
        solved.bounds = bounds.all();
        return Ok(solved);
    }
    let mut expander = Expander::new(engines);
    let root = ground.initial().packed(expander.words());
    if let Some(goals) = expander.goals_at_end(&root) {
        for role in players(ground) {
            if let Some(goal) = goals[role.index()] {
                bounds.raise(role, goal, SolveMethod::States);
                bounds.lower(role, goal, SolveMethod::States);
            }
        }
        let undefined = valued(ground).filter(|role| goals[role.index()].is_none());
        let undefined = undefined.map(|role| undefined_goal(ground, role));
        solved.unproved.extend(undefined);
        solved.is_over = true;
    } else if ground.roles().len() == 1 {
        (solved.plan, solved.unproved) = plans::search(engines, &bounds, config, (stop, progress));
    } else {
        let mut graph = Graph::new(engines, expander.words(), ground.initial());
        let mut expanders = ExpanderTeam::new(engines, 1);
        graph.grow(&mut expanders, (config.memory, FEW_STATES), stop, progress);
        if !graph.is_complete() {
            parts::search(engines, &bounds, &several::part(stop, PARTS));
        }
        if !bounds.is_solved() {
            let watch = (stop, progress);
            (solved.enumerated, solved.findings) =
                several::search(engines, graph, &bounds, config, watch);
        }
    }
    solved.bounds = bounds.all();
    if let Some(enumerated) = &solved.enumerated {
        let graph = &enumerated.graph;
        if expectation::has_chance(ground, graph) {
            let of = |role| ExpectedValue::of(ground, graph, role, stop);
            solved.expected = valued(ground).map(of).collect();
        }
        if !solved.is_solved() && mixed::are_useful(ground, graph) {
            let (config, progress) = (config.regret(), progress.regret());
            let found = mixed::search(game, graph, &config, stop, progress);
            solved.equilibrium = Some(found);
        }
        let open = solved.bounds.iter().filter(|bounds| !bounds.is_solved());
        let unproved =
            open.filter_map(|bounds| enumerated.graph.undefined([bounds.role].into_iter()));
        let unproved = unproved.map(|undefined| match undefined {
            Undefined::Goal(role) => undefined_goal(ground, role),
            Undefined::Stuck => Unproved::Stuck,
        });
        solved.unproved.extend(unproved);
    }
    solved.unproved.append(&mut solved.findings.unproved);
    if bounds.is_solved() {
        solved.unproved.clear();
    }
    solved.unproved.sort();
    solved.unproved.dedup();
    Ok(solved)
}

/// A role has not exactly one goal in some end.
fn undefined_goal(game: &GroundGame, role: RoleId) -> Unproved {
    let role = game.roles()[role.index()].clone();
    Unproved::UndefinedGoal { role }
}
