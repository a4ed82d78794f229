//! A search by the algorithm that suits the game.

use std::sync::Arc;
use std::time::Duration;

use propjit_stop::Stop;
use serde::Serialize;

use super::beside::MinimaxBeside;
use super::config::{SearchConfig, SearchKind, free_cores};
use super::score::TrialScore;
use crate::game::load::Game;
use crate::game::machine::{Backend, MachineError, Move, RoleId};
use crate::game::playout::PlayoutProgress;
use crate::game::position::Position;
use crate::search::SearchBudget;
use crate::search::mcts::{Mcts, SearchReport};
use crate::support::fnv::Fnv64;

/// How long tree search searches at a time while an evaluation is awaited.
const SLICE: Duration = Duration::from_millis(50);

/// How long it takes at most to load an evaluation that is stored.
const LOADING_TIME: Duration = Duration::from_millis(100);

/// A search for the best move, with what it found out so far: tree search, or minimax where that suits the game
/// better.
///
/// ```
/// # use std::sync::Arc;
/// # use std::time::Duration;
/// # use propjit::game::load::{Game, Setup};
/// use propjit::game::machine::RoleId;
/// use propjit::search::SearchBudget;
/// use propjit::search::chooser::{Search, SearchConfig};
///
/// # let rules = propjit::gdl::games::text("ticTacToe").unwrap();
/// # let game = Arc::new(Game::from_text("ticTacToe.kif", rules, &Setup::default())?);
/// let mut search = Search::new(&game, game.bulk_backend(), SearchConfig::default())?;
/// search.run(&SearchBudget::for_duration(Duration::from_secs(1)))?;
/// let report = search.report(RoleId(0));
/// assert!(report.solved);
/// assert_eq!(report.value, Some(50.0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Search {
    mcts: Mcts,
    minimax: Option<MinimaxBeside>,
    /// Whether minimax has searched from the current state.
    is_by_minimax: bool,
    /// Whether learning and search share cores.
    is_crowded: bool,
}

/// Which search was chosen, and why.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct SearchChoice {
    /// The search: `mcts` or `minimax`.
    #[serde(serialize_with = "as_text")]
    pub search: SearchKind,
    /// The hash of the evaluation.
    pub evaluation: Fnv64,
    /// How minimax did with it in trial matches against tree search.
    pub trials: TrialScore,
}

fn as_text<S: serde::Serializer>(kind: &SearchKind, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(kind)
}

impl Search {
    /// A search from the initial state.
    ///
    /// # Errors
    /// As those of [`Mcts::new`].
    pub fn new(
        game: &Arc<Game>,
        backend: Backend,
        config: SearchConfig,
    ) -> Result<Search, MachineError> {
        let SearchConfig { kind, mcts: config } = config;
        let minimax = match backend {
            Backend::Prover => None,
            _ => MinimaxBeside::new(game, kind, &config),
        };
        let is_crowded = free_cores(config.threads) == 0;
        // The provers are beside minimax if that searches in any case.
        let is_alone = minimax.as_ref().is_some_and(MinimaxBeside::is_wanted);
        let local = config.helpers.local && !is_alone;
        Ok(Search {
            mcts: Mcts::new(game, backend, config.with_local(local))?,
            minimax,
            is_by_minimax: false,
            is_crowded,
        })
    }

    /// Gets ready for a match until a stop comes: waits for an evaluation where a search without it is of no use, and
    /// lets trial matches decide which algorithm is to search.
    ///
    /// # Errors
    /// When a machine cannot go on.
    pub fn prepare(&mut self, stop: &Stop) -> Result<(), MachineError> {
        if self.is_crowded || self.minimax.is_some() {
            self.mcts.wait_for_evaluation_until(stop);
        }
        if let Some(minimax) = &mut self.minimax {
            minimax.adopt(&self.mcts);
            minimax.try_out(&self.mcts, stop)?;
        }
        Ok(())
    }

    /// Waits for an evaluation where a search without it is of no use, until a stop comes. Elsewhere, one that is stored
    /// is waited for, as it is loaded at once.
    pub fn wait_until(&self, stop: &Stop) {
        let minimax = self.minimax.as_ref();
        let needs_evaluation = self.is_crowded || minimax.is_some_and(MinimaxBeside::is_wanted);
        let loading = stop.within(LOADING_TIME);
        self.mcts
            .wait_for_evaluation_until(if needs_evaluation { stop } else { &loading });
    }

    /// Waits for an evaluation until a stop comes.
    pub fn wait_for_evaluation_until(&self, stop: &Stop) {
        self.mcts.wait_for_evaluation_until(stop);
    }

