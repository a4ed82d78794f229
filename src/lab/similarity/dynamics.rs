//! How dynamic a game is: how much, and how unevenly, moves change what can be played.
//!
//! A position is *connected* with one that follows by the moves that can be played in both: by
//! their similarity of continuations at depth 1, in which passes do not count here. What follows is
//! the next position of a match in which the same roles have several moves, so that in games with
//! turns it is the same role's turn. The mean of these similarities is the density of the
//! connections of a game's positions; how far they are apart is what the source calls how dynamic a
//! game is, "the variability of the connection density of the graph" (section 3,
//! "Generalisability"). Where nothing changes but that a square is taken, all are near to 1; where
//! moves block and take, they are lower and differ.

use std::time::Duration;

use propjit_stop::Stop;
use rand::RngExt;
use rand::seq::IndexedRandom;
use serde::Serialize;

use super::labels::Labels;
use super::move_sets::continuations;
use crate::game::load::Game;
use crate::game::machine::{Backend, MachineError, Move, RoleId, State, StateMachine};
use crate::game::playout::{MatchMoves, RandomMatches};
use crate::support::rng::{GameRng, streams};
use crate::support::setters::setters;
use crate::support::statistics::Moments;

/// One in so many positions of a match is looked at.
const LOOKED_AT: u32 = 4;

/// The most joint moves between two positions that are compared.
const MOST_BETWEEN: usize = 16;

/// The most joint moves of a match.
const MOST_STEPS: usize = 10_000;

/// How much is looked at to tell how dynamic a game is.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct DynamicsConfig {
    /// The number of positions of random matches.
    pub positions: u64,
    /// The number of joint moves, chosen at random, in each of them.
    pub moves: usize,
    /// For how long, if that is not enough for so many positions.
    pub time: Duration,
    /// The [seed](crate::support::rng) of the random moves.
    pub seed: u64,
}

impl Default for DynamicsConfig {
    /// A thousand positions with 8 moves each, within 5 seconds.
    fn default() -> DynamicsConfig {
        DynamicsConfig {
            positions: 1000,
            moves: 8,
            time: Duration::from_secs(5),
            seed: 0,
        }
    }
}

impl DynamicsConfig {
    setters! {
        with_positions(positions: u64);
        with_moves(moves: usize);
        with_time(time: Duration);
        with_seed(seed: u64);
    }
}

/// How dynamic a game is.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
#[non_exhaustive]
pub struct Dynamics {
    /// The number of positions that were looked at, in each of which somebody has several moves.
    pub positions: u64,
    /// The number of pairs of a position and one that follows.
    pub pairs: u64,
    /// How often the match ended, or nobody had to decide any more, before there was a position to
    /// compare with. These do not count in what follows.
    pub ended: u64,
    /// The mean number of moves in a position, of all roles together, without those on which
    /// nothing depends.
    pub moves: f64,
    /// The mean similarity of a position and one that follows, from 0 to 1.
    pub density: f64,
    /// The standard deviation of these similarities: how dynamic the game is.
    pub variability: f64,
    /// That part of it which is between moves of the same position, with what is replied: its
    /// square and that of the other part are that of the whole.
    pub between_moves: f64,
    /// That part of it which is between positions.
    pub between_positions: f64,
}

/// Tells how dynamic a game is, from positions of random matches. Nothing if there was no pair of
/// positions in time.
///
/// # Errors
/// If the game is not ground, or cannot be evaluated.
pub fn dynamics(
    game: &Game,
    config: &DynamicsConfig,
    stop: &Stop,
) -> Result<Option<Dynamics>, MachineError> {
    let not_ground = MachineError::NotGround {
        backend: Backend::Lanes,
    };
    let ground = game.ground_game().ok_or(not_ground)?;
    let stop = stop.within(config.time);
    let rng = streams(config.seed).next().expect("streams do not end");
    let mut matches = RandomMatches::new(game.follower()?, MOST_STEPS, rng);
    let mut sample = Sample {
        labels: Labels::new(ground, &[]),
        most: config.positions,
        tries: config.moves,
        moves: Moments::default(),
        similarities: Moments::default(),
        scatter: 0.0,
        places: 0,
        ended: 0,
    };
    while sample.moves.count < sample.most {
        let played = matches.play(&stop, &mut |machine, rng, seen| {
            sample.look(machine, rng, seen)
        })?;
        if played.is_none() {
            break;
        }
    }
    Ok(sample.dynamics())
}

