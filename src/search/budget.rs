//! Search budgets: the limits of a search.

use std::time::Duration;

use propjit_stop::Stop;

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
    /// Ends the search when it is set, or at its deadline.
    pub stop: Stop,
}

impl SearchBudget {
    /// Whether the search is limited by counts, so that its result need not depend on how fast the machine is.
    pub fn is_counted(&self) -> bool {
        self.playouts.is_some() || self.nodes.is_some()
    }

    /// As long as this, from now on.
    pub fn for_duration(time: Duration) -> SearchBudget {
        SearchBudget::default().with_stop(Stop::new().within(time))
    }

    setters! {
        with_playouts(playouts: Option<u64>);
        with_nodes(nodes: Option<u64>);
        with_stop(stop: Stop);
    }
}
