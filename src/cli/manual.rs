//! `propjit manual`: manual pages.

use std::path::PathBuf;

use super::description;
use super::output::{Failure, cannot_write};

/// Write manual pages to a folder: `propjit.1`, and one for each command
///
/// `man FOLDER/propjit.1` shows one of them. In `~/.local/share/man/man1`, `man propjit` finds it.
#[derive(clap::Args)]
pub(super) struct Args {
    /// Folder, which is made if it is missing
    folder: PathBuf,
}

pub(super) fn run(args: &Args) -> Result<(), Failure> {
    let failed = |error| cannot_write(&args.folder, &error);
    std::fs::create_dir_all(&args.folder).map_err(failed)?;
    clap_mangen::generate_to(description(), &args.folder).map_err(failed)
}
