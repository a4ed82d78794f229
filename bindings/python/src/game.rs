//! A loaded game.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::PathBuf;
use std::process;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use propjit::game::boards::Planes as CorePlanes;
use propjit::game::ground::GroundGame;
use propjit::game::position::Position;
use propjit::gdl::games;
use propjit::gdl::ground::GroundLimits;
use propjit::{Backend, LoadError, MachineError, PlayoutConfig, Setup, Stop};
use propjit::{Game as CoreGame, RoleId, State as CoreState};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyTuple, PyType};

use crate::errors::{
    UnknownNameError, check_threads, load_error, machine_error, not_ground, wrong_type,
};
use crate::facts;
use crate::interrupt::{interruptible, waiting};
use crate::numbers::Number;
use crate::planes::Planes;
use crate::playouts;
use crate::state::State;
use crate::symmetries;

/// A game: its rules, and the data made to play it. Threads share it.
///
/// >>> from propjit import Game
/// >>> game = Game.named("ticTacToe")
/// >>> game.roles
/// ('x', 'o')
/// >>> game.moves("x")[:2]
/// ('(mark 1 1)', '(mark 1 2)')
/// >>> game.initial.legal("x")[0]
/// '(mark 1 1)'
#[pyclass(frozen, module = "propjit")]
pub(crate) struct Game {
    /// The game as it was loaded, for work without threads: see [`here`](Game::here).
    pub(crate) core: Arc<CoreGame>,
    /// The position in which every match starts.
    start: Position,
    options: Options,
    /// Ends the background work.
    stop: Stop,
    /// The process in which it was loaded.
    process: u32,
    /// The game as it was loaded again in a forked process, which is this one.
    again: Mutex<Option<(u32, Arc<CoreGame>)>>,
}

/// A role, by name or by number.
pub(crate) enum RoleName {
    Number(Number),
    Name(String),
}

impl<'py> FromPyObject<'_, 'py> for RoleName {
    type Error = PyErr;

    fn extract(given: Borrowed<'_, 'py, PyAny>) -> PyResult<RoleName> {
        if let Ok(name) = given.extract() {
            return Ok(RoleName::Name(name));
        }
        match given.extract() {
            Ok(number) => Ok(RoleName::Number(number)),
            Err(_) => Err(wrong_type("a role, by name or by number,", given)),
        }
    }
}

/// The options with which a game is loaded.
#[derive(Clone, Default)]
struct Options {
    backend: Option<Backend>,
    ground_seconds: Option<f64>,
}

impl Options {
    fn new(backend: Option<&str>, ground_seconds: Option<f64>) -> PyResult<Options> {
        let backend = backend.map(str::parse::<Backend>).transpose();
        Ok(Options {
            backend: backend.map_err(|error| PyValueError::new_err(error.to_string()))?,
            ground_seconds,
        })
    }

    fn setup(&self) -> PyResult<Setup> {
        let mut ground = GroundLimits::default();
        if let Some(seconds) = self.ground_seconds {
            ground.time = Some(duration(seconds)?);
        }
        let setup = Setup::default().with_backend(self.backend);
        Ok(setup.with_ground(ground))
    }
}

impl Game {
    fn of(py: Python<'_>, source: Source, options: Options) -> PyResult<Game> {
        let stop = Stop::new();
        let setup = options.setup()?.with_stop(stop.clone());
        // Making a machine of a huge game takes time, too.
        let load = || {
            let core = source.load(&setup).map_err(load_error)?;
            let start = core.start().map_err(machine_error)?;
            Ok::<_, PyErr>((core, start))
        };
        let (core, start) = interruptible(py, &stop, load)??;
        Ok(Game {
            start,
            core: Arc::new(core),
            options,
            stop,
            process: process::id(),
            again: Mutex::new(None),
        })
    }

