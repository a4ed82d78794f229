//! Loaded games.

use std::ffi::c_char;
use std::path::Path;
use std::sync::Arc;

use propjit::game::load::SharedGame;
use propjit::{Game as CoreGame, LoadError, Setup, Stop as CoreStop};

use crate::error::{Failure, Status, call, hand_over};
use crate::pointer::{free, make, output, shared, text, write};

/// A loaded game. Any number of threads may use it at the same time. Objects made from it keep it
/// alive.
pub struct Game(pub(crate) Arc<SharedGame>);

/// A request to end long work early, which may come from any thread.
pub struct Stop(pub(crate) CoreStop);

impl Stop {
    /// A token for a part of the work that ends with the caller's, if there is one.
    ///
    /// # Safety
    /// The pointer is null, or points to a token that lives as long as this call.
    pub(crate) unsafe fn part(stop: *const Stop) -> CoreStop {
        // SAFETY: as promised by the caller.
        match unsafe { stop.as_ref() } {
            Some(Stop(stop)) => stop.by(None),
            None => CoreStop::new(),
        }
    }
}

fn load(load: impl FnOnce(&Setup) -> Result<CoreGame, LoadError>) -> Result<Game, Failure> {
    Ok(Game(Arc::new(SharedGame::load::<Failure>(load)?)))
}

/// Loads the rulesheet in a file.
///
/// # Safety
/// `path` ends with a zero byte; a pointer can be written to `game`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn propjit_game_load(path: *const c_char, game: *mut *mut Game) -> Status {
    call(|| {
        // SAFETY: as promised by the caller.
        let path = unsafe { text(path) }?;
        let load = || load(|setup| CoreGame::load(Path::new(path), setup));
        // SAFETY: as promised by the caller.
        unsafe { make(game, load) }
    })
}

/// Loads a rulesheet that is given as text; the name is for messages.
///
/// # Safety
/// `name` and `rules` end with a zero byte; a pointer can be written to `game`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn propjit_game_from_text(
    name: *const c_char,
    rules: *const c_char,
    game: *mut *mut Game,
) -> Status {
    call(|| {
        // SAFETY: as promised by the caller.
        let (name, rules) = unsafe { (text(name)?, text(rules)?) };
        let load = || load(|setup| CoreGame::from_text(name, rules, setup));
        // SAFETY: as promised by the caller.
        unsafe { make(game, load) }
    })
}

/// Frees a game. A null pointer is ignored.
///
/// # Safety
/// It is null, or was made by this library and not freed yet.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn propjit_game_free(game: *mut Game) {
    // SAFETY: as promised by the caller.
    unsafe { free(game) }
}

/// Waits until there is machine code, which is made in the background otherwise.
///
/// # Safety
/// `game` points to a game.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn propjit_game_wait(game: *const Game) -> Status {
    call(|| {
        // SAFETY: as promised by the caller.
        let game = unsafe { shared(game) }?;
        if let Some(engines) = game.0.game().engines() {
            engines.wait();
        }
        Ok(())
    })
}

/// The number of roles, which are numbered from 0.
///
/// # Safety
/// `game` points to a game; `roles` can be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn propjit_game_roles(game: *const Game, roles: *mut u32) -> Status {
    call(|| {
        // SAFETY: as promised by the caller.
        unsafe { write(roles, shared(game)?.0.role_names().len() as u32) }
    })
}

/// The name of a role, to be freed with `propjit_text_free`.
///
/// # Safety
/// `game` points to a game; a pointer can be written to `name`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn propjit_game_role_name(
    game: *const Game,
    role: u32,
    name: *mut *mut c_char,
) -> Status {
    call(|| {
        // SAFETY: as promised by the caller.
        let game = &unsafe { shared(game) }?.0;
        let role = game.role(role)?;
        // SAFETY: as promised by the caller.
        unsafe { write_text(name, &game.role_names()[role.index()]) }
    })
}

/// The number of base propositions, and that of all moves that a role ever has, which are numbered
/// from 0. Only a ground game has them.
///
/// # Safety
/// `game` points to a game; `propositions` and `moves` can be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn propjit_game_sizes(
    game: *const Game,
    role: u32,
    propositions: *mut usize,
    moves: *mut usize,
) -> Status {
    call(|| {
        // SAFETY: as promised by the caller.
        let game = &unsafe { shared(game) }?.0;
        let role = game.role(role)?;
        let layout = game.ground("sizes")?.layout();
        // SAFETY: as promised by the caller.
        let (propositions, moves) = unsafe { (output(propositions)?, output(moves)?) };
        propositions.write(layout.bases.len());
        moves.write(layout.does[role.index()].len());
        Ok(())
    })
}

/// The text of a move, to be freed with `propjit_text_free`.
///
/// # Safety
/// `game` points to a game; a pointer can be written to `name`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn propjit_game_move_text(
    game: *const Game,
    role: u32,
    played: u32,
    name: *mut *mut c_char,
) -> Status {
    call(|| {
        // SAFETY: as promised by the caller.
        let game = &unsafe { shared(game) }?.0;
        let role = game.role(role)?;
        let played = game.move_of(role, played)?;
        let played = game.query(|machine| Ok(machine.move_text(role, played)))?;
        // SAFETY: as promised by the caller.
        unsafe { write_text(name, &played) }
    })
}

/// Finds the number of the move that a text spells. The prover takes any term for a move.
///
/// # Safety
/// `game` points to a game; `name` ends with a zero byte; `played` can be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn propjit_game_parse_move(
    game: *const Game,
    role: u32,
    name: *const c_char,
    played: *mut u32,
) -> Status {
    call(|| {
        // SAFETY: as promised by the caller.
        let (game, name) = unsafe { (&shared(game)?.0, text(name)?) };
        let role = game.role(role)?;
        let found = game.query(|machine| machine.parse_move(role, name))?;
        // SAFETY: as promised by the caller.
        unsafe { write(played, found.0) }
    })
}

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

/// Makes a token that is not set.
///
/// # Safety
/// A pointer can be written to `stop`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn propjit_stop_new(stop: *mut *mut Stop) -> Status {
    // SAFETY: as promised by the caller.
    call(|| unsafe { make(stop, || Ok(Stop(CoreStop::new()))) })
}

/// Asks the work with this token to end. Safe in any thread, at any time, and in signal handlers.
///
/// # Safety
/// It is null, or points to a token.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn propjit_stop_set(stop: *const Stop) {
    // SAFETY: as promised by the caller.
    if let Some(Stop(stop)) = unsafe { stop.as_ref() } {
        stop.set();
    }
}

/// Frees a token. A null pointer is ignored.
///
/// # Safety
/// It is null, or was made by this library and not freed yet.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn propjit_stop_free(stop: *mut Stop) {
    // SAFETY: as promised by the caller.
    unsafe { free(stop) }
}

/// Passes a text to the caller.
///
/// # Safety
/// The pointer is null, or a pointer can be written there.
pub(crate) unsafe fn write_text(pointer: *mut *mut c_char, text: &str) -> Result<(), Failure> {
    let text = hand_over(text);
    // SAFETY: as promised by the caller.
    let written = unsafe { write(pointer, text) };
    if written.is_err() {
        // SAFETY: the text has just been made, and no caller has received it.
        unsafe { crate::error::propjit_text_free(text) };
    }
    written
}
