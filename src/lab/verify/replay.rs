//! The replay of a trace, up to the first difference.

use super::difference::{Comparison, Difference};
use super::joint::{apply, parse_joint};
use super::snapshot::{Snapshot, all_goals};
use super::trace::{Trace, TraceStep};
use crate::game::machine::{MachineError, Move, RoleId, State, StateMachine};
use crate::support::fnv::Fnv64;
use propjit_stop::Stop;

/// The outcome of a replay.
#[derive(Clone, Default, Debug)]
pub struct ReplayOutcome {
    /// The number of matches that were replayed to their end.
    pub matches: usize,
    /// The number of states that were compared.
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
    for (place, recorded) in (1..).zip(&trace.matches) {
        comparison.at = (recorded.number.unwrap_or(place), 0);
        let roles = recorded.roles.as_ref().unwrap_or(&trace.roles);
        comparison.values("roles", None, roles.as_slice(), machine.roles());
        let mut state = machine.initial_state()?;
        for (at, step) in recorded.steps.iter().enumerate() {
            replayed.stopped = stop.is_set();
            if replayed.stopped || comparison.first.is_some() {
                break;
            }
            comparison.at.1 = at;
            let got = Snapshot::of(machine, &state)?;
            compare(&mut comparison, step, machine, &state, &got)?;
            replayed.steps += 1;
            let is_last = at + 1 == recorded.steps.len();
            // The end of the match needs no move.
            if comparison.first.is_some() || (is_last && step.joint.is_none()) {
                break;
            }
            let texts = step.joint.as_deref().unwrap_or_default();
            match legal_joint(machine, texts, &got) {
                Ok(joint) => {
                    compare_percepts(&mut comparison, step, machine, (&state, &joint))?;
                    if !is_last {
                        state = apply(machine, &state, &joint)?;
                    }
                }
                Err(error) => {
                    let expected = format!("{texts:?} to be legal");
                    comparison.differs("joint move", None, expected, error.to_string());
                }
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
    got: &Snapshot,
) -> Result<(), MachineError> {
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
    if let Some(stuck) = &step.stuck {
        comparison.values("stuck", None, stuck, &got.stuck());
    }
    if let Some(lists) = &step.legal_lists {
        let roles = got.legal.len();
        comparison.values(
            "number of roles with legal moves",
            None,
            &lists.len(),
            &roles,
        );
        for ((role, list), texts) in machine.roles().iter().zip(lists).zip(&got.legal) {
            comparison.texts("legal moves", Some(role), list, texts);
        }
    }
    if let Some(counts) = &step.legal {
        let lengths: Vec<usize> = got.legal.iter().map(Vec::len).collect();
        comparison.values("numbers of legal moves", None, counts, &lengths);
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

/// Compares what roles perceive of a joint move in a state, if that is recorded.
fn compare_percepts(
    comparison: &mut Comparison,
    step: &TraceStep,
    machine: &mut dyn StateMachine,
    (state, joint): (&State, &[Move]),
) -> Result<(), MachineError> {
    let recorded = step.percepts.iter().flatten();
    for (role, recorded) in RoleId::first(joint.len()).zip(recorded) {
        let got = machine.percepts(state, joint, role)?;
        let name = machine.roles()[role.index()].clone();
        comparison.texts("percepts", Some(&name), recorded, &got);
    }
    Ok(())
}

/// Parses the moves in these texts.
///
/// # Errors
/// When there is not a legal one for each role. In a terminal state, none is legal.
fn legal_joint(
    machine: &mut dyn StateMachine,
    texts: &[String],
    got: &Snapshot,
) -> Result<Vec<Move>, MachineError> {
    let joint = parse_joint(machine, texts)?;
    for (role, &played) in RoleId::first(joint.len()).zip(&joint) {
        let text = machine.move_text(role, played);
        let legal = got.legal.get(role.index());
        if legal.is_none_or(|legal| legal.binary_search(&text).is_err()) {
            let role = machine.roles()[role.index()].clone();
            return Err(MachineError::IllegalMove { role, text });
        }
    }
    Ok(joint)
}
