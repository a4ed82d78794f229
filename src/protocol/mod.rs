//! The GGP communication protocol: how a game manager talks to players.
//!
//! A manager sends KIF in HTTP requests: `START` with rules, role and clocks, `PLAY`
//! with the last joint move, `STOP` or `ABORT`; `INFO` and `PREVIEW` at any time. What
//! comes back is a word or a move. (Genesereth and Love, *General Game Playing:
//! Game Description Language Specification*, Stanford 2005, section 5; as `ggp-base` has it.)
//!
//! - [`message`]: requests and replies as data, read and written.
//! - [`http`]: the little HTTP there is to it, for both sides.
//! - [`client`]: asks a player. [`crate::player::remote`] makes a player of that.
//! - [`session`]: answers for a player, one match at a time (`live` is that match);
//!   [`clerk`] keeps a legal move ready for it, [`log`] writes down what was said.
//! - [`server`]: takes connections and hands what they say to a session.

mod clerk;
pub mod client;
pub mod http;
mod live;
pub mod log;
pub mod message;
pub mod server;
pub mod session;
