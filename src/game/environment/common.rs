//! Data shared by the environments of a game.

use std::sync::Arc;

use super::autoreset::Autoreset;
use super::rewards::RewardRule;
use super::shape::Shape;
use super::start::Start;
use crate::game::ground::GroundGame;

/// Data shared by the environments of a game.
pub(super) struct Common {
    pub(super) game: Arc<GroundGame>,
    pub(super) shape: Shape,
    pub(super) start: Start,
    pub(super) max_steps: u32,
    pub(super) autoreset: Autoreset,
    pub(super) rewards: RewardRule,
    /// Whether the last states of matches are kept, for [`Finals`](super::Finals).
    pub(super) keeps_finals: bool,
}
