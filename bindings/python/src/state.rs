//! A state of a game.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use propjit::game::ground::GroundGame;
use propjit::game::position::Position;
use propjit::{MachineError, RoleId, State as CoreState};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PySequence, PyTuple};

use crate::errors::{IllegalMoveError, machine_error, wrong_type};
use crate::game::{Game, RoleName};
use crate::numbers::Number;
use crate::playouts;

/// A state of a game. It never changes: moves lead to another state.
///
/// >>> from propjit import Game
/// >>> state = Game.named("ticTacToe").initial
/// >>> state = state.apply("(mark 2 2)")
/// >>> state.to_move
/// ('o',)
/// >>> state.legal("x")
/// ('noop',)
/// >>> state.terminal
/// False
/// >>> print(state)
/// (cell 2 2 x)
/// (control o)
#[pyclass(frozen, module = "propjit")]
pub(crate) struct State {
    game: Py<Game>,
    position: Position,
}

/// A move, as text or as the number of an action.
pub(crate) enum PlayedMove {
    Action(Number),
    Text(String),
}

impl<'py> FromPyObject<'_, 'py> for PlayedMove {
    type Error = PyErr;

    fn extract(given: Borrowed<'_, 'py, PyAny>) -> PyResult<PlayedMove> {
        if let Ok(text) = given.extract() {
            return Ok(PlayedMove::Text(text));
        }
        match given.extract() {
            Ok(action) => Ok(PlayedMove::Action(action)),
            Err(_) => Err(wrong_type("a move, as a text or an action,", given)),
        }
    }
}

/// The moves of roles: a move of the one that has a choice, a move for each of some, or of all.
pub(crate) enum Played {
    One(PlayedMove),
    Some(HashMap<String, PlayedMove>),
    All(Vec<PlayedMove>),
}

impl<'py> FromPyObject<'_, 'py> for Played {
    type Error = PyErr;

    fn extract(given: Borrowed<'_, 'py, PyAny>) -> PyResult<Played> {
        match given.extract() {
            Ok(one) => Ok(Played::One(one)),
            Err(_) if given.is_instance_of::<PyDict>() => Ok(Played::Some(given.extract()?)),
            Err(_) if given.cast::<PySequence>().is_ok() => Ok(Played::All(given.extract()?)),
            Err(error) => Err(error),
        }
    }
}

/// The parts of a pickled state: its game and propositions.
type Restored = (Py<Game>, Vec<String>);

impl State {
    pub(crate) fn new(game: Py<Game>, position: Position) -> State {
        State { game, position }
    }

    pub(crate) fn game_of(&self) -> &Py<Game> {
        &self.game
    }

    pub(crate) fn query<T: Send>(
        &self,
        py: Python<'_>,
        question: impl FnOnce(&Position) -> Result<T, MachineError> + Send,
    ) -> PyResult<T> {
        self.game.get().query(py, &self.position, question)
    }

    fn texts(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        self.query(py, |position| Ok(position.fluents()))
    }

    /// The legal moves of all roles.
    fn all_legal(&self, py: Python<'_>) -> PyResult<Vec<Vec<String>>> {
        self.query(py, |position| {
            let roles = RoleId::first(position.roles().len());
            roles.map(|role| position.legal_texts(role)).collect()
        })
    }

    /// The actions that are a role's legal moves, ascending.
    fn actions_of(
        &self,
        py: Python<'_>,
        ground: &GroundGame,
        role: RoleId,
    ) -> PyResult<Vec<usize>> {
        let moves = self.query(py, |position| position.legal_moves(role))?;
        let of = |played| ground.actions().of(role, played);
        let mut actions: Vec<usize> = moves.into_iter().map(of).collect();
        actions.sort_unstable();
        Ok(actions)
    }

    /// The legal moves of a role: in the order of actions, if the game is grounded.
    fn legal_of(&self, py: Python<'_>, role: RoleId) -> PyResult<Vec<String>> {
        let Some(ground) = self.game.get().core.ground_game() else {
            return self.query(py, |position| position.legal_texts(role));
        };
        let actions = self.actions_of(py, ground, role)?.into_iter();
        Ok(actions.map(|action| ground.action_text(action)).collect())
    }

    /// Returns the state, if it is one of the same game.
    ///
    /// # Errors
    /// If it is of another game.
    pub(crate) fn of_game(&self, py: Python<'_>, game: &Py<Game>) -> PyResult<&CoreState> {
        let is_same = self.game.is(game) || self.game.bind(py).eq(game)?;
        match is_same {
            true => Ok(self.position.state()),
            false => Err(PyValueError::new_err("the state is one of another game")),
        }
    }

    /// Returns the number of the player that has a choice; 0 if several have, or none has.
    ///
    /// # Errors
    /// When there is no answer.
    pub(crate) fn current(&self, py: Python<'_>, players: &[RoleId]) -> PyResult<usize> {
        self.query(py, |position| {
            let mut choosing = Vec::new();
            for (player, &role) in players.iter().enumerate() {
                if position.legal_moves(role)?.len() > 1 {
                    choosing.push(player);
                }
            }
            Ok(match choosing[..] {
                [player] => player,
                _ => 0,
            })
        })
    }

