//! Options for machine code: how it is made, and where it is kept.

use propjit_jit::code::CodeConfig;
use propjit_jit::code::cache::Cache;

/// How machine code is made, and where it is kept.
#[derive(Clone, Default, Debug)]
pub struct CodeOptions {
    /// How code is made. By default, it is the best for this CPU.
    pub config: CodeConfig,
    /// Where code is kept for the next time, if anywhere.
    pub cache: Option<Cache>,
    /// What the cache's list calls the game.
    pub name: String,
}
