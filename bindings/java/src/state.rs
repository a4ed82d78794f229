//! Native methods of `Game` about single states, which are numbers in Java's memory.
//!
//! A state is passed to Java as a *view*: the number of joint moves before it, whether it is
//! terminal, the state, and for each role the number of moves that the rules derive as legal, and
//! these.

use std::cell::RefCell;

use jni::EnvUnowned;
use jni::objects::{JObject, JString};
use jni::sys::{jint, jlong};
use propjit::game::load::SharedGame;
use propjit::support::rng::GameRng;
use propjit::{MachineError, Move, RoleId, State, StateMachine};
use rand::{RngExt, SeedableRng};

use crate::error::{Failure, call};
use crate::exchange::{Exchange, question};

/// The buffers of a request, kept by each thread for the next one, so that nothing is allocated.
#[derive(Default)]
struct Scratch {
    state: State,
    next: State,
    joint: Vec<Move>,
    legal: Vec<Move>,
}

thread_local! {
    static SCRATCH: RefCell<Scratch> = RefCell::default();
}

/// Answers with the state that `find` leaves as the scratch's, after the number of joint moves that
/// it returns. Returns how many numbers the view has, whether there is room for them or not.
fn view(
    game: &SharedGame,
    mut exchange: Exchange,
    find: impl FnOnce(&mut dyn StateMachine, &mut Scratch, &mut Exchange) -> Result<u32, MachineError>,
) -> Result<jint, Failure> {
    SCRATCH.with_borrow_mut(|scratch| {
        game.query(|machine| {
            let steps = find(machine, scratch, &mut exchange)?;
            exchange.answer();
            exchange.write(steps.into());
            exchange.write(machine.is_terminal(&scratch.state)?.into());
            exchange.write_state(&scratch.state);
            for role in RoleId::first(game.role_names().len()) {
                machine.legal_moves_unchecked(&scratch.state, role, &mut scratch.legal)?;
                exchange.write(scratch.legal.len() as i64);
                for played in &scratch.legal {
                    exchange.write(played.0.into());
                }
            }
            Ok(())
        })
    })?;
    exchange.written()
}

/// `Game.initial`: the view of the state in which every match starts.
#[unsafe(no_mangle)]
extern "system" fn Java_io_github_propjit_Game_initial<'local>(
    env: EnvUnowned<'local>,
    _this: JObject<'local>,
    pointer: jlong,
    address: jlong,
    capacity: jint,
) -> jint {
    call(env, |_| {
        // SAFETY: the object has the pointer of its game and lives as long as this call; the buffer
        // is this thread's.
        let (game, exchange) = unsafe { question::<SharedGame>(pointer, address, capacity) }?;
        view(&game, exchange, |machine, scratch, _| {
            scratch.state = machine.initial_state()?;
            Ok(0)
        })
    })
}

/// `Game.parseState`: the view of the state in which exactly these propositions hold, one in each
/// line.
#[unsafe(no_mangle)]
extern "system" fn Java_io_github_propjit_Game_parseState<'local>(
    env: EnvUnowned<'local>,
    _this: JObject<'local>,
    pointer: jlong,
    fluents: JString<'local>,
    address: jlong,
    capacity: jint,
) -> jint {
    call(env, |env| {
        let fluents = fluents.try_to_string(env)?;
        let fluents: Vec<&str> = fluents.lines().collect();
        // SAFETY: the object has the pointer of its game and lives as long as this call; the buffer
        // is this thread's.
        let (game, exchange) = unsafe { question::<SharedGame>(pointer, address, capacity) }?;
        view(&game, exchange, |machine, scratch, _| {
            scratch.state = machine.parse_state(&fluents)?;
            Ok(0)
        })
    })
}

