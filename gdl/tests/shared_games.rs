//! Public rulesheets, each of which parses without an error.

use propjit_gdl::ReadOptions;
use propjit_gdl::diagnostic::Diagnostics;
use propjit_gdl::rules::Rules;
use propjit_gdl::syntax;
use propjit_test_support::shared;

#[test]
fn public_rulesheets_have_no_errors() {
    let Some(shared) = shared() else { return };
    for entry in shared.join("games").read_dir().expect("a folder") {
        let path = entry.expect("an entry").path();
        let parsed = Rules::read(&path).unwrap_or_else(|error| panic!("{error}"));
        assert!(!parsed.rules.roles.is_empty(), "{}", path.display());
        assert!(!parsed.warnings.has_errors(), "{}", path.display());
        // Rendering must cope with whatever there is to warn of.
        let _ = parsed.warnings.to_string();

        let source = &parsed.rules.source;
        let mut diagnostics = Diagnostics::new(source.clone());
        let printed = syntax::parse(source, &mut diagnostics).to_string();
        let again = Rules::parse("printed", &printed).expect("no errors").rules;
        assert_eq!(parsed.rules.rules.len(), again.rules.len());
        assert_eq!(parsed.rules.roles, again.roles);
    }
}

/// Rulesheets that other players play though the specification forbids some of their rules. One has a `true` with two
/// arguments.
#[test]
fn rulesheets_of_the_field_can_be_read() {
    let Some(shared) = shared() else { return };
    let lenient = ReadOptions::default().with_lenient(true);
    let (mut refused, mut accepted) = (Vec::new(), Vec::new());
    for folder in ["games-field", "games-ii"] {
        for entry in shared.join(folder).read_dir().expect("a folder") {
            let path = entry.expect("an entry").path();
            let name = path
                .file_stem()
                .expect("a name")
                .to_string_lossy()
                .into_owned();
            match Rules::read_with(&path, &lenient) {
                Err(_) => refused.push(name),
                Ok(parsed) if parsed.warnings.lenient().next().is_some() => accepted.push(name),
                Ok(_) => {}
            }
        }
    }
    accepted.sort();
    assert_eq!(refused, ["numberguessing"]);
    assert_eq!(accepted, ["darkChess", "firesheep", "transit"]);
}
