//! Circuits as machine code.
//!
//! A [`Code`] is a circuit compiled for a number of lanes. It is what
//! [`LaneProgram`](crate::lanes::LaneProgram) is to the interpreter, and a
//! [`LaneEvaluator`](crate::lanes::LaneEvaluator) runs either.
//!
//! - `schedule` puts the operations in order, `plan` cuts them into `routine`s.
//! - `cranelift` and `avx2` make machine code of a routine. Routines are compiled in
//!   parallel.
//! - `guard` finds what matters only while some input is true, so that it is left out
//!   while that is false in all lanes.
//! - `memory` owns the memory that the code runs in.

mod avx2;
mod config;
mod cranelift;
mod guard;
mod memory;
mod plan;
mod routine;
mod schedule;

use std::slice;
use std::time::{Duration, Instant};

use rayon::prelude::*;

pub use config::{Config, Effort, Generator};
use guard::Groups;
pub use guard::Guards;
use memory::Executable;
use plan::{Plan, Step};
use routine::Routine;

use crate::circuit::{Circuit, OutputId};
use crate::lanes::Width;
use crate::lanes::layout::Layout;

/// Outputs that are computed together.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Section {
    /// The outputs.
    pub outputs: Vec<OutputId>,
    /// A section before this one that is always evaluated before this one is, for the
    /// same inputs as far as that section depends on them. What it computes, and what
    /// the section does that it comes after, is not computed again.
    pub after: Option<usize>,
}

/// Why there is no code.
#[derive(Debug, thiserror::Error)]
pub enum CompileError {
    /// There is no code for the target.
    #[error("no machine code for {target}: {reason}")]
    Target {
        /// The target.
        target: String,
        /// What is missing.
        reason: String,
    },
    /// The code generator has no rows of this width.
    #[error("this code generator has no rows of {} lanes", .0.lanes())]
    Width(Width),
    /// Cranelift refuses the code.
    #[error("Cranelift: {0}")]
    Cranelift(String),
    /// It took too long.
    #[error("compiling took longer than {0:?}")]
    Time(Duration),
    /// There was too much code.
    #[error("the machine code is longer than {0} bytes")]
    Size(usize),
    /// The circuit needs more rows than machine code can address.
    #[error("{0} rows are more than machine code can address")]
    Rows(u32),
    /// The operating system gives no memory to execute code in.
    #[error("no memory for machine code: {0}")]
    Memory(#[from] std::io::Error),
}

/// A circuit as machine code, for rows of a certain width. Threads share it; its memory
/// is freed when it is dropped.
#[derive(Debug)]
pub struct Code {
    width: Width,
    pub(crate) layout: Layout,
    rows: u32,
    sections: Vec<Vec<Step>>,
    /// Where the routines start in memory.
    entries: Vec<u32>,
    memory: Executable,
    time: Duration,
}

/// Routines start at multiples of this, for the CPU fetches aligned blocks.
const ALIGNMENT: usize = 64;

impl Code {
    /// Compiles a circuit.
    ///
    /// # Panics
    /// If a section has an output that the circuit does not have, or comes after one
    /// that does not come before it.
    pub fn compile(
        circuit: &Circuit,
        sections: &[Section],
        guards: &Guards,
        config: &Config,
    ) -> Result<Code, CompileError> {
        let start = Instant::now();
        let groups = Groups::new(circuit, guards, config.guarded);
        let plan = Plan::new(circuit, sections, &groups, config.function_size);
        let images = generate(&plan, config)?;
        let mut bytes = Vec::new();
        let mut entries = Vec::new();
        for image in &images.code {
            bytes.resize(bytes.len().next_multiple_of(ALIGNMENT), 0);
            entries.push(bytes.len() as u32);
            bytes.extend(image);
        }
        Ok(Code {
            width: config.width,
            layout: Layout::new(circuit),
            rows: plan.rows + images.spills,
            sections: plan.sections,
            entries,
            memory: Executable::new(&bytes)?,
            time: start.elapsed(),
        })
    }

