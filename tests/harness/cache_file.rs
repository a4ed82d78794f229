//! Files of the code cache: what is not exactly as it was written is refused.
//!
//! No code that comes from the bytes is ever called.

use std::fs;
use std::path::PathBuf;

use propjit_jit::circuit::{Builder, Circuit, OutputId};
use propjit_jit::code::cache::{Cache, CacheError, CacheKey, DEFAULT_LIMIT, Refusal};
use propjit_jit::code::{Code, CodeConfig, Guards};
use propjit_jit::evaluator::{Engine, LaneEvaluator};
use propjit_jit::section::Section;
use tempfile::TempDir;

use super::bytes::Bytes;

/// How many words of rows a description may ask for to be tried out.
const MAX_WORDS: usize = 1 << 20;

/// The first byte says what is done with the others.
pub(crate) fn check(bytes: &[u8]) {
    let mut bytes = Bytes::new(bytes);
    match bytes.byte() % 3 {
        0 => check_file(bytes.rest()),
        1 => check_damage(bytes),
        _ => check_description(bytes),
    }
}

/// A cache in a folder of its own, with the code of a small circuit.
struct Kept {
    _folder: TempDir,
    cache: Cache,
    key: CacheKey,
    sections: [Section; 1],
    config: CodeConfig,
    file: PathBuf,
    code: Code,
}

impl Kept {
    fn new() -> Kept {
        let folder = tempfile::tempdir().expect("there is a folder for temporary files");
        let directory = folder.path().join("code");
        let cache = Cache::open(&directory, DEFAULT_LIMIT).expect("it is the user's own");
        let (circuit, config) = (circuit(), CodeConfig::best());
        let sections = [Section::alone(vec![OutputId(0), OutputId(1)])];
        let code = Code::compile(&circuit, &sections, &Guards::default(), &config);
        let code = code.expect("this CPU can run it");
        let key = Code::key(&circuit, &sections, b"", &config).expect("this CPU can run it");
        code.store(&cache, &key, "small").expect("it can be stored");
        Kept {
            file: directory.join(format!("{key}.code")),
            _folder: folder,
            cache,
            key,
            sections,
            config,
            code,
        }
    }

    fn load(&self) -> Result<Option<Code>, CacheError> {
        Code::load(&self.cache, &self.key, &self.sections, &self.config)
    }

    /// Loads the code, which must not be there or be refused because of what is in the file.
    fn assert_refused(&self) {
        match self.load() {
            Err(CacheError::Refused { reason, .. }) => {
                assert!(!matches!(reason, Refusal::Foreign { .. }));
                assert!(!self.file.exists(), "what is damaged is removed");
            }
            other => panic!("not refused: {other:?}"),
        }
    }
}

fn circuit() -> Circuit {
    let mut builder = Builder::new(3);
    let (a, b, c) = (builder.input(0), builder.input(1), builder.input(2));
    let both = builder.and(a, b);
    let any = builder.or(both, c);
    builder.finish(vec![both, any])
}

/// Any file with the name of an entry.
fn check_file(bytes: &[u8]) {
    let kept = Kept::new();
    if fs::read(&kept.file).expect("it was just written") == bytes {
        return;
    }
    fs::write(&kept.file, bytes).expect("it can be replaced");
    // What is longer than the cache is not even looked at.
    kept.assert_refused();
}

/// An entry of which some bytes are others, or that is longer or shorter.
fn check_damage(mut bytes: Bytes<'_>) {
    let kept = Kept::new();
    let good = fs::read(&kept.file).expect("it was just written");
    let mut bad = good.clone();
    while !bytes.is_empty() {
        match bytes.byte() % 8 {
            0 => bad.truncate(usize::from(bytes.short())),
            1 => bad.push(bytes.byte()),
            _ => {
                let at = usize::from(bytes.short()) % bad.len().max(1);
                let flip = bytes.byte();
                bad.iter_mut()
                    .skip(at)
                    .take(1)
                    .for_each(|byte| *byte ^= flip);
            }
        }
    }
    if bad != good {
        fs::write(&kept.file, bad).expect("it can be replaced");
        kept.assert_refused();
    }
}

/// An entry that is as it was written, but with a wrong description of the code: the
/// description is refused, or refers only to rows and sections that exist.
fn check_description(mut bytes: Bytes<'_>) {
    let kept = Kept::new();
    let entry = kept
        .cache
        .load(&kept.key)
        .expect("it is good")
        .expect("it is there");
    let mut description = entry.description.clone();
    match bytes.byte() % 2 {
        0 => description = bytes.rest().to_vec(),
        _ => {
            while !bytes.is_empty() {
                let at = usize::from(bytes.byte()) % description.len().max(1);
                let value = bytes.byte();
                description
                    .iter_mut()
                    .skip(at)
                    .take(1)
                    .for_each(|byte| *byte = value);
            }
        }
    }
    let code = entry.code.bytes();
    let stored = kept.cache.store(&kept.key, "", &description, code);
    stored.expect("it can be stored");
    let Ok(Some(loaded)) = kept.load() else {
        return;
    };
    assert_eq!(loaded.bytes(), kept.code.bytes());
    if loaded.rows().saturating_mul(loaded.width().words()) <= MAX_WORDS {
        LaneEvaluator::new(Engine::Code(loaded.into()));
    }
}
