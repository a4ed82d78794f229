//! How dynamic a game is, as `propjit facts --dynamic` tells it.

use std::fmt;

use propjit::Stop;
use propjit::game::Game;
use propjit::similarity::{Dynamics, DynamicsConfig, dynamics};
use serde::Serialize;

use super::output::Failure;

/// How much, and how unevenly, moves change what can be played.
#[derive(Serialize)]
pub(super) struct Report {
    game: String,
    seed: u64,
    positions: u64,
    pairs: u64,
    ended: u64,
    /// The mean number of moves in a position.
    moves: f64,
    density: f64,
    variability: f64,
    between_moves: f64,
    between_positions: f64,
}

impl Report {
    pub(super) fn new(
        game: &Game,
        name: String,
        config: &DynamicsConfig,
        stop: &Stop,
    ) -> Result<Report, Failure> {
        let found = dynamics(game, config, stop)?;
        let Dynamics {
            positions,
            pairs,
            ended,
            moves,
            density,
            variability,
            between_moves,
            between_positions,
            ..
        } = found.ok_or_else(|| {
            let why = "no random match came to a position and one that follows in which the same roles \
                       have several moves; more time may help: --seconds";
            Failure::Work(why.to_string())
        })?;
        Ok(Report {
            game: name,
            seed: config.seed,
            positions,
            pairs,
            ended,
            moves,
            density,
            variability,
            between_moves,
            between_positions,
        })
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{}: {} positions of random matches, {} with one that follows, seed {}",
            self.game, self.positions, self.pairs, self.seed
        )?;
        writeln!(f, "moves           {:>6.1}", self.moves)?;
        writeln!(
            f,
            "density         {:>6.3}  of them are in both positions",
            self.density
        )?;
        writeln!(
            f,
            "variability     {:>6.3}: {:.3} between moves, {:.3} between positions",
            self.variability, self.between_moves, self.between_positions
        )
    }
}
