//! Minimax search on a learned evaluation, with the children of a node found and estimated in lanes.
//!
//! It is for games of two roles that take turns and want the opposite, and perhaps chance that nothing hides, in which
//! an [evaluation](crate::search::learned) is known. Where it fits, it sees deeper than [tree
//! search](crate::search::mcts) by playouts does.
//!
//! - `sides`: the roles that decide, and chance; `value`: values of states; `average`: those of chance; `table`: the
//!   transposition table.
//! - `children`: the children of a node, as rows; `ply`: a node on the way from the root.
//! - `search`: principal variation search by one thread; `ordering`, `margins`: what it learns on the way; `pruning`:
//!   what is not searched, or less deep.
//! - `deepening`: one depth after the other, by several threads; `proofs`: provers beside them.
//! - `report`: the result.

mod average;
mod children;
mod deepening;
mod margins;
mod ordering;
mod ply;
mod proofs;
mod pruning;
mod report;
mod search;
mod sides;
mod table;
mod value;

use std::sync::Arc;
use std::time::{Duration, Instant};

use propjit_stop::Stop;

use super::SearchBudget;
use crate::game::engine::MatchEngines;
use crate::game::facts::GoalBoundsTask;
use crate::game::ground::GroundGame;
use crate::game::load::Game;
use crate::game::machine::expansion::Expander;
use crate::game::machine::{MachineError, Move, RoleId, State, check_memory};
use crate::search::learned::{Evaluation, LaneScorer};
use crate::support::program::ProgramCommand;
use crate::support::setters::setters;
use crate::support::threads;
use children::Frontier;
use deepening::{Outcome, deepen, search_to_ends};
use proofs::{Focus, Proofs};
pub use report::{MinimaxMove, MinimaxReport};
use search::{Halt, Search};
use sides::{CHANCE, NONE, Sides};
use table::Table;
pub(in crate::search) use value::share_of_range;

/// The number of forced joint moves one after the other after which a match counts as drawn.
const MAX_FORCED: u32 = 1000;

/// The memory of the table, unless another one is given: enough for a minute, in bytes.
const MEMORY: usize = 128 << 20;

/// How to search.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct MinimaxConfig {
    /// The number of threads.
    pub threads: usize,
    /// The memory of the transposition table, in bytes.
    pub memory: usize,
    /// The share of the time of a thread in which forced wins are looked for beside the search, if they are.
    pub proof_share: Option<f64>,
    /// The commands that start processes which look for forced wins: see [workers](crate::proof::forced).
    pub provers: Vec<ProgramCommand>,
}

impl Default for MinimaxConfig {
    /// One thread, 128 MiB, and no proofs.
    fn default() -> MinimaxConfig {
        MinimaxConfig {
            threads: 1,
            memory: MEMORY,
            proof_share: None,
            provers: Vec::new(),
        }
    }
}

impl MinimaxConfig {
    setters! {
        with_threads(threads: usize);
        with_memory(memory: usize);
        with_proof_share(proof_share: Option<f64>);
        with_provers(provers: Vec<ProgramCommand>);
    }
}

/// A search, with what it found out so far.
#[derive(Debug)]
pub struct Minimax {
    game: Arc<GroundGame>,
    expander: Expander,
    searches: Vec<Search>,
    table: Arc<Table>,
    /// Provers beside the search, if there are any, and the positions that matter.
    proofs: Option<Proofs>,
    focus: Focus,
    /// What bounds goals, until it is known.
    bounds: Option<GoalBoundsTask>,
    sides: Sides,
    /// The state to which reports refer, packed, the legal moves of each role there, and the side that decides.
    state: Vec<u64>,
    legal: Vec<Vec<Move>>,
    mover: u8,
    /// The result for it, if it was searched.
    outcome: Option<Outcome>,
    time: Duration,
}

