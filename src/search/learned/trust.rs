//! Trust levels of an evaluation.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::evaluation::Evaluation;

/// How far an evaluation is trusted. A search makes more of one that plays well by itself.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Trust {
    /// It predicts something that playouts do not, but less than they do.
    Hint,
    /// It decides better than some playouts do, or predicts nearly as much.
    Full,
}

/// An evaluation that helps.
#[derive(Clone, PartialEq, Debug)]
pub struct TrustedEvaluation {
    /// The evaluation.
    pub evaluation: Arc<Evaluation>,
    /// How far it is trusted.
    pub trust: Trust,
}

impl TrustedEvaluation {
    /// If there is an evaluation and it is trusted.
    pub(super) fn new(
        evaluation: Option<&Arc<Evaluation>>,
        trust: Option<Trust>,
    ) -> Option<TrustedEvaluation> {
        Some(TrustedEvaluation {
            evaluation: evaluation?.clone(),
            trust: trust?,
        })
    }
}
