//! The plan of code: a schedule cut into routines, with rows for the values that one
//! routine computes and another one reads.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::config::CodeConfig;
use super::error::CompileError;
use super::guard::Groups;
use super::routine::{Instruction, Operand, Routine};
use super::schedule::{Scheduler, Segment};
use crate::circuit::Circuit;
use crate::section::Section;

/// The routines for code generators, and the steps for callers.
#[derive(Debug)]
pub(super) struct Plan {
    pub routines: Vec<Routine>,
    /// The steps of each section.
    pub sections: Vec<Vec<Step>>,
    /// The number of rows, the first of which [`Layout`](crate::rows::Layout) assigns.
    pub rows: u32,
}

/// One of the steps of a section, which are called in order.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(super) struct Step {
    /// The routines, called in order.
    pub routines: Range<u32>,
    /// If there are feedback rows, the step starts with all of them false and is
    /// repeated until the last routine reports no change.
    pub feedback: Vec<u32>,
    /// The condition for leaving the step out, if any.
    pub guard: Option<Guard>,
}

/// A step may be left out while a row is false in all lanes.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(super) struct Guard {
    /// The row that guards.
    pub row: u32,
    /// The rows that have to be written if the step is left out, with their values: runs of
    /// adjacent rows, as starting a run takes longer than writing a row.
    pub idle: Vec<(Range<u32>, bool)>,
}

impl Plan {
    /// A plan with the order and the function size of `config`.
    ///
    /// # Errors
    /// If the time of `config` is over before it is made, or it is stopped.
    pub(super) fn new(
        circuit: &Circuit,
        sections: &[Section],
        groups: &Groups,
        config: &CodeConfig,
    ) -> Result<Plan, CompileError> {
        let limited = config.stop.within(config.time);
        let mut scheduler = Scheduler::new(circuit, groups, config.order, &limited);
        let scheduled = sections
            .iter()
            .map(|section| scheduler.section(&section.outputs, section.after));
        let scheduled: Option<Vec<Vec<Segment>>> = scheduled.collect();
        let scheduled = scheduled.ok_or_else(|| match config.stop.is_set() {
            true => CompileError::Stopped,
            false => CompileError::Time(config.time),
        })?;
        let mut cutter = Cutter {
            routines: Vec::new(),
            homes: vec![Home::default(); scheduler.idle().len()],
            rows: scheduler.rows(),
        };
        let mut sections: Vec<Vec<Step>> = Vec::new();
        for segments in &scheduled {
            let step = |segment| cutter.step(segment, groups, config.function_size);
            sections.push(segments.iter().map(step).collect());
        }
        cutter.find_rows();
        for (step, segment) in sections
            .iter_mut()
            .flatten()
            .zip(scheduled.iter().flatten())
        {
            if let Some(guard) = &mut step.guard {
                let mut idle = segment.idle.clone();
                idle.extend(cutter.idle(segment, scheduler.idle()));
                guard.idle = runs(idle);
            }
        }
        let Cutter {
            mut routines,
            homes,
            rows,
        } = cutter;
        for (routine, number) in routines.iter_mut().zip(0..) {
            finish(routine, number, &homes);
        }
        Ok(Plan {
            routines,
            sections,
            rows,
        })
    }
}

/// The routine that computes a value, and the row that holds it if other routines read it.
#[derive(Clone, Copy, Default)]
struct Home {
    routine: u32,
    /// The row of an output that is the value.
    output: Option<u32>,
    row: Option<u32>,
}

struct Cutter {
    routines: Vec<Routine>,
    homes: Vec<Home>,
    rows: u32,
}

impl Cutter {
    /// Cuts a segment into routines.
    fn step(&mut self, segment: &Segment, groups: &Groups, size: usize) -> Step {
        let first = self.routines.len() as u32;
        let mut routine = Routine::default();
        for &instruction in &segment.instructions {
            if let Instruction::Compute { target, .. } = instruction {
                if routine.values as usize >= size {
                    self.routines.push(std::mem::take(&mut routine));
                }
                routine.values += 1;
                self.homes[target as usize].routine = self.routines.len() as u32;
            }
            if let Instruction::Store {
                row,
                from: Operand::Value(value),
                invert: false,
            } = instruction
            {
                let home = &mut self.homes[value as usize];
                if home.routine == self.routines.len() as u32 {
                    home.output.get_or_insert(row);
                }
            }
            routine.instructions.push(instruction);
        }
        // The reports of feedback count only at the end.
        self.routines.push(routine);
        Step {
            routines: first..self.routines.len() as u32,
            feedback: segment.feedback.clone(),
            guard: segment.group.map(|group| Guard {
                row: groups.guard_row(group),
                idle: Vec::new(),
            }),
        }
    }

    /// Gives rows to the values that other routines read.
    fn find_rows(&mut self) {
        for (routine, number) in self.routines.iter().zip(0..) {
            for operand in routine.instructions.iter().flat_map(Instruction::operands) {
                let Operand::Value(value) = operand else {
                    continue;
                };
                let home = &mut self.homes[value as usize];
                if home.routine != number && home.row.is_none() {
                    home.row = home.output.or_else(|| {
                        self.rows += 1;
                        Some(self.rows - 1)
                    });
                }
            }
        }
    }

    /// Returns the values, while the guard is false, of a segment's rows that other segments read.
    fn idle(&self, segment: &Segment, idle: &[Option<bool>]) -> Vec<(u32, bool)> {
        let values = segment
            .instructions
            .iter()
            .filter_map(|instruction| match *instruction {
                Instruction::Compute { target, .. } => Some(target as usize),
                _ => None,
            });
        values
            .filter_map(|value| Some((self.homes[value].row?, idle[value]?)))
            .collect()
    }
}

/// Runs of adjacent rows with the same value.
fn runs(mut rows: Vec<(u32, bool)>) -> Vec<(Range<u32>, bool)> {
    rows.sort_unstable();
    let mut runs: Vec<(Range<u32>, bool)> = Vec::new();
    for (row, value) in rows {
        match runs.last_mut() {
            Some((run, same)) if run.end == row && *same == value => run.end += 1,
            _ => runs.push((row..row + 1, value)),
        }
    }
    runs
}

/// Replaces values of other routines by rows, stores values that others read, and
/// numbers the values.
fn finish(routine: &mut Routine, number: u32, homes: &[Home]) {
    let mut numbers = rustc_hash::FxHashMap::default();
    let mut instructions = Vec::with_capacity(routine.instructions.len());
    for mut instruction in std::mem::take(&mut routine.instructions) {
        instruction.for_each_operand(|operand| {
            if let Operand::Value(value) = *operand {
                *operand = match numbers.get(&value) {
                    Some(&number) => Operand::Value(number),
                    None => Operand::Row(homes[value as usize].row.expect("it is read elsewhere")),
                };
            }
        });
        let Instruction::Compute { target, .. } = &mut instruction else {
            instructions.push(instruction);
            continue;
        };
        let home = homes[*target as usize];
        debug_assert_eq!(home.routine, number);
        let local = numbers.len() as u32;
        numbers.insert(std::mem::replace(target, local), local);
        instructions.push(instruction);
        if let Some(row) = home.row.filter(|_| home.row != home.output) {
            instructions.push(Instruction::Store {
                row,
                from: Operand::Value(local),
                invert: false,
            });
        }
    }
    routine.instructions = instructions;
}
