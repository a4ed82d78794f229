//! The player `mcts`, based on [tree search](crate::search::mcts) or what suits the game.

use std::sync::Arc;
use std::time::{Duration, Instant};

use propjit_stop::Stop;
use serde_json::json;

use crate::game::load::Game;
use crate::game::machine::{Backend, MachineError, RoleId};
use crate::play::matches::follower::{Follower, Known};
use crate::play::matches::hidden_choice::choose;
use crate::play::matches::{Choice, Ending, Observed, Player, PlayerError, Seat, SharedPosition};
use crate::search::SearchBudget;
use crate::search::chooser::{Search, SearchChoice, SearchConfig, SearchKind};
use crate::search::external::LeafEvaluation;
use crate::search::hidden::HiddenSearch;
use crate::search::mcts::{MctsConfig, SearchReport, wait_for_engines};
use crate::search::minimax::OutOfScope;
use crate::search::network::Network;
use crate::support::setters::setters;

/// How long before the end of a clock the search stops: it may take some 10 ms to end, and the
/// answer has to be passed on.
const RESERVE: Duration = Duration::from_millis(20);

/// The part of the start clock in which an evaluation is learned, if that is longer than the minimum. Search
/// results from before the evaluation are useless to the search with it.
const LEARNING_PART: f64 = 0.8;

/// The same where trial matches follow, which choose the search.
const LEARNING_PART_BEFORE_TRIAL: f64 = 0.6;

/// The part of the time for a move in which a belief is brought up to date at most, where information is hidden.
const BELIEF_PART: f64 = 0.3;

/// How a [`MctsPlayer`] thinks.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct MctsPlayerConfig {
    /// How to search. The seed is replaced by that of the seat, and whether learning goes on follows from `learn_on`.
    pub search: MctsConfig,
    /// The backend. By default the one that the set-up asks for, or the fastest there is.
    pub backend: Option<Backend>,
    /// Whether to go on searching while others think.
    pub ponder: bool,
    /// Whether learning goes on after the first evaluation: beside the search, or between moves if no core is free.
    pub learn_on: bool,
    /// The budget of each move, besides the clock.
    pub budget: MoveBudget,
    /// The kind of search.
    pub kind: SearchKind,
    /// A network that evaluates positions.
    pub network: Option<Network>,
}

/// The most that the search for a move may cost. With a number of nodes or playouts, matches do not
/// depend on how fast the machine is.
#[derive(Clone, Copy, PartialEq, Default, Debug)]
#[non_exhaustive]
pub struct MoveBudget {
    /// Nodes that are added to the tree.
    pub nodes: Option<u64>,
    /// Playouts.
    pub playouts: Option<u64>,
    /// Time.
    pub time: Option<Duration>,
}

impl MoveBudget {
    setters! {
        with_nodes(nodes: Option<u64>);
        with_playouts(playouts: Option<u64>);
        with_time(time: Option<Duration>);
    }

    /// Returns the budget of a search that ends by `stop` at the latest.
    fn within(&self, stop: Stop) -> SearchBudget {
        let own = self.time.and_then(|time| Instant::now().checked_add(time));
        SearchBudget::default()
            .with_nodes(self.nodes)
            .with_playouts(self.playouts)
            .with_stop(stop.by(own))
    }

    /// Returns whether the budget is counted, and not measured in time.
    fn is_counted(&self) -> bool {
        self.nodes.is_some() || self.playouts.is_some()
    }
}

impl Default for MctsPlayerConfig {
    /// The configuration for moves that are limited by the clock alone.
    fn default() -> MctsPlayerConfig {
        MctsPlayerConfig::for_budget(MoveBudget::default())
    }
}

