//! The result of a comparison: a row of figures for each backend.

use serde::Serialize;

use super::code_figures::CodeFigures;
use super::latency::Latency;
use super::throughput::Throughput;
use crate::game::machine::Backend;
use crate::lab::verify::Difference;

/// All backends on one game.
#[derive(Clone, Debug, Serialize)]
pub struct CompareTable {
    /// The backend that the others are compared with.
    pub reference: String,
    /// The number of states to compare.
    pub states: usize,
    /// A row for each backend.
    pub rows: Vec<CompareRow>,
    /// Whether a stop came; then rows are missing.
    pub interrupted: bool,
}

/// One backend.
#[derive(Clone, Debug, Serialize)]
pub struct CompareRow {
    /// The backend's name.
    pub backend: String,
    /// The outcome.
    #[serde(flatten)]
    pub outcome: CompareOutcome,
}

/// The outcome of trying a backend.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum CompareOutcome {
    /// It agrees with the reference.
    Measured(Figures),
    /// Its results differ from those of the reference.
    Differs(Difference),
    /// It is not available for this game or on this CPU, or it gave up.
    Unavailable(String),
}

/// The figures of a backend.
#[derive(Clone, Debug, Serialize)]
pub struct Figures {
    /// The set-up that the backend needs besides the propositional network, in seconds: passes over
    /// the circuit, programs, machine code for playouts and for single states.
    pub setup_seconds: f64,
    /// The machine code, of backends that have some.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<CodeFigures>,
    /// The number of states compared with the reference: of a slow backend not all.
    pub states_compared: usize,
    /// The latency of single queries.
    pub latency: Latency,
    /// The speed of random playouts.
    pub playouts: Throughput,
    /// The ratio of its state changes a second to those of the scalar interpreter.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ratio_to_scalar: Option<f64>,
}

impl CompareTable {
    /// Returns whether no backend differs from the reference; none if no other one was compared
    /// with it.
    pub fn agrees(&self) -> Option<bool> {
        let agree = self.rows.iter().filter_map(|row| match row.outcome {
            CompareOutcome::Differs(_) => Some(false),
            CompareOutcome::Measured(_) if row.backend != self.reference => Some(true),
            CompareOutcome::Measured(_) | CompareOutcome::Unavailable(_) => None,
        });
        agree.reduce(|all, one| all && one)
    }

    pub(super) fn find_ratios(&mut self) {
        let speed = |row: &CompareRow| Some(row.figures()?.playouts.state_changes_per_second);
        let scalar = Backend::Scalar.name();
        let scalar = self.rows.iter().find(|row| row.backend == scalar);
        let scalar = scalar.and_then(speed).filter(|&speed| speed > 0.0);
        for row in &mut self.rows {
            if let CompareOutcome::Measured(figures) = &mut row.outcome {
                let speed = figures.playouts.state_changes_per_second;
                figures.ratio_to_scalar = scalar.map(|scalar| speed / scalar);
            }
        }
    }
}

impl CompareRow {
    /// The figures, if it was measured.
    pub fn figures(&self) -> Option<&Figures> {
        match &self.outcome {
            CompareOutcome::Measured(figures) => Some(figures),
            _ => None,
        }
    }
}
