//! Native methods of `Game` about percepts, and about what players know of a match.

use jni::EnvUnowned;
use jni::objects::{JObject, JString};
use jni::sys::{jint, jlong};
use propjit::State;
use propjit::game::environment::Knowledge;
use propjit::game::load::SharedGame;

use crate::error::{Failure, call};
use crate::exchange::{Exchange, question};
use crate::handle::Handle;

/// `Game.hidesInformation`
#[unsafe(no_mangle)]
extern "system" fn Java_io_github_propjit_Game_hidesInformation<'local>(
    env: EnvUnowned<'local>,
    _this: JObject<'local>,
    pointer: jlong,
) -> bool {
    call(env, |_| {
        // SAFETY: the object has the pointer of its game and lives as long as this call.
        let game = unsafe { Handle::<SharedGame>::keep(pointer) }?;
        Ok(game.game().hides_information())
    })
}

/// `Game.perceptCount`: how many percepts a role may ever have.
#[unsafe(no_mangle)]
extern "system" fn Java_io_github_propjit_Game_perceptCount<'local>(
    env: EnvUnowned<'local>,
    _this: JObject<'local>,
    pointer: jlong,
    role: jint,
) -> jint {
    call(env, |_| {
        // SAFETY: the object has the pointer of its game and lives as long as this call.
        let game = unsafe { Handle::<SharedGame>::get(pointer) }?;
        let role = game.role(role)?;
        let layout = game.ground("numbers of percepts")?.layout();
        Ok(layout.percepts[role.index()].len() as jint)
    })
}

/// `Game.perceptText`
#[unsafe(no_mangle)]
extern "system" fn Java_io_github_propjit_Game_perceptText<'local>(
    env: EnvUnowned<'local>,
    _this: JObject<'local>,
    pointer: jlong,
    role: jint,
    percept: jint,
) -> JString<'local> {
    call(env, |env| {
        // SAFETY: the object has the pointer of its game and lives as long as this call.
        let game = unsafe { Handle::<SharedGame>::get(pointer) }?;
        Ok(env.new_string(game.percept_text(game.role(role)?, percept)?)?)
    })
}

/// `Game.percepts`: takes a state and a joint move; returns what a role perceives, one in each line. The caller checks
/// that the moves are legal.
#[unsafe(no_mangle)]
extern "system" fn Java_io_github_propjit_Game_percepts<'local>(
    env: EnvUnowned<'local>,
    _this: JObject<'local>,
    pointer: jlong,
    role: jint,
    address: jlong,
    capacity: jint,
) -> JString<'local> {
    call(env, |env| {
        // SAFETY: the object has the pointer of its game and lives as long as this call; the buffer
        // is this thread's.
        let (game, mut exchange) = unsafe { question::<SharedGame>(pointer, address, capacity) }?;
        let role = game.role(role)?;
        let (mut state, mut joint) = (State::new(), Vec::new());
        exchange.read_state(&mut state);
        exchange.read_moves(&mut joint, game.role_names().len());
        let found = game.query(|machine| machine.percepts(&state, &joint, role))?;
        Ok(env.new_string(found.join("\n"))?)
    })
}

/// `Game.knowledge`: what players know at the start of a match, as [`write_knowledge`] writes it.
#[unsafe(no_mangle)]
extern "system" fn Java_io_github_propjit_Game_knowledge<'local>(
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
        write_knowledge(
            exchange,
            &Knowledge::new(game.ground("numbers of percepts")?),
        )
    })
}

/// `Game.knowledgeAfter`: takes a state, a joint move and words of knowledge, and returns what players know after these
/// moves. The caller checks that they are legal.
#[unsafe(no_mangle)]
extern "system" fn Java_io_github_propjit_Game_knowledgeAfter<'local>(
    env: EnvUnowned<'local>,
    _this: JObject<'local>,
    pointer: jlong,
    address: jlong,
    capacity: jint,
) -> jint {
    call(env, |_| {
        // SAFETY: the object has the pointer of its game and lives as long as this call; the buffer
        // is this thread's.
        let (game, mut exchange) = unsafe { question::<SharedGame>(pointer, address, capacity) }?;
        let (mut state, mut joint) = (State::new(), Vec::new());
        exchange.read_state(&mut state);
        exchange.read_moves(&mut joint, game.role_names().len());
        let words = (0..exchange.read())
            .map(|_| exchange.read() as u64)
            .collect();
        let known = Knowledge::new(game.ground("numbers of percepts")?).with_words(words);
        let mut known =
            known.ok_or_else(|| Failure::argument("what is known is of another game"))?;
        game.query(|machine| known.add(machine, &state, &joint))?;
        exchange.answer();
        write_knowledge(exchange, &known)
    })
}

/// Answers with the number of elements of an observation, the number of words of all observations, and these.
fn write_knowledge(mut exchange: Exchange, known: &Knowledge) -> Result<jint, Failure> {
    exchange.write(known.elements() as i64);
    exchange.write(known.words().len() as i64);
    for &word in known.words() {
        exchange.write(word as i64);
    }
    exchange.written()
}