impl MctsPlayerConfig {
    /// Returns the defaults for moves with this budget: the default search with local search, a learned evaluation, a
    /// planner and an enumeration of states, which goes on while others think. With a counted budget there is none of
    /// these, so that nothing depends on time: neither on how long others think, nor on what other threads find out.
    pub fn for_budget(budget: MoveBudget) -> MctsPlayerConfig {
        let is_timed = !budget.is_counted();
        let search = match is_timed {
            true => SearchConfig::default(),
            false => SearchConfig::plain(),
        };
        MctsPlayerConfig {
            search: search.mcts,
            backend: None,
            ponder: is_timed,
            learn_on: is_timed,
            budget,
            kind: search.kind,
            network: None,
        }
    }

    setters! {
        with_search(search: MctsConfig);
        with_backend(backend: Option<Backend>);
        with_ponder(ponder: bool);
        with_learn_on(learn_on: bool);
        with_budget(budget: MoveBudget);
        with_kind(kind: SearchKind);
        with_network(network: Option<Network>);
    }
}

/// Searches while it has time, also during the turns of others, unless an evaluation is being learned
/// then.
#[derive(Debug)]
pub struct MctsPlayer {
    seat: Seat,
    config: MctsPlayerConfig,
    follower: Follower,
    /// Made while the start clock runs, since the game has to be grounded for it.
    search: Option<GameSearch>,
    /// The same if the game hides information.
    hidden: Option<HiddenSearch>,
}

/// The search, once the game is loaded.
#[derive(Debug)]
struct GameSearch {
    search: Search,
    /// Whether the search starts from the current state.
    is_current: bool,
}

impl MctsPlayer {
    /// Makes a player without a search.
    pub fn new(seat: &Seat, config: MctsPlayerConfig) -> MctsPlayer {
        MctsPlayer {
            seat: seat.clone(),
            config,
            follower: Follower::new(seat),
            search: None,
            hidden: None,
        }
    }

    /// Returns the search in a game that hides information, which is made if there is none, while a clock runs until the
    /// deadline; none in other games.
    fn hidden(&mut self, deadline: Instant) -> Result<Option<&mut HiddenSearch>, PlayerError> {
        if !self.follower.is_hidden()? {
            return Ok(None);
        }
        if self.hidden.is_none() {
            let game = self.seat.rulesheet.game()?;
            let left = deadline.saturating_duration_since(Instant::now());
            self.evaluation(&game)?;
            let config = self.search_config(&game.in_the_open(), left);
            let hidden = self.seat.rulesheet.hidden_game()?;
            self.hidden = Some(HiddenSearch::new(hidden, self.seat.role, config)?);
        }
        Ok(self.hidden.as_mut())
    }

    /// Chooses a move in a game that hides information.
    fn choose_by_belief(&mut self, deadline: Instant, stop: &Stop) -> Result<Choice, PlayerError> {
        let budget = &self.config.budget;
        let left = deadline.saturating_duration_since(Instant::now());
        let end = stop.by(last_moment(deadline));
        let for_belief = match budget.is_counted() {
            true => end.clone(),
            false => end.within(left.mul_f64(BELIEF_PART)),
        };
        let Known::Belief(belief) = self.follower.known(&for_belief)? else {
            return Err(PlayerError::Hidden);
        };
        let search = self.hidden.as_mut().ok_or(PlayerError::NotGround)?;
        let game = self.seat.rulesheet.game()?;
        let ground = game.ground_game().ok_or(PlayerError::NotGround)?;
        choose(ground, self.seat.role, belief, search, &budget.within(end))
    }

    /// Returns the evaluation of a game by the network, if there is one.
    fn evaluation(&self, game: &Game) -> Result<Option<LeafEvaluation>, PlayerError> {
        let network = self.config.network.as_ref();
        let evaluation = network.map(|network| network.evaluation(game, &Stop::new()));
        let evaluation = evaluation.transpose();
        evaluation.map_err(|error| PlayerError::Network(Arc::new(error)))
    }

