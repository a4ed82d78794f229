//! The native methods of the Java package `io.github.propjit`.
//!
//! A Java object has the pointer to a `Handle` and passes it to each of its native methods, which
//! keep the object alive as long as they run, since they are not static. Numbers of any length are
//! passed in an `Exchange`. Errors and panics become Java exceptions. `docs/java.md` is the guide.
//!
//! - `error`: exceptions, and panic isolation.
//! - `handle`: the values behind the pointers of Java objects. `exchange`: memory of Java threads.
//! - `game`, `state`, `percepts`, `planes`, `playouts`, `search`: the methods themselves.

mod error;
mod exchange;
mod game;
mod handle;
mod percepts;
mod planes;
mod playouts;
mod search;
mod state;
