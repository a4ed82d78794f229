//! Loaded games.

use std::ffi::c_char;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use propjit::game::load::SharedGame;
use propjit::gdl::ground::GroundLimits;
use propjit::{Game as CoreGame, LoadError, Setup, State as CoreState, Stop as CoreStop};

use crate::error::{Failure, Status, call, hand_over};
use crate::pointer::{free, make, output, shared, text, write};
use crate::sized::{self, may_grow};

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

/// Options for loading a game.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct GameOptions {
    /// The size of the structure: see `PROPJIT_INIT`.
    pub size: usize,
    /// The backend: `prover`, `scalar`, `lanes` or `compiled`. If null, the best one plays the game, and the prover if
    /// it cannot be grounded.
    pub backend: *const c_char,
    /// The time for grounding; 0 is half a minute.
    pub ground_seconds: f64,
}
may_grow!(GameOptions, ground_seconds);

impl GameOptions {
    /// Loads a game as these options say.
    ///
    /// # Safety
    /// The backend is null or ends with a zero byte.
    unsafe fn load(
        &self,
        load: impl FnOnce(&Setup) -> Result<CoreGame, LoadError>,
    ) -> Result<Game, Failure> {
        let backend = match self.backend.is_null() {
            true => None,
            // SAFETY: as promised by the caller.
            false => Some(
                unsafe { text(self.backend) }?
                    .parse()
                    .map_err(Failure::argument)?,
            ),
        };
        let mut limits = GroundLimits::default();
        if self.ground_seconds != 0.0 {
            limits.time = Some(duration(self.ground_seconds)?);
        }
        let load = |setup: &Setup| load(&setup.clone().with_backend(backend).with_ground(limits));
        Ok(Game(Arc::new(SharedGame::load::<Failure>(load)?)))
    }
}

/// A time in seconds.
pub(crate) fn duration(seconds: f64) -> Result<Duration, Failure> {
    Duration::try_from_secs_f64(seconds)
        .map_err(|error| Failure::argument(format!("{seconds} seconds: {error}")))
}

/// Loads the rulesheet in a file.
///
/// # Safety
/// `path` ends with a zero byte; `options` is null or points to options; a pointer can be written to `game`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn propjit_game_load(
    path: *const c_char,
    options: *const GameOptions,
    game: *mut *mut Game,
) -> Status {
    call(|| {
        // SAFETY: as promised by the caller.
        let (path, options) = unsafe { (text(path)?, sized::options(options)?) };
        // SAFETY: as promised by the caller.
        let load = || unsafe { options.load(|setup| CoreGame::load(Path::new(path), setup)) };
        // SAFETY: as promised by the caller.
        unsafe { make(game, load) }
    })
}

/// Loads a rulesheet that is given as text; the name is for messages.
///
/// # Safety
/// `name` and `rules` end with a zero byte; `options` is null or points to options; a pointer can be written to `game`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn propjit_game_from_text(
    name: *const c_char,
    rules: *const c_char,
    options: *const GameOptions,
    game: *mut *mut Game,
) -> Status {
    call(|| {
        // SAFETY: as promised by the caller.
        let (name, rules) = unsafe { (text(name)?, text(rules)?) };
        // SAFETY: as promised by the caller.
        let options = unsafe { sized::options(options) }?;
        // SAFETY: as promised by the caller.
        let load = || unsafe { options.load(|setup| CoreGame::from_text(name, rules, setup)) };
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

/// The role that plays at random, or -1 if there is none. All others are players, which environments number from 0.
///
/// # Safety
/// `game` points to a game; `role` can be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn propjit_game_random_role(game: *const Game, role: *mut i32) -> Status {
    call(|| {
        // SAFETY: as promised by the caller.
        let random = unsafe { shared(game) }?.0.game().random_role();
        // SAFETY: as promised by the caller.
        unsafe { write(role, random.map_or(-1, |random| random.0 as i32)) }
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

/// The text of a base proposition, to be freed with `propjit_text_free`.
///
/// # Safety
/// `game` points to a game; a pointer can be written to `name`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn propjit_game_proposition_text(
    game: *const Game,
    proposition: usize,
    name: *mut *mut c_char,
) -> Status {
    call(|| {
        // SAFETY: as promised by the caller.
        let game = &unsafe { shared(game) }?.0;
        let number = i64::try_from(proposition).map_err(Failure::argument)?;
        let state = CoreState::from_iter([game.fluent(number)?]);
        let text = game.query(|machine| Ok(machine.fluents(&state)))?.concat();
        // SAFETY: as promised by the caller.
        unsafe { write_text(name, &text) }
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