    /// Learns on until a stop comes, if that is to be done between searches and there is more to be learned.
    pub fn learn_until(&self, stop: &Stop) {
        self.mcts.learn_until(stop);
    }

    /// Sets what ends questions to the prover, if it evaluates the game, until the next [`run`](Search::run) is over.
    pub fn set_stop(&mut self, stop: &Stop) {
        self.mcts.set_stop(stop);
    }

    /// Searches from a position of the game from now on, which comes after `depth` joint moves. What is known of it and
    /// of its successors is kept.
    ///
    /// # Errors
    /// When the machine cannot go on.
    pub fn set_position(&mut self, position: &Position, depth: u32) -> Result<(), MachineError> {
        self.is_by_minimax = false;
        self.mcts.set_position(position, depth)
    }

    /// Searches from the state in which exactly these propositions hold, as [`set_position`](Search::set_position) does.
    ///
    /// # Errors
    /// [`MachineError::UnknownName`] if one is not a proposition of the game, or when the machine cannot go on.
    pub fn set_root_fluents(
        &mut self,
        fluents: &[impl AsRef<str>],
        depth: u32,
    ) -> Result<(), MachineError> {
        self.is_by_minimax = false;
        self.mcts.set_root_fluents(fluents, depth)
    }

    /// Searches until the budget is spent, or the value is proved. Playouts are those of tree search: with a budget of
    /// playouts, that searches.
    ///
    /// # Errors
    /// When a machine cannot go on, or a thread cannot be started.
    pub fn run(&mut self, budget: &SearchBudget) -> Result<(), MachineError> {
        self.is_by_minimax = false;
        while let (Some(minimax), None) = (&mut self.minimax, budget.playouts) {
            self.mcts.take_findings(&budget.stop)?;
            minimax.adopt(&self.mcts);
            // If all states are known, there is nothing to search.
            if !self.mcts.has_values() && minimax.run(self.mcts.state(), budget)? {
                self.is_by_minimax = true;
                return Ok(());
            }
            if !minimax.is_awaited() || budget.nodes.is_some() {
                break;
            }
            // Until there is an evaluation, tree search is better than nothing.
            let slice = budget.stop.within(SLICE);
            let before = self.mcts.time();
            self.mcts.run(&SearchBudget::default().with_stop(slice))?;
            let is_done = self.mcts.time() - before < SLICE / 2;
            if budget.stop.is_set() || is_done {
                return Ok(());
            }
        }
        if let (Some(minimax), None) = (&mut self.minimax, budget.playouts)
            && !self.mcts.has_values()
            && minimax.run_to_ends(self.mcts.state(), budget)?
        {
            self.is_by_minimax = true;
            return Ok(());
        }
        self.mcts.run(budget)
    }

    /// The result so far, for one of the roles.
    pub fn report(&self, role: RoleId) -> SearchReport {
        let mut report = self.mcts.report(role);
        if let Some(minimax) = self.minimax.as_ref().filter(|_| self.is_by_minimax) {
            minimax.explain(role, &mut report);
        }
        report
    }

    /// Which algorithm searches, if there is a choice and an evaluation is known.
    pub fn choice(&self) -> Option<SearchChoice> {
        let minimax = self.minimax.as_ref()?;
        let known = minimax.known()?;
        Some(SearchChoice {
            search: match minimax.is_chosen() {
                true => SearchKind::Minimax,
                false => SearchKind::Mcts,
            },
            evaluation: known.hash,
            trials: known.score,
        })
    }

    /// The canonical text of a move in a report.
    pub fn move_text(&mut self, role: RoleId, played: Move) -> String {
        self.mcts.move_text(role, played)
    }

