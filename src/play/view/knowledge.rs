//! The thread that determines what can never change again from the position that is shown.

use std::sync::Arc;

use propjit_jit::lanes::Width;

use super::Shared;
use super::message::{DarkMessage, KnowledgeMessage};
use crate::game::circuits::darkening::Specialisation;
use crate::game::circuits::darkening::ternary::{Fixpoint, TernaryCircuit};
use crate::game::facts::{AnalysisConfig, Facts, find};
use crate::game::ground::{GroundGame, Literal};
use crate::game::vocabulary::state::State;
use crate::support::background::Background;

/// Analyses each position that is shown, until the end. Games that only the prover can play have no
/// circuit to analyse.
pub(super) fn run(shared: &Shared) {
    let Some(engines) = shared.game.engines().cloned() else {
        return;
    };
    let ground = engines.game().clone();
    let facts = Background::start("facts", || None, {
        let stop = shared.stop.clone();
        let config = AnalysisConfig::default().with_goal_tables(false);
        move || Some(find(&engines, &config, &stop))
    });
    let bounds = TernaryCircuit::new(&ground, &ground.min_gates().circuit);
    let mut fixpoint = Fixpoint::new(ground.clone(), &bounds, Width::X64);
    let mut last = None;
    while let Some(version) = shared.next_version(last) {
        last = Some(version);
        if shared.scene.lock().seen().is_some() {
            // What is dark would give away what is hidden.
            *shared.knowledge.lock() = KnowledgeMessage::default();
            continue;
        }
        let fluents = shared.scene.lock().fluents();
        let fluents: Vec<&str> = fluents.iter().map(String::as_str).collect();
        let Ok(state) = ground.parse_state(&fluents) else {
            continue;
        };
        let mut known = KnowledgeMessage {
            version,
            dark: Some(dark(shared, &ground, &mut fixpoint, &state)),
            ..KnowledgeMessage::default()
        };
        *shared.knowledge.lock() = known.clone();
        // These take some seconds, in which another position may be shown.
        while facts.get().is_none() && shared.pause(version, super::PAUSE) {}
        if let Some(Some(facts)) = facts.get() {
            describe(&mut known, facts, &ground, &state);
            *shared.knowledge.lock() = known;
        }
    }
}

/// Determines what is constant from the state on.
fn dark(
    shared: &Shared,
    ground: &Arc<GroundGame>,
    fixpoint: &mut Fixpoint,
    state: &State,
) -> DarkMessage {
    let dark = Specialisation::new(&ground.min_gates().circuit, fixpoint, state);
    let layout = ground.layout();
    let (bases, inputs) = (layout.bases.len(), layout.inputs());
    let net = ground.propnet();
    // For each place the number of its fluents that may still change.
    let mut changing = std::collections::BTreeMap::new();
    for (base, value) in net.bases.iter().zip(dark.bases(ground)) {
        if let Some(place) = shared.grids.place(&net.terms.text(base.name)) {
            let count: &mut usize = changing.entry((place.grid, place.site)).or_default();
            *count += usize::from(value.is_none());
        }
    }
    let fixed = changing.into_iter().filter(|&(_, count)| count == 0);
    DarkMessage {
        bases: (dark.dark_bases(ground), bases),
        moves: (dark.dark_moves(ground), inputs - bases),
        gates: (dark.gates(), ground.min_gates().circuit.gates()),
        places: fixed.map(|(place, _)| place).collect(),
    }
}

/// Adds the latches that hold, and the goals that they leave.
fn describe(known: &mut KnowledgeMessage, facts: &Facts, ground: &GroundGame, state: &State) {
    let latches = facts.latches.iter().map(|latch| latch.what);
    let held = latches.filter(|latch: &Literal| latch.holds(state));
    known.latches = Some(held.map(|latch| latch.text(ground)).collect());
    let excluded: Vec<_> = facts.goal_latches.excluded(state).collect();
    known.goals = (ground.layout().roles().zip(&ground.propnet().roles))
        .map(|(role, ports)| {
            let goals = ports.goals.iter().enumerate();
            let left = goals.filter(|(at, _)| !excluded.contains(&(role, *at)));
            left.map(|(_, goal)| goal.value).collect()
        })
        .collect();
}
