//! Matches, players, and the protocols between them.
//!
//! - [`matches`](mod@matches) is a match and all about it.
//! - [`players`] are the players that are built in, and their names.
//! - [`ggp`] lets players and game managers elsewhere take part, [`line_protocol`] programs on this machine.
//! - [`view`] shows a match in the browser.

pub mod ggp;
pub mod line_protocol;
pub mod matches;
pub mod players;
pub mod view;
