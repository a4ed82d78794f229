//! How a game comes by its machine code: from the cache, or from the compiler.

use propjit_jit::code::cache::{Cache, CacheKey};
use propjit_jit::code::{Code, CodeConfig, CompileError};
use propjit_jit::passes::PassConfig;

use super::GroundGame;
use super::compiled;

/// A hash of the sources that decide what is compiled for a game, by the build script.
const SOURCES: &str = env!("PROPJIT_SOURCES");

/// How machine code is made, and where it is kept.
#[derive(Clone, Debug)]
pub struct CodeOptions {
    /// How code is made.
    pub config: CodeConfig,
    /// Where code is kept for the next time, if anywhere.
    pub cache: Option<Cache>,
    /// What the cache's list calls the game.
    pub name: String,
}

impl Default for CodeOptions {
    /// The best code for this CPU, without a cache.
    fn default() -> CodeOptions {
        CodeOptions {
            config: CodeConfig::best(),
            cache: None,
            name: String::new(),
        }
    }
}

/// What code is for.
#[derive(Clone, Debug)]
pub(crate) enum Form {
    Playouts,
    States,
    /// Playouts with decisive moves.
    Decisive {
        /// By which rules moves are decisive, and with which goal latches.
        latches: String,
    },
}

impl Form {
    /// What the cache's list calls it.
    fn name(&self) -> &'static str {
        match self {
            Form::Playouts => "playouts",
            Form::States => "states",
            Form::Decisive { .. } => "decisive",
        }
    }
}

impl CodeOptions {
    /// The game's code: that of the cache, or else new code from `compile`, which is put there.
    ///
    /// That the cache cannot be used is told in the log and no failure.
    pub(crate) fn obtain<E: From<CompileError>>(
        &self,
        game: &GroundGame,
        form: Form,
        compile: impl FnOnce(&CodeConfig) -> Result<Code, E>,
    ) -> Result<Code, E> {
        let Some(cache) = &self.cache else {
            return compile(&self.config);
        };
        let key = self.key(game, &form)?;
        match Code::load(cache, &key) {
            Ok(Some(code)) => {
                tracing::debug!(bytes = code.bytes(), time = ?code.time(), "loaded code");
                return Ok(code);
            }
            Ok(None) => {}
            Err(error) => {
                tracing::warn!(error = &error as &dyn std::error::Error, "compiling afresh")
            }
        }
        let code = compile(&self.config)?;
        let lanes = code.width().lanes();
        let label = format!("{}, {}, {lanes} lanes", self.name, form.name());
        if let Err(error) = code.store(cache, &key, &label) {
            tracing::warn!(error = &error as &dyn std::error::Error, "code is not kept");
        }
        Ok(code)
    }

    /// What the code depends on: the circuit before any pass, for a hit is to spare us
    /// the passes too, and all that these and the guards depend on.
    fn key(&self, game: &GroundGame, form: &Form) -> Result<CacheKey, CompileError> {
        let layout = game.layout();
        let passes = PassConfig::default().cache_text();
        let initial = game.initial();
        let name = form.name();
        let mut salt = format!("{SOURCES} {name} {layout:?} {passes} {initial:?}");
        let sections = match form {
            Form::Playouts => compiled::playout_sections(layout).to_vec(),
            Form::States => compiled::state_sections(layout).to_vec(),
            Form::Decisive { latches } => {
                salt += latches;
                compiled::decisive_sections(layout).to_vec()
            }
        };
        Code::key(game.lowered(), &sections, &salt, &self.config)
    }
}
