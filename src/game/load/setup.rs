//! Options and errors of loading a game.

use std::time::Duration;

use propjit_gdl::ground::{GroundError, GroundLimits};
use propjit_gdl::prover::ProverLimits;
use propjit_gdl::{ReadError, ReadOptions};
use propjit_stop::Stop;

use crate::game::engine::CodeOptions;
use crate::game::machine::Backend;
use crate::support::setters::setters;

/// The options for loading a game.
#[derive(Clone, Default, Debug)]
#[non_exhaustive]
pub struct Setup {
    /// The requested backend: the prover does not need a ground game, the others do. By
    /// default, games that cannot be grounded are left to the prover.
    pub backend: Option<Backend>,
    /// How the rulesheet is read.
    pub reading: ReadOptions,
    /// The limits of grounding.
    pub ground: GroundLimits,
    /// The limits of one query to the prover.
    pub prover: ProverLimits,
    /// How machine code is made, and where it is kept.
    pub code: CodeOptions,
    /// Ends loading early when it is set, and also background work on the loaded game: optimising
    /// the circuit, compiling it, and searching for goal latches and decisive moves.
    pub stop: Stop,
}

impl Setup {
    setters! {
        with_backend(backend: Option<Backend>);
        with_reading(reading: ReadOptions);
        with_ground(ground: GroundLimits);
        with_prover(prover: ProverLimits);
        with_code(code: CodeOptions);
        with_stop(stop: Stop);
    }
}

impl Setup {
    /// Returns the limits of one query to the prover, which also ends when loading is stopped.
    pub(crate) fn prover_limits(&self) -> ProverLimits {
        self.prover.clone().with_stop(self.stop.clone())
    }
}

/// The reason why a game cannot be loaded.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LoadError {
    /// The file cannot be read, or its rules are wrong.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The requested backend needs a ground game, and the game cannot be grounded.
    #[error("the {backend} backend needs a ground game")]
    Ground {
        /// The requested backend.
        backend: Backend,
        /// Why grounding gave up.
        source: Box<GroundError>,
    },
    /// [`Setup::stop`] was set.
    #[error("stopped before the game was loaded")]
    Stopped,
}

/// A stage of loading, with its time.
#[derive(Clone, Copy, Debug)]
pub struct SetupStage {
    /// The stage's name.
    pub name: &'static str,
    /// How long it took.
    pub time: Duration,
}
