//! The dynamics of a game: how much, and how unevenly, moves change the playable moves.
//!
//! A position is *connected* with a following one by the moves that can be played in both: by their
//! similarity of continuations at depth 1, in which passes do not count here. The following
//! position is the next one of a match in which the same roles have several moves, so that in games
//! with turns it is the same role's turn. The mean of these similarities is the density of the
//! connections of a game's positions; their spread is what the source calls how dynamic a game is,
//! "the variability of the connection density of the graph" (section 3, "Generalisability"). If
//! moves only occupy a square each, all are near to 1; if moves block and take, they are lower and
//! differ.

use std::time::Duration;

use propjit_stop::Stop;
use rand::RngExt;
use rand::seq::IndexedRandom;
use serde::Serialize;

use super::labels::Labels;
use super::move_sets::continuations;
use crate::game::load::Game;
use crate::game::machine::{Backend, MachineError, Move, RoleId, State, StateMachine};
use crate::game::playout::{MatchSteps, RandomMatches};
use crate::support::rng::{GameRng, streams};
use crate::support::setters::setters;
use crate::support::statistics::Moments;

/// One in `LOOKED_AT` positions of a match is sampled.
const LOOKED_AT: u32 = 4;

/// The most joint moves between two positions that are compared.
const MAX_BETWEEN: usize = 16;

/// The most joint moves of a match.
const MAX_STEPS: usize = 10_000;

/// The size of the sample from which the dynamics are computed.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct DynamicsConfig {
    /// The number of positions of random matches.
    pub positions: u64,
    /// The number of joint moves, chosen at random, in each of them.
    pub moves: usize,
    /// The time limit, if it is reached before this number of positions.
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

/// The dynamics of a game.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
#[non_exhaustive]
pub struct Dynamics {
    /// The number of positions in the sample, in each of which a role has several moves.
    pub positions: u64,
    /// The number of pairs of a position and a following one.
    pub pairs: u64,
    /// How often the match ended, or no role had a choice any more, before there was a position to
    /// compare with. These are excluded from the fields below.
    pub ended: u64,
    /// The mean number of moves in a position, of all roles together, without those that have no
    /// effect.
    pub moves: f64,
    /// The mean similarity of a position and a following one, from 0 to 1.
    pub density: f64,
    /// The standard deviation of these similarities, the measure of how dynamic the game is.
    pub variability: f64,
    /// That part of it which is between moves of the same position, with the replies: its square
    /// and that of the other part add up to that of the whole.
    pub between_moves: f64,
    /// That part of it which is between positions.
    pub between_positions: f64,
}

/// Computes the dynamics of a game, from positions of random matches. Returns none if there was no
/// pair of positions in time.
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
    let mut matches = RandomMatches::new(game.follower()?, MAX_STEPS, rng);
    let mut sample = Sample {
        labels: Labels::new(&[ground], &[]),
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
            sample.record(machine, rng, seen)
        })?;
        if played.is_none() {
            break;
        }
    }
    Ok(sample.dynamics())
}

/// The sample so far.
struct Sample {
    labels: Labels,
    /// The most positions, and how many joint moves are tried in each.
    most: u64,
    tries: usize,
    /// The numbers of moves in positions.
    moves: Moments<f64>,
    similarities: Moments<f64>,
    /// The sum of the squared deviations of similarities from the means of their positions.
    scatter: f64,
    /// The number of positions with such a mean.
    places: u64,
    ended: u64,
}

impl Sample {
    /// Compares a position of a match with possible following ones.
    fn record(
        &mut self,
        machine: &mut dyn StateMachine,
        rng: &mut GameRng,
        seen: &MatchSteps,
    ) -> Result<(), MachineError> {
        let is_full = self.moves.count >= self.most;
        if is_full || rng.random_range(0..LOOKED_AT) > 0 || !deciders(seen.legal()).any(|is| is) {
            return Ok(());
        }
        let here = self.labels.of_legal(0, seen.legal());
        let mut found = Moments::<f64>::default();
        for _ in 0..self.tries {
            let next = follow(machine, rng, seen)?;
            match next.and_then(|legal| continuations(&here, &self.labels.of_legal(0, &legal))) {
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

/// Returns which roles have several moves.
fn deciders(legal: &[Vec<Move>]) -> impl Iterator<Item = bool> {
    legal.iter().map(|legal| legal.len() > 1)
}

/// Returns the legal moves in the next position in which the same roles decide, after random moves,
/// unless the match is over before.
fn follow(
    machine: &mut dyn StateMachine,
    rng: &mut GameRng,
    seen: &MatchSteps,
) -> Result<Option<Vec<Vec<Move>>>, MachineError> {
    let mut legal = seen.legal().to_vec();
    let mut state = seen.state().clone();
    let mut next = State::new();
    for _ in 0..MAX_BETWEEN {
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
        if deciders(&legal).eq(deciders(seen.legal())) {
            return Ok(Some(legal));
        }
    }
    Ok(None)
}
