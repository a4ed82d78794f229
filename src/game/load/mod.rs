//! Loading of games: from the rulesheet's text to machines and engines that play it.

mod setup;
mod shared;

use std::fmt;
use std::path::Path;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use propjit_gdl::diagnostic::Diagnostics;
use propjit_gdl::ground::{GroundError, ground};
use propjit_gdl::prover::ProverLimits;
use propjit_gdl::rules::Rules;
use propjit_gdl::{Parsed, ReadError};
use propjit_jit::code::{CodeConfig, CompileError};
use propjit_stop::Stop;

use crate::game::engine::{DecisiveEngine, Engines, Programs};
use crate::game::facts::{AnalysisConfig, GoalBoundsTask};
use crate::game::ground::{GroundGame, Optimised};
use crate::game::machine::compiled::CompiledMachine;
use crate::game::machine::lanes::LanesMachine;
use crate::game::machine::pool::MachinePool;
use crate::game::machine::prover::ProverMachine;
use crate::game::machine::scalar::ScalarMachine;
use crate::game::machine::{Backend, MachineError, RANDOM_ROLE, RoleId, StateMachine};
use crate::game::position::Position;
use crate::support::fnv::Fnv64;

pub use setup::{LoadError, Setup, SetupStage};
pub use shared::{QuestionError, SharedGame};

/// A loaded game. Threads share it and make their own [machines](Game::machine). Clones share all that was made for it.
#[derive(Clone)]
pub struct Game {
    parsed: Arc<Parsed>,
    /// The engines of the ground game, and the ground game itself.
    engines: Option<Arc<Engines>>,
    /// Why there is no ground game, if one was requested.
    grounding_error: Option<GroundError>,
    prover_limits: ProverLimits,
    stages: Vec<SetupStage>,
    goal_bounds: OnceLock<GoalBoundsTask>,
    machines: OnceLock<Arc<MachinePool>>,
    /// Whether roles count as knowing all, whatever they perceive.
    is_open: bool,
    stop: Stop,
}

impl Game {
    /// Loads the rulesheet in a file.
    ///
    /// # Errors
    /// When it cannot be read or is wrong, when the set-up requires something that the game does
    /// not have, or when it was stopped.
    pub fn load(path: &Path, setup: &Setup) -> Result<Game, LoadError> {
        let start = Instant::now();
        let parsed = Rules::read_with(path, &setup.reading)?;
        Game::new(Arc::new(parsed), start, setup)
    }

    /// Loads a rulesheet; `name` is for messages.
    ///
    /// ```
    /// use propjit::game::load::{Game, Setup};
    /// let game = Game::from_text("coin.kif", "
    ///     (role player) (init (coin up))
    ///     (<= (legal player flip) (true (coin up)))
    ///     (<= (next (coin down)) (does player flip))
    ///     (<= terminal (true (coin down)))
    ///     (<= (goal player 100) terminal)
    /// ", &Setup::default())?;
    /// let mut machine = game.machine(game.backend())?;
    /// let start = machine.initial_state()?;
    /// let flip = machine.parse_move(propjit::game::machine::RoleId(0), "flip")?;
    /// let end = machine.next_state(&start, &[flip])?;
    /// assert_eq!(machine.fluents(&end), ["(coin down)"]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As for [`Game::load`].
    pub fn from_text(name: &str, text: &str, setup: &Setup) -> Result<Game, LoadError> {
        let start = Instant::now();
        let parsed = Rules::parse_with(name, text, &setup.reading).map_err(ReadError::Invalid)?;
        Game::new(Arc::new(parsed), start, setup)
    }

    /// Makes a game from rules that were already parsed.
    ///
    /// # Errors
    /// When the set-up requires something that the game does not have, or when it was stopped.
    pub fn from_rules(parsed: Arc<Parsed>, setup: &Setup) -> Result<Game, LoadError> {
        Game::new(parsed, Instant::now(), setup)
    }

    fn new(parsed: Arc<Parsed>, start: Instant, setup: &Setup) -> Result<Game, LoadError> {
        let mut game = Game {
            parsed,
            engines: None,
            grounding_error: None,
            prover_limits: setup.prover_limits(),
            stages: Vec::new(),
            goal_bounds: OnceLock::new(),
            machines: OnceLock::new(),
            is_open: false,
            stop: setup.stop.clone(),
        };
        game.stage("parse", start.elapsed());
        if setup.backend != Some(Backend::Prover) {
            game.ground(setup)?;
        }
        Ok(game)
    }

