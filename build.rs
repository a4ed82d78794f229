//! A hash of the sources that decide what is compiled for a game, for the keys of the code
//! cache: code that other sources have generated is never run.

use std::path::{Path, PathBuf};
use std::{env, fs, io};

/// The folders of `src` that decide what is compiled, with all that they import. The rest of the package only uses the
/// circuits and the code that are made here.
const HASHED: [&str; 5] = [
    "game/circuits",
    "game/engine",
    "game/ground",
    "game/vocabulary",
    "support",
];

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed=build.rs");
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it"));
    let mut files = Vec::new();
    for name in HASHED {
        let path = root.join("src").join(name);
        println!("cargo::rerun-if-changed={}", path.display());
        list(&path, &mut files)?;
    }
    // A test checks that they import nothing else.
    println!("cargo::rustc-env=PROPJIT_HASHED={}", HASHED.join(" "));
    files.sort();
    // FNV-1a with 128 bits: there is nobody to defend against here.
    let mut hash: u128 = 0x6c62272e07bb014262b821756295c58d;
    let mut add = |bytes: &[u8]| {
        for &byte in (bytes.len() as u64).to_le_bytes().iter().chain(bytes) {
            hash = (hash ^ u128::from(byte)).wrapping_mul((1 << 88) + 0x13b);
        }
    };
    for file in files {
        let name = file.strip_prefix(&root).expect("it is below the root");
        let parts: Vec<_> = name.iter().map(|part| part.to_string_lossy()).collect();
        add(parts.join("/").as_bytes());
        add(&fs::read(&file)?);
    }
    println!("cargo::rustc-env=PROPJIT_SOURCES={hash:032x}");
    Ok(())
}

/// Adds all Rust files in the folder and in those below it.
fn list(folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            list(&path, files)?;
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    Ok(())
}
