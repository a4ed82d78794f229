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
    /// The name of the game in the cache's list and in symbols of code.
    pub name: String,
}

impl CodeOptions {
    setters! {
        with_config(config: CodeConfig);
        with_cache(cache: Option<Cache>);
        with_name(name: String);
    }

    /// How code for a purpose is made: its symbols name the game and the purpose, as in
    /// `propjit::reversi::playouts`.
    pub(super) fn config_for(&self, purpose: &str) -> CodeConfig {
        let parts = [&self.config.name, &self.name, purpose];
        let parts = parts.into_iter().filter(|part| !part.is_empty());
        let name = parts.collect::<Vec<_>>().join("::");
        self.config.clone().with_name(name)
    }
}
