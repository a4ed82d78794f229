//! Every public rulesheet parses without an error.

use std::path::PathBuf;

use propjit_gdl::rules::Rules;

/// The folder of public rulesheets, if it is there.
fn games() -> Option<PathBuf> {
    let shared = std::env::var_os("PROPJIT_SHARED").map_or_else(
        || PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../shared")),
        PathBuf::from,
    );
    let games = shared.join("games");
    if !games.is_dir() {
        eprintln!("skipped: no folder {}", games.display());
        return None;
    }
    Some(games)
}

#[test]
fn public_rulesheets_have_no_errors() {
    let Some(games) = games() else { return };
    for entry in games.read_dir().expect("a folder") {
        let path = entry.expect("an entry").path();
        match Rules::read(&path) {
            Ok(parsed) => {
                assert!(!parsed.rules.roles.is_empty(), "{}", path.display());
                if std::env::var_os("SHOW").is_some() && !parsed.warnings.is_empty() {
                    println!("{}", parsed.warnings);
                }
            }
            Err(error) => panic!("{error}"),
        }
    }
}
