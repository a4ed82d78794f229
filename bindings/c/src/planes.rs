//! Planes: propositions as channels of a board.

use std::ffi::c_char;
use std::sync::Arc;

use propjit::game::boards::Planes as Core;
use propjit::game::environment::Features;
use propjit::game::load::{QuestionError, SharedGame};

use crate::error::{Failure, Status, call};
use crate::game::{Game, Stop, write_text};
use crate::observation::write_elements;
use crate::pointer::{free, make, output, shared};
use crate::state::State;

/// The propositions of a game, arranged in channels of a board's height and width: each kind of contents is a channel,
/// each other proposition or relation is one or more. A game without a board has the height 1. Any number of threads
/// may use them at the same time.
pub struct Planes {
    game: Arc<SharedGame>,
    core: Core,
}

impl Planes {
    /// The arrangement, for observations of this game.
    ///
    /// # Errors
    /// If it is another game.
    pub(crate) fn features(&self, game: &Arc<SharedGame>) -> Result<&Arc<Features>, Failure> {
        match Arc::ptr_eq(game, &self.game) {
            true => Ok(self.core.features()),
            false => Err(Failure::argument("the planes are of another game")),
        }
    }
}

/// Makes the planes of a game. With `relative`, each player sees its own pieces where the others see theirs, and who it
/// is in channels of their own. Boards are inferred from random matches, the same ones each time, which the token,
/// which may be null, ends early.
///
/// # Safety
/// `game` points to a game, `stop` is null or points to a token; a pointer can be written to `planes`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn propjit_planes_new(
    game: *const Game,
    relative: bool,
    stop: *const Stop,
    planes: *mut *mut Planes,
) -> Status {
    call(|| {
        // SAFETY: as promised by the caller.
        let (game, stop) = unsafe { (&shared(game)?.0, Stop::part(stop)) };
        let find = || {
            let core = Core::find(game.game(), relative, &stop)?;
            let core = core.ok_or(QuestionError::NotGround("planes"))?;
            let game = game.clone();
            Ok(Planes { game, core })
        };
        // SAFETY: as promised by the caller.
        unsafe { make(planes, find) }
    })
}

/// Frees planes. A null pointer is ignored.
///
/// # Safety
/// They are null, or were made by this library and not freed yet.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn propjit_planes_free(planes: *mut Planes) {
    // SAFETY: as promised by the caller.
    unsafe { free(planes) }
}

/// The number of channels, their height and their width.
///
/// # Safety
/// `planes` points to planes; `channels`, `height` and `width` can be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn propjit_planes_shape(
    planes: *const Planes,
    channels: *mut usize,
    height: *mut usize,
    width: *mut usize,
) -> Status {
    call(|| {
        // SAFETY: as promised by the caller.
        let shape = unsafe { shared(planes) }?.core.shape();
        // SAFETY: as promised by the caller.
        let places = unsafe { [output(channels)?, output(height)?, output(width)?] };
        for (place, size) in places.into_iter().zip(shape) {
            place.write(size);
        }
        Ok(())
    })
}

/// The name of a channel: its contents, or its proposition, to be freed with `propjit_text_free`. Where these depend on
/// the player, they are named for the players in their order.
///
/// # Safety
/// `planes` points to planes; a pointer can be written to `name`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn propjit_planes_name(
    planes: *const Planes,
    channel: usize,
    name: *mut *mut c_char,
) -> Status {
    call(|| {
        // SAFETY: as promised by the caller.
        let names = unsafe { shared(planes) }?.core.names();
        let found = names.get(channel);
        let found =
            found.ok_or_else(|| Failure::argument(format!("there is no channel {channel}")))?;
        // SAFETY: as promised by the caller.
        unsafe { write_text(name, found) }
    })
}

/// Writes what a player observes in a state, 1 or 0 for each element: channel by channel, each row by row.
///
/// # Safety
/// `planes` points to planes, `state` to a state of the same game; `elements` can be written to `count` times.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn propjit_planes_observe(
    planes: *const Planes,
    state: *const State,
    role: u32,
    elements: *mut u8,
    count: usize,
) -> Status {
    call(|| {
        // SAFETY: as promised by the caller.
        let (planes, state) = unsafe { (shared(planes)?, shared(state)?) };
        let features = planes.features(&state.game)?;
        let player = state.game.player(role)?;
        let mut packed = Vec::new();
        features.pack(player, state.position.state().words(), &mut packed);
        // SAFETY: as promised by the caller.
        unsafe { write_elements(features.len(), &packed, elements, count) }
    })
}
