//! What the person at the page sees of a match in a game that hides information.

use std::sync::Arc;
use std::time::Duration;

use propjit_stop::Stop;

use crate::game::load::Game;
use crate::game::machine::RoleId;
use crate::game::position::History;
use crate::play::matches::HiddenRoles;
use crate::search::chooser::SearchConfig;

/// How long the page may wait for a belief.
const TIME: Duration = Duration::from_secs(2);

/// The greatest number of uncertain propositions that are shown.
const SHOWN: usize = 24;

/// What the roles of a match know.
pub(super) struct Knowing {
    game: Arc<Game>,
    roles: HiddenRoles,
}

/// What a role sees.
pub(super) struct Seen {
    /// The role.
    pub(super) role: RoleId,
    /// The propositions that hold for certain.
    pub(super) certain: Vec<String>,
    /// Those that may hold, with their probabilities, and the number of states that are possible.
    pub(super) possible: Vec<String>,
}

impl Knowing {
    pub(super) fn new(game: Arc<Game>, seed: u64) -> Knowing {
        Knowing {
            roles: HiddenRoles::new(game.clone(), SearchConfig::default().with_seed(seed)),
            game,
        }
    }

    /// Returns what a role sees after the moves of a match.
    pub(super) fn look(&mut self, history: &History, role: RoleId) -> Seen {
        let nothing = Seen {
            role,
            certain: Vec::new(),
            possible: Vec::new(),
        };
        let belief = match self.roles.follow(role, history, &Stop::new().within(TIME)) {
            Ok(belief) => belief,
            Err(error) => {
                tracing::warn!(%error, "what the role knows cannot be shown");
                return nothing;
            }
        };
        let Some(ground) = self.game.ground_game() else {
            return nothing;
        };
        let population = belief.population();
        let states = match (population.states(), belief.is_exact()) {
            (1, true) => "the state is known".to_string(),
            (states, true) => format!("one of {states} states"),
            (states, false) => format!("more than {states} states are possible"),
        };
        let all = population.propositions(ground).into_iter();
        let (certain, uncertain): (Vec<_>, Vec<_>) = all.partition(|(_, p)| *p == 1.0);
        let uncertain = uncertain.into_iter().take(SHOWN);
        let uncertain = uncertain.map(|(text, probability)| format!("{probability:.2} {text}"));
        Seen {
            role,
            certain: certain.into_iter().map(|(text, _)| text).collect(),
            possible: [states].into_iter().chain(uncertain).collect(),
        }
    }
}
