//! Parallel code generation, from routines to position-independent bodies.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use target_lexicon::Triple;

use super::assembler::{assembler, check};
use super::config::{CodeConfig, Generator};
use super::cranelift::Cranelift;
use super::error::CompileError;
use super::plan::Plan;
use super::routine::Routine;
use crate::parallel;
use crate::rows::Width;

/// The machine code of routines, which depends neither on its address nor on that of others.
pub(super) struct Bodies {
    /// The code of each routine.
    pub code: Vec<Vec<u8>>,
    /// The number of rows that they need.
    pub rows: u32,
}

impl Bodies {
    /// The number of bytes of all bodies at their places.
    pub(super) fn size(&self) -> Result<usize, CompileError> {
        let place = |end: usize, body: &Vec<u8>| end.next_multiple_of(ALIGNMENT) + body.len();
        let size = self.code.iter().fold(0, place);
        // Entries are 32-bit numbers.
        match u32::try_from(size) {
            Ok(_) => Ok(size),
            Err(_) => Err(CompileError::Size(u32::MAX as usize)),
        }
    }

    /// All bodies at their places, and the offset of each.
    pub(super) fn image(&self) -> Result<(Vec<u8>, Vec<u32>), CompileError> {
        let mut image = Vec::with_capacity(self.size()?);
        let mut entries = Vec::with_capacity(self.code.len());
        for body in &self.code {
            let entry = image.len().next_multiple_of(ALIGNMENT);
            image.resize(entry, 0);
            image.extend(body);
            entries.push(entry as u32);
        }
        Ok((image, entries))
    }
}

/// Routines start at multiples of this, for the CPU fetches aligned blocks.
pub(super) const ALIGNMENT: usize = 64;

/// Generates the code of all routines in parallel, for the target or else for the CPU
/// that this runs on. The time counts from `start`.
pub(super) fn generate(
    plan: &Plan,
    config: &CodeConfig,
    target: Option<&Triple>,
    start: Instant,
) -> Result<Bodies, CompileError> {
    check_rows(plan, config.width)?;
    let limits = Limits {
        config,
        start,
        bytes: AtomicUsize::new(0),
    };
    let (code, spills): (Vec<Vec<u8>>, u32) = match assembler(config.generator) {
        None => {
            let cranelift = match target {
                None => Cranelift::host(config.width, config.effort)?,
                Some(target) => Cranelift::target(target.clone(), config.width, config.effort)?,
            };
            let compile = |routine: &Routine| limits.check(|| cranelift.compile(routine));
            (all(parallel::map(&plan.routines, compile))?, 0)
        }
        Some(assemble) => {
            check(config.generator, config.width, target)?;
            // All routines share the same spill rows: values do not outlive a routine.
            let spills = AtomicUsize::new(0);
            let compile = |routine: &Routine| {
                limits.check(|| {
                    let assembly = assemble(routine, config.width, plan.rows);
                    spills.fetch_max(assembly.spills as usize, Ordering::Relaxed);
                    Ok(assembly.code)
                })
            };
            let code = all(parallel::map(&plan.routines, compile))?;
            (code, spills.into_inner() as u32)
        }
    };
    Ok(Bodies {
        code,
        rows: plan.rows + spills,
    })
}

/// The code of all routines, if there is some of each.
fn all(code: Vec<Result<Vec<u8>, CompileError>>) -> Result<Vec<Vec<u8>>, CompileError> {
    code.into_iter().collect()
}

/// Describes the code generator and the CPU: code differs only if this, the version of this
/// crate, the configuration or the compiled circuit differs.
pub(super) fn describe(config: &CodeConfig) -> Result<String, CompileError> {
    Ok(match config.generator {
        Generator::Cranelift => Cranelift::host(config.width, config.effort)?.describe(),
        Generator::Avx2 | Generator::Avx512 => {
            check(config.generator, config.width, None)?;
            config.generator.name().to_string()
        }
    })
}

/// Refuses plans with more rows than code can address.
pub(super) fn check_rows(plan: &Plan, width: Width) -> Result<(), CompileError> {
    // Offsets of rows have to be positive 32-bit numbers. No more values are spilled
    // than a routine has.
    let values = plan.routines.iter().map(|routine| routine.values).max();
    let rows = u64::from(plan.rows) + u64::from(values.unwrap_or(0));
    match rows * 8 * width.words() as u64 > i32::MAX as u64 {
        true => Err(CompileError::Rows(rows)),
        false => Ok(()),
    }
}

/// The limits of code generation, and its cost so far.
struct Limits<'a> {
    config: &'a CodeConfig,
    start: Instant,
    bytes: AtomicUsize,
}

impl Limits<'_> {
    /// Generates code, unless that is stopped, time is up or there is too much code already.
    fn check(
        &self,
        code: impl FnOnce() -> Result<Vec<u8>, CompileError>,
    ) -> Result<Vec<u8>, CompileError> {
        if self.config.stop.is_set() {
            return Err(CompileError::Stopped);
        }
        if self.start.elapsed() > self.config.time {
            return Err(CompileError::Time(self.config.time));
        }
        let code = code()?;
        let before = self.bytes.fetch_add(code.len(), Ordering::Relaxed);
        match before + code.len() > self.config.bytes {
            true => Err(CompileError::Size(self.config.bytes)),
            false => Ok(code),
        }
    }
}
