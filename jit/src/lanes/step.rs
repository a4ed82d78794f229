//! Sections as steps: the form in which a lane program keeps its operations.

use super::schedule::PackedOperations;

/// A part of the program that is evaluated as a whole.
#[derive(Default, Debug)]
pub(super) struct SectionSteps {
    pub steps: Vec<Step>,
}

/// Operations that are run once; or, if there is feedback, again and again from all
/// feedback rows zero, until nothing changes.
#[derive(Debug)]
pub(super) struct Step {
    pub operations: PackedOperations,
    pub feedback: Vec<Feedback>,
}

/// A feedback row takes over the source, inverted or not. Rows are given as offsets,
/// as in [`PackedOperations`].
#[derive(Clone, Copy, Debug)]
pub(super) struct Feedback {
    pub row: u32,
    pub source: u32,
    pub inverted: bool,
}

impl SectionSteps {
    /// Returns whether operations have the operands that their kinds require, and all rows addressed
    /// are among the first `rows`.
    pub(super) fn is_within(&self, rows: u32) -> bool {
        let is_row = |offset: u32| offset.is_multiple_of(8) && offset / 8 < rows;
        self.steps.iter().all(|step| {
            let mut feedback = step.feedback.iter();
            step.operations.is_complete()
                && step.operations.offsets.iter().all(|&offset| is_row(offset))
                && feedback.all(|feedback| is_row(feedback.row) && is_row(feedback.source))
        })
    }
}
