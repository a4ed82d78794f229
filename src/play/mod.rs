//! Matches, players, and the protocols between them.
//!
//! - [`matches`](mod@matches): matches and their records.
//! - [`players`]: the built-in players, and their names.
//! - [`ggp`]: the protocol of remote players and game managers; [`line_protocol`]: that of programs on this
//!   machine.
//! - [`view`]: a match in the browser.

pub mod ggp;
pub mod line_protocol;
pub mod matches;
pub mod players;
pub mod view;
