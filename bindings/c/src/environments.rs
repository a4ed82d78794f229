//! Batched environments.

use std::sync::Arc;

use propjit::game::environment::{
    EnvironmentConfig, Observation, Outputs as CoreOutputs, Rewards, Shape as CoreShape,
    VectorEnvironment,
};
use propjit::game::load::{QuestionError, SharedGame};

use crate::error::{Failure, Status, call};
use crate::game::Game;
use crate::pointer::{array, array_mut, exclusive, free, make, output, shared, write};
use crate::state::State;

/// Many matches of a game, played step by step. One thread at a time may use them.
///
/// In each environment a player has a choice: forced moves are made without asking. A match that ends is followed by
/// another one in the same place at once. See docs/c.md.
pub struct Environments {
    game: Arc<SharedGame>,
    core: VectorEnvironment,
}

/// The sizes of arrays.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    /// The number of environments.
    pub environments: usize,
    /// The number of players: all roles but the one that plays at random.
    pub players: usize,
    /// The number of actions that a step takes in each environment: one, or one of each player.
    pub actors: usize,
    /// The number of base propositions.
    pub propositions: usize,
    /// The number of actions that players have: see `propjit_game_actions`.
    pub actions: usize,
    /// The number of actions that may be a choice of a player, which come first.
    pub choices: usize,
}

/// The caller's arrays, one environment after the other.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Outputs {
    /// Whether each proposition holds, 1 or 0: environments times propositions.
    pub observation: *mut u8,
    /// Whether each action is legal, 1 or 0: environments times actors times actions.
    pub legal: *mut u8,
    /// The number of legal actions: environments times actors.
    pub legal_counts: *mut i32,
    /// The number of the player that has a choice, and -1 if several have.
    pub current: *mut i32,
    /// The goals of the players where a match ended in a terminal state, not a number where a goal
    /// is undefined, and zero elsewhere: environments times players.
    pub rewards: *mut f32,
    /// Whether a match ended in a terminal state, 1 or 0.
    pub terminated: *mut u8,
    /// Whether a match was given up, 1 or 0.
    pub truncated: *mut u8,
}

impl Outputs {
    /// The arrays.
    ///
    /// # Safety
    /// Each can be written to as often as the shape says, and is not accessed otherwise as long as
    /// the references live.
    unsafe fn arrays<'a>(self, shape: &CoreShape) -> Result<CoreOutputs<'a>, Failure> {
        let n = shape.environments;
        let actors = n * shape.actors();
        // SAFETY: as promised by the caller.
        unsafe {
            Ok(CoreOutputs {
                observation: Observation::Bytes(array_mut(self.observation, n * shape.elements)?),
                legal: array_mut(self.legal, actors * shape.actions)?,
                legal_counts: array_mut(self.legal_counts, actors)?,
                current: array_mut(self.current, n)?,
                rewards: array_mut(self.rewards, n * shape.players.len())?,
                terminated: array_mut(self.terminated, n)?,
                truncated: array_mut(self.truncated, n)?,
                finals: None,
            })
        }
    }
}

/// Makes `count` environments on `threads` threads. With `joint`, a step takes an action of each
/// player; this is required if several choose at the same time. A match of `max_steps` joint moves
/// is truncated.
///
/// # Safety
/// `game` points to a game; a pointer can be written to `environments`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn propjit_environments_new(
    game: *const Game,
    count: usize,
    threads: usize,
    joint: bool,
    max_steps: u32,
    environments: *mut *mut Environments,
) -> Status {
    call(|| {
        // SAFETY: as promised by the caller.
        let game = &unsafe { shared(game) }?.0;
        let engines = game.game().engines();
        let engines = engines.ok_or(QuestionError::NotGround("environments"))?;
        let config = EnvironmentConfig::default()
            .with_environments(count)
            .with_threads(Failure::check_threads(threads)?)
            .with_joint(Some(joint))
            .with_rewards(Some(Rewards::Goals))
            .with_max_steps(max_steps);
        let start = || {
            let core = VectorEnvironment::new(engines, &config)?;
            let game = game.clone();
            Ok(Environments { game, core })
        };
        // SAFETY: as promised by the caller.
        unsafe { make(environments, start) }
    })
}

/// Frees environments. A null pointer is ignored.
///
/// # Safety
/// It is null, or was made by this library and not freed yet.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn propjit_environments_free(environments: *mut Environments) {
    // SAFETY: as promised by the caller.
    unsafe { free(environments) }
}

