//! How to load a game, and why that may fail.

use std::time::Duration;

use propjit_gdl::ReadError;
use propjit_gdl::ground::{GroundError, GroundLimits};
use propjit_gdl::prover::ProverLimits;
use propjit_stop::Stop;

use crate::game::engine::CodeOptions;
use crate::game::machine::Backend;
use crate::support::setters::setters;

/// How to load a game.
#[derive(Clone, Default, Debug)]
#[non_exhaustive]
pub struct Setup {
    /// The backend that is wanted: the prover does not need a ground game, the others do. By
    /// default, games that cannot be grounded are left to the prover.
    pub backend: Option<Backend>,
    /// What grounding may cost.
    pub ground: GroundLimits,
    /// What one question to the prover may cost.
    pub prover: ProverLimits,
    /// How machine code is made, and where it is kept.
    pub code: CodeOptions,
    /// Ends loading early when it is set, and also what goes on in the background once the game
    /// is loaded: optimising the circuit, compiling it, and looking for goal latches and decisive
    /// moves.
    pub stop: Stop,
}

impl Setup {
    setters! {
        with_backend(backend: Option<Backend>);
        with_ground(ground: GroundLimits);
        with_prover(prover: ProverLimits);
        with_code(code: CodeOptions);
        with_stop(stop: Stop);
    }
}

impl Setup {
    /// What one question to the prover may cost, which also ends when loading is stopped.
    pub(crate) fn prover_limits(&self) -> ProverLimits {
        self.prover.clone().with_stop(self.stop.clone())
    }
}

/// Why a game cannot be loaded.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LoadError {
    /// The file cannot be read, or its rules are wrong.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The backend asked for needs a ground game, and the game cannot be grounded.
    #[error("the {backend} backend needs a ground game")]
    Ground {
        /// The backend asked for.
        backend: Backend,
        /// Why grounding gave up.
        source: Box<GroundError>,
    },
    /// [`Setup::stop`] was set.
    #[error("stopped before the game was loaded")]
    Stopped,
}

/// A step of loading, and how long it took.
#[derive(Clone, Copy, Debug)]
pub struct SetupStage {
    /// The step's name.
    pub name: &'static str,
    /// How long it took.
    pub time: Duration,
}