    /// Returns how to search a game, if this time is left to prepare.
    fn search_config(&self, game: &Game, left: Duration) -> SearchConfig {
        let config = self.config.search.clone().with_seed(self.seat.seed);
        let may_choose = OutOfScope::check(game).is_ok();
        let part = match self.config.kind {
            SearchKind::Auto if may_choose => LEARNING_PART_BEFORE_TRIAL,
            _ => LEARNING_PART,
        };
        let learning = config.learning.time.max(left.mul_f64(part));
        let mut wanted = SearchConfig::default()
            .with_mcts(config)
            .with_kind(self.config.kind)
            .with_learning_within(learning, self.config.learn_on);
        // A counted search waits for what is found out about the game.
        wanted.mcts.learning.learn_first &= !self.config.budget.is_counted();
        wanted
    }

    /// Returns the search, which is made if there is none, and the current position; the clock runs until the
    /// deadline. A search that is counted waits for engines until `waiting` is set.
    fn current(
        &mut self,
        deadline: Instant,
        waiting: &Stop,
    ) -> Result<(&mut GameSearch, &SharedPosition), PlayerError> {
        if self.search.is_none() {
            let game = self.seat.rulesheet.game()?;
            let wanted = self.config.backend.or(self.seat.rulesheet.backend());
            let backend = wanted.unwrap_or(game.bulk_backend());
            let left = deadline.saturating_duration_since(Instant::now());
            let mut config = self.search_config(&game, left);
            config.mcts.leaves = self.evaluation(&game)?;
            let search = Search::new(&game, backend, config.clone())?;
            if self.config.budget.is_counted() {
                wait_for_engines(&game, backend, &config.mcts, waiting);
            }
            let is_current = self.follower.position()?.depth() == 0;
            self.search = Some(GameSearch { search, is_current });
        }
        let search = self.search.as_mut().expect("it was just made");
        Ok((search, self.follower.position()?))
    }
}

impl GameSearch {
    /// Searches from the current position; there is nothing to search once the match is over.
    fn think(
        &mut self,
        position: &SharedPosition,
        deadline: Option<Instant>,
        budget: &MoveBudget,
        stop: &Stop,
    ) -> Result<(), MachineError> {
        let budget = budget.within(stop.by(deadline.map(last_moment)));
        let stop = &budget.stop;
        if !self.is_current {
            self.search.set_stop(stop);
            self.search
                .set_position(position.position(), position.depth())?;
            self.is_current = true;
        }
        self.search.run(&budget)
    }
}

/// Returns when to stop thinking, so that the answer is there at the deadline.
fn last_moment(deadline: Instant) -> Instant {
    deadline.checked_sub(RESERVE).unwrap_or(deadline)
}

/// Returns the result of the search for the record of a move.
fn record(report: &SearchReport, choice: Option<SearchChoice>) -> serde_json::Value {
    let visits = report.moves.first().map(|best| best.visits);
    let mut record = json!({
        "value": report.value,
        "solved": report.solved,
        "visits": visits,
        "nodes": report.nodes,
        "playouts": report.playouts,
        "seconds": report.time.as_secs_f64(),
    });
    if let Some(local) = &report.local {
        record["local"] = json!(local);
    }
    if let Some(minimax) = &report.minimax {
        record["minimax"] = json!(minimax);
    }
    if let Some(choice) = choice {
        record["choice"] = json!(choice);
    }
    if let Some(plan) = &report.plan {
        record["plan"] = json!(plan);
    }
    if let Some(states) = &report.states {
        record["states"] = json!(states);
    }
    if let Some(method) = report.proved_by {
        record["proved_by"] = json!(method);
    }
    if !report.unproved.is_empty() {
        record["unproved"] = json!(report.unproved);
    }
    record
}

impl Player for MctsPlayer {
    fn prepare(&mut self, deadline: Instant, stop: &Stop) -> Result<(), PlayerError> {
        let budget = self.config.budget;
        let waiting = stop.by(last_moment(deadline));
        if let Some(search) = self.hidden(deadline)? {
            match budget.is_counted() {
                true => search.wait_for_code(&waiting),
                false => search.prepare(&waiting)?,
            }
            return Ok(());
        }
        let (search, position) = self.current(deadline, &waiting)?;
        search.search.prepare(&waiting)?;
        Ok(search.think(position, Some(deadline), &budget, stop)?)
    }