/// The sizes of arrays.
///
/// # Safety
/// `environments` points to environments; `shape` can be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn propjit_environments_shape(
    environments: *const Environments,
    shape: *mut Shape,
) -> Status {
    call(|| {
        // SAFETY: as promised by the caller.
        let core = unsafe { shared(environments) }?.core.shape();
        let sizes = Shape {
            environments: core.environments,
            players: core.players.len(),
            actors: core.actors(),
            propositions: core.elements,
            actions: core.actions,
            choices: core.choices,
        };
        // SAFETY: as promised by the caller.
        unsafe { write(shape, sizes) }
    })
}

/// Starts a match in each environment.
///
/// # Safety
/// `environments` points to environments, `outputs` to arrays of their shape; they are not used
/// otherwise meanwhile.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn propjit_environments_reset(
    environments: *mut Environments,
    seed: u64,
    outputs: *const Outputs,
) -> Status {
    call(|| {
        // SAFETY: as promised by the caller.
        let (environments, outputs) = unsafe { (exclusive(environments)?, shared(outputs)?) };
        // SAFETY: as promised by the caller.
        let arrays = unsafe { outputs.arrays(environments.core.shape()) }?;
        environments.core.reset(Some(seed), None, arrays);
        Ok(())
    })
}

/// Takes an action of each actor in each environment. If one is not legal, nothing happens.
///
/// # Safety
/// `environments` points to environments, `actions` to as many numbers as there are environments
/// times actors, `outputs` to arrays of their shape; they are not used otherwise meanwhile.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn propjit_environments_step(
    environments: *mut Environments,
    actions: *const i32,
    outputs: *const Outputs,
) -> Status {
    call(|| {
        // SAFETY: as promised by the caller.
        let (environments, outputs) = unsafe { (exclusive(environments)?, shared(outputs)?) };
        let shape = environments.core.shape();
        let count = shape.environments * shape.actors();
        // SAFETY: as promised by the caller.
        let (actions, arrays) = unsafe { (array(actions, count)?, outputs.arrays(shape)?) };
        Ok(environments.core.step(actions, arrays)?)
    })
}

/// Takes `steps` actions in each environment, chosen at random. To `terminated` it writes how many
/// matches ended in a terminal state; the arrays describe the last step.
///
/// # Safety
/// `environments` points to environments, `outputs` to arrays of their shape; they are not used
/// otherwise meanwhile. `terminated` can be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn propjit_environments_step_random(
    environments: *mut Environments,
    steps: u32,
    outputs: *const Outputs,
    terminated: *mut u64,
) -> Status {
    call(|| {
        // SAFETY: as promised by the caller.
        let (environments, outputs) = unsafe { (exclusive(environments)?, shared(outputs)?) };
        // SAFETY: as promised by the caller.
        let (arrays, terminated) = unsafe {
            let arrays = outputs.arrays(environments.core.shape())?;
            (arrays, output(terminated)?)
        };
        let ended = environments.core.step_random(steps, arrays);
        terminated.write(ended.terminated);
        Ok(())
    })
}

/// Writes to `actions` the legal actions that have these ranks, from 0.
///
/// # Safety
/// `environments` points to environments; `ranks` and `actions` point to as many numbers as there
/// are environments times actors.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn propjit_environments_nth_legal(
    environments: *const Environments,
    ranks: *const i32,
    actions: *mut i32,
) -> Status {
    call(|| {
        // SAFETY: as promised by the caller.
        let core = &unsafe { shared(environments) }?.core;
        let count = core.shape().environments * core.shape().actors();
        // SAFETY: as promised by the caller.
        let (ranks, actions) = unsafe { (array(ranks, count)?, array_mut(actions, count)?) };
        let mut found = Vec::new();
        found.try_reserve_exact(count).map_err(Failure::memory)?;
        found.resize(count, 0);
        core.nth_legal(ranks, &mut found)?;
        actions.copy_from_slice(&found);
        Ok(())
    })
}

/// Makes a state that is a copy of that of an environment.
///
/// # Safety
/// `environments` points to environments; a pointer can be written to `state`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn propjit_environments_state(
    environments: *const Environments,
    environment: usize,
    state: *mut *mut State,
) -> Status {
    call(|| {
        // SAFETY: as promised by the caller.
        let environments = unsafe { shared(environments) }?;
        if environment >= environments.core.shape().environments {
            let text = format!("there is no environment {environment}");
            return Err(Failure::argument(text));
        }
        let copy = || {
            let game = environments.game.clone();
            let start = game.game().start()?;
            let position = start.with_state(environments.core.state(environment));
            Ok(State { game, position })
        };
        // SAFETY: as promised by the caller.
        unsafe { make(state, copy) }
    })
}
