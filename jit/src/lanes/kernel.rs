//! The inner loops: operations on rows.

use super::dispatch::Kernel;
use super::schedule::{Kind, PackedOperations};
use super::step::{Feedback, SectionSteps};
use super::vector::Vector;

/// Runs a section of a program.
pub(super) struct Evaluate<'a> {
    section: &'a SectionSteps,
    rows: *mut u64,
}

impl<'a> Evaluate<'a> {
    /// # Safety
    /// `rows` points to all rows of the section's program, of the width
    /// that this is dispatched for, and nothing else uses them meanwhile.
    pub(super) unsafe fn new(section: &'a SectionSteps, rows: *mut u64) -> Evaluate<'a> {
        Evaluate { section, rows }
    }
}

impl Kernel for Evaluate<'_> {
    type Output = ();

    #[inline(always)]
    fn run<V: Vector>(self) {
        for step in &self.section.steps {
            // SAFETY: as promised to `new`, and programs address rows that they have.
            unsafe {
                match &step.feedback[..] {
                    [] => run::<V>(&step.operations, self.rows),
                    feedback => repeat::<V>(&step.operations, feedback, self.rows),
                }
            }
        }
    }
}

/// # Safety
/// `rows` points to all rows that `code` addresses, that are a `V` each.
#[inline(always)]
unsafe fn run<V: Vector>(code: &PackedOperations, rows: *mut u64) {
    let mut next = code.offsets.as_ptr();
    for &(Kind { positive, negative }, count) in &code.runs {
        macro_rules! execute {
            ($($p:literal $n:literal),*) => {
                match (positive, negative) {
                    // SAFETY: the runs' operations together are all that `code` has.
                    $(($p, $n) => unsafe { execute::<V, $p, $n>(next, count, rows) },)*
                    _ => unreachable!("operations have two to four operands"),
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

/// Executes `count` operations of one kind; returns where the code continues.
///
/// # Safety
/// At `code` are `count` operations, and `rows` points to all rows that they
/// address, that are a `V` each.
#[inline(always)]
unsafe fn execute<V: Vector, const P: usize, const N: usize>(
    mut code: *const u32,
    count: u32,
    rows: *mut u64,
) -> *const u32 {
    for _ in 0..count {
        // SAFETY: as promised by the caller: `code` is within the code, and what
        // it says is within the rows.
        unsafe {
            let row = |i: usize| row::<V>(rows, *code.add(i));
            let mut all = V::ONES;
            for i in 1..=P {
                all = all.and(V::load(row(i)));
            }
            let mut any = V::ZERO;
            for i in P + 1..=P + N {
                any = any.or(V::load(row(i)));
            }
            let value = if P == 0 { any } else { all.and_not(any) };
            value.store(row(0));
            code = code.add(1 + P + N);
        }
    }
    code
}

/// # Safety
/// As for [`run`], for the feedback's rows as well.
#[inline(always)]
unsafe fn repeat<V: Vector>(code: &PackedOperations, feedback: &[Feedback], rows: *mut u64) {
    // SAFETY: the feedback's rows are there, as promised by the caller.
    let load = |at: u32| unsafe { V::load(row::<V>(rows, at)) };
    // SAFETY: as above.
    let store = |value: V, at: u32| unsafe { value.store(row::<V>(rows, at)) };
    for feedback in feedback {
        store(V::ZERO, feedback.row);
    }
    loop {
        // SAFETY: as promised by the caller.
        unsafe { run::<V>(code, rows) };
        let mut changes = V::ZERO;
        for feedback in feedback {
            let invert = if feedback.inverted { V::ONES } else { V::ZERO };
            let source = load(feedback.source).xor(invert);
            let value = load(feedback.row);
            // Values only grow, so this ends even if the loop is not monotone.
            changes = changes.or(source.and_not(value));
            store(value.or(source), feedback.row);
        }
        if changes.is_zero() {
            return;
        }
    }
}

/// Returns the address of the row at an offset as in [`PackedOperations`].
///
/// # Safety
/// The row is within the allocation that `rows` points to.
#[inline(always)]
unsafe fn row<V: Vector>(rows: *mut u64, offset: u32) -> *mut u64 {
    // SAFETY: as promised by the caller.
    unsafe { rows.byte_add(offset as usize * V::WORDS) }
}
