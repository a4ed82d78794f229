//! Tunable settings.

use std::fmt;

use propjit_jit::code::{CodeConfig, Effort, Generator, Order};
use propjit_jit::lanes::Width;
use serde::{Deserialize, Serialize};

/// How code is made and run: the settings that affect speed alone, and depend on the CPU.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Settings {
    /// The generator of the machine code.
    pub generator: Generator,
    /// The number of lanes of a row.
    #[serde(rename = "lanes", with = "lanes")]
    pub width: Width,
    /// The optimisation effort.
    pub effort: Effort,
    /// The order in which gates are computed.
    pub order: Order,
    /// The maximum number of operations of a function of machine code.
    pub function_size: usize,
    /// The number of gates that a guard must save to be used: see [`CodeConfig::guarded`].
    pub guarded: i32,
    /// How long lanes may idle before matches are started in them: see
    /// [`PlayoutRunner::refill`](crate::game::playout::PlayoutRunner::refill).
    pub refill: u32,
    /// The number of threads that play.
    pub threads: usize,
}

/// The reason why settings cannot be used.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ImpossibleSettings {
    /// This CPU, or this build, cannot run such code.
    #[error("this CPU cannot run code of the generator `{0}`")]
    Generator(&'static str),
    /// The generator does not support rows of this width.
    #[error("the generator `{generator}` does not support {lanes} lanes")]
    Lanes {
        /// The generator's name.
        generator: &'static str,
        /// The requested number of lanes.
        lanes: usize,
    },
    /// A number is out of range.
    #[error("`{name}` must be from 1 to {most}")]
    Range {
        /// The name of the setting.
        name: &'static str,
        /// The maximum possible number.
        most: usize,
    },
}

/// The maximum of the function size.
const MAX_FUNCTION_SIZE: usize = 1 << 20;

/// The maximum number of threads.
pub const MAX_THREADS: usize = 1024;

impl Default for Settings {
    /// Returns the settings that are usually best, on one thread.
    fn default() -> Settings {
        Settings::new(&CodeConfig::best())
    }
}

impl Settings {
    /// Takes the settings for making code from `config`, with the defaults for the others.
    pub fn new(config: &CodeConfig) -> Settings {
        Settings {
            generator: config.generator,
            width: config.width,
            effort: config.effort,
            order: config.order,
            function_size: config.function_size,
            guarded: config.guarded,
            refill: 1,
            threads: 1,
        }
    }

    /// Returns the configuration of code, with the usual limits.
    pub fn code(&self) -> CodeConfig {
        CodeConfig::new(self.generator, self.width)
            .with_effort(self.effort)
            .with_order(self.order)
            .with_function_size(self.function_size)
            .with_guarded(self.guarded)
    }

    /// Checks whether they can be used on this CPU.
    ///
    /// # Errors
    /// The first setting that is impossible.
    pub fn check(&self) -> Result<(), ImpossibleSettings> {
        let generator = self.generator.name();
        if !self.generator.is_supported() {
            return Err(ImpossibleSettings::Generator(generator));
        }
        if !self.generator.widths().contains(&self.width) {
            let lanes = self.width.lanes();
            return Err(ImpossibleSettings::Lanes { generator, lanes });
        }
        let in_range = |name, number, most| match (1..=most).contains(&number) {
            true => Ok(()),
            false => Err(ImpossibleSettings::Range { name, most }),
        };
        in_range("function-size", self.function_size, MAX_FUNCTION_SIZE)?;
        in_range("threads", self.threads, MAX_THREADS)
    }
}

impl fmt::Display for Settings {
    /// Formats it as in the profile's file.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&toml::to_string(self).map_err(|_| fmt::Error)?)
    }
}

/// A width is the number of its lanes.
mod lanes {
    use propjit_jit::lanes::Width;
    use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};

    pub(super) fn serialize<S: Serializer>(
        width: &Width,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        width.lanes().serialize(serializer)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Width, D::Error> {
        let lanes = usize::deserialize(deserializer)?;
        let width = Width::ALL.into_iter().find(|width| width.lanes() == lanes);
        width.ok_or_else(|| D::Error::custom(format!("{lanes} lanes are not supported")))
    }
}
