//! Code generation by Cranelift: 64 lanes in an `i64`, 128 in an `i64x2`.
//!
//! Cranelift has no wider vectors. The code is position-independent: it addresses
//! memory only relative to its argument, and itself.

use std::sync::OnceLock;

use cranelift_codegen::control::ControlPlane;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::{I64, I64X2};
use cranelift_codegen::ir::{
    AbiParam, Function, InstBuilder, MemFlagsData, Signature, Type, UserFuncName, Value,
};
use cranelift_codegen::isa::{self, CallConv, OwnedTargetIsa, TargetIsa};
use cranelift_codegen::settings::{self, Configurable};
use cranelift_codegen::{CompiledCode, Context};
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext};
use rustc_hash::FxHashMap;
use target_lexicon::Triple;

use super::config::Effort;
use super::error::CompileError;
use super::routine::{Instruction, Operand, Operator, Routine};
use crate::rows::Width;

/// Compiles routines for one CPU and width.
#[derive(Clone)]
pub(super) struct Cranelift {
    isa: OwnedTargetIsa,
    convention: CallConv,
    lanes: Type,
}

impl Cranelift {
    /// For the CPU that this runs on.
    pub(super) fn host(width: Width, effort: Effort) -> Result<Cranelift, CompileError> {
        let isa = host_isa(effort)?;
        Cranelift::new(host_convention(&*isa), isa, width)
    }

    /// For another CPU, with no more than the target's basic features.
    pub(super) fn target(
        target: Triple,
        width: Width,
        effort: Effort,
    ) -> Result<Cranelift, CompileError> {
        let isa = isa(isa::lookup(target.clone()), &target, effort)?;
        Cranelift::new(isa.default_call_conv(), isa, width)
    }

    fn new(
        convention: CallConv,
        isa: OwnedTargetIsa,
        width: Width,
    ) -> Result<Cranelift, CompileError> {
        let lanes = match width {
            Width::X64 => I64,
            Width::X128 => I64X2,
            Width::X256 | Width::X512 => return Err(CompileError::Width(width)),
        };
        Ok(Cranelift {
            convention,
            isa,
            lanes,
        })
    }

    /// Returns the compiler's version, the target and its features: everything that determines
    /// the code, besides the routine.
    pub(super) fn describe(&self) -> String {
        let flags = self.isa.isa_flags();
        let flags: Vec<String> = flags.iter().map(|flag| flag.to_string()).collect();
        format!(
            "cranelift {} {} {} {}",
            cranelift_codegen::VERSION,
            self.isa.triple(),
            self.isa.flags(),
            flags.join(" ")
        )
    }

    /// The machine code of a routine.
    pub(super) fn compile(&self, routine: &Routine) -> Result<Vec<u8>, CompileError> {
        let mut context = Context::for_function(self.translate(routine));
        Ok(self.run(&mut context)?.buffer.data().to_vec())
    }

    /// The routine in Cranelift's intermediate representation.
    #[cfg(feature = "disassemble")]
    pub(super) fn ir(&self, routine: &Routine) -> String {
        self.translate(routine).display().to_string()
    }

    /// The routine's machine code in Cranelift's notation.
    #[cfg(feature = "disassemble")]
    pub(super) fn assembly(&self, routine: &Routine) -> Result<String, CompileError> {
        let mut context = Context::for_function(self.translate(routine));
        context.set_disasm(true);
        Ok(self.run(&mut context)?.vcode.clone().unwrap_or_default())
    }

    fn run<'a>(&self, context: &'a mut Context) -> Result<&'a CompiledCode, CompileError> {
        let compiled = context.compile(&*self.isa, &mut ControlPlane::default());
        let code = compiled.map_err(|error| CompileError::Cranelift(error.inner.to_string()))?;
        assert!(
            code.buffer.relocs().is_empty(),
            "nothing outside is referred to"
        );
        Ok(code)
    }

    fn translate(&self, routine: &Routine) -> Function {
        let name = UserFuncName::default();
        let mut function = Function::with_name_signature(name, signature(self.convention));
        let mut context = FunctionBuilderContext::new();
        let mut builder = FunctionBuilder::new(&mut function, &mut context);
        let block = builder.create_block();
        builder.append_block_params_for_function_params(block);
        builder.switch_to_block(block);
        builder.seal_block(block);
        let mut body = Body {
            rows: builder.block_params(block)[0],
            builder,
            lanes: self.lanes,
            values: Vec::with_capacity(routine.values as usize),
            loaded: FxHashMap::default(),
            changes: None,
        };
        routine
            .instructions
            .iter()
            .for_each(|i| body.instruction(*i));
        body.finish(&*self.isa);
        function
    }
}

/// A routine's parameters and result: the rows, and whether feedback has changed anything.
pub(super) fn signature(convention: CallConv) -> Signature {
    let mut signature = Signature::new(convention);
    signature.params.push(AbiParam::new(I64));
    signature.returns.push(AbiParam::new(I64));
    signature
}

