//! One of the games of a comparison: its states, and how they go on.

use std::sync::Arc;

use propjit_stop::Stop;

use super::config::{Measure, SimilarityConfig};
use super::error::SimilarityError;
use super::irreversible::Irreversible;
use crate::game::engine::{EngineSubscription, MatchEngines, PlayoutPolicy};
use crate::game::ground::GroundGame;
use crate::game::load::Game;
use crate::game::machine::batch::Batch;
use crate::game::machine::expansion::Expander;
use crate::game::machine::{Backend, MachineError, Move, State};

/// A game, with what evaluates its states.
pub(super) struct Side {
    pub(super) game: Arc<GroundGame>,
    /// Not needed for a measure that does not distinguish such moves.
    pub(super) irreversible: Option<Irreversible>,
    /// The lowest and the highest goal of each role.
    pub(super) goals: Vec<(i32, i32)>,
    expander: Expander,
    batch: Batch,
    subscription: EngineSubscription,
}

/// The result of a joint move.
pub(super) struct Step {
    /// The index of the state in which it was made.
    pub(super) parent: usize,
    pub(super) joint: Vec<Move>,
    /// The packed state.
    pub(super) state: Vec<u64>,
    pub(super) goals: Option<Vec<i32>>,
}

impl Side {
    /// # Errors
    /// If the game is not ground.
    pub(super) fn new(
        game: &Game,
        config: &SimilarityConfig,
        stop: &Stop,
    ) -> Result<Side, SimilarityError> {
        let not_ground = MachineError::NotGround {
            backend: Backend::Lanes,
        };
        let engines = game.engines().ok_or(not_ground)?;
        let ground = engines.game();
        let irreversible = match config.measure {
            Measure::Continuations => None,
            _ => Some(Irreversible::find(game, ground, stop)?),
        };
        let goals = ground.propnet().roles.iter().map(|role| {
            let values = role.goals.iter().map(|goal| goal.value);
            let (low, high) = (values.clone().min(), values.max());
            (low.unwrap_or(0), high.unwrap_or(0))
        });
        let mut subscription = MatchEngines::new(engines.clone()).subscribe(PlayoutPolicy::Uniform);
        Ok(Side {
            irreversible,
            goals: goals.collect(),
            expander: Expander::new(engines),
            batch: Batch::new(ground.clone(), subscription.current()),
            subscription,
            game: ground.clone(),
        })
    }

    /// The number of words of a packed state.
    pub(super) fn words(&self) -> usize {
        self.expander.words()
    }

    /// Returns the batch, on the best engine.
    pub(super) fn batch(&mut self) -> &mut Batch {
        if let Some(engine) = self.subscription.poll() {
            self.batch.switch(engine);
        }
        &mut self.batch
    }

    /// Returns the goals in a state, if it is terminal.
    pub(super) fn goals_at_end(&mut self, state: &State) -> Option<Vec<i32>> {
        let packed = state.packed(self.words());
        let goals = self.expander.goals_at_end(&packed);
        goals.as_deref().map(counted)
    }

    /// Returns the successors of packed states by every joint move; `None` if there are more than `most`, or a stop comes.
    pub(super) fn follow(&mut self, packed: &[u64], most: usize, stop: &Stop) -> Option<Vec<Step>> {
        let mut steps = Vec::new();
        let are_all = self.expander.expand_while(packed, |child| {
            steps.push(Step {
                parent: child.parent,
                joint: child.joint.to_vec(),
                state: child.state.to_vec(),
                goals: child.goals.map(counted),
            });
            steps.len() <= most && !stop.is_set()
        });
        are_all.then_some(steps)
    }
}

/// Returns the goals at an end, with undefined ones as 0.
fn counted(goals: &[Option<i32>]) -> Vec<i32> {
    goals.iter().map(|goal| goal.unwrap_or(0)).collect()
}