    /// Returns the game for work with threads of its own, such as those that make machine code. A
    /// forked process has none of the threads of its parent: there, the game is loaded once more.
    ///
    /// # Errors
    /// When it cannot be loaded, or a signal came.
    pub(crate) fn here(&self, py: Python<'_>) -> PyResult<Arc<CoreGame>> {
        let process = process::id();
        // Only the prover plays without threads.
        if process == self.process || self.core.engines().is_none() {
            return Ok(self.core.clone());
        }
        let again = || self.again.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((of, core)) = &*again()
            && *of == process
        {
            return Ok(core.clone());
        }
        let source = Source::Text {
            name: self.name().to_string(),
            text: self.text().to_string(),
        };
        let stop = self.stop();
        let setup = self.options.setup()?.with_stop(stop.clone());
        let core = interruptible(py, &stop, || source.load(&setup))?;
        let core = Arc::new(core.map_err(load_error)?);
        *again() = Some((process, core.clone()));
        Ok(core)
    }

    /// Queries a position while other Python threads run.
    ///
    /// # Errors
    /// When there is no answer, or a signal came.
    pub(crate) fn query<T: Send>(
        &self,
        py: Python<'_>,
        position: &Position,
        question: impl FnOnce(&Position) -> Result<T, MachineError> + Send,
    ) -> PyResult<T> {
        let answer = match self.core.backend() {
            Backend::Prover => {
                // Only the prover's answers can take long.
                let stop = self.stop();
                let mut position = position.clone();
                position.set_stop(&stop);
                interruptible(py, &stop, || question(&position))?
            }
            _ => py.detach(|| question(position)),
        };
        answer.map_err(machine_error)
    }

    /// The role of this name or number.
    ///
    /// # Errors
    /// If there is none.
    pub(crate) fn role(&self, role: &RoleName) -> PyResult<RoleId> {
        let names = self.role_names();
        let found = match role {
            RoleName::Number(number) => number.less_than(names.len()),
            RoleName::Name(name) => names.iter().position(|role| role == name),
        };
        found.map(|number| RoleId(number as u32)).ok_or_else(|| {
            let asked = match role {
                RoleName::Number(number @ Number(None)) => number.to_string(),
                RoleName::Number(number) => format!("number {number}"),
                RoleName::Name(name) => format!("`{name}`"),
            };
            let names = names.join(", ");
            UnknownNameError::new_err(format!("there is no role {asked}; there are {names}"))
        })
    }

    pub(crate) fn role_names(&self) -> Vec<String> {
        let rules = self.core.rules();
        let roles = rules.roles.iter();
        roles.map(|&role| rules.terms.text(role)).collect()
    }

    /// The names of some roles.
    pub(crate) fn names_of<'py>(
        &self,
        py: Python<'py>,
        roles: &[RoleId],
    ) -> PyResult<Bound<'py, PyTuple>> {
        let names = self.role_names();
        let names = roles.iter().map(|role| &names[role.index()]);
        PyTuple::new(py, names.collect::<Vec<_>>())
    }

    /// The ground game.
    ///
    /// # Errors
    /// If only the prover can play the game.
    pub(crate) fn ground(&self, what: &str) -> PyResult<&Arc<GroundGame>> {
        let ground = self.core.ground_game();
        ground.ok_or_else(|| not_ground(what))
    }

    /// The position with this state.
    pub(crate) fn position(&self, state: CoreState) -> Position {
        self.start.with_state(state)
    }

    /// Returns a token for a part of the work about this game.
    pub(crate) fn stop(&self) -> Stop {
        self.stop.by(None)
    }
}

impl Drop for Game {
    fn drop(&mut self) {
        self.stop.set();
    }
}

/// The source of the rules.
enum Source {
    Path(PathBuf),
    Text { name: String, text: String },
}

impl Source {
    fn load(&self, setup: &Setup) -> Result<CoreGame, LoadError> {
        match self {
            Source::Path(path) => CoreGame::load(path, setup),
            Source::Text { name, text } => CoreGame::from_text(name, text, setup),
        }
    }
}