    fn choose(&mut self, deadline: Instant, stop: &Stop) -> Result<Choice, PlayerError> {
        let role: RoleId = self.seat.role;
        let budget = self.config.budget;
        if self.hidden(deadline)?.is_some() {
            return self.choose_by_belief(deadline, stop);
        }
        // Without a start clock, half of the time is for the search.
        let left = deadline.saturating_duration_since(Instant::now());
        let (search, position) = self.current(deadline, &stop.within(left / 2))?;
        let legal = position.legal(role, &stop.by(deadline))?.texts();
        match legal {
            [] => return Err(PlayerError::NoMove),
            [only] => return Ok(Choice::new(only.as_str())),
            _ => {}
        }
        if let Err(error) = search.think(position, Some(deadline), &budget, stop) {
            // There may still be a result from before.
            tracing::warn!(%error, "the search failed");
        }
        let report = search.search.report(role);
        let found = report.best.filter(|_| search.is_current);
        let found = found.map(|best| search.search.move_text(role, best));
        Ok(Choice {
            text: found.unwrap_or_else(|| legal[0].clone()),
            statistics: Some(record(&report, search.search.choice())),
        })
    }

    fn advance(
        &mut self,
        observed: &Observed,
        next: Option<&SharedPosition>,
    ) -> Result<(), PlayerError> {
        self.follower.advance(observed, next)?;
        if let Some(search) = &mut self.search {
            search.is_current = false;
        }
        Ok(())
    }

    fn ponder(&mut self, stop: &Stop) {
        if let (true, Some(hidden)) = (self.config.ponder, &self.hidden) {
            hidden.learn_until(stop);
        }
        if let (true, Some(search)) = (self.config.ponder, &mut self.search) {
            search.search.learn_until(stop);
            if !stop.is_set()
                && let Ok(position) = self.follower.position()
                && let Err(error) = search.think(position, None, &MoveBudget::default(), stop)
            {
                tracing::warn!(%error, "the search failed");
            }
        }
    }

    fn end(&mut self, _: &Ending) -> Result<(), PlayerError> {
        // Its provers in other processes end with it.
        self.search = None;
        self.hidden = None;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::load::Setup;
    use crate::play::matches::Rulesheet;

    /// A counted search waits for engines, but no longer than the clock runs.
    #[test]
    fn a_counted_player_is_ready_when_the_start_clock_ends() {
        let rules = "(role r) (init (at 0)) (succ 0 1) (succ 1 2) (legal r go) (legal r stay)
            (<= (next (at ?y)) (true (at ?x)) (succ ?x ?y)) (<= terminal (true (at 2)))
            (<= (next gone) (does r go)) (<= (next gone) (true gone))
            (<= (goal r 100) (true gone)) (<= (goal r 0) (not (true gone)))";
        let rulesheet = Rulesheet::parse("steps.kif", rules, Setup::default()).unwrap();
        let game = rulesheet.game().unwrap();
        let pause = game.engines().unwrap().analysis_pause();
        // As long as it lasts, there are no goal bounds.
        pause.begin();
        let seat = Seat {
            start_clock: Duration::ZERO,
            play_clock: Duration::from_secs(1000),
            ..Seat::first(&Arc::new(rulesheet))
        };
        let budget = MoveBudget::default().with_nodes(Some(2));
        let config = MctsPlayerConfig::for_budget(budget);
        let mut player = MctsPlayer::new(&seat, config);
        player.prepare(Instant::now(), &Stop::new()).unwrap();
        let deadline = Instant::now() + seat.play_clock;
        let choice = player.choose(deadline, &Stop::new()).unwrap();
        assert!(["go", "stay"].contains(&&*choice.text));
        assert!(game.goal_bounds().unwrap().found().is_none());
        pause.end();
    }
}