/// What was seen.
struct Sample {
    labels: Labels,
    /// The most positions, and how many joint moves are tried in each.
    most: u64,
    tries: usize,
    /// The numbers of moves in positions.
    moves: Moments<f64>,
    similarities: Moments<f64>,
    /// The sum of the squares of how far similarities are from the means of their positions.
    scatter: f64,
    /// The number of positions with such a mean.
    places: u64,
    ended: u64,
}

impl Sample {
    /// Compares a position of a match with what may follow.
    fn look(
        &mut self,
        machine: &mut dyn StateMachine,
        rng: &mut GameRng,
        seen: &MatchMoves<'_>,
    ) -> Result<(), MachineError> {
        let is_full = self.moves.count >= self.most;
        if is_full || rng.random_range(0..LOOKED_AT) > 0 || !deciders(seen.legal).any(|is| is) {
            return Ok(());
        }
        let here = self.labels.of_legal(seen.legal);
        let mut found = Moments::<f64>::default();
        for _ in 0..self.tries {
            let next = follow(machine, rng, seen)?;
            match next.and_then(|legal| continuations(&here, &self.labels.of_legal(&legal))) {
                Some(similarity) => found.add(similarity, 1),
                None => self.ended += 1,
            }
        }
        self.moves.add(here.len() as f64, 1);
        if let Some(mean) = found.mean() {
            self.similarities.merge(&found);
            self.scatter += (found.squares - found.sum * mean).max(0.0);
            self.places += 1;
        }
        Ok(())
    }

    fn dynamics(&self) -> Option<Dynamics> {
        let all = &self.similarities;
        let variance = all.variance().unwrap_or(0.0);
        let freedom = all.count.saturating_sub(self.places).max(1);
        let within = (self.scatter / freedom as f64).min(variance);
        Some(Dynamics {
            positions: self.moves.count,
            pairs: all.count,
            ended: self.ended,
            moves: self.moves.mean()?,
            density: all.mean()?,
            variability: variance.sqrt(),
            between_moves: within.sqrt(),
            between_positions: (variance - within).sqrt(),
        })
    }
}

/// Which roles have several moves.
fn deciders(legal: &[Vec<Move>]) -> impl Iterator<Item = bool> {
    legal.iter().map(|legal| legal.len() > 1)
}

/// The legal moves in the next position in which the same roles decide, after random moves, unless
/// the match is over before.
fn follow(
    machine: &mut dyn StateMachine,
    rng: &mut GameRng,
    seen: &MatchMoves<'_>,
) -> Result<Option<Vec<Vec<Move>>>, MachineError> {
    let mut legal = seen.legal.to_vec();
    let mut state = seen.state.clone();
    let mut next = State::new();
    for _ in 0..MOST_BETWEEN {
        let joint: Option<Vec<Move>> = (legal.iter())
            .map(|legal| legal.choose(rng).copied())
            .collect();
        let Some(joint) = joint else {
            return Ok(None);
        };
        machine.next_state_unchecked(&state, &joint, &mut next)?;
        std::mem::swap(&mut state, &mut next);
        if machine.is_terminal(&state)? {
            return Ok(None);
        }
        for (role, legal) in RoleId::first(legal.len()).zip(&mut legal) {
            machine.legal_moves_unchecked(&state, role, legal)?;
        }
        if deciders(&legal).eq(deciders(seen.legal)) {
            return Ok(Some(legal));
        }
    }
    Ok(None)
}
