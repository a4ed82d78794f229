//! What the build script hashes for the keys of the code cache: everything that decides what is
//! compiled, so that code of other sources is never run.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use crate::common::sources::{code, paths};

/// The folders of `src` that the script hashes, with their files.
fn hashed() -> Vec<(String, Vec<PathBuf>)> {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let names = env!("PROPJIT_HASHED").split(' ');
    let folder = |name: &str| {
        let mut files = Vec::new();
        list(&src.join(name), &mut files);
        (name.replace('/', "::"), files)
    };
    names.map(folder).collect()
}

/// Adds this file, or all files in this folder and in those below it.
fn list(path: &Path, files: &mut Vec<PathBuf>) {
    if path.is_dir() {
        for entry in fs::read_dir(path).unwrap() {
            list(&entry.unwrap().path(), files);
        }
    } else {
        files.push(path.to_path_buf());
    }
}

/// A module that a hashed one imports decides what is compiled, too.
#[test]
fn what_is_imported_is_hashed() {
    let hashed = hashed();
    let names: BTreeSet<&str> = hashed.iter().map(|(name, _)| &**name).collect();
    let mut files = 0;
    for file in hashed.iter().flat_map(|(_, files)| files) {
        // Modules of tests that have a file of their own.
        if file.ends_with("tests.rs") {
            continue;
        }
        files += 1;
        let paths = paths(&code(&fs::read_to_string(file).unwrap()));
        for import in paths.iter().filter_map(|path| path.strip_prefix("crate::")) {
            let is_hashed = |name: &&str| import.starts_with(&format!("{name}::"));
            assert!(
                names.iter().any(is_hashed),
                "{} uses `{import}`, which build.rs does not hash: add it to HASHED there",
                file.display()
            );
        }
    }
    assert!(files >= names.len(), "{files} files");
}