    fn stage(&mut self, name: &'static str, time: Duration) {
        tracing::debug!(name, ?time, "set-up stage");
        self.stages.push(SetupStage { name, time });
    }

    fn ground(&mut self, setup: &Setup) -> Result<(), LoadError> {
        let start = Instant::now();
        let limits = setup.ground.clone().with_stop(setup.stop.clone());
        match (ground(self.rules(), &limits), setup.backend) {
            (Err(GroundError::Stopped), _) => Err(LoadError::Stopped),
            (Ok((propnet, statistics)), _) => {
                self.stage("ground", statistics.instantiation);
                self.stage("propnet", statistics.construction);
                let start = Instant::now();
                let mut code = setup.code.clone();
                code.config.stop = setup.stop.clone();
                let ground = GroundGame::new(propnet, setup.stop.clone());
                let ground = Arc::new(ground.ok_or(LoadError::Stopped)?);
                self.engines = Some(Arc::new(Engines::new(ground, code)));
                self.stage("circuit", start.elapsed());
                Ok(())
            }
            (Err(error), None) => {
                self.stage("ground", start.elapsed());
                self.grounding_error = Some(error);
                Ok(())
            }
            (Err(source), Some(backend)) => {
                let source = Box::new(source);
                Err(LoadError::Ground { backend, source })
            }
        }
    }

    /// Prepares the data that the machines of a backend share, which the first of them would do
    /// otherwise, and counts the time as a stage of loading.
    ///
    /// # Errors
    /// As for [`Game::machine`].
    pub fn prepare(&mut self, backend: Backend) -> Result<(), MachineError> {
        let start = Instant::now();
        // With code from the cache, the circuit is not optimised.
        let circuit = match backend {
            Backend::Scalar | Backend::Lanes => self.circuit(backend),
            Backend::Prover | Backend::Compiled => None,
        };
        let passes = circuit.map(|circuit| circuit.time);
        self.machine(backend)?;
        if let Some(passes) = passes {
            self.stage("passes", passes);
        }
        self.stage(
            "program",
            start.elapsed().saturating_sub(passes.unwrap_or_default()),
        );
        Ok(())
    }

    /// Does the same as [`prepare`](Game::prepare), but if there is no machine code, because it would be too long or
    /// take too long to make, it falls back to the interpreter in lanes, and [`not_compiled`](Game::not_compiled)
    /// returns the reason. Returns the backend that is ready.
    ///
    /// # Errors
    /// As for [`Game::machine`], and when compiling was stopped.
    pub fn prepare_or_interpret(&mut self, backend: Backend) -> Result<Backend, MachineError> {
        match self.prepare(backend) {
            Err(MachineError::Compile(error)) if !matches!(*error, CompileError::Stopped) => {
                self.prepare(Backend::Lanes)?;
                Ok(Backend::Lanes)
            }
            prepared => prepared.map(|()| backend),
        }
    }

    /// Prepares the data that random matches with a backend share, as [`prepare`](Game::prepare)
    /// does for machines. It does not wait for machine code: until that is ready, matches are
    /// interpreted.
    ///
    /// # Errors
    /// As for [`Game::machine`].
    pub fn prepare_playouts(&mut self, backend: Backend) -> Result<(), MachineError> {
        self.start_engines(backend, |engines| engines.for_playouts())?;
        if let (Some(engines), Backend::Compiled) = (&self.engines, backend) {
            engines.for_playouts().steps();
        }
        Ok(())
    }

    /// Does the same for a search, which plays and expands.
    ///
    /// # Errors
    /// As for [`Game::machine`].
    pub fn prepare_search(&mut self, backend: Backend) -> Result<(), MachineError> {
        self.start_engines(backend, |engines| engines)
    }

    fn start_engines(
        &mut self,
        backend: Backend,
        which: impl FnOnce(&Arc<Engines>) -> &Arc<Engines>,
    ) -> Result<(), MachineError> {
        let (Some(engines), Backend::Compiled) = (&self.engines, backend) else {
            return self.prepare(backend);
        };
        let start = Instant::now();
        which(engines).start();
        self.stage("program", start.elapsed());
        Ok(())
    }

