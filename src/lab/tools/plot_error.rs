//! The error of drawing a chart.

/// The chart could not be drawn.
#[derive(Debug, thiserror::Error)]
#[error("cannot draw the chart: {0}")]
pub struct PlotError(String);

impl PlotError {
    /// The error of the drawing library.
    pub(crate) fn new(error: impl std::fmt::Display) -> PlotError {
        PlotError(error.to_string())
    }
}
