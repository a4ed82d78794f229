//! Errors in player specifications.

use thiserror::Error;

use crate::play::ggp::AddressError;
use crate::support::program::NoProgram;

/// Why a text names no player.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum SpecError {
    /// There is no such kind.
    #[error("there is no player `{name}`; there are {}, cmd:COMMAND and http://HOST:PORT", known(.names))]
    Kind {
        /// The name that was given.
        name: String,
        /// The names there are.
        names: Vec<&'static str>,
    },
    /// It has no such option.
    #[error("`{kind}` has no option `{option}`; it has {}", known(.options))]
    Option {
        /// The player's kind.
        kind: &'static str,
        /// The option that was given.
        option: String,
        /// The options there are.
        options: Vec<&'static str>,
    },
    /// It had the option in earlier versions.
    #[error("`{kind}` has no option `{option}` any more: {instead}")]
    Removed {
        /// The player's kind.
        kind: &'static str,
        /// The option that was given.
        option: &'static str,
        /// The replacement.
        instead: &'static str,
    },
    /// It is ambiguous which playouts are meant.
    #[error(
        "there is no option `playouts`: use `total-playouts` for the budget of a move, or \
         `leaf-playouts` for the playouts per visit of a leaf"
    )]
    Playouts,
    /// The option lacks a value.
    #[error("the option `{0}` lacks a value: write `{0}=VALUE`")]
    NoValue(String),
    /// The option is given twice.
    #[error("the option `{0}` is given twice")]
    Twice(String),
    /// The option cannot have this value.
    #[error("the option `{option}` must be {wanted}, not `{value}`")]
    Value {
        /// The option.
        option: &'static str,
        /// The values that it can have.
        wanted: String,
        /// The value that was given.
        value: String,
    },
    /// The system cannot provide this many MiB.
    #[error("`memory` asks for {0} MiB, more than the system provides: ask for less")]
    Memory(usize),
    /// The file has no network that can be used.
    #[error("{0}")]
    Network(String),
    /// It is not an address.
    #[error(transparent)]
    Address(#[from] AddressError),
    /// It is not a command.
    #[error(transparent)]
    Command(#[from] NoProgram),
}

fn known(names: &[&str]) -> String {
    match names {
        [] => "none".to_string(),
        names => names.join(", "),
    }
}