    /// Waits until random matches or a search go at full speed, if
    /// [`prepare_playouts`](Game::prepare_playouts) or [`prepare_search`](Game::prepare_search)
    /// has started to make machine code, and counts the time as a stage of loading.
    pub fn wait_for_code(&mut self) {
        let Some(engines) = &self.engines else {
            return;
        };
        let both = [engines, engines.for_playouts()];
        let start = Instant::now();
        let mut started = both
            .into_iter()
            .filter(|engines| engines.is_started())
            .peekable();
        if started.peek().is_some() {
            started.for_each(|engines| engines.wait());
            self.stage("code", start.elapsed());
        }
    }

    /// Returns the rules.
    pub fn rules(&self) -> &Rules {
        &self.parsed.rules
    }

    /// Returns warnings about the rules, which can be played nevertheless.
    pub fn warnings(&self) -> &Diagnostics {
        &self.parsed.warnings
    }

    /// Returns the role that plays at random, if the game has one.
    pub fn random_role(&self) -> Option<RoleId> {
        let mut roles = self.rules().roles.iter();
        let at = roles.position(|&role| self.rules().terms.text(role) == RANDOM_ROLE)?;
        Some(RoleId(at as u32))
    }

    /// Returns the roles that do not play at random.
    pub fn players(&self) -> impl Iterator<Item = RoleId> + use<> {
        let random = self.random_role();
        RoleId::first(self.rules().roles.len()).filter(move |&role| Some(role) != random)
    }

    /// Returns whether roles may not know the whole state: there are `sees` rules, and it is not proved that what roles
    /// perceive tells them all. The first call may take some seconds.
    pub fn hides_information(&self) -> bool {
        let is_observable = |ground: &Arc<GroundGame>| ground.is_observable();
        !self.is_open
            && self.rules().has_percepts()
            && !self.ground_game().is_some_and(is_observable)
    }

    /// Returns the game as if all roles knew the state: for searches of states that are taken for known.
    pub fn in_the_open(&self) -> Game {
        Game {
            is_open: true,
            ..self.clone()
        }
    }

    /// Returns the hash of the rulesheet's text.
    pub fn fingerprint(&self) -> Fnv64 {
        Fnv64::of(self.rules().source.text().as_bytes())
    }

    /// Returns the game as network and circuit, unless only the prover can play it.
    pub fn ground_game(&self) -> Option<&Arc<GroundGame>> {
        self.engines.as_ref().map(|engines| engines.game())
    }

    /// Returns the engines of the ground game, unless only the prover can play it.
    pub fn engines(&self) -> Option<&Arc<Engines>> {
        self.engines.as_ref()
    }

    /// Returns why there is no machine code, if it was requested and could not be made: the game is then
    /// interpreted.
    pub fn not_compiled(&self) -> Option<&CompileError> {
        let engines = self.engines.as_ref()?;
        let mut both = [engines, engines.for_playouts()].into_iter();
        both.find_map(|engines| engines.programs().not_compiled())
    }

    /// Returns the circuit that a backend evaluates, if it evaluates one.
    pub fn circuit(&self, backend: Backend) -> Option<&Optimised> {
        let ground = self.ground_game()?;
        match backend {
            Backend::Prover => None,
            Backend::Scalar => Some(ground.low_activity()),
            Backend::Lanes | Backend::Compiled => Some(ground.min_gates()),
        }
    }

    /// Returns why the game could not be grounded, if that was tried.
    pub fn grounding_error(&self) -> Option<&GroundError> {
        self.grounding_error.as_ref()
    }

    /// Returns the search for the goal latches of the ground game, if there is one: it begins with
    /// the first call, and takes some seconds at most.
    pub fn goal_bounds(&self) -> Option<&GoalBoundsTask> {
        let engines = self.engines.as_ref()?;
        let start = || GoalBoundsTask::start(engines, AnalysisConfig::default(), &self.stop);
        Some(self.goal_bounds.get_or_init(start))
    }

