//! Engines for the rest of a match, made as its roots come.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::thread;
use std::time::{Duration, Instant};

use arc_swap::ArcSwapOption;
use parking_lot::{Condvar, Mutex, MutexGuard};
use propjit_jit::code::CompileError;
use propjit_jit::lanes::Width;

use super::cost_model::{CostModel, SpecialisationCosts};
use super::specialisation::whole_work;
use super::{EngineSubscription, Specialisation};
use crate::analysis::ternary::{Fixpoint, TernaryCircuit};
use crate::machine::{GroundGame, State, ValidEngine};

/// The part of the time left that passes may take.
const PASSES: u32 = 20;

/// What passes may take at least and at most.
const LEAST_PASSES: Duration = Duration::from_millis(5);
const MOST_PASSES: Duration = Duration::from_secs(1);

/// An engine for all states that follow from a root.
#[derive(Clone, Debug)]
pub struct Darkened {
    /// The root.
    pub root: State,
    /// The engine. Its validity is all states that agree with the root in what is dark.
    pub engine: ValidEngine,
    /// How many gates it has.
    pub gates: usize,
    /// How long it took to find out what is dark.
    pub analysis: Duration,
    /// How long passes and code took together.
    pub making: Duration,
    /// About what a step of a playout costs, in gates.
    pub(super) work: f64,
}

/// The engines for one match at a time: those of a search whose root advances.
///
/// Threads that use them have a [`EngineSubscription`] each.
pub struct Darkening {
    shared: Arc<Shared>,
}

struct Shared {
    game: Arc<GroundGame>,
    bounds: OnceLock<TernaryCircuit>,
    /// The newest engine, if there is one for the present root.
    newest: ArcSwapOption<Darkened>,
    /// How often the newest engine has changed.
    number: AtomicU64,
    work: Mutex<Work>,
    idle: Condvar,
    /// Nobody wants engines any more.
    abandoned: AtomicBool,
}

#[derive(Default)]
struct Work {
    /// The root that came last.
    root: Option<State>,
    /// What is to be done next.
    request: Option<Request>,
    /// Whether a thread does what is requested.
    running: bool,
    cost_model: CostModel,
}

struct Request {
    root: State,
    until: Option<Instant>,
}

impl Darkening {
    /// Without a root yet: the engine is the game's own.
    pub fn new(game: Arc<GroundGame>) -> Arc<Darkening> {
        Arc::new(Darkening {
            shared: Arc::new(Shared {
                game,
                bounds: OnceLock::new(),
                newest: ArcSwapOption::empty(),
                number: AtomicU64::new(0),
                work: Mutex::default(),
                idle: Condvar::new(),
                abandoned: AtomicBool::new(false),
            }),
        })
    }

    /// From now on, states that follow from this root are evaluated, until that time or
    /// without limit. Returns at once. If it pays, a better engine follows.
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
            tracing::warn!(%error, "no darkening: there is no thread for it");
            let mut work = self.shared.work.lock();
            (work.request, work.running) = (None, false);
        }
    }

    /// From now on, states that follow from this root may be evaluated: an engine that was
    /// not made for the root, as when a match begins anew, is the newest no more when
    /// this returns.
    pub fn enter(&self, root: &State) {
        drop(self.admit(root));
    }

    fn admit(&self, root: &State) -> MutexGuard<'_, Work> {
        let mut work = self.shared.work.lock();
        work.root = Some(root.clone());
        work.request = None;
        let newest = self.shared.newest.load();
        if newest
            .as_ref()
            .is_some_and(|newest| !newest.engine.validity().contains(root))
        {
            self.shared.publish(None);
        }
        work
    }

    /// The engine to use now: the newest one, or the game's own.
    pub fn engine(&self) -> ValidEngine {
        match &*self.shared.newest.load() {
            Some(newest) => newest.engine.clone(),
            None => self.shared.game.tiers().engine().clone().into(),
        }
    }

    /// The newest engine that was made, if the present root is in its validity.
    pub fn newest(&self) -> Option<Arc<Darkened>> {
        self.shared.newest.load_full()
    }

    /// What tells a thread when the engine has changed.
    pub fn follow(self: &Arc<Darkening>) -> EngineSubscription {
        EngineSubscription::new(self.clone())
    }

    /// How often the engine has changed.
    pub(super) fn number(&self) -> u64 {
        self.shared.number.load(Ordering::Acquire)
    }

    /// Waits until everything is done that was asked for.
    pub fn wait(&self) {
        let mut work = self.shared.work.lock();
        while work.running {
            self.shared.idle.wait(&mut work);
        }
    }
}

impl Drop for Darkening {
    fn drop(&mut self) {
        self.shared.abandoned.store(true, Ordering::Relaxed);
    }
}

impl Shared {
    /// Changes the newest engine; for those who hold the lock on the work.
    fn publish(&self, newest: Option<Arc<Darkened>>) {
        self.newest.store(newest);
        self.number.fetch_add(1, Ordering::Release);
    }

    /// Does what is requested until there is nothing left to do.
    fn run(&self) {
        let _done = Done(self);
        // The best engine comes first, and with it the circuit.
        self.game.tiers().wait();
        let circuit = &self.game.min_gates().circuit;
        let bounds = self
            .bounds
            .get_or_init(|| TernaryCircuit::new(&self.game, circuit));
        let mut fixpoint = Fixpoint::new(self.game.clone(), bounds, Width::X64);
        loop {
            let (request, cost_model) = {
                let mut work = self.work.lock();
                let request = work.request.take();
                let wanted = request.filter(|_| !self.abandoned.load(Ordering::Relaxed));
                let Some(request) = wanted else {
                    work.running = false;
                    return;
                };
                (request, work.cost_model)
            };
            self.serve(&request, &cost_model, &mut fixpoint);
        }
    }

    /// Makes an engine for a root, if that pays.
    fn serve(&self, request: &Request, cost_model: &CostModel, fixpoint: &mut Fixpoint) {
        let game = &self.game;
        let specialisation = Specialisation::new(game, fixpoint, &request.root);
        let left = request
            .until
            .map(|until| until.saturating_duration_since(Instant::now()));
        let newest = self.newest.load_full();
        let costs = SpecialisationCosts {
            before: newest.map_or_else(|| whole_work(game), |newest| newest.work),
            after: specialisation.work(game),
            gates: specialisation.gates(),
            left,
        };
        let verdict = cost_model.decide(&costs);
        tracing::debug!(
            dark_bases = specialisation.dark_bases(game),
            bases = game.layout().bases.len(),
            dark_moves = specialisation.dark_moves(game),
            gates = specialisation.gates(),
            of = game.min_gates().circuit.gates(),
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
        let passes = left.map_or(MOST_PASSES, |left| left / PASSES);
        let passes = passes.clamp(LEAST_PASSES, MOST_PASSES);
        match specialisation.compile(game, passes) {
            Ok(darkened) => {
                tracing::debug!(gates = darkened.gates, time = ?darkened.making, "darkened");
                let mut work = self.work.lock();
                work.cost_model.learn(costs.gates, darkened.making);
                let contains = |root: &State| darkened.engine.validity().contains(root);
                if work.root.as_ref().is_some_and(contains) {
                    self.publish(Some(Arc::new(darkened)));
                }
            }
            // So ends a match.
            Err(CompileError::Stopped) => {}
            Err(error) => tracing::warn!(%error, "no darkened code"),
        }
    }
}

/// Tells those who wait that the thread has ended, however it does.
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
