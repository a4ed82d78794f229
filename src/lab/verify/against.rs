//! Random matches with two machines side by side.

use rand::seq::IndexedRandom;

use super::difference::{Comparison, Difference};
use super::joint::{apply, parse_joint};
use super::snapshot::{Snapshot, all_goals};
use crate::game::machine::{MachineError, RoleId, State, StateMachine};
use crate::support::rng::GameRng;
use propjit_stop::Stop;

/// The outcome of matches with two machines side by side.
#[derive(Clone, Default, Debug)]
pub struct AgainstOutcome {
    /// The number of matches that were played to their end or to the limit of steps.
    pub matches: usize,
    /// The number of states that were compared.
    pub steps: usize,
    /// The first difference; nothing is played after it.
    pub difference: Option<Difference>,
}

/// Plays random matches with `machine` and `expected` side by side until
/// something differs, `matches` are played or a stop comes.
///
/// Propositions, terminal, legal moves and goals are compared in every state, and percepts after every joint move.
/// Matches end in terminal states, where a role has no move, and after `max_steps`.
///
/// # Errors
/// When a machine cannot go on, as when the prover hits a limit.
pub fn against(
    machine: &mut dyn StateMachine,
    expected: &mut dyn StateMachine,
    matches: usize,
    max_steps: usize,
    rng: &mut GameRng,
    stop: &Stop,
) -> Result<AgainstOutcome, MachineError> {
    tracing::debug!("comparing");
    let mut done = AgainstOutcome::default();
    let mut comparison = Comparison {
        at: (1, 0),
        first: None,
    };
    comparison.values("roles", None, expected.roles(), machine.roles());
    let mut play = || {
        while done.matches < matches && comparison.first.is_none() {
            let mut pair = (machine.initial_state()?, expected.initial_state()?);
            for step in 0..=max_steps {
                if stop.is_set() {
                    return Ok(());
                }
                comparison.at = (done.matches as u64 + 1, step);
                let legal = compare(&mut comparison, machine, &pair.0, expected, &pair.1)?;
                done.steps += 1;
                if comparison.first.is_some() {
                    return Ok(());
                }
                // One legal move for each role; there is none of a terminal state's.
                let joint: Option<Vec<&String>> =
                    legal.iter().map(|texts| texts.choose(rng)).collect();
                let Some(joint) = joint.filter(|joint| !joint.is_empty()) else {
                    break;
                };
                let moves = (
                    parse_joint(machine, &joint)?,
                    parse_joint(expected, &joint)?,
                );
                for role in RoleId::first(joint.len()) {
                    let got = machine.percepts(&pair.0, &moves.0, role)?;
                    let wanted = expected.percepts(&pair.1, &moves.1, role)?;
                    let name = &expected.roles()[role.index()];
                    comparison.texts("percepts", Some(name), &wanted, &got);
                }
                if comparison.first.is_some() {
                    return Ok(());
                }
                // The comparison has shown it to be legal.
                pair = (
                    apply(machine, &pair.0, &moves.0)?,
                    apply(expected, &pair.1, &moves.1)?,
                );
            }
            done.matches += 1;
        }
        Ok(())
    };
    match play() {
        // The prover ends in the midst of a query then.
        Err(error) if MachineError::is_stopped(&error) && stop.is_set() => {}
        played => played?,
    }
    done.difference = comparison.first;
    Ok(done)
}

/// Compares all results of the machines for their states; returns the legal moves of each role,
/// nothing in terminal states.
fn compare(
    comparison: &mut Comparison,
    machine: &mut dyn StateMachine,
    state: &State,
    expected: &mut dyn StateMachine,
    expected_state: &State,
) -> Result<Vec<Vec<String>>, MachineError> {
    let got = Snapshot::of(machine, state)?;
    let wanted = Snapshot::of(expected, expected_state)?;
    comparison.snapshots(expected.roles(), &wanted, &got);
    let goals = all_goals(machine, state)?;
    comparison.values("goals", None, &all_goals(expected, expected_state)?, &goals);
    Ok(got.legal)
}
