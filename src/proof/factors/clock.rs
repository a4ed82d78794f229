//! The clock of a game: propositions that change by themselves, and the phases in which moves are
//! considered.

use propjit_jit::circuit::{Circuit, Edge};
use rustc_hash::FxHashMap;

use crate::game::ground::{GroundGame, autonomous};
use crate::game::vocabulary::state::State;

/// The most joint moves after which the clock is where it was before.
const LONGEST: usize = 500;

/// The longest cycle of phases that is looked for while the clock goes on.
const LONGEST_CYCLE: usize = 8;

/// The most phases. With more, moves are analysed in all of them together.
const MAX_PHASES: usize = 16;

/// The propositions that change by themselves, and how they do from the initial state on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Clock {
    /// The propositions, ascending.
    pub propositions: Vec<usize>,
    /// Those of them that hold after each number of joint moves.
    course: Vec<State>,
    /// The place in the course that comes after the last one.
    back_to: usize,
    /// The phase at each place of the course.
    phases: Vec<usize>,
    /// The known propositions in each phase.
    known: Vec<Vec<(usize, bool)>>,
    /// Whether legality and other propositions depend on nothing of the clock but the phase.
    is_phased: bool,
}

impl Clock {
    /// The clock of a game.
    pub(super) fn new(game: &GroundGame) -> Clock {
        let is_free = autonomous(game);
        let propositions: Vec<usize> = (0..is_free.len()).filter(|&base| is_free[base]).collect();
        let (course, back_to) = course(game, &propositions);
        let read = match back_to {
            Some(_) => read(game, &is_free),
            // Nothing is known of the clock: there is one phase.
            None => Vec::new(),
        };
        let (phases, known) = phases(&course, &read);
        let is_phased = back_to.is_some() && known.len() <= MAX_PHASES;
        let (phases, known) = match is_phased {
            true => (phases, known),
            false => (vec![0; course.len()], vec![Vec::new()]),
        };
        Clock {
            propositions,
            back_to: back_to.unwrap_or(0),
            course,
            phases,
            known,
            is_phased,
        }
    }

    /// Whether legality and other propositions depend on nothing of the clock but the phase.
    pub(super) fn is_phased(&self) -> bool {
        self.is_phased
    }

    /// The number of phases.
    pub(super) fn phases(&self) -> usize {
        self.known.len()
    }

    /// Returns the propositions with known values in a phase.
    pub(crate) fn known(&self, phase: usize) -> &[(usize, bool)] {
        &self.known[phase]
    }

    /// The phase after a number of joint moves.
    pub(crate) fn phase(&self, time: usize) -> usize {
        self.phases[self.place(time)]
    }

    /// The propositions of the clock that hold after a number of joint moves.
    pub(crate) fn at(&self, time: usize) -> &State {
        &self.course[self.place(time)]
    }

    /// A number of joint moves after which the clock is as in a state.
    pub(crate) fn time_of(&self, state: &State) -> Option<usize> {
        self.course.iter().position(|at| {
            let mut propositions = self.propositions.iter();
            propositions.all(|&base| at.contains(base) == state.contains(base))
        })
    }

    /// The phases from a time on: the first ones, and how many of the last of these repeat.
    pub(crate) fn phases_from(&self, time: usize) -> (Vec<usize>, usize) {
        let period = self.course.len() - self.back_to;
        let horizon = self.course.len() + LONGEST_CYCLE * period;
        let phases = |from: usize, count: usize| -> Vec<usize> {
            (from..from + count).map(|time| self.phase(time)).collect()
        };
        let repeats = |cycle: &usize| {
            let mut times = time..time + horizon;
            times.all(|later| self.phase(later) == self.phase(time + (later - time) % cycle))
        };
        match (1..=LONGEST_CYCLE).find(repeats) {
            Some(cycle) => (phases(time, cycle), cycle),
            None => (
                phases(time, self.course.len().max(time + 1) - time + period),
                period,
            ),
        }
    }

    fn place(&self, time: usize) -> usize {
        match time < self.course.len() {
            true => time,
            false => self.back_to + (time - self.back_to) % (self.course.len() - self.back_to),
        }
    }
}

/// The states of the clock, and the place to which it goes back; none if that takes too long.
fn course(game: &GroundGame, propositions: &[usize]) -> (Vec<State>, Option<usize>) {
    let (circuit, layout) = (game.lowered(), game.layout());
    let own = |state: &State| -> State {
        let bases = propositions.iter().copied();
        bases.filter(|&base| state.contains(base)).collect()
    };
    let mut places: FxHashMap<State, usize> = FxHashMap::default();
    let mut course = Vec::new();
    let mut now = own(game.initial());
    while course.len() < LONGEST {
        if let Some(&place) = places.get(&now) {
            return (course, Some(place));
        }
        places.insert(now.clone(), course.len());
        let mut inputs = vec![false; layout.inputs()];
        now.iter().for_each(|base| inputs[base] = true);
        course.push(now);
        let outputs = circuit.evaluate(&inputs);
        let next = &outputs[layout.next.clone()];
        now = own(&(0..next.len()).filter(|&base| next[base]).collect());
    }
    course.truncate(1);
    (course, None)
}

/// The propositions of the clock that legality and the other propositions depend on.
fn read(game: &GroundGame, is_free: &[bool]) -> Vec<usize> {
    let (circuit, layout) = (game.lowered(), game.layout());
    let cone = circuit.cone(dynamics(circuit, game, is_free));
    (layout.bases.clone())
        .filter(|&base| is_free[base] && cone.contains(circuit.inputs()[base]))
        .collect()
}

/// The outputs that say which moves are legal, and what they do to propositions that are not free.
pub(super) fn dynamics<'a>(
    circuit: &'a Circuit,
    game: &'a GroundGame,
    is_free: &'a [bool],
) -> impl Iterator<Item = Edge> + 'a {
    let layout = game.layout();
    let next = layout.next.clone().zip(is_free);
    let next = next.filter(|(_, is_free)| !**is_free).map(|(at, _)| at);
    let legal = layout.legal.iter().cloned().flatten();
    next.chain(legal).map(|at| circuit.outputs()[at])
}

/// Returns the phase at each place of a course, if these propositions distinguish phases, and their values
/// in each phase.
fn phases(course: &[State], read: &[usize]) -> (Vec<usize>, Vec<Vec<(usize, bool)>>) {
    let mut known: Vec<Vec<(usize, bool)>> = Vec::new();
    let places = course.iter().map(|state| {
        let values = read.iter().map(|&base| (base, state.contains(base)));
        let values: Vec<(usize, bool)> = values.collect();
        let found = known.iter().position(|other| *other == values);
        found.unwrap_or_else(|| {
            known.push(values);
            known.len() - 1
        })
    });
    (places.collect(), known)
}
