//! The time for which an engine for the rest of a match is of use.

use std::time::Duration;

/// For how long playouts of a root run at most as long as nothing is known.
const UNKNOWN: Duration = Duration::from_secs(1);

/// How many more roots an engine is of use for at most: it remains until a better one pays off, or the match is over.
const MORE_ROOTS: u32 = 10;

/// The times for which playouts of the roots of a match ran.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Horizon {
    /// The time for the present root so far.
    spent: Duration,
    /// The mean over earlier roots, later ones of which count more.
    typical: Option<Duration>,
    /// The number of earlier roots.
    roots: u32,
}

impl Horizon {
    /// Notes that playouts of the present root ran for this time.
    pub(super) fn note(&mut self, time: Duration) {
        self.spent = self.spent.saturating_add(time);
    }

    /// Goes on to another root.
    pub(super) fn advance(&mut self) {
        let spent = std::mem::take(&mut self.spent);
        if spent > Duration::ZERO {
            self.roots += 1;
            self.typical = Some(match self.typical {
                Some(typical) => typical / 2 + spent / 2,
                None => spent,
            });
        }
    }

    /// Returns for how long playouts of a root run, if the search for the present one ends within `limit`, if there is one: as
    /// long as for earlier ones, or as so far.
    pub(super) fn of_root(&self, limit: Option<Duration>) -> Duration {
        let usual = self.typical.unwrap_or(UNKNOWN).max(self.spent);
        limit.map_or(usual, |limit| limit.min(usual))
    }

    /// Returns for how long an engine will be of use: for the rest of the playouts of this root, and those of as many more roots
    /// as there were, up to a number.
    pub(super) fn left(&self, limit: Option<Duration>) -> Duration {
        let rest = self.typical.unwrap_or(UNKNOWN).saturating_sub(self.spent);
        let rest = rest.max(self.spent);
        let rest = limit.map_or(rest, |limit| limit.min(rest));
        let more = self.typical.unwrap_or_default();
        let more = more.saturating_mul(self.roots.min(MORE_ROOTS));
        rest.saturating_add(more)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn earlier_roots_tell_how_long_is_left() {
        let second = Duration::from_secs(1);
        let mut horizon = Horizon::default();
        assert_eq!(horizon.left(None), UNKNOWN);
        assert_eq!(horizon.left(Some(1000 * second)), UNKNOWN);
        assert_eq!(horizon.left(Some(second / 5)), second / 5);
        horizon.note(4 * second);
        assert_eq!(horizon.left(None), 4 * second);
        horizon.advance();
        assert_eq!(horizon.left(Some(1000 * second)), 8 * second);
        assert_eq!(horizon.left(Some(second)), 5 * second);
        horizon.note(3 * second);
        assert_eq!(horizon.left(None), 7 * second);
        assert_eq!(horizon.of_root(None), 4 * second);
        assert_eq!(horizon.of_root(Some(second)), second);
        // A root without playouts tells nothing.
        horizon.advance();
        horizon.advance();
        assert_eq!(horizon.left(None), Duration::from_millis(10_500));
    }
}
