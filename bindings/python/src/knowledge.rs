//! What players know of a match in which information is hidden.

use numpy::PyArray1;
use propjit::game::environment::{Knowledge as Core, Observation};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::game::{Game, RoleName};
use crate::state::{Played, State};

/// What each player knows of a match of a game that hides information: what it has perceived and chosen. It never
/// changes: moves lead to other knowledge.
///
/// >>> from propjit import Game, Knowledge
/// >>> state = Game.named("kriegTicTacToe").initial
/// >>> knowledge = Knowledge(state.game)
/// >>> int(knowledge.observation("x").sum())
/// 0
/// >>> knowledge = knowledge.add(state, "(mark 1 1)")
/// >>> int(knowledge.observation("x").sum()) > 0
/// True
#[pyclass(frozen, module = "propjit")]
pub(crate) struct Knowledge {
    game: Py<Game>,
    core: Core,
}

#[pymethods]
impl Knowledge {
    /// What is known at the start of a match of this game: nothing. `words` are those of pickled knowledge.
    #[new]
    #[pyo3(signature = (game, words=None))]
    fn new(game: Py<Game>, words: Option<Vec<u64>>) -> PyResult<Knowledge> {
        let core = Core::new(game.get().ground("numbers of percepts")?);
        let core = match words {
            None => core,
            Some(words) => core
                .with_words(words)
                .ok_or_else(|| PyValueError::new_err("these are not the words of this game"))?,
        };
        Ok(Knowledge { game, core })
    }

    /// What is known after moves in a state of the match, given as `State.apply` takes them.
    fn add(&self, py: Python<'_>, state: &State, moves: Played) -> PyResult<Knowledge> {
        state.of_game(py, &self.game)?;
        let joint = state.joint(py, moves)?;
        let mut core = self.core.clone();
        state.query(py, |position| {
            let joint = position.find_joint_move(&joint)?;
            position.query(|machine, state| core.add(machine, state, &joint))
        })?;
        Ok(Knowledge {
            game: self.game.clone_ref(py),
            core,
        })
    }

    /// What a player observes, true or false for each element: its percepts since it last had a choice, its percepts
    /// since the match began, both in the order of `Game.percepts` and as long as the longest of these, and the actions
    /// that it has chosen. `VectorEnv` has the same.
    fn observation<'py>(
        &self,
        py: Python<'py>,
        role: RoleName,
    ) -> PyResult<Bound<'py, PyArray1<bool>>> {
        let role = self.game.get().role(&role)?;
        let words = self.core.observation(role);
        let words = words.ok_or_else(|| {
            PyValueError::new_err("the role that plays at random observes nothing")
        })?;
        let mut bytes = vec![0; self.core.elements()];
        Observation::Bytes(&mut bytes).write(self.core.elements(), words);
        Ok(PyArray1::from_iter(py, bytes.iter().map(|&byte| byte == 1)))
    }

    /// It never changes: a copy is itself.
    fn __copy__(this: Py<Self>) -> Py<Self> {
        this
    }

    fn __deepcopy__(this: Py<Self>, _memo: Bound<'_, PyAny>) -> Py<Self> {
        this
    }

    fn __reduce__<'py>(this: &Bound<'py, Self>) -> (Bound<'py, PyAny>, (Py<Game>, Vec<u64>)) {
        let (py, known) = (this.py(), this.get());
        let restored = (known.game.clone_ref(py), known.core.words().to_vec());
        (py.get_type::<Knowledge>().into_any(), restored)
    }
}
