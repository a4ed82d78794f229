//! Programs of the lane interpreter.

use propjit_stop::Stop;

use super::compile::Compiler;
use super::dispatch::dispatch;
use super::kernel::Evaluate;
use super::reuse::reuse_rows;
use super::step::SectionSteps;
use crate::circuit::Circuit;
use crate::rows::{Constants, Layout, Width, changing, check_in_place};
use crate::section::Section;

/// A circuit compiled for bit-sliced interpretation, in sections.
#[derive(Debug)]
pub struct LaneProgram {
    layout: Layout,
    constants: Constants,
    rows: usize,
    sections: Vec<SectionSteps>,
}

impl LaneProgram {
    /// Compiles `circuit`. An output that is in no section stays false, unless it is always
    /// true; one in several belongs to the first.
    ///
    /// # Panics
    /// If a section has an output that the circuit does not have, comes after one that is not
    /// before it, or has an output in place of an input that it reads.
    pub fn new(circuit: &Circuit, sections: &[Section]) -> LaneProgram {
        LaneProgram::unless(circuit, sections, &Stop::new()).expect("nobody stops it")
    }

    /// As [`LaneProgram::new`]; none if `stop` is set before the program is made.
    ///
    /// # Panics
    /// As [`LaneProgram::new`] does.
    pub fn unless(circuit: &Circuit, sections: &[Section], stop: &Stop) -> Option<LaneProgram> {
        check_in_place(circuit, sections);
        if stop.is_set() {
            return None;
        }
        let layout = Layout::new(circuit);
        let mut compiler = Compiler::new(circuit, layout, stop);
        let sections = changing(circuit, sections);
        let sections = sections.iter().map(|section| compiler.section(section));
        let sections: Option<Vec<SectionSteps>> = sections.collect();
        let mut sections = sections.filter(|_| !stop.is_set())?;
        let rows = reuse_rows(&mut sections, layout.rows()..compiler.rows());
        // Interpreters rely on it: they do not check again.
        assert!(rows < 1 << 29, "offsets are 32-bit numbers");
        assert!(sections.iter().all(|section| section.is_within(rows)));
        Some(LaneProgram {
            layout,
            constants: Constants::new(circuit),
            rows: rows as usize,
            sections,
        })
    }

    /// The number of the circuit's inputs.
    pub fn inputs(&self) -> usize {
        self.layout.inputs().len()
    }

    /// The number of the circuit's outputs.
    pub fn outputs(&self) -> usize {
        self.layout.outputs().len()
    }

    /// The number of rows that an evaluator needs. They are its memory, and it becomes slow
    /// when they do not fit into the CPU's cache.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The number of operations, each on two to four rows, in all sections together.
    pub fn operations(&self) -> usize {
        let steps = self.sections.iter().flat_map(|section| &section.steps);
        steps.map(|step| step.operations.count() as usize).sum()
    }

    /// The width that usually evaluates the most lanes per second with this program.
    ///
    /// Wide rows share the work of decoding, so 512 lanes are best as long as the rows
    /// stay in the nearer caches, and not much worse beyond; more lanes gain little.
    pub fn best_width(&self) -> Width {
        const CACHE: usize = 4 << 20;
        let bytes = self.rows * size_of::<u64>() * Width::X512.words();
        if bytes <= CACHE {
            Width::X512
        } else {
            Width::X256
        }
    }

    pub(crate) fn layout(&self) -> Layout {
        self.layout
    }

    pub(crate) fn constants(&self) -> &Constants {
        &self.constants
    }

    /// Evaluates a section.
    ///
    /// # Safety
    /// `rows` points to [`LaneProgram::rows`] rows of this width, which nothing else uses
    /// meanwhile.
    pub(crate) unsafe fn evaluate(&self, section: usize, width: Width, rows: *mut u64) {
        // SAFETY: as promised by the caller; the section is one of this program.
        let kernel = unsafe { Evaluate::new(&self.sections[section], rows) };
        dispatch(width, kernel);
    }
}