/// The convention by which `compiled` calls routines, on Windows too.
pub(super) fn host_convention(isa: &dyn TargetIsa) -> CallConv {
    match cfg!(target_arch = "x86_64") {
        true => CallConv::SystemV,
        false => isa.default_call_conv(),
    }
}

/// The instruction set of the CPU that this runs on, found out once.
pub(super) fn host_isa(effort: Effort) -> Result<OwnedTargetIsa, CompileError> {
    static LEAST: OnceLock<OwnedTargetIsa> = OnceLock::new();
    static FULL: OnceLock<OwnedTargetIsa> = OnceLock::new();
    let found = match effort {
        Effort::Least => &LEAST,
        Effort::Full => &FULL,
    };
    if let Some(isa) = found.get() {
        return Ok(isa.clone());
    }
    let isa = isa(cranelift_native::builder(), &Triple::host(), effort)?;
    Ok(found.get_or_init(|| isa).clone())
}

/// An instruction set with these flags.
fn isa<E: ToString>(
    builder: Result<isa::Builder, E>,
    target: &Triple,
    effort: Effort,
) -> Result<OwnedTargetIsa, CompileError> {
    let unsupported = |reason: String| CompileError::Target {
        target: target.to_string(),
        reason,
    };
    let builder = builder.map_err(|error| unsupported(error.to_string()))?;
    let flags = flags(effort).map_err(|error| unsupported(error.to_string()))?;
    let isa = builder.finish(flags);
    isa.map_err(|error| unsupported(error.to_string()))
}

fn flags(effort: Effort) -> settings::SetResult<settings::Flags> {
    let mut builder = settings::builder();
    builder.set(
        "opt_level",
        match effort {
            Effort::Least => "none",
            Effort::Full => "speed",
        },
    )?;
    // The translation is well-formed, and verifying takes a fifth of the time.
    builder.set(
        "enable_verifier",
        if cfg!(debug_assertions) {
            "true"
        } else {
            "false"
        },
    )?;
    Ok(settings::Flags::new(builder))
}

/// A function under construction.
struct Body<'a> {
    builder: FunctionBuilder<'a>,
    rows: Value,
    lanes: Type,
    values: Vec<Value>,
    /// The rows that were loaded.
    loaded: FxHashMap<u32, Value>,
    /// The lanes that feedback has changed, if there is feedback.
    changes: Option<Value>,
}

impl Body<'_> {
    fn instruction(&mut self, instruction: Instruction) {
        match instruction {
            Instruction::Compute { operator, a, b, .. } => {
                let (a, b) = (self.operand(a), self.operand(b));
                let ins = self.builder.ins();
                self.values.push(match operator {
                    Operator::And => ins.band(a, b),
                    Operator::AndNot => ins.band_not(a, b),
                    Operator::Or => ins.bor(a, b),
                    Operator::Xor => ins.bxor(a, b),
                });
            }
            Instruction::Store { row, from, invert } => {
                let value = self.source(from, invert);
                self.store(row, value);
            }
            Instruction::Feedback { row, from, invert } => {
                let source = self.source(from, invert);
                let before = self.operand(Operand::Row(row));
                let after = self.builder.ins().bor(before, source);
                let change = self.builder.ins().bxor(before, after);
                self.changes = Some(match self.changes {
                    Some(changes) => self.builder.ins().bor(changes, change),
                    None => change,
                });
                self.store(row, after);
            }
        }
    }

    fn operand(&mut self, operand: Operand) -> Value {
        match operand {
            Operand::Value(value) => self.values[value as usize],
            Operand::Row(row) => match self.loaded.get(&row) {
                Some(&value) => value,
                None => {
                    let (flags, offset) = (MemFlagsData::trusted(), self.offset(row));
                    let value = self
                        .builder
                        .ins()
                        .load(self.lanes, flags, self.rows, offset);
                    self.loaded.insert(row, value);
                    value
                }
            },
        }
    }

    fn source(&mut self, from: Operand, invert: bool) -> Value {
        let value = self.operand(from);
        match invert {
            true => self.builder.ins().bnot(value),
            false => value,
        }
    }

    fn store(&mut self, row: u32, value: Value) {
        let (flags, offset) = (MemFlagsData::trusted(), self.offset(row));
        self.builder.ins().store(flags, value, self.rows, offset);
    }

    /// Returns the offset of a row in bytes; plans have no more rows than this can express.
    fn offset(&self, row: u32) -> i32 {
        (row * self.lanes.bytes()) as i32
    }

    /// Returns one if there was a change, else zero.
    fn finish(mut self, isa: &dyn TargetIsa) {
        let ins = self.builder.ins();
        let changed = match self.changes {
            None => ins.iconst(I64, 0),
            Some(changes) => {
                let any = match self.lanes {
                    I64 => ins.icmp_imm_u(IntCC::NotEqual, changes, 0),
                    _ => ins.vany_true(changes),
                };
                self.builder.ins().uextend(I64, any)
            }
        };
        self.builder.ins().return_(&[changed]);
        self.builder.finalize(isa.frontend_config());
    }
}
