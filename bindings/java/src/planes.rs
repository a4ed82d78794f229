//! Native methods of `Planes`.

use jni::EnvUnowned;
use jni::objects::{JObject, JString};
use jni::sys::{jint, jlong};
use propjit::Stop;
use propjit::game::boards::Planes;
use propjit::game::environment::Source;
use propjit::game::load::{QuestionError, SharedGame};

use crate::error::call;
use crate::exchange::question;
use crate::handle::Handle;

/// `Planes.make`: the planes of the game that has the pointer.
#[unsafe(no_mangle)]
extern "system" fn Java_io_github_propjit_Planes_make<'local>(
    env: EnvUnowned<'local>,
    _class: JObject<'local>,
    _game: JObject<'local>,
    pointer: jlong,
    relative: bool,
) -> jlong {
    call(env, |_| {
        // SAFETY: the game has the pointer and lives as long as this call, since it is a parameter.
        let game = unsafe { Handle::<SharedGame>::keep(pointer) }?;
        let planes = Planes::find(game.game(), relative, &Stop::new())?;
        Ok(Handle::make(
            planes.ok_or(QuestionError::NotGround("planes"))?,
        ))
    })
}

/// `Planes.free`
#[unsafe(no_mangle)]
extern "system" fn Java_io_github_propjit_Planes_free<'local>(
    env: EnvUnowned<'local>,
    _class: JObject<'local>,
    pointer: jlong,
) {
    call(env, |_| {
        // SAFETY: the constructor calls this once, when it has read everything.
        unsafe { Handle::<Planes>::free(pointer) };
        Ok(())
    })
}

/// `Planes.names`: one in each line.
#[unsafe(no_mangle)]
extern "system" fn Java_io_github_propjit_Planes_names<'local>(
    env: EnvUnowned<'local>,
    _class: JObject<'local>,
    pointer: jlong,
) -> JString<'local> {
    call(env, |env| {
        // SAFETY: the constructor frees the pointer after this call.
        let planes = unsafe { Handle::<Planes>::get(pointer) }?;
        Ok(env.new_string(planes.names().join("\n"))?)
    })
}

/// `Planes.index`: the height and the width; the number of players and that of elements, and for each element of each
/// player the number of its proposition, -1 where there is always 0, and -2 where there is always 1.
#[unsafe(no_mangle)]
extern "system" fn Java_io_github_propjit_Planes_index<'local>(
    env: EnvUnowned<'local>,
    _class: JObject<'local>,
    pointer: jlong,
    address: jlong,
    capacity: jint,
) -> jint {
    call(env, |_| {
        // SAFETY: the constructor frees the pointer after this call; the buffer is this thread's.
        let (planes, mut exchange) = unsafe { question::<Planes>(pointer, address, capacity) }?;
        let ([_, height, width], features) = (planes.shape(), planes.features());
        let sizes = [height, width, features.players(), features.len()];
        sizes.iter().for_each(|&size| exchange.write(size as i64));
        for player in 0..features.players() {
            for element in 0..features.len() {
                exchange.write(match features.source(player, element) {
                    Source::Base(base) => base as i64,
                    Source::Zero => -1,
                    Source::One => -2,
                });
            }
        }
        exchange.written()
    })
}