    /// How many playouts have ended, as the search goes on; those from earlier roots count too.
    pub fn progress(&self) -> PlayoutProgress {
        self.mcts.progress()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::load::Setup;
    use crate::search::mcts::MctsConfig;

    fn game(name: &str) -> Arc<Game> {
        let rules = propjit_gdl::games::text(name).unwrap();
        Arc::new(Game::from_text(name, rules, &Setup::default()).unwrap())
    }

    fn by_minimax(name: &str) -> Search {
        let game = game(name);
        let mcts = SearchConfig::default().mcts.with_keep(false);
        let config = SearchConfig::default()
            .with_kind(SearchKind::Minimax)
            .with_mcts(mcts)
            .with_learning_within(Duration::from_millis(300), false);
        Search::new(&game, game.bulk_backend(), config).unwrap()
    }

    #[test]
    fn minimax_searches_once_there_is_an_evaluation() {
        let mut search = by_minimax("breakthroughSmall");
        assert_eq!(search.choice(), None);
        search.wait_for_evaluation_until(&Stop::new());
        let nodes = |nodes| SearchBudget::default().with_nodes(Some(nodes));
        search.run(&nodes(2000)).unwrap();
        assert_eq!(search.choice().unwrap().search, SearchKind::Minimax);
        let report = search.report(RoleId(0));
        assert!(report.minimax.unwrap().depth > 2);
        let has_value = |of: &crate::search::mcts::MoveReport| of.value.is_some();
        assert!(report.moves.len() > 4 && report.moves.iter().all(has_value));
        // It goes on from there.
        search.run(&nodes(2000)).unwrap();
        let later = search.report(RoleId(0));
        assert!(later.minimax.unwrap().depth >= report.minimax.unwrap().depth);
        assert!(later.nodes > report.nodes);
        // Playouts are those of tree search.
        search
            .run(&SearchBudget::default().with_playouts(Some(1000)))
            .unwrap();
        let report = search.report(RoleId(0));
        assert!(report.minimax.is_none() && report.playouts >= 1000);
    }

    #[test]
    fn what_is_known_of_all_states_is_not_searched() {
        let mut search = by_minimax("ticTacToe");
        search.wait_for_evaluation_until(&Stop::new());
        // A part of the time of the first search is for enumeration.
        let budget = SearchBudget::for_duration;
        search.run(&budget(Duration::from_secs(60))).unwrap();
        for _ in 0..500 {
            if search.mcts.has_values() {
                break;
            }
            std::thread::sleep(Duration::from_millis(10));
            search.run(&budget(Duration::from_millis(50))).unwrap();
        }
        assert!(search.mcts.has_values());
        search.run(&budget(Duration::from_millis(50))).unwrap();
        let report = search.report(RoleId(0));
        assert_eq!((report.value, report.solved), (Some(50.0), true));
        assert!(report.states.is_some() && report.minimax.is_none());
    }

    /// Trial matches are for games in which minimax may play.
    #[test]
    fn matches_choose_the_search() {
        let choice = |name: &str| {
            let game = game(name);
            let mcts = SearchConfig::default().mcts.with_keep(false);
            let config = SearchConfig::default()
                .with_mcts(mcts)
                .with_learning_within(Duration::from_millis(300), false);
            let mut search = Search::new(&game, game.bulk_backend(), config).unwrap();
            search
                .prepare(&Stop::new().within(Duration::from_secs(4)))
                .unwrap();
            let is_trusted = search.mcts.trusted_evaluation().is_some();
            Some((search.choice()?, is_trusted))
        };
        let (chosen, is_trusted) = choice("breakthroughSmall").unwrap();
        assert_eq!(chosen.trials.matches() >= 2.0, is_trusted);
        assert_eq!(
            chosen.search == SearchKind::Minimax,
            chosen.trials.favours_minimax()
        );
        let chosen = choice("tron");
        assert!(chosen.is_none_or(|(chosen, _)| chosen.search == SearchKind::Mcts));
    }

    /// Near the end of a match a search to all ends takes the place of tree search; playouts are those of tree search.
    #[test]
    fn ends_that_are_near_are_searched_to() {
        let game = game("ticTacToe");
        let mut config = SearchConfig::default();
        config.mcts = config.mcts.with_keep(false).with_local(false);
        config.mcts.helpers.solve = false;
        let mut search = Search::new(&game, game.bulk_backend(), config).unwrap();
        let budget = SearchBudget::for_duration(Duration::from_secs(60));
        search.run(&budget).unwrap();
        let report = search.report(RoleId(0));
        assert!(report.solved && report.playouts == 0);
        assert!(report.minimax.is_some());
    }

    #[test]
    fn without_all_that_helps_it_is_tree_search() {
        let game = game("connectFour");
        let mcts = MctsConfig::default().with_seed(5);
        let budget = SearchBudget::default().with_playouts(Some(3000));
        let mut plain = Mcts::new(&game, Backend::Lanes, mcts.clone()).unwrap();
        plain.run(&budget).unwrap();
        let config = SearchConfig::plain().with_mcts(mcts);
        let mut search = Search::new(&game, Backend::Lanes, config).unwrap();
        search.prepare(&Stop::new()).unwrap();
        search.run(&budget).unwrap();
        let [one, other] = [plain.report(RoleId(0)), search.report(RoleId(0))];
        assert_eq!((one.moves, one.nodes), (other.moves, other.nodes));
        assert_eq!(search.choice(), None);
    }
}
