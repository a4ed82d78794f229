//! Public rulesheets, each of which parses without an error.

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
