//! States of the caller in environments.

use propjit::State as CoreState;
use propjit::game::environment::Observed;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use super::VectorEnv;
use crate::numbers::Number;
use crate::state::State;

impl VectorEnv {
    /// The states of some environments, of the same game.
    ///
    /// # Errors
    /// If there are not as many states as environments, or one is of another game.
    pub(super) fn states_for(
        &self,
        py: Python<'_>,
        environments: &[usize],
        states: &[Py<State>],
    ) -> PyResult<Vec<(usize, CoreState)>> {
        if states.len() != environments.len() {
            return Err(PyValueError::new_err(format!(
                "{} states were given for {} environments: one is needed for each",
                states.len(),
                environments.len()
            )));
        }
        let each = environments.iter().zip(states);
        let each = each.map(|(&environment, state)| {
            Ok((environment, state.get().of_game(py, &self.game)?.clone()))
        });
        each.collect()
    }

    /// What is observed in states, by the player with this number or by the one that observes here.
    pub(super) fn observe_states<'py>(
        &self,
        py: Python<'py>,
        states: &[Py<State>],
        player: Option<Number>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let shape = self.shape();
        let player = player
            .map(|player| player.at_least("player", 0))
            .transpose()?;
        let player: Option<usize> = player.or(shape.observer);
        if player.is_some_and(|player| player >= shape.players.len()) {
            let players = shape.players.len();
            let message = format!("`player` must be less than {players}, the number of players");
            return Err(PyValueError::new_err(message));
        }
        let observers = match player {
            Some(_) => 1,
            None => shape.observers(),
        };
        let words = self.ground()?.layout().bases.len().div_ceil(64);
        let mut packed = Vec::new();
        for state in states {
            let state = state.get();
            let core = state.of_game(py, &self.game)?;
            match &shape.observed {
                Observed::State => core.pack(words, &mut packed),
                Observed::Features(features) => match (player, observers) {
                    (Some(player), _) => features.pack(player, core.words(), &mut packed),
                    (None, 1) if features.are_relative() => {
                        let current = state.current(py, &shape.players)?;
                        features.pack(current, core.words(), &mut packed);
                    }
                    (None, observers) => (0..observers)
                        .for_each(|player| features.pack(player, core.words(), &mut packed)),
                },
                Observed::Percepts => {
                    return Err(PyValueError::new_err(
                        "percepts are not a matter of the state: an observation has what players have perceived before",
                    ));
                }
            }
        }
        let shape_of_array = self.format.observations(states.len(), observers);
        let array = self.format.kind.zeros(py, &shape_of_array)?;
        let mut to = array.writable(py)?;
        to.of_type(self.format.kind)?.write(shape.elements, &packed);
        drop(to);
        Ok(array.view(py))
    }
}
