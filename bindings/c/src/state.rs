//! States of a game.

use std::ffi::c_char;
use std::sync::Arc;

use propjit::RoleId;
use propjit::game::load::SharedGame;
use propjit::game::position::Position;

use crate::error::{Failure, Status, call};
use crate::game::{Game, write_text};
use crate::observation::write_elements;
use crate::pointer::{array, exclusive, free, make, shared, text, write, write_some};

/// A state of a game. Any number of threads may query it at the same time, unless one of them plays
/// in it.
pub struct State {
    pub(crate) game: Arc<SharedGame>,
    pub(crate) position: Position,
}

impl State {
    /// Checks that it is a state of this game.
    pub(crate) fn require_of(&self, game: &Arc<SharedGame>) -> Result<(), Failure> {
        match Arc::ptr_eq(game, &self.game) {
            true => Ok(()),
            false => Err(Failure::argument("the state is of another game")),
        }
    }
}

/// Makes the state in which every match starts.
///
/// # Safety
/// `game` points to a game; a pointer can be written to `state`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn propjit_state_initial(
    game: *const Game,
    state: *mut *mut State,
) -> Status {
    call(|| {
        // SAFETY: as promised by the caller.
        let game = &unsafe { shared(game) }?.0;
        let initial = || {
            let position = game.game().start()?;
            let game = game.clone();
            Ok(State { game, position })
        };
        // SAFETY: as promised by the caller.
        unsafe { make(state, initial) }
    })
}

/// Makes the state in which exactly these propositions hold: one in each line, as
/// `propjit_state_text` writes them. The prover takes any term for a proposition.
///
/// # Safety
/// `game` points to a game; `fluents` ends with a zero byte; a pointer can be written to `state`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn propjit_state_parse(
    game: *const Game,
    fluents: *const c_char,
    state: *mut *mut State,
) -> Status {
    call(|| {
        // SAFETY: as promised by the caller.
        let (game, fluents) = unsafe { (&shared(game)?.0, text(fluents)?) };
        let parse = || {
            let lines = fluents.lines().filter(|line| !line.trim().is_empty());
            let fluents: Vec<&str> = lines.collect();
            let position = game.game().start()?.with_fluents(&fluents)?;
            let game = game.clone();
            Ok(State { game, position })
        };
        // SAFETY: as promised by the caller.
        unsafe { make(state, parse) }
    })
}

/// Makes a copy of a state.
///
/// # Safety
/// `state` points to a state; a pointer can be written to `copy`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn propjit_state_clone(state: *const State, copy: *mut *mut State) -> Status {
    call(|| {
        // SAFETY: as promised by the caller.
        let state = unsafe { shared(state) }?;
        let clone = || {
            Ok(State {
                game: state.game.clone(),
                position: state.position.clone(),
            })
        };
        // SAFETY: as promised by the caller.
        unsafe { make(copy, clone) }
    })
}

/// Frees a state. A null pointer is ignored.
///
/// # Safety
/// It is null, or was made by this library and not freed yet.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn propjit_state_free(state: *mut State) {
    // SAFETY: as promised by the caller.
    unsafe { free(state) }
}

/// The text of a state: its propositions, sorted, one in each line. To be freed with
/// `propjit_text_free`.
///
/// # Safety
/// `state` points to a state; a pointer can be written to `fluents`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn propjit_state_text(
    state: *const State,
    fluents: *mut *mut c_char,
) -> Status {
    call(|| {
        // SAFETY: as promised by the caller.
        let state = unsafe { shared(state) }?;
        // SAFETY: as promised by the caller.
        unsafe { write_text(fluents, &state.position.to_string()) }
    })
}

/// Determines whether two states, of the same game, are equal.
///
/// # Safety
/// `one` and `other` point to states; `equal` can be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn propjit_state_equal(
    one: *const State,
    other: *const State,
    equal: *mut bool,
) -> Status {
    call(|| {
        // SAFETY: as promised by the caller.
        let (one, other) = unsafe { (shared(one)?, shared(other)?) };
        other.require_of(&one.game)?;
        // SAFETY: as promised by the caller.
        unsafe { write(equal, one.position == other.position) }
    })
}

