//! The assignment of the first rows.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::circuit::Circuit;

/// The assignment of the first rows: two constants, inputs, outputs.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Layout {
    inputs: usize,
    outputs: usize,
}

impl Layout {
    /// The layout for a circuit.
    pub(crate) fn new(circuit: &Circuit) -> Layout {
        Layout {
            inputs: circuit.inputs().len(),
            outputs: circuit.outputs().len(),
        }
    }

    pub(crate) const FALSE: u32 = 0;
    pub(crate) const TRUE: u32 = 1;

    pub(crate) fn inputs(self) -> Range<usize> {
        2..2 + self.inputs
    }

    pub(crate) fn outputs(self) -> Range<usize> {
        let first = self.inputs().end;
        first..first + self.outputs
    }

    /// The number of all these rows, or the greatest number if there are more.
    pub(crate) fn rows(self) -> u32 {
        let rows = self.inputs.saturating_add(self.outputs).saturating_add(2);
        u32::try_from(rows).unwrap_or(u32::MAX)
    }
}