    /// How many lanes a row has.
    pub fn width(&self) -> Width {
        self.width
    }

    /// How many rows an evaluator needs.
    pub fn rows(&self) -> usize {
        self.rows as usize
    }

    /// How many bytes of machine code there are.
    pub fn bytes(&self) -> usize {
        self.memory.bytes().len()
    }

    /// How many functions of machine code there are.
    pub fn functions(&self) -> usize {
        self.entries.len()
    }

    /// How long it took to compile.
    pub fn time(&self) -> Duration {
        self.time
    }

    /// Evaluates a section.
    ///
    /// # Safety
    /// `rows` points to [`Code::rows`] rows of [`Code::width`], aligned to 64 bytes, which
    /// nothing else uses meanwhile.
    pub(crate) unsafe fn evaluate(&self, section: usize, rows: *mut u64) {
        let words = self.width.words();
        // SAFETY: plans have no rows but those that evaluators have.
        let row = |row: u32| unsafe { rows.add(row as usize * words) };
        for step in &self.sections[section] {
            if let Some(guard) = &step.guard {
                // SAFETY: a row has so many words, and nothing else uses them.
                let guarding = unsafe { slice::from_raw_parts(row(guard.row), words) };
                if guarding.iter().all(|&word| word == 0) {
                    for &(idle, value) in &guard.idle {
                        // SAFETY: as above.
                        unsafe { row(idle).write_bytes(if value { 0xff } else { 0 }, words) };
                    }
                    continue;
                }
            }
            let routines = step.routines.start as usize..step.routines.end as usize;
            // SAFETY: as promised by the caller.
            let run = || unsafe { self.run(&self.entries[routines.clone()], rows) };
            if step.feedback.is_empty() {
                run();
                continue;
            }
            for &feedback in &step.feedback {
                // SAFETY: as above.
                unsafe { row(feedback).write_bytes(0, words) };
            }
            while run() {}
        }
    }

    /// Calls routines; returns whether the last one reports a change.
    ///
    /// # Safety
    /// As for [`Code::evaluate`]; the entries are the code's own.
    unsafe fn run(&self, entries: &[u32], rows: *mut u64) -> bool {
        let code = self.memory.bytes().as_ptr();
        entries.iter().fold(false, |_, &entry| {
            // SAFETY: at the entry is a function of this type, generated for the CPU that
            // this runs on, which accesses nothing but the rows.
            unsafe {
                let function: Function = std::mem::transmute(code.add(entry as usize));
                function(rows) != 0
            }
        })
    }
}

/// A routine's machine code: takes the rows, and returns whether feedback has changed
/// anything.
#[cfg(target_arch = "x86_64")]
type Function = unsafe extern "sysv64" fn(*mut u64) -> u64;
/// A routine's machine code: takes the rows, and returns whether feedback has changed
/// anything.
#[cfg(not(target_arch = "x86_64"))]
type Function = unsafe extern "C" fn(*mut u64) -> u64;

/// The machine code of each routine.
struct Images {
    code: Vec<Vec<u8>>,
    /// How many rows they need besides those of the plan.
    spills: u32,
}

fn generate(plan: &Plan, config: &Config) -> Result<Images, CompileError> {
    let routines = plan.routines.par_iter();
    match config.generator {
        Generator::Cranelift => {
            let cranelift = cranelift::Cranelift::host(config.width, config.effort)?;
            let compile = |routine: &Routine| cranelift.compile(routine);
            let code = routines.map(compile).collect::<Result<_, _>>()?;
            Ok(Images { code, spills: 0 })
        }
        Generator::Avx2 => {
            let assemble = |routine| avx2::assemble(routine, config.width, plan.rows);
            let assemblies: Vec<_> = routines.map(assemble).collect();
            let spills = assemblies.iter().map(|assembly| assembly.spills).max();
            Ok(Images {
                spills: spills.unwrap_or(0),
                code: assemblies
                    .into_iter()
                    .map(|assembly| assembly.code)
                    .collect(),
            })
        }
    }
}