    /// The text of a move.
    ///
    /// # Errors
    /// If there is no action of the number.
    fn move_text(&self, played: PlayedMove) -> PyResult<String> {
        let action = match played {
            PlayedMove::Text(text) => return Ok(text),
            PlayedMove::Action(action) => action,
        };
        let ground = self.game.get().ground("actions")?;
        let actions = ground.actions().len();
        match action.less_than(actions) {
            Some(action) => Ok(ground.action_text(action)),
            None => Err(IllegalMoveError::new_err(format!(
                "there is no action {action}: actions are numbered from 0 to {}",
                actions.saturating_sub(1)
            ))),
        }
    }

    /// The text of each role's move.
    pub(crate) fn joint(&self, py: Python<'_>, played: Played) -> PyResult<Vec<String>> {
        let game = self.game.get();
        let mut given: Vec<Option<String>> = match played {
            Played::All(all) => return all.into_iter().map(|one| self.move_text(one)).collect(),
            Played::One(one) => {
                let one = self.move_text(one)?;
                let legal = self.all_legal(py)?;
                let several = || {
                    legal
                        .iter()
                        .enumerate()
                        .filter(|(_, moves)| moves.len() > 1)
                };
                let place = match (legal.len(), several().count()) {
                    (1, _) => 0,
                    (_, 1) => several().next().map_or(0, |(place, _)| place),
                    // No role has a choice: the move is that of the role that has it.
                    (_, 0) => {
                        let place = legal.iter().position(|moves| moves.contains(&one));
                        place.ok_or_else(|| {
                            IllegalMoveError::new_err(format!("no role may play {one} here"))
                        })?
                    }
                    _ => {
                        return Err(PyTypeError::new_err(
                            "several roles have a choice: pass a move for each of them",
                        ));
                    }
                };
                let mut given = vec![None; legal.len()];
                given[place] = Some(one);
                given
            }
            Played::Some(mut some) => {
                for name in some.keys() {
                    game.role(&RoleName::Name(name.clone()))?;
                }
                let names = game.role_names();
                let given = names.iter().map(|name| some.remove(name));
                let given = given.map(|one| one.map(|one| self.move_text(one)).transpose());
                given.collect::<PyResult<_>>()?
            }
        };
        if given.contains(&None) {
            let forced = self.all_legal(py)?.into_iter().zip(game.role_names());
            for (given, (mut legal, name)) in given.iter_mut().zip(forced) {
                if given.is_none() {
                    if legal.len() != 1 {
                        return Err(IllegalMoveError::new_err(format!(
                            "{name} has {} legal moves: pass one of them",
                            legal.len()
                        )));
                    }
                    *given = legal.pop();
                }
            }
        }
        Ok(given.into_iter().flatten().collect())
    }
}

#[pymethods]
impl State {
    /// The game.
    #[getter]
    fn game(&self, py: Python<'_>) -> Py<Game> {
        self.game.clone_ref(py)
    }