#[pymethods]
impl Game {
    /// Loads the rulesheet in a file, or one that is given as text.
    ///
    /// The backend is `prover`, `scalar`, `lanes` or `compiled`; by default, games that cannot be
    /// grounded, in half a minute or in `ground_seconds`, are left to the prover.
    ///
    /// >>> from propjit import Game, LoadError
    /// >>> try:
    /// ...     Game.load(text="(role player) (init (step 0)) (legal player go", name="steps.kif")
    /// ... except LoadError as error:
    /// ...     print(str(error).splitlines()[0])
    /// error[unclosed-parenthesis]: this form lacks a `)`
    #[classmethod]
    #[pyo3(signature = (path=None, *, text=None, name="rules.kif", backend=None, ground_seconds=None))]
    fn load(
        cls: &Bound<'_, PyType>,
        path: Option<PathBuf>,
        text: Option<String>,
        name: &str,
        backend: Option<&str>,
        ground_seconds: Option<f64>,
    ) -> PyResult<Game> {
        let options = Options::new(backend, ground_seconds)?;
        let source = match (path, text) {
            (Some(path), None) => Source::Path(path),
            (None, Some(text)) => Source::Text {
                name: name.to_string(),
                text,
            },
            _ => {
                let message = "pass either a path or a text";
                return Err(PyTypeError::new_err(message));
            }
        };
        Game::of(cls.py(), source, options)
    }

    /// Loads one of the rulesheets that come with propjit.
    #[classmethod]
    fn named(cls: &Bound<'_, PyType>, name: &str) -> PyResult<Game> {
        let text = games::text(name).ok_or_else(|| {
            let names = Game::names().join(", ");
            UnknownNameError::new_err(format!("there is no game `{name}`; there are {names}"))
        })?;
        let source = Source::Text {
            name: format!("{name}.kif"),
            text: text.to_string(),
        };
        Game::of(cls.py(), source, Options::default())
    }

