//! What a search found where information is hidden, and how.

use std::fmt;
use std::time::Duration;

use serde::Serialize;

use crate::game::machine::Move;
use crate::search::ismcts::{InformationSetMove, InformationSetReport};

/// How a move is found where information is hidden.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum HiddenMethod {
    /// Information-set tree search.
    InformationSets,
    /// Searches of some states as if they were known.
    Determinised,
    /// The game is solved: the probabilities are those of an equilibrium.
    Equilibrium,
}

impl fmt::Display for HiddenMethod {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            HiddenMethod::InformationSets => "information-set search",
            HiddenMethod::Determinised => "determinised search",
            HiddenMethod::Equilibrium => "regret minimisation of the whole game",
        })
    }
}

/// The result of a search.
#[derive(Clone, PartialEq, Debug)]
pub struct HiddenReport {
    /// By what the strategy was found.
    pub method: HiddenMethod,
    /// The mixed strategy, with values if information sets were searched.
    pub strategy: InformationSetReport,
}

impl HiddenReport {
    /// A strategy without values, which took this long: moves with their probabilities, the most probable one first.
    pub(super) fn without_values(
        method: HiddenMethod,
        moves: &[(Move, f64)],
        time: Duration,
    ) -> HiddenReport {
        let moves = moves.iter();
        let moves = moves.map(|&(played, probability)| InformationSetMove {
            played,
            visits: 0,
            value: None,
            probability,
        });
        HiddenReport {
            method,
            strategy: InformationSetReport {
                moves: moves.collect(),
                value: None,
                iterations: 0,
                time,
            },
        }
    }
}
