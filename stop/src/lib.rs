//! A cancellation token with an optional deadline, which all packages of propjit use to end long work.
//!
//! ```
//! use std::time::Duration;
//! use propjit_stop::Stop;
//!
//! let stop = Stop::new();
//! // A part of the work, which has a tenth of a second and ends with the whole, too.
//! let part = stop.within(Duration::from_millis(100));
//! let mut ticker = part.ticker();
//! while !ticker.is_set() { /* one more step */ }
//! assert!(part.is_set() && !stop.is_set());
//! ```

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// A request to end work early: a flag that every holder may set, and an optional deadline.
///
/// Clones share the flag. Work that takes a `&Stop` checks it often, at least every few
/// milliseconds, and ends with its partial result. A part of the work gets a token that is
/// [derived](Stop::by) from the one for the whole: it is set when the whole is to end,
/// and can be set by itself.
#[derive(Clone)]
pub struct Stop(Arc<Token>);

struct Token {
    flag: AtomicBool,
    /// Whether [`Stop::is_set`] has returned true, for this token or one that was derived from it and ended with it.
    heeded: AtomicBool,
    /// The deadline; `None` also if it would be beyond the clock's range.
    end: Option<Instant>,
    /// The token that this one was derived from.
    whole: Option<Stop>,
}

impl Stop {
    /// A token that is not set, without a deadline.
    pub fn new() -> Stop {
        Stop::derive(None, None)
    }

    fn derive(whole: Option<Stop>, end: Option<Instant>) -> Stop {
        Stop(Arc::new(Token {
            flag: AtomicBool::new(false),
            heeded: AtomicBool::new(false),
            end,
            whole,
        }))
    }

    /// A token for a part of the work, which ends at `end` at the latest.
    pub fn by(&self, end: impl Into<Option<Instant>>) -> Stop {
        let ends = [end.into(), self.0.end];
        // The earlier of the two deadlines, if there are any.
        let end = ends.into_iter().flatten().min();
        Stop::derive(Some(self.clone()), end)
    }

    /// A token for a part of the work, which may take `time`, counted from now.
    pub fn within(&self, time: Duration) -> Stop {
        self.by(Instant::now().checked_add(time))
    }

    /// A token for a part of the work, which may take this part, from 0 to 1, of the time that is left until the deadline;
    /// without a deadline, it ends with the whole.
    pub fn for_part(&self, part: f64) -> Stop {
        match self.remaining() {
            Some(left) => self.within(left.mul_f64(part)),
            None => self.by(None),
        }
    }

    /// Requests the work to end.
    pub fn set(&self) {
        self.0.flag.store(true, Ordering::Relaxed);
    }

    /// Returns whether the work should end. Reads the clock if there is a deadline: in inner loops,
    /// use a [ticker](Stop::ticker).
    #[inline]
    pub fn is_set(&self) -> bool {
        let is_set = self.is_over();
        if is_set {
            self.note();
        }
        is_set
    }

    #[inline]
    fn is_over(&self) -> bool {
        self.is_flagged() || self.0.end.is_some_and(|end| Instant::now() >= end)
    }

    /// Notes in all tokens that are set that work was asked to end.
    #[cold]
    fn note(&self) {
        let mut token = Some(self);
        while let Some(stop) = token {
            if !stop.0.heeded.load(Ordering::Relaxed) && stop.is_over() {
                stop.0.heeded.store(true, Ordering::Relaxed);
            }
            token = stop.0.whole.as_ref();
        }
    }

    /// Returns whether this token has ended any work: [`is_set`](Stop::is_set) has returned true, for it or for
    /// one that was derived from it. Otherwise the work completed, and nothing was cut off.
    pub fn was_noticed(&self) -> bool {
        self.0.heeded.load(Ordering::Relaxed)
    }

    /// Returns whether the flag of the token is set, or that of one that it was derived from.
    #[inline]
    fn is_flagged(&self) -> bool {
        let mut token = &self.0;
        loop {
            if token.flag.load(Ordering::Relaxed) {
                return true;
            }
            match &token.whole {
                Some(Stop(whole)) => token = whole,
                None => return false,
            }
        }
    }

