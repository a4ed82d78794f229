//! Facts about all states of a game.

use std::time::Duration;

use propjit::game::facts::{self, AnalysisConfig, GoalLatch, ProofMethod};
use propjit::game::ground::{GroundGame, Invariant, Literal};
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::errors::not_ground;
use crate::game::Game;
use crate::interrupt::interruptible;
use crate::records::record;

/// Looks for facts.
pub(crate) fn find<'py>(
    py: Python<'py>,
    game: &Game,
    time: Duration,
    seed: u64,
) -> PyResult<Bound<'py, PyAny>> {
    let core = game.here(py)?;
    let engines = core.engines().ok_or_else(|| not_ground("facts"))?;
    let config = AnalysisConfig::default().with_time(time).with_seed(seed);
    let stop = game.stop();
    let facts = interruptible(py, &stop, || facts::find(engines, &config, &stop))?;
    let words = Words {
        py,
        game: engines.game(),
    };
    let invariants = || facts.invariants.iter();
    let groups = |exactly: bool| {
        let groups = invariants().filter_map(move |invariant| match invariant {
            Invariant::ExactlyOne(group) if exactly => Some(group),
            Invariant::AtMostOne(group) if !exactly => Some(group),
            _ => None,
        });
        words.tuple(groups.map(|group| words.propositions(group)))
    };
    let equivalences = invariants().filter_map(|invariant| match *invariant {
        Invariant::Equivalent(one, other) => Some(Ok((words.text(one), words.text(other)))),
        _ => None,
    });
    let latches = facts.latches.iter();
    let composites = facts.composites.iter();
    record(py, "Facts", |fields| {
        let constants = facts.constants().map(|literal| Ok(words.text(literal)));
        fields.set_item("constants", words.tuple(constants)?)?;
        fields.set_item("equivalences", words.tuple(equivalences)?)?;
        fields.set_item("exactly_one", groups(true)?)?;
        fields.set_item("at_most_one", groups(false)?)?;
        let latches = latches.map(|fact| words.latch(words.text(fact.what), fact.method));
        fields.set_item("latches", words.tuple(latches)?)?;
        let composites =
            composites.map(|fact| words.latch(fact.what.text(words.game), fact.method));
        fields.set_item("composite_latches", words.tuple(composites)?)?;
        let finals = facts.finals.iter().map(|&literal| Ok(words.text(literal)));
        fields.set_item("finals", words.tuple(finals)?)?;
        let exclusions = facts
            .goal_latches
            .entries()
            .iter()
            .map(|latch| words.exclusion(latch));
        fields.set_item("goal_latches", words.tuple(exclusions)?)?;
        let exclusions = facts
            .goal_inhibitors
            .iter()
            .map(|latch| words.exclusion(latch));
        fields.set_item("goal_inhibitors", words.tuple(exclusions)?)?;
        let cut = facts.cut().map(|stage| Ok(stage.name));
        fields.set_item("cut", words.tuple(cut)?)
    })
}

/// Expresses facts in the words of the rulesheet.
struct Words<'a, 'py> {
    py: Python<'py>,
    game: &'a GroundGame,
}

impl<'py> Words<'_, 'py> {
    fn tuple<T: IntoPyObject<'py>>(
        &self,
        items: impl Iterator<Item = PyResult<T>>,
    ) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(self.py, items.collect::<PyResult<Vec<_>>>()?)
    }

    fn text(&self, literal: Literal) -> String {
        literal.text(self.game)
    }

    fn propositions(&self, group: &[usize]) -> PyResult<Bound<'py, PyTuple>> {
        let names = group
            .iter()
            .map(|&base| self.text(Literal::new(base, true)));
        self.tuple(names.map(Ok))
    }

    fn latch(&self, literal: String, method: ProofMethod) -> PyResult<Bound<'py, PyAny>> {
        record(self.py, "Latch", |fields| {
            fields.set_item("literal", literal)?;
            fields.set_item("method", method.name())
        })
    }

    fn exclusion(&self, latch: &GoalLatch) -> PyResult<Bound<'py, PyAny>> {
        let values = &self.game.propnet().roles[latch.role.index()].goals;
        let goals = latch.excluded.iter().map(|&goal| Ok(values[goal].value));
        record(self.py, "GoalLatch", |fields| {
            fields.set_item("literal", self.text(latch.literal))?;
            fields.set_item("role", &self.game.roles()[latch.role.index()])?;
            fields.set_item("excluded", self.tuple(goals)?)?;
            fields.set_item("method", latch.method.name())
        })
    }
}
