//! Compiled circuits: machine code with its calling plan.

use std::ops::Range;
use std::slice;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use super::config::CodeConfig;
use super::error::CompileError;
use super::generate::generate;
use super::guard::{Groups, Guards};
use super::memory::Executable;
use super::module::{Defined, define};
use super::plan::{Guard, Plan, Step};
use super::symbols;
use crate::circuit::Circuit;
use crate::rows::Layout;
use crate::rows::Width;
use crate::rows::{Constants, changing, check_in_place};
use crate::section::Section;

/// A circuit as machine code, for rows of a certain width. Threads share it; its memory
/// is freed when it is dropped.
#[derive(Debug)]
pub struct Code {
    pub(super) description: Description,
    pub(super) memory: Executable,
    pub(super) time: Duration,
}

/// The data needed to call machine code.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Description {
    pub width: Width,
    pub layout: Layout,
    pub constants: Constants,
    pub rows: u32,
    pub sections: Vec<Vec<Step>>,
    /// The offsets of the routines in memory.
    pub entries: Vec<u32>,
}

impl Code {
    /// Compiles a circuit.
    ///
    /// # Errors
    /// If this CPU cannot run such code, a limit of `config` is hit, or it is stopped.
    ///
    /// # Panics
    /// If a section has an output that the circuit does not have, comes after one that does
    /// not come before it, or has an output in place of an input that it reads.
    pub fn compile(
        circuit: &Circuit,
        sections: &[Section],
        guards: &Guards,
        config: &CodeConfig,
    ) -> Result<Code, CompileError> {
        let start = Instant::now();
        if config.stop.is_set() {
            return Err(CompileError::Stopped);
        }
        check_in_place(circuit, sections);
        let groups = Groups::new(circuit, guards, config.guarded);
        let plan = Plan::new(circuit, &changing(circuit, sections), &groups, config)?;
        let bodies = generate(&plan, config, None, start)?;
        let names = symbols::names(&config.name, sections, &plan.sections);
        let Defined { memory, entries } = define(&bodies, &names)?;
        let code = Code {
            description: Description {
                width: config.width,
                layout: Layout::new(circuit),
                constants: Constants::new(circuit),
                rows: bodies.rows,
                sections: plan.sections,
                entries,
            },
            memory,
            time: start.elapsed(),
        };
        if let Some(map) = &config.perf_map {
            map.add(&code.memory, &code.description.entries, &names);
        }
        Ok(code)
    }

    /// The number of lanes in a row.
    pub fn width(&self) -> Width {
        self.description.width
    }

    pub(crate) fn layout(&self) -> Layout {
        self.description.layout
    }

    pub(crate) fn constants(&self) -> &Constants {
        &self.description.constants
    }

    /// The number of rows that an evaluator needs.
    pub fn rows(&self) -> usize {
        self.description.rows as usize
    }

    /// The size of the machine code in bytes.
    pub fn bytes(&self) -> usize {
        self.memory.bytes().len()
    }

    /// The number of functions of machine code.
    pub fn functions(&self) -> usize {
        self.description.entries.len()
    }

    /// The time that compiling or loading it took.
    pub fn time(&self) -> Duration {
        self.time
    }

    /// Returns the guards of steps, of all sections.
    fn guards(&self) -> impl Iterator<Item = &Guard> {
        let steps = self.description.sections.iter().flatten();
        steps.filter_map(|step| step.guard.as_ref())
    }

    /// Returns runs of adjacent outputs in a range, as positions counted from its start, ascending, each with an input:
    /// while that is false in all lanes, these outputs are known to be false without being computed.
    pub(crate) fn guarded_outputs(&self, range: Range<usize>) -> Vec<(usize, Range<u32>)> {
        let layout = self.description.layout;
        let (inputs, outputs) = (layout.inputs(), layout.outputs());
        let (first, last) = (outputs.start + range.start, outputs.start + range.end);
        let within = |row: u32| (row as usize).clamp(first, last) - first;
        let mut runs = Vec::new();
        for guard in self.guards() {
            let idle = guard.idle.iter().filter(|(_, value)| !value);
            let idle = idle.map(|(rows, _)| within(rows.start) as u32..within(rows.end) as u32);
            let input = guard.row as usize - inputs.start;
            runs.extend(idle.filter(|run| !run.is_empty()).map(|run| (input, run)));
        }
        runs.sort_unstable_by_key(|(_, run)| run.start);
        runs
    }

    /// Returns the initial `are_idle` of [`evaluate`](Code::evaluate) for each section: no step was left out yet.
    /// There are no sections if that is not remembered, as others write the same rows.
    pub(crate) fn idle_steps(&self) -> Vec<Vec<bool>> {
        let Description {
            layout, sections, ..
        } = &self.description;
        let runs = self.guards().flat_map(|guard| &guard.idle);
        let mut runs: Vec<Range<u32>> = runs.map(|(run, _)| run.clone()).collect();
        runs.sort_unstable_by_key(|run| run.start);
        // The caller may write outputs that are in place of inputs.
        let are_inputs = runs
            .first()
            .is_some_and(|run| (run.start as usize) < layout.inputs().end);
        match are_inputs || !runs.is_sorted_by(|one, next| one.end <= next.start) {
            true => Vec::new(),
            false => sections
                .iter()
                .map(|steps| vec![false; steps.len()])
                .collect(),
        }
    }

    /// Evaluates a section. For each of its steps, `are_idle` says whether it was left out when these rows were last
    /// evaluated, if that is known: then the rows to write when it is left out again are up to date.
    ///
    /// # Safety
    /// `rows` points to [`Code::rows`] rows of [`Code::width`], aligned to 64 bytes, which
    /// nothing else uses meanwhile.
    pub(crate) unsafe fn evaluate(&self, section: usize, rows: *mut u64, are_idle: &mut [bool]) {
        let Description {
            width,
            sections,
            entries,
            ..
        } = &self.description;
        let words = width.words();
        // SAFETY: plans have no rows but those that evaluators have.
        let row = |row: u32| unsafe { rows.add(row as usize * words) };
        for (at, step) in sections[section].iter().enumerate() {
            if let Some(guard) = &step.guard {
                // SAFETY: a row has `words` words, and nothing else uses them.
                let guarding = unsafe { slice::from_raw_parts(row(guard.row), words) };
                let is_idle = guarding.iter().all(|&word| word == 0);
                let was_idle =
                    (are_idle.get_mut(at)).is_some_and(|last| std::mem::replace(last, is_idle));
                if is_idle && !was_idle {
                    for (idle, value) in &guard.idle {
                        let words = idle.len() * words;
                        // SAFETY: as above.
                        unsafe {
                            row(idle.start).write_bytes(if *value { 0xff } else { 0 }, words)
                        };
                    }
                }
                if is_idle {
                    continue;
                }
            }
            let routines = step.routines.start as usize..step.routines.end as usize;
            // SAFETY: as promised by the caller.
            let run = || unsafe { self.run(&entries[routines.clone()], rows) };
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
pub(super) type Function = unsafe extern "sysv64" fn(*mut u64) -> u64;
/// A routine's machine code: takes the rows, and returns whether feedback has changed
/// anything.
#[cfg(not(target_arch = "x86_64"))]
pub(super) type Function = unsafe extern "C" fn(*mut u64) -> u64;
