//! Storing code in the cache and loading it.

use std::time::Instant;

use super::cache::{Cache, CacheError, CacheKey};
use super::compiled::{Code, Description};
use super::config::CodeConfig;
use super::error::CompileError;
use super::generate::describe;
use super::plan::{Guard, Step};
use super::symbols;
use crate::circuit::Circuit;
use crate::section::Section;

/// A hash of this crate's sources, by the build script: other sources may make other code
/// or another description of the same circuit.
const SOURCES: &str = env!("PROPJIT_JIT_SOURCES");

impl Code {
    /// Returns the key of a circuit's code.
    ///
    /// The circuit may be one that still has to be optimised: then `salt` has to include all
    /// that the optimisation, and the guards, depend on. Its form should not depend on the version
    /// of the compiler, nor on messages.
    ///
    /// # Errors
    /// If this CPU cannot run such code.
    pub fn key(
        circuit: &Circuit,
        sections: &[Section],
        salt: &[u8],
        config: &CodeConfig,
    ) -> Result<CacheKey, CompileError> {
        let generator = describe(config)?;
        Ok(CacheKey::new(|hasher| {
            for text in [SOURCES, &generator, &config.cache_text()] {
                hasher.bytes(text.as_bytes());
            }
            hasher.bytes(salt);
            hasher.bytes(&circuit.fingerprint());
            for section in sections {
                hasher.numbers(section.outputs.iter().map(|output| output.0));
                hasher.numbers(section.after.map(|after| after as u32));
            }
        }))
    }

    /// Loads the code with this key of a circuit's sections, if the cache has it.
    ///
    /// # Errors
    /// When the cache refuses the code or it cannot be read: then it has to be compiled.
    pub fn load(
        cache: &Cache,
        key: &CacheKey,
        sections: &[Section],
        config: &CodeConfig,
    ) -> Result<Option<Code>, CacheError> {
        let start = Instant::now();
        let Some(entry) = cache.load(key)? else {
            return Ok(None);
        };
        let description = postcard::from_bytes::<Description>(&entry.description).ok();
        let bytes = entry.code.bytes().len();
        let Some(description) = description.filter(|description| description.is_valid(bytes))
        else {
            return Err(cache.refuse_description(key));
        };
        if let Some(map) = &config.perf_map {
            let names = symbols::names(&config.name, sections, &description.sections);
            map.add(&entry.code, &description.entries, &names);
        }
        Ok(Some(Code {
            description,
            memory: entry.code,
            time: start.elapsed(),
        }))
    }

    /// Puts the code into the cache. The label is for listings of the cache.
    ///
    /// # Errors
    /// When the cache refuses it or it cannot be written.
    pub fn store(&self, cache: &Cache, key: &CacheKey, label: &str) -> Result<(), CacheError> {
        let description = postcard::to_stdvec(&self.description);
        let description = description.expect("plain data can be written to memory");
        cache.store(key, label, &description, self.memory.bytes())
    }
}

impl Description {
    /// Returns whether it refers only to rows, routines and sections that exist. The cache
    /// ensures that the code is that of the key.
    fn is_valid(&self, bytes: usize) -> bool {
        let row_bytes = 8 * self.width.words() as u64;
        let routines = self.entries.len() as u32;
        let is_row = |&row: &u32| row < self.rows;
        let is_guard = |guard: &Guard| {
            let mut idle = guard.idle.iter();
            is_row(&guard.row)
                && idle.all(|(rows, _)| rows.start <= rows.end && rows.end <= self.rows)
        };
        let is_step = |step: &Step| {
            step.routines.start <= step.routines.end
                && step.routines.end <= routines
                && step.feedback.iter().all(is_row)
                && step.guard.iter().all(is_guard)
        };
        u64::from(self.rows) * row_bytes <= i32::MAX as u64
            && self.layout.is_valid()
            && self.layout.rows() <= self.rows
            && self.constants.are_within(self.layout.outputs().len())
            && self.entries.iter().all(|&entry| (entry as usize) < bytes)
            && self.sections.iter().flatten().all(is_step)
    }
}
