//! What a lane interpreter runs.

use super::compile::Compiler;
use super::constants::{Constants, changing};
use super::layout::Layout;
use super::reuse::reuse_rows;
use super::schedule::Code;
use crate::circuit::Circuit;
use crate::section;

/// A circuit made ready for bit-sliced evaluation, in sections.
#[derive(Debug)]
pub struct LaneProgram {
    pub(super) layout: Layout,
    pub(super) constants: Constants,
    rows: usize,
    sections: Vec<Section>,
}

/// A part of the program that is evaluated as a whole.
#[derive(Default, Debug)]
pub(super) struct Section {
    pub steps: Vec<Step>,
}

/// Code that is run once; or, if there is feedback, again and again from all
/// feedback rows zero, until nothing changes.
#[derive(Debug)]
pub(super) struct Step {
    pub code: Code,
    pub feedback: Vec<Feedback>,
}

/// A feedback row takes over the source, inverted or not. Rows are given as offsets,
/// as in [`Code`].
#[derive(Clone, Copy, Debug)]
pub(super) struct Feedback {
    pub row: u32,
    pub source: u32,
    pub inverted: bool,
}

impl Section {
    /// Whether operations have as many operands as their kinds say, and all rows addressed
    /// are among the first `rows`.
    fn is_within(&self, rows: u32) -> bool {
        let is_row = |offset: u32| offset.is_multiple_of(8) && offset / 8 < rows;
        self.steps.iter().all(|step| {
            let mut feedback = step.feedback.iter();
            step.code.is_complete()
                && step.code.offsets.iter().all(|&offset| is_row(offset))
                && feedback.all(|feedback| is_row(feedback.row) && is_row(feedback.source))
        })
    }
}

impl LaneProgram {
    /// Compiles `circuit`. An output that is in no section stays false, unless it is always
    /// true; one in several belongs to the first.
    ///
    /// # Panics
    /// If a section has an output that the circuit does not have, or comes after one that is
    /// not before it.
    pub fn new(circuit: &Circuit, sections: &[section::Section]) -> LaneProgram {
        let layout = Layout::new(circuit);
        let mut compiler = Compiler::new(circuit, layout);
        let sections = changing(circuit, sections);
        let mut sections: Vec<Section> = sections
            .iter()
            .map(|section| compiler.section(section))
            .collect();
        let rows = reuse_rows(&mut sections, layout.rows()..compiler.rows());
        // Interpreters rely on it: they do not check again.
        assert!(rows < 1 << 29, "offsets are 32-bit numbers");
        assert!(sections.iter().all(|section| section.is_within(rows)));
        LaneProgram {
            layout,
            constants: Constants::new(circuit),
            rows: rows as usize,
            sections,
        }
    }

    /// How many inputs the circuit has.
    pub fn inputs(&self) -> usize {
        self.layout.inputs().len()
    }

    /// How many outputs the circuit has.
    pub fn outputs(&self) -> usize {
        self.layout.outputs().len()
    }

    /// How many rows an evaluator needs: its memory, and what its speed hangs on
    /// once they do not fit into the CPU's cache.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// How many operations, each on two to four rows, all sections have together.
    pub fn operations(&self) -> usize {
        let steps = self.sections.iter().flat_map(|section| &section.steps);
        steps.map(|step| step.code.operations() as usize).sum()
    }

    pub(super) fn section(&self, section: usize) -> &Section {
        &self.sections[section]
    }
}
