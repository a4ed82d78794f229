//! Tree search of many games at once, with one evaluation from outside for the leaves of all of them: for self-play of
//! the AlphaZero kind.
//!
//! Each game has a tree of its own. In a step, each tree is descended to a new node by PUCT, or by Gumbel noise with
//! sequential halving at the root and completed values below it; the nodes of all games are found in lanes, and what
//! players observe in them is evaluated in one call. The end of a match needs no evaluation, so that a descent to one is
//! followed by another one in the same step.
//!
//! It is for ground games without hidden information in which one player at a time has a choice, of any number of
//! players. Moves of the role `random` are edges of the tree that are drawn with the same probability each. A match that is
//! truncated, or leaves a goal undefined, counts as the middle of the range of rewards.
//!
//! ```
//! # use propjit::game::load::{Game, Setup};
//! use std::error::Error;
//!
//! use propjit::Stop;
//! use propjit::search::batched::{BatchSearch, BatchSearchConfig};
//! use propjit::search::external::{ObservedEvaluator, ObservedPositions};
//!
//! /// Nothing is known about any position.
//! #[derive(Debug)]
//! struct Ignorance;
//!
//! impl ObservedEvaluator for Ignorance {
//!     fn evaluate(
//!         &self,
//!         _positions: &ObservedPositions,
//!         values: &mut [f32],
//!         _logits: &mut [f32],
//!     ) -> Result<(), Box<dyn Error + Send + Sync>> {
//!         values.fill(0.0);
//!         Ok(())
//!     }
//! }
//!
//! # let rules = propjit::gdl::games::text("ticTacToe").unwrap();
//! # let game = Game::from_text("ticTacToe.kif", rules, &Setup::default())?;
//! let initial = game.ground_game().unwrap().initial().clone();
//! let states = vec![initial; 64];
//! let mut search = BatchSearch::new(&game, &states, BatchSearchConfig::default())?;
//! let mut moves = 0;
//! while search.ends().any(|end| end.is_none()) {
//!     search.run(20, &Ignorance, &Stop::new())?;
//!     let actions = search.best_actions();
//!     search.advance(&actions)?;
//!     moves += 1;
//! }
//! assert!((5..=9).contains(&moves));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod config;
mod error;
mod game;
mod gumbel;
mod leaves;
mod puct;
mod results;
mod tree;

use std::fmt;
use std::sync::Arc;

use propjit_jit::lanes::transpose::column_words;
use propjit_stop::Stop;
use rand::RngExt;

use crate::game::environment::{
    EnvironmentConfig, OVER, Observed, RewardRule, Shape, VectorEnvironment,
};
use crate::game::ground::GroundGame;
use crate::game::load::Game as LoadedGame;
use crate::game::machine::{Move, RoleId, State};
use crate::search::external::{ObservedEvaluator, ObservedPositions};
use crate::support::rng::streams;

pub use config::{BatchSearchConfig, Noise, SettingError};
pub use error::SearchError;
use game::{End, Game};
use leaves::{Leaves, Requests};
pub use results::MatchEnd;
use tree::{ROOT, Tree, Turn};

/// A search of many games at once. See the [module](self).
pub struct BatchSearch {
    ground: Arc<GroundGame>,
    shape: Arc<Shape>,
    rewards: RewardRule,
    config: BatchSearchConfig,
    games: Vec<Game>,
    leaves: Leaves,
    requests: Requests,
}

impl BatchSearch {
    /// Creates searches of these states. Forced moves are played in them first, and those of chance, until a player has
    /// a choice.
    ///
    /// # Errors
    /// If the game or the configuration is not one for such searches.
    pub fn new(
        game: &LoadedGame,
        states: &[State],
        config: BatchSearchConfig,
    ) -> Result<BatchSearch, SearchError> {
        config.check()?;
        let engines = game.engines().ok_or(SearchError::NotGround)?;
        if game.hides_information() || config.observed == Observed::Percepts {
            return Err(SearchError::Hidden);
        }
        let environment = EnvironmentConfig::default()
            .with_observed(config.observed.clone())
            .with_rewards(config.rewards)
            .with_max_steps(config.max_steps)
            .with_stop(config.stop.clone());
        // What players are rewarded with, and whether they choose at the same time, is found as for environments.
        let environment = VectorEnvironment::new(engines, &environment)?;
        if environment.shape().joint {
            return Err(SearchError::Several);
        }
        let (shape, rewards) = (
            Arc::new(environment.shape().clone()),
            *environment.rewards(),
        );
        let leaves = Leaves::new(engines, shape.clone(), rewards, config.max_steps);
        let tree = Tree::new(leaves.words(), shape.players.len());
        let games = streams(config.seed).take(states.len());
        let games = games.map(|rng| Game::new(tree.clone(), rng)).collect();
        let mut search = BatchSearch {
            ground: engines.game().clone(),
            shape,
            rewards,
            config,
            games,
            leaves,
            requests: Requests::default(),
        };
        search.set_states(states.iter().enumerate())?;
        Ok(search)
    }

