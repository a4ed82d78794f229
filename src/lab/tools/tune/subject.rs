//! The games that settings are tuned with.

use std::fmt;
use std::sync::{Arc, OnceLock};

use propjit_gdl::games::BY_SIZE;

use crate::game::engine::StepCircuit;
use crate::game::ground::GroundGame;
use crate::game::load::{Game, LoadError, Setup};
use crate::game::machine::{Backend, MachineError};

/// A game to tune with.
pub struct Subject {
    /// Its name.
    pub name: String,
    /// The game.
    pub game: Arc<GroundGame>,
    /// The circuit of its random steps, made on demand.
    steps: OnceLock<Option<StepCircuit>>,
}

impl fmt::Debug for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Subject").field(&self.name).finish()
    }
}

impl Subject {
    /// The game, if it could be grounded: only such games are compiled.
    ///
    /// # Errors
    /// [`MachineError::NotGround`] if it could not.
    pub fn new(name: String, game: &Game) -> Result<Subject, MachineError> {
        let backend = Backend::Compiled;
        let ground = game.ground_game();
        let game = ground.ok_or(MachineError::NotGround { backend })?.clone();
        Ok(Subject::of(name, game))
    }

    fn of(name: String, game: Arc<GroundGame>) -> Subject {
        let steps = OnceLock::new();
        Subject { name, game, steps }
    }

    /// Returns the circuit of its random steps, if playouts use one.
    pub(super) fn steps(&self) -> Option<&StepCircuit> {
        let steps = self.steps.get_or_init(|| StepCircuit::of(&self.game));
        steps.as_ref()
    }

    /// Returns the games that are used unless the user names others, from small to large.
    ///
    /// # Errors
    /// None in practice: a test loads these games.
    pub fn built_in() -> Result<Vec<Subject>, LoadError> {
        let setup = Setup::default().with_backend(Some(Backend::Compiled));
        let load = |&(name, text): &(&str, &str)| {
            let game = Game::from_text(name, text, &setup)?;
            let game = game.ground_game().expect("the backend needs it").clone();
            Ok(Subject::of(name.to_string(), game))
        };
        BY_SIZE.iter().map(load).collect()
    }
}
