//! The assignment of the first rows.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::circuit::Circuit;
use crate::section::Section;

/// The assignment of the first rows: two constants, inputs, outputs. Outputs in place of inputs are
/// the last rows of these and the first rows of those.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Layout {
    inputs: usize,
    outputs: usize,
    in_place: usize,
}

impl Layout {
    /// The layout for a circuit.
    pub(crate) fn new(circuit: &Circuit) -> Layout {
        Layout {
            inputs: circuit.inputs().len(),
            outputs: circuit.outputs().len(),
            in_place: circuit.in_place(),
        }
    }

    pub(crate) const FALSE: u32 = 0;
    pub(crate) const TRUE: u32 = 1;

    #[inline]
    pub(crate) fn inputs(self) -> Range<usize> {
        2..2 + self.inputs
    }

    #[inline]
    pub(crate) fn outputs(self) -> Range<usize> {
        let first = self.inputs().end - self.in_place;
        first..first + self.outputs
    }

    /// The number of all these rows, or the greatest number if there are more.
    pub(crate) fn rows(self) -> u32 {
        let rows = self.inputs.saturating_add(self.outputs).saturating_add(2);
        u32::try_from(rows - self.in_place).unwrap_or(u32::MAX)
    }

    /// Returns whether there are enough inputs and outputs for those in place of each other.
    pub(crate) fn is_valid(self) -> bool {
        self.in_place <= self.inputs.min(self.outputs)
    }
}

/// Checks that no section reads inputs that its outputs are evaluated in place of.
///
/// # Panics
/// If one does.
pub(crate) fn check_in_place(circuit: &Circuit, sections: &[Section]) {
    let in_place = circuit.in_place();
    let replaced = &circuit.inputs()[circuit.inputs().len() - in_place..];
    for (number, section) in sections.iter().enumerate() {
        let mut outputs = section.outputs.iter().map(|output| output.index());
        if !outputs.any(|output| output < in_place) {
            continue;
        }
        let mut read = Some(number);
        while let Some(section) = read.map(|number| &sections[number]) {
            let edges = section.outputs.iter();
            let cone = circuit.cone(edges.map(|output| circuit.outputs()[output.index()]));
            for output in &sections[number].outputs {
                let is_read = replaced
                    .get(output.index())
                    .is_some_and(|&node| cone.contains(node));
                assert!(!is_read, "section {number} reads what it writes");
            }
            read = section.after;
        }
    }
}