/// Determines whether a match ends in the state.
///
/// # Safety
/// `state` points to a state; `terminal` can be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn propjit_state_terminal(
    state: *const State,
    terminal: *mut bool,
) -> Status {
    call(|| {
        // SAFETY: as promised by the caller.
        let state = unsafe { shared(state) }?;
        let answer = state.position.is_over()?;
        // SAFETY: as promised by the caller.
        unsafe { write(terminal, answer) }
    })
}

/// The goal of a role. The status is `PROPJIT_STATUS_PLAY_FAILED` if it does not have exactly one
/// value.
///
/// # Safety
/// `state` points to a state; `goal` can be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn propjit_state_goal(
    state: *const State,
    role: u32,
    goal: *mut i32,
) -> Status {
    call(|| {
        // SAFETY: as promised by the caller.
        let state = unsafe { shared(state) }?;
        let role = state.game.role(role)?;
        let answer = state.position.defined_goal(role)?;
        // SAFETY: as promised by the caller.
        unsafe { write(goal, answer) }
    })
}

/// Writes the numbers of a role's legal moves to `moves`, up to `capacity` of them, and to `count`
/// how many there are: none in a terminal state.
///
/// # Safety
/// `state` points to a state; `count` can be written to, and `moves` as many times as `capacity`
/// says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn propjit_state_legal(
    state: *const State,
    role: u32,
    moves: *mut u32,
    capacity: usize,
    count: *mut usize,
) -> Status {
    call(|| {
        // SAFETY: as promised by the caller.
        let state = unsafe { shared(state) }?;
        let role = state.game.role(role)?;
        let legal = state.position.legal_moves(role)?;
        let legal: Vec<u32> = legal.iter().map(|played| played.0).collect();
        // SAFETY: as promised by the caller.
        unsafe { write_some(&legal, moves, capacity, count) }
    })
}

/// Writes the roles that have several legal moves to `roles`, up to `capacity` of them, and to `count` how many there
/// are: none in a terminal state.
///
/// # Safety
/// `state` points to a state; `count` can be written to, and `roles` as many times as `capacity` says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn propjit_state_to_move(
    state: *const State,
    roles: *mut u32,
    capacity: usize,
    count: *mut usize,
) -> Status {
    call(|| {
        // SAFETY: as promised by the caller.
        let position = &unsafe { shared(state) }?.position;
        let mut choosing = Vec::new();
        for role in RoleId::first(position.roles().len()) {
            if position.legal_moves(role)?.len() > 1 {
                choosing.push(role.0);
            }
        }
        // SAFETY: as promised by the caller.
        unsafe { write_some(&choosing, roles, capacity, count) }
    })
}

/// Writes whether each base proposition holds, 1 or 0. Only a ground game has numbers for them.
///
/// # Safety
/// `state` points to a state; `holds` can be written to `count` times.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn propjit_state_propositions(
    state: *const State,
    holds: *mut u8,
    count: usize,
) -> Status {
    call(|| {
        // SAFETY: as promised by the caller.
        let State { game, position } = unsafe { shared(state) }?;
        let propositions = game.ground("numbers of propositions")?.layout().bases.len();
        let packed = position.state().packed(propositions.div_ceil(64));
        // SAFETY: as promised by the caller.
        unsafe { write_elements(propositions, &packed, holds, count) }
    })
}

/// Replaces the state by the one after a move of each role, in their order. If one is not legal, or
/// the match is over, the state does not change.
///
/// # Safety
/// `state` points to a state that is not used otherwise meanwhile; `moves` points to `count`
/// numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn propjit_state_play(
    state: *mut State,
    moves: *const u32,
    count: usize,
) -> Status {
    call(|| {
        // SAFETY: as promised by the caller.
        let (state, moves) = unsafe { (exclusive(state)?, array(moves, count)?) };
        let joint = state.game.joint_move(moves)?;
        Ok(state.position.play(&joint)?)
    })
}
