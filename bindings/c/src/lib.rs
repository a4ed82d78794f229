//! The C interface to propjit.
//!
//! Objects are pointers to opaque types, which are made by functions that write them to their last
//! parameter, and freed by `propjit_..._free`. Functions return a [`Status`](error::Status);
//! [`propjit_last_error`](error::propjit_last_error) returns the error message, and no panic leaves the
//! library. `include/propjit.h` is generated from this code by cbindgen; `docs/c.md` is the guide.
//!
//! - `error`: status codes, error messages, and panic isolation.
//! - `pointer`: access to the values behind a caller's pointers. `sized`: structures that may grow. `observation`:
//!   arrays of the caller.
//! - `version`, `game`, `state`, `actions`, `percepts`, `planes`, `playouts`, `search`, `environments`: the interface
//!   itself.

pub mod actions;
pub mod environments;
pub mod error;
pub mod game;
mod observation;
pub mod percepts;
pub mod planes;
pub mod playouts;
mod pointer;
pub mod search;
mod sized;
pub mod state;
pub mod version;
