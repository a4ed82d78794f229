//! Engines specialised for the rest of a match, made whenever the root advances.
//!
//! When a search has a new root, a [`Darkening`] finds the parts that are
//! [dark](crate::game::circuits::darkening) from there on, and compiles the circuit that is left, if a
//! [`CostModel`] predicts that it pays off. That happens in a separate thread, while searches continue with
//! the existing engines; they switch to the new engine with their next call. No thread waits, and old code
//! is freed when its last user has switched.
//!
//! - A [`PlayoutForm`] is what playouts use otherwise.
//! - A [`Darkened`] engine evaluates the circuit that is left, in that form.
//! - A [`Darkening`] makes them, one after the other, if a [`CostModel`] says that they pay off in the time that is left
//!   (`horizon`), and uses those that are not slower in a `trial`.

mod cost_model;
mod darkened;
mod form;
mod horizon;
mod trial;

use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::thread;
use std::time::{Duration, Instant};

use arc_swap::ArcSwapOption;
use parking_lot::{Condvar, Mutex, MutexGuard};
use propjit_jit::code::CompileError;
use propjit_jit::lanes::Width;

use super::decisive::DecisiveEngine;
use super::engines::Engines;
use super::valid_engine::PlayoutPolicy;
use crate::game::circuits::darkening::ternary::{Fixpoint, TernaryCircuit};
use crate::game::circuits::darkening::{Specialisation, whole_work};
use crate::game::vocabulary::state::State;

pub use cost_model::{CostModel, SpecialisationCosts, Verdict};
pub use darkened::Darkened;
pub use form::PlayoutForm;
use horizon::Horizon;

/// The remaining time is divided by this for the time that passes may take.
const PASSES: u32 = 20;

/// The minimum and the maximum time that passes may take.
const MIN_PASSES: Duration = Duration::from_millis(5);
const MAX_PASSES: Duration = Duration::from_secs(1);

/// The engines for the rest of one match at a time: that of a search with an advancing root.
pub struct Darkening {
    shared: Arc<Shared>,
}

struct Shared {
    /// The engines for the whole circuit, which come first.
    engines: Arc<Engines>,
    /// The one for playouts with decisive moves, if requested.
    decisive: Option<DecisiveEngine>,
    /// Whether playouts do without decisive moves, though there is an engine for them.
    declined: AtomicBool,
    /// The bounds of the circuit that the engines evaluate.
    ternary: OnceLock<TernaryCircuit>,
    /// Those of the circuit before any pass.
    first_ternary: OnceLock<TernaryCircuit>,
    /// The newest engine, if there is one for the present root.
    newest: ArcSwapOption<Darkened>,
    /// The newest engine's number, or 0 if there is none for the present root; odd numbers are those of engines with decisive
    /// moves.
    number: AtomicU64,
    work: Mutex<Work>,
    idle: Condvar,
    /// Whether no engines are needed any more.
    abandoned: AtomicBool,
}

#[derive(Default)]
struct Work {
    /// The root that came last.
    root: Option<State>,
    /// The next request.
    request: Option<Request>,
    /// Whether a thread is serving requests.
    running: bool,
    /// The number of engines that were made and published.
    made: u64,
    cost_model: CostModel,
    horizon: Horizon,
}

struct Request {
    root: State,
    until: Option<Instant>,
}

impl Request {
    /// Returns how much time is left for the root.
    fn limit(&self) -> Option<Duration> {
        Some(self.until?.saturating_duration_since(Instant::now()))
    }
}

/// The fixpoints of a thread, each made when it is first needed.
#[derive(Default)]
struct Fixpoints {
    /// With the circuit that the engines evaluate.
    last: Option<Fixpoint>,
    /// With the circuit before any pass.
    first: Option<Fixpoint>,
}

impl Darkening {
    /// Creates it without an engine, since there is no root yet.
    pub(super) fn new(engines: Arc<Engines>, decisive: Option<DecisiveEngine>) -> Darkening {
        Darkening {
            shared: Arc::new(Shared {
                engines,
                decisive,
                declined: AtomicBool::new(false),
                ternary: OnceLock::new(),
                first_ternary: OnceLock::new(),
                newest: ArcSwapOption::empty(),
                number: AtomicU64::new(0),
                work: Mutex::default(),
                idle: Condvar::new(),
                abandoned: AtomicBool::new(false),
            }),
        }
    }

