//! Blocks of environments: as many as an engine has lanes.
//!
//! - `begin`, `play`, `end`: matches from their beginning on. `actions`: actions that are given.
//! - `view`: what is shown of them. `store`: what is stored.

mod actions;
mod begin;
mod end;
mod play;
mod store;
mod view;

use std::collections::TryReserveError;

use propjit_jit::lanes::Width;
use propjit_jit::lanes::random::LaneRandom;

use super::common::Common;
use super::ends::Ends;
use super::memory::filled;
use super::outputs::SEVERAL;
use super::packed::words;
use super::perceived::Perceived;
use super::shape::Shape;
use crate::game::ground::GroundGame;
use crate::game::machine::State;
use crate::game::machine::batch::Batch;
use crate::game::vocabulary::lane_mask::LaneMask;

/// Environments, one per lane, from the first on.
pub(super) struct Block {
    /// Different for each block.
    number: usize,
    width: Width,
    /// The lanes that are environments.
    filled: LaneMask,
    lanes: usize,
    /// A row for each base proposition.
    bases: Vec<u64>,
    /// The number of joint moves of each lane's match.
    ages: Vec<u32>,
    random: LaneRandom,
    /// For each player, the lanes in which it has a choice; if actions are not joint, it alone.
    choosing: Vec<LaneMask>,
    /// The current player of each lane, [`SEVERAL`] or [`OVER`].
    current: Vec<i32>,
    /// For each actor, its legal actions in each lane, packed.
    legal: Vec<Vec<u64>>,
    rewards: Vec<f32>,
    /// The matches that ended with the last step.
    ends: Ends,
    /// The lanes in which a match is over and the next one has not been started.
    over: LaneMask,
    /// What players know, where observations depend on the past.
    perceived: Option<Perceived>,
    finals: Option<Finals>,
}

/// The last states of the matches that ended with the last step.
struct Finals {
    /// For each observer, its observation in each lane, packed.
    observations: Vec<Vec<u64>>,
    legal: Vec<Vec<u64>>,
    current: Vec<i32>,
}

impl Block {
    /// Creates environments in this number of lanes, to be [reset](Block::reset).
    ///
    /// # Errors
    /// When there is no memory for them.
    pub(super) fn new(
        number: usize,
        lanes: usize,
        width: Width,
        game: &GroundGame,
        shape: &Shape,
    ) -> Result<Block, TryReserveError> {
        let players = shape.players.len();
        let legal = (0..shape.actors()).map(|_| filled(0, lanes * words(shape.actions)));
        let has_memory = shape.has_memory();
        Ok(Block {
            number,
            width,
            filled: LaneMask::first(lanes),
            lanes,
            bases: filled(0, game.layout().bases.len() * width.words())?,
            ages: filled(0, lanes)?,
            random: LaneRandom::new(0),
            choosing: filled(LaneMask::default(), players)?,
            current: filled(0, lanes)?,
            legal: legal.collect::<Result<_, _>>()?,
            rewards: filled(0.0, lanes * players)?,
            ends: Ends::default(),
            over: LaneMask::default(),
            perceived: has_memory.then(|| Perceived::new(game, shape, width)),
            finals: None,
        })
    }

    /// Returns approximately how many bytes a block with all lanes filled takes.
    pub(super) fn bytes(width: Width, game: &GroundGame, shape: &Shape) -> usize {
        let players = shape.players.len();
        let known = if shape.has_memory() {
            players * shape.elements
        } else {
            0
        };
        let rows = (game.layout().bases.len() + known) * width.words()
            + width.lanes() * shape.actors() * words(shape.actions);
        let numbers = width.lanes() * (2 + players);
        let masks = players * size_of::<LaneMask>();
        size_of::<Block>() + rows * size_of::<u64>() + numbers * size_of::<u32>() + masks
    }

    /// Returns the number of environments.
    pub(super) fn len(&self) -> usize {
        self.lanes
    }

    /// Returns the lanes in which several players have a choice.
    pub(super) fn has_several(&self) -> bool {
        self.current.contains(&SEVERAL)
    }

    /// Returns the number of the block.
    pub(super) fn number(&self) -> usize {
        self.number
    }

    /// Returns the lanes with matches that have not ended.
    fn going(&self) -> LaneMask {
        self.filled.and_not(self.over)
    }

    /// Returns the state in a lane.
    pub(super) fn state(&self, lane: usize) -> State {
        let rows = self.bases.chunks_exact(self.width.words()).enumerate();
        let holding = rows.filter(|(_, row)| row[lane / 64] >> (lane % 64) & 1 == 1);
        holding.map(|(proposition, _)| proposition).collect()
    }
}

/// Returns, for each player, the lanes in which it has a legal move, and those in which it has
/// several.
fn choices(common: &Common, batch: &mut Batch) -> Vec<(LaneMask, LaneMask)> {
    let players = common.shape.players.iter();
    players.map(|&role| batch.choices(role)).collect()
}
