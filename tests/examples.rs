//! The examples, each of which has a test that runs it.

#[path = "../examples/backend.rs"]
mod backend;
#[path = "../examples/batch.rs"]
mod batch;
#[path = "../examples/determinised.rs"]
mod determinised;
#[path = "../examples/exploitability.rs"]
mod exploitability;
#[path = "../examples/latches.rs"]
mod latches;
#[path = "../examples/play.rs"]
mod play;
#[path = "../examples/player.rs"]
mod player;
#[path = "../examples/search.rs"]
mod search;
#[path = "../examples/traps/main.rs"]
mod traps;
