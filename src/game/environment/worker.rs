//! Worker of one thread, which evaluates one block of environments after the other.

use std::sync::Arc;

use propjit_jit::lanes::Width;
use propjit_jit::lanes::random::LaneRandom;
use propjit_jit::lanes::select::Selector;

use crate::game::engine::{EngineSubscription, Engines, MatchEngines, PlayoutPolicy};
use crate::game::ground::GroundGame;
use crate::game::machine::RoleId;
use crate::game::machine::batch::Batch;
use crate::game::playout::selectors;
use crate::game::vocabulary::lane_mask::LaneMask;

/// The evaluator of one thread: a batch that follows the best engine.
///
/// Blocks take turns in one batch, although the values of a block's states are then evaluated
/// again: the rows of many large circuits would not fit into a cache.
pub(super) struct Worker {
    subscription: EngineSubscription,
    batch: Batch,
    /// One for each role.
    selectors: Vec<Selector>,
    /// The block with the states that are in the batch.
    entered: Option<usize>,
}

impl Worker {
    pub(super) fn new(engines: &Arc<Engines>) -> Worker {
        let engines = MatchEngines::new(engines.clone());
        let mut subscription = engines.subscribe(PlayoutPolicy::Uniform);
        let engine = subscription.current();
        let batch = Batch::new(subscription.game().clone(), engine);
        Worker {
            selectors: selectors(batch.game(), batch.evaluator()),
            subscription,
            batch,
            entered: None,
        }
    }

    pub(super) fn width(&self) -> Width {
        self.batch.width()
    }

    pub(super) fn game(&self) -> &Arc<GroundGame> {
        self.batch.game()
    }

    /// Returns how many bytes the rows take.
    pub(super) fn bytes(&self) -> usize {
        let rows = self.batch.evaluator().engine().rows();
        rows * self.width().words() * size_of::<u64>()
    }

    /// Returns the batch for other states than those of blocks, which have to enter again.
    pub(super) fn free_batch(&mut self) -> &mut Batch {
        self.entered = None;
        &mut self.batch
    }

    /// Switches to a better engine, if there is one, which has as many lanes: all engines for a
    /// whole circuit have equal width.
    fn follow(&mut self) {
        if let Some(engine) = self.subscription.poll() {
            self.batch.switch(engine);
            self.selectors = selectors(self.batch.game(), self.batch.evaluator());
            self.entered = None;
        }
    }

    /// Returns the batch with the states of a block in its first `lanes` lanes.
    pub(super) fn enter(&mut self, block: usize, bases: &[u64], lanes: usize) -> &mut Batch {
        self.follow();
        if self.entered != Some(block) {
            self.batch.enter_rows(bases, lanes);
            self.entered = Some(block);
        }
        &mut self.batch
    }

    /// Returns the batch with the states of the block that entered last.
    pub(super) fn batch(&mut self) -> &mut Batch {
        &mut self.batch
    }

    /// Chooses all legal moves of a role in some of the first `lanes` lanes, and none in the others.
    pub(super) fn choose_all(&mut self, role: RoleId, chosen: LaneMask, lanes: usize) {
        let width = self.width();
        let (legal, does) = self.batch.legal_and_chosen_rows(role);
        chosen.keep_rows(width, lanes, legal, does);
    }

    /// Chooses one of a role's legal moves at random, in these lanes. Before, either none of its
    /// moves is chosen, or those that were last chosen by this function.
    pub(super) fn choose_random(&mut self, role: RoleId, lanes: LaneMask, random: &mut LaneRandom) {
        let width = self.width();
        let selector = &mut self.selectors[role.index()];
        let (legal, does) = self.batch.legal_and_chosen_rows(role);
        selector.select(width, legal, lanes.words(width), random, does);
    }
}
