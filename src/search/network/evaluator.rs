//! The network of a game.

use std::error::Error;
use std::sync::Arc;

use propjit_stop::Stop;

use super::error::NetworkError;
use super::layer::{Activations, Form, form_after, run};
use super::{Network, Observation};
use crate::game::boards::Planes;
use crate::game::environment::{
    EnvironmentConfig, Observation as Array, Observed, RewardRule, Rewards, Shape,
    VectorEnvironment,
};
use crate::game::ground::GroundGame;
use crate::game::load::Game;
use crate::search::external::{
    LeafEvaluation, ObservedEvaluator, ObservedLeaves, ObservedPositions,
};

/// A network that evaluates positions of a game.
#[derive(Clone, Debug)]
pub struct NetworkEvaluator {
    network: Network,
    game: Arc<GroundGame>,
    shape: Arc<Shape>,
    rewards: RewardRule,
    input: Form,
}

impl Network {
    /// Returns the network as an evaluator of the positions of a game.
    ///
    /// # Errors
    /// If it is for another game, or does not fit.
    pub fn evaluator(&self, game: &Game, stop: &Stop) -> Result<NetworkEvaluator, NetworkError> {
        let contents = &self.0;
        let name = || game.rules().source.name().to_string();
        let unsuitable = |reason| NetworkError::Unsuitable {
            game: name(),
            reason,
        };
        let engines = game.engines();
        let engines = engines.ok_or_else(|| unsuitable("it could not be grounded"))?;
        if game.hides_information() {
            return Err(unsuitable("players do not see the state"));
        }
        let found = engines.game().vocabulary_hash().to_string();
        if found != contents.game {
            return Err(NetworkError::Game {
                path: contents.path.clone(),
                game: name(),
                expected: contents.game.clone(),
                found,
            });
        }
        let (observed, input) = match contents.observation {
            Observation::Fluents => {
                let count = engines.game().layout().bases.len();
                (Observed::State, Form::Numbers(count))
            }
            Observation::Planes { relative } => {
                let planes = Planes::find(game, relative, stop)?;
                let planes = planes.ok_or_else(|| unsuitable("it could not be grounded"))?;
                (
                    Observed::Features(planes.features().clone()),
                    Form::Maps(planes.shape()),
                )
            }
        };
        let config = EnvironmentConfig::default()
            .with_observed(observed)
            .with_rewards(Some(contents.rewards))
            .with_stop(stop.clone());
        let environment = VectorEnvironment::new(engines, &config)?;
        if environment.shape().joint {
            return Err(unsuitable("several players have a choice at the same time"));
        }
        let evaluator = NetworkEvaluator {
            network: self.clone(),
            game: engines.game().clone(),
            shape: Arc::new(environment.shape().clone()),
            rewards: *environment.rewards(),
            input,
        };
        evaluator.check().map_err(|reason| NetworkError::Shape {
            path: contents.path.clone(),
            reason,
        })?;
        Ok(evaluator)
    }

    /// Returns the network as an evaluation of the leaves of a search of a game.
    ///
    /// # Errors
    /// If it is for another game, or does not fit.
    pub fn evaluation(&self, game: &Game, stop: &Stop) -> Result<LeafEvaluation, NetworkError> {
        let evaluator = self.evaluator(game, stop)?;
        Ok(LeafEvaluation::new(Arc::new(ObservedLeaves {
            game: evaluator.game.clone(),
            shape: evaluator.shape.clone(),
            rewards: evaluator.rewards,
            evaluator: Arc::new(evaluator),
        })))
    }
}

impl NetworkEvaluator {
    /// Returns the sizes of observations and actions, and the players.
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// Returns what players are rewarded with.
    pub fn rewards(&self) -> &RewardRule {
        &self.rewards
    }

    /// Checks that all layers fit, and what comes out.
    fn check(&self) -> Result<(), String> {
        let contents = &self.network.0;
        let shape = &self.shape;
        let body = form_after(&contents.body, self.input)?;
        let policy = form_after(&contents.policy, body)?;
        let value = form_after(&contents.value, body)?;
        if ![shape.choices, shape.actions]
            .map(Form::Numbers)
            .contains(&policy)
        {
            return Err(format!(
                "its policy must be {} logits, one for each choice, or {}, one for each action",
                shape.choices, shape.actions
            ));
        }
        let players = shape.players.len();
        let may_be_one = contents.rewards == Rewards::ZeroSum && players == 2;
        match value {
            Form::Numbers(count) if count == players || count == 1 && may_be_one => Ok(()),
            _ => Err(format!(
                "its value must be {players} numbers, one for each player, or that of the player with a choice where \
                 rewards are zero-sum"
            )),
        }
    }
}

impl ObservedEvaluator for NetworkEvaluator {
    fn evaluate(
        &self,
        positions: &ObservedPositions,
        values: &mut [f32],
        logits: &mut [f32],
    ) -> Result<(), Box<dyn Error + Send + Sync>> {
        let (contents, shape) = (&self.network.0, &self.shape);
        let mut observation = vec![0.0; positions.len() * shape.elements];
        positions.observe(Array::Floats(&mut observation));
        let body = run(&contents.body, Activations::new(self.input, observation));
        let policy = run(&contents.policy, body.clone()).into_numbers();
        let rows = logits.chunks_exact_mut(shape.actions.max(1));
        for (row, found) in rows.zip(policy.outer_iter()) {
            row.iter_mut()
                .zip(found)
                .for_each(|(logit, found)| *logit = *found);
        }
        if values.is_empty() {
            return Ok(());
        }
        let value = run(&contents.value, body).into_numbers();
        let rows = values.chunks_exact_mut(shape.players.len().max(1));
        for ((row, found), &current) in rows.zip(value.outer_iter()).zip(positions.current()) {
            if found.len() == row.len() {
                row.iter_mut()
                    .zip(found)
                    .for_each(|(value, found)| *value = *found);
            } else {
                for (player, value) in (0..).zip(row) {
                    *value = if player == current {
                        found[0]
                    } else {
                        -found[0]
                    };
                }
            }
        }
        Ok(())
    }
}