    /// The names of the rulesheets that come with propjit.
    #[staticmethod]
    fn names() -> Vec<&'static str> {
        games::GAMES.iter().map(|(name, _)| *name).collect()
    }

    /// The rulesheet's name, for messages.
    #[getter]
    fn name(&self) -> &str {
        self.core.rules().source.name()
    }

    /// The rulesheet's text.
    #[getter]
    fn text(&self) -> &str {
        self.core.rules().source.text()
    }

    /// Warnings about rules that can be played all the same, as a compiler prints them.
    #[getter]
    fn warnings(&self) -> String {
        self.core.warnings().to_string()
    }

    /// The names of the roles, in the order of the rulesheet.
    #[getter]
    fn roles<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.role_names())
    }

    /// The name of the role that plays at random, if there is one.
    #[getter]
    fn random_role(&self) -> Option<String> {
        let random = self.core.random_role()?;
        self.role_names().into_iter().nth(random.index())
    }

    /// Whether the game is grounded. If it is not, the prover plays it.
    #[getter]
    fn is_ground(&self) -> bool {
        self.core.ground_game().is_some()
    }

    /// All moves of all roles: the action `a` is the move `actions[a]`, whatever role plays it.
    ///
    /// Numbers depend on the rulesheet alone, not on seeds, threads, the machine or the backend. They
    /// are in this order:
    ///
    /// 1. moves of players that may be a choice, the first `num_choices`: moves that may be legal
    ///    beside another one of the same player;
    /// 2. moves of players that are proved to be forced whenever they are legal, up to `num_actions`,
    ///    such as that of passing where players take turns;
    /// 3. moves that only the role `random` has.
    ///
    /// Each of the three is sorted by functor, and then by arguments from left to right. Numbers come
    /// first, by value (`(mark 2 1)` before `(mark 10 1)`), and then other names, in which digits
    /// also count by value (`b2` before `b10`).
    ///
    /// >>> from propjit import Game
    /// >>> game = Game.named("ticTacToe")
    /// >>> game.actions[0], game.actions[-1], game.num_choices
    /// ('(mark 1 1)', 'noop', 9)
    #[getter]
    fn actions<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let ground = self.ground("actions")?;
        let actions = 0..ground.actions().len();
        let texts = actions.map(|action| ground.action_text(action));
        PyTuple::new(py, texts.collect::<Vec<_>>())
    }

    /// The number of actions that players have, which come first in `actions`: the length of masks.
    #[getter]
    fn num_actions(&self) -> PyResult<usize> {
        Ok(self.ground("actions")?.actions().of_players())
    }

    /// The number of actions that may be a choice of a player, which come first of all.
    #[getter]
    fn num_choices(&self) -> PyResult<usize> {
        Ok(self.ground("actions")?.actions().choices())
    }

    /// All moves that a role ever has, in the order of `actions`.
    fn moves<'py>(&self, py: Python<'py>, role: RoleName) -> PyResult<Bound<'py, PyTuple>> {
        let ground = self.ground("all moves")?;
        let role = self.role(&role)?;
        let moves = ground.actions().moves(role);
        let texts = moves.map(|played| ground.move_text(role, played));
        PyTuple::new(py, texts.collect::<Vec<_>>())
    }

    /// All propositions that may hold in a state, in the order of their numbers: that of
    /// observations.
    #[getter]
    fn fluents<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let net = self.ground("all propositions")?.propnet();
        let names = net.bases.iter().map(|base| net.terms.text(base.name));
        PyTuple::new(py, names.collect::<Vec<_>>())
    }

    /// Arranges the fluents in channels of a board's height and width: each kind of contents is a channel, each other
    /// fluent or relation is one or more. A game without a board has the height 1, and relations are channels.
    ///
    /// Relative planes show each player its own fluents where the others see theirs, and who the player is in channels
    /// of their own. Boards are inferred from random matches, the same ones each time.
    ///
    /// >>> from propjit import Game
    /// >>> Game.named("connectFour").planes(relative=False).names[:2]
    /// ('cell red', 'cell yellow')
    #[pyo3(signature = (relative=true))]
    pub(crate) fn planes(this: Bound<'_, Self>, relative: bool) -> PyResult<Planes> {
        let (py, game) = (this.py(), this.get());
        let (core, stop) = (game.here(py)?, game.stop());
        let found = interruptible(py, &stop, || CorePlanes::find(&core, relative, &stop))?;
        let found = found.map_err(machine_error)?;
        Ok(Planes {
            core: found.ok_or_else(|| not_ground("planes"))?,
            game: this.unbind(),
            relative,
        })
    }

    /// The hash of the names of roles, fluents and actions, in their order: networks are stored with it.
    #[getter]
    fn vocabulary_hash(&self) -> PyResult<String> {
        Ok(self
            .ground("a hash of names")?
            .vocabulary_hash()
            .to_string())
    }

    /// Whether roles may not know the whole state. Then their observations are what they perceive.
    #[getter]
    fn hides_information(&self, py: Python<'_>) -> bool {
        py.detach(|| self.core.hides_information())
    }

    /// All that a role may ever perceive, in the order of observations.
    fn percepts<'py>(&self, py: Python<'py>, role: RoleName) -> PyResult<Bound<'py, PyTuple>> {
        let net = self.ground("all percepts")?.propnet();
        let role = self.role(&role)?;
        let percepts = net.roles[role.index()].percepts.iter();
        let texts = percepts.map(|percept| net.terms.text(percept.name));
        PyTuple::new(py, texts.collect::<Vec<_>>())
    }

    /// The goal values that a role may have, ascending.
    fn goals<'py>(&self, py: Python<'py>, role: RoleName) -> PyResult<Bound<'py, PyTuple>> {
        let role = self.role(&role)?;
        let goals = &self.ground("all goals")?.propnet().roles[role.index()].goals;
        PyTuple::new(py, goals.iter().map(|goal| goal.value).collect::<Vec<_>>())
    }

    /// The state in which every match starts.
    #[getter]
    pub(crate) fn initial(this: Bound<'_, Self>) -> State {
        let start = this.get().start.clone();
        State::new(this.unbind(), start)
    }

    /// The state in which exactly these propositions hold.
    fn state(this: Bound<'_, Self>, fluents: Vec<String>) -> PyResult<State> {
        let game = this.get();
        let fluents: Vec<&str> = fluents.iter().map(String::as_str).collect();
        let position = game.query(this.py(), &game.start, |start| start.with_fluents(&fluents))?;
        Ok(State::new(this.unbind(), position))
    }

    /// Waits until there is machine code, which is made in the background otherwise, from the
    /// first playouts, search or environments on.
    fn wait(&self, py: Python<'_>) -> PyResult<()> {
        match self.here(py)?.engines().cloned() {
            Some(engines) => waiting(py, move || engines.wait()),
            None => Ok(()),
        }
    }

    /// Plays random matches from the initial state: `count` of them, or for a time. They are the same ones each time,
    /// unless another `seed` is given.
    ///
    /// >>> from propjit import Game
    /// >>> playouts = Game.named("ticTacToe").playouts(10_000, seed=1)
    /// >>> playouts.count
    /// 10000
    /// >>> 57 < playouts.goals["x"].mean < 67
    /// True
    #[pyo3(signature = (
        count=None, *, seconds=None, threads=Number(Some(1)), seed=Number(Some(0)), max_steps=Number(Some(10_000))
    ))]
    #[pyo3(
        text_signature = "($self, count=None, *, seconds=None, threads=1, seed=0, max_steps=10_000)"
    )]
    fn playouts<'py>(
        &self,
        py: Python<'py>,
        count: Option<Number>,
        seconds: Option<f64>,
        threads: Number,
        seed: Number,
        max_steps: Number,
    ) -> PyResult<Bound<'py, PyAny>> {
        let count = count.map(|count| count.at_least("count", 0)).transpose()?;
        let time = seconds.map(duration).transpose()?;
        if count.is_none() && time.is_none() {
            return Err(PyTypeError::new_err(
                "either `count` or `seconds` is needed",
            ));
        }
        let config = PlayoutConfig::default()
            .with_rollouts(count)
            .with_time(time)
            .with_threads(check_threads(threads.at_least("threads", 1)?)?)
            .with_seed(seed.at_least("seed", 0)?)
            .with_max_steps(max_steps.at_least("max_steps", 1)?);
        playouts::from_start(py, self, &config)
    }

    /// Looks for facts about all states: what never changes again, what forbids what, which goals
    /// go out of reach.
    #[pyo3(signature = (*, seconds=5.0, seed=Number(Some(0))))]
    #[pyo3(text_signature = "($self, *, seconds=5.0, seed=0)")]
    fn facts<'py>(
        &self,
        py: Python<'py>,
        seconds: f64,
        seed: Number,
    ) -> PyResult<Bound<'py, PyAny>> {
        facts::find(py, self, duration(seconds)?, seed.at_least("seed", 0)?)
    }

    /// The symmetries of the game that are proved from the structure of its rules, but for the one that changes nothing:
    /// permutations of fluents, actions and players that leave the rules unchanged. The search for them may miss some.
    ///
    /// >>> from propjit import Game
    /// >>> game = Game.named("connectFour")
    /// >>> [one] = [one for one in game.symmetries() if one.keeps_initial]
    /// >>> one.actions[0].tolist()
    /// [6, 5, 4, 3, 2, 1, 0, 7]
    fn symmetries(this: Bound<'_, Self>) -> PyResult<Bound<'_, PyTuple>> {
        symmetries::find(this.py(), &this)
    }

    /// Games never change: a copy is the game itself.
    fn __copy__(this: Py<Self>) -> Py<Self> {
        this
    }

    fn __deepcopy__(this: Py<Self>, _memo: Bound<'_, PyAny>) -> Py<Self> {
        this
    }

    fn __repr__(&self) -> String {
        format!("<Game {}>", self.name())
    }

    /// Games with the same rulesheet and backend are equal.
    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        let Ok(other) = other.cast::<Game>() else {
            return false;
        };
        let other = other.get();
        self.text() == other.text() && self.core.backend() == other.core.backend()
    }

    fn __hash__(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.text().hash(&mut hasher);
        hasher.finish()
    }

    fn __reduce__<'py>(this: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, Restored)> {
        let game = this.get();
        let restore = this.get_type().getattr("_restore")?;
        let Options {
            backend,
            ground_seconds,
        } = game.options;
        let (name, text) = (game.name().to_string(), game.text().to_string());
        let backend = backend.map(|backend| backend.name().to_string());
        Ok((restore, (name, text, backend, ground_seconds)))
    }

    #[classmethod]
    fn _restore(
        cls: &Bound<'_, PyType>,
        name: String,
        text: String,
        backend: Option<&str>,
        ground_seconds: Option<f64>,
    ) -> PyResult<Game> {
        let options = Options::new(backend, ground_seconds)?;
        Game::of(cls.py(), Source::Text { name, text }, options)
    }
}

/// The parts of a pickled game: its name and text, the backend, and the time for grounding.
type Restored = (String, String, Option<String>, Option<f64>);

/// A time in seconds.
///
/// # Errors
/// If it is negative or not a number.
pub(crate) fn duration(seconds: f64) -> PyResult<Duration> {
    Duration::try_from_secs_f64(seconds)
        .map_err(|error| PyValueError::new_err(format!("{seconds} seconds: {error}")))
}
