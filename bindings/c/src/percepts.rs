//! Percepts: what roles perceive where the game hides information.

use std::ffi::c_char;
use std::sync::Arc;

use propjit::game::environment::Knowledge as Core;
use propjit::game::load::SharedGame;

use crate::error::{Status, call};
use crate::game::{Game, write_text};
use crate::observation::write_elements;
use crate::pointer::{array, exclusive, free, make, shared, write};
use crate::state::State;

/// What each player knows of a match: its percepts and its choices. Any number of threads may query it at the same
/// time, unless one of them adds to it.
pub struct Knowledge {
    game: Arc<SharedGame>,
    core: Core,
}

/// Determines whether roles may not know the whole state. The first call may take some seconds.
///
/// # Safety
/// `game` points to a game; `hides` can be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn propjit_game_hides_information(
    game: *const Game,
    hides: *mut bool,
) -> Status {
    call(|| {
        // SAFETY: as promised by the caller.
        let answer = unsafe { shared(game) }?.0.game().hides_information();
        // SAFETY: as promised by the caller.
        unsafe { write(hides, answer) }
    })
}

/// The number of all percepts that a role may ever have, which are numbered from 0. Only a ground game has numbers for
/// them.
///
/// # Safety
/// `game` points to a game; `count` can be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn propjit_game_percepts(
    game: *const Game,
    role: u32,
    count: *mut usize,
) -> Status {
    call(|| {
        // SAFETY: as promised by the caller.
        let game = &unsafe { shared(game) }?.0;
        let role = game.role(role)?;
        let layout = game.ground("numbers of percepts")?.layout();
        // SAFETY: as promised by the caller.
        unsafe { write(count, layout.percepts[role.index()].len()) }
    })
}

/// The text of a percept of a role, to be freed with `propjit_text_free`.
///
/// # Safety
/// `game` points to a game; a pointer can be written to `name`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn propjit_game_percept_text(
    game: *const Game,
    role: u32,
    percept: u32,
    name: *mut *mut c_char,
) -> Status {
    call(|| {
        // SAFETY: as promised by the caller.
        let game = &unsafe { shared(game) }?.0;
        let text = game.percept_text(game.role(role)?, percept)?;
        // SAFETY: as promised by the caller.
        unsafe { write_text(name, &text) }
    })
}

/// What a role perceives when a move of each role is made in the state, in the order of the roles: sorted, one in each
/// line, to be freed with `propjit_text_free`. There is nothing in games without `sees` rules, in which roles see all.
///
/// # Safety
/// `state` points to a state; `moves` points to `count` numbers; a pointer can be written to `percepts`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn propjit_state_percepts(
    state: *const State,
    moves: *const u32,
    count: usize,
    role: u32,
    percepts: *mut *mut c_char,
) -> Status {
    call(|| {
        // SAFETY: as promised by the caller.
        let (State { game, position }, moves) = unsafe { (shared(state)?, array(moves, count)?) };
        let (role, joint) = (game.role(role)?, game.joint_move(moves)?);
        let found = game.percepts(position.state(), &joint, role)?;
        // SAFETY: as promised by the caller.
        unsafe { write_text(percepts, &found.join("\n")) }
    })
}

/// Makes what players know at the start of a match: nothing.
///
/// # Safety
/// `game` points to a game; a pointer can be written to `knowledge`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn propjit_knowledge_new(
    game: *const Game,
    knowledge: *mut *mut Knowledge,
) -> Status {
    call(|| {
        // SAFETY: as promised by the caller.
        let game = &unsafe { shared(game) }?.0;
        let start = || {
            let core = Core::new(game.ground("numbers of percepts")?);
            let game = game.clone();
            Ok(Knowledge { game, core })
        };
        // SAFETY: as promised by the caller.
        unsafe { make(knowledge, start) }
    })
}

/// Makes a copy.
///
/// # Safety
/// `knowledge` points to knowledge; a pointer can be written to `copy`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn propjit_knowledge_clone(
    knowledge: *const Knowledge,
    copy: *mut *mut Knowledge,
) -> Status {
    call(|| {
        // SAFETY: as promised by the caller.
        let Knowledge { game, core } = unsafe { shared(knowledge) }?;
        let clone = || {
            Ok(Knowledge {
                game: game.clone(),
                core: core.clone(),
            })
        };
        // SAFETY: as promised by the caller.
        unsafe { make(copy, clone) }
    })
}

/// Frees knowledge. A null pointer is ignored.
///
/// # Safety
/// It is null, or was made by this library and not freed yet.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn propjit_knowledge_free(knowledge: *mut Knowledge) {
    // SAFETY: as promised by the caller.
    unsafe { free(knowledge) }
}

/// Adds what players choose and perceive when a move of each role is made in a state, in the order of the roles. The
/// state does not change: it is played in afterwards. If a move is not legal, or the match is over, nothing is added.
///
/// # Safety
/// `knowledge` points to knowledge that is not used otherwise meanwhile, `state` to a state of its game; `moves` points
/// to `count` numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn propjit_knowledge_add(
    knowledge: *mut Knowledge,
    state: *const State,
    moves: *const u32,
    count: usize,
) -> Status {
    call(|| {
        // SAFETY: as promised by the caller.
        let (known, state) = unsafe { (exclusive(knowledge)?, shared(state)?) };
        // SAFETY: as promised by the caller.
        let moves = unsafe { array(moves, count) }?;
        state.require_of(&known.game)?;
        let joint = known.game.joint_move(moves)?;
        let core = &mut known.core;
        let add = known
            .game
            .query(|machine| core.add(machine, state.position.state(), &joint));
        Ok(add?)
    })
}

/// The number of elements of what a player observes.
///
/// # Safety
/// `knowledge` points to knowledge; `elements` can be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn propjit_knowledge_size(
    knowledge: *const Knowledge,
    elements: *mut usize,
) -> Status {
    call(|| {
        // SAFETY: as promised by the caller.
        unsafe { write(elements, shared(knowledge)?.core.elements()) }
    })
}

/// Writes what a player observes, 1 or 0 for each element: its percepts since it last had a choice, its percepts since
/// the match began (both by number, and as many as the player with the most percepts has), and the actions that it has
/// chosen.
///
/// # Safety
/// `knowledge` points to knowledge; `elements` can be written to `count` times.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn propjit_knowledge_observe(
    knowledge: *const Knowledge,
    role: u32,
    elements: *mut u8,
    count: usize,
) -> Status {
    call(|| {
        // SAFETY: as promised by the caller.
        let Knowledge { game, core } = unsafe { shared(knowledge) }?;
        game.player(role)?;
        let packed = core.observation(game.role(role)?).unwrap_or_default();
        // SAFETY: as promised by the caller.
        unsafe { write_elements(core.elements(), packed, elements, count) }
    })
}
