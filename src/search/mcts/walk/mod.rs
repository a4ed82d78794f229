//! Walks through the tree, down to the next leaf and up again.
//!
//! - `path`, `selection`, `descent`, `backup`: the choice of the next leaf, the way there, and the backup of the
//!   result.
//! - `bounds`, `best_line`: proofs.
//! - `first_moves`: RAVE statistics.

pub(super) mod backup;
pub(super) mod best_line;
pub(super) mod bounds;
pub(super) mod descent;
pub(super) mod first_moves;
pub(super) mod path;
pub(super) mod selection;