    /// Returns the sizes of observations and actions, and the players.
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// Returns what players are rewarded with.
    pub fn rewards(&self) -> &RewardRule {
        &self.rewards
    }

    /// Returns the number of games.
    pub fn len(&self) -> usize {
        self.games.len()
    }

    /// Returns whether there are no games.
    pub fn is_empty(&self) -> bool {
        self.games.is_empty()
    }

    /// Goes on from other states in some games, given by their numbers: nothing is known about them. Forced moves are
    /// played first, and those of chance, until a player has a choice.
    ///
    /// # Errors
    /// If several players have a choice.
    ///
    /// # Panics
    /// If there is no such game.
    pub fn set_states<'a>(
        &mut self,
        states: impl IntoIterator<Item = (usize, &'a State)>,
    ) -> Result<(), SearchError> {
        let words = self.leaves.words();
        self.requests.clear();
        let mut numbers = Vec::new();
        for (number, state) in states {
            assert!(number < self.games.len(), "a game of the search");
            self.requests.push(&state.packed(words), 0);
            numbers.push(number);
        }
        self.settle(numbers)
    }

    /// Searches until each game has had this number of simulations more, or a stop comes.
    ///
    /// # Errors
    /// If the evaluator fails, or returns what is no evaluation; or several players have a choice in a state. The search
    /// can go on then.
    pub fn run(
        &mut self,
        simulations: u32,
        evaluator: &dyn ObservedEvaluator,
        stop: &Stop,
    ) -> Result<(), SearchError> {
        let searched = self.search(simulations, evaluator, stop);
        self.games.iter_mut().for_each(Game::give_up);
        searched
    }

    fn search(
        &mut self,
        simulations: u32,
        evaluator: &dyn ObservedEvaluator,
        stop: &Stop,
    ) -> Result<(), SearchError> {
        let fresh = self.games.iter().enumerate();
        let fresh = fresh.filter(|(_, game)| game.is_fresh());
        let mut waiting: Vec<(usize, u32)> = fresh.map(|(number, _)| (number, ROOT)).collect();
        let mut positions = ObservedPositions::new(self.shape.clone());
        waiting
            .iter()
            .for_each(|&(number, _)| self.observe_root(number, &mut positions));
        self.evaluate(&waiting, &positions, evaluator)?;
        for game in self.games.iter_mut().filter(|game| game.end.is_none()) {
            game.begin(simulations, &self.config);
        }
        while !stop.is_set() {
            waiting.clear();
            positions.clear();
            self.collect(&mut waiting, &mut positions)?;
            if waiting.is_empty() {
                break;
            }
            self.evaluate(&waiting, &positions, evaluator)?;
        }
        Ok(())
    }

    /// Descends in all games to nodes that have to be evaluated.
    fn collect(
        &mut self,
        waiting: &mut Vec<(usize, u32)>,
        positions: &mut ObservedPositions,
    ) -> Result<(), SearchError> {
        let games = self.games.iter().enumerate();
        let going = games.filter(|(_, game)| game.left > 0);
        let mut going: Vec<usize> = going.map(|(number, _)| number).collect();
        // Where a match ends or chance comes next, a descent goes on. The last few can do so in the next step.
        while 4 * going.len() > waiting.len() {
            self.requests.clear();
            going.retain(|&number| {
                let game = &mut self.games[number];
                let Some((node, place)) = game.descend(&self.config) else {
                    return false;
                };
                let (ground, shape) = (&self.ground, &self.shape);
                request(&mut self.requests, ground, shape, &game.tree, node, place);
                true
            });
            if going.is_empty() {
                break;
            }
            self.leaves.find(&self.requests)?;
            let mut at = 0..;
            going.retain(|&number| {
                let at = at.next().expect("numbers do not end");
                let game = &mut self.games[number];
                let node = game.add(self.leaves.node(at));
                match self.leaves.turn(at) {
                    Turn::Player(player) => {
                        waiting.push((number, node));
                        let (observation, legal) =
                            (self.leaves.observation(at), self.leaves.legal(at));
                        positions.push(observation, legal, player as i32);
                        false
                    }
                    Turn::Chance => true,
                    Turn::Over => {
                        let (rewards, truncated) = self.leaves.end(at);
                        let values = rewards.iter().map(|&reward| match truncated {
                            true => 0.0,
                            false => scaled(&self.rewards, reward),
                        });
                        game.count(node, &values.collect::<Vec<_>>());
                        game.left > 0
                    }
                }
            });
        }
        Ok(())
    }