/// `Game.next`: takes a state and a joint move; returns the view of the next state. The caller
/// checks that the moves are legal.
#[unsafe(no_mangle)]
extern "system" fn Java_io_github_propjit_Game_next<'local>(
    env: EnvUnowned<'local>,
    _this: JObject<'local>,
    pointer: jlong,
    address: jlong,
    capacity: jint,
) -> jint {
    call(env, |_| {
        // SAFETY: the object has the pointer of its game and lives as long as this call; the buffer
        // is this thread's.
        let (game, exchange) = unsafe { question::<SharedGame>(pointer, address, capacity) }?;
        let roles = game.role_names().len();
        view(&game, exchange, |machine, scratch, exchange| {
            exchange.read_state(&mut scratch.next);
            exchange.read_moves(&mut scratch.joint, roles);
            let Scratch {
                state, next, joint, ..
            } = scratch;
            machine.next_state_unchecked(next, joint, state)?;
            Ok(1)
        })
    })
}

/// `Game.charge`: takes a state; returns the view of the state in which a random match from there
/// ends.
#[unsafe(no_mangle)]
extern "system" fn Java_io_github_propjit_Game_charge<'local>(
    env: EnvUnowned<'local>,
    _this: JObject<'local>,
    pointer: jlong,
    seed: jlong,
    max_steps: jint,
    address: jlong,
    capacity: jint,
) -> jint {
    call(env, |_| {
        // SAFETY: the object has the pointer of its game and lives as long as this call; the buffer
        // is this thread's.
        let (game, exchange) = unsafe { question::<SharedGame>(pointer, address, capacity) }?;
        view(&game, exchange, |machine, scratch, exchange| {
            exchange.read_state(&mut scratch.state);
            charge(machine, scratch, seed as u64, max_steps as u32)
        })
    })
}

/// Makes random moves up to a terminal state, one in which a role has no legal move, or a number of
/// joint moves. Returns how many it made.
fn charge(
    machine: &mut dyn StateMachine,
    scratch: &mut Scratch,
    seed: u64,
    max_steps: u32,
) -> Result<u32, MachineError> {
    let mut rng = GameRng::seed_from_u64(seed);
    let roles = machine.roles().len();
    let Scratch {
        state,
        next,
        joint,
        legal,
    } = scratch;
    for steps in 0..max_steps {
        if machine.is_terminal(state)? {
            return Ok(steps);
        }
        joint.clear();
        for role in RoleId::first(roles) {
            machine.legal_moves_unchecked(state, role, legal)?;
            match legal.len() {
                0 => return Ok(steps),
                1 => joint.push(legal[0]),
                count => joint.push(legal[rng.random_range(0..count)]),
            }
        }
        machine.next_state_unchecked(state, joint, next)?;
        std::mem::swap(state, next);
    }
    Ok(max_steps)
}

/// `Game.goal`: of a role in a state.
#[unsafe(no_mangle)]
extern "system" fn Java_io_github_propjit_Game_goal<'local>(
    env: EnvUnowned<'local>,
    _this: JObject<'local>,
    pointer: jlong,
    role: jint,
    address: jlong,
    capacity: jint,
) -> jint {
    call(env, |_| {
        // SAFETY: the object has the pointer of its game and lives as long as this call; the buffer
        // is this thread's.
        let (game, mut exchange) = unsafe { question::<SharedGame>(pointer, address, capacity) }?;
        let role = game.role(role)?;
        SCRATCH.with_borrow_mut(|scratch| {
            exchange.read_state(&mut scratch.state);
            Ok(game.query(|machine| machine.goal(&scratch.state, role))?)
        })
    })
}

/// `Game.fluents`: the propositions that hold in a state, sorted, one in each line.
#[unsafe(no_mangle)]
extern "system" fn Java_io_github_propjit_Game_fluents<'local>(
    env: EnvUnowned<'local>,
    _this: JObject<'local>,
    pointer: jlong,
    address: jlong,
    capacity: jint,
) -> JString<'local> {
    call(env, |env| {
        // SAFETY: the object has the pointer of its game and lives as long as this call; the buffer
        // is this thread's.
        let (game, mut exchange) = unsafe { question::<SharedGame>(pointer, address, capacity) }?;
        let mut state = State::new();
        exchange.read_state(&mut state);
        let fluents = game.query(|machine| Ok(machine.fluents(&state)))?;
        Ok(env.new_string(fluents.join("\n"))?)
    })
}
