//! Allocation of rows for intermediate results, reused when a result is no longer needed.
//!
//! The fewer rows, the nearer the cache in which they fit. A result that another
//! section reads keeps its row to itself, so that each section can be evaluated
//! again without those before it. Rows that a loop reads live until the loop ends.

use std::cmp::Reverse;
use std::ops::Range;

use super::step::SectionSteps;

/// Renumbers the rows in `rows`, each of which is written once, and leaves those
/// before them alone. Returns how many rows there are then in all.
pub(super) fn reuse_rows(sections: &mut [SectionSteps], rows: Range<u32>) -> u32 {
    let index = |offset: u32| Some((offset / 8).checked_sub(rows.start)? as usize);
    let mut lives = vec![Life::default(); rows.len()];
    let mut clock = 0;
    for section in sections.iter_mut() {
        let start = clock;
        visit(section, &mut clock, |access, time, offset| {
            if let Some(row) = index(*offset) {
                let life = &mut lives[row];
                match access {
                    Access::Write => life.written = time,
                    Access::Read if life.written <= start => life.read = FOREVER,
                    Access::Read => life.read = life.read.max(time),
                }
            }
        });
    }
    let mut allocation = Allocation::new(&lives, rows.start);
    let mut clock = 0;
    for section in sections {
        visit(section, &mut clock, |access, time, offset| {
            if let Some(row) = index(*offset) {
                if access == Access::Write && lives[row].read != FOREVER {
                    allocation.allocate(row, time);
                }
                *offset = 8 * allocation.rows[row];
            }
        });
    }
    allocation.next
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Access {
    Read,
    Write,
}

/// The time at which a row is written, and that of its last read: zero if never.
#[derive(Clone, Copy, Default)]
struct Life {
    written: u32,
    read: u32,
}

/// The last reading of a row that a section reads and another one writes.
const FOREVER: u32 = u32::MAX;

/// Visits the offsets of all rows that a section writes or reads. The times are those
/// of operations, which read before they write; in a loop, reading lasts to the end.
fn visit(section: &mut SectionSteps, clock: &mut u32, mut f: impl FnMut(Access, u32, &mut u32)) {
    for step in &mut section.steps {
        let start = *clock + 1;
        let end = start + step.operations.count() + 1;
        for feedback in &mut step.feedback {
            let mut row = feedback.row;
            f(Access::Write, start, &mut feedback.row);
            f(Access::Read, end, &mut row);
        }
        let mut time = start;
        step.operations.for_each_operation(|target, operands| {
            time += 1;
            let read = if step.feedback.is_empty() { time } else { end };
            for operand in operands {
                f(Access::Read, read, operand);
            }
            f(Access::Write, time, target);
        });
        for feedback in &mut step.feedback {
            f(Access::Read, end, &mut feedback.source);
        }
        *clock = end;
    }
}

/// The rows in use, in the course of all operations.
struct Allocation {
    /// The new number of each row.
    rows: Vec<u32>,
    /// The first number not in use so far.
    next: u32,
    /// Numbers that were in use; the latest is taken first, as it is in the cache.
    free: Vec<u32>,
    /// The rows still to be freed and when they are read last, latest first.
    ends: Vec<(Reverse<u32>, u32)>,
}

impl Allocation {
    fn new(lives: &[Life], first: u32) -> Allocation {
        let mut allocation = Allocation {
            rows: vec![0; lives.len()],
            next: first,
            free: Vec::new(),
            ends: Vec::new(),
        };
        for (at, life) in lives.iter().enumerate() {
            if life.read == FOREVER {
                allocation.rows[at] = allocation.take();
            } else if life.read > 0 {
                allocation.ends.push((Reverse(life.read), at as u32));
            }
        }
        allocation.ends.sort_unstable();
        allocation
    }

    /// A number for a row that is written at this time; no earlier one may follow.
    fn allocate(&mut self, row: usize, time: u32) {
        while let Some((_, dead)) = self.ends.pop_if(|(Reverse(read), _)| *read <= time) {
            self.free.push(self.rows[dead as usize]);
        }
        self.rows[row] = self.take();
    }

    fn take(&mut self) -> u32 {
        self.free.pop().unwrap_or_else(|| {
            self.next += 1;
            self.next - 1
        })
    }
}
