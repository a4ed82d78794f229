//! A C interface to propjit.
//!
//! Things are behind pointers to opaque types, which are made by functions that write them to
//! their last parameter, and freed by `propjit_..._free`. Functions return a [`Status`](error::Status);
//! [`propjit_last_error`](error::propjit_last_error) tells what went wrong, and no panic leaves the
//! library. `include/propjit.h` is written from this code by cbindgen; `docs/c.md` is the guide.
//!
//! - `error`: statuses, texts of errors, and the border that no panic crosses.
//! - `pointer`: what is behind a caller's pointers.
//! - `game`, `state`, `playouts`, `search`, `environments`: the interface itself.

pub mod environments;
pub mod error;
pub mod game;
pub mod playouts;
mod pointer;
pub mod search;
pub mod state;
