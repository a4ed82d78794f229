//! The replay of a trace, up to the first difference.

use super::difference::{Comparison, Difference};
use super::joint::parse_joint;
use super::snapshot::{Snapshot, all_goals};
use super::trace::{Trace, TraceStep};
use crate::fnv::Fnv64;
use crate::machine::{MachineError, State, StateMachine};
use propjit_stop::Stop;

/// The outcome of a replay.
#[derive(Clone, Default, Debug)]
pub struct ReplayOutcome {
    /// How many matches were replayed to their end.
    pub matches: usize,
    /// How many states were compared.
    pub steps: usize,
    /// The first difference; nothing is replayed after it.
    pub difference: Option<Difference>,
    /// Whether a stop came before the end.
    pub stopped: bool,
}

/// Replays all matches of `trace` with `machine` until something differs.
///
/// # Errors
/// When the machine cannot go on, as when the prover hits a limit. Recorded
/// moves that are not legal are differences, not errors.
pub fn replay(
    trace: &Trace,
    machine: &mut dyn StateMachine,
    stop: &Stop,
) -> Result<ReplayOutcome, MachineError> {
    let mut replayed = ReplayOutcome::default();
    let mut comparison = Comparison::default();
    comparison.values("roles", None, trace.roles.as_slice(), machine.roles());
    for (number, recorded) in trace.matches.iter().enumerate() {
        let mut state = machine.initial_state()?;
        for (at, step) in recorded.steps.iter().enumerate() {
            replayed.stopped = stop.is_set();
            if replayed.stopped || comparison.first.is_some() {
                break;
            }
            comparison.at = (number, at);
            compare(&mut comparison, step, machine, &state)?;
            replayed.steps += 1;
            if comparison.first.is_none() && at + 1 < recorded.steps.len() {
                advance(&mut comparison, step, machine, &mut state)?;
            }
        }
        if replayed.stopped || comparison.first.is_some() {
            break;
        }
        replayed.matches += 1;
    }
    replayed.difference = comparison.first;
    Ok(replayed)
}

/// Compares everything that the step records of the state.
fn compare(
    comparison: &mut Comparison,
    step: &TraceStep,
    machine: &mut dyn StateMachine,
    state: &State,
) -> Result<(), MachineError> {
    let got = Snapshot::of(machine, state)?;
    if let Some(list) = &step.fluent_list {
        comparison.texts("propositions", None, list, &got.fluents);
    }
    if let Some(count) = &step.fluents {
        let got = got.fluents.len();
        comparison.values("number of propositions", None, count, &got);
    }
    if let Some(hash) = &step.fluents_fnv {
        let got = Fnv64::of_lines(&got.fluents);
        comparison.values("hash of the propositions", None, hash, &got);
    }
    comparison.values("terminal", None, &step.terminal, &got.terminal);
    if let Some(lists) = &step.legal_lists {
        for ((role, list), texts) in machine.roles().iter().zip(lists).zip(&got.legal) {
            comparison.texts("legal moves", Some(role), list, texts);
        }
    }
    if let Some(counts) = &step.legal {
        let lengths: Vec<usize> = got.legal.iter().map(Vec::len).collect();
        comparison.values("numbers of legal moves", None, counts, &lengths);
        comparison.values("stuck", None, &step.stuck, &got.stuck());
    }
    if let Some(hashes) = &step.legal_fnv {
        let got: Vec<Fnv64> = got.legal.iter().map(Fnv64::of_lines).collect();
        comparison.values("hashes of the legal moves", None, hashes, &got);
    }
    if let Some(goals) = &step.goals {
        let values = all_goals(machine, state)?;
        let single = values.iter().map(|values| match **values {
            [value] => Some(value),
            _ => None,
        });
        comparison.values("goals", None, goals, &single.collect());
    }
    Ok(())
}

/// Plays the recorded moves.
fn advance(
    comparison: &mut Comparison,
    step: &TraceStep,
    machine: &mut dyn StateMachine,
    state: &mut State,
) -> Result<(), MachineError> {
    let texts = step.joint.as_deref().unwrap_or_default();
    let texts = &texts[..texts.len().min(machine.roles().len())];
    let joint = parse_joint(machine, texts);
    match joint.and_then(|joint| machine.next_state(state, &joint)) {
        Ok(next) => *state = next,
        Err(MachineError::Prover(error)) => return Err(error.into()),
        Err(error) => comparison.differs(
            "joint move",
            None,
            format!(
                "{:?} to be legal",
                step.joint.as_deref().unwrap_or_default()
            ),
            error.to_string(),
        ),
    }
    Ok(())
}
