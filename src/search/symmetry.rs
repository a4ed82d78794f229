//! Symmetries for learning: renamings that map matches to matches, as far as was seen.
//!
//! A board may be reflected, and in many games the roles may change their sides. Then what was learned of
//! one state holds for others, too. [Candidates](candidates) are read off the names of propositions,
//! which may mislead; so each is tried out in states of matches: the successors
//! of the image of a state have to be the images of its successors. That is no proof, and costs less than one in large
//! games. Symmetries that pass serve what is learned, never what is proved.

use propjit_stop::Stop;

use crate::game::ground::GroundGame;
use crate::game::machine::expansion::successor::{Expansion, NodeInfo, Turn};
use crate::game::machine::{MachineError, RoleId, State};
use crate::game::symmetry::{Renaming, candidates};
use crate::search::expansion::Evaluator;

/// Other names for propositions and roles of a game for two.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Symmetry(Renaming);

impl Symmetry {
    /// The proposition that one becomes.
    pub(super) fn base(&self, base: usize) -> usize {
        self.0.base(base)
    }

    /// The role that one becomes.
    pub(super) fn role(&self, role: RoleId) -> RoleId {
        self.0.role(role)
    }

    /// The values of all roles, two at least, after the first two may have changed places.
    pub(super) fn values<T, const ROLES: usize>(&self, mut values: [T; ROLES]) -> [T; ROLES] {
        if self.swaps_roles() {
            values.swap(0, 1);
        }
        values
    }

    fn swaps_roles(&self) -> bool {
        self.role(RoleId(0)) != RoleId(0)
    }

    fn turn(&self, turn: &Turn) -> Turn {
        match turn {
            Turn::Over(goals) => Turn::Over(self.values([goals[0], goals[1]]).into()),
            Turn::One(role) => Turn::One(self.role(*role)),
            other => other.clone(),
        }
    }
}

/// Returns the symmetries of a game for two that hold in all of these states. States in which several roles
/// decide give no information.
///
/// # Errors
/// When the machine cannot go on.
pub(super) fn symmetries(
    game: &GroundGame,
    evaluator: &mut dyn Evaluator,
    states: &[State],
    stop: &Stop,
) -> Result<Vec<Symmetry>, MachineError> {
    if game.roles().len() != 2 {
        return Ok(Vec::new());
    }
    let mut found: Vec<Symmetry> = candidates(game).into_iter().map(Symmetry).collect();
    let mut tells = false;
    for state in states {
        let original = evaluator.expand(&[(state, 0)], stop)?;
        if !original.is_empty() && original.get(0).successors.infos.is_empty() {
            continue;
        }
        tells = true;
        let mut held = Vec::new();
        for symmetry in found {
            if original.is_empty() {
                // A stop has come.
                return Ok(Vec::new());
            }
            let image = symmetry.0.state(state);
            let of_image = evaluator.expand(&[(&image, 0)], stop)?;
            if !of_image.is_empty() && holds(&symmetry, original.get(0), of_image.get(0)) {
                held.push(symmetry);
            }
        }
        found = held;
        if found.is_empty() {
            break;
        }
    }
    Ok(if tells { found } else { Vec::new() })
}

/// Whether what follows from the image of a state is what the symmetry makes of what follows from the
/// state.
fn holds(symmetry: &Symmetry, original: Expansion<'_>, image: Expansion<'_>) -> bool {
    let choices = [0, 1].map(|role| original.legal.role(RoleId(role)).len());
    let choices_of_image = [0, 1].map(|role| image.legal.role(RoleId(role)).len());
    if symmetry.values(choices) != choices_of_image {
        return false;
    }
    let renamed = original.successors.each().map(|next| {
        let state = symmetry.0.state(&next.state);
        (state, next.info.depth, symmetry.turn(&next.info.turn))
    });
    let same = image.successors.each().map(|next| {
        let NodeInfo { depth, turn } = next.info;
        (next.state.iter().collect(), depth, turn)
    });
    let mut renamed: Vec<(State, u32, Turn)> = renamed.collect();
    let mut same: Vec<(State, u32, Turn)> = same.collect();
    for all in [&mut renamed, &mut same] {
        all.sort_by(|(one, ..), (other, ..)| one.words().cmp(other.words()));
    }
    renamed == same
}

#[cfg(test)]
mod tests {
    use rand::RngExt;

    use super::*;
    use crate::game::load::{Game, Setup};
    use crate::game::machine::{Backend, Move};
    use crate::game::playout::MatchSteps;
    use crate::search::expansion::evaluator;
    use crate::support::rng;

    /// The symmetries of one of the project's games that hold in its initial state and after each of some
    /// random joint moves: how many there are, and how many of them exchange the roles.
    fn found(name: &str) -> (usize, usize) {
        let rules = propjit_gdl::games::text(name).unwrap();
        let game = Game::from_text(name, rules, &Setup::default()).unwrap();
        let mut rng = rng::streams(1).next().unwrap();
        let mut machine = game.machine(Backend::Scalar).unwrap();
        let mut steps = MatchSteps::new(2, 20);
        steps.start(&machine.initial_state().unwrap());
        let mut states = Vec::new();
        let mut pick = |legal: &[Move]| legal[rng.random_range(0..legal.len())];
        while steps.choose(&mut *machine, &mut pick).unwrap().is_none() {
            states.push(steps.state().clone());
            steps.advance(&mut *machine).unwrap();
        }
        let mut evaluator = evaluator(&game, Backend::Lanes, None, 100, rng).unwrap();
        let ground = game.ground_game().unwrap();
        let found = symmetries(ground, &mut *evaluator, &states, &Stop::new()).unwrap();
        let swaps = found.iter().filter(|symmetry| symmetry.swaps_roles());
        (found.len(), swaps.count())
    }

    /// A square can be turned and reflected in eight ways, one of which changes nothing, and in eight ways
    /// where the players change places.
    #[test]
    fn squares_may_be_turned_and_players_exchanged() {
        assert_eq!(found("ticTacToe"), (15, 8));
        assert_eq!(found("reversi"), (15, 8));
    }

    /// Discs fall down and not up; pawns of either side go ahead.
    #[test]
    fn what_has_a_direction_is_not_reversed() {
        assert_eq!(found("connectFour"), (3, 2));
        assert_eq!(found("breakthrough"), (3, 2));
    }
}
