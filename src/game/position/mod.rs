//! The position of a match: the current state with moves as text, and the way back.

mod board;
mod history;

pub use board::{Board, find_text};
pub use history::History;
