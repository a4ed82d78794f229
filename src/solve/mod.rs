//! Values of games, proved: what each role can force whatever the others do.
//!
//! The *value* of a role is the goal that it can force against all others, who know its moves
//! beforehand; the others can hold it to the *upper bound*, if it knows theirs. Where one role
//! decides at a time, these are the same. A match that goes on for ever, or cannot go on, is worth
//! the least goal to the role whose value it is, and an end without exactly one goal counts as 0.
//!
//! - `graph`: all states, enumerated in lanes, as far as there is memory; `values`: what they are
//!   worth, by sweeps to the least fixpoint, which is retrograde analysis; `split`: who chooses
//!   first; `strategy`: what is chosen; `enumeration`: what that says of the initial state.
//! - `plans`: games of one role, by the [planner](crate::plan).
//! - `proofs`: games with too many states, by [proof search](crate::proof).
//! - `bounds`: what is known by now; `progress`: the same for those who watch.
//! - `claims`: [certificates](crate::certificate), which rules alone can check.
//!
//! Retrograde analysis with bounds for states that were not expanded: Thompson, "Retrograde
//! Analysis of Certain Endgames", 1986; for sets of goals as fixpoints, Grädel, Thomas and Wilke
//! (eds.), "Automata, Logics, and Infinite Games", 2002, chapter 2.
//!
//! ```
//! use propjit::game::{Game, Setup};
//! use propjit::solve::{SolveConfig, SolveProgress, solve};
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
mod graph;
mod plans;
mod progress;
mod proofs;
mod solved;
mod split;
mod strategy;
mod values;

use std::sync::Arc;
use std::thread;
use std::time::Duration;

use propjit_stop::Stop;

use crate::engine::Engines;
use crate::game::Game;
use crate::machine::expander::Expander;
use crate::machine::{Backend, MachineError};
use crate::setters::setters;

use bounds::{AllBounds, players};
pub use bounds::{RoleBounds, SolveMethod};
use enumeration::Enumeration;
use graph::Graph;
pub use progress::SolveProgress;
pub use solved::{CertificateError, Solved};

/// What solving may take.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct SolveConfig {
    /// About how much memory it may take, in bytes.
    pub memory: usize,
    /// The number of threads that work. A planner, for games of one role, has two.
    pub threads: usize,
}

impl SolveConfig {
    setters! {
        with_memory(memory: usize);
        with_threads(threads: usize);
    }
}

impl Default for SolveConfig {
    /// On two threads in 2 GiB.
    fn default() -> SolveConfig {
        SolveConfig {
            memory: 2 << 30,
            threads: 2,
        }
    }
}

/// The parts of the time that is left, in percent: to enumerate states beside other ways, and
/// before them. The rest is for what these states are worth, and for the other ways.
const BESIDE: u32 = 80;
const BEFORE: u32 = 40;

/// When there is no time left, evaluations of what there is still have this.
const GRACE: Duration = Duration::from_secs(2);

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
    let ground = engines.game();
    let bounds = AllBounds::new(ground, progress);
    let mut solved = Solved::new(game, engines);
    let mut expander = Expander::new(engines);
    let mut root = ground.initial().words().to_vec();
    root.resize(expander.words(), 0);
    if let Some(goals) = expander.goals_at_end(&root) {
        for role in players(ground) {
            let goal = goals[role.index()];
            bounds.raise(role, goal, SolveMethod::States);
            bounds.lower(role, goal, SolveMethod::States);
        }
        solved.is_over = true;
    } else if ground.roles().len() == 1 {
        solved.plan = plans::search(engines, &bounds, config.memory, stop, progress);
    } else {
        let graph = Graph::new(engines, &expander);
        match config.threads {
            ..2 => {
                let growing = part(stop, BEFORE);
                solved.enumerated = enumerate(
                    engines,
                    graph,
                    &bounds,
                    config.memory,
                    (&growing, stop),
                    progress,
                );
                let memory = (config.memory, 1);
                solved.proof = proofs::search(engines, &bounds, memory, stop);
            }
            threads => {
                let memory = config.memory / 2;
                let over = &stop.by(None);
                thread::scope(|scope| {
                    let bounds = &bounds;
                    let proof = scope.spawn(move || {
                        let line = proofs::search(engines, bounds, (memory, threads - 1), over);
                        if bounds.is_solved() {
                            over.set();
                        }
                        line
                    });
                    let growing = part(over, BESIDE);
                    solved.enumerated =
                        enumerate(engines, graph, bounds, memory, (&growing, stop), progress);
                    if bounds.is_solved() {
                        over.set();
                    }
                    solved.proof = proof
                        .join()
                        .unwrap_or_else(|panic| std::panic::resume_unwind(panic));
                });
            }
        }
    }
    solved.bounds = bounds.all();
    Ok(solved)
}

/// A token for a part of the time that is left, in percent.
fn part(stop: &Stop, percent: u32) -> Stop {
    match stop.remaining() {
        Some(time) => stop.within(time * percent / 100),
        None => stop.by(None),
    }
}

/// Enumerates states until the first stop comes, and finds out what they are worth.
fn enumerate(
    engines: &Arc<Engines>,
    mut graph: Graph,
    bounds: &AllBounds<'_>,
    memory: usize,
    (growing, stop): (&Stop, &Stop),
    progress: &SolveProgress,
) -> Option<Enumeration> {
    graph.grow(engines, (memory, usize::MAX), growing, progress);
    if bounds.is_solved() {
        return None;
    }
    // Of what there is, something can be said even when the time is over.
    let left = stop.remaining().unwrap_or(Duration::MAX);
    let evaluating = match stop.is_set() || left < GRACE {
        true => Stop::new().within(GRACE),
        false => stop.by(None),
    };
    Some(Enumeration::new(engines.game(), graph, bounds, &evaluating))
}
