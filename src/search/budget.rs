//! The limits of a search.

use propjit_stop::Stop;

use crate::game::machine::RoleId;
use crate::support::setters::setters;

/// The limits of a search, which may also come to an end by itself.
#[derive(Clone, Default, Debug)]
#[non_exhaustive]
pub struct SearchBudget {
    /// The number of playouts after which the search ends; it may be a few more. Those that are
    /// spared because their result is known count, too.
    pub playouts: Option<u64>,
    /// The number of nodes that the search adds to the tree; it may be a few more. It ends as well when there is no
    /// memory for more, and no room can be made, or when it came to its root so often for each of them that there seem to be no more.
    pub nodes: Option<u64>,
    /// The role that is to choose a move, if nothing else is wanted than that: the search ends before the
    /// deadline if no other move can overtake the best one.
    pub choice: Option<RoleId>,
    /// Ends the search when it is set, or at its deadline.
    pub stop: Stop,
}

impl SearchBudget {
    setters! {
        with_playouts(playouts: Option<u64>);
        with_nodes(nodes: Option<u64>);
        with_choice(choice: Option<RoleId>);
        with_stop(stop: Stop);
    }
}
