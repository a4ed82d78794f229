//! Native methods of `Game`: loading, and names and numbers.

use std::path::Path;

use jni::EnvUnowned;
use jni::objects::{JObject, JString};
use jni::sys::{jint, jlong};
use propjit::game::load::SharedGame;
use propjit::{Backend, LoadError, Setup, State};

use crate::error::{Failure, call};
use crate::exchange::question;
use crate::handle::Handle;

/// Loads a game, to be played by the prover or by the best backend.
fn load(
    proved: bool,
    load: impl FnOnce(&Setup) -> Result<propjit::Game, LoadError>,
) -> Result<jlong, Failure> {
    let backend = proved.then_some(Backend::Prover);
    let load = |setup: &Setup| load(&setup.clone().with_backend(backend));
    Ok(Handle::make(SharedGame::load::<Failure>(load)?))
}

/// `Game.load`: the rulesheet in a file.
#[unsafe(no_mangle)]
extern "system" fn Java_io_github_propjit_Game_load<'local>(
    env: EnvUnowned<'local>,
    _class: JObject<'local>,
    path: JString<'local>,
    proved: bool,
) -> jlong {
    call(env, |env| {
        let path = path.try_to_string(env)?;
        load(proved, |setup| propjit::Game::load(Path::new(&path), setup))
    })
}

/// `Game.parse`: a rulesheet as text, with a name for messages.
#[unsafe(no_mangle)]
extern "system" fn Java_io_github_propjit_Game_parse<'local>(
    env: EnvUnowned<'local>,
    _class: JObject<'local>,
    name: JString<'local>,
    rules: JString<'local>,
    proved: bool,
) -> jlong {
    call(env, |env| {
        let (name, rules) = (name.try_to_string(env)?, rules.try_to_string(env)?);
        load(proved, |setup| {
            propjit::Game::from_text(&name, &rules, setup)
        })
    })
}

/// `Game.close`
#[unsafe(no_mangle)]
extern "system" fn Java_io_github_propjit_Game_close<'local>(
    env: EnvUnowned<'local>,
    _this: JObject<'local>,
    pointer: jlong,
) {
    call(env, |_| {
        // SAFETY: the object has the pointer of its game and lives as long as this call.
        drop(unsafe { Handle::<SharedGame>::close(pointer) });
        Ok(())
    })
}

/// `Game.free`
#[unsafe(no_mangle)]
extern "system" fn Java_io_github_propjit_Game_free<'local>(
    env: EnvUnowned<'local>,
    _class: JObject<'local>,
    pointer: jlong,
) {
    call(env, |_| {
        // SAFETY: this is called once, when the object that had the pointer is gone.
        unsafe { Handle::<SharedGame>::free(pointer) };
        Ok(())
    })
}

/// `Game.waitForCode`
#[unsafe(no_mangle)]
extern "system" fn Java_io_github_propjit_Game_waitForCode<'local>(
    env: EnvUnowned<'local>,
    _this: JObject<'local>,
    pointer: jlong,
) {
    call(env, |_| {
        // SAFETY: the object has the pointer of its game and lives as long as this call.
        let game = unsafe { Handle::<SharedGame>::keep(pointer) }?;
        if let Some(engines) = game.game().engines() {
            engines.wait();
        }
        Ok(())
    })
}

/// `Game.isGround`
#[unsafe(no_mangle)]
extern "system" fn Java_io_github_propjit_Game_isGround<'local>(
    env: EnvUnowned<'local>,
    _this: JObject<'local>,
    pointer: jlong,
) -> bool {
    call(env, |_| {
        // SAFETY: the object has the pointer of its game and lives as long as this call.
        let game = unsafe { Handle::<SharedGame>::get(pointer) }?;
        Ok(game.game().ground_game().is_some())
    })
}

/// `Game.roleNames`: one in each line.
#[unsafe(no_mangle)]
extern "system" fn Java_io_github_propjit_Game_roleNames<'local>(
    env: EnvUnowned<'local>,
    _this: JObject<'local>,
    pointer: jlong,
) -> JString<'local> {
    call(env, |env| {
        // SAFETY: the object has the pointer of its game and lives as long as this call.
        let game = unsafe { Handle::<SharedGame>::get(pointer) }?;
        Ok(env.new_string(game.role_names().join("\n"))?)
    })
}

/// `Game.moveCount`: how many moves a role ever has.
#[unsafe(no_mangle)]
extern "system" fn Java_io_github_propjit_Game_moveCount<'local>(
    env: EnvUnowned<'local>,
    _this: JObject<'local>,
    pointer: jlong,
    role: jint,
) -> jint {
    call(env, |_| {
        // SAFETY: the object has the pointer of its game and lives as long as this call.
        let game = unsafe { Handle::<SharedGame>::get(pointer) }?;
        let role = game.role(role)?;
        let moves = game.ground("sizes")?.layout().does[role.index()].len();
        Ok(moves as jint)
    })
}

/// `Game.actionCount`: how many actions there are.
#[unsafe(no_mangle)]
extern "system" fn Java_io_github_propjit_Game_actionCount<'local>(
    env: EnvUnowned<'local>,
    _this: JObject<'local>,
    pointer: jlong,
) -> jint {
    call(env, |_| {
        // SAFETY: the object has the pointer of its game and lives as long as this call.
        let game = unsafe { Handle::<SharedGame>::get(pointer) }?;
        Ok(game.ground("actions")?.actions().len() as jint)
    })
}