    /// Has nodes evaluated.
    fn evaluate(
        &mut self,
        waiting: &[(usize, u32)],
        positions: &ObservedPositions,
        evaluator: &dyn ObservedEvaluator,
    ) -> Result<(), SearchError> {
        if waiting.is_empty() {
            return Ok(());
        }
        let (players, actions) = (self.shape.players.len(), self.shape.actions);
        let mut values = vec![0.0; waiting.len() * players];
        let mut logits = vec![0.0; waiting.len() * actions];
        evaluator
            .evaluate(positions, &mut values, &mut logits)
            .map_err(SearchError::Evaluation)?;
        self.check(waiting, &values, &logits)?;
        for value in &mut values {
            *value = scaled(&self.rewards, *value);
        }
        let results = values
            .chunks_exact(players)
            .zip(logits.chunks_exact(actions));
        for (&(number, node), (values, logits)) in waiting.iter().zip(results) {
            self.games[number].evaluate(node, values, logits);
        }
        Ok(())
    }

    /// Checks an evaluation of nodes.
    fn check(
        &self,
        waiting: &[(usize, u32)],
        values: &[f32],
        logits: &[f32],
    ) -> Result<(), SearchError> {
        if let Some(value) = values.iter().find(|value| !value.is_finite()) {
            return Err(SearchError::Value(*value));
        }
        if logits.iter().all(|logit| logit.is_finite()) {
            return Ok(());
        }
        let rows = logits.chunks_exact(self.shape.actions);
        for (&(number, node), row) in waiting.iter().zip(rows) {
            let actions = self.games[number].tree.actions(node).iter();
            let legal = actions.map(|&action| row[action as usize]);
            let are_numbers = legal.clone().all(|logit| logit < f32::INFINITY);
            if !are_numbers || !legal.clone().any(f32::is_finite) {
                return Err(SearchError::Logits(legal.collect()));
            }
        }
        Ok(())
    }

    /// Takes an action in each game that is not over, and keeps what is known of what follows. Forced moves are played,
    /// and those of chance, until a player has a choice.
    ///
    /// # Errors
    /// If there is not an action for each game, those that are over included, or one is not legal; then nothing has
    /// changed.
    pub fn advance(&mut self, actions: &[i32]) -> Result<(), SearchError> {
        if actions.len() != self.games.len() {
            return Err(SearchError::Count {
                expected: self.games.len(),
                given: actions.len(),
            });
        }
        let going = self.games.iter().zip(actions).enumerate();
        let going = going.filter(|(_, (game, _))| game.end.is_none());
        let mut taken = Vec::new();
        for (number, (game, &action)) in going {
            let legal = game.tree.actions(ROOT);
            let found = u32::try_from(action).ok();
            match found.filter(|action| legal.contains(action)) {
                Some(action) => taken.push((number, action)),
                None => {
                    let player = self.role_at_root(number);
                    return Err(SearchError::Illegal {
                        game: number,
                        player: self.ground.roles()[player.index()].to_string(),
                        action,
                    });
                }
            }
        }
        self.requests.clear();
        let mut unknown = Vec::new();
        for (number, action) in taken {
            if self.follow(number, action) {
                unknown.push(number);
            }
        }
        self.settle(unknown)
    }

    /// Goes on from the node that an action leads to, if it is known. Otherwise adds a request, and returns true.
    fn follow(&mut self, number: usize, action: u32) -> bool {
        let Game { tree, rng, .. } = &mut self.games[number];
        let actions = tree.actions(ROOT).iter();
        let place = actions.copied().position(|own| own == action);
        let (mut from, mut place) = (ROOT, place.expect("the action is legal"));
        loop {
            let next = tree.next(from, place);
            match next.map(|next| (next, tree.nodes[next as usize].turn)) {
                Some((next, Turn::Player(_))) => {
                    self.games[number].keep(next);
                    return false;
                }
                Some((next, Turn::Chance)) => {
                    place = rng.random_range(0..tree.actions(next).len());
                    from = next;
                }
                // How a match ended is not in the tree.
                Some((_, Turn::Over)) | None => {
                    let (ground, shape) = (&self.ground, &self.shape);
                    request(&mut self.requests, ground, shape, tree, from, place);
                    return true;
                }
            }
        }
    }

