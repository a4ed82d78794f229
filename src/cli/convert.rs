//! `propjit convert`: rulesheets in the other notation.

use std::fs;
use std::path::PathBuf;

use clap::ValueEnum;
use propjit::game::load::LoadError;
use propjit_gdl::source::{Notation, Source};
use propjit_gdl::syntax::convert;

use super::options::Syntax;
use super::output::{Failure, Output, cannot_write, writable};

/// Write a rulesheet in infix or prefix form, with its comments
#[derive(clap::Args)]
pub(super) struct Args {
    /// Rulesheet to read; `-` for standard input
    rulesheet: PathBuf,

    /// Notation to write [default: the other one]
    #[arg(
        long,
        value_enum,
        value_name = "prefix|infix",
        hide_possible_values = true
    )]
    to: Option<Target>,

    /// Notation of the rulesheet
    #[arg(long, value_enum, default_value_t = Syntax::Auto, hide_possible_values = true, value_name = "auto|prefix|infix")]
    syntax: Syntax,

    /// File to write [default: standard output]
    #[arg(long, short, value_name = "FILE")]
    outfile: Option<PathBuf>,
}

/// The notation to write.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Target {
    Prefix,
    Infix,
}

/// Converts the rulesheet. Its rules need not be right, but its syntax must be.
pub(super) fn run(args: &Args, output: &mut Output) -> Result<(), Failure> {
    if let Some(outfile) = &args.outfile {
        writable(outfile, [&args.rulesheet])?;
    }
    let source = Source::read(&args.rulesheet, args.syntax.notation()).map_err(LoadError::from)?;
    let target = match (args.to, source.notation()) {
        (Some(Target::Prefix), _) | (None, Notation::Infix) => Notation::Prefix,
        (Some(Target::Infix), _) | (None, Notation::Prefix) => Notation::Infix,
    };
    let converted =
        convert(&source, target).map_err(|diagnostics| Failure::Rules(Box::new(diagnostics)))?;
    match &args.outfile {
        Some(outfile) => {
            fs::write(outfile, converted).map_err(|error| cannot_write(outfile, &error))
        }
        None => output.print(&converted),
    }
}
