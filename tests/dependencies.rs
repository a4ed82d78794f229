//! What dependencies bring in: where they come from, and under which licences.

use std::process::Command;

use serde_json::Value;
use spdx::Expression;

use crate::common;

/// Licences that permit use, modification and redistribution of what is built with them.
const LICENCES: [&str; 11] = [
    "Apache-2.0",
    "BSD-2-Clause",
    "BSD-3-Clause",
    // The only licence of clipboard-win and of error-code, which the line editor (rustyline) needs on
    // Windows, whatever its features are. No other target builds them.
    "BSL-1.0",
    "CC0-1.0",
    "ISC",
    "MIT",
    "MIT-0",
    "Unicode-3.0",
    "Unlicense",
    "Zlib",
];

/// The one registry that crates come from.
const REGISTRY: &str = "registry+https://github.com/rust-lang/crates.io-index";

/// Whether this licence expression can be met with the licences above.
fn is_allowed(licence: &str) -> bool {
    // Older packages write `/` for `OR`.
    let expression = Expression::parse(&licence.replace('/', " OR "));
    expression.is_ok_and(|expression| {
        expression.evaluate(|requirement| {
            let id = requirement.license.id();
            id.is_some_and(|id| LICENCES.contains(&id.name))
        })
    })
}

#[test]
fn licences_are_understood() {
    for allowed in [
        "MIT",
        "MIT/Apache-2.0",
        "GPL-3.0-only OR MIT",
        "(MIT OR Apache-2.0) AND Unicode-3.0",
        "Apache-2.0 WITH LLVM-exception",
    ] {
        assert!(is_allowed(allowed), "{allowed}");
    }
    for refused in ["GPL-3.0-only", "MIT AND GPL-3.0-only", "", "LicenseRef-own"] {
        assert!(!is_allowed(refused), "{refused}");
    }
}

#[test]
fn dependencies_are_free_and_from_one_registry() {
    let output = Command::new(env!("CARGO"))
        .args([
            "metadata",
            "--locked",
            "--format-version=1",
            "--all-features",
        ])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    if !output.status.success() {
        // It wants the sources of crates for other operating systems, too.
        let reason = String::from_utf8_lossy(&output.stderr);
        return common::skipped(&format!("cargo cannot list dependencies: {reason}"));
    }
    let metadata: Value = serde_json::from_slice(&output.stdout).unwrap();
    let packages = metadata["packages"].as_array().unwrap();
    let mut wrong = Vec::new();
    for package in packages {
        // Our own have no source.
        let source = package["source"].as_str().unwrap_or(REGISTRY);
        let licence = package["license"].as_str().unwrap_or("");
        if source != REGISTRY || !is_allowed(licence) {
            wrong.push(format!("{}: {licence}, from {source}", package["id"]));
        }
    }
    assert!(packages.len() > 100, "{} packages", packages.len());
    assert!(wrong.is_empty(), "{wrong:#?}");
}
