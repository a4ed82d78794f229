//! The choice of a search for a game.
//!
//! - `trial`: matches of both searches at equal time.
//! - `score`: what they show.

mod score;
mod trial;

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use propjit_stop::Stop;

use super::SearchBudget;
use super::mcts::{Mcts, SearchReport};
use super::minimax::{Minimax, MinimaxConfig, MinimaxError};
use crate::game::engine::MatchEngines;
use crate::game::load::Game;
use crate::game::machine::{MachineError, RoleId};
use crate::game::position::Position;
use crate::search::learned::Evaluation;
use score::Score;
use trial::Trial;

/// The time for each move of a trial match.
const TRIAL_TIME: Duration = Duration::from_millis(15);

/// A kind of search.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum SearchKind {
    /// [Tree search](super::mcts) by playouts.
    #[default]
    Mcts,
    /// [Minimax](super::minimax) on a learned evaluation, in games for which that is; tree search until there is an
    /// evaluation, and elsewhere.
    Minimax,
    /// Minimax if it clearly wins short matches against tree search, which are played once there is an evaluation;
    /// tree search otherwise.
    Auto,
}

impl fmt::Display for SearchKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            SearchKind::Mcts => "mcts",
            SearchKind::Minimax => "minimax",
            SearchKind::Auto => "auto",
        })
    }
}

impl FromStr for SearchKind {
    type Err = ();

    fn from_str(name: &str) -> Result<SearchKind, ()> {
        let kinds = [SearchKind::Mcts, SearchKind::Minimax, SearchKind::Auto];
        kinds
            .into_iter()
            .find(|kind| kind.to_string() == name)
            .ok_or(())
    }
}

/// Minimax beside a tree search, which learns the evaluation.
#[derive(Debug)]
pub struct MinimaxBeside {
    game: Arc<Game>,
    config: MinimaxConfig,
    /// Whether it searches in any case.
    is_wanted: bool,
    /// How it does against tree search.
    score: Score,
    seed: u64,
    /// The search, and the evaluation that it has.
    search: Option<(Minimax, Arc<Evaluation>)>,
    /// Whether the game is not for it.
    is_out: bool,
}

impl MinimaxBeside {
    /// There is no search yet. The seed is for the openings of trial matches.
    pub fn new(
        game: &Arc<Game>,
        kind: SearchKind,
        config: MinimaxConfig,
        seed: u64,
    ) -> MinimaxBeside {
        MinimaxBeside {
            game: game.clone(),
            config,
            is_wanted: kind == SearchKind::Minimax,
            score: Score::default(),
            seed,
            search: None,
            is_out: false,
        }
    }

    /// Plays matches against tree search with what that has learned, until they show which is better or a stop comes.
    ///
    /// # Errors
    /// When a machine cannot go on.
    pub fn try_out(&mut self, tree: &Mcts, stop: &Stop) -> Result<(), MachineError> {
        let Some(evaluation) = tree.evaluation() else {
            return Ok(());
        };
        if self.is_wanted || self.is_out {
            return Ok(());
        }
        let trial = Trial {
            game: &self.game,
            evaluation: &evaluation,
            trusted: tree.trusted_evaluation(),
            time: TRIAL_TIME,
            seed: self.seed,
        };
        while self.score.is_open() {
            match trial.play(self.score.matches(), stop) {
                Ok(Some(points)) => self.score.add(points),
                Ok(None) => break,
                Err(MinimaxError::Machine(error)) => return Err(error),
                Err(MinimaxError::OutOfScope(reason)) => {
                    tracing::info!(%reason, "tree search plays");
                    self.is_out = true;
                    break;
                }
            }
        }
        tracing::info!(score = %self.score, "minimax against tree search");
        Ok(())
    }

    /// Searches from a position, if the tree search has an evaluation by now. Returns whether it did.
    ///
    /// # Errors
    /// When the machine cannot go on.
    pub fn run(
        &mut self,
        tree: &Mcts,
        position: &Position,
        budget: &SearchBudget,
    ) -> Result<bool, MachineError> {
        let (Some(evaluation), Some(engines), Some(state)) = (
            tree.evaluation(),
            self.game.engines(),
            position.ground_state(),
        ) else {
            return Ok(false);
        };
        if self.is_out || !(self.is_wanted || self.score.favours_minimax()) {
            return Ok(false);
        }
        let engines = MatchEngines::new(engines.clone());
        let is_known = |search: &(Minimax, Arc<Evaluation>)| Arc::ptr_eq(&search.1, &evaluation);
        let mut run = || {
            if !self.search.as_ref().is_some_and(is_known) {
                let search = Minimax::new(&self.game, &engines, &evaluation, &self.config)?;
                self.search = Some((search, evaluation.clone()));
            }
            let (search, _) = self.search.as_mut().expect("it was just made");
            search.set_root(state)?;
            search.run(budget)
        };
        match run() {
            Ok(()) => Ok(true),
            Err(MinimaxError::Machine(error)) => Err(error),
            Err(MinimaxError::OutOfScope(reason)) => {
                tracing::info!(%reason, "tree search plays");
                (self.is_out, self.search) = (true, None);
                Ok(false)
            }
        }
    }

    /// Adds the result to a report of the tree search.
    pub fn explain(&self, role: RoleId, report: &mut SearchReport) {
        if let Some((search, _)) = &self.search {
            report.replace(&search.report(role));
        }
    }
}
