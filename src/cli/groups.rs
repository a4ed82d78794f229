//! Groups of commands in the help.

use std::fmt::Write as _;

use clap::Command;

/// The commands, by what they are for.
const GROUPS: [(&str, &str); 6] = [
    (
        "Play and analyse",
        "analyze play view match tournament heuristics",
    ),
    (
        "Check rules",
        "validate convert info facts factors stats similarity verify",
    ),
    ("Prove and solve", "prove solve"),
    (
        "Measure and tune",
        "playout perft compare darkening disassemble perf tune",
    ),
    ("Serve", "serve engine"),
    ("Set up", "cache completions manual help"),
];

/// Lists commands by group in the help of the program.
pub(super) fn grouped(mut command: Command) -> Command {
    // This adds the command `help`.
    command.build();
    let header = *command.get_styles().get_header();
    let literal = *command.get_styles().get_literal();
    let all = GROUPS.iter().flat_map(|(_, names)| names.split(' '));
    let width = all.map(str::len).max().unwrap_or(0);
    let mut listed = String::new();
    for (title, names) in GROUPS {
        let _ = writeln!(listed, "\n{header}{title}:{header:#}");
        for name in names.split(' ') {
            let about = command.find_subcommand(name).and_then(Command::get_about);
            let about = about.map(ToString::to_string).unwrap_or_default();
            let _ = writeln!(listed, "  {literal}{name:width$}{literal:#}  {about}");
        }
    }
    command.help_template(format!(
        "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n{listed}\n{header}Options:{header:#}\n{{options}}{{after-help}}"
    ))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::cli::description;

    #[test]
    fn every_command_is_in_one_group() {
        let described = grouped(description());
        let commands: BTreeSet<&str> = described.get_subcommands().map(Command::get_name).collect();
        let listed = GROUPS.iter().flat_map(|(_, names)| names.split(' '));
        let listed: Vec<&str> = listed.collect();
        assert_eq!(listed.iter().copied().collect::<BTreeSet<_>>(), commands);
        assert_eq!(listed.len(), commands.len());
    }
}