/// Why a game or a state is not for this search.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum OutOfScope {
    /// Not two roles, apart from one that plays at random.
    #[error("minimax search is for two roles, not counting one that plays at random")]
    Roles,
    /// Roles do not see the whole state.
    #[error("minimax search is for games without hidden information")]
    HiddenInformation,
    /// Both roles decide at once.
    #[error("minimax search is for games in which roles take turns")]
    BothDecide,
}

/// Why a search failed.
#[derive(Debug, thiserror::Error)]
pub enum MinimaxError {
    /// The game or the state is not for this search.
    #[error(transparent)]
    OutOfScope(#[from] OutOfScope),
    /// The machine, a thread or memory is missing.
    #[error(transparent)]
    Machine(#[from] MachineError),
}

impl OutOfScope {
    /// Checks what is known of a game by its rules. Whether roles take turns is seen during the search.
    ///
    /// # Errors
    /// Why it is out of scope.
    pub fn check(game: &Game) -> Result<(), OutOfScope> {
        if game.players().count() != 2 {
            return Err(OutOfScope::Roles);
        }
        match game.hides_information() {
            true => Err(OutOfScope::HiddenInformation),
            false => Ok(()),
        }
    }
}

impl Minimax {
    /// A search from the initial state.
    ///
    /// # Errors
    /// If the game is not ground, is out of scope, or there is no memory.
    pub fn new(
        game: &Game,
        engines: &MatchEngines,
        evaluation: &Arc<Evaluation>,
        config: &MinimaxConfig,
    ) -> Result<Minimax, MinimaxError> {
        OutOfScope::check(game)?;
        let ground = engines.engines().game();
        check_memory("the transposition table", config.memory)?;
        let table = Arc::new(Table::new(config.memory));
        let scorer = Arc::new(LaneScorer::new(evaluation.clone()));
        let sides = Sides::of(ground);
        let moves = (sides.players()).map(|role| ground.layout().legal[role.index()].len());
        let searches: Vec<Search> = (0..config.threads.max(1))
            .map(|_| {
                let frontier = Frontier::new(Expander::subscribed(engines), MAX_FORCED);
                Search::new(frontier, scorer.clone(), table.clone(), moves)
            })
            .collect();
        let mut search = Minimax {
            searches,
            expander: Expander::subscribed(engines),
            proofs: (config.proof_share.is_some() || !config.provers.is_empty()).then(|| {
                let (share, commands) = (config.proof_share, &config.provers);
                Proofs::start(game, engines.engines(), &scorer, &table, share, commands)
            }),
            focus: Focus::default(),
            table,
            bounds: game.goal_bounds().cloned(),
            state: Vec::new(),
            sides,
            legal: Vec::new(),
            mover: NONE,
            outcome: None,
            time: Duration::ZERO,
            game: ground.clone(),
        };
        search.set_root(ground.initial())?;
        Ok(search)
    }

    /// Searches from another state from now on. What is known of states is kept.
    ///
    /// # Errors
    /// If both roles decide there.
    pub fn set_root(&mut self, state: &State) -> Result<(), OutOfScope> {
        let packed = state.packed(self.expander.words());
        if packed == self.state && self.outcome.is_some() {
            return Ok(());
        }
        self.state = packed;
        self.legal = self.expander.poll().legal_moves(state);
        self.outcome = None;
        self.time = Duration::ZERO;
        self.mover = NONE;
        self.mover = (self.sides.mover(&self.legal)).map_err(|_| OutOfScope::BothDecide)?;
        Ok(())
    }

    /// Whether some role decides in the current state, and not only chance; elsewhere, there is nothing to search.
    pub fn is_decision(&self) -> bool {
        self.mover < CHANCE
    }

    /// Searches until the budget is spent, or the value is proved. `nodes` of a budget are states that are expanded, by
    /// all threads; there are no playouts. A search goes on with what an earlier one from the same state found.
    ///
    /// # Errors
    /// If both roles decide in a state that was reached, or a thread cannot be started.
    pub fn run(&mut self, budget: &SearchBudget) -> Result<(), MinimaxError> {
        if !self.is_decision() {
            return Ok(());
        }
        let start = Instant::now();
        self.take_bounds();
        self.table.grow_older();
        let limit = budget.nodes.unwrap_or(u64::MAX) / self.searches.len() as u64;
        let (state, mover) = (&self.state[..], self.mover);
        // A thread that has nothing more to do stops all.
        let finished = budget.stop.by(None);
        let (focus, proofs, before) = (&self.focus, &mut self.proofs, self.outcome.as_ref());
        focus.set(vec![State::from_words(state)]);
        let are_done = Stop::new();
        let results = std::thread::scope(|scope| {
            if let Some(proofs) = proofs {
                let run = || proofs.run(focus, &are_done);
                threads::or_without(threads::start_scoped(scope, "proofs", run));
            }
            let threads: Vec<_> = (self.searches.iter_mut().enumerate())
                .map(|(number, search)| {
                    let stop = finished.clone();
                    let focus = (number == 0).then_some(focus);
                    let work =
                        move || deepen(search, (state, mover), number, stop, limit, focus, before);
                    threads::start_scoped(scope, "minimax", work)
                })
                .collect();
            let joined = threads.into_iter().map(|thread| match thread?.join() {
                Ok(outcome) => Ok(outcome),
                Err(panic) => std::panic::resume_unwind(panic),
            });
            let joined = joined.collect::<Result<Vec<_>, threads::ThreadError>>();
            are_done.set();
            joined
        });
        self.time += start.elapsed();
        self.take_results(results.map_err(MachineError::from)?)?;
        Ok(())
    }

    /// Searches to the ends of matches, on one thread, if these are near enough for a part of the budget and there is
    /// no chance. Returns whether the value is proved.
    ///
    /// # Errors
    /// If both roles decide in a state that was reached.
    pub fn run_to_ends(&mut self, budget: &SearchBudget) -> Result<bool, OutOfScope> {
        let is_proved = |of: &Minimax| of.outcome.as_ref().is_some_and(|found| found.is_proved);
        if !self.is_decision() || is_proved(self) {
            return Ok(is_proved(self));
        }
        let start = Instant::now();
        self.table.grow_older();
        let limit = budget.nodes.unwrap_or(u64::MAX);
        let root = (&self.state[..], self.mover);
        let found = search_to_ends(&mut self.searches[0], root, &budget.stop, limit);
        self.time += start.elapsed();
        self.take_results(vec![found])?;
        Ok(is_proved(self))
    }

    /// Takes up what threads found.
    ///
    /// # Errors
    /// If both roles decide in a state that was reached.
    fn take_results(&mut self, results: Vec<Outcome>) -> Result<(), OutOfScope> {
        let is_out = |outcome: &Outcome| outcome.halt == Some(Halt::BothDecide);
        if results.iter().any(is_out) {
            return Err(OutOfScope::BothDecide);
        }
        let before = self.outcome.take();
        self.outcome = Outcome::of(before, results);
        Ok(())
    }

    /// Takes up what bounds goals, once it is known.
    fn take_bounds(&mut self) {
        if let Some(found) = self.bounds.as_ref().and_then(GoalBoundsTask::found) {
            if let Some(bounds) = found {
                self.searches
                    .iter_mut()
                    .for_each(|search| search.set_bounds(bounds));
            }
            self.bounds = None;
        }
    }

    /// The result so far, for one of the roles; of chance, only its legal moves are known.
    pub fn report(&self, role: RoleId) -> MinimaxReport {
        let ranges = self.game.goal_ranges();
        let legal = &self.legal[role.index()];
        let side = self.sides.side(role);
        MinimaxReport::new(
            role,
            legal,
            side == self.mover,
            self.outcome.as_ref().filter(|_| side != CHANCE),
            ranges[role.index()],
            self.time,
        )
    }
}

#[cfg(test)]
mod tests;