    /// Returns the engine for playouts with [decisive moves](crate::game::circuits::decisive) of the ground
    /// game, if there is one. It is made in the background from the first call on, after the search for goal
    /// latches.
    pub fn decisive(&self) -> Option<&DecisiveEngine> {
        let (engines, latches) = (self.engines.as_ref()?, self.goal_bounds()?);
        Some(engines.decisive(latches.promised()))
    }

    /// Returns the steps of loading, in order.
    pub fn stages(&self) -> &[SetupStage] {
        &self.stages
    }

    /// Returns how long loading took.
    pub fn setup_time(&self) -> Duration {
        self.stages.iter().map(|stage| stage.time).sum()
    }

    /// Returns the fastest backend for one state at a time.
    pub fn backend(&self) -> Backend {
        match self.engines {
            Some(_) => Backend::Scalar,
            None => Backend::Prover,
        }
    }

    /// Returns the fastest backend for many states at a time.
    pub fn bulk_backend(&self) -> Backend {
        match self.engines {
            Some(_) if CodeConfig::best().is_supported() => Backend::Compiled,
            Some(_) => Backend::Lanes,
            None => Backend::Prover,
        }
    }

    /// Returns the machines that answer queries about single states by all threads: those of the
    /// [fastest backend](Game::backend) for that.
    ///
    /// # Errors
    /// If the rules cannot be evaluated.
    pub fn machines(&self) -> Result<&Arc<MachinePool>, MachineError> {
        if let Some(machines) = self.machines.get() {
            return Ok(machines);
        }
        let made = self.pool(ScalarMachine::optimised)?;
        Ok(self.machines.get_or_init(|| Arc::new(made)))
    }

    /// Returns the position in which every match starts.
    ///
    /// # Errors
    /// If the rules cannot be evaluated.
    pub fn start(&self) -> Result<Position, MachineError> {
        Position::start(self.machines()?)
    }

    /// Returns the same for callers that follow one match: it is available as soon as the game is loaded,
    /// since the circuit is not optimised for it, and no other position waits for its queries.
    ///
    /// # Errors
    /// If the rules cannot be evaluated.
    pub fn follow(&self) -> Result<Position, MachineError> {
        Position::start(&Arc::new(self.pool(ScalarMachine::unoptimised)?))
    }

    /// Creates a pool of such machines of the ground game, or else of a prover.
    fn pool(&self, make: fn(&Programs) -> ScalarMachine) -> Result<MachinePool, MachineError> {
        let Some(engines) = &self.engines else {
            let prover = self.machine(Backend::Prover)?;
            return Ok(MachinePool::of_one(prover, &self.stop));
        };
        let programs = engines.programs().clone();
        let make = move || Box::new(make(&programs)) as Box<dyn StateMachine>;
        Ok(MachinePool::of_many(&self.stop, make))
    }

    /// Returns a machine that is available as soon as the game is loaded, since the circuit is not
    /// optimised for it.
    ///
    /// # Errors
    /// If the rules cannot be evaluated.
    pub fn follower(&self) -> Result<Box<dyn StateMachine>, MachineError> {
        match &self.engines {
            None => self.machine(Backend::Prover),
            Some(engines) => Ok(Box::new(ScalarMachine::unoptimised(engines.programs()))),
        }
    }

    /// Creates a machine that plays the game.
    ///
    /// # Errors
    /// [`MachineError::NotGround`] if the backend needs a ground game and there is none.
    pub fn machine(&self, backend: Backend) -> Result<Box<dyn StateMachine>, MachineError> {
        let programs = || match &self.engines {
            Some(engines) => Ok(engines.programs()),
            None => Err(MachineError::NotGround { backend }),
        };
        Ok(match backend {
            Backend::Prover => {
                let limits = self.prover_limits.clone();
                Box::new(ProverMachine::new(self.rules(), limits)?)
            }
            Backend::Scalar => Box::new(ScalarMachine::new(programs()?)?),
            Backend::Lanes => Box::new(LanesMachine::new(programs()?)?),
            Backend::Compiled => Box::new(CompiledMachine::new(programs()?)?),
        })
    }
}

impl fmt::Debug for Game {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Game")
            .field("name", &self.rules().source.name())
            .field("stages", &self.stages)
            .finish_non_exhaustive()
    }
}
