//! External evaluation of leaves, such as by a neural network.
//!
//! A search with a [`LeafEvaluation`] collects leaves and hands their [`Positions`] over in one call. It
//! gets a logit for each legal move, and the softmax of the logits gives the prior probability of the move
//! in the tree. It also gets the value of each leaf: a value for each role, or the goals at the end of a
//! playout in which moves are drawn from that softmax. Proofs do not depend on either.
//! An [`ObservedEvaluator`] gets [`ObservedPositions`] instead: observations and legal actions, as learners have them.
//!
//! ```
//! # use propjit::game::load::{Game, Setup};
//! use std::{error::Error, sync::Arc};
//!
//! use propjit::game::machine::{Backend, RoleId};
//! use propjit::search::SearchBudget;
//! use propjit::search::external::{LeafEvaluation, LeafEvaluator, Positions};
//! use propjit::search::mcts::{Mcts, MctsConfig};
//!
//! /// Nothing is known about any position.
//! #[derive(Debug)]
//! struct Ignorance;
//!
//! impl LeafEvaluator for Ignorance {
//!     fn evaluate(
//!         &self,
//!         positions: &Positions,
//!         values: &mut [f32],
//!         _logits: &mut [f32],
//!     ) -> Result<(), Box<dyn Error + Send + Sync>> {
//!         assert_eq!(values.len(), positions.len() * positions.roles());
//!         values.fill(50.0);
//!         Ok(())
//!     }
//! }
//!
//! # let rules = propjit::gdl::games::text("ticTacToe").unwrap();
//! # let game = Game::from_text("ticTacToe.kif", rules, &Setup::default())?;
//! let leaves = LeafEvaluation::new(Arc::new(Ignorance)).with_batch(64);
//! let config = MctsConfig::default().with_leaves(Some(leaves));
//! let mut search = Mcts::new(&game, Backend::Lanes, config)?;
//! search.run(&SearchBudget::default().with_playouts(Some(100_000)))?;
//! let report = search.report(RoleId(0));
//! assert_eq!((report.solved, report.value), (true, Some(50.0)));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod observed;
mod playouts;
mod positions;

use std::error::Error;
use std::fmt;
use std::sync::Arc;

use crate::game::machine::{MachineError, RoleId};
use crate::support::setters::setters;

pub use observed::{ObservedEvaluator, ObservedLeaves, ObservedPositions, SeveralChoose};
pub(crate) use playouts::{PolicyPlayouts, positions_of, softmax};
pub use positions::{Position, Positions};

/// An evaluator of positions, many at a time. The threads of a search share it.
pub trait LeafEvaluator: fmt::Debug + Send + Sync {
    /// Evaluates positions.
    ///
    /// `values` has an element for each role of each position, the roles of one position after those of the
    /// other: the goal that the role can expect. Values beyond the goals of the game count as the nearest
    /// of them. It is empty if [playouts](LeafEvaluation::playouts) give the values.
    ///
    /// `logits` has an element for each legal move, at the [places](Positions::places) of each
    /// position and role: the logarithm of how likely the move should be chosen, up to a constant;
    /// minus infinity is never. They are 0 at first, which makes all moves equally likely.
    ///
    /// # Errors
    /// Whatever happens: it ends the search, which says so by [`MachineError::Evaluation`].
    fn evaluate(
        &self,
        positions: &Positions,
        values: &mut [f32],
        logits: &mut [f32],
    ) -> Result<(), Box<dyn Error + Send + Sync>>;
}

/// How leaves are evaluated from outside.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct LeafEvaluation {
    /// The evaluator of the leaves.
    pub evaluator: Arc<dyn LeafEvaluator>,
    /// How many leaves there are in a call at most. While there are few visits, there are fewer, as
    /// leaves of a call are chosen without knowing about each other.
    pub batch: usize,
    /// Whether a leaf is worth the goals at the end of a playout, with moves drawn from the softmax
    /// of logits, instead of the values.
    pub playouts: bool,
}

/// Something that is no evaluation of a position.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LeafError {
    /// A value has to be finite.
    #[error("the value of role {role} in position {position} of the batch is {value}")]
    Value {
        /// The number of the position.
        position: usize,
        /// The number of the role.
        role: u32,
        /// The value.
        value: f32,
    },
    /// A logit has to be less than infinity, and one of them finite.
    #[error(
        "the logits of the legal moves of role {role} in position {position} of the batch are \
         {logits:?}: they must be less than infinity, and at least one must be finite"
    )]
    Logits {
        /// The number of the position.
        position: usize,
        /// The number of the role.
        role: u32,
        /// The logits.
        logits: Vec<f32>,
    },
}

/// An evaluation of positions.
#[derive(Clone, Debug)]
pub(crate) struct Judgement {
    pub values: Vec<f32>,
    pub logits: Vec<f32>,
}

impl LeafEvaluation {
    /// With 256 leaves in a call, and values instead of playouts.
    pub fn new(evaluator: Arc<dyn LeafEvaluator>) -> LeafEvaluation {
        LeafEvaluation {
            evaluator,
            batch: 256,
            playouts: false,
        }
    }

    setters! {
        with_batch(batch: usize);
        with_playouts(playouts: bool);
    }

    /// Evaluates positions, and checks the results.
    ///
    /// # Errors
    /// [`MachineError::Evaluation`].
    pub(crate) fn judge(&self, positions: &Positions) -> Result<Judgement, MachineError> {
        let values = match self.playouts {
            true => 0,
            false => positions.len() * positions.roles(),
        };
        let mut judged = Judgement {
            values: vec![0.0; values],
            logits: vec![0.0; positions.moves()],
        };
        self.evaluator
            .evaluate(positions, &mut judged.values, &mut judged.logits)
            .map_err(MachineError::Evaluation)?;
        let checked = judged.check(positions);
        checked.map_err(|error| MachineError::Evaluation(Box::new(error)))?;
        Ok(judged)
    }
}

impl Judgement {
    fn check(&self, positions: &Positions) -> Result<(), LeafError> {
        let roles = positions.roles();
        let wrong = self.values.iter().position(|value| !value.is_finite());
        if let Some(wrong) = wrong {
            return Err(LeafError::Value {
                position: wrong / roles,
                role: (wrong % roles) as u32,
                value: self.values[wrong],
            });
        }
        for position in 0..positions.len() {
            for role in RoleId::first(roles) {
                let logits = &self.logits[positions.places(position, role)];
                let are_numbers = logits.iter().all(|&logit| logit < f32::INFINITY);
                let is_some_finite = logits.iter().any(|logit| logit.is_finite());
                if !are_numbers || !(is_some_finite || logits.is_empty()) {
                    return Err(LeafError::Logits {
                        position,
                        role: role.0,
                        logits: logits.to_vec(),
                    });
                }
            }
        }
        Ok(())
    }
}
