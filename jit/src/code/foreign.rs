//! Machine code for other CPUs, to be linked into other programs.

use std::ops::Range;
use std::time::Instant;

use target_lexicon::Triple;

use super::config::CodeConfig;
use super::error::CompileError;
use super::generate::generate;
use super::guard::Groups;
use super::plan::Plan;
use crate::circuit::Circuit;
use crate::rows::Layout;
use crate::section::Section;

/// Position-independent machine code for another CPU, and how to call it.
///
/// A routine is a function of the target's C calling convention that takes the address
/// of the rows and returns a 64-bit number. Rows are adjacent, 64 lanes to a word in
/// the target's byte order, in the configuration's width. Before the first call, row 1 has to be all ones and all others zero.
#[derive(Clone, Debug)]
pub struct ForeignCode {
    /// The code.
    pub bytes: Vec<u8>,
    /// The offset in `bytes` at which each routine starts.
    pub entries: Vec<u32>,
    /// The number of rows.
    pub rows: u32,
    /// The rows that are the circuit's inputs.
    pub inputs: Range<usize>,
    /// The rows that are the circuit's outputs.
    pub outputs: Range<usize>,
    /// The steps of each section.
    pub sections: Vec<Vec<ForeignStep>>,
}

/// Routines to be called in order.
#[derive(Clone, Debug)]
pub struct ForeignStep {
    /// The routines.
    pub routines: Range<u32>,
    /// Feedback rows. If there are any, they have to be made zero first, and the routines
    /// called again until the last of them returns zero.
    pub feedback: Vec<u32>,
}

impl ForeignCode {
    /// Compiles a circuit for a target, with no more than the target's basic features.
    ///
    /// # Errors
    /// If there is no such code, or a limit of `config` is hit.
    ///
    /// # Panics
    /// If a section has an output that the circuit does not have, or comes after one
    /// that does not come before it.
    pub fn compile(
        circuit: &Circuit,
        sections: &[Section],
        target: &Triple,
        config: &CodeConfig,
    ) -> Result<ForeignCode, CompileError> {
        let start = Instant::now();
        let plan = Plan::new(circuit, sections, &Groups::default(), config)?;
        let bodies = generate(&plan, config, Some(target), start)?;
        let (bytes, entries) = bodies.image()?;
        let layout = Layout::new(circuit);
        let steps = plan.sections.into_iter().map(|steps| {
            let steps = steps.into_iter().map(|step| ForeignStep {
                routines: step.routines,
                feedback: step.feedback,
            });
            steps.collect()
        });
        Ok(ForeignCode {
            bytes,
            entries,
            rows: bodies.rows,
            inputs: layout.inputs(),
            outputs: layout.outputs(),
            sections: steps.collect(),
        })
    }
}
