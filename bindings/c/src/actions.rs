//! Actions: moves as learners number them.

use std::ffi::c_char;

use crate::error::{Status, call};
use crate::game::{Game, write_text};
use crate::pointer::{array, exclusive, output, shared, write, write_some};
use crate::state::State;

/// The number of actions: moves that are numbered from 0 for learners, the same move by the same
/// number for all roles. Environments take them and write them. Only a ground game has them.
///
/// The first `choices` of them are moves of players that may be legal beside another one of the same
/// player. Then come, up to `players`, moves of players that are proved to be forced whenever they are
/// legal; and up to `actions`, moves that only the role `random` has. Each of the three is sorted by
/// functor, and then by arguments from left to right: numbers first, by value, and then other names.
/// The numbers depend on the rulesheet alone.
///
/// # Safety
/// `game` points to a game; `choices`, `players` and `actions` can be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn propjit_game_actions(
    game: *const Game,
    choices: *mut usize,
    players: *mut usize,
    actions: *mut usize,
) -> Status {
    call(|| {
        // SAFETY: as promised by the caller.
        let game = &unsafe { shared(game) }?.0;
        let numbered = game.ground("actions")?.actions();
        // SAFETY: as promised by the caller.
        let (choices, players, actions) =
            unsafe { (output(choices)?, output(players)?, output(actions)?) };
        choices.write(numbered.choices());
        players.write(numbered.of_players());
        actions.write(numbered.len());
        Ok(())
    })
}

/// The text of an action, to be freed with `propjit_text_free`.
///
/// # Safety
/// `game` points to a game; a pointer can be written to `name`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn propjit_game_action_text(
    game: *const Game,
    action: u32,
    name: *mut *mut c_char,
) -> Status {
    call(|| {
        // SAFETY: as promised by the caller.
        let game = &unsafe { shared(game) }?.0;
        let action = game.action(action)?;
        let text = game.ground("actions")?.action_text(action);
        // SAFETY: as promised by the caller.
        unsafe { write_text(name, &text) }
    })
}

/// The action that a move of a role is.
///
/// # Safety
/// `game` points to a game; `action` can be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn propjit_game_move_action(
    game: *const Game,
    role: u32,
    played: u32,
    action: *mut u32,
) -> Status {
    call(|| {
        // SAFETY: as promised by the caller.
        let game = &unsafe { shared(game) }?.0;
        let found = game.action_of(game.role(role)?, played)?;
        // SAFETY: as promised by the caller.
        unsafe { write(action, found as u32) }
    })
}

/// The number of the move of a role that an action is.
///
/// # Safety
/// `game` points to a game; `played` can be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn propjit_game_action_move(
    game: *const Game,
    role: u32,
    action: u32,
    played: *mut u32,
) -> Status {
    call(|| {
        // SAFETY: as promised by the caller.
        let game = &unsafe { shared(game) }?.0;
        let found = game.played(game.role(role)?, action)?;
        // SAFETY: as promised by the caller.
        unsafe { write(played, found.0) }
    })
}

/// Writes the actions that are a role's legal moves to `actions`, ascending, up to `capacity` of them, and to `count`
/// how many there are: none in a terminal state.
///
/// # Safety
/// `state` points to a state; `count` can be written to, and `actions` as many times as `capacity` says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn propjit_state_legal_actions(
    state: *const State,
    role: u32,
    actions: *mut u32,
    capacity: usize,
    count: *mut usize,
) -> Status {
    call(|| {
        // SAFETY: as promised by the caller.
        let State { game, position } = unsafe { shared(state) }?;
        let legal = game.legal_actions(position.state(), game.role(role)?)?;
        // SAFETY: as promised by the caller.
        unsafe { write_some(&legal, actions, capacity, count) }
    })
}

/// Replaces the state by the one after an action of each role, in their order. A role whose number is -1 makes its only
/// legal move. If an action is not legal, or the match is over, the state does not change.
///
/// # Safety
/// `state` points to a state that is not used otherwise meanwhile; `actions` points to `count` numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn propjit_state_apply(
    state: *mut State,
    actions: *const i32,
    count: usize,
) -> Status {
    call(|| {
        // SAFETY: as promised by the caller.
        let (state, actions) = unsafe { (exclusive(state)?, array(actions, count)?) };
        let joint = state
            .game
            .joint_of_actions(state.position.state(), actions)?;
        Ok(state.position.play(&joint)?)
    })
}
