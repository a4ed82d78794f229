//! Code for the rest of a match.
//!
//! As a match goes on, more and more of the game cannot change any more: squares are taken,
//! walls stand, counters have passed. What cannot is *dark*, and an engine need not compute
//! it. When a search has a new root, a [`Darkening`] finds what is dark
//! [from there on](crate::analysis::ternary), makes it constants, and the circuit smaller, and
//! compiles what is left. That goes on in a thread of its own, while searches play on what
//! there is; they take the new engine with their next call. (Playouts with
//! [decisive moves](crate::decisive) stay with their own, since these are worth more.) Nobody
//! waits, and old code is freed when its last user has gone over.
//!
//! - A [`Specialisation`] is what there would be to gain from a root, and makes the engine.
//! - A [`Darkening`] does it as roots come, if a [`CostModel`] finds that it pays.
//! - A [`EngineSubscription`] tells a thread when there is another engine.
//!
//! # What holds
//!
//! The inputs and outputs of a darkened engine have the same numbers as those of the whole
//! circuit. For every state in its [validity](crate::machine::Validity), which is those that agree
//! with the root in all dark propositions, and all legal moves, it says of legal moves, next
//! state, end and goals what the whole circuit says; and what follows is in the validity again.
//! [`Batch`](crate::machine::batch::Batch) and [`Playouts`](crate::playout::Playouts) take no
//! other states in.

mod cost_model;
mod darkened;
mod specialisation;
mod subscription;

pub use cost_model::{CostModel, SpecialisationCosts, Verdict};
pub use darkened::{Darkened, Darkening};
pub use specialisation::Specialisation;
pub use subscription::EngineSubscription;
