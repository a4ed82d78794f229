//! `propjit completions`: scripts by which shells complete commands and options.

use clap_complete::{Shell, generate};

use super::description;
use super::output::{Failure, Output};

/// Print a script by which a shell completes commands and options
///
/// For bash, for example: `propjit completions bash > ~/.local/share/bash-completion/completions/propjit`.
#[derive(clap::Args)]
pub(super) struct Args {
    /// Shell that is to read the script
    shell: Shell,
}

pub(super) fn run(args: &Args, output: &mut Output) -> Result<(), Failure> {
    let mut script = Vec::new();
    generate(args.shell, &mut description(), "propjit", &mut script);
    output.print(&String::from_utf8_lossy(&script))
}
