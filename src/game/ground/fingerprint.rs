//! Stable encodings of a ground game, which identify files kept on disk.
//!
//! The encoding is that of postcard, which has a stable specification: neither another compiler nor
//! a changed `Debug` text changes it. Names in the rulesheet do not count, except for the name of
//! the role that plays at random.

use serde::Serialize;

use super::game::GroundGame;
use super::layout::Layout;
use crate::game::vocabulary::moves::RANDOM_ROLE;
use crate::game::vocabulary::state::State;

/// Everything about a game, apart from its circuit, that decides which circuits are made of it and
/// whether these pay off.
#[derive(Serialize)]
struct Interface<'a> {
    layout: &'a Layout,
    initial: &'a State,
    /// The goal values of each role.
    goals: Vec<Vec<i32>>,
    /// Whether each role plays at random.
    is_random: Vec<bool>,
}

impl GroundGame {
    /// Returns everything about the game that is not in its circuit: the layout, the initial state,
    /// goal values, and which roles play at random, in an encoding that is the same in all
    /// versions.
    pub(crate) fn interface_bytes(&self) -> Vec<u8> {
        let goals = self.propnet().roles.iter();
        let goals = goals.map(|role| role.goals.iter().map(|goal| goal.value).collect());
        let roles = self.roles().iter();
        encoded(&Interface {
            layout: self.layout(),
            initial: self.initial(),
            goals: goals.collect(),
            is_random: roles.map(|role| role == RANDOM_ROLE).collect(),
        })
    }
}

/// Returns a value in the encoding.
pub(crate) fn encoded(value: &impl Serialize) -> Vec<u8> {
    // Only a `Serialize` written by hand can fail, or a sequence without a length.
    postcard::to_stdvec(value).expect("derived encodings into memory do not fail")
}
