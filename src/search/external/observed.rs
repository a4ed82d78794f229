//! Positions as learners observe them, and evaluators of those.

use std::error::Error;
use std::fmt;
use std::sync::Arc;

use propjit_jit::lanes::transpose::column_words;
use propjit_jit::lanes::unpack::to_bytes;

use super::{LeafEvaluator, Position, Positions};
use crate::game::environment::{Observation, Observed, RewardRule, SEVERAL, Shape};
use crate::game::ground::GroundGame;

/// Positions in which a player has a choice, as [environments](crate::game::environment) show them.
#[derive(Clone, Debug)]
pub struct ObservedPositions {
    shape: Arc<Shape>,
    /// What each observer sees in each position, packed.
    observations: Vec<u64>,
    /// The legal actions of each actor in each position, packed.
    legal: Vec<u64>,
    current: Vec<i32>,
}

/// An evaluator of positions by what is observed in them, such as a neural network.
pub trait ObservedEvaluator: fmt::Debug + Send + Sync {
    /// Evaluates positions.
    ///
    /// `values` has an element for each [player](Shape::players) of each position, the players of one position after
    /// those of the other: the [reward](RewardRule) that the player can expect. It is empty if playouts give the values.
    ///
    /// `logits` has an element for each [action](Shape::actions) of each [actor](Shape::actors) of each position: the
    /// logarithm of how likely it should be chosen, up to a constant; minus infinity is never. Those of actions that are
    /// not legal do not matter. They are 0 at first, which makes all actions equally likely.
    ///
    /// # Errors
    /// Whatever happens: it ends the search.
    fn evaluate(
        &self,
        positions: &ObservedPositions,
        values: &mut [f32],
        logits: &mut [f32],
    ) -> Result<(), Box<dyn Error + Send + Sync>>;
}

/// Leaves of a search, evaluated by what is observed in them.
#[derive(Debug)]
pub struct ObservedLeaves {
    /// The game.
    pub game: Arc<GroundGame>,
    /// The sizes and the contents of observations.
    pub shape: Arc<Shape>,
    /// What players are rewarded with.
    pub rewards: RewardRule,
    /// The evaluator.
    pub evaluator: Arc<dyn ObservedEvaluator>,
}

/// Several players have a choice in a position, though one is to act.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error(
    "several players have a choice in a position: searches of this game need `joint=True`, which passes masks of each \
     player to functions"
)]
pub struct SeveralChoose;

impl ObservedPositions {
    /// Returns no positions, of a game with these sizes.
    pub(crate) fn new(shape: Arc<Shape>) -> ObservedPositions {
        ObservedPositions {
            shape,
            observations: Vec::new(),
            legal: Vec::new(),
            current: Vec::new(),
        }
    }

    pub(crate) fn clear(&mut self) {
        self.observations.clear();
        self.legal.clear();
        self.current.clear();
    }

    /// Adds a position: what is observed and the legal actions, packed, and the current player.
    pub(crate) fn push(&mut self, observation: &[u64], legal: &[u64], current: i32) {
        self.observations.extend_from_slice(observation);
        self.legal.extend_from_slice(legal);
        self.current.push(current);
    }

    /// Returns the number of positions.
    pub fn len(&self) -> usize {
        self.current.len()
    }

    /// Returns whether there are no positions.
    pub fn is_empty(&self) -> bool {
        self.current.is_empty()
    }

    /// Returns the sizes and the contents of observations.
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// Returns the number, among the players, of the one that has a choice in each position: [`SEVERAL`] if several
    /// have.
    pub fn current(&self) -> &[i32] {
        &self.current
    }

    /// Returns the legal actions of each actor in each position: for each, a bit per action, packed from the lowest bit
    /// of a word on.
    pub fn legal(&self) -> &[u64] {
        &self.legal
    }

    /// Writes what each [observer](Shape::observers) sees in each position.
    ///
    /// # Panics
    /// If there is not as much room.
    pub fn observe(&self, mut to: Observation<'_>) {
        to.write(self.shape.elements, &self.observations);
    }

