//! The choice of a search for a game.

mod trial;

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use super::SearchBudget;
use super::mcts::{Mcts, SearchReport};
use super::minimax::{Minimax, MinimaxConfig, MinimaxError};
use crate::game::engine::MatchEngines;
use crate::game::load::Game;
use crate::game::machine::{MachineError, RoleId};
use crate::game::position::Position;
use crate::search::learned::Evaluation;

/// A kind of search.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum SearchKind {
    /// [Tree search](super::mcts) by playouts.
    #[default]
    Mcts,
    /// [Minimax](super::minimax) on a learned evaluation, in games for which that is; tree search until there is an
    /// evaluation, and elsewhere.
    Minimax,
}

impl fmt::Display for SearchKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            SearchKind::Mcts => "mcts",
            SearchKind::Minimax => "minimax",
        })
    }
}

impl FromStr for SearchKind {
    type Err = ();

    fn from_str(name: &str) -> Result<SearchKind, ()> {
        let kinds = [SearchKind::Mcts, SearchKind::Minimax];
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
    /// The search, and the evaluation that it has.
    search: Option<(Minimax, Arc<Evaluation>)>,
    /// Whether the game is not for it.
    is_out: bool,
}

impl MinimaxBeside {
    /// There is no search yet.
    pub fn new(game: &Arc<Game>, config: MinimaxConfig) -> MinimaxBeside {
        MinimaxBeside {
            game: game.clone(),
            config,
            search: None,
            is_out: false,
        }
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
        if self.is_out {
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
