//! The time for which an engine for the rest of a match is of use.

use std::time::Duration;

/// How long a root is searched as long as nothing is known.
const UNKNOWN: Duration = Duration::from_secs(1);

/// How many more roots an engine is of use for: it remains until a better one pays off, or the match is over.
const MORE_ROOTS: u32 = 2;

/// The times for which the roots of a match were searched.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Horizon {
    /// The time for the present root so far.
    spent: Duration,
    /// The mean over earlier roots, later ones of which count more.
    typical: Option<Duration>,
}

impl Horizon {
    /// Notes that the present root was searched for this time.
    pub(super) fn note(&mut self, time: Duration) {
        self.spent = self.spent.saturating_add(time);
    }

    /// Goes on to another root.
    pub(super) fn advance(&mut self) {
        let spent = std::mem::take(&mut self.spent);
        if spent > Duration::ZERO {
            self.typical = Some(match self.typical {
                Some(typical) => typical / 2 + spent / 2,
                None => spent,
            });
        }
    }

    /// Returns for how long an engine will be of use, if the search for the present root ends within `limit`, if there is one:
    /// as long as for earlier roots, or as long again as it took so far.
    pub(super) fn left(&self, limit: Option<Duration>) -> Duration {
        let Some(typical) = self.typical else {
            return limit.unwrap_or(self.spent.max(UNKNOWN));
        };
        let usual = typical.saturating_sub(self.spent).max(self.spent);
        limit.map_or(usual, |limit| limit.min(usual)) + typical * MORE_ROOTS
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
        assert_eq!(horizon.left(Some(1000 * second)), 1000 * second);
        horizon.note(4 * second);
        assert_eq!(horizon.left(None), 4 * second);
        horizon.advance();
        assert_eq!(horizon.left(Some(1000 * second)), 12 * second);
        assert_eq!(horizon.left(Some(second)), 9 * second);
        horizon.note(3 * second);
        assert_eq!(horizon.left(None), 11 * second);
        // A root that was not searched tells nothing.
        horizon.advance();
        horizon.advance();
        assert_eq!(horizon.left(None), Duration::from_millis(10_500));
    }
}
