//! The roles of a game that hides information, each with what it believes, for programs that play or advise several of them.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use propjit_stop::Stop;

use super::hidden_choice::choose;
use super::player::Choice;
use super::player_error::PlayerError;
use crate::game::ground::GroundGame;
use crate::game::load::Game;
use crate::game::machine::{MachineError, RoleId};
use crate::game::position::History;
use crate::search::SearchBudget;
use crate::search::beliefs::{Belief, BeliefConfig, Observation};
use crate::search::chooser::SearchConfig;
use crate::search::hidden::{HiddenGame, HiddenReport, HiddenSearch};

/// The part of the time of the first search of a role in which it gets ready, and that time if the search has no limit.
const PREPARING_PART: u32 = 4;
const UNLIMITED: Duration = Duration::from_secs(10);

/// The roles for which something was asked, each with its belief and its search.
#[derive(Debug)]
pub struct HiddenRoles {
    hidden: Arc<HiddenGame>,
    config: SearchConfig,
    roles: BTreeMap<RoleId, HiddenRole>,
}

#[derive(Debug)]
struct HiddenRole {
    belief: Belief,
    /// The joint moves of a known match that were followed.
    followed: Vec<Vec<String>>,
    /// Made when a move is first to be chosen, and whether it is for counted budgets.
    search: Option<(HiddenSearch, bool)>,
}

impl HiddenRoles {
    /// No roles yet; their searches will be of this configuration, and their beliefs of its seed. Searches with a counted budget are
    /// plain in any case.
    pub fn new(game: Arc<Game>, config: SearchConfig) -> HiddenRoles {
        HiddenRoles {
            hidden: Arc::new(HiddenGame::new(game)),
            config,
            roles: BTreeMap::new(),
        }
    }

    /// Returns a role, which begins in the initial state unless something was observed.
    fn role(&mut self, role: RoleId) -> Result<&mut HiddenRole, PlayerError> {
        let engines = self.hidden.game().engines().ok_or(PlayerError::NotGround)?;
        let config = BeliefConfig::default().with_seed(self.config.mcts.seed);
        Ok(self.roles.entry(role).or_insert_with(|| HiddenRole {
            belief: Belief::new(engines, role, config),
            followed: Vec::new(),
            search: None,
        }))
    }

    /// Returns what a role believes.
    ///
    /// # Errors
    /// [`PlayerError::NotGround`].
    pub fn belief(&mut self, role: RoleId) -> Result<&mut Belief, PlayerError> {
        Ok(&mut self.role(role)?.belief)
    }

    /// Takes up what a role observes of the next joint move: its own move and its percepts, as texts.
    ///
    /// # Errors
    /// When that is not possible by the rules.
    pub fn observe(
        &mut self,
        role: RoleId,
        own: &str,
        percepts: &[String],
        stop: &Stop,
    ) -> Result<&mut Belief, PlayerError> {
        let hidden = self.hidden.clone();
        let ground = ground(&hidden)?;
        let unknown = |error| PlayerError::from(MachineError::UnknownName(error));
        let observation = Observation::parse(ground, role, own, percepts).map_err(unknown)?;
        let belief = self.belief(role)?;
        belief.observe(&observation, stop)?;
        Ok(belief)
    }

    /// Takes up what a role observed in a match so far. If it followed the beginning of this match, that is known.
    ///
    /// # Errors
    /// When a machine cannot continue.
    pub fn follow(
        &mut self,
        role: RoleId,
        history: &History,
        stop: &Stop,
    ) -> Result<&mut Belief, PlayerError> {
        let hidden = self.hidden.clone();
        let ground = ground(&hidden)?;
        let is_known = |of: &HiddenRole| history.joint_moves().starts_with(&of.followed);
        if !self.roles.get(&role).is_some_and(is_known) {
            self.roles.remove(&role);
        }
        let known = self.role(role)?;
        let steps = history.states().zip(history.joint_moves());
        for (state, texts) in steps.skip(known.followed.len()) {
            let position = history.position().with_state(state.clone());
            let joint = position.find_joint_move(texts)?;
            let observation = Observation::of_joint_move(ground, &position, role, &joint)?;
            known.followed.push(texts.clone());
            known.belief.observe(&observation, stop)?;
        }
        Ok(&mut known.belief)
    }

    /// Returns the legal moves of a role as text.
    ///
    /// # Errors
    /// [`PlayerError::NotGround`].
    pub fn legal(&mut self, role: RoleId) -> Result<Vec<String>, PlayerError> {
        let hidden = self.hidden.clone();
        let legal = self.belief(role)?.legal_moves().into_iter();
        let ground = ground(&hidden)?;
        Ok(legal.map(|played| ground.move_text(role, played)).collect())
    }

    /// Chooses a move of a role by what it believes.
    ///
    /// # Errors
    /// When there is no legal move.
    pub fn choose(&mut self, role: RoleId, budget: &SearchBudget) -> Result<Choice, PlayerError> {
        let hidden = self.hidden.clone();
        let (belief, search) = self.searched(role, budget)?;
        choose(ground(&hidden)?, role, belief, search, budget)
    }

    /// Searches for moves of a role by what it believes.
    ///
    /// # Errors
    /// [`PlayerError::NotGround`].
    pub fn search(
        &mut self,
        role: RoleId,
        budget: &SearchBudget,
    ) -> Result<HiddenReport, PlayerError> {
        let (belief, search) = self.searched(role, budget)?;
        Ok(search.analyse(belief, budget)?)
    }

    /// Returns the belief and the search of a role. One with a counted budget waits for machine code; others get ready in a part
    /// of the time.
    fn searched(
        &mut self,
        role: RoleId,
        budget: &SearchBudget,
    ) -> Result<(&mut Belief, &mut HiddenSearch), PlayerError> {
        let is_counted = budget.is_counted();
        let config = match is_counted {
            true => SearchConfig::plain().with_seed(self.config.mcts.seed),
            false => self.config.clone(),
        };
        let hidden = self.hidden.clone();
        let HiddenRole { belief, search, .. } = self.role(role)?;
        let known = search.take().filter(|known| known.1 == is_counted);
        let search = match known {
            Some(known) => search.insert(known),
            None => {
                let left = budget.stop.remaining().unwrap_or(UNLIMITED);
                let stop = budget.stop.within(left / PREPARING_PART);
                let mut new = HiddenSearch::new(&hidden, role, config)?;
                match is_counted {
                    true => new.wait_for_code(&budget.stop),
                    false => new.prepare(&stop)?,
                }
                search.insert((new, is_counted))
            }
        };
        Ok((belief, &mut search.0))
    }
}

/// Returns the ground game.
fn ground(hidden: &HiddenGame) -> Result<&Arc<GroundGame>, PlayerError> {
    let game = hidden.game();
    game.ground_game().ok_or(PlayerError::NotGround)
}
