//! Options for machine code: how it is made, and where it is kept.

use propjit_jit::code::CodeConfig;
use propjit_jit::code::cache::Cache;

use crate::support::setters::setters;

/// How machine code is made, and where it is kept.
#[derive(Clone, Default, Debug)]
#[non_exhaustive]
pub struct CodeOptions {
    /// How code is made. By default, it is the best for this CPU.
    pub config: CodeConfig,
    /// The cache that keeps code for the next time, if any.
    pub cache: Option<Cache>,
    /// The name of the game in the cache's list.
    pub name: String,
}

impl CodeOptions {
    setters! {
        with_config(config: CodeConfig);
        with_cache(cache: Option<Cache>);
        with_name(name: String);
    }
}