    /// Begins games anew with what follows from the requests, which are for games of these numbers, once a player has a
    /// choice.
    fn settle(&mut self, mut numbers: Vec<usize>) -> Result<(), SearchError> {
        while !numbers.is_empty() {
            self.leaves.find(&self.requests)?;
            self.requests.clear();
            let mut at = 0..;
            numbers.retain(|&number| {
                let at = at.next().expect("numbers do not end");
                let game = &mut self.games[number];
                let node = self.leaves.node(at);
                let end = (node.turn == Turn::Over).then(|| {
                    let (rewards, truncated) = self.leaves.end(at);
                    End {
                        rewards: rewards.to_vec(),
                        truncated,
                    }
                });
                game.restart(node, end);
                if node.turn != Turn::Chance {
                    return false;
                }
                let Game { tree, rng, .. } = game;
                let place = rng.random_range(0..tree.actions(ROOT).len());
                let (ground, shape) = (&self.ground, &self.shape);
                request(&mut self.requests, ground, shape, tree, ROOT, place);
                true
            });
        }
        Ok(())
    }

    fn role_at_root(&self, number: usize) -> RoleId {
        match self.games[number].tree.root().turn {
            Turn::Player(player) => self.shape.players[player as usize],
            Turn::Chance | Turn::Over => RoleId(0),
        }
    }

    /// Adds what is observed at a root.
    fn observe_root(&self, number: usize, positions: &mut ObservedPositions) {
        let tree = &self.games[number].tree;
        let (player, current) = match tree.root().turn {
            Turn::Player(player) => (player as usize, player as i32),
            Turn::Chance | Turn::Over => (0, OVER),
        };
        let state = tree.state(ROOT);
        let mut observation = Vec::new();
        match &self.shape.observed {
            Observed::Features(features) => features.pack(player, state, &mut observation),
            _ => observation.extend_from_slice(&state[..column_words(self.shape.elements)]),
        }
        let mut legal = vec![0; column_words(self.shape.actions)];
        for action in tree.actions(ROOT) {
            legal[*action as usize / 64] |= 1 << (action % 64);
        }
        positions.push(&observation, &legal, current);
    }

    /// Returns what is observed in the states where the searches begin. Where a match is over, the current player is
    /// [`OVER`], no action is legal, and it is what the first player observes.
    pub fn positions(&self) -> ObservedPositions {
        let mut positions = ObservedPositions::new(self.shape.clone());
        (0..self.len()).for_each(|number| self.observe_root(number, &mut positions));
        positions
    }
}

impl fmt::Debug for BatchSearch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BatchSearch")
            .field("games", &self.games.len())
            .field("config", &self.config)
            .finish_non_exhaustive()
    }
}

/// Requests what an edge of a node leads to.
fn request(
    requests: &mut Requests,
    game: &GroundGame,
    shape: &Shape,
    tree: &Tree,
    node: u32,
    place: usize,
) {
    let action = tree.actions(node)[place];
    let of_player = |(player, action): (u32, u32)| {
        let role = shape.players[player as usize];
        let played = game.actions().played(role, action as usize);
        played.map(|played| (role, played))
    };
    let details = &tree.details[node as usize];
    let moves = match tree.nodes[node as usize].turn {
        Turn::Player(player) => [of_player((player, action)), None],
        Turn::Chance => [
            details.pending.and_then(of_player),
            shape.random.map(|role| (role, Move(action))),
        ],
        Turn::Over => [None, None],
    };
    requests.push(tree.state(node), details.depth);
    requests.moves.push(moves);
}

/// Scales a reward to -1 to 1. If it is not a number, that is the middle.
fn scaled(rewards: &RewardRule, reward: f32) -> f32 {
    let (least, greatest) = rewards.range();
    match greatest > least && !reward.is_nan() {
        true => (2.0 * (reward - least) / (greatest - least) - 1.0).clamp(-1.0, 1.0),
        false => 0.0,
    }
}
