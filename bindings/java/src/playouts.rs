//! Native methods of `Game` for random matches, many at a time.

use jni::EnvUnowned;
use jni::objects::JObject;
use jni::sys::{jint, jlong};
use propjit::game::load::SharedGame;
use propjit::game::playout::{PlayoutProgress, RunLimits, Tally, run, runner};
use propjit::support::rng;
use propjit::{Moments, PlayoutConfig, State, Stop};

use crate::error::{Failure, call};
use crate::exchange::Exchange;
use crate::handle::Handle;

/// `Game.playouts`: plays from the initial state; returns the counts.
#[unsafe(no_mangle)]
extern "system" fn Java_io_github_propjit_Game_playouts<'local>(
    env: EnvUnowned<'local>,
    _this: JObject<'local>,
    pointer: jlong,
    matches: jlong,
    threads: jint,
    seed: jlong,
    max_steps: jint,
    address: jlong,
    capacity: jint,
) -> jint {
    call(env, |_| {
        // SAFETY: the object has the pointer of its game and lives as long as this call; the buffer
        // is this thread's.
        let (game, mut exchange) = unsafe {
            let game = Handle::<SharedGame>::keep(pointer)?;
            (game, Exchange::at(address, capacity))
        };
        let config = PlayoutConfig::default()
            .with_rollouts(Some(matches as u64))
            .with_threads(Failure::check_threads(threads)?)
            .with_seed(seed as u64)
            .with_max_steps(max_steps as u32);
        let (game, progress) = (game.game(), PlayoutProgress::default());
        let outcome = run(game, game.bulk_backend(), &config, &Stop::new(), &progress)?;
        write(&mut exchange, &outcome.tally);
        exchange.written()
    })
}

/// `Game.playoutsFrom`: takes the number of states, and these; returns the counts of each of them.
#[unsafe(no_mangle)]
extern "system" fn Java_io_github_propjit_Game_playoutsFrom<'local>(
    env: EnvUnowned<'local>,
    _this: JObject<'local>,
    pointer: jlong,
    matches: jlong,
    seed: jlong,
    max_steps: jint,
    address: jlong,
    capacity: jint,
) -> jint {
    call(env, |_| {
        // SAFETY: the object has the pointer of its game and lives as long as this call; the buffer
        // is this thread's.
        let (game, mut exchange) = unsafe {
            let game = Handle::<SharedGame>::keep(pointer)?;
            (game, Exchange::at(address, capacity))
        };
        game.ground("playouts from states")?;
        let game = game.game();
        let rng = rng::streams(seed as u64).next();
        let rng = rng.ok_or_else(|| Failure::argument("there are no random numbers"))?;
        let mut runner = runner(game, game.bulk_backend(), max_steps as u32, rng)?;
        let mut state = State::new();
        let jobs = (0..exchange.read()).map(|_| {
            exchange.read_state(&mut state);
            runner.queue_mut().add(&state, Some(matches as u64))
        });
        let jobs: Vec<_> = jobs.collect();
        runner.play(&RunLimits::default())?;
        exchange.answer();
        for job in jobs {
            write(&mut exchange, runner.queue().tally(job));
        }
        exchange.written()
    })
}

/// The number of matches, of those given up and of those that ended where a role has no legal move;
/// the lengths; and for each role the goals, and how often none was defined.
fn write(exchange: &mut Exchange, tally: &Tally) {
    exchange.write(tally.rollouts() as i64);
    exchange.write(tally.truncated as i64);
    exchange.write(tally.stuck as i64);
    write_moments(exchange, &tally.lengths);
    for goals in &tally.goals {
        write_moments(exchange, &goals.values);
        exchange.write(goals.undefined as i64);
    }
}

/// Writes the number of values, their mean and its standard error.
fn write_moments(exchange: &mut Exchange, values: &Moments) {
    exchange.write(values.count as i64);
    exchange.write_float(values.mean().unwrap_or(f64::NAN));
    exchange.write_float(values.standard_error().unwrap_or(f64::NAN));
}
