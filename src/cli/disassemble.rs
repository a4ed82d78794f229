//! `propjit disassemble`: a listing of the machine code of a game.

use std::fmt;
use std::path::PathBuf;

use clap::ValueEnum;
use propjit::game::ground::GroundGame;
use propjit::game::ground::sections::section;
use propjit::game::ground::sections::{alone, playout_sections, state_sections};
use propjit::game::machine::Backend;
use propjit::lab::tools::disassemble::disassemble;
use propjit_jit::code::{CodeConfig, CompileError, Generator, Listing, ListingForm};
use propjit_jit::lanes::Width;
use serde::Serialize;

use super::options::{GroundArgs, game_name, in_range, load};
use super::output::{Failure, Output};

/// Print the machine code of a game
#[derive(clap::Args)]
pub(super) struct Args {
    /// Rulesheet to read; `-` for standard input
    rulesheet: PathBuf,

    /// Function to print: the evaluation of one section, or a step of a playout
    #[arg(long, value_enum, default_value_t = Part::Step)]
    function: Part,

    /// Print the intermediate representation instead
    #[arg(long, conflicts_with = "asm")]
    ir: bool,

    /// Print machine code [default]
    #[arg(long)]
    asm: bool,

    /// Code generator
    #[arg(long, value_enum, default_value_t = GeneratorName::Cranelift)]
    generator: GeneratorName,

    /// Number of lanes: 64 or 128 with cranelift, 128 or 256 with avx2, 256 or 512 with avx512 [default: the
    /// larger]
    #[arg(long, value_name = "N", value_parser = |text: &str| in_range(text, 1, usize::MAX))]
    lanes: Option<usize>,

    #[command(flatten)]
    ground: GroundArgs,
}

/// A part of a game's code.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Part {
    /// Legal moves
    Legal,
    /// Next state
    Next,
    /// Terminal states
    Terminal,
    /// Goals
    Goals,
    /// A step of a playout
    Step,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum GeneratorName {
    /// Cranelift
    Cranelift,
    /// The built-in assembler for AVX2
    Avx2,
    /// The built-in assembler for AVX-512
    Avx512,
}

#[derive(Serialize)]
struct Report {
    game: String,
    generator: &'static str,
    lanes: usize,
    functions: Vec<Function>,
}

#[derive(Serialize)]
struct Function {
    part: &'static str,
    operations: usize,
    repeated: bool,
    /// The proposition without which it is not called.
    #[serde(skip_serializing_if = "Option::is_none")]
    guard: Option<String>,
    text: String,
}

/// Prints the functions of the part.
pub(super) fn run(args: &Args, output: &mut Output) -> Result<(), Failure> {
    let config = config(args)?;
    let form = match args.ir {
        true => ListingForm::Intermediate,
        false => ListingForm::Assembly,
    };
    let setup = args.ground.setup().with_backend(Some(Backend::Compiled));
    let game = load(&args.rulesheet, &setup)?;
    let ground = game
        .ground_game()
        .expect("a game loaded for this backend is ground");
    let listings = args.function.list(ground, &config, form);
    let function = |(part, listing): (&'static str, Listing)| Function {
        part,
        operations: listing.operations,
        repeated: listing.repeated,
        guard: listing.guard.map(|guard| input_name(ground, guard.index())),
        text: listing.text,
    };
    output.result(&Report {
        game: game_name(&args.rulesheet),
        generator: config.generator.name(),
        lanes: config.width.lanes(),
        functions: listings
            .map_err(Failure::new)?
            .into_iter()
            .map(function)
            .collect(),
    })
}

/// How to generate code, as the arguments say.
fn config(args: &Args) -> Result<CodeConfig, Failure> {
    let generator = match args.generator {
        GeneratorName::Cranelift => Generator::Cranelift,
        GeneratorName::Avx2 => Generator::Avx2,
        GeneratorName::Avx512 => Generator::Avx512,
    };
    let widths = generator.widths();
    let wanted = |width: &&Width| args.lanes.is_none_or(|lanes| width.lanes() == lanes);
    match widths.iter().rfind(wanted) {
        Some(&width) => Ok(CodeConfig::new(generator, width)),
        None => {
            let lanes: Vec<String> = widths.iter().map(|w| w.lanes().to_string()).collect();
            Err(Failure::Usage(format!(
                "--lanes with --generator {} must be {}",
                generator.name(),
                lanes.join(" or ")
            )))
        }
    }
}

impl Part {
    /// The functions of the part, with the name of the section that each is in.
    fn list(
        self,
        game: &GroundGame,
        config: &CodeConfig,
        form: ListingForm,
    ) -> Result<Vec<(&'static str, Listing)>, CompileError> {
        let sections: &[(usize, &str)] = match self {
            Part::Legal => &[(alone::LEGAL, "legal")],
            Part::Next => &[(alone::NEXT, "next")],
            Part::Terminal => &[(alone::TERMINAL, "terminal")],
            Part::Goals => &[(alone::GOALS, "goals")],
            Part::Step => &[
                (section::STATE, "legal and terminal"),
                (section::NEXT, "next"),
            ],
        };
        let listings = match self {
            Part::Step => disassemble(game, &playout_sections(game.layout()), config, form),
            _ => disassemble(game, &state_sections(game.layout()), config, form),
        }?;
        let named = listings.into_iter().filter_map(|listing| {
            let mut sections = sections.iter();
            let (_, name) = sections.find(|(section, _)| *section == listing.section)?;
            Some((*name, listing))
        });
        Ok(named.collect())
    }
}

/// The name of the proposition or move that an input is.
fn input_name(game: &GroundGame, input: usize) -> String {
    let terms = &game.propnet().terms;
    match game.propnet().bases.get(input) {
        Some(base) => terms.text(base.name),
        None => format!("input {input}"),
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Report {
            game,
            generator,
            lanes,
            functions,
        } = self;
        for (number, function) in functions.iter().enumerate() {
            write!(
                f,
                "; {game}, {generator}, {lanes} lanes: {}, function {} of {}, {} operations",
                function.part,
                number + 1,
                functions.len(),
                function.operations
            )?;
            if function.repeated {
                write!(f, ", repeated until nothing changes")?;
            }
            if let Some(guard) = &function.guard {
                write!(f, ", only while {guard}")?;
            }
            writeln!(f, "\n{}", function.text)?;
        }
        Ok(())
    }
}
