//! Vector intrinsics are no functions to be called.
//!
//! Where one is used outside a function with the CPU feature that it needs, as in a closure, the
//! compiler leaves the call, nothing fails, and what was one instruction takes some dozens.

#![cfg(all(target_arch = "x86_64", target_os = "linux"))]

use object::{Object, ObjectSymbol};

use crate::common;

#[test]
fn vector_intrinsics_are_inlined() {
    let program = std::fs::read(env!("CARGO_BIN_EXE_propjit")).unwrap();
    let program = object::File::parse(&*program).unwrap();
    if program.symbols().next().is_none() {
        return common::skipped("the program has no symbols");
    }
    let names: Vec<&str> = program.symbols().filter_map(|s| s.name().ok()).collect();
    assert!(names.iter().any(|name| name.contains("propjit_jit")));
    let is_intrinsic = |name: &&&str| name.contains("core_arch") && name.contains("_mm");
    let called: Vec<_> = names.iter().filter(is_intrinsic).collect();
    assert!(called.is_empty(), "these are called: {called:#?}");
}
