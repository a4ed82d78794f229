//! `propjit convert`: rulesheets in the other notation.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use clap::ValueEnum;
use propjit_gdl::MAX_BYTES;
use propjit_gdl::source::{Notation, Source};
use propjit_gdl::syntax::{convert, notation_of};

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
    let name = args.rulesheet.display().to_string();
    let text = read(&args.rulesheet)?;
    let notation = args.syntax.notation().unwrap_or_else(|| notation_of(&text));
    let target = match (args.to, notation) {
        (Some(Target::Prefix), _) | (None, Notation::Infix) => Notation::Prefix,
        (Some(Target::Infix), _) | (None, Notation::Prefix) => Notation::Infix,
    };
    let source = Source::new(&name, &text).with_notation(notation);
    let converted =
        convert(&source, target).map_err(|diagnostics| Failure::Rules(Box::new(diagnostics)))?;
    match &args.outfile {
        Some(outfile) => {
            fs::write(outfile, converted).map_err(|error| cannot_write(outfile, &error))
        }
        None => output.print(&converted),
    }
}

fn read(path: &Path) -> Result<String, Failure> {
    let mut bytes = Vec::new();
    let limit = MAX_BYTES as u64 + 1;
    let read = match path == Path::new("-") {
        true => std::io::stdin().take(limit).read_to_end(&mut bytes),
        false => fs::File::open(path).and_then(|file| file.take(limit).read_to_end(&mut bytes)),
    };
    let name = path.display();
    read.map_err(|error| Failure::Work(format!("cannot read {name}: {error}")))?;
    if bytes.len() > MAX_BYTES {
        let limit = MAX_BYTES >> 20;
        return Err(Failure::Work(format!("{name} is larger than {limit} MiB")));
    }
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        Failure::Work(format!("{name} is not UTF-8 text: see offset {at}"))
    })
}
