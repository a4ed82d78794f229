//! Constant outputs, which are the same for all inputs.
//!
//! There is nothing to compute about them: their rows are written once, when rows are made,
//! and sections leave them out. A circuit for the rest of a match has many. Outputs in place of
//! inputs do not count: their rows are written by others, too.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::circuit::{Circuit, Edge};
use crate::section::Section;

/// The constant outputs of a circuit.
#[derive(Clone, Default, Debug, Serialize, Deserialize)]
pub(crate) struct Constants {
    /// Those that are true, ascending.
    truths: Vec<u32>,
    /// Runs of those that are false, ascending.
    falsehoods: Vec<Range<u32>>,
}

impl Constants {
    /// Finds them.
    pub(crate) fn new(circuit: &Circuit) -> Constants {
        let mut constants = Constants::default();
        let outputs = circuit.outputs().iter().zip(0..);
        for (&edge, output) in outputs.skip(circuit.in_place()) {
            match edge {
                Edge::TRUE => constants.truths.push(output),
                Edge::FALSE => match constants.falsehoods.last_mut() {
                    Some(run) if run.end == output => run.end += 1,
                    _ => constants.falsehoods.push(output..output + 1),
                },
                _ => {}
            }
        }
        constants
    }

    /// The outputs that are always true.
    pub(crate) fn truths(&self) -> impl Iterator<Item = usize> {
        self.truths.iter().map(|&output| output as usize)
    }

    /// Returns whether an output is always true.
    pub(crate) fn is_true(&self, output: usize) -> bool {
        (self.truths)
            .binary_search_by_key(&output, |&truth| truth as usize)
            .is_ok()
    }

    /// Returns whether all of them are among the first `outputs` outputs.
    pub(crate) fn are_within(&self, outputs: usize) -> bool {
        let mut truths = self.truths.iter();
        let mut falsehoods = self.falsehoods.iter();
        truths.all(|&output| (output as usize) < outputs)
            && falsehoods.all(|run| run.end as usize <= outputs)
    }

    /// The places of the outputs in a range that are not always false, counted from its
    /// start.
    pub(crate) fn live(&self, range: Range<usize>) -> Vec<u32> {
        let run_of = |output: u32| self.falsehoods.partition_point(|run| run.end <= output);
        let is_live = |&place: &u32| {
            let output = range.start as u32 + place;
            let run = self.falsehoods.get(run_of(output));
            !run.is_some_and(|run| run.contains(&output))
        };
        (0..range.len() as u32).filter(is_live).collect()
    }
}

/// The sections without the outputs that are constant in the circuit.
pub(crate) fn changing(circuit: &Circuit, sections: &[Section]) -> Vec<Section> {
    let is_changing = |output: usize| {
        output < circuit.in_place() || circuit.outputs()[output].node() != Edge::FALSE.node()
    };
    let sections = sections.iter().map(|section| {
        let mut section = section.clone();
        (section.outputs).retain(|output| is_changing(output.index()));
        section
    });
    sections.collect()
}
