//! The sides of a game: the two roles that decide, and chance.

use crate::game::ground::GroundGame;
use crate::game::machine::{Move, RoleId};
pub(super) use crate::search::learned::CHANCE;

/// In the place of the side that decides, where the match is over.
pub(super) const NONE: u8 = CHANCE + 1;

/// The roles that decide, which are sides 0 and 1, and the one that plays at random, [`CHANCE`].
#[derive(Clone, Copy, Debug)]
pub(super) struct Sides {
    players: [RoleId; 2],
    random: Option<RoleId>,
}

/// A state in which both sides decide at once, which is out of the scope of this search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct BothDecide;

impl Sides {
    /// The sides of a game of two roles, and perhaps one that plays at random.
    pub(super) fn of(game: &GroundGame) -> Sides {
        let mut players = game.players();
        let mut next = || players.next().expect("there are two");
        Sides {
            players: [next(), next()],
            random: game.random_role(),
        }
    }

    /// The roles that decide.
    pub(super) fn players(self) -> [RoleId; 2] {
        self.players
    }

    /// The role that plays at random.
    pub(super) fn random(self) -> Option<RoleId> {
        self.random
    }

    /// The side that a role is.
    pub(super) fn side(self, role: RoleId) -> u8 {
        match role {
            _ if role == self.players[0] => 0,
            _ if role == self.players[1] => 1,
            _ => CHANCE,
        }
    }

    /// The role that a side is.
    pub(super) fn role(self, side: u8) -> RoleId {
        match (side, self.random) {
            (CHANCE, Some(random)) => random,
            _ => self.players[usize::from(side % CHANCE)],
        }
    }

    /// Returns the side that decides where these moves are legal: [`CHANCE`] where only that plays, [`NONE`] if the
    /// match does not continue. Chance may play at the same time.
    ///
    /// # Errors
    /// If both sides decide.
    pub(super) fn mover(self, legal: &[Vec<Move>]) -> Result<u8, BothDecide> {
        if legal.iter().any(Vec::is_empty) {
            return Ok(NONE);
        }
        let has_choice = |role: RoleId| legal[role.index()].len() > 1;
        match self.players.map(has_choice) {
            [true, true] => Err(BothDecide),
            [true, false] => Ok(0),
            [false, true] => Ok(1),
            [false, false] if self.random.is_some_and(has_choice) => Ok(CHANCE),
            [false, false] => Ok(NONE),
        }
    }
}

/// The side for which a state is valued: the one that decides there, or the first one where only chance plays.
pub(super) fn viewpoint(mover: u8) -> u8 {
    mover % CHANCE
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chance_may_play_beside_a_side_or_alone() {
        let sides = Sides {
            players: [RoleId(0), RoleId(2)],
            random: Some(RoleId(1)),
        };
        let mover = |counts: [usize; 3]| {
            let legal = counts.map(|count| (0..count).map(|at| Move(at as u32)).collect());
            sides.mover(&legal)
        };
        assert_eq!(mover([2, 1, 1]), Ok(0));
        assert_eq!(mover([1, 6, 2]), Ok(1));
        assert_eq!(mover([1, 6, 1]), Ok(CHANCE));
        assert_eq!(mover([1, 1, 1]), Ok(NONE));
        assert_eq!(mover([2, 6, 0]), Ok(NONE));
        assert_eq!(mover([2, 6, 2]), Err(BothDecide));
        for side in [0, 1, CHANCE] {
            assert_eq!(sides.side(sides.role(side)), side);
        }
        assert_eq!([0, 1, CHANCE].map(viewpoint), [0, 1, 0]);
    }
}
