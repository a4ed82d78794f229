//! The line protocol: search engines as programs, driven over their standard input and output.
//!
//! Requests and replies are JSON Lines, described in `docs/engines.md`. Each request but `stop` gets
//! one reply; a program stays alive for many positions.
//!
//! - [`LineRequest`] and [`LineReply`] are the messages.
//! - [`LinePlayer`] is a program as a player in matches.
//! - [`serve_lines`] is the other side: tree search as such a program.

mod message;
mod player;
mod process;
mod serve;

pub use message::{
    Apply, BeliefReply, Failed, Go, JointMoves, LegalMoves, LineReply, LineRequest, Load, Loaded,
    Numbered, Observe, Question, RoleMoves, Said, StateReply, Stopping, VERSION,
};
pub use player::LinePlayer;
pub use serve::{LineServerConfig, LoadLineGame, serve_lines};
