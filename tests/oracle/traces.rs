//! The interpreter against matches that were recorded with another one.

use propjit::lab::verify::{Fnv64, Trace, TraceStep};

use super::{Oracle, TooMuch};
use crate::common;

/// What the interpreter may look at in each game, and how many games are too much work for it.
const QUICK: (u64, usize) = (1_000_000, 28);
const SOAK: (u64, usize) = (10_000_000, 9);

/// Compares what is recorded of the state that the interpreter is in.
fn compare(oracle: &Oracle, fluents: &[String], step: &TraceStep, context: &str) {
    let legal = oracle.legal_texts();
    let goals = oracle
        .roles()
        .iter()
        .map(|&role| match *oracle.goals(role) {
            [goal] => Some(goal),
            _ => None,
        });
    assert_eq!(step.terminal, oracle.is_terminal(), "{context}");
    assert_eq!(step.fluents, Some(fluents.len()), "{context}");
    assert_eq!(
        step.fluents_fnv,
        Some(Fnv64::of_lines(fluents)),
        "{context}"
    );
    if let Some(recorded) = &step.goals {
        assert_eq!(*recorded, goals.collect::<Vec<_>>(), "{context}");
    }
    if let Some(recorded) = &step.legal_fnv {
        let hashes = legal.iter().map(Fnv64::of_lines);
        assert_eq!(*recorded, hashes.collect::<Vec<_>>(), "{context}");
    }
}

/// Replays a trace as far as the work goes. Gives the number of states that were compared.
fn replay(name: &str, rules: &str, trace: &Trace, work: u64) -> usize {
    let mut compared = 0;
    let mut replay = || -> Result<(), TooMuch> {
        let mut oracle = Oracle::new(rules, work)?;
        let roles = oracle.role_names();
        assert_eq!(roles, trace.roles, "{name}");
        for recorded in &trace.matches {
            let mut state = oracle.initial();
            for (at, step) in recorded.steps.iter().enumerate() {
                oracle.enter(&state)?;
                let context = format!("{name}, step {at}");
                compare(&oracle, &oracle.texts(&state), step, &context);
                compared += 1;
                let Some(joint) = &step.joint else { break };
                let joint: Vec<_> = joint.iter().map(|played| oracle.term(played)).collect();
                state = oracle.play(&joint)?;
            }
        }
        Ok(())
    };
    match replay() {
        Ok(()) | Err(TooMuch) => compared,
    }
}

#[test]
fn nothing_differs_from_traces() {
    let Some(shared) = common::shared() else {
        return;
    };
    let (work, most) = if common::soak() { SOAK } else { QUICK };
    let mut too_much = Vec::new();
    for (name, path) in common::rulesheets(&shared.join("games")) {
        let trace = shared.join("traces").join(&name).with_extension("json");
        let trace = Trace::from_json(&std::fs::read_to_string(trace).unwrap()).unwrap();
        let rules = std::fs::read_to_string(&path).unwrap();
        if replay(&name, &rules, &trace, work) == 0 {
            too_much.push(name);
        }
    }
    assert!(too_much.len() <= most, "{too_much:?}");
}
