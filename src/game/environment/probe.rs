//! Random matches by which defaults of environments are found.

use std::collections::TryReserveError;

use propjit_stop::Stop;
use rand::Rng;

use super::block::Block;
use super::common::Common;
use super::worker::Worker;
use crate::game::vocabulary::lane_mask::LaneMask;
use crate::support::rng;

/// What was seen in random matches.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Probe {
    /// Whether several players had a choice at the same time.
    pub(super) is_joint: bool,
    /// Whether the goals of two players did not always have the same sum at the end.
    pub(super) sums_differ: bool,
    /// One of the sums.
    pub(super) sum: Option<f32>,
}

/// The number of random steps.
const STEPS: u32 = 100;

impl Probe {
    /// Plays random matches in a block of environments in which one player acts at a time, and rewards are goals. These
    /// end early when stopped. None if matches end before a player has a choice.
    ///
    /// # Errors
    /// When there is no memory for the block.
    pub(super) fn run(
        common: &Common,
        worker: &mut Worker,
        stop: &Stop,
    ) -> Result<Option<Probe>, TryReserveError> {
        let (shape, width) = (&common.shape, worker.width());
        let mut block = Block::new(0, width.lanes(), width, &common.game, shape)?;
        if !block.can_start(common, worker) {
            return Ok(None);
        }
        let mut rng = rng::streams(0).next().expect("streams do not end");
        let seed = Some(rng.next_u64());
        block.reset(common, worker, seed, LaneMask::all(width));
        let mut found = Probe {
            is_joint: block.has_several(),
            ..Probe::default()
        };
        let is_for_two = shape.players.len() == 2;
        for _ in 0..STEPS {
            if stop.is_set() || found.is_joint && (found.sums_differ || !is_for_two) {
                break;
            }
            block.step_random(common, worker, 1);
            found.is_joint |= block.has_several();
            found.sums_differ |= is_for_two && block.has_other_sum(&mut found.sum);
        }
        worker.free_batch();
        Ok(Some(found))
    }
}