    /// Announces that states that follow from this root are evaluated from now on, until the given
    /// time or without limit. Returns at once. If it pays off, a better engine follows.
    pub fn advance(&self, root: &State, until: Option<Instant>) {
        let mut work = self.admit(root);
        work.request = Some(Request {
            root: root.clone(),
            until,
        });
        if std::mem::replace(&mut work.running, true) {
            return;
        }
        drop(work);
        let shared = self.shared.clone();
        let thread = thread::Builder::new().name("darkening".to_string());
        if let Err(error) = thread.spawn(move || shared.run()) {
            tracing::warn!(%error, "no darkening: its thread cannot be started");
            let mut work = self.shared.work.lock();
            (work.request, work.running) = (None, false);
        }
    }

    /// Announces that states that follow from this root may be evaluated from now on: when this
    /// returns, an engine that is not valid for the root, as when a new match begins, is no longer
    /// the newest.
    pub fn enter(&self, root: &State) {
        drop(self.admit(root));
    }

    fn admit(&self, root: &State) -> MutexGuard<'_, Work> {
        let mut work = self.shared.work.lock();
        if work.root.as_ref() != Some(root) {
            work.horizon.advance();
        }
        work.root = Some(root.clone());
        work.request = None;
        let newest = self.newest();
        if newest.is_some_and(|newest| !newest.engine.validity().contains(root)) {
            self.shared.publish(&mut work, None);
        }
        work
    }

    /// Returns the newest engine that was made, if it is valid for the present root.
    pub fn newest(&self) -> Option<Arc<Darkened>> {
        self.shared.newest.load_full()
    }

    /// Returns the number of the [newest](Darkening::newest) engine, or 0 without one. Engines have different numbers;
    /// those with decisive moves have odd ones.
    pub(super) fn number(&self) -> u64 {
        self.shared.number.load(Ordering::Acquire)
    }

    /// Notes for how long playouts ran since the root was announced.
    pub(super) fn note_playouts(&self, time: Duration) {
        self.shared.work.lock().horizon.note(time);
    }

    /// Announces that playouts do without decisive moves from now on.
    pub(super) fn decline_decisive(&self) {
        self.shared.declined.store(true, Ordering::Relaxed);
    }

    /// Waits for the form that playouts have, and returns it.
    pub fn form(&self) -> PlayoutForm {
        self.shared.form()
    }

    /// Waits until all requests are done.
    pub fn wait(&self) {
        let mut work = self.shared.work.lock();
        while work.running {
            self.shared.idle.wait(&mut work);
        }
    }
}

impl fmt::Debug for Darkening {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let number = self.number();
        f.debug_struct("Darkening")
            .field("number", &number)
            .finish_non_exhaustive()
    }
}

impl Drop for Darkening {
    fn drop(&mut self) {
        self.shared.abandoned.store(true, Ordering::Relaxed);
    }
}

impl Shared {
    /// Changes the newest engine.
    fn publish(&self, work: &mut Work, newest: Option<Darkened>) {
        work.made += u64::from(newest.is_some());
        let number = newest.as_ref().map_or(0, |newest| {
            let is_decisive = newest.engine.policy() == PlayoutPolicy::Decisive;
            2 * work.made + u64::from(is_decisive)
        });
        let newest = newest.map(Arc::new);
        self.newest.store(newest);
        self.number.store(number, Ordering::Release);
    }

    /// Waits for the form that playouts have, and returns it.
    fn form(&self) -> PlayoutForm {
        let decisive = self.decisive.as_ref();
        let decisive = decisive.filter(|_| !self.declined.load(Ordering::Relaxed));
        PlayoutForm::in_use(&self.engines, decisive)
    }

    /// Serves requests until none is left.
    fn run(&self) {
        let _done = Done(self);
        // The best engine comes first.
        self.engines.tiers().wait();
        let mut fixpoints = Fixpoints::default();
        loop {
            let request = {
                let mut work = self.work.lock();
                let request = work.request.take();
                let wanted = request.filter(|_| !self.abandoned.load(Ordering::Relaxed));
                let Some(request) = wanted else {
                    work.running = false;
                    return;
                };
                request
            };
            self.serve(&request, &mut fixpoints);
        }
    }

    /// Returns for how long an engine for a root is of use.
    fn left(&self, request: &Request) -> Duration {
        self.work.lock().horizon.left(request.limit())
    }

