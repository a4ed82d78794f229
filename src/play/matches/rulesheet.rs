//! A game that players share: checked at once, and grounded when it is first needed.

use std::fmt;
use std::sync::{Arc, OnceLock};

use propjit_gdl::Parsed;
use propjit_gdl::diagnostic::Diagnostics;
use propjit_gdl::rules::Rules;
use propjit_stop::Stop;

use crate::game::load::{Game, LoadError, Setup};
use crate::game::machine::prover::ProverMachine;
use crate::game::machine::{Backend, MachineError, RoleId};
use crate::game::position::Position;
use crate::search::hidden::HiddenGame;

/// The rules of a game, and the [`Game`] made of them once it is wanted.
pub struct Rulesheet {
    parsed: Arc<Parsed>,
    roles: Vec<String>,
    setup: Setup,
    game: OnceLock<Result<Arc<Game>, Arc<LoadError>>>,
    hidden: OnceLock<Arc<HiddenGame>>,
}

impl Rulesheet {
    /// Reads and checks the rules; `name` is for messages.
    ///
    /// # Errors
    /// The errors in the rules.
    pub fn parse(name: &str, text: &str, setup: Setup) -> Result<Rulesheet, Diagnostics> {
        let parsed = Rules::parse_with(name, text, &setup.reading)?;
        let rules = &parsed.rules;
        let names = rules.roles.iter().map(|&role| rules.terms.text(role));
        Ok(Rulesheet {
            roles: names.collect(),
            parsed: Arc::new(parsed),
            setup,
            game: OnceLock::new(),
            hidden: OnceLock::new(),
        })
    }

    /// The rules.
    pub fn rules(&self) -> &Rules {
        &self.parsed.rules
    }

    /// Warnings about the rules.
    pub fn warnings(&self) -> &Diagnostics {
        &self.parsed.warnings
    }

    /// The names of the roles in rulesheet order.
    pub fn roles(&self) -> &[String] {
        &self.roles
    }

    /// The role of this name; in another case only if there is none in this one.
    pub fn role(&self, name: &str) -> Option<RoleId> {
        let exact = self.roles.iter().position(|role| role == name);
        let similar = || {
            let mut all = self.roles.iter();
            all.position(|role| role.eq_ignore_ascii_case(name))
        };
        Some(RoleId(exact.or_else(similar)? as u32))
    }

    /// Returns the backend that the set-up asks for, if any.
    pub fn backend(&self) -> Option<Backend> {
        self.setup.backend
    }

    /// The game, grounded if it can be. The first caller does the work, others wait for it.
    ///
    /// # Errors
    /// When the set-up demands a backend that needs a ground game, and there is none; or
    /// when it was stopped before there was a game.
    pub fn game(&self) -> Result<Arc<Game>, Arc<LoadError>> {
        let load = || {
            let game = Game::from_rules(self.parsed.clone(), &self.setup);
            game.map(Arc::new).map_err(Arc::new)
        };
        self.game.get_or_init(load).clone()
    }

    /// The game with what players find out about it where it hides information.
    ///
    /// # Errors
    /// As for [`game`](Rulesheet::game).
    pub fn hidden_game(&self) -> Result<&Arc<HiddenGame>, Arc<LoadError>> {
        let game = self.game()?;
        let new = || Arc::new(HiddenGame::new(game));
        Ok(self.hidden.get_or_init(new))
    }

    /// The game, if it has been made.
    pub fn ready_game(&self) -> Option<Arc<Game>> {
        self.game.get()?.as_ref().ok().cloned()
    }

    /// Makes the game, and begins to make the data that its searches share, so that no player has
    /// to.
    pub fn prepare(&self) {
        match self.game() {
            Ok(game) => {
                if let Some(engines) = game.engines() {
                    engines.start();
                }
            }
            Err(error) => tracing::info!(%error, "the game is not prepared"),
        }
    }

    /// The token of the set-up: see [`stop`](Rulesheet::stop).
    pub fn stop_token(&self) -> &Stop {
        &self.setup.stop
    }

    /// Sets the flag of the set-up: the game is not needed any more. Threads that wait for it get
    /// an error, and the background work for a game that is there already ends.
    pub fn stop(&self) {
        self.setup.stop.set();
    }

    /// Returns the position in which every match starts, evaluated by the prover, so that it needs no
    /// preparation.
    ///
    /// # Errors
    /// When the rules cannot be evaluated at all.
    pub fn prover_position(&self) -> Result<Position, MachineError> {
        let prover = ProverMachine::new(self.rules(), self.setup.prover_limits())?;
        Position::of_machine(Box::new(prover), &self.setup.stop)
    }
}

impl fmt::Debug for Rulesheet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.rules().fmt(f)
    }
}
