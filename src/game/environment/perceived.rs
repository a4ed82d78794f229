//! Percepts of players in the lanes of a block.

use super::observed::percepts;
use super::shape::Shape;
use crate::game::ground::GroundGame;
use crate::game::machine::RoleId;
use crate::game::machine::batch::Batch;
use crate::game::vocabulary::lane_mask::LaneMask;
use propjit_jit::lanes::Width;

/// What each player knows of the matches of a block where information is hidden: the rows of its observations.
#[derive(Debug)]
pub(super) struct Perceived {
    width: Width,
    /// The number of rows of each of the two sets of percepts.
    percepts: usize,
    /// For each player, the rows: percepts since its last choice, percepts since the match began, moves that it chose.
    rows: Vec<Vec<u64>>,
}

impl Perceived {
    /// Creates the rows of a game in which nothing has been perceived.
    pub(super) fn new(game: &GroundGame, shape: &Shape, width: Width) -> Perceived {
        Perceived {
            width,
            percepts: percepts(game, &shape.players),
            rows: vec![vec![0; shape.elements * width.words()]; shape.players.len()],
        }
    }

    /// Returns the rows of a player's observations.
    pub(super) fn rows(&self, player: usize) -> &[u64] {
        &self.rows[player]
    }

    /// Sets the rows of a player's observations.
    pub(super) fn set_rows(&mut self, player: usize, rows: Vec<u64>) {
        self.rows[player] = rows;
    }

    /// Forgets everything in these lanes.
    pub(super) fn clear(&mut self, lanes: LaneMask) {
        let rows = self.rows.iter_mut();
        rows.for_each(|rows| clear(self.width, lanes, rows));
    }

    /// Notes what a player chooses in these lanes, by the action that each of its moves is, and a row for each move: what
    /// it perceives from now on is new.
    pub(super) fn choose(
        &mut self,
        player: usize,
        actions: &[u32],
        chosen: &[u64],
        lanes: LaneMask,
    ) {
        let words = self.width.words();
        let (percepts, choices) = self.rows[player].split_at_mut(2 * self.percepts * words);
        clear(self.width, lanes, &mut percepts[..self.percepts * words]);
        for (&action, chosen) in actions.iter().zip(chosen.chunks_exact(words)) {
            let row = action as usize * words;
            // Not all actions are choices.
            if let Some(row) = choices.get_mut(row..row + words) {
                let chosen = chosen.iter().zip(lanes.words(self.width));
                row.iter_mut()
                    .zip(chosen)
                    .for_each(|(row, (chosen, lanes))| *row |= chosen & lanes);
            }
        }
    }

    /// Adds what players perceive after the moves that are chosen in these lanes of the batch.
    pub(super) fn perceive(&mut self, players: &[RoleId], batch: &mut Batch, lanes: LaneMask) {
        batch.evaluate_percepts();
        let words = self.width.words();
        let lanes = lanes.words(self.width);
        for (rows, &role) in self.rows.iter_mut().zip(players) {
            let (recent, rest) = rows.split_at_mut(self.percepts * words);
            let found = batch.percept_rows(role).chunks_exact(words);
            let sets = recent
                .chunks_exact_mut(words)
                .zip(rest.chunks_exact_mut(words));
            for ((recent, all), found) in sets.zip(found) {
                for (at, (found, lanes)) in found.iter().zip(lanes).enumerate() {
                    recent[at] |= found & lanes;
                    all[at] |= found & lanes;
                }
            }
        }
    }
}

/// Makes rows zero in these lanes.
fn clear(width: Width, lanes: LaneMask, rows: &mut [u64]) {
    for row in rows.chunks_exact_mut(width.words()) {
        row.iter_mut()
            .zip(lanes.words(width))
            .for_each(|(row, lanes)| *row &= !lanes);
    }
}