    /// Writes whether each action of each actor is legal in each position, 1 or 0.
    ///
    /// # Panics
    /// If there is not as much room.
    pub fn write_legal(&self, to: &mut [u8]) {
        if self.shape.actions > 0 {
            to_bytes(&[&self.legal], self.shape.actions, to);
        }
    }

    /// Returns positions of a search as they are observed.
    fn of(
        positions: &Positions,
        game: &GroundGame,
        shape: &Arc<Shape>,
    ) -> Result<ObservedPositions, SeveralChoose> {
        let mut observed = ObservedPositions::new(shape.clone());
        let words = column_words(shape.elements);
        let of_actor = column_words(shape.actions);
        let mut legal = vec![0; of_actor * shape.actors()];
        for position in positions.each() {
            let current = current(position, shape);
            let state = position.state.words();
            match &shape.observed {
                Observed::Features(features) => {
                    let players = match (features.are_relative(), shape.joint) {
                        (true, true) => 0..shape.players.len(),
                        (true, false) => current.max(0) as usize..current.max(0) as usize + 1,
                        (false, _) => 0..1,
                    };
                    let packed = &mut observed.observations;
                    players.for_each(|player| features.pack(player, state, packed));
                }
                _ => position.state.pack(words, &mut observed.observations),
            }
            legal.fill(0);
            for (actor, role) in shape.acting(current)?.iter().enumerate() {
                for &played in position.legal.role(*role) {
                    let action = game.actions().of(*role, played);
                    legal[actor * of_actor + action / 64] |= 1 << (action % 64);
                }
            }
            observed.legal.extend_from_slice(&legal);
            observed.current.push(current);
        }
        Ok(observed)
    }
}

impl Shape {
    /// Returns the players who act where this is the current player.
    fn acting(&self, current: i32) -> Result<&[crate::game::machine::RoleId], SeveralChoose> {
        match (self.joint, current) {
            (true, _) => Ok(&self.players),
            (false, SEVERAL) => Err(SeveralChoose),
            (false, player) => Ok(self
                .players
                .get(player as usize..=player as usize)
                .unwrap_or(&[])),
        }
    }
}

/// Returns the number of the player that has a choice, 0 if none has one, and [`SEVERAL`] if several have.
fn current(position: Position<'_>, shape: &Shape) -> i32 {
    let players = (0..).zip(&shape.players);
    let mut choosing = players.filter(|(_, role)| position.legal.role(**role).len() > 1);
    match (choosing.next(), choosing.next()) {
        (None, _) => 0,
        (Some((player, _)), None) => player,
        (Some(_), Some(_)) => SEVERAL,
    }
}

impl LeafEvaluator for ObservedLeaves {
    fn evaluate(
        &self,
        positions: &Positions,
        values: &mut [f32],
        logits: &mut [f32],
    ) -> Result<(), Box<dyn Error + Send + Sync>> {
        let shape = &self.shape;
        let observed = ObservedPositions::of(positions, &self.game, shape)?;
        let players = match values.is_empty() {
            true => 0,
            false => shape.players.len(),
        };
        let mut rewards = vec![0.0; positions.len() * players];
        let mut of_actions = vec![0.0; positions.len() * shape.actors() * shape.actions];
        self.evaluator
            .evaluate(&observed, &mut rewards, &mut of_actions)?;
        let places = values.chunks_exact_mut(positions.roles());
        for (values, rewards) in places.zip(rewards.chunks_exact_mut(players.max(1))) {
            self.rewards.to_goals(rewards);
            for (role, value) in shape.players.iter().zip(rewards) {
                values[role.index()] = *value;
            }
        }
        for (at, position) in positions.each().enumerate() {
            for (actor, &role) in shape.acting(observed.current[at])?.iter().enumerate() {
                let row = (at * shape.actors() + actor) * shape.actions;
                let moves = position.legal.role(role).iter();
                for (&played, place) in moves.zip(positions.places(at, role)) {
                    logits[place] = of_actions[row + self.game.actions().of(role, played)];
                }
            }
        }
        Ok(())
    }
}