    /// The deadline, if there is one.
    pub fn deadline(&self) -> Option<Instant> {
        self.0.end
    }

    /// The time that is left until the deadline, if there is one.
    pub fn remaining(&self) -> Option<Duration> {
        let left = |end: Instant| end.saturating_duration_since(Instant::now());
        self.0.end.map(left)
    }

    /// Returns a form of the token for inner loops, which is checked in every 256th call.
    pub fn ticker(&self) -> Ticker {
        self.ticker_of(256)
    }

    /// Returns a form of the token for loops, which is checked in every call of this number.
    pub fn ticker_of(&self, interval: u32) -> Ticker {
        Ticker {
            stop: self.clone(),
            interval,
            calls: 0,
            is_set: false,
        }
    }
}

impl Default for Stop {
    fn default() -> Stop {
        Stop::new()
    }
}

impl fmt::Debug for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Stop")
            .field("is_set", &self.is_set())
            .field("deadline", &self.0.end)
            .finish()
    }
}

/// A [`Stop`] for inner loops: it is checked in some calls only, at regular intervals, the first included.
#[derive(Clone, Debug)]
pub struct Ticker {
    stop: Stop,
    interval: u32,
    calls: u32,
    is_set: bool,
}

impl Ticker {
    /// Returns whether the token was set at the last check. Once it is, it remains so.
    pub fn is_set(&mut self) -> bool {
        if self.calls.is_multiple_of(self.interval) {
            self.is_set = self.is_set || self.stop.is_set();
        }
        self.calls = self.calls.wrapping_add(1);
        self.is_set
    }
}

// The example of the README is tested.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

#[cfg(test)]
mod tests {
    use super::*;

    const LONG: Duration = Duration::from_secs(1000);

    #[test]
    fn a_part_ends_with_the_whole_but_not_the_other_way_round() {
        let whole = Stop::new();
        let part = whole.within(LONG);
        let other = part.clone().within(LONG);
        part.set();
        assert!(part.is_set() && other.is_set() && !whole.is_set());
        let late = whole.by(None);
        assert!(!late.is_set());
        whole.set();
        assert!(late.is_set());
    }

    #[test]
    fn a_part_has_no_more_time_than_the_whole() {
        let whole = Stop::new().within(Duration::ZERO);
        assert!(whole.is_set());
        let part = whole.within(LONG);
        assert!(part.is_set());
        assert_eq!(part.remaining(), Some(Duration::ZERO));
        assert_eq!(part.deadline(), whole.deadline());
        assert_eq!(Stop::new().within(Duration::MAX).remaining(), None);
    }

    #[test]
    fn a_part_has_a_part_of_the_time() {
        let whole = Stop::new().within(LONG);
        let half = whole.for_part(0.5).remaining().unwrap();
        assert!(half <= LONG / 2 && half > LONG / 4);
        let open = Stop::new();
        let part = open.for_part(0.5);
        assert_eq!(part.remaining(), None);
        open.set();
        assert!(part.is_set());
    }

    #[test]
    fn a_token_knows_whether_it_ended_work() {
        let whole = Stop::new();
        let late = whole.within(LONG);
        let over = late.within(Duration::ZERO);
        assert!(!over.was_noticed());
        assert!(over.clone().by(None).is_set());
        assert!(over.was_noticed() && !late.was_noticed() && !whole.was_noticed());
        whole.set();
        assert!(!whole.was_noticed());
        assert!(late.ticker().is_set());
        assert!(late.was_noticed() && whole.was_noticed());
    }

    #[test]
    fn a_ticker_sees_it_in_the_end() {
        let stop = Stop::new();
        let mut ticker = stop.ticker();
        assert!(!ticker.is_set());
        stop.set();
        assert!((0..256).any(|_| ticker.is_set()));
        assert!(ticker.is_set());
    }
}