/// `Game.actionsOf`: the number of a role's moves, and the actions that they are.
#[unsafe(no_mangle)]
extern "system" fn Java_io_github_propjit_Game_actionsOf<'local>(
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
        let actions = game.ground("actions")?.actions().of_moves(role);
        exchange.write(actions.len() as i64);
        actions
            .iter()
            .for_each(|&action| exchange.write(action.into()));
        exchange.written()
    })
}

/// `Game.choiceCount`: how many of the first actions may be a choice.
#[unsafe(no_mangle)]
extern "system" fn Java_io_github_propjit_Game_choiceCount<'local>(
    env: EnvUnowned<'local>,
    _this: JObject<'local>,
    pointer: jlong,
) -> jint {
    call(env, |_| {
        // SAFETY: the object has the pointer of its game and lives as long as this call.
        let game = unsafe { Handle::<SharedGame>::get(pointer) }?;
        Ok(game.ground("actions")?.actions().choices() as jint)
    })
}

/// `Game.actionText`
#[unsafe(no_mangle)]
extern "system" fn Java_io_github_propjit_Game_actionText<'local>(
    env: EnvUnowned<'local>,
    _this: JObject<'local>,
    pointer: jlong,
    action: jint,
) -> JString<'local> {
    call(env, |env| {
        // SAFETY: the object has the pointer of its game and lives as long as this call.
        let game = unsafe { Handle::<SharedGame>::get(pointer) }?;
        let action = game.action(action)?;
        Ok(env.new_string(game.ground("actions")?.action_text(action))?)
    })
}

/// `Game.actionOf`: the action that a move of a role is.
#[unsafe(no_mangle)]
extern "system" fn Java_io_github_propjit_Game_actionOf<'local>(
    env: EnvUnowned<'local>,
    _this: JObject<'local>,
    pointer: jlong,
    role: jint,
    played: jint,
) -> jint {
    call(env, |_| {
        // SAFETY: the object has the pointer of its game and lives as long as this call.
        let game = unsafe { Handle::<SharedGame>::get(pointer) }?;
        Ok(game.action_of(game.role(role)?, played)? as jint)
    })
}

/// `Game.moveOf`: the move of a role that an action is.
#[unsafe(no_mangle)]
extern "system" fn Java_io_github_propjit_Game_moveOf<'local>(
    env: EnvUnowned<'local>,
    _this: JObject<'local>,
    pointer: jlong,
    role: jint,
    action: jint,
) -> jint {
    call(env, |_| {
        // SAFETY: the object has the pointer of its game and lives as long as this call.
        let game = unsafe { Handle::<SharedGame>::get(pointer) }?;
        Ok(game.played(game.role(role)?, action)?.0 as jint)
    })
}

/// `Game.fluentCount`
#[unsafe(no_mangle)]
extern "system" fn Java_io_github_propjit_Game_fluentCount<'local>(
    env: EnvUnowned<'local>,
    _this: JObject<'local>,
    pointer: jlong,
) -> jint {
    call(env, |_| {
        // SAFETY: the object has the pointer of its game and lives as long as this call.
        let game = unsafe { Handle::<SharedGame>::get(pointer) }?;
        Ok(game.ground("numbers of propositions")?.layout().bases.len() as jint)
    })
}

/// `Game.fluentText`
#[unsafe(no_mangle)]
extern "system" fn Java_io_github_propjit_Game_fluentText<'local>(
    env: EnvUnowned<'local>,
    _this: JObject<'local>,
    pointer: jlong,
    fluent: jint,
) -> JString<'local> {
    call(env, |env| {
        // SAFETY: the object has the pointer of its game and lives as long as this call.
        let game = unsafe { Handle::<SharedGame>::get(pointer) }?;
        let state = State::from_iter([game.fluent(fluent)?]);
        let texts = game.query(|machine| Ok(machine.fluents(&state)))?;
        Ok(env.new_string(texts.concat())?)
    })
}

/// `Game.moveText`
#[unsafe(no_mangle)]
extern "system" fn Java_io_github_propjit_Game_moveText<'local>(
    env: EnvUnowned<'local>,
    _this: JObject<'local>,
    pointer: jlong,
    role: jint,
    played: jint,
) -> JString<'local> {
    call(env, |env| {
        // SAFETY: the object has the pointer of its game and lives as long as this call.
        let game = unsafe { Handle::<SharedGame>::get(pointer) }?;
        let role = game.role(role)?;
        let played = game.move_of(role, played)?;
        let text = game.query(|machine| Ok(machine.move_text(role, played)))?;
        Ok(env.new_string(text)?)
    })
}

/// `Game.parseMove`
#[unsafe(no_mangle)]
extern "system" fn Java_io_github_propjit_Game_parseMove<'local>(
    env: EnvUnowned<'local>,
    _this: JObject<'local>,
    pointer: jlong,
    role: jint,
    text: JString<'local>,
) -> jint {
    call(env, |env| {
        let text = text.try_to_string(env)?;
        // SAFETY: the object has the pointer of its game and lives as long as this call.
        let game = unsafe { Handle::<SharedGame>::get(pointer) }?;
        let role = game.role(role)?;
        let found = game.query(|machine| machine.parse_move(role, &text))?;
        Ok(found.0 as jint)
    })
}
