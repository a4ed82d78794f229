//! The dynamics of a game, as reported by `propjit facts --dynamic`.

use std::fmt;

use propjit::Stop;
use propjit::game::load::Game;
use propjit::lab::similarity::{Dynamics, DynamicsConfig, dynamics};
use serde::Serialize;

use super::output::Failure;

/// How much, and how unevenly, moves change what can be played.
#[derive(Serialize)]
pub(super) struct Report {
    game: String,
    seed: u64,
    #[serde(flatten)]
    found: Dynamics,
}

impl Report {
    pub(super) fn new(
        game: &Game,
        name: String,
        config: &DynamicsConfig,
        stop: &Stop,
    ) -> Result<Report, Failure> {
        let found = dynamics(game, config, stop)?;
        let found = found.ok_or_else(|| {
            let why = "no random match reached two successive positions in which the same roles have several moves; try a larger --seconds";
            Failure::Work(why.to_string())
        })?;
        Ok(Report {
            game: name,
            seed: config.seed,
            found,
        })
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{}: {} positions of random matches, {} with one that follows, seed {}",
            self.game, self.found.positions, self.found.pairs, self.seed
        )?;
        writeln!(f, "moves           {:>6.1}", self.found.moves)?;
        writeln!(
            f,
            "density         {:>6.3}  of them are in both positions",
            self.found.density
        )?;
        writeln!(
            f,
            "variability     {:>6.3}: {:.3} between moves, {:.3} between positions",
            self.found.variability, self.found.between_moves, self.found.between_positions
        )
    }
}
