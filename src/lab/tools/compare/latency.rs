//! The latency of single queries.

use std::time::{Duration, Instant};

use serde::Serialize;

use super::recording::Position;
use crate::game::machine::{MachineError, RoleId, State, StateMachine};
use propjit_stop::Stop;

/// Medians over the states of random matches, in seconds; none if there was no state to query.
///
/// Each kind of query is made for one state after the other, in the order of the matches, so that
/// machines that remember the last state gain as much from that as in a match. The time for reading
/// the clock is subtracted.
#[derive(Clone, Debug, Serialize)]
pub struct Latency {
    /// The legal moves of all roles.
    pub legal_seconds: Option<f64>,
    /// The next state.
    pub next_seconds: Option<f64>,
    /// The goals of all roles.
    pub goal_seconds: Option<f64>,
}

/// The most queries of each kind for each state.
const ROUNDS: usize = 10;

impl Latency {
    /// Measures on these states, for about `time` for each kind of query.
    pub(super) fn measure(
        machine: &mut dyn StateMachine,
        positions: &[Position],
        time: Duration,
        stop: &Stop,
    ) -> Result<Latency, MachineError> {
        let roles = RoleId::first(machine.roles().len());
        let states = positions.iter().map(|position| &position.state);
        // The legal moves of terminal states are meaningless.
        let open = positions
            .iter()
            .filter_map(|position| Some((&position.state, position.joint.as_deref()?)));
        let (mut moves, mut next, mut values) = (Vec::new(), State::new(), Vec::new());
        Ok(Latency {
            legal_seconds: median(open.clone(), time, stop, |(state, _)| {
                let mut roles = roles.clone();
                roles.try_for_each(|role| machine.legal_moves_unchecked(state, role, &mut moves))
            })?,
            next_seconds: median(open, time, stop, |(state, joint)| {
                machine.next_state_unchecked(state, joint, &mut next)
            })?,
            goal_seconds: median(states, time, stop, |state| {
                let mut roles = roles.clone();
                roles.try_for_each(|role| machine.goals(state, role, &mut values))
            })?,
        })
    }
}

/// Returns the median time, in seconds, of a query for each of these; none if there are none.
fn median<T>(
    all: impl Iterator<Item = T> + Clone,
    time: Duration,
    stop: &Stop,
    mut ask: impl FnMut(T) -> Result<(), MachineError>,
) -> Result<Option<f64>, MachineError> {
    let deadline = Instant::now() + time;
    let mut times = Vec::new();
    for asked in (0..ROUNDS).flat_map(|_| all.clone()) {
        let start = Instant::now();
        ask(asked)?;
        let end = Instant::now();
        times.push(end - start);
        if end >= deadline || stop.is_set() {
            break;
        }
    }
    let middle = middle(times);
    Ok(middle.map(|time| time.saturating_sub(clock()).as_secs_f64()))
}

/// Returns the time for reading the clock.
fn clock() -> Duration {
    let times = (0..1000).map(|_| Instant::now().elapsed()).collect();
    middle(times).unwrap_or_default()
}

/// The median, the upper one of two.
fn middle(mut times: Vec<Duration>) -> Option<Duration> {
    times.sort_unstable();
    times.get(times.len() / 2).copied()
}
