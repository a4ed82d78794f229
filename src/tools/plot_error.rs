//! The error of drawing a chart.

/// The chart could not be drawn.
#[derive(Debug, thiserror::Error)]
#[error("cannot draw the chart: {0}")]
pub struct PlotError(String);

impl PlotError {
    /// What the drawing library says.
    pub(crate) fn new(error: impl std::fmt::Display) -> PlotError {
        PlotError(error.to_string())
    }
}
