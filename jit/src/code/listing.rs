//! Human-readable listings of machine code.
//!
//! Cranelift prints its own code. The output of the assemblers for AVX2 and AVX-512 is decoded
//! from its bytes, so that the listing cannot differ from what would run.

use std::fmt::Write;

use iced_x86::{Decoder, DecoderOptions, Formatter, IntelFormatter};

use super::assembler::assembler;
use super::config::CodeConfig;
use super::cranelift::Cranelift;
use super::error::CompileError;
use super::generate::check_rows;
use super::guard::{Groups, Guards};
use super::plan::Plan;
use super::routine::Routine;
use crate::circuit::{Circuit, InputId};
use crate::rows::Layout;
use crate::rows::changing;
use crate::section::Section;

/// The form in which a function is shown.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ListingForm {
    /// The form that the code is made from: Cranelift's intermediate representation, or for the
    /// assembler the plain list of operations that it is given.
    Intermediate,
    /// The machine code: in Cranelift's own notation, or in Intel's for the assembler.
    Assembly,
}

/// A function of machine code.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Listing {
    /// The section that calls it.
    pub section: usize,
    /// Its number among the functions of all sections, from 0, in the order of calls.
    pub function: usize,
    /// The number of operations that it computes.
    pub operations: usize,
    /// Whether it is part of a loop, repeated until nothing changes.
    pub repeated: bool,
    /// An input such that the function is not called while it is false in all lanes.
    pub guard: Option<InputId>,
    /// The code, a line for each instruction.
    pub text: String,
}

/// The functions that [`Code::compile`](super::Code::compile) makes of the same arguments,
/// in the order of calls. The CPU need not be able to run them.
///
/// # Errors
/// If there is no code generator for the target or the width, or the circuit needs more
/// rows than machine code can address.
///
/// # Panics
/// As for [`Code::compile`](super::Code::compile).
pub fn disassemble(
    circuit: &Circuit,
    sections: &[Section],
    guards: &Guards,
    config: &CodeConfig,
    form: ListingForm,
) -> Result<Vec<Listing>, CompileError> {
    let groups = Groups::new(circuit, guards, config.guarded);
    let sections = changing(circuit, sections);
    let plan = Plan::new(circuit, &sections, &groups, config)?;
    check_rows(&plan, config.width)?;
    let texts = texts(&plan, config, form)?;
    let first_input = Layout::new(circuit).inputs().start as u32;
    let mut listings = Vec::new();
    for (section, steps) in plan.sections.iter().enumerate() {
        for step in steps {
            let functions = step.routines.start as usize..step.routines.end as usize;
            let routines = plan.routines[functions.clone()].iter();
            for (function, (routine, text)) in
                functions.clone().zip(routines.zip(&texts[functions]))
            {
                listings.push(Listing {
                    section,
                    function,
                    operations: routine.values as usize,
                    repeated: !step.feedback.is_empty(),
                    guard: step.guard.as_ref().map(|g| InputId(g.row - first_input)),
                    text: text.clone(),
                });
            }
        }
    }
    Ok(listings)
}

/// The text of each routine.
fn texts(plan: &Plan, config: &CodeConfig, form: ListingForm) -> Result<Vec<String>, CompileError> {
    let routines = plan.routines.iter();
    match assembler(config.generator) {
        None => {
            let cranelift = Cranelift::host(config.width, config.effort)?;
            let text = |routine: &Routine| match form {
                ListingForm::Intermediate => Ok(cranelift.ir(routine)),
                ListingForm::Assembly => cranelift.assembly(routine),
            };
            routines.map(text).collect()
        }
        Some(assemble) => {
            if !config.generator.widths().contains(&config.width) {
                return Err(CompileError::Width(config.width));
            }
            let text = |routine: &Routine| match form {
                ListingForm::Intermediate => routine.to_string(),
                ListingForm::Assembly => decode(&assemble(routine, config.width, plan.rows).code),
            };
            Ok(routines.map(text).collect())
        }
    }
}

/// Code for x86-64 in Intel's notation, a line for each instruction, after its address.
fn decode(code: &[u8]) -> String {
    let mut formatter = IntelFormatter::new();
    let options = formatter.options_mut();
    options.set_hex_prefix("0x");
    options.set_hex_suffix("");
    options.set_uppercase_hex(false);
    options.set_space_after_operand_separator(true);
    let mut text = String::new();
    for instruction in Decoder::with_ip(64, code, 0, DecoderOptions::NONE) {
        // A string takes all that is written to it.
        let _ = write!(text, "{:04x}:  ", instruction.ip());
        formatter.format(&instruction, &mut text);
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;
    use crate::circuit::{Builder, OutputId};
    use crate::code::Generator;
    use crate::rows::Width;

    /// Two outputs in two sections, one of which is inverted.
    fn listings(generator: Generator, width: Width, form: ListingForm) -> Vec<Listing> {
        let mut builder = Builder::new(2);
        let (a, b) = (builder.input(0), builder.input(1));
        let both = builder.and(a, b);
        let neither = builder.and(!a, !b);
        let circuit = builder.finish(vec![both, !neither]);
        let section = |output| Section::alone(vec![OutputId(output)]);
        let config = CodeConfig::new(generator, width);
        let sections = [section(0), section(1)];
        disassemble(&circuit, &sections, &Guards::default(), &config, form).unwrap()
    }

    #[test]
    fn each_section_has_its_functions() {
        let listings = listings(Generator::Avx2, Width::X256, ListingForm::Assembly);
        let places: Vec<_> = listings.iter().map(|l| (l.section, l.function)).collect();
        assert_eq!(places, [(0, 0), (1, 1)]);
        assert!(listings.iter().all(|l| l.operations == 1 && !l.repeated));
    }

    #[test]
    fn the_assembler_in_both_forms() {
        let [first, _] = &listings(Generator::Avx2, Width::X256, ListingForm::Assembly)[..] else {
            panic!("there are two sections");
        };
        expect![[r#"
            0000:  vmovdqu ymm15, [rdi+0x40]
            0005:  vpand ymm15, ymm15, [rdi+0x60]
            000a:  vmovdqu [rdi+0x80], ymm15
            0012:  xor eax, eax
            0014:  vzeroupper
            0017:  ret
        "#]]
        .assert_eq(&first.text);
        let [_, second] = &listings(Generator::Avx2, Width::X256, ListingForm::Intermediate)[..]
        else {
            panic!("there are two sections");
        };
        expect![[r#"
            v0 = row 2 or row 3
            row 5 = v0
        "#]]
        .assert_eq(&second.text);
    }

    #[test]
    fn cranelift_in_both_forms() {
        let of = |form| {
            listings(Generator::Cranelift, Width::X128, form)[0]
                .text
                .clone()
        };
        assert!(of(ListingForm::Intermediate).contains("band"));
        assert!(!of(ListingForm::Assembly).is_empty());
    }

    #[test]
    fn generators_have_their_widths() {
        let circuit = Builder::new(0).finish(Vec::new());
        for (generator, width) in [
            (Generator::Avx2, Width::X64),
            (Generator::Avx512, Width::X128),
            (Generator::Cranelift, Width::X256),
        ] {
            let config = CodeConfig::new(generator, width);
            let guards = Guards::default();
            let refused = disassemble(&circuit, &[], &guards, &config, ListingForm::Assembly);
            assert!(matches!(refused, Err(CompileError::Width(w)) if w == width));
        }
    }
}
