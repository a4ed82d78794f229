//! The options of the player `mcts`: one table for player specifications, flags of the command line, and documentation.
//!
//! `table` lists the options; `option` describes what an option is.

mod option;
mod table;

use std::fmt::Write;

use self::option::Group;
pub use self::option::{MctsOptions, PlayerOption};
use self::table::OPTIONS;
use super::mcts::MctsPlayerConfig;
use super::spec_error::SpecError;

/// Former options, with their replacements.
const REMOVED: [(&str, &str); 3] = [
    ("latches", "goal latches are always detected"),
    ("minimax", "it is called `backup`"),
    ("settle", "a search uses the whole clock"),
];

/// Options as they are given: names with the texts of their values.
pub(super) type GivenOptions = [(String, String)];

/// All options of the player `mcts`.
pub fn mcts_options() -> &'static [PlayerOption] {
    OPTIONS
}

/// Reads options of the player `mcts`, which are given by name and value.
pub(super) fn read(given: &GivenOptions) -> Result<MctsOptions, SpecError> {
    // Budgets come first, since defaults depend on them.
    let mut budgets = MctsOptions::default();
    read_into(&mut budgets, given, |group| group == Group::Budget)?;
    let config = MctsPlayerConfig::for_budget(budgets.config.budget);
    let mut options = MctsOptions::new(config);
    read_into(&mut options, given, |group| group != Group::Budget)?;
    Ok(options)
}

/// Reads the options of some groups, in the order of the table.
fn read_into(
    options: &mut MctsOptions,
    given: &GivenOptions,
    is_read: impl Fn(Group) -> bool,
) -> Result<(), SpecError> {
    for option in OPTIONS.iter().filter(|option| is_read(option.group)) {
        if let Some((_, text)) = given.iter().find(|(name, _)| name == option.name) {
            option.set(options, text)?;
        }
    }
    Ok(())
}

/// Returns the replacement of a former option.
pub(super) fn removed(name: &str) -> Option<(&'static str, &'static str)> {
    REMOVED.into_iter().find(|(removed, _)| *removed == name)
}

/// The options of the player `mcts` as tables in Markdown.
pub fn mcts_options_as_markdown() -> String {
    let groups = [
        (Group::Budget, "Budget of a move"),
        (Group::Search, "Search and helpers"),
        (Group::Learning, "Learning"),
        (
            Group::Experiments,
            "For experiments: the defaults depend on the game",
        ),
    ];
    let tables = groups.map(|(group, title)| {
        let mut text = format!("### {title}\n\n| option | values | effect | default |\n");
        text.push_str("|---|---|---|---|\n");
        for option in OPTIONS.iter().filter(|option| option.group == group) {
            let (name, values, about) = (option.name, option.values(), option.about);
            let default = option.default.unwrap_or_default();
            // Writing to a string does not fail.
            let _ = writeln!(text, "| `{name}` | {values} | {about} | {default} |");
        }
        text
    });
    tables.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A default that is a value of its option is the one of the configuration.
    #[test]
    fn documented_defaults_are_those_of_the_configuration() {
        let default = format!("{:?}", MctsOptions::default());
        let mut count = 0;
        for option in OPTIONS {
            let mut options = MctsOptions::default();
            let documented = option.default.unwrap_or_default();
            if option.set(&mut options, documented).is_ok() {
                assert_eq!(format!("{options:?}"), default, "{}", option.name);
                count += 1;
            }
        }
        assert!(count > 5);
    }

    #[test]
    fn defaults_depend_on_the_budget() {
        let read = |given: &[(&str, &str)]| {
            let given = given.iter().map(|(a, b)| (a.to_string(), b.to_string()));
            read(&Vec::from_iter(given)).unwrap().config
        };
        let timed = read(&[("seconds", "1.5")]);
        assert!(timed.ponder && timed.learn_on && timed.search.helpers.plan);
        assert!(timed.search.learning.evaluation.is_some());
        // The order in which options are given does not matter.
        let counted = read(&[("solve", "true"), ("leaf", "0.5"), ("nodes", "10")]);
        assert!(!counted.ponder && !counted.learn_on && !counted.search.helpers.plan);
        assert!(counted.search.helpers.solve && counted.search.learning.evaluation.is_none());
        let evaluated = read(&[("leaf", "0.5"), ("evaluation", "true"), ("nodes", "10")]);
        let leaf = evaluated.search.learning.evaluation.unwrap().leaf;
        assert_eq!(leaf, Some(0.5));
    }
}
