//! States, moves, and the names of both.

pub(crate) mod lane_mask;
pub(crate) mod moves;
pub(crate) mod natural_order;
pub(crate) mod shape;
pub(crate) mod state;
pub(crate) mod state_set;
pub(crate) mod terms;
