//! An option of the player `mcts`: its description, its values, and the setting that it changes.

use std::ops::RangeInclusive;
use std::path::Path;
use std::str::FromStr;
use std::time::Duration;

use propjit_jit::memory::is_available;

use super::super::mcts::MctsPlayerConfig;
use super::super::spec_error::SpecError;
use crate::search::network::Network;
use crate::support::error_text::with_causes;

/// An option of the player `mcts`.
#[derive(Debug)]
#[non_exhaustive]
pub struct PlayerOption {
    /// Its name.
    pub name: &'static str,
    /// The placeholder of its value in usage texts, such as `MIB`.
    pub value_name: &'static str,
    /// Its effect, as an imperative or as a noun phrase.
    pub about: &'static str,
    /// Its default, as text; none if the search chooses a value by the game.
    pub default: Option<&'static str>,
    pub(super) group: Group,
    pub(super) kind: Kind,
}

/// The purpose of an option.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Group {
    /// The budget of a move.
    Budget,
    /// Parts of the search, and of the threads beside it.
    Search,
    /// Learning.
    Learning,
    /// Weights and sizes of the tree.
    Experiments,
}

/// The values of an option, and the setting that they change.
#[derive(Debug)]
pub(super) enum Kind {
    Flag(fn(&mut MctsOptions, bool)),
    Count(RangeInclusive<u64>, fn(&mut MctsOptions, u64)),
    /// Memory, which is given to the setter in bytes.
    Mebibytes(fn(&mut MctsOptions, usize)),
    Seconds(fn(&mut MctsOptions, Duration)),
    Number(RangeInclusive<f64>, fn(&mut MctsOptions, f64)),
    /// A text for which the setter returns true, with a description of these texts.
    Text(&'static str, fn(&mut MctsOptions, &str) -> bool),
    /// The path of a file that has a network.
    Network(fn(&mut MctsOptions, Network)),
}

/// The most MiB that an option may ask for: their number of bytes fits into a word.
const MAX_MEBIBYTES: u64 = 1 << 30;

/// The most seconds, some thirty years.
const MAX_SECONDS: f64 = 1e9;

/// A configuration of the player `mcts` that options are read into.
#[derive(Clone, Default, Debug)]
#[non_exhaustive]
pub struct MctsOptions {
    /// The configuration.
    pub config: MctsPlayerConfig,
    /// The seed, if one was given.
    pub seed: Option<u64>,
}

impl MctsOptions {
    /// Starts with a configuration, without a seed.
    pub fn new(config: MctsPlayerConfig) -> MctsOptions {
        MctsOptions { config, seed: None }
    }
}

impl PlayerOption {
    /// Whether its values are `true` and `false`.
    pub fn is_flag(&self) -> bool {
        matches!(self.kind, Kind::Flag(_))
    }

    /// Describes its values, such as `a whole number from 1 to 64`.
    pub fn values(&self) -> String {
        match &self.kind {
            Kind::Flag(_) => "true or false".to_string(),
            Kind::Count(range, _) => match range.clone().into_inner() {
                (0, u64::MAX) => "a whole number".to_string(),
                (low, u64::MAX) => format!("a whole number, at least {low}"),
                (low, high) => format!("a whole number from {low} to {high}"),
            },
            Kind::Mebibytes(_) => format!("a whole number of MiB from 1 to {MAX_MEBIBYTES}"),
            Kind::Seconds(_) => {
                format!("a number of seconds, more than 0 and at most {MAX_SECONDS}")
            }
            Kind::Number(range, _) => format!("a number from {} to {}", range.start(), range.end()),
            Kind::Text(values, _) => values.to_string(),
            Kind::Network(_) => "the path of a file".to_string(),
        }
    }

    /// Changes the setting to the value with this text.
    ///
    /// # Errors
    /// If the option has no such value, the system does not provide that much memory, or a file has no network.
    pub fn set(&self, options: &mut MctsOptions, text: &str) -> Result<(), SpecError> {
        let is_set = match &self.kind {
            Kind::Flag(set) => apply(options, parsed(text, |_| true), *set),
            Kind::Count(range, set) => apply(options, parsed(text, |n| range.contains(n)), *set),
            Kind::Number(range, set) => apply(options, parsed(text, |n| range.contains(n)), *set),
            Kind::Seconds(set) => {
                let seconds = parsed(text, |seconds: &f64| *seconds <= MAX_SECONDS);
                let time = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
                apply(options, time.filter(|time| !time.is_zero()), *set)
            }
            Kind::Mebibytes(set) => {
                let mebibytes = parsed(text, |n: &u64| (1..=MAX_MEBIBYTES).contains(n));
                let bytes = mebibytes.map(|mebibytes| (mebibytes as usize) << 20);
                if let Some(bytes) = bytes.filter(|&bytes| !is_available(bytes)) {
                    return Err(SpecError::Memory(bytes >> 20));
                }
                apply(options, bytes, *set)
            }
            Kind::Text(_, set) => set(options, text),
            Kind::Network(set) => {
                let network = Network::read(Path::new(text));
                let network = network.map_err(|error| SpecError::Network(with_causes(&error)))?;
                apply(options, Some(network), *set)
            }
        };
        match is_set {
            true => Ok(()),
            false => Err(SpecError::Value {
                option: self.name,
                wanted: self.values(),
                value: text.to_string(),
            }),
        }
    }
}

/// Returns the value of a text, if it can be read and is possible.
fn parsed<T: FromStr>(text: &str, is_possible: impl Fn(&T) -> bool) -> Option<T> {
    text.parse().ok().filter(is_possible)
}

/// Sets a value, if there is one. Returns whether there is.
fn apply<T>(options: &mut MctsOptions, value: Option<T>, set: fn(&mut MctsOptions, T)) -> bool {
    value.map(|value| set(options, value)).is_some()
}
