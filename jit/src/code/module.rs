//! Modules: routines under their names, in memory that can be executed.
//!
//! The bodies are there before, since they are compiled in parallel. So the size of all is known,
//! and they get one mapping: a [`Provider`] hands it out to a `JITModule`, and makes it executable
//! when the module is finalised. The [`Executable`] then owns it alone: the module is dropped,
//! which frees nothing.

use std::io;
use std::sync::{Arc, OnceLock};

use cranelift_jit::{BranchProtection, JITBuilder, JITMemoryKind, JITMemoryProvider, JITModule};
use cranelift_module::{Linkage, Module, ModuleError, ModuleResult, default_libcall_names};
use memmap2::MmapMut;

use super::config::Effort;
use super::cranelift::{host_convention, host_isa, signature};
use super::error::CompileError;
use super::generate::{ALIGNMENT, Bodies};
use super::memory::Executable;

/// Routines in memory.
pub(super) struct Defined {
    pub memory: Executable,
    /// The offset of each routine.
    pub entries: Vec<u32>,
}

/// Defines routines under these names, as many as there are bodies.
pub(super) fn define(bodies: &Bodies, names: &[String]) -> Result<Defined, CompileError> {
    let (provider, executable) = Provider::new(bodies.size()?)?;
    // The effort does not matter here: the bodies are compiled.
    let isa = host_isa(Effort::Full)?;
    let signature = signature(host_convention(&*isa));
    let mut builder = JITBuilder::with_isa(isa, default_libcall_names());
    builder.memory_provider(Box::new(provider));
    let mut module = JITModule::new(builder);
    let mut functions = Vec::with_capacity(names.len());
    for (body, name) in bodies.code.iter().zip(names) {
        let function = module.declare_function(name, Linkage::Export, &signature)?;
        // Without relocations, for bodies refer to nothing outside.
        module.define_function_bytes(function, ALIGNMENT as u64, body, &[])?;
        functions.push(function);
    }
    module.finalize_definitions()?;
    let memory = executable.get().expect("the module is finalised").clone();
    let start = memory.bytes().as_ptr().addr();
    let entry = |function| (module.get_finalized_function(function).addr() - start) as u32;
    let entries = functions.into_iter().map(entry).collect();
    Ok(Defined { memory, entries })
}

/// One mapping for all code of a module.
struct Provider {
    /// The mapping, until it is executable.
    map: Option<MmapMut>,
    used: usize,
    executable: Arc<OnceLock<Executable>>,
}

impl Provider {
    /// A provider of this number of bytes, and the place of the memory when it is executable.
    fn new(bytes: usize) -> io::Result<(Provider, Arc<OnceLock<Executable>>)> {
        let executable = Arc::new(OnceLock::new());
        let provider = Provider {
            // An empty map is an error on some systems.
            map: Some(MmapMut::map_anon(bytes.max(1))?),
            used: 0,
            executable: executable.clone(),
        };
        Ok((provider, executable))
    }
}

impl JITMemoryProvider for Provider {
    /// Hands out the next bytes. All are of one kind, as there is only code.
    fn allocate(&mut self, size: usize, align: u64, _: JITMemoryKind) -> io::Result<*mut u8> {
        let map = self.map.as_mut().ok_or(io::ErrorKind::PermissionDenied)?;
        // The mapping starts a page, which no alignment of code exceeds.
        let start = self.used.checked_next_multiple_of(align as usize);
        let start = start.ok_or(io::ErrorKind::OutOfMemory)?;
        let end = start.checked_add(size).filter(|&end| end <= map.len());
        self.used = end.ok_or(io::ErrorKind::OutOfMemory)?;
        Ok(map.as_mut_ptr().wrapping_add(start))
    }

    /// Makes the code executable, and no longer writable. Where branches are to be protected, code
    /// has the instructions for it, which do nothing in memory without that protection.
    fn finalize(&mut self, _: BranchProtection) -> ModuleResult<()> {
        if let Some(map) = self.map.take() {
            let published = Executable::publish(map);
            let published = published.map_err(|err| ModuleError::Allocation { err })?;
            self.executable.get_or_init(|| published);
        }
        Ok(())
    }

    // SAFETY: it frees nothing that is executable, for that has an owner of its own.
    unsafe fn free_memory(&mut self) {
        self.map = None;
    }
}

impl From<ModuleError> for CompileError {
    fn from(error: ModuleError) -> CompileError {
        match error {
            ModuleError::Allocation { err } => CompileError::Memory(err),
            error => CompileError::Cranelift(error.to_string()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::memory::assert_published;
    use super::*;

    fn bodies(lengths: &[usize]) -> Bodies {
        let code = lengths
            .iter()
            .zip(1..)
            .map(|(&length, byte)| vec![byte; length]);
        Bodies {
            code: code.collect(),
            rows: 0,
        }
    }

    fn names(count: usize) -> Vec<String> {
        (0..count)
            .map(|number| format!("function_{number}"))
            .collect()
    }

    #[test]
    fn bodies_are_where_the_entries_say() {
        for lengths in [&[][..], &[1], &[64, 1, 5000, 3], &[100_000, 1]] {
            let bodies = bodies(lengths);
            let defined = define(&bodies, &names(lengths.len())).unwrap();
            assert_published(&defined.memory);
            let memory = defined.memory.bytes();
            assert_eq!(memory.len(), bodies.size().unwrap().max(1));
            assert_eq!(defined.entries.len(), lengths.len());
            for (&entry, body) in defined.entries.iter().zip(&bodies.code) {
                assert_eq!(entry as usize % ALIGNMENT, 0);
                assert_eq!(&memory[entry as usize..][..body.len()], body);
            }
            // As the cache stores it, and as it is linked elsewhere.
            let (image, entries) = bodies.image().unwrap();
            assert_eq!(entries, defined.entries);
            assert_eq!(&memory[..image.len()], image);
        }
    }

    #[test]
    fn a_name_is_defined_once() {
        let names = ["same".to_string(), "same".to_string()];
        let defined = define(&bodies(&[1, 1]), &names);
        assert!(matches!(defined, Err(CompileError::Cranelift(reason)) if reason.contains("same")));
    }

    #[test]
    fn no_more_is_handed_out_than_there_is() {
        let (mut provider, executable) = Provider::new(100).unwrap();
        let mut allocate = |size, align| provider.allocate(size, align, JITMemoryKind::Executable);
        let first = allocate(10, 16).unwrap();
        let second = allocate(36, 64).unwrap();
        assert_eq!(second.addr() - first.addr(), 64);
        for (size, align) in [(1, 1), (usize::MAX, 1), (1, 1 << 63)] {
            let error = allocate(size, align).unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::OutOfMemory);
        }
        assert!(executable.get().is_none());
        provider.finalize(BranchProtection::None).unwrap();
        assert_eq!(executable.get().unwrap().bytes().len(), 100);
        // Nothing is writable any more.
        assert!(provider.allocate(0, 1, JITMemoryKind::Executable).is_err());
    }
}
