//! The `propjit` command.
fn main() {}
