//! Limits of time and memory for grounding.

use std::time::Duration;

use propjit_stop::Stop;
use thiserror::Error;

/// The time and memory that grounding may take.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct GroundLimits {
    /// Wall-clock time.
    pub time: Option<Duration>,
    /// Memory for atoms and ground rules, in bytes, as estimated from the
    /// sizes of tables.
    pub bytes: u64,
    /// The number of ground rules.
    pub ground_rules: u64,
    /// The nesting depth that terms may have beyond that of the rulesheet. Deeper terms are taken to
    /// [grow](super::GroundError::Growth) without end.
    pub nesting: u32,
    /// A token that ends grounding early, with
    /// [`GroundError::Stopped`](super::GroundError::Stopped).
    pub stop: Stop,
}

impl GroundLimits {
    /// Sets [`GroundLimits::time`].
    #[must_use]
    pub fn with_time(mut self, time: impl Into<Option<Duration>>) -> Self {
        self.time = time.into();
        self
    }

    /// Sets [`GroundLimits::bytes`].
    #[must_use]
    pub fn with_bytes(mut self, bytes: u64) -> Self {
        self.bytes = bytes;
        self
    }

    /// Sets [`GroundLimits::ground_rules`].
    #[must_use]
    pub fn with_ground_rules(mut self, ground_rules: u64) -> Self {
        self.ground_rules = ground_rules;
        self
    }

    /// Sets [`GroundLimits::nesting`].
    #[must_use]
    pub fn with_nesting(mut self, nesting: u32) -> Self {
        self.nesting = nesting;
        self
    }

    /// Sets [`GroundLimits::stop`].
    #[must_use]
    pub fn with_stop(mut self, stop: Stop) -> Self {
        self.stop = stop;
        self
    }

    /// A token for the work that starts now: set when it is stopped or its time is over.
    pub(super) fn start(&self) -> Stop {
        match self.time {
            Some(time) => self.stop.within(time),
            None => self.stop.clone(),
        }
    }
}

impl Default for GroundLimits {
    /// One minute, 4 GiB, 2^32 - 1 ground rules, terms nested a thousand deep, and a token that is not set.
    fn default() -> GroundLimits {
        GroundLimits {
            time: Some(Duration::from_secs(60)),
            bytes: 4 << 30,
            ground_rules: u64::from(u32::MAX),
            nesting: 1000,
            stop: Stop::new(),
        }
    }
}

/// The limit that stopped grounding, with its value.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
#[non_exhaustive]
pub enum GroundLimitKind {
    /// [`GroundLimits::time`].
    #[error("time limit of {} s", .0.as_secs_f64())]
    Time(Duration),
    /// [`GroundLimits::bytes`].
    #[error("memory limit of {} MiB", .0 >> 20)]
    Bytes(u64),
    /// The system does not provide memory beyond this number of bytes.
    #[error("end of the system's memory at {} MiB", .0 >> 20)]
    System(u64),
    /// [`GroundLimits::ground_rules`].
    #[error("limit of {0} ground rules")]
    GroundRules(u64),
    /// More atoms than can be numbered.
    #[error("limit of {0} atoms")]
    Atoms(u64),
}