    /// The legal moves of a role, or those of all roles by name, in the order of `legal_actions`. In a terminal state
    /// there are none.
    #[pyo3(signature = (role=None))]
    fn legal<'py>(&self, py: Python<'py>, role: Option<RoleName>) -> PyResult<Bound<'py, PyAny>> {
        let game = self.game.get();
        if let Some(role) = role {
            let moves = self.legal_of(py, game.role(&role)?)?;
            return Ok(PyTuple::new(py, moves)?.into_any());
        }
        let legal = PyDict::new(py);
        for (role, name) in (0..).map(RoleId).zip(game.role_names()) {
            legal.set_item(name, PyTuple::new(py, self.legal_of(py, role)?)?)?;
        }
        Ok(legal.into_any())
    }

    /// The actions that are a role's legal moves, ascending: see `Game.actions`. In a terminal state
    /// there are none.
    fn legal_actions(&self, py: Python<'_>, role: RoleName) -> PyResult<Vec<usize>> {
        let game = self.game.get();
        let ground = game.ground("actions")?;
        self.actions_of(py, ground, game.role(&role)?)
    }

    /// The roles that have several legal moves. In a terminal state there are none.
    #[getter]
    fn to_move<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let names = self.game.get().role_names().into_iter();
        let legal = names.zip(self.all_legal(py)?);
        let choosing = legal.filter(|(_, moves)| moves.len() > 1);
        PyTuple::new(py, choosing.map(|(name, _)| name).collect::<Vec<_>>())
    }

    /// The next state. `moves` is one move, if one role has a choice; moves by role, where roles
    /// without a choice may be left out; or a move for each role, in their order. A move is a text, or the number of an
    /// action.
    ///
    /// If a move is not legal, or the state is terminal, there is an `IllegalMoveError`.
    ///
    /// >>> from propjit import Game
    /// >>> start = Game.named("ticTacToe").initial
    /// >>> start.apply({"x": "(mark 1 1)"}) == start.apply(["(mark 1 1)", "noop"])
    /// True
    fn apply(&self, py: Python<'_>, moves: Played) -> PyResult<State> {
        if self.terminal(py)? {
            return Err(machine_error(MachineError::MatchOver));
        }
        let joint = self.joint(py, moves)?;
        let ground = self.game.get().core.ground_game();
        let next = self.query(py, |position| {
            // A text that is no move at all has an error of its own.
            for (role, text) in RoleId::first(position.roles().len()).zip(&joint) {
                ground
                    .map(|ground| ground.parse_move(role, text))
                    .transpose()?;
            }
            let mut next = position.clone();
            next.play_texts(&joint)?;
            Ok(next)
        })?;
        Ok(State::new(self.game.clone_ref(py), next))
    }

    /// What a role perceives of these moves, given as `apply` takes them; `legal` and `terminal` of the next state aside,
    /// that is all that it gets to know where the game hides information.
    fn percepts<'py>(
        &self,
        py: Python<'py>,
        moves: Played,
        role: RoleName,
    ) -> PyResult<Bound<'py, PyTuple>> {
        let joint = self.joint(py, moves)?;
        let role = self.game.get().role(&role)?;
        let texts = self.query(py, |position| {
            let joint = position.find_joint_move(&joint)?;
            position.percepts(&joint, role)
        })?;
        PyTuple::new(py, texts)
    }

    /// Whether a match ends here.
    #[getter]
    fn terminal(&self, py: Python<'_>) -> PyResult<bool> {
        self.query(py, Position::is_over)
    }

    /// The goal of each role, by name; `None` where it does not have exactly one value.
    #[getter]
    fn goals<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let goals = self.query(py, Position::goals)?;
        let by_name = PyDict::new(py);
        for (name, goal) in self.game.get().role_names().into_iter().zip(goals) {
            by_name.set_item(name, goal)?;
        }
        Ok(by_name)
    }

    /// The propositions that hold, sorted.
    #[getter]
    fn fluents<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.texts(py)?)
    }

    /// The numbers of the propositions that hold, ascending: see `Game.fluents`.
    #[getter]
    fn numbers(&self) -> PyResult<Vec<usize>> {
        self.game.get().ground("numbers of propositions")?;
        Ok(self.position.state().iter().collect())
    }

    /// Plays `count` random matches from here; the same ones each time, unless another `seed` is given.
    #[pyo3(signature = (count, *, seed=Number(Some(0)), max_steps=Number(Some(10_000))))]
    #[pyo3(text_signature = "($self, count, *, seed=0, max_steps=10_000)")]
    fn playouts<'py>(
        &self,
        py: Python<'py>,
        count: Number,
        seed: Number,
        max_steps: Number,
    ) -> PyResult<Bound<'py, PyAny>> {
        playouts::from_state(
            py,
            self.game.get(),
            self.position.state(),
            count.at_least("count", 0)?,
            seed.at_least("seed", 0)?,
            max_steps.at_least("max_steps", 1)?,
        )
    }

    /// States never change: a copy is the state itself.
    fn __copy__(this: Py<Self>) -> Py<Self> {
        this
    }

    fn __deepcopy__(this: Py<Self>, _memo: Bound<'_, PyAny>) -> Py<Self> {
        this
    }

    fn __str__(&self, py: Python<'_>) -> PyResult<String> {
        Ok(self.texts(py)?.join("\n"))
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        Ok(format!("<State {}>", self.texts(py)?.join(" ")))
    }

    fn __eq__(&self, py: Python<'_>, other: &Bound<'_, PyAny>) -> PyResult<bool> {
        let Ok(other) = other.cast::<State>() else {
            return Ok(false);
        };
        let other = other.get();
        if self.game.is(&other.game) {
            return Ok(self.position.state() == other.position.state());
        }
        let (one, another) = (&self.game.get().core, &other.game.get().core);
        let alike = one.fingerprint() == another.fingerprint();
        Ok(alike
            && match (one.ground_game(), another.ground_game()) {
                (Some(_), Some(_)) => self.position.state() == other.position.state(),
                // Provers number terms as they meet them.
                (None, None) => self.texts(py)? == other.texts(py)?,
                _ => false,
            })
    }

    fn __hash__(&self, py: Python<'_>) -> PyResult<u64> {
        let mut hasher = DefaultHasher::new();
        match self.game.get().core.ground_game() {
            Some(_) => self.position.state().hash(&mut hasher),
            None => self.texts(py)?.hash(&mut hasher),
        }
        Ok(hasher.finish())
    }

    fn __reduce__<'py>(this: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, Restored)> {
        let (py, state) = (this.py(), this.get());
        let restore = py.get_type::<Game>().getattr("state")?;
        Ok((restore, (state.game.clone_ref(py), state.texts(py)?)))
    }
}
