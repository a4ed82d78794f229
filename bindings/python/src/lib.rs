//! The Python package `propjit`: games written in GDL, batched environments, search.
//!
//! - `game`, `state`: a loaded game and its states.
//! - `vector`: batched environments, which write to NumPy `arrays`, their `outputs`. `observations`, `planes`: what is
//!   observed. `knowledge`: what players know of a single match.
//! - `search`, `playouts`, `facts`, `symmetries`: long-running work, with results as the data classes of
//!   `propjit.records`.
//! - `batch_search`: searches of many games at once. `evaluation`: functions that evaluate the leaves of searches.
//! - `errors`, `numbers`, `interrupt`: exceptions, numbers that are out of range, and Ctrl-C.

mod arrays;
mod batch_search;
mod errors;
mod evaluation;
mod facts;
mod game;
mod interrupt;
mod knowledge;
mod numbers;
mod observations;
mod outputs;
mod planes;
mod playouts;
mod records;
mod search;
mod state;
mod symmetries;
mod vector;

use pyo3::prelude::*;

#[pymodule]
mod _native {
    /// The version of the package.
    #[pymodule_export]
    const VERSION: &str = env!("CARGO_PKG_VERSION");

    #[pymodule_export]
    use super::batch_search::BatchSearch;
    #[pymodule_export]
    use super::errors::{IllegalMoveError, LoadError, PlayError, PropjitError, UnknownNameError};
    #[pymodule_export]
    use super::game::Game;
    #[pymodule_export]
    use super::knowledge::Knowledge;
    #[pymodule_export]
    use super::planes::Planes;
    #[pymodule_export]
    use super::search::Search;
    #[pymodule_export]
    use super::state::State;
    #[pymodule_export]
    use super::vector::VectorEnv;
}
