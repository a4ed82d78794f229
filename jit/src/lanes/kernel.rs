//! The inner loops: operations on rows.

use std::array;

use super::program::{Feedback, Section, Step};
use super::schedule::{Code, Kind};
use super::width::Kernel;

/// Runs a section of a program.
pub(super) struct Evaluate<'a> {
    section: &'a Section,
    rows: *mut u64,
}

impl<'a> Evaluate<'a> {
    /// # Safety
    /// `rows` points to as many rows as the section's program has, of the width
    /// that this is dispatched for, and nothing else uses them meanwhile.
    pub unsafe fn new(section: &'a Section, rows: *mut u64) -> Evaluate<'a> {
        Evaluate { section, rows }
    }
}

impl Kernel for Evaluate<'_> {
    type Output = ();

    #[inline(always)]
    fn run<const W: usize>(self) {
        for step in &self.section.steps {
            // SAFETY: as promised to `new`, and programs address rows that they have.
            unsafe {
                match step {
                    Step::Straight(code) => run::<W>(code, self.rows),
                    Step::Loop { code, feedback } => repeat::<W>(code, feedback, self.rows),
                }
            }
        }
    }
}

/// # Safety
/// `rows` points to all rows that `code` addresses, of `W` words.
#[inline(always)]
unsafe fn run<const W: usize>(code: &Code, rows: *mut u64) {
    let mut next = code.rows.as_ptr();
    for &(Kind { positive, negative }, count) in &code.runs {
        macro_rules! execute {
            ($($p:literal $n:literal),*) => {
                match (positive, negative) {
                    // SAFETY: the runs' operations together are all that `code` has.
                    $(($p, $n) => unsafe { execute::<W, $p, $n>(next, count, rows) },)*
                    _ => unreachable!("no operation has so many operands"),
                }
            };
        }
        next = execute!(
            2 0, 1 1, 0 2,
            3 0, 2 1, 1 2, 0 3,
            4 0, 3 1, 2 2, 1 3, 0 4
        );
    }
}

/// Executes `count` operations of one kind; returns where the code goes on.
///
/// # Safety
/// At `code` are so many operations, and `rows` points to all rows that they
/// address, of `W` words.
#[inline(always)]
unsafe fn execute<const W: usize, const P: usize, const N: usize>(
    mut code: *const u32,
    count: u32,
    rows: *mut u64,
) -> *const u32 {
    for _ in 0..count {
        // SAFETY: as promised by the caller: `code` is within the code, and what
        // it says is within the rows.
        unsafe {
            let row = |i: usize| row::<W>(rows, *code.add(i));
            let mut all = [!0; W];
            for i in 0..P {
                all = and(all, *row(1 + i));
            }
            let mut any = [0; W];
            for i in 0..N {
                any = or(any, *row(1 + P + i));
            }
            *row(0) = match P {
                0 => any,
                _ => and(all, any.map(|word| !word)),
            };
            code = code.add(1 + P + N);
        }
    }
    code
}

/// # Safety
/// As for [`run`], for the feedback's rows as well.
#[inline(always)]
unsafe fn repeat<const W: usize>(code: &Code, feedback: &[Feedback], rows: *mut u64) {
    // SAFETY: the feedback's rows are there, as promised by the caller.
    let row = |at: u32| unsafe { &mut *row::<W>(rows, 8 * at) };
    for feedback in feedback {
        *row(feedback.row) = [0; W];
    }
    loop {
        // SAFETY: as promised by the caller.
        unsafe { run::<W>(code, rows) };
        let mut changed = [0; W];
        for feedback in feedback {
            let invert = if feedback.inverted { !0 } else { 0 };
            let source = *row(feedback.source);
            let value = row(feedback.row);
            for i in 0..W {
                // Values only grow, so this ends even if the loop is not monotone.
                let new = value[i] | (source[i] ^ invert);
                changed[i] |= new ^ value[i];
                value[i] = new;
            }
        }
        if changed.iter().all(|&word| word == 0) {
            return;
        }
    }
}

/// The row at an offset as [`Code`] has them.
///
/// # Safety
/// The row is within the allocation that `rows` points to.
#[inline(always)]
unsafe fn row<const W: usize>(rows: *mut u64, offset: u32) -> *mut [u64; W] {
    // SAFETY: as promised by the caller.
    unsafe { rows.byte_add(offset as usize * W).cast() }
}

#[inline(always)]
fn and<const W: usize>(a: [u64; W], b: [u64; W]) -> [u64; W] {
    array::from_fn(|i| a[i] & b[i])
}

#[inline(always)]
fn or<const W: usize>(a: [u64; W], b: [u64; W]) -> [u64; W] {
    array::from_fn(|i| a[i] | b[i])
}
