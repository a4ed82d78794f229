//! Layers: which modules use which, read off the paths in the sources.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use crate::common::sources::{code, paths};

/// The folders of `src`: each may use those before it.
const FLOORS: [&str; 7] = ["support", "game", "proof", "search", "play", "lab", "cli"];

/// Modules of a folder that use each other all the same, and why.
const CIRCLES: [(&str, &[&str], &str); 2] = [
    (
        "src/proof/forced",
        &["numbers", "search", "threats"],
        "one recursive search, whose parts call each other",
    ),
    (
        "src/proof/solve",
        &["nim", "parts"],
        "sums of Nim are a case of games of several parts, whose outcomes decide it",
    ),
];

/// For each folder, by its path, which of its modules and folders use which others.
type Uses = BTreeMap<String, BTreeMap<String, BTreeSet<String>>>;

/// The modules below a folder, as paths from there: `a::b` is in `a/b.rs` or in `a/b/mod.rs`.
fn modules(root: &Path) -> BTreeMap<Vec<String>, PathBuf> {
    let mut found = BTreeMap::new();
    let mut folders = vec![(root.to_path_buf(), Vec::new())];
    while let Some((folder, path)) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let file = entry.unwrap().path();
            let name = file.file_stem().unwrap().to_string_lossy().into_owned();
            let below = |name| [path.clone(), vec![name]].concat();
            if file.is_dir() {
                folders.push((file, below(name)));
            } else if ["mod", "lib", "main"].contains(&&*name) {
                found.insert(path.clone(), file);
            } else {
                found.insert(below(name), file);
            }
        }
    }
    found
}

/// Which modules in a folder of sources use which.
fn uses(root: &str) -> Uses {
    let modules = modules(&Path::new(env!("CARGO_MANIFEST_DIR")).join(root));
    let mut uses = Uses::new();
    for (module, file) in &modules {
        for path in paths(&code(&fs::read_to_string(file).unwrap())) {
            let mut used = Vec::new();
            let mut names = path.split("::").peekable();
            if names.next_if_eq(&"crate").is_none() {
                used.clone_from(module);
            }
            while names.next_if_eq(&"super").is_some() {
                used.pop();
            }
            used.extend(names.map(String::from));
            while !modules.contains_key(&used) && !used.is_empty() {
                used.pop();
            }
            let pairs = module.iter().zip(&used);
            let common = pairs.take_while(|(one, other)| one == other).count();
            if let (Some(user), Some(used)) = (module.get(common), used.get(common)) {
                let folder = [&[root.to_string()], &module[..common]].concat().join("/");
                let of_folder = uses.entry(folder).or_default();
                of_folder
                    .entry(user.clone())
                    .or_default()
                    .insert(used.clone());
            }
        }
    }
    assert!(uses.contains_key(root));
    uses
}

/// The modules that are on a way from a circle to a circle.
fn circle(mut uses: BTreeMap<String, BTreeSet<String>>) -> BTreeSet<String> {
    loop {
        let users: BTreeSet<String> = uses.keys().cloned().collect();
        let used: BTreeSet<String> = uses.values().flatten().cloned().collect();
        uses.retain(|user, _| used.contains(user));
        uses.values_mut()
            .for_each(|used| used.retain(|used| users.contains(used)));
        uses.retain(|_, used| !used.is_empty());
        if uses.len() == users.len() {
            return users;
        }
    }
}

#[test]
fn circles_are_found() {
    let uses = |pairs: &[(&str, &str)]| {
        let mut uses: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for (user, used) in pairs {
            uses.entry(user.to_string())
                .or_default()
                .insert(used.to_string());
        }
        Vec::from_iter(circle(uses))
    };
    let line = [("a", "b"), ("b", "c"), ("a", "c")];
    assert!(uses(&line).is_empty());
    assert_eq!(
        uses(&[&line[..], &[("c", "b"), ("c", "d")]].concat()),
        ["b", "c"]
    );
}

#[test]
fn floors_use_those_before_them() {
    let rank = |name: &str| FLOORS.iter().position(|floor| *floor == name);
    for (user, used) in &uses("src")["src"] {
        let rank_of_user = rank(user).unwrap_or_else(|| panic!("`{user}` is no floor"));
        for used in used {
            let is_before = rank(used).is_some_and(|rank| rank < rank_of_user);
            assert!(is_before, "`{user}` uses `{used}`, which comes after it");
        }
    }
}

#[test]
fn no_modules_use_each_other() {
    let mut listed = 0;
    for (folder, of_folder) in ["src", "gdl/src", "jit/src"].into_iter().flat_map(uses) {
        let circle = circle(of_folder);
        let known = CIRCLES.iter().filter(|(of, _, _)| *of == folder);
        let known: BTreeSet<String> = (known.flat_map(|(_, modules, _)| *modules))
            .map(|module| module.to_string())
            .collect();
        assert_eq!(circle, known, "in {folder}");
        listed += usize::from(!known.is_empty());
    }
    assert_eq!(
        listed,
        CIRCLES.len(),
        "a folder that is listed has no modules"
    );
}

#[test]
fn packages_below_know_nothing_of_each_other() {
    for (package, unknown) in [("gdl", "propjit-jit"), ("jit", "propjit-gdl")] {
        let manifest = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join(package)
            .join("Cargo.toml");
        let manifest: toml::Table = fs::read_to_string(manifest).unwrap().parse().unwrap();
        let dependencies = manifest["dependencies"].as_table().unwrap();
        assert!(
            !dependencies.contains_key(unknown),
            "{package} uses {unknown}"
        );
    }
}