    /// Decides whether to make the circuits that the engines evaluate, of which there may only be code, by what is dark in the
    /// circuit before any pass.
    fn may_prepare(&self, request: &Request, fixpoint: &mut Option<Fixpoint>) -> bool {
        let game = self.engines.game();
        let circuit = game.lowered();
        let fixpoint = fixpoint.get_or_insert_with(|| {
            let ternary = || TernaryCircuit::new(game, circuit);
            let ternary = self.first_ternary.get_or_init(ternary);
            Fixpoint::new(game.clone(), ternary, Width::X64)
        });
        let specialisation = Specialisation::new(circuit, fixpoint, &request.root);
        let costs = SpecialisationCosts {
            before: whole_work(game, circuit),
            after: specialisation.work(game),
            gates: specialisation.gates(),
            preparation: CostModel::preparation(circuit.gates()),
            left: self.left(request),
        };
        let cost_model = &mut self.work.lock().cost_model;
        cost_model.learn_analysis(specialisation.time());
        cost_model.decide(&costs).pays
    }

    /// Makes an engine for a root, if that pays off.
    fn serve(&self, request: &Request, fixpoints: &mut Fixpoints) {
        let game = self.engines.game();
        let may_analyse = {
            let work = &mut *self.work.lock();
            let of_root = work.horizon.of_root(request.limit());
            work.cost_model.may_analyse(of_root)
        };
        if !may_analyse {
            return;
        }
        if self.ternary.get().is_none() && !self.may_prepare(request, &mut fixpoints.first) {
            return;
        }
        let fixpoint = fixpoints.last.get_or_insert_with(|| {
            let ternary = || TernaryCircuit::new(game, &game.min_gates().circuit);
            let ternary = self.ternary.get_or_init(ternary);
            Fixpoint::new(game.clone(), ternary, Width::X64)
        });
        let form = self.form();
        let circuit = form.circuit();
        let specialisation = Specialisation::new(circuit, fixpoint, &request.root);
        let left = self.left(request);
        let newest = self.newest.load_full();
        let newest = newest.filter(|newest| newest.engine.policy() == form.policy());
        let costs = SpecialisationCosts {
            before: (newest.as_ref())
                .map_or_else(|| whole_work(game, circuit), |newest| newest.work),
            after: specialisation.work(game),
            gates: specialisation.gates(),
            preparation: Duration::ZERO,
            left,
        };
        let verdict = {
            let cost_model = &mut self.work.lock().cost_model;
            cost_model.learn_analysis(specialisation.time());
            cost_model.decide(&costs)
        };
        tracing::debug!(
            dark_bases = specialisation.dark_bases(game),
            bases = game.layout().bases.len(),
            dark_moves = specialisation.dark_moves(game),
            gates = specialisation.gates(),
            of = circuit.gates(),
            analysis = ?specialisation.time(),
            ?left,
            speedup = verdict.speedup,
            cost = ?verdict.cost,
            compile = verdict.pays,
            "darkening"
        );
        if !verdict.pays {
            return;
        }
        let passes = (left / PASSES).clamp(MIN_PASSES, MAX_PASSES);
        match Darkened::compile(&specialisation, &form, passes) {
            Ok(darkened) => {
                let before = newest
                    .as_ref()
                    .map_or(form.engine(), |newest| &newest.engine);
                let speedup = trial::speedup(game, [before, &darkened.engine]);
                tracing::debug!(gates = darkened.gates, time = ?darkened.making, speedup, "darkened");
                let mut work = self.work.lock();
                work.cost_model.learn(costs.gates, darkened.making);
                work.cost_model.learn_speedup(&costs, speedup);
                let contains = |root: &State| darkened.engine.validity().contains(root);
                if speedup > trial::SLOWER && work.root.as_ref().is_some_and(contains) {
                    self.publish(&mut work, Some(darkened));
                }
            }
            // This is how a match ends.
            Err(CompileError::Stopped) => {}
            Err(error) => tracing::warn!(%error, "no darkened code"),
        }
    }
}

/// Notifies waiting threads that the thread has ended, even if it panics.
struct Done<'a>(&'a Shared);

impl Drop for Done<'_> {
    fn drop(&mut self) {
        // Otherwise another thread may be running by now.
        if thread::panicking() {
            self.0.work.lock().running = false;
        }
        self.0.idle.notify_all();
    }
}
