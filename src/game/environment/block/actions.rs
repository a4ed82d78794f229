//! Actions and ranks, checked against the legal ones.

use super::Block;
use crate::game::environment::action_error::ActionError;
use crate::game::environment::autoreset::Autoreset;
use crate::game::environment::common::Common;
use crate::game::environment::outputs::{OVER, SEVERAL};
use crate::game::environment::packed::{contains, count_ones, nth_one, words};
use crate::game::environment::shape::Shape;
use crate::game::vocabulary::lane_mask::LaneMask;

impl Block {
    /// Returns the player that an actor of a lane is: its number among the players.
    ///
    /// # Errors
    /// If there are several, or the match is over.
    fn player(&self, shape: &Shape, lane: usize, actor: usize) -> Result<usize, ActionError> {
        match (shape.joint, self.current[lane]) {
            (_, OVER) => Err(ActionError::Over { environment: lane }),
            (true, _) => Ok(actor),
            (false, SEVERAL) => Err(ActionError::Joint { environment: lane }),
            (false, player) => Ok(player as usize),
        }
    }

    /// Returns whether an action in a lane is ignored, as the step starts a match there.
    fn is_ignored(&self, common: &Common, lane: usize) -> bool {
        common.autoreset == Autoreset::NextStep && self.over.contains(lane)
    }

    /// Returns the packed legal actions of an actor.
    fn legal_of(&self, shape: &Shape, lane: usize, actor: usize) -> &[u64] {
        let words = words(shape.actions);
        &self.legal[actor][lane * words..][..words]
    }

    /// Checks that the actions in some lanes are legal; they are given lane after lane. The environment in an
    /// error is the lane.
    pub(in crate::game::environment) fn check(
        &self,
        common: &Common,
        names: &[String],
        actions: &[i32],
        lanes: LaneMask,
    ) -> Result<(), ActionError> {
        let shape = &common.shape;
        self.each(shape, actions)
            .filter(|&(lane, ..)| lanes.contains(lane) && !self.is_ignored(common, lane))
            .try_for_each(|(lane, actor, &action)| {
                let player = self.player(shape, lane, actor)?;
                let legal = self.legal_of(shape, lane, actor);
                match usize::try_from(action).is_ok_and(|action| contains(legal, action)) {
                    true => Ok(()),
                    false => Err(ActionError::Illegal {
                        environment: lane,
                        player: names[shape.players[player].index()].clone(),
                        action,
                    }),
                }
            })
    }

    /// Writes the actions that have these ranks, from 0, among the legal ones. The environment in
    /// an error is the lane.
    pub(in crate::game::environment) fn nth_legal(
        &self,
        common: &Common,
        names: &[String],
        ranks: &[i32],
        actions: &mut [i32],
    ) -> Result<(), ActionError> {
        let shape = &common.shape;
        let mut ranked = self.each(shape, ranks).zip(actions);
        ranked.try_for_each(|((lane, actor, &rank), action)| {
            if self.over.contains(lane) {
                *action = 0;
                return Ok(());
            }
            let player = self.player(shape, lane, actor)?;
            let legal = self.legal_of(shape, lane, actor);
            let found = u32::try_from(rank)
                .ok()
                .and_then(|rank| nth_one(legal, rank));
            *action = found.ok_or_else(|| ActionError::Rank {
                environment: lane,
                player: names[shape.players[player].index()].clone(),
                rank,
                count: count_ones(legal),
            })?;
            Ok(())
        })
    }

    /// Iterates over the lanes and actors, each with the value given for it.
    pub(super) fn each<'a, T>(
        &self,
        shape: &Shape,
        given: &'a [T],
    ) -> impl Iterator<Item = (usize, usize, &'a T)> + Clone + use<'a, T> {
        let actors = shape.actors();
        let (mut lane, mut actor) = (0, 0);
        given.iter().map(move |given| {
            let of = (lane, actor, given);
            actor += 1;
            if actor == actors {
                (lane, actor) = (lane + 1, 0);
            }
            of
        })
    }
}
