//! Batched environments.

use std::sync::Arc;

use propjit::game::environment::{
    Autoreset as CoreAutoreset, EnvironmentConfig, Observation, Observed, Outputs as CoreOutputs,
    Rewards as CoreRewards, Shape as CoreShape, VectorEnvironment,
};
use propjit::game::load::{QuestionError, SharedGame};

use crate::error::{Failure, Status, call};
use crate::game::Game;
use crate::planes::Planes;
use crate::pointer::{array, array_mut, exclusive, free, make, output, shared};
use crate::sized::{self, enumerator, may_grow};
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
    /// The size of the structure: see `PROPJIT_INIT`.
    pub size: usize,
    /// The number of environments.
    pub environments: usize,
    /// The number of players: all roles but the one that plays at random.
    pub players: usize,
    /// The number of actions that a step takes in each environment: one, or one of each player.
    pub actors: usize,
    /// The number of observations of each environment: one, or one of each player that acts, if it does not look alike
    /// to them.
    pub observers: usize,
    /// The number of elements of an observation.
    pub elements: usize,
    /// The number of actions that players have: see `propjit_game_actions`.
    pub actions: usize,
    /// The number of actions that may be a choice of a player, which come first.
    pub choices: usize,
    /// The least reward at the end of a match.
    pub least_reward: f32,
    /// The greatest reward at the end of a match.
    pub greatest_reward: f32,
}
may_grow!(Shape, greatest_reward);

/// Who acts in a step.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Joint {
    /// All players, in games in which several are seen to have a choice at the same time; elsewhere, the one that has a
    /// choice.
    Auto = 0,
    /// The player that has a choice.
    Never = 1,
    /// All players.
    Always = 2,
}

const JOINT: [Option<bool>; 3] = [None, Some(false), Some(true)];

/// What players are rewarded with when a match ends. All other rewards are zero.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rewards {
    /// Zero-sum in games of two players whose goals are seen to have the same sum at the end of all matches; elsewhere,
    /// goals.
    Auto = 0,
    /// Goals.
    Goals = 1,
    /// Of two players, each gets its goal less that of the other one, divided by the greatest difference that goals
    /// allow: from -1 to 1.
    ZeroSum = 2,
}

const REWARDS: [Option<CoreRewards>; 3] =
    [None, Some(CoreRewards::Goals), Some(CoreRewards::ZeroSum)];

/// What follows a match that has ended.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Autoreset {
    /// The step that ends a match starts the next one: rewards and ends are those of the old match, everything else is
    /// about the new one.
    SameStep = 0,
    /// The step that ends a match shows its last state, with the current player -2 and no legal action. The next step
    /// ignores the action, starts a match and has no reward.
    NextStep = 1,
}

const AUTORESET: [CoreAutoreset; 2] = [CoreAutoreset::SameStep, CoreAutoreset::NextStep];

/// Options for environments.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct EnvironmentOptions {
    /// The size of the structure: see `PROPJIT_INIT`.
    pub size: usize,
    /// The number of threads; 0 is one.
    pub threads: usize,
    /// The planes that are observed. If null, these are the base propositions; or in a game that hides information,
    /// where there are no planes, what `propjit_knowledge_observe` writes.
    pub planes: *const Planes,
    /// A `PropjitJoint`.
    pub joint: u32,
    /// A `PropjitRewards`.
    pub rewards: u32,
    /// A `PropjitAutoreset`.
    pub autoreset: u32,
    /// The number of joint moves after which a match is truncated; 0 is 10,000.
    pub max_steps: u32,
}
may_grow!(EnvironmentOptions, max_steps);

impl EnvironmentOptions {
    /// The configuration of `count` environments.
    ///
    /// # Safety
    /// The planes are null, or point to planes.
    unsafe fn config(
        &self,
        game: &Arc<SharedGame>,
        count: usize,
    ) -> Result<EnvironmentConfig, Failure> {
        let hides = game.game().hides_information();
        let observed = match (self.planes.is_null(), hides) {
            (true, true) => Observed::Percepts,
            (true, false) => Observed::State,
            (false, false) => {
                // SAFETY: as promised by the caller.
                let planes = unsafe { shared(self.planes) }?;
                Observed::Features(planes.features(game)?.clone())
            }
            (false, true) => {
                return Err(Failure::argument(
                    "this game hides information, and planes would give it away: leave `planes` null",
                ));
            }
        };
        let config = EnvironmentConfig::default()
            .with_environments(count)
            .with_threads(Failure::check_threads(self.threads)?)
            .with_observed(observed)
            .with_joint(enumerator("joint", self.joint, &JOINT)?)
            .with_rewards(enumerator("rewards", self.rewards, &REWARDS)?)
            .with_autoreset(enumerator("autoreset", self.autoreset, &AUTORESET)?);
        Ok(match self.max_steps {
            0 => config,
            max_steps => config.with_max_steps(max_steps),
        })
    }
}

/// The caller's arrays, one environment after the other.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Outputs {
    /// The size of the structure: see `PROPJIT_INIT`.
    pub size: usize,
    /// What is observed, 1 or 0 for each element: environments times observers times elements.
    pub observation: *mut u8,
    /// Whether each action is legal, 1 or 0: environments times actors times actions.
    pub legal: *mut u8,
    /// The number of legal actions: environments times actors.
    pub legal_counts: *mut i32,
    /// The number of the player that has a choice: -1 if several have, and -2 where a match is over.
    pub current: *mut i32,
    /// The rewards of the players where a match ended in a terminal state, not a number where a goal
    /// is undefined, and zero elsewhere: environments times players.
    pub rewards: *mut f32,
    /// Whether a match ended in a terminal state, 1 or 0.
    pub terminated: *mut u8,
    /// Whether a match was given up, 1 or 0.
    pub truncated: *mut u8,
}
may_grow!(Outputs, truncated);

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
                observation: Observation::Bytes(array_mut(
                    self.observation,
                    n * shape.observers() * shape.elements,
                )?),
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

/// Makes `count` environments.
///
/// # Safety
/// `game` points to a game, `options` is null or points to options; a pointer can be written to `environments`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn propjit_environments_new(
    game: *const Game,
    count: usize,
    options: *const EnvironmentOptions,
    environments: *mut *mut Environments,
) -> Status {
    call(|| {
        // SAFETY: as promised by the caller.
        let game = &unsafe { shared(game) }?.0;
        let engines = game.game().engines();
        let engines = engines.ok_or(QuestionError::NotGround("environments"))?;
        // SAFETY: as promised by the caller.
        let config = unsafe { sized::options(options)?.config(game, count) }?;
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
/// `environments` points to environments, `shape` to a structure with its size.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn propjit_environments_shape(
    environments: *const Environments,
    shape: *mut Shape,
) -> Status {
    call(|| {
        // SAFETY: as promised by the caller.
        let (core, place) = unsafe { (&shared(environments)?.core, sized::place(shape)?) };
        let shape = core.shape();
        let (least_reward, greatest_reward) = core.rewards().range();
        place.write(Shape {
            size: size_of::<Shape>(),
            environments: shape.environments,
            players: shape.players.len(),
            actors: shape.actors(),
            observers: shape.observers(),
            elements: shape.elements,
            actions: shape.actions,
            choices: shape.choices,
            least_reward,
            greatest_reward,
        });
        Ok(())
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
        let (environments, outputs) = unsafe { (exclusive(environments)?, sized::read(outputs)?) };
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
        let (environments, outputs) = unsafe { (exclusive(environments)?, sized::read(outputs)?) };
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
        let (environments, outputs) = unsafe { (exclusive(environments)?, sized::read(outputs)?) };
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
