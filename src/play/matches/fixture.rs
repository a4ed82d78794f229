//! Fixtures: matches to be played, with the player of each role.

use std::sync::Arc;

use rand::RngExt;

use propjit_stop::Stop;

use super::opening::Opening;
use super::player::{PlayerFactory, Seat};
use super::record::MatchRecord;
use super::referee::{MatchConfig, MatchPosition, play_match};
use super::rulesheet::Rulesheet;
use super::series_error::SeriesError;
use crate::game::machine::{RANDOM_ROLE, RoleId};
use crate::support::error_text::with_causes;
use crate::support::rng::GameRng;

/// For each role the number of its player; none where the referee plays.
pub(super) type Seating = Vec<Option<usize>>;

/// The players of a group in the order of their roles, in its match of this number, from 0: each has each role in
/// turn, and then all begin anew in another order, since the order of moves matters.
fn seats(group: &[usize], number: u64) -> Vec<usize> {
    let Some((&first, others)) = group.split_first() else {
        return Vec::new();
    };
    let turn = number % group.len() as u64;
    let mut order = number / group.len() as u64;
    let (mut seats, mut others) = (vec![first], others.to_vec());
    while !others.is_empty() {
        let left = others.len() as u64;
        seats.push(others.remove((order % left) as usize));
        order /= left;
    }
    seats.rotate_left(turn as usize);
    seats
}

/// Assigns the players of a group to these roles of a game, in the group's match of this number,
/// from 0.
pub(super) fn seating(all_roles: usize, roles: &[RoleId], group: &[usize], number: u64) -> Seating {
    let mut seating = vec![None; all_roles];
    for (role, player) in roles.iter().zip(seats(group, number)) {
        seating[role.index()] = Some(player);
    }
    seating
}

/// A match that is to be played.
pub(super) struct Fixture<'a> {
    /// Its number, from 0.
    pub(super) number: u64,
    /// The name of the matches, to which their numbers are added.
    pub(super) name: &'a str,
    /// The game.
    pub(super) rulesheet: &'a Arc<Rulesheet>,
    /// All players.
    pub(super) players: &'a [PlayerFactory],
    /// The player of each role.
    pub(super) seating: &'a Seating,
    /// The joint moves before the players' first choice.
    pub(super) opening: Opening,
    /// Clocks and limits.
    pub(super) config: &'a MatchConfig,
}

impl Fixture<'_> {
    /// Plays the match. `progress` is called with each position.
    pub(super) fn play(
        &self,
        mut rng: GameRng,
        stop: &Stop,
        progress: &dyn Fn(&MatchPosition<'_>),
    ) -> Result<MatchRecord, SeriesError> {
        let game = self.rulesheet.game()?;
        let seats = self.seating.iter().enumerate().map(|(role, player)| {
            let seat = Seat {
                match_id: format!("{}.{}", self.name, self.number + 1),
                number: self.number,
                rulesheet: self.rulesheet.clone(),
                role: RoleId(role as u32),
                start_clock: self.config.start_clock,
                play_clock: self.config.play_clock,
                seed: rng.random(),
                opening: Arc::default(),
                position: None,
            };
            player.map(|player: usize| (self.players[player].clone(), seat))
        });
        let seats = seats.collect();
        let position = game.follow()?;
        Ok(play_match(
            self.config,
            position,
            &self.opening,
            seats,
            rng.random(),
            stop,
            progress,
        ))
    }
}

/// Returns the roles for players: all but that of chance, which the referee plays.
pub(super) fn player_roles(rulesheet: &Rulesheet) -> Vec<RoleId> {
    let names = rulesheet.roles();
    let roles = RoleId::first(names.len());
    roles
        .filter(|role| names[role.index()] != RANDOM_ROLE)
        .collect()
}

/// Waits until all players can take a match; returns the reason if one cannot, unless that is
/// forgiven.
pub(super) fn wait_until_free(
    players: &[PlayerFactory],
    config: &MatchConfig,
    stop: &Stop,
) -> Option<String> {
    if config.forgiving {
        return None;
    }
    players.iter().find_map(|player| {
        let error = player.wait_until_free(stop).err()?;
        Some(format!(
            "{player} accepts no matches: {}",
            with_causes(&error)
        ))
    })
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::seats;

    #[test]
    fn all_orders_come_as_often() {
        for (size, orders) in [(1, 1), (2, 2), (3, 6), (4, 24)] {
            let group: Vec<usize> = (5..5 + size).collect();
            let seated = |from: u64| (from..from + orders).map(|number| seats(&group, number));
            assert_eq!(seated(0).collect::<HashSet<_>>().len() as u64, orders);
            assert!(seated(0).eq(seated(orders)));
            // Each has each role before any has one again.
            for place in 0..size {
                let first = seated(0).take(size).map(|seats| seats[place]);
                assert_eq!(first.collect::<HashSet<_>>().len(), size);
            }
        }
        assert_eq!([seats(&[3, 7], 0), seats(&[3, 7], 1)], [[3, 7], [7, 3]]);
    }
}
