//! Native methods of `Search`: Monte Carlo tree search.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use jni::EnvUnowned;
use jni::objects::JObject;
use jni::sys::{jdouble, jint, jlong};
use propjit::game::load::SharedGame;
use propjit::search::chooser::{Search as Core, SearchConfig};
use propjit::search::mcts::EvaluationUse;
use propjit::{MctsConfig, SearchBudget, State, Stop};

use crate::error::{Failure, call};
use crate::exchange::Exchange;
use crate::handle::Handle;

/// A search, with its results so far.
struct Search {
    game: Arc<SharedGame>,
    core: Mutex<Core>,
    /// Ends the run that is under way, or the last one; nothing when the search was closed.
    run: Mutex<Option<Stop>>,
}

impl Search {
    fn core(&self) -> MutexGuard<'_, Core> {
        self.core.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn run(&self) -> MutexGuard<'_, Option<Stop>> {
        self.run.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// `Search.make`: a search of the game that has the pointer, from its initial state.
#[unsafe(no_mangle)]
extern "system" fn Java_io_github_propjit_Search_make<'local>(
    env: EnvUnowned<'local>,
    _class: JObject<'local>,
    _game: JObject<'local>,
    pointer: jlong,
    threads: jint,
    seed: jlong,
    memory: jlong,
    evaluation: bool,
) -> jlong {
    call(env, |_| {
        // SAFETY: the game has the pointer and lives as long as this call, since it is a parameter.
        let game = unsafe { Handle::<SharedGame>::keep(pointer) }?;
        let config = MctsConfig::default()
            .with_threads(Failure::check_threads(threads)?)
            .with_seed(seed as u64)
            .with_memory(memory as usize)
            .with_evaluation(evaluation.then(EvaluationUse::default));
        let config = SearchConfig::default().with_mcts(config);
        let core = Core::new(game.game(), game.game().bulk_backend(), config)?;
        Ok(Handle::make(Search {
            game,
            core: Mutex::new(core),
            run: Mutex::new(Some(Stop::new())),
        }))
    })
}

/// `Search.run`: each limit counts if it is greater than zero.
#[unsafe(no_mangle)]
extern "system" fn Java_io_github_propjit_Search_run<'local>(
    env: EnvUnowned<'local>,
    _this: JObject<'local>,
    pointer: jlong,
    seconds: jdouble,
    playouts: jlong,
    nodes: jlong,
) {
    call(env, |_| {
        // SAFETY: the object has the pointer of its search and lives as long as this call.
        let search = unsafe { Handle::<Search>::keep(pointer) }?;
        let mut core = search.core();
        let stop = Stop::new();
        // While this run waited for another one, the search may have been closed.
        *search.run().as_mut().ok_or_else(Failure::closed)? = stop.clone();
        let part = match seconds > 0.0 {
            true => stop.within(Duration::try_from_secs_f64(seconds).map_err(Failure::argument)?),
            false => stop,
        };
        let some = |limit: jlong| u64::try_from(limit).ok().filter(|&limit| limit > 0);
        let budget = SearchBudget::default()
            .with_playouts(some(playouts))
            .with_nodes(some(nodes))
            .with_stop(part);
        Ok(core.run(&budget)?)
    })
}

/// `Search.stop`: ends the run that is under way.
#[unsafe(no_mangle)]
extern "system" fn Java_io_github_propjit_Search_stop<'local>(
    env: EnvUnowned<'local>,
    _this: JObject<'local>,
    pointer: jlong,
) {
    call(env, |_| {
        // SAFETY: the object has the pointer of its search and lives as long as this call.
        let search = unsafe { Handle::<Search>::keep(pointer) }?;
        if let Some(stop) = &*search.run() {
            stop.set();
        }
        Ok(())
    })
}

/// `Search.setRoot`: takes a state, and the number of joint moves before it.
#[unsafe(no_mangle)]
extern "system" fn Java_io_github_propjit_Search_setRoot<'local>(
    env: EnvUnowned<'local>,
    _this: JObject<'local>,
    pointer: jlong,
    depth: jint,
    address: jlong,
    capacity: jint,
) {
    call(env, |_| {
        // SAFETY: the object has the pointer of its search and lives as long as this call; the
        // buffer is this thread's.
        let (search, mut exchange) = unsafe {
            let search = Handle::<Search>::keep(pointer)?;
            (search, Exchange::at(address, capacity))
        };
        let mut state = State::new();
        exchange.read_state(&mut state);
        let fluents = search.game.query(|machine| Ok(machine.fluents(&state)))?;
        Ok(search.core().set_root_fluents(&fluents, depth as u32)?)
    })
}

/// `Search.report`: whether the value is proved, the value, the numbers of nodes and playouts; and the
/// moves, best first: their number, and of each the move, its visits, value and standard error.
#[unsafe(no_mangle)]
extern "system" fn Java_io_github_propjit_Search_report<'local>(
    env: EnvUnowned<'local>,
    _this: JObject<'local>,
    pointer: jlong,
    role: jint,
    address: jlong,
    capacity: jint,
) -> jint {
    call(env, |_| {
        // SAFETY: the object has the pointer of its search and lives as long as this call; the
        // buffer is this thread's.
        let (search, mut exchange) = unsafe {
            let search = Handle::<Search>::keep(pointer)?;
            (search, Exchange::at(address, capacity))
        };
        let role = search.game.role(role)?;
        let mut core = search.core();
        let known = core.report(role);
        exchange.write(known.solved.into());
        exchange.write_float(known.value.unwrap_or(f64::NAN));
        exchange.write(known.nodes as i64);
        exchange.write(known.playouts as i64);
        exchange.write(known.moves.len() as i64);
        for report in &known.moves {
            // The moves of a search are identified by their text.
            let text = core.move_text(role, report.played);
            let played = search
                .game
                .query(|machine| machine.parse_move(role, &text))?;
            exchange.write(played.0.into());
            exchange.write(report.visits as i64);
            exchange.write_float(report.value.unwrap_or(f64::NAN));
            exchange.write_float(report.error.unwrap_or(f64::NAN));
        }
        exchange.written()
    })
}

/// `Search.close`: a run that is under way ends, and those that wait for it do not begin.
#[unsafe(no_mangle)]
extern "system" fn Java_io_github_propjit_Search_close<'local>(
    env: EnvUnowned<'local>,
    _this: JObject<'local>,
    pointer: jlong,
) {
    call(env, |_| {
        // SAFETY: the object has the pointer of its search and lives as long as this call.
        if let Some(search) = unsafe { Handle::<Search>::close(pointer) }
            && let Some(stop) = search.run().take()
        {
            stop.set();
        }
        Ok(())
    })
}

/// `Search.free`
#[unsafe(no_mangle)]
extern "system" fn Java_io_github_propjit_Search_free<'local>(
    env: EnvUnowned<'local>,
    _class: JObject<'local>,
    pointer: jlong,
) {
    call(env, |_| {
        // SAFETY: this is called once, when the object that had the pointer is gone.
        unsafe { Handle::<Search>::free(pointer) };
        Ok(())
    })
}
